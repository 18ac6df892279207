import type { ReportSort } from '../../contract/report-input.ts';
import { dayOf } from '../../lib/account-time.ts';
import { grouped } from '../../lib/group-by.ts';
import type { ReportRow } from '../../platforms/platform.ts';
import type { Exact } from './exact.ts';
import { amountsOf, noAmounts, type RowFigures } from './figure-code.ts';
import { isKnown, valueOf, type MetricContext } from './metric-values.ts';
import { daysOf, type DayRange } from '../../lib/calendar-days.ts';
import { hasDelivery, noDelivery } from './figures.ts';
import type { MissingDays } from './retained-days.ts';
import type { RecordedObject } from './records.ts';

/** A row before its metrics are computed. */
export interface Row {
  platformId: string;
  date: string | null;
  breakdown: readonly { value: string; label: string }[];
  /** The breakdown values as one string, for sorting. */
  values: string;
  figures: RowFigures;
  record?: RecordedObject;
  /** The parents of the object, if the platform reports them. */
  campaignId?: string;
  adSetId?: string;
  sortBy: Exact | string | null;
}

/** A row as the platform reported it. */
export interface FigureRow extends Omit<ReportRow, 'figures'> {
  figures: RowFigures;
}

const noBreakdown: Row['breakdown'] = [];

export const newRow = (
  { platformId, campaignId, adSetId, breakdown = noBreakdown }: Omit<FigureRow, 'figures' | 'date'>,
  date: string | null,
  figures: RowFigures,
): Row => ({
  platformId,
  date,
  breakdown,
  values: breakdown === noBreakdown ? '' : breakdown.map(({ value }) => value).join('\0'),
  figures,
  record: undefined,
  campaignId,
  adSetId,
  sortBy: null,
});

interface RowsInput {
  rows: Row[];
  /** Objects that have rows even without delivery. */
  alwaysShown: Iterable<string>;
  records: Map<string, RecordedObject>;
  includeDeleted: boolean;
  range: DayRange;
  missing: readonly MissingDays[];
  isDaily: boolean;
  timeZone: string;
  metricContext: MetricContext;
  /** Throws if there are too many rows. */
  requireRowLimit: (count: number) => void;
}

/**
 * Builds the rows of a report in the order of `comparePlaces` without a value to sort by, with zeros for objects and days
 * without delivery. Breakdowns have no rows of zeros.
 */
export function rowsOf({
  rows,
  alwaysShown,
  records,
  includeDeleted,
  metricContext,
  requireRowLimit,
  ...input
}: RowsInput): Row[] {
  const shownWithoutDelivery = new Set(alwaysShown);
  const byObject = grouped(rows, ({ platformId }) => platformId);
  const zero = noDelivery(metricContext.reporting);
  const days = input.isDaily ? readDays(input) : [];
  const scratch = noAmounts();
  const all: Row[] = [];
  for (const platformId of [...new Set([...shownWithoutDelivery, ...byObject.keys()])].toSorted()) {
    const own = byObject.get(platformId) ?? [];
    const record = records.get(platformId);
    if (!includeDeleted && record?.isDeleted) continue;
    const isShown =
      shownWithoutDelivery.has(platformId) || own.some(({ figures }) => hasDelivery(amountsOf(figures, scratch)));
    if (!isShown) continue;
    const empty = metricContext.breakdowns.length > 0 ? [] : emptyDays({ ...input, days }, own, record);
    for (const date of empty) own.push(newRow({ platformId }, date, zero));
    for (const row of own.sort(compareOwnRows)) {
      row.record = record;
      all.push(row);
    }
    requireRowLimit(all.length);
  }
  return all;
}

const compareOwnRows = (one: Row, other: Row): number =>
  compare(one.date ?? '', other.date ?? '') || compare(one.values, other.values);

/** The days of the range that were read completely. */
const readDays = ({ range, missing }: Pick<RowsInput, 'range' | 'missing'>): string[] =>
  daysOf(range.fromDate, range.toDate).filter(
    (day) => !missing.some(({ fromDate, toDate }) => fromDate <= day && day <= toDate),
  );

/** The dates to add zeros for; without daily rows, a single null for the whole range. */
function emptyDays(
  { days, missing, isDaily, timeZone }: Pick<RowsInput, 'missing' | 'isDaily' | 'timeZone'> & { days: string[] },
  own: Row[],
  record?: RecordedObject,
): (string | null)[] {
  if (!isDaily) return own.length === 0 && missing.length === 0 ? [null] : [];
  if (own.length === days.length) return [];
  const known = new Set(own.map(({ date }) => date));
  const first = record?.createdAt ? dayOf(record.createdAt, timeZone) : '';
  return days.filter((day) => day >= first && !known.has(day));
}

export interface Order {
  by: ReportSort;
  isDescending: boolean;
}

/** Sorts what `rowsOf` returns; rows without a value to sort by come last. */
export function sortRows(rows: Row[], { by, isDescending }: Order, metricContext: MetricContext): Row[] {
  const valueToSortBy = sortValueOf(by, metricContext);
  for (const row of rows) row.sortBy = valueToSortBy(row);
  // Many rows share few dates. Within one they are in order.
  if (by === 'date') {
    const byDate = [...grouped(rows, ({ date }) => date ?? '')];
    const sorted = byDate.toSorted(([one], [other]) => (isDescending ? compare(other, one) : compare(one, other)));
    return sorted.flatMap(([, ofDate]) => ofDate);
  }
  return rows.sort((one, other) => compareNullsLast(one.sortBy, other.sortBy, isDescending));
}

function sortValueOf(by: ReportSort, metricContext: MetricContext): (row: Row) => Row['sortBy'] {
  if (by === 'date') return ({ date }) => date;
  if (by === 'name') return ({ record }) => record?.name ?? null;
  const compute = valueOf(by, { ...metricContext, requested: [by] });
  const scratch = noAmounts();
  return ({ figures }) => {
    const value = compute(amountsOf(figures, scratch));
    return isKnown(value) ? value : null;
  };
}

const compare = <T>(one: T, other: T): number => (one === other ? 0 : one < other ? -1 : 1);

/** The position of a row in the order. */
export type Place = Pick<Row, 'platformId' | 'date' | 'sortBy' | 'values'>;

/** A total order, so that pages neither repeat nor skip rows. */
export const comparePlaces = (one: Place, other: Place, isDescending: boolean): number =>
  compareNullsLast(one.sortBy, other.sortBy, isDescending) ||
  compare(one.platformId, other.platformId) ||
  compare(one.date ?? '', other.date ?? '') ||
  compare(one.values, other.values);

function compareNullsLast(one: Row['sortBy'], other: Row['sortBy'], isDescending: boolean): number {
  if (one === null || other === null) return Number(one === null) - Number(other === null);
  return isDescending ? compare(other, one) : compare(one, other);
}
