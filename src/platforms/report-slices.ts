import { countedMetrics } from '../contract/reporting/metrics.ts';
import { addDays, dayCount, type DayRange } from '../lib/calendar-days.ts';
import { collect } from '../lib/collect.ts';
import type { Figures, ReportQuery, ReportRow } from './report.ts';

/** Splits the days of a query into ranges of at most `maxDays` days, oldest first. */
export function slicesOf(query: DayRange, maxDays: number): [from: string, to: string][] {
  return Array.from({ length: Math.ceil(dayCount(query) / maxDays) }, (_, at) => {
    const last = addDays(query.fromDate, (at + 1) * maxDays - 1);
    return [addDays(query.fromDate, at * maxDays), last < query.toDate ? last : query.toDate];
  });
}

interface Halving {
  pages: (part: ReportQuery) => AsyncIterable<ReportRow[]>;
  /** The platform rejects the range, but may accept fewer days. */
  isTooLarge: (error: unknown) => boolean;
}

/** Reads a range, and halves it as often as the platform rejects it as too large. */
export async function* inHalves(query: ReportQuery, { pages, isTooLarge }: Halving): AsyncGenerator<ReportRow[]> {
  let isBegun = false;
  try {
    for await (const page of pages(query)) {
      isBegun = true;
      yield page;
    }
  } catch (error) {
    if (isBegun || !isTooLarge(error) || dayCount(query) === 1) throw error;
    const halves = halvesOf(query, { pages, isTooLarge });
    if (query.granularity === 'day') yield* halves;
    else yield mergeRows(await collect(halves));
  }
}

async function* halvesOf(query: ReportQuery, halving: Halving): AsyncGenerator<ReportRow[]> {
  for (const [fromDate, toDate] of slicesOf(query, Math.ceil(dayCount(query) / 2)))
    yield* inHalves({ ...query, fromDate, toDate }, halving);
}

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
