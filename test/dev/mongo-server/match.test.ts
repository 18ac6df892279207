import { Binary, BSONRegExp, Long, MaxKey, MinKey, ObjectId } from 'bson';
import { describe, expect, it } from 'vitest';
import { compileMatch } from '../../../src/dev/mongo-server/match.ts';
import { toRegExp } from '../../../src/dev/mongo-server/regex.ts';

type Doc = Record<string, unknown>;
type Row = [filter: Doc, yes: Doc[], no: Doc[]];
const regex = (pattern: string, options = ''): BSONRegExp => new BSONRegExp(pattern, options);
const id = new ObjectId();

const rows: Row[] = [
  [{}, [{}, { a: 1 }], []],
  [{ a: 1 }, [{ a: 1 }, { a: [1, 2] }, { a: Long.ONE }], [{ a: 2 }, {}, { a: '1' }, { a: [[1]] }]],
  [{ a: null }, [{}, { a: null }, { a: [null] }], [{ a: 0 }, { a: [] }]],
  [{ a: 'x' }, [{ a: 'x' }, { a: ['x'] }], [{ a: 'X' }]],
  [{ a: [1, 2] }, [{ a: [1, 2] }, { a: [[1, 2]] }], [{ a: [2, 1] }, { a: 1 }]],
  [{ a: { b: 1 } }, [{ a: { b: 1 } }], [{ a: { b: 1, c: 1 } }]],
  [{ a: {} }, [{ a: {} }], [{ a: { b: 1 } }]],
  [{ a: id }, [{ a: new ObjectId(id.toHexString()) }], [{ a: id.toHexString() }]],
  [{ 'a.b': 1 }, [{ a: { b: 1 } }, { a: [{ b: 1 }] }, { a: { b: [1] } }], [{ a: 1 }, {}]],
  [{ 'a.0': 1 }, [{ a: [1] }, { a: { 0: 1 } }, { a: [{ 0: 1 }] }], [{ a: [2, 1] }]],
  [{ 'a.0.b': 1 }, [{ a: [{ b: 1 }] }], [{ a: [{ b: 2 }, { b: 1 }] }]],
  [{ 'a.b': null }, [{}, { a: 1 }, { a: {} }, { a: [{}] }], [{ a: { b: 1 } }, { a: [] }, { a: [1] }]],
  [{ a: { $eq: 1 } }, [{ a: 1 }], [{ a: 2 }]],
  [{ a: { $eq: regex('x') } }, [{ a: regex('x') }], [{ a: 'x' }]],
  [{ a: { $ne: 1 } }, [{ a: 2 }, {}], [{ a: 1 }, { a: [1, 2] }]],
  [
    { a: { $gt: 1 } },
    [{ a: 2 }, { a: [0, 2] }, { a: Long.fromNumber(2) }],
    [{ a: 1 }, { a: '2' }, {}, { a: Number.NaN }],
  ],
  [{ a: { $gte: 1, $lt: 3 } }, [{ a: 1 }, { a: [0, 5] }], [{ a: 3 }]],
  [{ a: { $lte: Number.NaN } }, [{ a: Number.NaN }], [{ a: 1 }]],
  [{ a: { $gte: null } }, [{ a: null }, {}], [{ a: 1 }]],
  [{ a: { $gt: new MinKey() } }, [{ a: 1 }, { a: null }], [{}]],
  [{ a: { $lt: new MaxKey() } }, [{ a: 1 }], [{}]],
  [{ a: { $lt: new Date(5) } }, [{ a: new Date(4) }], [{ a: 4 }, { a: new Date(5) }]],
  [{ a: { $in: [1, null, regex('^x')] } }, [{ a: 1 }, {}, { a: 'xy' }, { a: [3, 1] }], [{ a: 'y' }, { a: 2 }]],
  [{ a: { $in: [] } }, [], [{}, { a: 1 }]],
  [{ a: { $nin: [1, 2] } }, [{ a: 3 }, {}], [{ a: 1 }, { a: [3, 2] }]],
  [{ a: { $exists: true } }, [{ a: null }, { a: 1 }], [{}]],
  [{ a: { $exists: false } }, [{}], [{ a: null }]],
  [{ a: { $type: 'string' } }, [{ a: 'x' }, { a: ['x'] }], [{ a: 1 }, {}]],
  [{ a: { $type: ['int', 10] } }, [{ a: 1 }, { a: null }], [{ a: 1.5 }]],
  [{ a: { $type: 'number' } }, [{ a: 1.5 }, { a: Long.ONE }], [{ a: '1' }]],
  [{ a: { $size: 2 } }, [{ a: [1, 2] }], [{ a: [1] }, { a: 1 }, {}]],
  [{ a: { $mod: [4, 1] } }, [{ a: 5 }, { a: [2, 9] }], [{ a: 4 }, { a: 'x' }]],
  [{ a: { $all: [1, 2] } }, [{ a: [2, 1, 3] }], [{ a: [1] }, { a: 1 }]],
  [{ a: { $all: [1] } }, [{ a: 1 }, { a: [1] }], [{}]],
  [{ a: { $all: [] } }, [], [{}, { a: [] }]],
  [
    { a: { $all: [{ $elemMatch: { b: 1 } }, { $elemMatch: { c: 1 } }] } },
    [{ a: [{ b: 1 }, { c: 1 }] }],
    [{ a: [{ b: 1 }] }],
  ],
  [
    { a: { $elemMatch: { b: 1, c: 2 } } },
    [{ a: [{ b: 1, c: 2 }] }],
    [{ a: [{ b: 1 }, { c: 2 }] }, { a: { b: 1, c: 2 } }],
  ],
  [{ a: { $elemMatch: { x: null } } }, [{ a: [[5]] }, { a: [{}] }], [{ a: [5] }, { a: [{ x: 1 }] }]],
  [{ a: { $elemMatch: { 0: 5 } } }, [{ a: [[5]] }], [{ a: [5] }]],
  [{ a: { $elemMatch: { $eq: null } } }, [{ a: [null] }], [{ a: [{ x: 1 }, 1] }, { a: null }]],
  [{ a: { $elemMatch: { $ne: 1 } } }, [{ a: [1, { 0: 1 }] }], [{ a: [1] }]],
  [{ a: { $elemMatch: { $elemMatch: { $gt: 1 } } } }, [{ a: [[0, 2]] }], [{ a: [0, 2] }]],
  [{ a: { $elemMatch: { $gt: 1, $lt: 3 } } }, [{ a: [0, 2] }], [{ a: [0, 5] }, { a: 2 }]],
  [{ a: { $elemMatch: { $or: [{ b: 1 }, { b: 2 }] } } }, [{ a: [{ b: 2 }] }], [{ a: [{ b: 3 }] }]],
  [{ a: { $not: { $gt: 1 } } }, [{ a: 1 }, {}], [{ a: 2 }, { a: [1, 2] }]],
  [{ a: { $not: regex('x') } }, [{ a: 'y' }, {}], [{ a: 'x' }]],
  [{ a: regex('b', 'i') }, [{ a: 'aBc' }, { a: ['q', 'b'] }, { a: regex('b', 'i') }], [{ a: 'x' }, { a: 1 }]],
  [{ a: { $regex: '^b.c$', $options: 's' } }, [{ a: 'b\nc' }], [{ a: 'abc' }]],
  [{ a: { $bitsAllSet: 5 } }, [{ a: 7 }], [{ a: 4 }, { a: 1.5 }]],
  [{ a: { $bitsAnySet: [0, 2] } }, [{ a: 4 }], [{ a: 2 }]],
  [{ a: { $bitsAllClear: new Binary(Buffer.from([2])) } }, [{ a: 5 }], [{ a: 2 }]],
  [{ a: { $bitsAnyClear: 3 } }, [{ a: 1 }], [{ a: 3 }]],
  [{ $and: [{ a: 1 }, { b: 2 }] }, [{ a: 1, b: 2 }], [{ a: 1 }]],
  [{ $or: [{ a: 1 }, { b: 2 }] }, [{ b: 2 }], [{ a: 2 }]],
  [{ $nor: [{ a: 1 }, { b: 2 }] }, [{}], [{ a: 1 }]],
  [{ $expr: { $gt: ['$a', '$b'] } }, [{ a: 2, b: 1 }], [{ a: 1, b: 2 }]],
  [{ $comment: 'why', a: { $gt: 0, $comment: 'because' } }, [{ a: 1 }], [{ a: 0 }]],
];

describe('a filter', () => {
  it.each(rows)('%j distinguishes documents', (filter, yes, no) => {
    const test = compileMatch(filter);
    expect(yes.filter((doc) => !test(doc))).toEqual([]);
    expect(no.filter((doc) => test(doc))).toEqual([]);
  });

  it('notes which elements of arrays it matched', () => {
    const positions = new Map<string, number>();
    compileMatch({ a: 2, 'b.c': { $gt: 1 }, d: { $elemMatch: { x: 1 } } })(
      { a: [1, 2], b: [{ c: 1 }, { c: 2 }], d: [{ x: 0 }, { x: 1 }] },
      positions,
    );
    expect([...positions]).toEqual([
      ['a', 1],
      ['b', 1],
      ['d', 1],
    ]);
  });

  it.each([
    [{ a: { $near: [1, 2] } }, '$near is not supported by the local store'],
    [{ $text: { $search: 'x' } }, '$text is not supported by the local store'],
    [{ $where: 'true' }, '$where is not supported by the local store'],
    [{ a: { $odd: 1 } }, '$odd is not supported by the local store'],
    [{ $and: [] }, '$and must be a nonempty array'],
    [{ $or: [1] }, 'must be objects'],
    [{ a: { $in: 1 } }, '$in needs an array'],
    [{ a: { $in: [{ $gt: 1 }] } }, 'cannot nest $'],
    [{ a: { $nin: 1 } }, '$nin needs an array'],
    [{ a: { $all: 1 } }, '$all needs an array'],
    [{ a: { $not: 1 } }, '$not needs'],
    [{ a: { $not: {} } }, '$not cannot be empty'],
    [{ a: { $elemMatch: 1 } }, '$elemMatch needs an Object'],
    [{ a: { $type: 'nonsense' } }, 'Unknown type name'],
    [{ a: { $size: -1 } }, 'may not be negative'],
    [{ a: { $size: 1.5 } }, 'Expected an integer'],
    [{ a: { $mod: [0, 1] } }, 'divisor cannot be 0'],
    [{ a: { $mod: [1] } }, 'malformed mod'],
    [{ a: { $gt: regex('x') } }, 'RegEx'],
    [{ a: { $ne: regex('x') } }, 'regex'],
    [{ a: { $options: 'i' } }, '$options needs a $regex'],
    [{ a: regex('(') }, 'Regular expression is invalid'],
    [{ a: { $regex: 'x', $options: 'q' } }, 'invalid flag'],
  ])('%j is refused: %s', (filter, message) => {
    expect(() => compileMatch(filter)).toThrow(message);
  });
});

describe('a pattern', () => {
  it('may carry inline flags, comments and white space', () => {
    expect(toRegExp('(?i)abc').test('ABC')).toBe(true);
    expect(toRegExp(regex('a b # comment\n[ c]', 'x')).test('ab ')).toBe(true);
    expect(toRegExp('\\-x').test('-x')).toBe(true);
  });
});
