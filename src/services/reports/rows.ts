import type { ReportSort } from '../../contract/report-input.ts';
import { dayOf } from '../../lib/account-time.ts';
import type { Figures, ReportRow } from '../../platforms/platform.ts';
import { isKnown, valueOf, type Terms } from './combine.ts';
import { daysOf } from './days.ts';
import type { Range } from './dates.ts';
import { addFigures } from './add-figures.ts';
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

const valuesOf = (breakdown: ReportRow['breakdown'] = []): string => breakdown.map(({ value }) => value).join('\0');

/** The figures of one row can come in several parts. */
export function mergeRows(rows: ReportRow[]): ReportRow[] {
  const merged = new Map<string, ReportRow>();
  for (const row of rows) {
    const key = `${row.platformId}\0${row.date}\0${valuesOf(row.breakdown)}`;
    const before = merged.get(key);
    merged.set(key, before ? { ...before, figures: addFigures(before.figures, row.figures) } : row);
  }
  return [...merged.values()];
}

export interface Shown {
  rows: ReportRow[];
  /** Objects that have rows even without delivery. */
  always: Iterable<string>;
  records: Map<string, RecordedObject>;
  includeDeleted: boolean;
  range: Range;
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
  return [...byObject].flatMap(([platformId, own]): Row[] => {
    const record = records.get(platformId);
    const isLeftOut = !includeDeleted && record?.isDeleted;
    if (isLeftOut || (!named.has(platformId) && !own.some(({ figures }) => hasDelivery(figures)))) return [];
    const dense = terms.breakdowns.length > 0 ? [] : emptyDays(shown, own, record);
    return [
      ...own.map(({ date = null, breakdown = [], ...row }) => ({
        ...row,
        date,
        breakdown,
        values: valuesOf(breakdown),
        record,
        sortBy: null,
      })),
      ...dense.map((date) => ({ platformId, date, breakdown: [], values: '', figures: zero, record, sortBy: null })),
    ];
  });
}

/** The days without a row that were read completely, as dates; a single null for the whole range. */
function emptyDays(
  { range, missing, isDaily, timeZone }: Pick<Shown, 'range' | 'missing' | 'isDaily' | 'timeZone'>,
  own: ReportRow[],
  record?: RecordedObject,
): (string | null)[] {
  if (!isDaily) return own.length === 0 && missing.length === 0 ? [null] : [];
  const known = new Set(own.map(({ date }) => date));
  const first = record?.createdAt ? dayOf(record.createdAt, timeZone) : range.fromDate;
  const isUnread = (day: string): boolean => missing.some(({ fromDate, toDate }) => fromDate <= day && day <= toDate);
  return daysOf(range.fromDate, range.toDate).filter((day) => day >= first && !known.has(day) && !isUnread(day));
}

export interface Order {
  by: ReportSort;
  isDescending: boolean;
}

/** Sorts rows in place; rows without the sorted value come last. */
export function sortRows(rows: Row[], { by, isDescending }: Order, terms: Terms): Row[] {
  for (const row of rows) row.sortBy = sortValue(row, by, terms);
  return rows.sort((one, other) => comparePlaces(one, other, isDescending));
}

function sortValue({ date, figures, record }: Row, by: ReportSort, terms: Terms): Row['sortBy'] {
  if (by === 'date') return date;
  if (by === 'name') return record?.name ?? null;
  const value = valueOf(by, figures, { ...terms, requested: [by] });
  return isKnown(value) ? value : null;
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
