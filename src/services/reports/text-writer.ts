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
  const whole = positive < billion ? ((positive | 0) / million) | 0 : Math.floor(positive / million);
  at = writeInteger(view, at, whole);
  return writeFraction(view, at, (positive - whole * million) | 0);
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
  const high = (value / thousand) | 0;
  if (high > 0) return writeThree(view, writeUnpadded(view, start, high), value - high * thousand);
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
  const end = writeSix(view, at + 1, millionths);
  const low = millionths % thousand;
  if (low > 0) return end - 3 + (significantDecimals[low] ?? 3);
  return end - 6 + (significantDecimals[(millionths / thousand) | 0] ?? 3);
}

/** The numbers of a row: NaN is an empty cell, and Infinity one that `exactAt` returns. */
export interface Cells {
  numbers: Float64Array;
  /** 0 or 6 for each of them. */
  decimals: Uint8Array;
  exactAt: (index: number) => Exact;
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
  encoded(bytes: Uint8Array): void {
    this.reserve(bytes.length);
    this.bytes.set(bytes, this.at);
    this.at += bytes.length;
  }

  /** Numbers without trailing zeros, each after a comma. */
  cells({ numbers, decimals, exactAt }: Cells): void {
    const room = numbers.length * maxNumberLength;
    this.reserve(room);
    let { view, at } = this;
    for (let index = 0; index < numbers.length; index++) {
      view.setUint8(at++, comma);
      const number = numbers[index] ?? Number.NaN;
      if (Math.abs(number) < Infinity) at = writeNumber(view, at, number, decimals[index] ?? 0);
      else if (number === Infinity) {
        this.at = at;
        this.text(decimalText(exactAt(index), decimals[index] ?? 0));
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
