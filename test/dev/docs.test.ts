import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { errorStatus, statusesOf, type ErrorCode } from '../../src/contract/error.ts';
import { rateWeights } from '../../src/operations/index.ts';

const root = resolve(import.meta.dirname, '../..');
const textOf = (file: string): string => readFileSync(join(root, file), 'utf8');

const filesIn = (folder: string, extension: string): string[] =>
  readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith(extension) && !path.includes('node_modules'))
    .map((path) => join(folder, path));

const pages = ['README.md', 'CONTRIBUTING.md', ...filesIn('docs', '.md')];

/** The anchors that GitHub gives to the headings of a page. */
const anchorsOf = (file: string): string[] =>
  [...textOf(file).matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-'),
  );

function brokenLinks(page: string): string[] {
  const links = [...textOf(page).matchAll(/\]\((?!https?:)([^()\s]+)\)/g)].map(([, link = '']) => link);
  return links
    .filter((link) => {
      const [path = '', anchor] = link.split('#');
      const target = path ? join(dirname(page), path) : page;
      if (!existsSync(join(root, target))) return true;
      return anchor !== undefined && !anchorsOf(target).includes(anchor);
    })
    .map((link) => `${page}: ${link}`);
}

describe('documentation', () => {
  it('has no broken links or anchors', () => {
    expect(pages.length).toBeGreaterThan(10);
    expect(pages.flatMap(brokenLinks)).toEqual([]);
  });

  it('lists every error code with its statuses', () => {
    const rows = [...textOf('docs/errors.md').matchAll(/^\| (`[a-z_`, ]+) \| ([\d, ]+) \|/gm)];
    const statuses = new Map(
      rows.flatMap(([, codes = '', cell = '']) => codes.split(', ').map((code) => [code.replaceAll('`', ''), cell])),
    );
    const codes = Object.keys(errorStatus) as ErrorCode[];
    expect([...statuses.keys()].toSorted()).toEqual(codes.toSorted());
    for (const code of codes)
      for (const status of statusesOf(code)) expect(statuses.get(code), code).toContain(String(status));
  });

  it('lists the units of each operation', () => {
    const rows = [...textOf('docs/limits.md').matchAll(/^\| (\d) \| (`.+`) \|$/gm)];
    const listed = rows.flatMap(([, units, names = '']) =>
      [...names.matchAll(/`(\w+)`/g)].map(([, name = '']) => [name, Number(units)]),
    );
    expect(Object.fromEntries(listed)).toEqual(rateWeights());
  });

  it('explains every requirement number of the test titles, and names the test files, which exist', () => {
    const table = textOf('docs/webhooks.md').split('## Requirements and tests')[1] ?? '';
    const rows = [...table.matchAll(/^\| (R[\d, R]+) \|.*\| (.+) \|$/gm)];
    const explained = rows.flatMap(([, numbers = '']) => numbers.split(', '));
    const titles = filesIn('test', '.test.ts').flatMap((file) => [...textOf(file).matchAll(/\((R\d+(?:, R\d+)*)\)/g)]);
    const used = new Set(titles.flatMap(([, numbers = '']) => numbers.split(', ')));
    expect([...used].filter((number) => !explained.includes(number))).toEqual([]);
    const unlisted = filesIn('test/webhooks', '.test.ts').flatMap((file) => {
      const name = `\`${basename(file, '.test.ts')}\``;
      const numbers = [...textOf(file).matchAll(/\((R\d+(?:, R\d+)*)\)/g)].flatMap(([, found = '']) =>
        found.split(', '),
      );
      const listed = rows.filter(([row]) => row.includes(name)).flatMap(([, found = '']) => found.split(', '));
      return numbers.filter((number) => !listed.includes(number)).map((number) => `${number} ${name}`);
    });
    expect(unlisted).toEqual([]);
    const tests = rows.flatMap(([, , cell = '']) => [...cell.matchAll(/`([^`]+)`/g)].map(([, name = '']) => name));
    const missing = tests.filter((name) => {
      const file = name.includes('/') ? name : `test/webhooks/${name}`;
      return !existsSync(join(root, `${file}.test.ts`));
    });
    expect(missing).toEqual([]);
  });
});
