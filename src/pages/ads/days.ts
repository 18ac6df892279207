import type { AdReport } from '../../contract/report.ts';
import type { Metric } from '../../contract/reporting/metrics.ts';
import { daysOf } from '../../lib/calendar-days.ts';

export interface Day {
  date: string;
  /** Null if the platform does not report it, undefined if the day has not been read. */
  value: number | null | undefined;
  /** It can still change. */
  isProvisional: boolean;
}

type Rows = Pick<AdReport, 'fromDate' | 'toDate' | 'missing' | 'finalThrough' | 'rows'>;

/** One entry for each day of a report. A day that was read and has no row has no delivery: 0. */
export function daysIn({ fromDate, toDate, missing, finalThrough, rows }: Rows, metric: Metric): Day[] {
  const values = new Map(rows.map(({ date, metrics }) => [date, metrics[metric] ?? null]));
  const isMissing = (date: string): boolean => missing.some((gap) => gap.fromDate <= date && date <= gap.toDate);
  const { delivery } = finalThrough;
  return daysOf(fromDate, toDate).map((date) => ({
    date,
    value: isMissing(date) ? undefined : values.has(date) ? values.get(date) : 0,
    isProvisional: delivery === null || date > delivery,
  }));
}

/** Splits days into runs without a gap; each entry keeps its place. */
export function runsOf(days: readonly Pick<Day, 'value'>[]): { at: number; value: number }[][] {
  const runs: { at: number; value: number }[][] = [];
  let isOpen = false;
  days.forEach(({ value }, at) => {
    const isKnown = typeof value === 'number';
    if (isKnown && isOpen) runs.at(-1)?.push({ at, value });
    else if (isKnown) runs.push([{ at, value }]);
    isOpen = isKnown;
  });
  return runs;
}
