import { decimalText, type Exact } from './exact.ts';

const zero = 48;
const minus = 45;
const point = 46;
const maxInt = 2 ** 31;
const billion = 1_000_000_000;
const million = 1_000_000;
/** The numbers below 1000 with three digits each; a table is faster than divisions. */
const threeDigits = Uint8Array.from(
  { length: 3000 },
  (_, at) => zero + (Math.floor(at / 3 / 10 ** (2 - (at % 3))) % 10),
);
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

  /** Text that has been encoded before. */
  encoded(bytes: Uint8Array): void {
    this.reserve(bytes.length);
    this.bytes.set(bytes, this.at);
    this.at += bytes.length;
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
    if (value < maxInt) return this.small(value);
    const high = Math.floor(value / billion);
    this.small(high);
    const low = value - high * billion;
    this.threeDigits((low / million) | 0);
    this.sixDigits(low % million);
  }

  /** A number of at most 31 bits. */
  private small(value: number): void {
    const rest = value | 0;
    if (rest < 10) this.bytes[this.at++] = zero + rest;
    else if (rest < 1000) this.shortDigits(rest);
    else {
      const high = (rest / 1000) | 0;
      this.small(high);
      this.threeDigits(rest - high * 1000);
    }
  }

  private shortDigits(value: number): void {
    if (value >= 100) return this.threeDigits(value);
    this.bytes[this.at++] = threeDigits[3 * value + 1] ?? zero;
    this.bytes[this.at++] = threeDigits[3 * value + 2] ?? zero;
  }

  private threeDigits(value: number): void {
    const from = 3 * value;
    this.bytes[this.at] = threeDigits[from] ?? zero;
    this.bytes[this.at + 1] = threeDigits[from + 1] ?? zero;
    this.bytes[this.at + 2] = threeDigits[from + 2] ?? zero;
    this.at += 3;
  }

  private sixDigits(value: number): void {
    const high = (value / 1000) | 0;
    this.threeDigits(high);
    this.threeDigits(value - high * 1000);
  }

  private fraction(millionths: number): void {
    if (millionths === 0) return;
    this.bytes[this.at++] = point;
    this.sixDigits(millionths);
    while (this.bytes[this.at - 1] === zero) this.at -= 1;
  }

  /** What has been written; the writer begins again. A string, because buffers outside the heap would outlive their use. */
  take(): string {
    const taken = this.bytes.toString('utf8', 0, this.at);
    this.at = 0;
    return taken;
  }
}
