import { CommandError } from '../errors.ts';
import { toRegExp } from '../regex.ts';
import { num, typeName, type Doc, type Value } from '../values.ts';
import type { Operator } from './types.ts';

const textFor = (name: string, value: Value): string => {
  if (typeof value === 'string') return value;
  throw new CommandError('TypeMismatch', `${name} requires a string argument, found: ${typeName(value)}`);
};
const points = (text: string): string[] => Array.from(text);
const shown = (value: Value): string =>
  value == null ? '' : value instanceof Date ? value.toISOString() : String(value);

function concat(...parts: Value[]): string | null {
  return parts.some((part) => part == null) ? null : parts.map((part) => textFor('$concat', part)).join('');
}

/** Null for a missing or null string, otherwise the result of `run`. */
const onText =
  (name: string, run: (text: string, ...rest: Value[]) => Value) =>
  (value: Value, ...rest: Value[]): Value =>
    value == null ? null : run(textFor(name, value), ...rest);

function substring(value: Value, from: Value, length: Value): string {
  const count = num(length);
  return points(shown(value))
    .slice(num(from), count < 0 ? undefined : num(from) + count)
    .join('');
}

function substringOfBytes(value: Value, from: Value, length: Value): string {
  const count = num(length);
  return Buffer.from(shown(value))
    .subarray(num(from), count < 0 ? undefined : num(from) + count)
    .toString();
}

function indexOf(text: string, part: Value, from: Value = 0): number {
  const start = points(text).slice(0, num(from)).join('').length;
  const at = text.indexOf(textFor('$indexOfCP', part), start);
  return at < 0 ? -1 : points(text.slice(0, at)).length;
}

const trimming =
  (ends: 'both' | 'left' | 'right') =>
  ({ input, chars }: Doc): Value => {
    if (input == null || chars === null) return null;
    const text = points(textFor('$trim', input));
    const isReserved = (char: string): boolean =>
      chars === undefined ? !/[\s\0]/.test(char) : !points(chars).includes(char);
    const start = ends === 'right' ? 0 : text.findIndex(isReserved);
    const end = ends === 'left' ? text.length : text.findLastIndex(isReserved) + 1;
    if (start < 0) return '';
    return text.slice(start, end).join('');
  };

function regexMatch({ input, regex, options }: Doc): boolean {
  if (input == null || regex == null) return false;
  return toRegExp(regex, options ?? '').test(textFor('$regexMatch', input));
}

const replacing =
  (all: boolean) =>
  ({ input, find, replacement }: Doc): Value => {
    if (input == null || find == null || replacement == null) return null;
    const text = textFor('$replace', input);
    const by = (): string => textFor('$replace', replacement);
    return all ? text.replaceAll(textFor('$replace', find), by) : text.replace(textFor('$replace', find), by);
  };

export const texts: Record<string, Operator> = {
  $concat: [0, Infinity, concat],
  $toLower: [1, 1, (value) => shown(value).toLowerCase()],
  $toUpper: [1, 1, (value) => shown(value).toUpperCase()],
  $substrCP: [3, 3, substring],
  $substrBytes: [3, 3, substringOfBytes],
  $substr: [3, 3, substringOfBytes],
  $strLenCP: [1, 1, (value) => points(textFor('$strLenCP', value)).length],
  $strLenBytes: [1, 1, (value) => Buffer.byteLength(textFor('$strLenBytes', value))],
  $indexOfCP: [2, 3, onText('$indexOfCP', indexOf)],
  $split: [2, 2, onText('$split', (text, by) => text.split(textFor('$split', by)))],
  $trim: [1, 1, trimming('both')],
  $ltrim: [1, 1, trimming('left')],
  $rtrim: [1, 1, trimming('right')],
  $regexMatch: [1, 1, regexMatch],
  $replaceOne: [1, 1, replacing(false)],
  $replaceAll: [1, 1, replacing(true)],
};
