import { boundsOf, isRangeable } from './bounds.ts';
import type { Collection } from './collection.ts';
import type { IndexTree } from './index-tree.ts';
import { equalPrefixes, planQuery } from './plan.ts';
import { leadingQuery } from './pipeline.ts';
import { isOperatorDoc, isPlain, rankOf, type Doc, type Value } from './values.ts';

/**
 * How many documents match, at most `limit`, by the positions of the index ranges; undefined if the ranges may contain
 * others than the filter does.
 */
export function countByIndex({ indexes }: Collection, requested: Doc, limit: number): number | undefined {
  const filter = withoutAnd(requested);
  if (!filter || !Object.values(filter).every(isExact)) return undefined;
  const paths = Object.keys(filter);
  if (paths.length === 0 || paths.some((path) => path.startsWith('$'))) return undefined;
  const { index, ranges } = planQuery(indexes, { filter, sort: [] });
  if (!index || index.isMultikey || !isCovered(index, filter, paths)) return undefined;
  let count = 0;
  for (const [low, high] of ranges) {
    count += index.list.count(low, high, limit - count);
    if (count >= limit) return limit;
  }
  return count;
}

/** The conditions of a filter and of its `$and`, one for each path; undefined if a path has several. */
function withoutAnd({ $and: parts = [], ...filter }: Doc): Doc | undefined {
  if (!Array.isArray(parts) || !parts.every(isPlain)) return undefined;
  const all: [string, Value][] = [filter, ...parts].flatMap((part) => Object.entries<Value>(part));
  return new Set(all.map(([path]) => path)).size === all.length ? Object.fromEntries(all) : undefined;
}

/** Whether the bounds of the condition admit exactly the values that match it. */
function isExact(condition: Value): boolean {
  if (!isOperatorDoc(condition)) return isRangeable(condition);
  const operators = Object.keys(condition).toSorted().join();
  if (operators === '$in') return Array.isArray(condition.$in) && condition.$in.every(isRangeable);
  const operands = Object.values<Value>(condition);
  // Ends of different types match nothing, but have values between them in an index.
  const isOneType = new Set(operands.map(rankOf)).size === 1;
  return /^(\$eq|\$gte?|\$lte?|\$gte?,\$lte?)$/.test(operators) && isOneType && operands.every(isRangeable);
}

/** Whether the first fields of the index are those of the filter: equal values, then at most one range. */
function isCovered(index: IndexTree, filter: Doc, paths: string[]): boolean {
  const bounds = boundsOf(filter);
  const first = index.fields.slice(0, paths.length).map(({ path }) => path);
  if (first.length < paths.length || !paths.every((path) => first.includes(path))) return false;
  const equal = paths.filter((path) => bounds.get(path)?.equals);
  // With too many combinations of values the ranges cover fewer fields.
  if (equalPrefixes(index, bounds).pinned < equal.length) return false;
  return first.every((path, at) => {
    const { equals, low, high } = bounds.get(path) ?? {};
    const isRange = low !== undefined || high !== undefined;
    return equals ? !isRange : isRange && at === first.length - 1;
  });
}

/** The result of a pipeline that only counts documents, as `countDocuments` sends it; undefined for any other. */
export function countPipeline(collection: Collection, pipeline: Doc[]): Doc[] | undefined {
  const { filter, sort, limit, rest } = leadingQuery(pipeline);
  const [stage, ...more] = rest;
  const [name, sum] = countOf(stage);
  if (sort || more.length > 0 || name === undefined) return undefined;
  const count = countByIndex(collection, filter, limit || Infinity);
  if (count === undefined) return undefined;
  return count === 0 ? [] : [{ ...sum, [name]: count }];
}

function countOf(stage: Value): [name?: string, sum?: Doc] {
  if (!isPlain(stage?.$group)) return [];
  const { _id, ...sums } = stage.$group as Doc;
  const [[name, value] = [], ...others] = Object.entries<Value>(sums);
  const isCount = others.length === 0 && isPlain(value) && Object.keys(value).length === 1 && value.$sum === 1;
  return isCount && _id === 1 ? [name, { _id }] : [];
}
