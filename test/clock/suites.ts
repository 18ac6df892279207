import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';

const root = resolve(import.meta.dirname, '../..');

/** A test that comes to one of these, however far away, needs Redis or processes of its own. */
const outside = new Set(['ioredis', 'bullmq', 'node:child_process', 'playwright-core']);

/** Left out for their duration (a crash after every single step, time-outs that are waited for, large accounts): `--whole` runs them. */
export const exhaustive = [
  'test/services/ads/crash.test.ts',
  'test/services/duplications/crash.test.ts',
  'test/platforms/http.test.ts',
  'test/platforms/odd-objects.test.ts',
  'test/platforms/discover-pages.test.ts',
];

const typesOnly = /^(?:import|export) type\b[^;]*;/gm;
const imported = /(?:\bfrom\s+|^import\s+|\bimport\()'([^']+)'/gm;

const known = new Map<string, string[]>();

function importsOf(file: string): string[] {
  const before = known.get(file);
  if (before) return before;
  const names = [...readFileSync(file, 'utf8').replaceAll(typesOnly, '').matchAll(imported)].map(
    ([, name = '']) => name,
  );
  const found = names.map((name) => (name.startsWith('.') ? join(dirname(file), name) : name));
  known.set(file, found);
  return found;
}

/** The imports that lead from a file to something outside; undefined if none do. */
export function wayOut(file: string, seen = new Set<string>()): string[] | undefined {
  for (const name of importsOf(join(root, file))) {
    if (outside.has(name)) return [name];
    const path = relative(root, name);
    if (!name.startsWith(root) || !name.endsWith('.ts') || seen.has(path)) continue;
    seen.add(path);
    const way = wayOut(path, seen);
    if (way) return [path, ...way];
  }
  return undefined;
}

export const testFiles: string[] = readdirSync(join(root, 'test'), { recursive: true, encoding: 'utf8' })
  .filter((path) => path.endsWith('.test.ts') && !path.includes('node_modules'))
  .map((path) => `test/${path.replaceAll('\\', '/')}`)
  .toSorted();

/** Every suite that needs neither Redis nor processes of its own. */
export const clockSuites = (): string[] =>
  testFiles.filter((file) => !isAboutThisList(file) && !exhaustive.includes(file) && wayOut(file) === undefined);

/** Reads imports only. */
export const isAboutThisList = (file: string): boolean => file.startsWith('test/clock/');
