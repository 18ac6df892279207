import type { Figures } from '../../platforms/platform.ts';
import { ByteReader, ByteWriter } from './bytes.ts';
import { writeFigures } from './figure-code.ts';

/** The days of one object in one month: for each the day of the month, the number of its read, and its figures. */
interface DayEntry {
  day: number;
  read: number;
  /** Where its bytes are. */
  start: number;
  end: number;
  figuresAt: number;
}

/** Visits all days with one object, which changes: a report reads tens of thousands of them. */
function eachEntry(stored: Uint8Array, visit: (entry: Readonly<DayEntry>) => void): void {
  const reader = new ByteReader(stored);
  const entry: DayEntry = { day: 0, read: 0, start: 0, end: 0, figuresAt: 0 };
  while (!reader.isAtEnd) {
    entry.start = reader.at;
    entry.day = reader.byte();
    entry.read = reader.count();
    const length = reader.count();
    entry.figuresAt = reader.at;
    entry.end = reader.at += length;
    visit(entry);
  }
}

const body = new ByteWriter();

/** One day, ready to be stored. */
export function encodeDay(day: number, read: number, figures: Figures): Buffer {
  writeFigures(body, figures);
  const encoded = body.take();
  body.byte(day);
  body.count(read);
  body.count(encoded.length);
  return Buffer.concat([body.take(), encoded]);
}

export type KeepsDay = (day: number, read: number) => boolean;

/** Adds days to stored ones, of which it keeps only those that `keeps` names and that are not replaced. */
export function mergeDays(
  stored: Uint8Array,
  added: ReadonlyMap<number, Buffer>,
  read: number,
  keeps: KeepsDay,
): Buffer {
  const parts: Uint8Array[] = [];
  eachEntry(stored, ({ start, end, ...entry }) => {
    const isReplaced = entry.read === read && added.has(entry.day);
    if (!isReplaced && keeps(entry.day, entry.read)) parts.push(stored.subarray(start, end));
  });
  return Buffer.concat([...parts, ...added.values()]);
}

/** Visits the days that `keeps` names, with the place of their figures. */
export function eachDay(
  stored: Uint8Array,
  keeps: KeepsDay,
  visit: (day: number, start: number, end: number, read: number) => void,
): void {
  eachEntry(stored, ({ day, read, figuresAt, end }) => {
    if (keeps(day, read)) visit(day, figuresAt, end, read);
  });
}
