import { decimalText, type Exact } from './exact.ts';

const zero = 48;
const minus = 45;
const point = 46;
const maxInt = 2 ** 31;
const billion = 1_000_000_000;
const million = 1_000_000;
/** The longest number that is written digit by digit. */
const maxNumberLength = 32;

/** Writes text and numbers as UTF-8, without a string for each number. */
export class TextWriter {
  private bytes: Buffer;
  private at = 0;

  constructor(size: number) {
    this.bytes = Buffer.allocUnsafe(size);
  }

  get length(): number {
    return this.at;
  }

  private reserve(more: number): void {
    if (this.at + more <= this.bytes.length) return;
    this.bytes = Buffer.concat([this.bytes], Math.max(2 * this.bytes.length, this.at + more));
  }

  byte(value: number): void {
    this.reserve(1);
    this.bytes[this.at++] = value;
  }

  text(text: string): void {
    this.reserve(3 * text.length);
    this.at += this.bytes.write(text, this.at);
  }

  /** An integer with a number of decimals, 0 or 6, without zeros at the end. */
  decimal(value: Exact, decimals: 0 | 6): void {
    if (typeof value !== 'number') return this.text(decimalText(value, decimals));
    this.reserve(maxNumberLength);
    if (value < 0) this.bytes[this.at++] = minus;
    const positive = Math.abs(value);
    if (decimals === 0) return this.integer(positive);
    const whole = Math.floor(positive / million);
    this.integer(whole);
    this.fraction(positive - whole * million);
  }

  private integer(value: number): void {
    if (value < maxInt) return this.digits(value, 1);
    const high = Math.floor(value / billion);
    this.digits(high, 1);
    this.digits(value - high * billion, 9);
  }

  private fraction(millionths: number): void {
    if (millionths === 0) return;
    this.bytes[this.at++] = point;
    let [rest, count] = [millionths, 6];
    for (; rest % 10 === 0; rest = (rest / 10) | 0) count -= 1;
    this.digits(rest, count);
  }

  /** A number of at most 31 bits, with zeros before it up to a number of digits. */
  private digits(value: number, least: number): void {
    let count = least;
    for (let bound = 10 ** least; value >= bound; bound *= 10) count += 1;
    let rest = value | 0;
    for (let at = this.at + count - 1; at >= this.at; at -= 1) {
      const next = (rest / 10) | 0;
      this.bytes[at] = zero + rest - next * 10;
      rest = next;
    }
    this.at += count;
  }

  /** What has been written; the writer begins again. */
  take(): Buffer {
    const taken = this.bytes.subarray(0, this.at);
    this.bytes = Buffer.allocUnsafe(this.bytes.length);
    this.at = 0;
    return taken;
  }
}
