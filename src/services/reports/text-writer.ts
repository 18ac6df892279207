import { decimalText, type Exact } from './exact.ts';

const comma = 44;
const minus = 45;
const point = 46;
const thousand = 1000;
const million = 1_000_000;
const billion = 1_000_000_000;
/** A sign, 16 digits, a point and 6 digits; three digits are written as four bytes. */
const maxNumberLength = 32;

/** The numbers below 1000 as the bytes of their digits, so that three digits are one write. */
const digitTable = (textOf: (number: number) => string): Uint32Array =>
  Uint32Array.from({ length: thousand }, (_, number) => Buffer.from(textOf(number).padEnd(4)).readUInt32LE());
const zeroPadded = (number: number): string => String(number).padStart(3, '0');
const paddedDigits = digitTable(zeroPadded);
const unpaddedDigits = digitTable(String);
/** How many of the three digits are left without trailing zeros. */
const significantDecimals = Uint8Array.from(
  { length: thousand },
  (_, number) => zeroPadded(number).replace(/0+$/, '').length,
);

/** Writes the digits of a safe integer with 0 or 6 decimals, and returns where they end. */
function writeNumber(view: DataView, start: number, value: number, decimals: number): number {
  let at = start;
  if (value < 0) view.setUint8(at++, minus);
  const positive = Math.abs(value);
  if (decimals === 0) return writeInteger(view, at, positive);
  const whole = Math.floor(positive / million);
  return writeFraction(view, writeInteger(view, at, whole), positive - whole * million);
}

function writeInteger(view: DataView, start: number, value: number): number {
  if (value < billion) return writeUnpadded(view, start, value | 0);
  const high = Math.floor(value / billion);
  const low = (value - high * billion) | 0;
  const millions = (low / million) | 0;
  const at = writeThree(view, writeUnpadded(view, start, high), millions);
  return writeSix(view, at, low - millions * million);
}

/** An integer below a billion, without leading zeros. */
function writeUnpadded(view: DataView, start: number, value: number): number {
  if (value < thousand) return writeFirst(view, start, value);
  const thousands = (value / thousand) | 0;
  const low = value - thousands * thousand;
  if (value < million) return writeThree(view, writeFirst(view, start, thousands), low);
  const millions = (thousands / thousand) | 0;
  const at = writeThree(view, writeFirst(view, start, millions), thousands - millions * thousand);
  return writeThree(view, at, low);
}

function writeFirst(view: DataView, start: number, value: number): number {
  view.setUint32(start, unpaddedDigits[value] ?? 0, true);
  return start + (value < 10 ? 1 : value < 100 ? 2 : 3);
}

function writeThree(view: DataView, at: number, value: number): number {
  view.setUint32(at, paddedDigits[value] ?? 0, true);
  return at + 3;
}

function writeSix(view: DataView, at: number, value: number): number {
  const high = (value / thousand) | 0;
  return writeThree(view, writeThree(view, at, high), value - high * thousand);
}

function writeFraction(view: DataView, at: number, millionths: number): number {
  if (millionths === 0) return at;
  view.setUint8(at, point);
  const high = (millionths / thousand) | 0;
  const low = millionths - high * thousand;
  view.setUint32(at + 1, paddedDigits[high] ?? 0, true);
  if (low === 0) return at + 1 + (significantDecimals[high] ?? 3);
  view.setUint32(at + 4, paddedDigits[low] ?? 0, true);
  return at + 4 + (significantDecimals[low] ?? 3);
}

/** The numbers of a row: NaN is an empty cell, and Infinity one that `exactAt` returns. */
export interface Cells {
  numbers: Float64Array;
  /** 0 or 6 for each of them. */
  decimals: Uint8Array;
  exactAt: (index: number) => Exact;
}

/** Text as UTF-8, padded to four bytes. */
export interface EncodedText {
  view: DataView;
  length: number;
}

export function encodeText(text: string): EncodedText {
  const length = Buffer.byteLength(text);
  const view = new DataView(new ArrayBuffer(Math.ceil(length / 4) * 4));
  Buffer.from(view.buffer).write(text);
  return { view, length };
}

/** Writes text and numbers as UTF-8, without a string for each number. */
export class TextWriter {
  private bytes = Buffer.alloc(0);
  private view = new DataView(this.bytes.buffer);
  private at = 0;

  constructor(size: number) {
    this.reserve(size);
  }

  get length(): number {
    return this.at;
  }

  private reserve(more: number): void {
    if (this.at + more <= this.bytes.length) return;
    this.bytes = Buffer.concat([this.bytes], Math.max(2 * this.bytes.length, this.at + more));
    this.view = new DataView(this.bytes.buffer, this.bytes.byteOffset, this.bytes.length);
  }

  text(text: string): void {
    this.reserve(3 * text.length);
    this.at += this.bytes.write(text, this.at);
  }

  /** Text that has been encoded before. */
  encoded({ view: source, length }: EncodedText): void {
    this.reserve(length + 3);
    const { view, at } = this;
    for (let from = 0; from < length; from += 4) view.setUint32(at + from, source.getUint32(from));
    this.at = at + length;
  }

  /** Numbers without trailing zeros, each after a comma. */
  cells({ numbers, decimals, exactAt }: Cells): void {
    const room = numbers.length * maxNumberLength;
    this.reserve(room);
    let { view, at } = this;
    for (let index = 0; index < numbers.length; index++) {
      view.setUint8(at++, comma);
      const number = numbers[index]!;
      if (Number.isNaN(number)) continue;
      const integer = number | 0;
      if (integer === number && integer >= 0 && integer < billion) {
        // Most numbers of a file; integers are written faster than doubles.
        if (decimals[index] === 0) at = writeUnpadded(view, at, integer);
        else {
          const whole = (integer / million) | 0;
          at = writeFraction(view, writeUnpadded(view, at, whole), integer - whole * million);
        }
      } else if (number < Infinity) at = writeNumber(view, at, number, decimals[index]!);
      else {
        this.at = at;
        this.text(decimalText(exactAt(index), decimals[index]!));
        this.reserve(room);
        ({ view, at } = this);
      }
    }
    this.at = at;
  }

  /** What has been written; the writer begins again. A string, because buffers outside the heap would outlive their use. */
  take(): string {
    const taken = this.bytes.toString('utf8', 0, this.at);
    this.at = 0;
    return taken;
  }
}
