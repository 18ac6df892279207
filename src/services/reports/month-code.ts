import type { Figures } from '../../platforms/platform.ts';
import { ByteReader, ByteWriter } from './bytes.ts';
import { writeFigures, type EncodedFigures } from './figure-code.ts';

/** The days of one object in one month: for each the day of the month, the number of its read, and its figures. */
interface DayEntry {
  day: number;
  read: number;
  /** Where its bytes are. */
  start: number;
  end: number;
  figuresAt: number;
}

function nextEntry(reader: ByteReader): DayEntry {
  const start = reader.at;
  const day = reader.byte();
  const read = reader.count();
  const length = reader.count();
  const figuresAt = reader.at;
  reader.at += length;
  return { day, read, start, end: reader.at, figuresAt };
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
  const reader = new ByteReader(stored);
  const parts: Uint8Array[] = [];
  while (!reader.isAtEnd) {
    const { start, end, ...entry } = nextEntry(reader);
    const isReplaced = entry.read === read && added.has(entry.day);
    if (!isReplaced && keeps(entry.day, entry.read)) parts.push(stored.subarray(start, end));
  }
  return Buffer.concat([...parts, ...added.values()]);
}

/** Visits the days that `keeps` names. */
export function eachDay(
  stored: Uint8Array,
  keeps: KeepsDay,
  visit: (day: number, figures: EncodedFigures, read: number) => void,
): void {
  const reader = new ByteReader(stored);
  while (!reader.isAtEnd) {
    const { day, read, figuresAt, end } = nextEntry(reader);
    if (keeps(day, read)) visit(day, { bytes: stored, start: figuresAt, end }, read);
  }
}
