import { Decimal128, Long } from 'bson';
import { isLong, num, type Value } from './values.ts';

interface Decimal {
  digits: bigint;
  exponent: number;
}

/** The exact decimal digits of a number; undefined for NaN and infinities. */
function decimalOf(value: Value): Decimal | undefined {
  const match = /^([+-]?)(\d+)(?:\.(\d*))?(?:E([+-]?\d+))?$/i.exec(String(value));
  if (!match) return undefined;
  const [, sign = '', whole = '0', fraction = '', exponent = '0'] = match;
  return { digits: BigInt(sign + whole + fraction), exponent: Number(exponent) - fraction.length };
}
const scaled = (value: Decimal, exponent: number): bigint => value.digits * 10n ** BigInt(value.exponent - exponent);

function compareDoubles(a: number, b: number): number {
  if (a < b) return -1;
  if (a > b) return 1;
  if (a === b) return 0;
  if (!Number.isNaN(a)) return 1;
  return Number.isNaN(b) ? 0 : -1;
}

export function compareNumbers(a: Value, b: Value): number {
  if (typeof a === 'number' && typeof b === 'number') return compareDoubles(a, b);
  const [x, y] = [num(a), num(b)];
  if (x !== y || !Number.isFinite(x)) return compareDoubles(x, y);
  const [p, q] = [decimalOf(a), decimalOf(b)];
  if (!p || !q) return 0;
  const exponent = Math.min(p.exponent, q.exponent);
  const [s, t] = [scaled(p, exponent), scaled(q, exponent)];
  return s < t ? -1 : s > t ? 1 : 0;
}

type Operation = '+' | '*';

function decimalResult(operation: Operation, a: Value, b: Value): Decimal128 {
  const [p, q] = [decimalOf(a), decimalOf(b)];
  if (!p || !q) return Decimal128.fromString(String(operation === '+' ? num(a) + num(b) : num(a) * num(b)));
  if (operation === '*') return Decimal128.fromString(`${p.digits * q.digits}E${p.exponent + q.exponent}`);
  const exponent = Math.min(p.exponent, q.exponent);
  return Decimal128.fromString(`${scaled(p, exponent) + scaled(q, exponent)}E${exponent}`);
}

const isSmall = (value: number): boolean => value === (value | 0);

/** Adds or multiplies: the widest operand type wins, and an int32 that overflows becomes a long. */
export function calculate(operation: Operation, a: Value, b: Value): Value {
  if (a instanceof Decimal128 || b instanceof Decimal128) return decimalResult(operation, a, b);
  const [x, y] = [num(a), num(b)];
  if ((isLong(a) || isLong(b)) && Number.isInteger(x) && Number.isInteger(y)) {
    const [p, q] = [BigInt(String(isLong(a) ? a : x)), BigInt(String(isLong(b) ? b : y))];
    const exact = operation === '+' ? p + q : p * q;
    if (exact !== BigInt.asIntN(64, exact)) throw new RangeError('integer overflow');
    return Long.fromBigInt(exact);
  }
  const result = operation === '+' ? x + y : x * y;
  if (!isSmall(x) || !isSmall(y)) return result;
  // Adding zero turns the negative zero of a product of integers into zero.
  return isSmall(result) || !Number.isSafeInteger(result) ? result + 0 : Long.fromNumber(result);
}
