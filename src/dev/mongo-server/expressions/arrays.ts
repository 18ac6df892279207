import { CommandError } from '../errors.ts';
import { compare, equal } from '../order.ts';
import { parseSort, sortBy } from '../paths.ts';
import { sortKey } from '../sort-key.ts';
import { isPlain, num, setOwn, typeName, type Doc, type Value } from '../values.ts';
import type { Operator } from './types.ts';

const refuse = (name: string, value: Value): never => {
  throw new CommandError('TypeMismatch', `${name} requires an array, not ${typeName(value)}`);
};
const arrayFor = (name: string, value: Value): Value[] => (Array.isArray(value) ? value : refuse(name, value));

/** Null for a missing or null array, otherwise the result of `run`. */
const onArray =
  (name: string, run: (items: Value[], ...rest: Value[]) => Value) =>
  (value: Value, ...rest: Value[]): Value =>
    value == null ? null : run(arrayFor(name, value), ...rest);

const distinct = (values: Value[]): Value[] => [...new Map(values.map((value) => [sortKey(value), value])).values()];

function concat(...lists: Value[]): Value {
  return lists.some((list) => list == null) ? null : lists.flatMap((list) => arrayFor('$concatArrays', list));
}

function slice(items: Value[], first: Value, count?: Value): Value[] {
  if (count === undefined) return num(first) < 0 ? items.slice(num(first)) : items.slice(0, num(first));
  const from = num(first) < 0 ? Math.max(0, items.length + num(first)) : num(first);
  return items.slice(from, from + num(count));
}

function range(start: Value, end: Value, step: Value = 1): number[] {
  const [from, to, by] = [num(start), num(end), num(step)];
  if (by === 0) throw new CommandError(34449, '$range requires a non-zero step value');
  return Array.from({ length: Math.max(0, Math.ceil((to - from) / by)) }, (_, i) => from + i * by);
}

function sortArray({ input, sortBy: order }: Doc): Value {
  if (input == null) return null;
  const items = arrayFor('$sortArray', input);
  if (isPlain(order)) return sortBy(items, parseSort(order), (item) => (isPlain(item) ? item : {}));
  return items.toSorted((a, b) => compare(a, b) * num(order));
}

function arrayToObject(pairs: Value[]): Doc {
  const result: Doc = {};
  for (const pair of pairs)
    setOwn(result, Array.isArray(pair) ? pair[0] : pair.k, Array.isArray(pair) ? pair[1] : pair.v);
  return result;
}

function mergeObjects(...docs: Value[]): Doc {
  const result: Doc = {};
  const odd = docs.find((doc) => doc != null && !isPlain(doc));
  if (odd !== undefined)
    throw new CommandError(40400, `$mergeObjects requires object inputs, but found ${typeName(odd)}`);
  for (const doc of docs) for (const [key, value] of Object.entries(doc ?? {})) setOwn(result, key, value);
  return result;
}

function setField({ field, input, value }: Doc): Value {
  if (!isPlain(input)) return null;
  const { [field]: _old, ...rest } = input;
  return value === undefined ? rest : { ...rest, [field]: value };
}

function difference(items: Value[], without: Value): Value {
  const keys = new Set(arrayFor('$setDifference', without).map(sortKey));
  return distinct(items).filter((item) => !keys.has(sortKey(item)));
}

function intersection(...lists: Value[]): Value {
  if (lists.some((list) => list == null)) return null;
  const [first = [], ...rest] = lists.map((list) => arrayFor('$setIntersection', list));
  const others = rest.map((list) => new Set(list.map(sortKey)));
  return distinct(first).filter((item) => others.every((keys) => keys.has(sortKey(item))));
}

const isSubset = (part: Value, whole: Value): boolean => {
  const keys = new Set(arrayFor('$setIsSubset', whole).map(sortKey));
  return arrayFor('$setIsSubset', part).every((item) => keys.has(sortKey(item)));
};

export const arrays: Record<string, Operator> = {
  $size: [1, 1, (items) => arrayFor('$size', items).length],
  $isArray: [1, 1, (value) => Array.isArray(value)],
  $arrayElemAt: [2, 2, onArray('$arrayElemAt', (items, at) => items.at(num(at)))],
  $first: [1, 1, onArray('$first', (items) => items[0])],
  $last: [1, 1, onArray('$last', (items) => items.at(-1))],
  $slice: [2, 3, onArray('$slice', slice)],
  $concatArrays: [0, Infinity, concat],
  $in: [2, 2, (value, items) => arrayFor('$in', items).some((item) => equal(item, value))],
  $indexOfArray: [2, 2, onArray('$indexOfArray', (items, value) => items.findIndex((item) => equal(item, value)))],
  $reverseArray: [1, 1, onArray('$reverseArray', (items) => items.toReversed())],
  $range: [2, 3, range],
  $sortArray: [1, 1, sortArray],
  $setUnion: [
    0,
    Infinity,
    (...lists) => {
      const all = concat(...lists);
      return all && distinct(all);
    },
  ],
  $setIntersection: [0, Infinity, intersection],
  $setDifference: [2, 2, onArray('$setDifference', difference)],
  $setIsSubset: [2, 2, isSubset],
  $arrayToObject: [1, 1, onArray('$arrayToObject', arrayToObject)],
  $objectToArray: [1, 1, (doc) => (doc == null ? null : Object.entries(doc).map(([k, v]) => ({ k, v })))],
  $mergeObjects: [0, Infinity, mergeObjects],
  $setField: [1, 1, setField],
};
