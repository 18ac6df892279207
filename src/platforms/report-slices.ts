import { countedMetrics } from '../contract/reporting/metrics.ts';
import type { Figures, ReportQuery, ReportRow } from './report.ts';

const dayMs = 86_400_000;

export const dayAfter = (day: string, days: number): string =>
  new Date(Date.parse(day) + days * dayMs).toISOString().slice(0, 10);

export const daysOf = ({ fromDate, toDate }: Pick<ReportQuery, 'fromDate' | 'toDate'>): number =>
  Math.round((Date.parse(toDate) - Date.parse(fromDate)) / dayMs) + 1;

/** Splits the days of a query into ranges of at most so many days, oldest first. */
export function slicesOf(query: Pick<ReportQuery, 'fromDate' | 'toDate'>, most: number): [from: string, to: string][] {
  return Array.from({ length: Math.ceil(daysOf(query) / most) }, (_, at) => {
    const last = dayAfter(query.fromDate, (at + 1) * most - 1);
    return [dayAfter(query.fromDate, at * most), last < query.toDate ? last : query.toDate];
  });
}

export const chunksOf = <T>(list: readonly T[], most: number): T[][] =>
  Array.from({ length: Math.ceil(list.length / most) }, (_, at) => list.slice(at * most, (at + 1) * most));

/** Adds rows of the same object and breakdown that a split read has returned. Reach cannot be added and is left out. */
export function mergeRows(rows: Iterable<ReportRow>): ReportRow[] {
  const merged = new Map<string, ReportRow>();
  for (const row of rows) {
    const { platformId, date, breakdown = [] } = row;
    const key = JSON.stringify([platformId, date, ...breakdown.map(({ value }) => value)]);
    const { reach: _reach, frequency: _frequency, ...figures } = row.figures;
    const before = merged.get(key);
    merged.set(key, { ...before, ...row, figures: before ? sumOf(before.figures, figures) : figures });
  }
  return [...merged.values()];
}

/** A figure that one part lacks stays unknown in the sum. */
function sumOf(one: Figures, other: Figures): Figures {
  const { optimisedFor } = one;
  const sum: Figures = optimisedFor && optimisedFor === other.optimisedFor ? { optimisedFor } : {};
  for (const metric of countedMetrics)
    if (metric in one && metric in other) sum[metric] = added(one[metric], other[metric]);
  if (one.events && other.events) sum.events = eventsOf(one.events, other.events);
  return sum;
}

type Events = NonNullable<Figures['events']>;

function eventsOf(one: Events, other: Events): Events {
  const names = new Set([...Object.keys(one), ...Object.keys(other)]) as Set<keyof Events>;
  const sum: Events = {};
  for (const name of names) {
    const [a = { count: 0n, value: 0n }, b = { count: 0n, value: 0n }] = [one[name], other[name]];
    const isValued = a.value !== undefined && b.value !== undefined;
    sum[name] = { count: a.count + b.count, ...(isValued && { value: added(a.value, b.value) }) };
  }
  return sum;
}

const added = (one: bigint | null | undefined, other: bigint | null | undefined): bigint | null =>
  typeof one === 'bigint' && typeof other === 'bigint' ? one + other : null;
