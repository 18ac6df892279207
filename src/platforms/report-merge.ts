import { countedMetrics } from '../contract/reporting/metrics.ts';
import type { Figures, ReportRow } from './report.ts';

type Events = NonNullable<Figures['events']>;

/**
 * Adds rows of the same object, day and breakdown that were read in parts. A figure that one of these parts withholds
 * or does not report is not known for the whole. Reach cannot be added, so it is left out.
 */
export function mergeRows(rows: Iterable<ReportRow>): ReportRow[] {
  const merged = new Map<string, ReportRow>();
  for (const row of rows) {
    const key = JSON.stringify([row.platformId, row.date, row.breakdown?.map(({ value }) => value)]);
    const known = merged.get(key);
    merged.set(key, known ? { ...known, figures: sumOf(known.figures, row.figures) } : row);
  }
  return [...merged.values()];
}

function sumOf(one: Figures, other: Figures): Figures {
  const counts = countedMetrics.flatMap((name) => {
    const sum = add(one[name], other[name]);
    return sum === undefined ? [] : [[name, sum]];
  });
  const events = one.events && other.events && sumOfEvents(one.events, other.events);
  const optimisedFor = one.optimisedFor === other.optimisedFor ? one.optimisedFor : undefined;
  return { ...Object.fromEntries(counts), ...(events && { events }), ...(optimisedFor && { optimisedFor }) };
}

function add(one?: bigint | null, other?: bigint | null): bigint | null | undefined {
  if (one === undefined || other === undefined) return undefined;
  return one === null || other === null ? null : one + other;
}

function sumOfEvents(one: Events, other: Events): Events {
  const names = Object.keys(one).filter((name) => name in other) as (keyof Events)[];
  return Object.fromEntries(
    names.map((name) => {
      const value = add(one[name]?.value, other[name]?.value);
      const count = (one[name]?.count ?? 0n) + (other[name]?.count ?? 0n);
      return [name, { count, ...(value !== undefined && { value }) }];
    }),
  );
}
