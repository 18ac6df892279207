import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { scopeTables } from '../../src/platforms/scopes.ts';
import { described, factsOf } from './facts.ts';

const root = resolve(import.meta.dirname, '../..');
const textOf = (file: string): string => readFileSync(resolve(root, file), 'utf8');
const adapterFiles = ['errors.ts', 'error-codes.ts', 'field-errors.ts'];

/** The codes that an adapter names: words in capitals, or numbers of five digits. */
function codesOf(platform: string): (string | number)[] {
  const texts = adapterFiles.flatMap((file) => {
    try {
      return [textOf(`src/platforms/${platform}/${file}`)];
    } catch {
      return [];
    }
  });
  const text = texts.join('\n').replaceAll(/\/\*[^]*?\*\/|\/\/.*/g, '');
  const words = [...text.matchAll(/(?:^ *|')([A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+)(?='|: \S)/gm)].map(([, word = '']) => word);
  const numbers = [...text.matchAll(/\b([4-6]\d_\d{3})\b/g)].map(([, number = '']) => Number(number.replace('_', '')));
  return [...new Set<string | number>([...words, ...numbers])];
}

describe('error codes', () => {
  it.each<[string, (string | number)[]]>([
    // The gateway before the service answers it; the others are not in the error enumerations but in google.rpc.Code.
    ['google-ads', ['ACCESS_TOKEN_SCOPE_INSUFFICIENT']],
    // Bounds of a range, not codes.
    ['tiktok', [60_000]],
    ['x-ads', []],
    // Of the Posts API, whose registry is not published.
    ['linkedin', ['DUPLICATE_POST']],
  ])('that the adapter of %s names are in the published registry, but for %j', (platform, unproven) => {
    const registry = new Set(Object.values(factsOf(platform).errors ?? {}).flat());
    const codes = codesOf(platform);
    expect(codes.length).toBeGreaterThan(0);
    expect(new Set(codes.filter((code) => !registry.has(code)))).toEqual(new Set(unproven));
  });
});

describe('scopes', () => {
  it.each([
    ['search-display', 'google-ads'],
    ['pin-board', 'pinterest'],
    ['microblog', 'x-ads'],
    ['professional', 'linkedin'],
  ] as const)('that %s requests are published by %s', (account, platform) => {
    const { asked } = scopeTables[account];
    expect(asked.length).toBeGreaterThan(0);
    expect(factsOf(platform).scopes).toEqual(expect.arrayContaining(asked));
  });
});

describe('the page about what is proven', () => {
  const page = textOf('docs/decisions/published-facts.md');
  it.each(described)('names every source of the facts about %s with its version', (platform) => {
    for (const { name, version } of factsOf(platform).sources) {
      const [repository = ''] = name.split(/[ ,:]/);
      expect(page).toContain(repository);
      const commit = /commit (\w{7})/.exec(version)?.[1];
      expect(page).toContain(commit ?? version);
    }
  });
});
