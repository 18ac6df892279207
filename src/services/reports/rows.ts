import type { ReportSort } from '../../contract/report-input.ts';
import { dayOf } from '../../lib/account-time.ts';
import type { Figures, ReportRow } from '../../platforms/platform.ts';
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
  figures: Figures;
  record?: RecordedObject;
  /** The parents of the object, if the platform reports them. */
  campaignId?: string;
  adSetId?: string;
  sortBy: bigint | string | null;
}

const valuesOf = (breakdown: Row['breakdown']): string => breakdown.map(({ value }) => value).join('\0');

interface RowsInput {
  rows: ReportRow[];
  /** Objects that have rows even without delivery. */
  alwaysShown: Iterable<string>;
  records: Map<string, RecordedObject>;
  includeDeleted: boolean;
  range: DayRange;
  missing: readonly MissingDays[];
  isDaily: boolean;
  timeZone: string;
  metricContext: MetricContext;
}

/** Builds the rows of a report, with zeros for objects and days without delivery. Breakdowns have no rows of zeros. */
export function rowsOf({ rows, alwaysShown, records, includeDeleted, metricContext, ...input }: RowsInput): Row[] {
  const byObject = new Map([...alwaysShown].map((id): [string, ReportRow[]] => [id, []]));
  const shownWithoutDelivery = new Set(byObject.keys());
  for (const row of rows) {
    const own = byObject.get(row.platformId);
    if (own) own.push(row);
    else byObject.set(row.platformId, [row]);
  }
  const zero = noDelivery(metricContext.reporting);
  const days = input.isDaily ? readDays(input) : [];
  return [...byObject].flatMap(([platformId, own]): Row[] => {
    const record = records.get(platformId);
    if (!includeDeleted && record?.isDeleted) return [];
    const isShown = shownWithoutDelivery.has(platformId) || own.some(({ figures }) => hasDelivery(figures));
    if (!isShown) return [];
    const empty = metricContext.breakdowns.length > 0 ? [] : emptyDays({ ...input, days }, own, record);
    return [
      ...own.map(({ date = null, breakdown = [], figures, campaignId, adSetId }) => ({
        platformId,
        date,
        breakdown,
        values: valuesOf(breakdown),
        figures,
        record,
        campaignId,
        adSetId,
        sortBy: null,
      })),
      ...empty.map((date) => ({ platformId, date, breakdown: [], values: '', figures: zero, record, sortBy: null })),
    ];
  });
}

/** The days of the range that were read completely. */
const readDays = ({ range, missing }: Pick<RowsInput, 'range' | 'missing'>): string[] =>
  daysOf(range.fromDate, range.toDate).filter(
    (day) => !missing.some(({ fromDate, toDate }) => fromDate <= day && day <= toDate),
  );

/** The dates to add zeros for; without daily rows, a single null for the whole range. */
function emptyDays(
  { days, missing, isDaily, timeZone }: Pick<RowsInput, 'missing' | 'isDaily' | 'timeZone'> & { days: string[] },
  own: ReportRow[],
  record?: RecordedObject,
): (string | null)[] {
  if (!isDaily) return own.length === 0 && missing.length === 0 ? [null] : [];
  const known = new Set(own.map(({ date }) => date));
  const first = record?.createdAt ? dayOf(record.createdAt, timeZone) : '';
  return days.filter((day) => day >= first && !known.has(day));
}

export interface Order {
  by: ReportSort;
  isDescending: boolean;
}

/** Sorts rows in place; rows without a value to sort by come last. */
export function sortRows(rows: Row[], { by, isDescending }: Order, metricContext: MetricContext): Row[] {
  const valueToSortBy = sortValueOf(by, metricContext);
  for (const row of rows) row.sortBy = valueToSortBy(row);
  return rows.sort((one, other) => comparePlaces(one, other, isDescending));
}

function sortValueOf(by: ReportSort, metricContext: MetricContext): (row: Row) => Row['sortBy'] {
  if (by === 'date') return ({ date }) => date;
  if (by === 'name') return ({ record }) => record?.name ?? null;
  const compute = valueOf(by, { ...metricContext, requested: [by] });
  return ({ figures }) => {
    const value = compute(figures);
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
