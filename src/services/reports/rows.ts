import type { ReportSort } from '../../contract/report-input.ts';
import { dayOf } from '../../lib/account-time.ts';
import type { Figures, ReportRow } from '../../platforms/platform.ts';
import { isKnown, valueOf, type Terms } from './combine.ts';
import { daysOf, type DayRange } from '../../lib/calendar-days.ts';
import { hasDelivery, noDelivery } from './figures.ts';
import type { MissingDays } from './read-figures.ts';
import type { RecordedObject } from './records.ts';

/** A row before its figures are computed. */
export interface Row {
  platformId: string;
  date: string | null;
  breakdown: readonly { value: string; label: string }[];
  /** Its breakdown values as one text. */
  values: string;
  figures: Figures;
  record?: RecordedObject;
  /** Its parents as the platform reports them. */
  campaignId?: string;
  adSetId?: string;
  sortBy: bigint | string | null;
}

const valuesOf = (breakdown: Row['breakdown']): string => breakdown.map(({ value }) => value).join('\0');

export interface Shown {
  rows: ReportRow[];
  /** Objects that have rows even without delivery. */
  always: Iterable<string>;
  records: Map<string, RecordedObject>;
  includeDeleted: boolean;
  range: DayRange;
  missing: readonly MissingDays[];
  isDaily: boolean;
  timeZone: string;
  terms: Terms;
}

/** The rows of a report, those without delivery included; breakdown values without delivery have none. */
export function rowsOf({ rows, always, records, includeDeleted, terms, ...shown }: Shown): Row[] {
  const byObject = new Map([...always].map((id): [string, ReportRow[]] => [id, []]));
  const named = new Set(byObject.keys());
  for (const row of rows) {
    const own = byObject.get(row.platformId);
    if (own) own.push(row);
    else byObject.set(row.platformId, [row]);
  }
  const zero = noDelivery(terms.reporting);
  const days = shown.isDaily ? readDays(shown) : [];
  return [...byObject].flatMap(([platformId, own]): Row[] => {
    const record = records.get(platformId);
    const isLeftOut = !includeDeleted && record?.isDeleted;
    if (isLeftOut || (!named.has(platformId) && !own.some(({ figures }) => hasDelivery(figures)))) return [];
    const dense = terms.breakdowns.length > 0 ? [] : emptyDays({ ...shown, days }, own, record);
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
      ...dense.map((date) => ({ platformId, date, breakdown: [], values: '', figures: zero, record, sortBy: null })),
    ];
  });
}

/** The days of the range that were read completely. */
const readDays = ({ range, missing }: Pick<Shown, 'range' | 'missing'>): string[] =>
  daysOf(range.fromDate, range.toDate).filter(
    (day) => !missing.some(({ fromDate, toDate }) => fromDate <= day && day <= toDate),
  );

/** The days without a row, as dates; a single null for the whole range. */
function emptyDays(
  { days, missing, isDaily, timeZone }: Pick<Shown, 'missing' | 'isDaily' | 'timeZone'> & { days: string[] },
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

/** Sorts rows in place; rows without the sorted value come last. */
export function sortRows(rows: Row[], { by, isDescending }: Order, terms: Terms): Row[] {
  const of = sortValueOf(by, terms);
  for (const row of rows) row.sortBy = of(row);
  return rows.sort((one, other) => comparePlaces(one, other, isDescending));
}

function sortValueOf(by: ReportSort, terms: Terms): (row: Row) => Row['sortBy'] {
  if (by === 'date') return ({ date }) => date;
  if (by === 'name') return ({ record }) => record?.name ?? null;
  const of = valueOf(by, { ...terms, requested: [by] });
  return ({ figures }) => {
    const value = of(figures);
    return isKnown(value) ? value : null;
  };
}

const compare = <T>(one: T, other: T): number => (one === other ? 0 : one < other ? -1 : 1);

/** Where a row stands. */
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
