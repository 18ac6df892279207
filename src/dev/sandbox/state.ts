import { appendFileSync, existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

export type Doc = Record<string, unknown>;

/** One kind of thing that the platforms hold, by id. */
export interface Collection<T> {
  get: (id: string) => T | undefined;
  put: (id: string, value: T) => void;
  all: () => T[];
}

export interface State {
  collection: <T>(name: string) => Collection<T>;
}

interface Line {
  c: string;
  id: string;
  v: unknown;
}

/** All that the simulated platforms hold. With a folder each change is a line in a file, so that a restart keeps it. */
export function createState(dataDir?: string): State {
  const collections = new Map<string, Map<string, unknown>>();
  const of = (name: string): Map<string, unknown> => {
    const known = collections.get(name) ?? new Map<string, unknown>();
    collections.set(name, known);
    return known;
  };
  const file = dataDir === undefined ? undefined : openFile(dataDir, of);
  return {
    collection: <T>(name: string) => ({
      get: (id: string) => of(name).get(id) as T | undefined,
      put: (id: string, value: T) => {
        of(name).set(id, value);
        if (file) appendFileSync(file, `${JSON.stringify({ c: name, id, v: value } satisfies Line)}\n`);
      },
      all: () => [...of(name).values()] as T[],
    }),
  };
}

/** Reads what an earlier run left, and writes it anew without what was overwritten since. */
function openFile(dataDir: string, of: (name: string) => Map<string, unknown>): string {
  mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  const path = join(dataDir, 'sandbox.jsonl');
  const text = existsSync(path) ? readFileSync(path, 'utf8') : '';
  // A line without its end was torn by a crash: its answer never left.
  for (const line of text.split('\n').slice(0, -1)) {
    const { c, id, v } = JSON.parse(line) as Line;
    of(c).set(id, v);
  }
  const names = new Set([...text.matchAll(/^\{"c":"([^"]+)"/gm)].map((match) => match[1] ?? ''));
  const lines = [...names].flatMap((name) => [...of(name)].map(([id, v]) => JSON.stringify({ c: name, id, v })));
  writeFileSync(`${path}.new`, lines.map((line) => `${line}\n`).join(''), { mode: 0o600 });
  renameSync(`${path}.new`, path);
  return path;
}
