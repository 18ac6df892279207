import type { DocumentNode } from 'graphql';
import { LRUCache } from 'lru-cache';
import { hasFixedRootFields } from './root-fields.ts';

/** The JSON string of the member `query`, without its quotes. */
const queryIn = /"query"\s*:\s*"([^"\\]*(?:\\.[^"\\]*)*)"/s;

const known = new LRUCache<string, number>({ maxSize: 250_000, sizeCalculation: (_units, text) => text.length + 1 });

/** The rate limit units of the document in a body, if it has run before. Finds it without parsing the body. */
export function knownUnits(body: Buffer): number | undefined {
  const text = queryIn.exec(body.toString())?.[1];
  return text === undefined ? undefined : known.get(text);
}

/** Remembers what a document costs, unless that depends on its variables or on the name of an operation. */
export function rememberUnits({ definitions }: DocumentNode, source: string | undefined, units: number): void {
  const [operation, ...others] = definitions.filter((node) => node.kind === 'OperationDefinition');
  if (source === undefined || !operation || others.length > 0 || !hasFixedRootFields(operation)) return;
  known.set(JSON.stringify(source).slice(1, -1), units);
}
