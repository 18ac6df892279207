import { Binary, BSONRegExp, Decimal128, Long, MaxKey, MinKey, ObjectId, Timestamp } from 'bson';
import { describe, expect, it } from 'vitest';
import { calculate, compareNumbers } from '../../../src/dev/mongo-server/numbers.ts';
import { compare } from '../../../src/dev/mongo-server/order.ts';
import { invert, sortKey } from '../../../src/dev/mongo-server/sort-key.ts';
import { clone, decode, emptyArray, encode, isTruthy, typeName } from '../../../src/dev/mongo-server/values.ts';

/** Every value is less than the next; those in one list are equal. */
const ordered: unknown[][] = [
  [new MinKey()],
  [emptyArray],
  [null, undefined],
  [Number.NaN],
  [-Infinity],
  [Long.fromString('-9223372036854775807')],
  [Long.fromString('-9223372036854775806')],
  [-1e10],
  [-1.5],
  [-1, Long.fromNumber(-1), Decimal128.fromString('-1.0')],
  [0, -0, Long.ZERO, Decimal128.fromString('0')],
  [5e-324],
  [0.1],
  [1, Long.ONE, Decimal128.fromString('1')],
  [1.5, Decimal128.fromString('1.50')],
  [2 ** 31],
  [Long.fromString('9007199254740992')],
  [Long.fromString('9007199254740993')],
  [Long.fromString('9223372036854775806')],
  [Long.fromString('9223372036854775807')],
  [1e300],
  [Infinity],
  [''],
  ['\0'],
  ['A'],
  ['a'],
  ['a\0'],
  ['a\0b'],
  ['aa'],
  ['b'],
  ['é'],
  ['\uffff'],
  ['😀'],
  [{}],
  [{ a: 1 }],
  [{ a: 1, b: 1 }],
  [{ a: 2 }],
  [{ b: 1 }],
  [{ a: 'x' }],
  [[]],
  [[1]],
  [[1, 2]],
  [[2]],
  [new Binary(Buffer.from([1]))],
  [new Binary(Buffer.from([1]), 4)],
  [new Binary(Buffer.from([0, 0]))],
  [new ObjectId('000000000000000000000001')],
  [new ObjectId('f00000000000000000000001')],
  [false],
  [true],
  [new Date(-1)],
  [new Date(0)],
  [new Date(1)],
  [new Timestamp({ t: 1, i: 1 })],
  [new Timestamp({ t: 1, i: 2 })],
  [new BSONRegExp('a')],
  [new BSONRegExp('a', 'i')],
  [new BSONRegExp('b')],
  [new MaxKey()],
];
const steps = ordered.flatMap((values, step) => values.map((value) => ({ value, step })));
const pairs = steps.flatMap((a) => steps.map((b) => ({ a, b, order: Math.sign(a.step - b.step) })));
const byText = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

describe('the order of values', () => {
  it('is the same whichever two values are compared', () => {
    const wrong = pairs.filter(({ a, b, order }) => Math.sign(compare(a.value, b.value)) !== order);
    expect(wrong).toEqual([]);
  });

  it('is the plain order of their keys', () => {
    const wrong = pairs.filter(({ a, b, order }) => byText(sortKey(a.value), sortKey(b.value)) !== order);
    expect(wrong).toEqual([]);
  });

  it('turns round with inverted keys', () => {
    const wrong = pairs.filter(
      ({ a, b, order }) => byText(invert(sortKey(a.value)), invert(sortKey(b.value))) !== -order + 0,
    );
    expect(wrong).toEqual([]);
  });

  it('holds for keys of two values in a row, so no key is the beginning of another', () => {
    const wrong = pairs.filter(({ a, b, order }) => {
      const [x, y] = [sortKey(a.value) + sortKey(new MaxKey()), sortKey(b.value) + sortKey(new MinKey())];
      return order !== 0 && byText(x, y) !== order;
    });
    expect(wrong).toEqual([]);
  });
});

const long = (text: string): Long => Long.fromString(text);

describe('arithmetic', () => {
  it.each([
    ['+', 1, 2, 3, 'int'],
    ['+', 0.1, 0.2, 0.1 + 0.2, 'double'],
    ['+', 2147483647, 1, long('2147483648'), 'long'],
    ['+', long('9007199254740993'), 1, long('9007199254740994'), 'long'],
    ['+', long('1'), 0.5, 1.5, 'double'],
    ['*', 65536, 65536, long('4294967296'), 'long'],
    ['*', -1, 0, 0, 'int'],
    ['*', long('3'), long('4'), long('12'), 'long'],
    ['+', Decimal128.fromString('0.1'), Decimal128.fromString('0.2'), Decimal128.fromString('0.3'), 'decimal'],
    ['*', Decimal128.fromString('1.5'), 2, Decimal128.fromString('3.0'), 'decimal'],
    ['+', Decimal128.fromString('Infinity'), 1, Decimal128.fromString('Infinity'), 'decimal'],
  ] as const)('gives for %s of %s and %s the value %s, a %s', (operation, a, b, result, type) => {
    const got = calculate(operation, a, b);
    expect(compareNumbers(got, result)).toBe(0);
    expect(typeName(got)).toBe(type);
  });

  it('refuses a long that overflows', () => {
    expect(() => calculate('+', Long.MAX_VALUE, 1)).toThrow(RangeError);
  });
});

describe('documents', () => {
  it('keep the types of their values through encoding and decoding', () => {
    const doc = {
      a: Long.fromNumber(5),
      b: 1,
      c: new Date(3),
      d: new Binary(Buffer.from('x')),
      e: new BSONRegExp('x', 'i'),
    };
    expect(Object.values(decode(encode(doc))).map(typeName)).toEqual(['long', 'int', 'date', 'binData', 'regex']);
  });

  it('are copied with their containers, and a key named __proto__ stays a key', () => {
    const doc = JSON.parse('{"a":{"__proto__":{"x":1}},"list":[{"b":1}]}');
    const copy = clone(doc);
    copy.list[0].b = 2;
    expect(JSON.stringify(copy)).toBe('{"a":{"__proto__":{"x":1}},"list":[{"b":2}]}');
    expect(doc.list[0].b).toBe(1);
  });

  it.each([
    [undefined, 'missing'],
    [null, 'null'],
    [1, 'int'],
    [-0, 'double'],
    [2 ** 31, 'double'],
    ['', 'string'],
    [{}, 'object'],
    [[], 'array'],
    [new MinKey(), 'minKey'],
    [new MaxKey(), 'maxKey'],
    [new Timestamp({ t: 1, i: 1 }), 'timestamp'],
  ])('know %j as %s', (value, name) => {
    expect(typeName(value)).toBe(name);
  });

  it('count false, null, missing and zero as untrue', () => {
    expect([false, null, undefined, 0, Long.ZERO].some(isTruthy)).toBe(false);
    expect([true, 1, '', [], {}].every(isTruthy)).toBe(true);
  });
});
