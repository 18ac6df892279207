import { dayOf } from '../../lib/account-time.ts';
import { noAmounts } from './figure-code.ts';
import type { MetricContext } from './metric-values.ts';
import { daysOf, type DayRange } from '../../lib/calendar-days.ts';
import { hasDelivery, noDelivery } from './figures.ts';
import { freeArray, Integers } from './integers.ts';
import type { MissingDays } from './retained-days.ts';
import type { RecordedObject } from './records.ts';
import type { RowTable } from './row-table.ts';
import { groupByObject, sortedByDate } from './row-groups.ts';
import { compare } from './sort-rows.ts';

interface RowsInput {
  table: RowTable;
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

const none = new Uint32Array(0);

/**
 * Selects the rows of a report, in the order of `comparePlaces` without a value to sort by, and adds zeros for objects and
 * days without delivery. Breakdowns have no rows of zeros.
 */
export function selectRows({
  table,
  alwaysShown,
  records,
  includeDeleted,
  metricContext,
  requireRowLimit,
  ...input
}: RowsInput): Integers {
  for (const object of table.objects) object.record = records.get(object.platformId);
  const shownWithoutDelivery = new Set(alwaysShown);
  const rows = allOf(table);
  const byDate = sortedByDate(table, rows);
  const { placed, groups: byObject } = groupByObject(table, byDate);
  freeArray(rows);
  freeArray(byDate);
  const zero = table.keep(noDelivery(metricContext.reporting));
  const days = input.isDaily ? readDays(input) : [];
  const scratch = noAmounts();
  const compareOwn = (one: number, other: number): number =>
    compare(table.dateAt(one) ?? '', table.dateAt(other) ?? '') || compare(table.valuesAt(one), table.valuesAt(other));
  const selected = new Integers();
  for (const platformId of [...new Set([...shownWithoutDelivery, ...byObject.keys()])].toSorted()) {
    const found = byObject.get(platformId) ?? none;
    const record = records.get(platformId);
    if (!includeDeleted && record?.isDeleted) continue;
    const isShown =
      shownWithoutDelivery.has(platformId) || found.some((row) => hasDelivery(table.amountsAt(row, scratch)));
    if (!isShown) continue;
    const dates = metricContext.breakdowns.length > 0 ? [] : emptyDays(table, { ...input, days, found, record });
    const object = { platformId, record };
    const empty = dates.map((date) => table.add(table.objectNumber(object), table.dateNumber(date), zero));
    const own = empty.length > 0 ? Uint32Array.of(...found, ...empty) : found;
    // The rows of an object are in the order of their dates already.
    const isSorted = empty.length === 0 && metricContext.breakdowns.length === 0;
    selected.append(isSorted ? own : own.sort(compareOwn));
    requireRowLimit(selected.length);
  }
  freeArray(placed);
  return selected;
}

function allOf({ length }: RowTable): Uint32Array {
  const rows = new Uint32Array(length);
  for (let row = 0; row < length; row++) rows[row] = row;
  return rows;
}

/** The days of the range that were read completely. */
const readDays = ({ range, missing }: Pick<RowsInput, 'range' | 'missing'>): string[] =>
  daysOf(range.fromDate, range.toDate).filter(
    (day) => !missing.some(({ fromDate, toDate }) => fromDate <= day && day <= toDate),
  );

interface OwnRows extends Pick<RowsInput, 'missing' | 'isDaily' | 'timeZone'> {
  days: string[];
  found: Uint32Array;
  record?: RecordedObject;
}

/** The dates to add zeros for; without daily rows, a single null for the whole range. */
function emptyDays(table: RowTable, { days, missing, isDaily, timeZone, found, record }: OwnRows): (string | null)[] {
  if (!isDaily) return found.length === 0 && missing.length === 0 ? [null] : [];
  if (found.length === days.length) return [];
  const known = new Set<string | null>();
  for (const row of found) known.add(table.dateAt(row));
  const first = record?.createdAt ? dayOf(record.createdAt, timeZone) : '';
  return days.filter((day) => day >= first && !known.has(day));
}
