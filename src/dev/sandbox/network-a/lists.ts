import type { Body } from './checks.ts';
import { cursorOf, cutOf, parseFields } from './read.ts';

type Query = Record<string, string>;

/** Only what was asked for; `id` always comes. */
export function pick(all: Body, query: Query, usual: string): Body {
  const wanted = parseFields(query['fields'] ?? usual);
  return Object.fromEntries(Object.entries(all).filter(([name]) => name === 'id' || wanted.has(name)));
}

/** A page of things that are not graph objects. */
export function slice(list: Body[], query: Query): object {
  const { cut, paging = { cursors: { before: cursorOf(0), after: cursorOf(0) } } } = cutOf(list, query);
  return { data: cut, paging };
}
