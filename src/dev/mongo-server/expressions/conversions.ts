import { Decimal128, Long, ObjectId } from 'bson';
import { CommandError } from '../errors.ts';
import { isNumeric, num, typeName, type Doc, type Value } from '../values.ts';
import type { Operator } from './types.ts';

const fail = (value: Value, type: string): never => {
  throw new CommandError(
    'ConversionFailure',
    `Failed to convert ${typeName(value)} '${String(value)}' to ${type} with no onError value`,
  );
};

function toNumber(value: Value, type: string): number {
  if (typeof value === 'boolean') return Number(value);
  if (isNumeric(value)) return num(value);
  if (value instanceof Date) return value.getTime();
  return typeof value === 'string' && value.trim() !== '' && !Number.isNaN(Number(value))
    ? Number(value)
    : fail(value, type);
}

function toText(value: Value): string {
  if (value instanceof Date) return value.toISOString();
  return typeof value === 'object' && !(value instanceof ObjectId) && !isNumeric(value)
    ? fail(value, 'string')
    : String(value);
}

function toDate(value: Value): Date {
  if (value instanceof ObjectId) return value.getTimestamp();
  const date = new Date(isNumeric(value) ? num(value) : value);
  return Number.isNaN(date.getTime()) || typeof value === 'boolean' ? fail(value, 'date') : date;
}

function toObjectId(value: Value): ObjectId {
  if (value instanceof ObjectId) return value;
  return typeof value === 'string' && /^[0-9a-f]{24}$/i.test(value) ? new ObjectId(value) : fail(value, 'objectId');
}

const converters: Record<string, (value: Value) => Value> = {
  int: (value) => Math.trunc(toNumber(value, 'int')),
  long: (value) => (value instanceof Long ? value : Long.fromNumber(Math.trunc(toNumber(value, 'long')))),
  double: (value) => toNumber(value, 'double'),
  decimal: (value) => Decimal128.fromString(String(typeof value === 'boolean' ? Number(value) : value)),
  string: toText,
  bool: (value) => (isNumeric(value) ? num(value) !== 0 : value !== false),
  date: toDate,
  objectId: toObjectId,
};

function convert({ input, to, onError, onNull }: Doc): Value {
  if (input == null) return onNull ?? null;
  const converter = converters[String(to)];
  if (!converter) throw new CommandError('BadValue', `$convert to '${String(to)}' is not supported by the local store`);
  try {
    return converter(input);
  } catch (error) {
    if (onError === undefined) throw error;
    return onError;
  }
}

const converting = (to: string): Operator => [1, 1, (input) => convert({ input, to })];

export const conversions: Record<string, Operator> = {
  $type: [1, 1, typeName],
  $isNumber: [1, 1, isNumeric],
  $toInt: converting('int'),
  $toLong: converting('long'),
  $toDouble: converting('double'),
  $toDecimal: converting('decimal'),
  $toString: converting('string'),
  $toBool: converting('bool'),
  $toDate: converting('date'),
  $toObjectId: converting('objectId'),
  $convert: [1, 1, convert],
};
