import { appendFileSync, existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

export type Doc = Record<string, unknown>;

/** Objects of one kind by id. */
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

/** State of all simulators. With a directory each change is appended to a file, so it survives a restart. */
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

/** Loads the state of an earlier run and compacts its file. */
function openFile(dataDir: string, of: (name: string) => Map<string, unknown>): string {
  mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  const path = join(dataDir, 'sandbox.jsonl');
  const text = existsSync(path) ? readFileSync(path, 'utf8') : '';
  // A line without its end was torn by a crash: its response was never sent.
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
