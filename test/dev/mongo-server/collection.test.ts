import { BSONRegExp } from 'bson';
import { describe, expect, it } from 'vitest';
import { Collection, type FindOptions } from '../../../src/dev/mongo-server/collection.ts';
import { encode } from '../../../src/dev/mongo-server/values.ts';

type Doc = Record<string, unknown>;
function collectionOf(docs: Doc[], indexes: Doc[] = []): Collection {
  const collection = new Collection('db.things');
  for (const spec of indexes) collection.createIndex(spec);
  for (const doc of docs) collection.insert(doc);
  return collection;
}
const idsOf = (collection: Collection, filter: Doc, options: FindOptions = {}): unknown[] =>
  collection.find(filter, options).docs.map(({ doc }) => doc._id);
const numbers = (count: number): Doc[] =>
  Array.from({ length: count }, (_, i) => ({ _id: i, a: i % 10, b: i, c: `k${i % 7}` }));

describe('a collection', () => {
  it('gives documents in the order in which they came, whatever changed since', () => {
    const collection = collectionOf([{ _id: 3 }, { _id: 1 }, { _id: 2 }]);
    const second = collection.byId(1);
    if (second) collection.replace(second, { _id: 1, a: 1 });
    expect(idsOf(collection, {})).toEqual([3, 1, 2]);
    expect(idsOf(collection, {}, { sort: { $natural: -1 } })).toEqual([2, 1, 3]);
    expect(idsOf(collection, {}, { sort: { $natural: 1 }, limit: 1 })).toEqual([3]);
  });

  it('keeps versions as they were, so that a reader sees no later change', () => {
    const collection = collectionOf([{ _id: 1, a: 1 }]);
    const [before] = collection.find({}).docs;
    if (before) collection.replace(before, { _id: 1, a: 2 });
    expect(before?.doc.a).toBe(1);
    expect(collection.byId(1)?.doc.a).toBe(2);
  });

  it('reports what changed, and nothing when nothing did', () => {
    const changes: string[] = [];
    const collection = new Collection('db.x', (change) => changes.push(Object.keys(change).join()));
    const version = collection.insert({ _id: 1, a: 1 });
    expect(collection.replace(version, { _id: 1, a: 1 })).toBe(version);
    collection.remove(collection.replace(version, { _id: 1, a: 2 }));
    expect(changes).toEqual(['put', 'put', 'remove']);
    expect(collection.size).toBe(0);
  });

  it('keeps the bytes of a document that came encoded', () => {
    const raw = encode({ _id: 1, a: 1 });
    expect(collectionOf([]).insert({ _id: 1, a: 1 }, raw).raw).toBe(raw);
  });

  it.each([
    [{ _id: [1] }, "'_id' value cannot be of type array"],
    [{ _id: new BSONRegExp('x') }, "'_id' value cannot be of type regex"],
    [{ _id: { $x: 1 } }, "field '$x' in '_id'"],
    [{ _id: 1, a: 'x'.repeat(17 * 1024 * 1024) }, 'is invalid'],
  ])('refuses a document that cannot be stored (%#)', (doc, message) => {
    expect(() => collectionOf([doc])).toThrow(message);
  });

  it('is read by the index with far fewer entries, if the one that serves the order has many', () => {
    const docs = Array.from({ length: 2000 }, (_, i) => ({
      _id: i,
      owner: 1,
      at: -i,
      kind: i % 500 === 7 ? 'rare' : 'usual',
    }));
    const collection = collectionOf(docs, [
      { name: 'inOrder', key: { owner: 1, at: 1 } },
      { name: 'byKind', key: { kind: 1 } },
      { name: 'byKindInOrder', key: { owner: 1, kind: 1, at: 1 } },
    ]);
    const sort = { at: 1 };
    const rare = { filter: { owner: 1, kind: 'rare' }, ids: [1507, 1007, 507, 7] };
    for (const [name, examined] of [
      ['byKindInOrder', 4],
      ['byKind', 4],
      ['inOrder', 2000],
    ] as const) {
      const found = collection.find(rare.filter, { sort });
      expect([name, found.examined, found.docs.map(({ doc }) => doc._id)]).toEqual([name, examined, rare.ids]);
      collection.dropIndex(name);
    }
  });

  it('is read in the order of an index if only one value of an $in is stored', () => {
    const collection = collectionOf(numbers(100), [{ name: 'byA', key: { a: 1, b: 1 } }]);
    const found = collection.find({ a: { $in: [3, 'act_3'] } }, { sort: { b: 1 }, limit: 2 });
    expect([found.examined, found.docs.map(({ doc }) => doc._id)]).toEqual([2, [3, 13]]);
    expect(idsOf(collection, { a: { $in: [3, 4] } }, { sort: { b: 1 }, limit: 3 })).toEqual([3, 4, 13]);
  });

  it('skips and limits after sorting', () => {
    const collection = collectionOf(numbers(10));
    expect(idsOf(collection, {}, { sort: { b: -1 }, skip: 2, limit: 3 })).toEqual([7, 6, 5]);
    expect(idsOf(collection, {}, { skip: 8 })).toEqual([8, 9]);
  });

  it('sorts by the least element of an array, by the greatest when descending', () => {
    const collection = collectionOf([{ _id: 1, a: [5, 1] }, { _id: 2, a: [3, 4] }, { _id: 3, a: [] }, { _id: 4 }]);
    expect(idsOf(collection, {}, { sort: { a: 1 } })).toEqual([3, 4, 1, 2]);
    expect(idsOf(collection, {}, { sort: { a: -1 } })).toEqual([1, 2, 4, 3]);
  });
});

describe('an index', () => {
  const indexes = [{ key: { a: 1, b: -1 } }, { key: { c: 1 }, name: 'byC' }];
  const collection = collectionOf(numbers(1000), indexes);
  const plain = collectionOf(numbers(1000));

  it.each<[Doc, FindOptions, string, number]>([
    [{ a: 3 }, {}, 'a_1_b_-1', 100],
    [{ a: 3, b: { $gte: 500 } }, {}, 'a_1_b_-1', 50],
    [{ a: 3, b: { $gt: 100, $lte: 200 } }, {}, 'a_1_b_-1', 10],
    [{ a: 3 }, { sort: { b: -1 }, limit: 5 }, 'a_1_b_-1', 5],
    [{ a: 3 }, { sort: { b: 1 }, limit: 5 }, 'a_1_b_-1', 5],
    [{ a: { $in: [1, 2] } }, {}, 'a_1_b_-1', 200],
    [{ a: { $gt: 8 } }, {}, 'a_1_b_-1', 100],
    [{}, { sort: { a: 1, b: -1 }, limit: 3 }, 'a_1_b_-1', 3],
    [{}, { sort: { a: -1, b: 1 }, limit: 3 }, 'a_1_b_-1', 3],
    [{ c: new BSONRegExp('^k1') }, {}, 'byC', 143],
    [{ c: 'k1', b: 1 }, {}, 'byC', 143],
    [{ $and: [{ a: 3 }, { b: 13 }] }, {}, 'a_1_b_-1', 1],
    [{ b: { $lt: 5 } }, { hint: 'byC' }, 'byC', 1000],
    [{ b: { $lt: 5 } }, { hint: { c: 1 } }, 'byC', 1000],
  ])('serves %j with %j', (filter, options, name, examined) => {
    const found = collection.find(filter, options);
    expect(found.plan.index?.name).toBe(name);
    expect(found.examined).toBe(examined);
    const { hint: _hint, ...unhinted } = options;
    const ids = idsOf(plain, filter, unhinted);
    const sorted = (list: unknown[]): unknown[] =>
      options.sort ? list : list.toSorted((a, b) => Number(a) - Number(b));
    expect(sorted(found.docs.map(({ doc }) => doc._id))).toEqual(sorted(ids));
  });

  it('is left out where it does not help', () => {
    expect(collection.find({ b: 5 }).plan.index).toBeUndefined();
    expect(collection.find({}, { sort: { a: 1, b: 1 } }).plan.isSorted).toBe(false);
    expect(collection.find({ a: 3 }, { hint: { $natural: -1 } }).examined).toBe(1000);
    expect(() => collection.find({}, { hint: 'nowhere' })).toThrow('hint');
  });

  it('serves _id and the branches of $or', () => {
    expect(collection.find({ _id: 5 }).examined).toBe(1);
    expect(idsOf(collection, { _id: { $in: [7, 5, 7] } })).toEqual([5, 7]);
    const found = collection.find({ $or: [{ a: 3, b: 13 }, { _id: 13 }, { c: 'k1', a: 1 }] });
    expect(found.plan.branches).toHaveLength(3);
    expect(found.docs.filter(({ doc }) => doc._id === 13)).toHaveLength(1);
    expect(collection.find({ $or: [{ a: 3 }, { b: 1 }] }).plan.branches).toBeUndefined();
  });

  it('gives a document once, though an array gave it several keys', () => {
    const tagged = collectionOf([{ _id: 1, t: ['x', 'y'] }, { _id: 2, t: [] }, { _id: 3 }], [{ key: { t: 1 } }]);
    expect(idsOf(tagged, { t: { $in: ['x', 'y'] } })).toEqual([1]);
    expect(idsOf(tagged, { t: null })).toEqual([3]);
    expect(idsOf(tagged, { t: { $gt: 'a', $lt: 'z' } })).toEqual([1]);
  });

  it('narrows by one bound only where two elements could meet two bounds', () => {
    const spread = collectionOf([{ _id: 1, t: [1, 9] }], [{ key: { t: 1 } }]);
    expect(idsOf(spread, { t: { $gt: 4, $lt: 6 } })).toEqual([1]);
  });

  it('cannot span two arrays', () => {
    expect(() => collectionOf([{ _id: 1, a: [1, 2], b: [1, 2] }], [{ key: { a: 1, b: 1 } }])).toThrow(
      'parallel arrays',
    );
  });
});

describe('a unique index', () => {
  const unique = { key: { a: 1 }, unique: true };

  it('refuses a second document and says which', () => {
    const collection = collectionOf([{ _id: 1, a: 'x' }], [unique]);
    expect(() => collection.insert({ _id: 2, a: 'x' })).toThrow(
      expect.objectContaining({
        code: 11000,
        message: 'E11000 duplicate key error collection: db.things index: a_1 dup key: { a: "x" }',
        extra: { keyPattern: { a: 1 }, keyValue: { a: 'x' } },
      }),
    );
    expect(collection.size).toBe(1);
    expect(() => collection.insert({ _id: 1, a: 'y' })).toThrow('index: _id_ dup key: { _id: 1 }');
  });

  it('leaves everything as it was when an update is refused', () => {
    const collection = collectionOf(
      [
        { _id: 1, a: 1, b: 1 },
        { _id: 2, a: 2, b: 2 },
      ],
      [{ key: { b: 1 } }, unique],
    );
    const second = collection.byId(2);
    expect(() => second && collection.replace(second, { _id: 2, a: 1, b: 9 })).toThrow('E11000');
    expect(idsOf(collection, { b: 2 })).toEqual([2]);
    expect(idsOf(collection, { b: 9 })).toEqual([]);
  });

  it('counts missing and null as one value, unless it is sparse or partial', () => {
    expect(() => collectionOf([{ _id: 1 }, { _id: 2, a: null }], [unique])).toThrow('{ a: null }');
    expect(collectionOf([{ _id: 1 }, { _id: 2 }], [{ ...unique, sparse: true }]).size).toBe(2);
    const partial = { ...unique, partialFilterExpression: { a: { $type: 'string' } } };
    expect(collectionOf([{ _id: 1 }, { _id: 2 }, { _id: 3, a: 1 }, { _id: 4, a: 1 }], [partial]).size).toBe(4);
    expect(() =>
      collectionOf(
        [
          { _id: 1, a: 'x' },
          { _id: 2, a: 'x' },
        ],
        [partial],
      ),
    ).toThrow('E11000');
  });

  it('names the element of an array that is taken', () => {
    expect(() =>
      collectionOf(
        [
          { _id: 1, a: 2 },
          { _id: 2, a: [1, 2] },
        ],
        [unique],
      ),
    ).toThrow('{ a: 2 }');
    expect(collectionOf([{ _id: 1, a: [1, 1] }], [unique]).size).toBe(1);
  });

  it('is refused over documents that break it', () => {
    const collection = collectionOf([
      { _id: 1, a: 1 },
      { _id: 2, a: 1 },
    ]);
    expect(() => collection.createIndex(unique)).toThrow('E11000');
    expect(collection.indexes).toHaveLength(1);
  });
});

describe('a sparse or partial index', () => {
  const docs = [
    { _id: 1, a: 1, s: 'on' },
    { _id: 2, a: 2, s: 'off' },
    { _id: 3, s: 'on' },
  ];
  const sparse = collectionOf(docs, [{ key: { a: 1 }, sparse: true }]);
  const partial = collectionOf(docs, [{ key: { a: 1 }, partialFilterExpression: { s: 'on', a: { $gt: 0 } } }]);

  it('is used only where it holds every document in question', () => {
    expect(sparse.find({ a: 1 }).plan.index?.name).toBe('a_1');
    expect(idsOf(sparse, { a: null })).toEqual([3]);
    expect(idsOf(sparse, {}, { sort: { a: 1 } })).toEqual([3, 1, 2]);
    expect(partial.find({ a: 1, s: 'on' }).plan.index?.name).toBe('a_1');
    expect(partial.find({ a: { $gte: 1 }, s: 'on' }).plan.index?.name).toBe('a_1');
    expect(partial.find({ a: 2 }).plan.index).toBeUndefined();
    const typed = collectionOf(docs, [{ key: { a: 1 }, partialFilterExpression: { a: { $type: 'number' } } }]);
    expect(typed.find({ a: { $gt: 0 } }).plan.index).toBeUndefined();
    expect(typed.find({ a: { $type: 'number', $gt: 0 } }).plan.index?.name).toBe('a_1');
    expect(partial.find({ a: { $gt: -5 }, s: 'on' }).plan.index).toBeUndefined();
    expect(idsOf(partial, { a: 2 })).toEqual([2]);
  });
});

describe('a TTL index', () => {
  it.each([1, -1])('removes what is older than its time (direction %d)', (direction) => {
    const docs = [
      { _id: 1, at: new Date(1000) },
      { _id: 2, at: new Date(9000) },
      { _id: 3, at: 'never' },
      { _id: 4 },
      { _id: 5, at: [new Date(2000), new Date(1500)] },
    ];
    const collection = collectionOf(docs, [{ key: { at: direction }, expireAfterSeconds: 2 }]);
    collection.expire(6000);
    expect(idsOf(collection, {})).toEqual([2, 3, 4]);
    collection.expire(20_000);
    expect(idsOf(collection, {})).toEqual([3, 4]);
  });
});

describe('making an index', () => {
  const collection = collectionOf([], [{ key: { a: 1 } }, { key: { t: 1 }, expireAfterSeconds: 5 }]);

  it('changes nothing when it is there already', () => {
    expect(collection.createIndex({ key: { a: 1 }, name: 'a_1', background: true })).toBeUndefined();
    expect(collection.createIndex({ key: { _id: 1 } })).toBeUndefined();
    expect(collection.indexes.map(({ name }) => name)).toEqual(['_id_', 'a_1', 't_1']);
  });

  it.each([
    [{ key: { a: 1 }, name: 'other' }, 'IndexOptionsConflict'],
    [{ key: { a: 1 }, unique: true }, 'IndexKeySpecsConflict'],
    [{ key: { b: 1 }, name: 'a_1' }, 'IndexKeySpecsConflict'],
    [{ key: { t: 1 }, expireAfterSeconds: 6 }, 'IndexOptionsConflict'],
    [{ key: {} }, 'CannotCreateIndex'],
    [{ key: { a: 0 } }, 'CannotCreateIndex'],
    [{ key: { $a: 1 } }, 'CannotCreateIndex'],
    [{ key: { a: 'text' } }, 'CommandNotSupported'],
    [{ key: { '$**': 1 } }, 'CannotCreateIndex'],
    [{ key: { 'a.$**': 1 } }, 'CommandNotSupported'],
    [{ key: { x: 1 }, collation: { locale: 'de' } }, 'CommandNotSupported'],
    [{ key: { x: 1 }, odd: 1 }, 'InvalidIndexSpecificationOption'],
    [{ key: { x: 1, y: 1 }, expireAfterSeconds: 1 }, 'CannotCreateIndex'],
    [{ key: { x: 1 }, expireAfterSeconds: -1 }, 'CannotCreateIndex'],
    [{ key: { x: 1 }, sparse: true, partialFilterExpression: { x: 1 } }, 'CannotCreateIndex'],
    [{ key: { x: 1 }, partialFilterExpression: { x: { $ne: 1 } } }, 'CannotCreateIndex'],
    [{ key: { x: 1 }, partialFilterExpression: { x: { $exists: false } } }, 'CannotCreateIndex'],
  ])('%j is refused as %s', (spec, codeName) => {
    expect(() => collection.createIndex(spec)).toThrow(expect.objectContaining({ codeName }));
  });

  it('can be undone, but for the one over _id', () => {
    const made = collectionOf(numbers(5), [{ key: { a: 1 } }]);
    made.dropIndex('a_1');
    expect(made.find({ a: 1 }).plan.index).toBeUndefined();
    expect(() => made.dropIndex('a_1')).toThrow('index not found');
    expect(() => made.dropIndex('_id_')).toThrow('cannot drop _id index');
  });
});
