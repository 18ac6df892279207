import { boundsOf, type Bound, type Bounds } from './bounds.ts';
import { badValue } from './errors.ts';
import { after, type IndexTree } from './index-tree.ts';
import { compileMatch } from './match.ts';
import { equal } from './order.ts';
import type { Sort } from './paths.ts';
import { sortKey } from './sort-key.ts';
import { isPlain, num, rankOf, type Doc, type Value } from './values.ts';

/** How to find candidates: by `_id`, index ranges, branches of `$or`, or a full scan. */
export interface Plan {
  ids?: string[];
  index?: IndexTree;
  ranges: Range[];
  branches?: Plan[];
  reverse: boolean;
  /** Whether the candidates are in the requested order. */
  isSorted: boolean;
}
type Range = [low: string, high: string];
interface ScoredPlan {
  plan: Plan;
  score: number;
}
interface Query {
  filter: Doc;
  sort: Sort;
  hint?: Value;
}

const largestPoints = 2000;
const maxProbedPrefixes = 20;
/** Below this number of entries, any index is good enough. */
const manyEntries = 1000;
const fullScan: Plan = { ranges: [], reverse: false, isSorted: false };

export function planQuery(indexes: IndexTree[], { filter, sort, hint }: Query): Plan {
  if (isPlain(hint) && '$natural' in hint) return { ...fullScan, reverse: num(hint.$natural) < 0 };
  const bounds = boundsOf(filter);
  if (hint != null) return usePlan(hintedIndex(indexes, hint), bounds, sort).plan;
  const ids = bounds.get('_id')?.equals;
  if (ids && (ids.length === 1 || !sort.length)) {
    return { ...fullScan, ids: [...new Set(ids.map(sortKey))].toSorted(), isSorted: ids.length === 1 };
  }
  const usable = indexes.filter((index) => holdsAll(index, bounds)).map((index) => usePlan(index, bounds, sort));
  const best = usable.reduce((a, b) => (b.score > a.score ? b : a), { plan: fullScan, score: 0 });
  if (best.score > 0 || !Array.isArray(filter.$or)) return mostSelective(best, usable).plan;
  const branches = filter.$or.map((branch: Doc) => planQuery(indexes, { filter: branch, sort: [] }));
  return branches.every((branch: Plan) => branch.index || branch.ids) ? { ...fullScan, branches } : fullScan;
}

/** Replaces a plan that reads many entries by one that reads less than a tenth of them, which MongoDB finds by trying both. */
function mostSelective(best: ScoredPlan, usable: ScoredPlan[]): ScoredPlan {
  const most = entriesOf(best.plan, Infinity);
  if (most < manyEntries) return best;
  let [found, least] = [best, most / 10];
  for (const other of usable) {
    const entries = other.score > 0 && other !== best ? entriesOf(other.plan, least) : least;
    if (entries < least) [found, least] = [other, entries];
  }
  return found;
}

/** How many entries the ranges of a plan hold, at most `limit`. */
function entriesOf({ index, ranges }: Plan, limit: number): number {
  let entries = 0;
  for (const [low, high] of ranges) if (entries < limit) entries += index?.list.count(low, high, limit - entries) ?? 0;
  return Math.min(entries, limit);
}

function hintedIndex(indexes: IndexTree[], hint: Value): IndexTree {
  const found = indexes.find(({ name, spec }) => (typeof hint === 'string' ? name === hint : equal(spec.key, hint)));
  if (!found) throw badValue('hint provided does not correspond to an existing index');
  return found;
}

const isPresent = (bound: Bound | undefined): boolean =>
  bound !== undefined &&
  Boolean(bound.exists || bound.type || bound.low || bound.high || bound.equals?.every((value) => value != null));

/** Whether the index contains every possible match; false if uncertain. */
function holdsAll({ spec, fields }: IndexTree, bounds: Bounds): boolean {
  if (spec.partialFilterExpression && !implies(bounds, spec.partialFilterExpression)) return false;
  return !spec.sparse || fields.some(({ path }) => isPresent(bounds.get(path)));
}

function implies(bounds: Bounds, partial: Doc): boolean {
  return Object.entries(partial).every(([path, condition]) => {
    const bound = bounds.get(path);
    if (!bound || path.startsWith('$')) return false;
    const test = compileMatch({ value: condition });
    // As in MongoDB, a `$type` of the index is implied only by the same `$type` of the query.
    if (isPlain(condition) && '$type' in condition && !equal(bound.type, condition.$type)) return false;
    if (bound.equals) return bound.equals.every((value) => test({ value }));
    if (!isPlain(condition)) return false;
    return Object.entries(condition).every(([operator, operand]) => {
      if (operator === '$type') return true;
      if (operator === '$exists') return Boolean(operand) && isPresent(bound);
      const end = operator.startsWith('$g') ? bound.low : operator.startsWith('$l') ? bound.high : undefined;
      return end !== undefined && test({ value: end.value });
    });
  });
}

/** Ranks the plan over one index: equality fields first, then a range, then the order. */
function usePlan(index: IndexTree, bounds: Bounds, sort: Sort): ScoredPlan {
  const { prefixes: all, pinned } = equalPrefixes(index, bounds);
  // If only one value of an `$in` is stored, the entries are in the order of the index.
  const prefixes =
    all.length > 1 && all.length <= maxProbedPrefixes
      ? all.filter((prefix) => index.list.count(prefix, after(prefix), 1) > 0)
      : all;
  const bound = bounds.get(index.fields[pinned]?.path ?? '');
  const isRange = bound?.low !== undefined || bound?.high !== undefined;
  const [low, high] = isRange ? rangeOf(index, pinned, bound ?? {}) : ['', '\xff'];
  const ranges = prefixes.map((prefix): Range => [prefix + low, prefix + high]);
  const direction = prefixes.length === 1 && !index.isMultikey ? sortFit(index, pinned, sort) : 0;
  const isWholeKey = index.isUnique && pinned === index.fields.length;
  const order = direction && sort.length ? 4 : 0;
  const range = !isRange ? 0 : bound?.low && bound.high ? 6 : 5;
  const score = pinned * 10 + range + order + (isWholeKey ? 2 : 0);
  const isSorted = sort.length === 0 || direction !== 0;
  return { plan: { index, ranges, reverse: direction === -1, isSorted }, score };
}

export function equalPrefixes(index: IndexTree, bounds: Bounds): { prefixes: string[]; pinned: number } {
  let prefixes = [''];
  for (const [pinned, { path }] of index.fields.entries()) {
    const values = bounds.get(path)?.equals;
    if (!values || prefixes.length * values.length > largestPoints) return { prefixes, pinned };
    const parts = [...new Set(values.map((value) => index.part(pinned, value)))].toSorted();
    prefixes = prefixes.flatMap((prefix) => parts.map((part) => prefix + part));
  }
  return { prefixes, pinned: index.fields.length };
}

function rangeOf(index: IndexTree, field: number, bound: Bound): Range {
  const isDown = index.fields[field]?.direction === -1;
  const classOf = rankOf(bound.low?.value ?? bound.high?.value);
  // On arrays, different elements can satisfy the two bounds, so only one narrows the scan.
  const high = bound.low && index.isMultikey ? undefined : bound.high;
  const [first, last] = isDown ? [high, bound.low] : [bound.low, high];
  const tag = isDown ? 255 - classOf : classOf;
  const from = first && index.part(field, first.value);
  const to = last && index.part(field, last.value);
  return [
    from === undefined ? String.fromCharCode(tag) : first?.inclusive ? from : after(from),
    to === undefined ? String.fromCharCode(tag + 1) : last?.inclusive ? after(to) : to,
  ];
}

/** Scan direction for the requested order: 1 forward, -1 backward, 0 if neither. */
function sortFit(index: IndexTree, pinned: number, sort: Sort): 1 | -1 | 0 {
  const fixed = index.fields.slice(0, pinned).map(({ path }) => path);
  const rest = sort.filter(([path]) => !fixed.includes(path));
  const ways = rest.map(([path, direction], i) => {
    const field = index.fields[pinned + i];
    return field?.path === path ? direction * field.direction : 0;
  });
  if (ways.every((way) => way === 1)) return 1;
  return ways.every((way) => way === -1) ? -1 : 0;
}
