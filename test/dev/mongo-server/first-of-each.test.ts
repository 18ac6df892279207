import { describe, expect, it } from 'vitest';
import { Collection } from '../../../src/dev/mongo-server/collection.ts';
import { firstOfEach } from '../../../src/dev/mongo-server/first-of-each.ts';
import { random } from './support.ts';

type Doc = Record<string, unknown>;
const next = random(7);
const docs = Array.from({ length: 3000 }, (_, _id): Doc => {
  const below = (count: number): number => Math.floor(next() * count);
  return { _id, state: `s${below(4)}`, of: below(9) === 0 ? `w${below(3)}\0x` : `w${below(40)}`, n: below(2) };
});
function collectionOf(given: Doc[], spec: Doc = { key: { state: 1, of: 1 } }): Collection {
  const collection = new Collection('db.some');
  collection.createIndex(spec);
  for (const doc of given) collection.insert(doc);
  return collection;
}
const valuesOf = (found: { doc: Doc }[]): unknown[] =>
  [...new Set(found.map(({ doc }) => String(doc['of'])))].toSorted();

describe('the first document of each value', () => {
  it.each<[Doc, Doc]>([
    [{ state: 's1' }, { state: 1, of: 1 }],
    [{ state: 's1' }, { state: 1, of: -1 }],
    [{ state: { $in: ['s0', 's3', 'none'] } }, { state: 1, of: 1, n: 1 }],
    [
      { state: 's2', n: 1 },
      { n: -1, state: 1, of: 1 },
    ],
    [{}, { of: 1 }],
    [{ state: 'none' }, { state: 1, of: 1 }],
  ])('of %j by %j leaves none out and reads none twice', (filter, key) => {
    const collection = collectionOf(docs, { key });
    const found = firstOfEach(collection, 'of', filter) ?? [];
    const all = valuesOf(collection.find(filter).docs);
    expect(valuesOf(found)).toEqual(all);
    expect(found.length).toBeLessThanOrEqual(2 * all.length);
  });

  it.each<[Doc, Doc]>([
    [{ state: 's1', n: 1 }, {}],
    [{ state: { $gt: 's1' } }, {}],
    [{ $or: [{ state: 's1' }] }, {}],
    [{ state: { $in: ['s1'], $ne: 's1' } }, {}],
    [{ state: 's1' }, { sparse: true }],
    [{ state: 's1' }, { partialFilterExpression: { n: 1 } }],
  ])('does not use %j where the index %j does not say enough', (filter, options) => {
    expect(firstOfEach(collectionOf(docs, { key: { state: 1, of: 1 }, ...options }), 'of', filter)).toBeUndefined();
  });

  it.each([{ state: 's1' }, { state: 's1', of: null }, { state: 's1', of: ['a', 'b'] }])(
    'is not used if there is %j',
    (odd) => expect(firstOfEach(collectionOf([...docs, { _id: -1, ...odd }]), 'of', { state: 's1' })).toBeUndefined(),
  );
});
