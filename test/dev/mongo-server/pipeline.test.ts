import { describe, expect, it } from 'vitest';
import { Collection } from '../../../src/dev/mongo-server/collection.ts';
import { runPipeline } from '../../../src/dev/mongo-server/pipeline.ts';

type Doc = Record<string, unknown>;
function collectionOf(name: string, docs: Doc[]): Collection {
  const collection = new Collection(`db.${name}`);
  for (const doc of docs) collection.insert(doc);
  return collection;
}

const orders = collectionOf('orders', [
  { _id: 1, user: 'ann', total: 10, tags: ['x', 'y'], at: new Date(1) },
  { _id: 2, user: 'bob', total: 20, tags: [], at: new Date(2) },
  { _id: 3, user: 'ann', total: 30, tags: ['y'], at: new Date(3) },
  { _id: 4, user: null, total: 40, at: new Date(4) },
]);
const users = collectionOf('users', [
  { _id: 'ann', age: 30, groups: ['a', 'b'] },
  { _id: 'bob', age: 40, groups: ['b'] },
]);
const collections: Record<string, Collection> = { orders, users };
const run = (pipeline: unknown, input: Collection | Doc[] = orders): Doc[] =>
  runPipeline(input, pipeline, { collection: (name) => collections[name], variables: {} });

describe('a pipeline', () => {
  it.each<[Doc[], Doc[]]>([
    [
      [{ $match: { user: 'ann' } }, { $project: { total: 1 } }],
      [
        { _id: 1, total: 10 },
        { _id: 3, total: 30 },
      ],
    ],
    [
      [{ $match: { user: 'ann' } }, { $match: { total: { $gt: 10 } } }, { $project: { total: 1 } }],
      [{ _id: 3, total: 30 }],
    ],
    [
      [{ $sort: { total: -1 } }, { $limit: 2 }, { $project: { _id: 1 } }],
      [{ _id: 4 }, { _id: 3 }],
    ],
    [
      [{ $sort: { user: 1, total: -1 } }, { $project: { _id: 1 } }],
      [{ _id: 4 }, { _id: 3 }, { _id: 1 }, { _id: 2 }],
    ],
    [[{ $skip: 3 }, { $project: { _id: 1 } }], [{ _id: 4 }]],
    [[{ $count: 'n' }], [{ n: 4 }]],
    [[{ $match: { _id: 9 } }, { $count: 'n' }], []],
    [
      [{ $group: { _id: '$user', n: { $sum: 1 }, total: { $sum: '$total' } } }, { $sort: { _id: 1 } }],
      [
        { _id: null, n: 1, total: 40 },
        { _id: 'ann', n: 2, total: 40 },
        { _id: 'bob', n: 1, total: 20 },
      ],
    ],
    [
      [
        {
          $group: {
            _id: null,
            first: { $first: '$_id' },
            last: { $last: '$_id' },
            least: { $min: '$total' },
            greatest: { $max: '$total' },
            mean: { $avg: '$total' },
            all: { $push: '$tags' },
            set: { $addToSet: '$user' },
            n: { $count: {} },
            merged: { $mergeObjects: { last: '$_id' } },
          },
        },
      ],
      [
        {
          _id: null,
          first: 1,
          last: 4,
          least: 10,
          greatest: 40,
          mean: 25,
          all: [['x', 'y'], [], ['y']],
          set: ['ann', 'bob', null],
          n: 4,
          merged: { last: 4 },
        },
      ],
    ],
    [[{ $group: { _id: { user: '$user', big: { $gte: ['$total', 20] } } } }, { $count: 'n' }], [{ n: 4 }]],
    [
      [{ $unwind: '$tags' }, { $group: { _id: '$tags', n: { $sum: 1 } } }, { $sort: { _id: 1 } }],
      [
        { _id: 'x', n: 1 },
        { _id: 'y', n: 2 },
      ],
    ],
    [
      [
        { $match: { _id: { $in: [1, 2, 4] } } },
        { $unwind: { path: '$tags', includeArrayIndex: 'at', preserveNullAndEmptyArrays: true } },
        { $project: { tags: 1, at: 1 } },
      ],
      [
        { _id: 1, tags: 'x', at: 0 },
        { _id: 1, tags: 'y', at: 1 },
        { _id: 2, at: null },
        { _id: 4, at: null },
      ],
    ],
    [
      [
        { $match: { _id: 1 } },
        { $lookup: { from: 'users', localField: 'user', foreignField: '_id', as: 'who' } },
        { $project: { who: 1 } },
      ],
      [{ _id: 1, who: [{ _id: 'ann', age: 30, groups: ['a', 'b'] }] }],
    ],
    [
      [
        { $match: { _id: 2 } },
        {
          $lookup: {
            from: 'users',
            let: { total: '$total' },
            pipeline: [
              { $match: { $expr: { $gt: ['$age', '$$total'] } } },
              { $project: { age: 1 } },
              { $sort: { age: -1 } },
            ],
            as: 'older',
          },
        },
        { $project: { 'older.age': 1 } },
      ],
      [{ _id: 2, older: [{ age: 40 }, { age: 30 }] }],
    ],
    [
      [
        { $match: { _id: 1 } },
        {
          $lookup: {
            from: 'users',
            localField: 'user',
            foreignField: '_id',
            pipeline: [{ $project: { age: 1 } }],
            as: 'who',
          },
        },
        { $set: { who: { $first: '$who.age' } } },
        { $project: { who: 1 } },
      ],
      [{ _id: 1, who: 30 }],
    ],
    [
      [
        { $match: { _id: 1 } },
        { $lookup: { from: 'nowhere', localField: 'user', foreignField: '_id', as: 'w' } },
        { $project: { w: 1 } },
      ],
      [{ _id: 1, w: [] }],
    ],
    [
      [
        {
          $facet: { page: [{ $sort: { _id: -1 } }, { $limit: 1 }, { $project: { _id: 1 } }], total: [{ $count: 'n' }] },
        },
      ],
      [{ page: [{ _id: 4 }], total: [{ n: 4 }] }],
    ],
    [
      [
        { $match: { _id: 1 } },
        { $unionWith: { coll: 'users', pipeline: [{ $match: { age: 40 } }] } },
        { $project: { _id: 1 } },
      ],
      [{ _id: 1 }, { _id: 'bob' }],
    ],
    [[{ $match: { _id: 1 } }, { $unionWith: 'users' }, { $count: 'n' }], [{ n: 3 }]],
    [[{ $limit: 1 }, { $replaceRoot: { newRoot: { was: '$_id' } } }], [{ was: 1 }]],
    [[{ $limit: 1 }, { $unset: ['tags', 'at', 'user'] }], [{ _id: 1, total: 10 }]],
    [
      [{ $limit: 1 }, { $addFields: { 'deep.a': '$total', deep: { b: 2 } } }, { $project: { deep: 1 } }],
      [{ _id: 1, deep: { a: 10, b: 2 } }],
    ],
  ])('%j gives %j', (pipeline, docs) => {
    expect(run(pipeline)).toEqual(docs);
  });

  it('runs over given documents too', () => {
    expect(run([{ $match: { a: 2 } }], [{ a: 1 }, { a: 2 }])).toEqual([{ a: 2 }]);
  });

  it('leaves the documents it read as they were', () => {
    run([{ $set: { 'tags.x': 1, total: 0 } }, { $unset: 'user' }]);
    expect(orders.byId(1)?.doc).toEqual({ _id: 1, user: 'ann', total: 10, tags: ['x', 'y'], at: new Date(1) });
  });

  it.each([
    [[{ $merge: 'x' }], 'Pipeline stage $merge is not supported by the local store'],
    [[{ $out: 'x' }], 'Pipeline stage $out is not supported by the local store'],
    [[{ $bucket: {} }], 'Pipeline stage $bucket is not supported by the local store'],
    [[{ $geoNear: {} }], 'Pipeline stage $geoNear is not supported by the local store'],
    [[{ $match: {}, $sort: {} }], 'exactly one field'],
    [[{}], 'exactly one field'],
    ['x', 'must be specified as an array'],
    [[{ $limit: 0 }], 'the limit must be positive'],
    [[{ $project: {} }], 'at least one field'],
    [[{ $set: 1 }], 'must be an object'],
    [[{ $group: {} }], 'must include an _id'],
    [[{ $group: { _id: 1, a: 1 } }], 'must be an accumulator object'],
    [[{ $group: { _id: 1, a: { $stdDevPop: 1 } } }], 'Accumulator $stdDevPop is not supported by the local store'],
    [[{ $unwind: 'tags' }], "prefixed with a '$'"],
    [[{ $replaceWith: '$total' }], 'must evaluate to an object'],
    [[{ $lookup: { from: 'x' } }], "must specify 'as'"],
    [[{ $lookup: { as: 'x' } }], "must specify 'from'"],
  ])('%j is refused: %s', (pipeline, message) => {
    expect(() => run(pipeline)).toThrow(message);
  });
});
