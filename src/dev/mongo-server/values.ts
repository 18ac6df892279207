import { Binary, BSON, BSONRegExp, Decimal128, Long, MaxKey, MinKey, ObjectId, Timestamp } from 'bson';

/** Any BSON value as decoded; `undefined` stands for a missing field. */
// oxlint-disable-next-line typescript/no-explicit-any -- a document may hold anything, and every operator looks for itself
export type Value = any;
export type Doc = Record<string, Value>;

const reading = { promoteLongs: false, promoteBuffers: false, bsonRegExp: true, validation: { utf8: false } } as const;
export const decode = (raw: Uint8Array): Doc => BSON.deserialize(raw, reading);
export const encode = (doc: Doc): Uint8Array => BSON.serialize(doc, { ignoreUndefined: true });

export const isPlain = (value: unknown): value is Doc => {
  if (typeof value !== 'object' || value === null) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
};
export const isLong = (value: unknown): value is Long => value instanceof Long && !(value instanceof Timestamp);
export const isNumeric = (value: unknown): boolean =>
  typeof value === 'number' || isLong(value) || value instanceof Decimal128;
export const own = (object: Value, key: string): Value => (Object.hasOwn(object, key) ? object[key] : undefined);

/** A numeric argument, which may be a Long or Decimal128. */
export const num = (value: Value): number =>
  typeof value === 'number' ? value : value == null ? 0 : Number(value.toString());

export const setOwn = (target: Doc, key: string, value: unknown): void => {
  if (key !== '__proto__') target[key] = value;
  else Object.defineProperty(target, key, { value, writable: true, enumerable: true, configurable: true });
};

/** Copies containers; leaves are shared because they are immutable. */
export function clone(value: Value): Value {
  if (Array.isArray(value)) return value.map(clone);
  if (!isPlain(value)) return value;
  const copy: Doc = {};
  for (const key of Object.keys(value)) setOwn(copy, key, clone(value[key]));
  return copy;
}

export const isOperatorDoc = (value: Value): value is Doc =>
  isPlain(value) && Object.keys(value)[0]?.startsWith('$') === true;

/** Truthiness in expressions. */
export const isTruthy = (value: Value): boolean =>
  !(value === false || value == null || (isNumeric(value) && num(value) === 0));

export const show = (value: Value): string => JSON.stringify(value) ?? 'undefined';

/** Sort and index value of an empty array: it orders before null. */
export const emptyArray = Symbol('empty array');

/** BSON type classes in order: values of different classes order by class. */
export const rank = {
  minKey: 1,
  emptyArray: 6,
  null: 10,
  number: 30,
  string: 60,
  object: 70,
  array: 80,
  binary: 90,
  objectId: 100,
  boolean: 110,
  date: 120,
  timestamp: 130,
  regex: 140,
  maxKey: 240,
} as const;

export function rankOf(value: Value): number {
  if (typeof value === 'number') return rank.number;
  if (typeof value === 'string') return rank.string;
  if (typeof value === 'boolean') return rank.boolean;
  if (value == null) return rank.null;
  if (Array.isArray(value)) return rank.array;
  if (value instanceof ObjectId) return rank.objectId;
  if (value instanceof Date) return rank.date;
  if (value instanceof Timestamp) return rank.timestamp;
  if (value instanceof Long || value instanceof Decimal128) return rank.number;
  if (value instanceof Binary) return rank.binary;
  if (value instanceof BSONRegExp) return rank.regex;
  if (value instanceof MinKey) return rank.minKey;
  if (value instanceof MaxKey) return rank.maxKey;
  return value === emptyArray ? rank.emptyArray : rank.object;
}

/** `$type` codes by name. */
export const typeCodes: Record<string, number> = {
  double: 1,
  string: 2,
  object: 3,
  array: 4,
  binData: 5,
  undefined: 6,
  objectId: 7,
  bool: 8,
  date: 9,
  null: 10,
  regex: 11,
  int: 16,
  timestamp: 17,
  long: 18,
  decimal: 19,
  minKey: -1,
  maxKey: 127,
};
const namesByRank: Record<number, string> = {
  [rank.string]: 'string',
  [rank.object]: 'object',
  [rank.array]: 'array',
  [rank.binary]: 'binData',
  [rank.objectId]: 'objectId',
  [rank.boolean]: 'bool',
  [rank.date]: 'date',
  [rank.null]: 'null',
  [rank.regex]: 'regex',
  [rank.timestamp]: 'timestamp',
  [rank.minKey]: 'minKey',
  [rank.maxKey]: 'maxKey',
};

/** The `$type` name of a value. */
export function typeName(value: Value): string {
  if (value === undefined) return 'missing';
  if (typeof value === 'number') return value === (value | 0) && !Object.is(value, -0) ? 'int' : 'double';
  if (isLong(value)) return 'long';
  if (value instanceof Decimal128) return 'decimal';
  return namesByRank[rankOf(value)] ?? 'object';
}
