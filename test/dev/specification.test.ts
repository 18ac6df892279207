import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { specificationProblems } from '../../src/dev/generate/specification.ts';

describe('the specification', () => {
  it('has an existing test for every requirement', () => {
    expect(specificationProblems(readFileSync('test/specification.txt', 'utf8'))).toEqual([]);
  });

  it('has a requirement of every section', () => {
    const ids = [...readFileSync('test/specification.txt', 'utf8').matchAll(/^(\d)\.\S+ /gm)].map(
      ([, section]) => section,
    );
    expect(new Set(ids)).toEqual(new Set(['2', '3', '4', '5', '6', '7', '8']));
  });

  it('reports a requirement without a test, and a test that does not exist', () => {
    const text = '# Keys\n9.1 Nothing proves this\n9.2 Nor this\n  api/api-keys: is no title\n';
    expect(specificationProblems(text)).toEqual([
      '9.1 (Nothing proves this) has no test',
      '9.2 names a test that does not exist: api/api-keys: is no title',
    ]);
  });
});
