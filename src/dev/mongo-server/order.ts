import type { Binary, BSONRegExp } from 'bson';
import { compareNumbers } from './numbers.ts';
import { rank, rankOf, type Value } from './values.ts';

const surrogates = /[\ud800-\udfff]/;
const compareText = (a: string, b: string): number => {
  if (a === b) return 0;
  if (surrogates.test(a + b)) return Buffer.compare(Buffer.from(a), Buffer.from(b));
  return a < b ? -1 : 1;
};
export const bytesOf = (value: Binary): Uint8Array => value.buffer.subarray(0, value.position);

function compareLists(a: Value[], b: Value[]): number {
  for (let i = 0; i < a.length && i < b.length; i++) {
    const order = compare(a[i], b[i]);
    if (order) return order;
  }
  return a.length - b.length;
}

function compareObjects(a: Value, b: Value): number {
  const [x, y] = [Object.entries<Value>(a), Object.entries<Value>(b)];
  for (const [i, [key, value]] of x.entries()) {
    const other = y[i];
    if (!other) return 1;
    const order = rankOf(value) - rankOf(other[1]) || compareText(key, other[0]) || compare(value, other[1]);
    if (order) return order;
  }
  return x.length - y.length;
}

const compareBinaries = (a: Binary, b: Binary): number =>
  a.position - b.position || a.sub_type - b.sub_type || Buffer.compare(bytesOf(a), bytesOf(b));
const compareRegexes = (a: BSONRegExp, b: BSONRegExp): number =>
  compareText(a.pattern, b.pattern) || compareText(a.options, b.options);

const byRank: Record<number, (a: Value, b: Value) => number> = {
  [rank.number]: compareNumbers,
  [rank.string]: compareText,
  [rank.objectId]: (a, b) => Buffer.compare(a.id, b.id),
  [rank.boolean]: (a, b) => Number(a) - Number(b),
  [rank.date]: (a, b) => compareNumbers(a.getTime(), b.getTime()),
  [rank.timestamp]: (a, b) => a.compare(b),
  [rank.binary]: compareBinaries,
  [rank.array]: compareLists,
  [rank.object]: compareObjects,
  [rank.regex]: compareRegexes,
};

/** Total order over BSON values. A missing value orders with null. */
export function compare(a: Value, b: Value): number {
  if (a === b) return 0;
  const classOf = rankOf(a);
  return classOf - rankOf(b) || (byRank[classOf]?.(a, b) ?? 0);
}
export const equal = (a: Value, b: Value): boolean => compare(a, b) === 0;
