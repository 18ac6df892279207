import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Facts, Schema } from '../facts.ts';

/** Reads from a Git repository, with or without a work tree. */
export interface Repository {
  read: (path: string) => string;
  readAll: (paths: string[]) => string[];
  list: (folder: string) => string[];
  commit: string;
  /** Day of the last commit. */
  date: string;
}

export function repository(directory: string): Repository {
  const git = (...args: string[]): string =>
    execFileSync('git', ['-C', directory, ...args], { encoding: 'latin1', maxBuffer: 1 << 28 });
  const [commit = '', date = ''] = git('log', '-1', '--format=%H %cs').trim().split(' ');
  return {
    read: (path) => git('show', `HEAD:${path}`),
    // One process for all files.
    readAll: (paths) => [git('archive', 'HEAD', ...paths)].flatMap(filesOfTar),
    list: (folder) => git('ls-tree', '-r', '--name-only', 'HEAD', folder).trim().split('\n'),
    commit,
    date,
  };
}

/** The texts in a tar archive, whose blocks have 512 bytes. */
function filesOfTar(archive: string): string[] {
  const texts: string[] = [];
  let at = 0;
  while (at + 512 <= archive.length) {
    const size = Number.parseInt(archive.slice(at + 124, at + 136), 8) || 0;
    if (archive[at + 156] === '0') texts.push(archive.slice(at + 512, at + 512 + size));
    at += 512 + Math.ceil(size / 512) * 512;
  }
  return texts;
}

const widest = 140;
const longestInline = 16;

/** One line per fact: a value is broken into lines only if it is too long for one. */
function print(value: unknown, indent = ''): string {
  const flat = JSON.stringify(value);
  if (value === null || typeof value !== 'object' || indent.length + flat.length <= widest) return flat;
  const deeper = `${indent}  `;
  if (!Array.isArray(value)) {
    const members = Object.entries(value).filter(([, member]) => member !== undefined);
    const lines = members.map(([name, member]) => `${deeper}${JSON.stringify(name)}: ${print(member, deeper)}`);
    return `{\n${lines.join(',\n')}\n${indent}}`;
  }
  const items = value.map((item) => print(item, deeper));
  const lines = items.every((item) => item.length < 60) ? wrapped(items, deeper) : items;
  return `[\n${deeper}${lines.join(`,\n${deeper}`)}\n${indent}]`;
}

function wrapped(items: string[], indent: string): string[] {
  const lines: string[] = [];
  for (const item of items) {
    const last = lines.at(-1);
    if (last !== undefined && indent.length + last.length + item.length + 3 <= widest) {
      lines[lines.length - 1] = `${last}, ${item}`;
    } else {
      lines.push(item);
    }
  }
  return lines;
}

/** Moves long enumerations to definitions, under the names of their fields, so that each is listed once. */
function shareLists(value: unknown, shared: Record<string, Schema>, name: string): unknown {
  if (value === null || typeof value !== 'object') return value;
  if (Array.isArray(value)) return value.map((item) => shareLists(item, shared, name));
  const listed = (value as Schema)['enum'];
  if (Array.isArray(listed) && listed.length > longestInline) {
    const text = JSON.stringify(value);
    const key =
      [name, `${name}2`, `${name}3`].find((free) => !shared[free] || JSON.stringify(shared[free]) === text) ?? name;
    shared[key] = value as Schema;
    return { $ref: `#/$defs/${key}` };
  }
  const isList = (key: string): boolean => key === 'items' || key === 'properties';
  return Object.fromEntries(
    Object.entries(value).map(([key, one]) => [key, shareLists(one, shared, isList(key) ? name : key)]),
  );
}

export function writeFacts(name: string, { $defs, operations, ...facts }: Facts): void {
  const shared: Record<string, Schema> = {};
  const short = shareLists({ operations, $defs: reached(operations, $defs) }, shared, '') as Facts;
  const whole = { ...facts, operations: short.operations, $defs: { ...short.$defs, ...shared } };
  writeFileSync(resolve(import.meta.dirname, `../facts/${name}.json`), `${print(whole)}\n`);
}

/** An object that takes these properties and no others. */
export const objectOf = (
  properties: Record<string, Schema>,
  required: string[] = [],
  type: unknown = 'object',
): Schema => ({
  type,
  properties,
  ...(required.length > 0 && { required: [...new Set(required)] }),
  additionalProperties: false,
});

/** The definitions that the operations reach. */
function reached(roots: unknown, all: Record<string, Schema>): Record<string, Schema> {
  const found = new Map<string, Schema>();
  const visit = (value: unknown): void => {
    for (const [, name = ''] of JSON.stringify(value).matchAll(/"#\/\$defs\/([^"]+)"/g)) {
      const schema = all[name];
      if (found.has(name)) continue;
      if (!schema) throw new Error(`No definition of ${name}`);
      found.set(name, schema);
      visit(schema);
    }
  };
  visit(roots);
  return Object.fromEntries([...found].toSorted(([a], [b]) => (a < b ? -1 : 1)));
}
