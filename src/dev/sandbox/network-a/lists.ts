import type { Body } from './checks.ts';
import { cursorOf, cutOf, parseFields } from './read.ts';

type Query = Record<string, string>;

/** Only the requested fields; `id` is always included. */
export function pick(all: Body, query: Query, usual: string): Body {
  const requested = parseFields(query['fields'] ?? usual);
  return Object.fromEntries(Object.entries(all).filter(([name]) => name === 'id' || requested.has(name)));
}

/** One page of a list that does not consist of graph objects. */
export function slice(list: Body[], query: Query): object {
  const { cut, paging = { cursors: { before: cursorOf(0), after: cursorOf(0) } } } = cutOf(list, query);
  return { data: cut, paging };
}
