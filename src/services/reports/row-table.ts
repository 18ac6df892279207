import type { ReportRow } from '../../platforms/platform.ts';
import type { Amounts } from './amounts.ts';
import type { Exact } from './exact.ts';
import { amountsOf, decodeFigures, type RowFigures } from './figure-code.ts';
import { freeArray, Integers } from './integers.ts';
import type { RecordedObject } from './records.ts';

type Breakdown = readonly { value: string; label: string }[];

/** A row as the platform reported it. */
export interface FigureRow extends Omit<ReportRow, 'figures'> {
  figures: RowFigures;
}

/** An object that rows are about. */
interface RowObject {
  platformId: string;
  /** Its parents, if the platform reports them. */
  campaignId?: string;
  adSetId?: string;
  record?: RecordedObject;
}

export type SortValue = Exact | string | null;

/** A row before its metrics are computed. */
export interface Row extends RowObject {
  date: string | null;
  breakdown: Breakdown;
  /** The breakdown values as one string, for sorting. */
  values: string;
  figures: RowFigures;
  sortBy: SortValue;
}

/** Figures that are not stored by day: sums, zeros, and what was read with breakdowns. */
interface OtherFigures {
  figures: RowFigures;
  breakdown: Breakdown;
  values: string;
}

const noBreakdown: Breakdown = [];
/** Estimates of what is not in arrays: an object with its record and its cells of a file, and a row of other figures. */
const bytesPerObject = 600;
const bytesPerOther = 400;

/**
 * The rows of a report in the order in which they are read. A row of stored figures is four integers: an object for each row would live
 * until the report is sent, and then stay until V8 collects its old generation.
 */
export class RowTable {
  /** An object occurs once for each combination of parents. */
  readonly objects: RowObject[] = [];
  readonly dates: (string | null)[] = [];
  private readonly objectNumbers = new Map<string, number>();
  private readonly dateNumbers = new Map<string | null, number>();
  private readonly others: OtherFigures[] = [];
  /** The number of the object of each row, and of its date. */
  readonly objectOf = new Integers();
  readonly dateOf = new Integers();
  /** Where the figures of a row are in `bytes`; if the end is 0, the start is the number of kept ones. */
  private readonly starts = new Integers();
  private readonly ends = new Integers();
  private bytes = new Uint8Array(0);
  private used = 0;

  get length(): number {
    return this.objectOf.length;
  }

  /** What the table holds. */
  get byteLength(): number {
    const lists = [this.objectOf, this.dateOf, this.starts, this.ends].reduce((sum, list) => sum + list.byteLength, 0);
    return lists + this.bytes.byteLength + this.objects.length * bytesPerObject + this.others.length * bytesPerOther;
  }

  objectNumber({ platformId, campaignId, adSetId, record }: RowObject): number {
    const key = `${platformId} ${campaignId ?? ''} ${adSetId ?? ''}`;
    let number = this.objectNumbers.get(key);
    if (number === undefined) {
      number = this.objects.push({ platformId, campaignId, adSetId, record }) - 1;
      this.objectNumbers.set(key, number);
    }
    return number;
  }

  dateNumber(date: string | null): number {
    let number = this.dateNumbers.get(date);
    if (number === undefined) this.dateNumbers.set(date, (number = this.dates.push(date) - 1));
    return number;
  }

  /** Makes room for the bytes of documents. */
  reserve(more: number): void {
    const needed = this.used + more;
    if (needed <= this.bytes.length) return;
    const full = this.bytes;
    this.bytes = new Uint8Array(full.length === 0 ? needed : Math.max(needed, 2 * full.length));
    this.bytes.set(full);
    freeArray(full);
  }

  /** Copies the bytes of a document, which are part of a large message, and returns where they begin. */
  copy(days: Uint8Array): number {
    this.reserve(days.length);
    const start = this.used;
    this.bytes.set(days, start);
    this.used += days.length;
    return start;
  }

  /** Keeps other figures for one or more rows and returns their number. */
  keep(figures: RowFigures, breakdown = noBreakdown): number {
    return this.others.push({ figures, breakdown, values: breakdown.map(({ value }) => value).join('\0') }) - 1;
  }

  /** Adds a row and returns its number. Its figures are copied bytes or, without an end, kept ones. */
  add(objectNumber: number, dateNumber: number, start: number, end = 0): number {
    this.objectOf.push(objectNumber);
    this.dateOf.push(dateNumber);
    this.starts.push(start);
    this.ends.push(end);
    return this.length - 1;
  }

  objectNumberAt(row: number): number {
    return this.objectOf.at(row);
  }

  objectAt(row: number): RowObject {
    return this.objects[this.objectOf.at(row)] ?? { platformId: '' };
  }

  dateNumberAt(row: number): number {
    return this.dateOf.at(row);
  }

  dateAt(row: number): string | null {
    return this.dates[this.dateOf.at(row)] ?? null;
  }

  valuesAt(row: number): string {
    return this.otherAt(row)?.values ?? '';
  }

  breakdownAt(row: number): Breakdown {
    return this.otherAt(row)?.breakdown ?? noBreakdown;
  }

  private otherAt(row: number): OtherFigures | undefined {
    return this.ends.at(row) === 0 ? this.others[this.starts.at(row)] : undefined;
  }

  /** The figures of a row, decoded into `target`; a sum is returned as it is. */
  amountsAt(row: number, target: Amounts): Amounts {
    const end = this.ends.at(row);
    if (end > 0) return decodeFigures(this.bytes, this.starts.at(row), end, target);
    const other = this.others[this.starts.at(row)];
    return other ? amountsOf(other.figures, target) : target;
  }

  rowAt(row: number, sortBy: SortValue = null): Row {
    const { platformId, campaignId, adSetId, record } = this.objectAt(row);
    const other = this.otherAt(row);
    return {
      platformId,
      date: this.dateAt(row),
      breakdown: other?.breakdown ?? noBreakdown,
      values: other?.values ?? '',
      figures: other?.figures ?? { bytes: this.bytes, start: this.starts.at(row), end: this.ends.at(row) },
      record,
      campaignId,
      adSetId,
      sortBy,
    };
  }

  free(): void {
    for (const list of [this.objectOf, this.dateOf, this.starts, this.ends]) list.free();
    freeArray(this.bytes);
  }
}

export function tableOf(rows: FigureRow[]): RowTable {
  const table = new RowTable();
  for (const row of rows)
    table.add(table.objectNumber(row), table.dateNumber(row.date ?? null), table.keep(row.figures, row.breakdown));
  return table;
}
