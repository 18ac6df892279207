import { Long } from 'bson';
import { CommandError } from '../errors.ts';
import { calculate } from '../numbers.ts';
import { compare } from '../order.ts';
import { isNumeric, num, typeName, type Value } from '../values.ts';
import type { Operator } from './types.ts';

const refuse = (name: string, value: Value): never => {
  throw new CommandError('TypeMismatch', `${name} only supports numeric types, not ${typeName(value)}`);
};

/** Null if an operand is missing or null, otherwise the result of `run`. */
const numeric =
  (name: string, run: (...numbers: Value[]) => Value) =>
  (...operands: Value[]): Value => {
    if (operands.some((operand) => operand == null)) return null;
    const odd = operands.find((operand) => !isNumeric(operand));
    return odd === undefined ? run(...operands) : refuse(name, odd);
  };

function add(...operands: Value[]): Value {
  const date = operands.find((operand) => operand instanceof Date);
  const numbers = date ? operands.toSpliced(operands.indexOf(date), 1) : operands;
  const sum = numeric('$add', (...all) => all.reduce((total, each) => calculate('+', total, each), 0))(...numbers);
  return date && sum !== null ? new Date(date.getTime() + num(sum)) : sum;
}

function subtract(a: Value, b: Value): Value {
  if (a == null || b == null) return null;
  if (a instanceof Date && b instanceof Date) return Long.fromNumber(a.getTime() - b.getTime());
  if (a instanceof Date) return new Date(a.getTime() - num(b));
  return numeric('$subtract', (x, y) => calculate('+', x, calculate('*', y, -1)))(a, b);
}

function divide(a: Value, b: Value): Value {
  if (num(b) === 0) throw new CommandError('BadValue', "can't $divide by zero");
  return num(a) / num(b);
}

/** Rounds half to even on decimal digits, or truncates. */
function roundTo(value: number, places: number, halfToEven: boolean): number {
  if (!Number.isFinite(value)) return value;
  const [mantissa = '', exponent = '0'] = value.toExponential(20).split('e');
  const digits = mantissa.replace(/[-.]/g, '');
  const kept = Number(exponent) + 1 + places;
  if (kept < 0) return 0;
  let head = BigInt(`0${digits.slice(0, kept).padEnd(kept, '0')}`);
  const tail = digits.slice(kept).replace(/0+$/, '');
  if (halfToEven && (tail > '5' || (tail === '5' && head % 2n === 1n))) head++;
  return Math.sign(value) * Number(`${head}e${-places}`);
}

const rounding = (name: string, halfToEven: boolean): Operator => [
  1,
  2,
  numeric(name, (value, places = 0) => roundTo(num(value), num(places), halfToEven)),
];

/** Accumulating operators accept arguments, or a single array of them. */
const spread = (operands: Value[]): Value[] =>
  operands.length === 1 && Array.isArray(operands[0]) ? operands[0] : operands;

export const sumOf = (values: Value[]): Value =>
  values.filter(isNumeric).reduce((total, value) => calculate('+', total, value), 0);

export function averageOf(values: Value[]): number | null {
  const numbers = values.filter(isNumeric);
  return numbers.length ? num(sumOf(numbers)) / numbers.length : null;
}

const extreme =
  (direction: 1 | -1) =>
  (values: Value[]): Value => {
    const present = values.filter((value) => value != null);
    return present.length
      ? present.reduce((best, value) => (compare(value, best) * direction > 0 ? value : best))
      : null;
  };
export const greatestOf = extreme(1);
export const leastOf = extreme(-1);

const over =
  (run: (values: Value[]) => Value) =>
  (...operands: Value[]): Value =>
    run(spread(operands));

/** A missing value is less than null here, unlike in sorting. */
const order = (a: Value, b: Value): number => {
  if (a === undefined || b === undefined) return Number(a !== undefined) - Number(b !== undefined);
  return compare(a, b);
};

export const arithmetic: Record<string, Operator> = {
  $eq: [2, 2, (a, b) => order(a, b) === 0],
  $ne: [2, 2, (a, b) => order(a, b) !== 0],
  $gt: [2, 2, (a, b) => order(a, b) > 0],
  $gte: [2, 2, (a, b) => order(a, b) >= 0],
  $lt: [2, 2, (a, b) => order(a, b) < 0],
  $lte: [2, 2, (a, b) => order(a, b) <= 0],
  $cmp: [2, 2, (a, b) => Math.sign(order(a, b))],
  $add: [0, Infinity, add],
  $subtract: [2, 2, subtract],
  $multiply: [
    0,
    Infinity,
    numeric('$multiply', (...all) => all.reduce((product, each) => calculate('*', product, each), 1)),
  ],
  $divide: [2, 2, numeric('$divide', divide)],
  $mod: [2, 2, numeric('$mod', (a, b) => num(a) % num(b))],
  $pow: [2, 2, numeric('$pow', (a, b) => num(a) ** num(b))],
  $abs: [1, 1, numeric('$abs', (a) => Math.abs(num(a)))],
  $ceil: [1, 1, numeric('$ceil', (a) => Math.ceil(num(a)))],
  $floor: [1, 1, numeric('$floor', (a) => Math.floor(num(a)))],
  $round: rounding('$round', true),
  $trunc: rounding('$trunc', false),
  $sum: [0, Infinity, over(sumOf)],
  $avg: [0, Infinity, over(averageOf)],
  $max: [0, Infinity, over(greatestOf)],
  $min: [0, Infinity, over(leastOf)],
};
