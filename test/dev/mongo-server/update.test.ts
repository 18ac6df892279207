import { Long, ObjectId, Timestamp } from 'bson';
import { describe, expect, it } from 'vitest';
import { compileMatch } from '../../../src/dev/mongo-server/match.ts';
import { compileUpdate, withId } from '../../../src/dev/mongo-server/update.ts';

type Doc = Record<string, unknown>;
interface Options {
  filter?: Doc;
  arrayFilters?: Doc[];
}
function apply(update: Doc | Doc[], before: Doc, { filter = {}, arrayFilters }: Options = {}): Doc {
  const positions = new Map<string, number>();
  compileMatch(filter)(before, positions);
  const options = { filter, variables: {}, ...(arrayFilters && { arrayFilters }) };
  return compileUpdate(update, options).apply(before, positions);
}
const seed = (update: Doc | Doc[], filter: Doc): Doc => compileUpdate(update, { filter, variables: {} }).seed();

type Row = [update: Doc | Doc[], before: Doc, after: Doc, options?: Options];
const rows: Row[] = [
  [{ $set: { a: 1, 'b.c': 2 } }, {}, { a: 1, b: { c: 2 } }],
  [{ $set: { 'a.2': 9 } }, { a: [1] }, { a: [1, null, 9] }],
  [{ $set: { 'a.b': 9 } }, { a: { c: 1 } }, { a: { c: 1, b: 9 } }],
  [{ $set: { b: 1, a: 2 } }, {}, { a: 2, b: 1 }],
  [{ $unset: { a: '', 'b.c': '', 'd.0': '' } }, { a: 1, b: { c: 1 }, d: [1, 2] }, { b: {}, d: [null, 2] }],
  [{ $unset: { 'a.b.c': '' } }, { a: 1 }, { a: 1 }],
  [{ $inc: { a: 2, b: 3 } }, { a: 1 }, { a: 3, b: 3 }],
  [{ $inc: { a: 1 } }, { a: Long.fromNumber(1) }, { a: Long.fromNumber(2) }],
  [{ $mul: { a: 2, b: 3 } }, { a: 3 }, { a: 6, b: 0 }],
  [{ $min: { a: 1, b: 1, c: 5 } }, { a: 2, b: 0 }, { a: 1, b: 0, c: 5 }],
  [{ $max: { a: 1, b: 1, c: 5 } }, { a: 2, b: 0 }, { a: 2, b: 1, c: 5 }],
  [{ $push: { a: 1 } }, {}, { a: [1] }],
  [{ $push: { a: [2] } }, { a: [1] }, { a: [1, [2]] }],
  [{ $push: { a: { $each: [3, 1], $sort: 1, $slice: 2 } } }, { a: [2] }, { a: [1, 2] }],
  [{ $push: { a: { $each: [9], $position: 0, $slice: -2 } } }, { a: [1, 2] }, { a: [1, 2] }],
  [
    { $push: { a: { $each: [{ n: 2 }], $sort: { n: -1 } } } },
    { a: [{ n: 1 }, { n: 3 }] },
    { a: [{ n: 3 }, { n: 2 }, { n: 1 }] },
  ],
  [{ $addToSet: { a: 1 } }, { a: [1] }, { a: [1] }],
  [{ $addToSet: { a: { $each: [1, 2, 2] } } }, { a: [1] }, { a: [1, 2] }],
  [{ $addToSet: { a: { x: 1 } } }, { a: [{ x: 1 }] }, { a: [{ x: 1 }] }],
  [{ $pop: { a: 1, b: -1 } }, { a: [1, 2], b: [1, 2] }, { a: [1], b: [2] }],
  [{ $pull: { a: 1 } }, { a: [1, 2, 1] }, { a: [2] }],
  [{ $pull: { a: { $gte: 2 } } }, { a: [1, 2, 3] }, { a: [1] }],
  [{ $pull: { a: { x: 1 } } }, { a: [{ x: 1, y: 2 }, { x: 2 }, 1] }, { a: [{ x: 2 }, 1] }],
  [{ $pull: { a: { x: { $in: [1, 2] } } } }, { a: [{ x: 1 }, { x: 3 }] }, { a: [{ x: 3 }] }],
  [{ $pull: { a: 1 } }, {}, {}],
  [{ $pullAll: { a: [1, 2] } }, { a: [1, 2, 3] }, { a: [3] }],
  [{ $rename: { a: 'b.c', x: 'y' } }, { a: 1 }, { b: { c: 1 } }],
  [{ $rename: { 'a.b': 'c' } }, { a: [] }, { a: [] }],
  [{ $bit: { a: { and: 6, or: 8 } } }, { a: 7 }, { a: 14 }],
  [{ $bit: { a: { xor: 1 } } }, { a: Long.fromNumber(3) }, { a: Long.fromNumber(2) }],
  [{ $setOnInsert: { a: 1 }, $set: { b: 1 } }, {}, { b: 1 }],
  [{ a: 1 }, { _id: 1, b: 2 }, { _id: 1, a: 1 }],
  [{ $set: { 'a.$': 9 } }, { a: [1, 2] }, { a: [1, 9] }, { filter: { a: 2 } }],
  [{ $set: { 'a.$.n': 9 } }, { a: [{ k: 1 }, { k: 2 }] }, { a: [{ k: 1 }, { k: 2, n: 9 }] }, { filter: { 'a.k': 2 } }],
  [
    { $inc: { 'a.$.n': 1 } },
    { a: [{ n: 1 }, { n: 2 }] },
    { a: [{ n: 1 }, { n: 3 }] },
    { filter: { a: { $elemMatch: { n: 2 } } } },
  ],
  [{ $inc: { 'a.$[]': 1 } }, { a: [1, 2] }, { a: [2, 3] }],
  [
    { $set: { 'a.$[e].n': 0 } },
    { a: [{ k: 1 }, { k: 2 }] },
    { a: [{ k: 1 }, { k: 2, n: 0 }] },
    { arrayFilters: [{ 'e.k': 2 }] },
  ],
  [{ $set: { 'a.$[e]': 0 } }, { a: [1, 5] }, { a: [1, 0] }, { arrayFilters: [{ e: { $gt: 2 } }] }],
  [
    { $set: { 'a.$[].b.$[e]': 0 } },
    { a: [{ b: [1, 2] }, { b: [2] }] },
    { a: [{ b: [1, 0] }, { b: [0] }] },
    { arrayFilters: [{ e: 2 }] },
  ],
  [[{ $set: { n: { $add: ['$n', 1] } } }, { $unset: 'x' }], { n: 1, x: 1 }, { n: 2 }],
  [[{ $set: { n: { $cond: [{ $gte: ['$n', 3] }, 0, { $add: [{ $ifNull: ['$n', 0] }, 1] }] } } }], {}, { n: 1 }],
  [[{ $replaceWith: { _id: '$_id', all: '$$ROOT' } }], { _id: 1, a: 2 }, { _id: 1, all: { _id: 1, a: 2 } }],
  [[{ $set: { 'a.b': '$c' } }], { a: { x: 1 }, c: 2 }, { a: { x: 1, b: 2 }, c: 2 }],
];

describe('an update', () => {
  it.each(rows)('%j changes %j into %j', (update, before, after, options) => {
    const copy = JSON.stringify(before);
    expect(apply(update, before, options)).toEqual(after);
    expect(JSON.stringify(before)).toBe(copy);
  });

  it('sets the present date or a timestamp', () => {
    const after = apply({ $currentDate: { a: true, b: { $type: 'timestamp' } } }, {});
    expect(after.a).toBeInstanceOf(Date);
    expect(after.b).toBeInstanceOf(Timestamp);
  });

  it.each([
    [{ $set: { a: 1 }, $inc: { a: 1 } }, {}, "Updating the path 'a' would create a conflict"],
    [{ $set: { a: 1, 'a.b': 1 } }, {}, "conflict at 'a'"],
    [{ $set: { a: 1 }, $rename: { b: 'a' } }, {}, 'conflict'],
    [{ $set: { _id: 2 } }, { _id: 1 }, 'immutable'],
    [{ _id: 2 }, { _id: 1 }, 'immutable'],
    [{ $set: { 'a.b': 1 } }, { a: 1 }, "Cannot create field 'b'"],
    [{ $set: { 'a.b': 1 } }, { a: [1] }, "Cannot create field 'b'"],
    [{ $set: { 'a..b': 1 } }, {}, 'empty field name'],
    [{ $set: { $a: 1 } }, {}, 'dollar'],
    [{ $set: 1 }, {}, 'Modifiers operate on fields'],
    [{ $odd: { a: 1 } }, {}, 'Unknown modifier: $odd'],
    [{ $set: { a: 1 }, b: 1 }, {}, 'Unknown modifier: b'],
    [{ $inc: { a: 1 } }, { a: 'x' }, 'non-numeric'],
    [{ $inc: { a: 'x' } }, { a: 1 }, 'non-numeric'],
    [{ $inc: { a: 1 } }, { a: Long.MAX_VALUE }, 'Failed to apply $inc'],
    [{ $push: { a: 1 } }, { a: 1 }, 'must be an array'],
    [{ $push: { a: { $each: 1 } } }, {}, '$each'],
    [{ $push: { a: { $each: [], $odd: 1 } } }, {}, 'Unrecognized clause'],
    [{ $addToSet: { a: 1 } }, { a: 1 }, 'must be an array'],
    [{ $pull: { a: 1 } }, { a: 1 }, 'non-array'],
    [{ $pull: { 'a.b': 1 } }, { a: 1 }, "Cannot create field 'b'"],
    [{ $pop: { a: 2 } }, { a: [] }, '$pop expects 1 or -1'],
    [{ $rename: { a: 'b.c' } }, { a: 1, b: [] }, 'cannot be array elements'],
    [{ $bit: { a: { nand: 1 } } }, { a: 1 }, "not 'nand'"],
    [{ $bit: { a: { and: 1 } } }, { a: 1.5 }, 'non-integral'],
    [{ $set: { 'a.$': 1 } }, { a: [1] }, 'positional operator'],
    [{ $set: { 'a.$[]': 1 } }, {}, 'must exist'],
    [{ $set: { 'a.$[]': 1 } }, { a: 1 }, 'non-array element'],
    [{ $set: { 'a.$[e]': 1 } }, { a: [] }, "No array filter found for identifier 'e'"],
    [{ $set: { 'a.2000000': 1 } }, { a: [] }, 'too large'],
    [[{ $match: {} }], {}, '$match is not allowed to be used within an update'],
  ])('%j over %j is refused: %s', (update, before, message) => {
    expect(() => apply(update, before)).toThrow(message);
  });

  it('refuses array filters that are unused, doubled or misnamed', () => {
    expect(() => apply({ $set: { a: 1 } }, {}, { arrayFilters: [{ e: 1 }] })).toThrow('was not used');
    expect(() => apply({ $set: { 'a.$[e]': 1 } }, {}, { arrayFilters: [{ e: 1 }, { 'e.x': 1 }] })).toThrow('multiple');
    expect(() => apply({ $set: { 'a.$[e]': 1 } }, {}, { arrayFilters: [{ E: 1 }] })).toThrow('not a valid identifier');
    expect(() => apply({ a: 1 }, {}, { arrayFilters: [{ e: 1 }] })).toThrow('replacement');
  });
});

describe('an upsert', () => {
  it.each([
    [{ $set: { b: 1 } }, { a: 1 }, { a: 1, b: 1 }],
    [{ $setOnInsert: { b: 1 } }, { a: { $eq: 1 }, c: { $gt: 3 } }, { a: 1, b: 1 }],
    [{ $set: { b: 1 } }, { $and: [{ a: 1 }, { 'c.d': 2 }], e: { $in: [5] } }, { a: 1, b: 1, c: { d: 2 }, e: 5 }],
    [{ $inc: { n: 1 } }, { $or: [{ a: 1 }] }, { a: 1, n: 1 }],
    [{ x: 1 }, { _id: 7, a: 1 }, { _id: 7, x: 1 }],
    [[{ $set: { b: { $ifNull: ['$b', 'new'] } } }], { a: 1 }, { a: 1, b: 'new' }],
  ])('%j begins from what the filter %j fixes', (update, filter, doc) => {
    expect(seed(update, filter)).toEqual(doc);
  });

  it('gets an _id in the first place', () => {
    expect(Object.keys(withId({ a: 1 }))).toEqual(['_id', 'a']);
    expect(withId({ a: 1 })._id).toBeInstanceOf(ObjectId);
    expect(Object.entries(withId({ a: 1, _id: 5 }))).toEqual([
      ['_id', 5],
      ['a', 1],
    ]);
  });
});
