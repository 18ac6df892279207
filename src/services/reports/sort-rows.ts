import type { ReportSort } from '../../contract/report-input.ts';
import type { Amounts } from './amounts.ts';
import { noAmounts } from './figure-code.ts';
import { freeArray, type Integers } from './integers.ts';
import { isKnown, valueOf, type MetricContext } from './metric-values.ts';
import { groupByObject, sortedByDate } from './row-groups.ts';
import type { Row, RowTable, SortValue } from './row-table.ts';

/** Sorted rows. A row is created when it is asked for. */
export class Rows {
  private readonly table: RowTable;
  private readonly order: Uint32Array;
  private readonly values: SortValues;

  constructor(table: RowTable, order: Uint32Array, values: SortValues) {
    this.table = table;
    this.order = order;
    this.values = values;
  }

  get length(): number {
    return this.order.length;
  }

  /** What the rows hold, until they are freed. */
  get byteLength(): number {
    return this.table.byteLength + this.order.byteLength;
  }

  get dates(): readonly (string | null)[] {
    return this.table.dates;
  }

  at(index: number): Row | undefined {
    const row = this.order[index];
    return row === undefined ? undefined : this.table.rowAt(row, this.values.at(row));
  }

  slice(from: number, to: number): Row[] {
    const length = Math.max(0, Math.min(to, this.length) - from);
    return Array.from({ length }, (_, index) => this.at(from + index)!);
  }

  /** The figures of a row, decoded into `target`; a sum is returned as it is. */
  amountsAt(index: number, target: Amounts): Amounts {
    return this.table.amountsAt(this.order[index] ?? 0, target);
  }

  /** The number of the object of a row. */
  objectNumberAt(index: number): number {
    return this.table.objectNumberAt(this.order[index] ?? 0);
  }

  /** The number of the date of a row. */
  dateNumberAt(index: number): number {
    return this.table.dateNumberAt(this.order[index] ?? 0);
  }

  breakdownAt(index: number): Row['breakdown'] {
    return this.table.breakdownAt(this.order[index] ?? 0);
  }

  byObject(): Map<string, Rows> {
    const { groups } = groupByObject(this.table, this.order);
    return new Map([...groups].map(([id, own]) => [id, new Rows(this.table, own, this.values)]));
  }

  none(): Rows {
    return new Rows(this.table, new Uint32Array(0), this.values);
  }

  /** Frees the memory of all rows; afterwards there are none. */
  free(): void {
    this.table.free();
    this.values.free();
    freeArray(this.order);
  }
}

/** The values that rows are sorted by. */
interface SortValues {
  at: (row: number) => SortValue;
  free: () => void;
}

export interface Order {
  by: ReportSort;
  isDescending: boolean;
}

/** Sorts what `selectRows` returns; rows without a value to sort by come last. */
export function sortRows(
  table: RowTable,
  selected: Integers,
  { by, isDescending }: Order,
  metricContext: MetricContext,
): Rows {
  const order = selected.all();
  if (by === 'date') return sortByDate(table, order, isDescending);
  if (by === 'name') {
    const at = (row: number): SortValue => table.objectAt(row).record?.name ?? null;
    return new Rows(table, order.sort(comparing(at, isDescending)), { at, free: () => undefined });
  }
  const values = metricValues(table, order, valueOf(by, { ...metricContext, requested: [by] }));
  return new Rows(table, order.sort(values.comparing(isDescending)), values);
}

/** Within a date, rows are in order. */
function sortByDate(table: RowTable, order: Uint32Array, isDescending: boolean): Rows {
  const sorted = sortedByDate(table, order, isDescending);
  freeArray(order);
  return new Rows(table, sorted, { at: (row) => table.dateAt(row), free: () => undefined });
}

interface MetricValues extends SortValues {
  comparing: (isDescending: boolean) => (one: number, other: number) => number;
}

/** The values of a metric: NaN where it is unknown. */
function metricValues(table: RowTable, order: Uint32Array, compute: ReturnType<typeof valueOf>): MetricValues {
  const numbers = new Float64Array(table.length).fill(Number.NaN);
  /** Those beyond 2^53. */
  const bigints = new Map<number, bigint>();
  const scratch = noAmounts();
  for (const row of order) {
    const value = compute(table.amountsAt(row, scratch));
    if (!isKnown(value)) continue;
    numbers[row] = Number(value);
    if (typeof value === 'bigint') bigints.set(row, value);
  }
  const at = (row: number): SortValue => {
    const number = numbers[row] ?? Number.NaN;
    return Number.isNaN(number) ? null : (bigints.get(row) ?? number);
  };
  const compareNumbers = (one: number, other: number): number => {
    const [a, b] = [numbers[one] ?? Number.NaN, numbers[other] ?? Number.NaN];
    if (a === b) return 0;
    return a < b ? -1 : 1;
  };
  return {
    at,
    free: () => freeArray(numbers),
    comparing(isDescending) {
      const hasOthers = bigints.size > 0 || order.some((row) => Number.isNaN(numbers[row]));
      if (hasOthers) return comparing(at, isDescending);
      return isDescending ? (one, other) => compareNumbers(other, one) : compareNumbers;
    },
  };
}

const comparing =
  (at: (row: number) => SortValue, isDescending: boolean) =>
  (one: number, other: number): number =>
    compareNullsLast(at(one), at(other), isDescending);

export const compare = <T>(one: T, other: T): number => (one === other ? 0 : one < other ? -1 : 1);

/** The position of a row in the order. */
export type Place = Pick<Row, 'platformId' | 'date' | 'sortBy' | 'values'>;

/** A total order, so that pages neither repeat nor skip rows. */
export const comparePlaces = (one: Place, other: Place, isDescending: boolean): number =>
  compareNullsLast(one.sortBy, other.sortBy, isDescending) ||
  compare(one.platformId, other.platformId) ||
  compare(one.date ?? '', other.date ?? '') ||
  compare(one.values, other.values);

function compareNullsLast(one: SortValue, other: SortValue, isDescending: boolean): number {
  if (one === null || other === null) return Number(one === null) - Number(other === null);
  return isDescending ? compare(other, one) : compare(one, other);
}
