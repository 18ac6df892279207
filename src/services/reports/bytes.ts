import { exact, type Exact } from './exact.ts';

/** The low seven bits of each byte are digits; the highest says that more follow. */
const digit = 128;
const digits = 128n;
/** Larger ones are computed as bigint. */
const maxSafe = Number.MAX_SAFE_INTEGER / 2;
const [leastInteger, maxInteger] = [-(2n ** 63n), 2n ** 63n - 1n];

/** Writes integers in as few bytes as they need. */
export class ByteWriter {
  private bytes: Buffer;
  private length = 0;

  constructor(size = 256) {
    this.bytes = Buffer.allocUnsafe(size);
  }

  byte(value: number): void {
    if (this.length === this.bytes.length) this.bytes = Buffer.concat([this.bytes], 2 * this.bytes.length);
    this.bytes[this.length++] = value;
  }

  /** A number that is not negative. */
  count(value: number): void {
    let rest = value;
    for (; rest >= digit; rest = Math.floor(rest / digit)) this.byte((rest % digit) + digit);
    this.byte(rest);
  }

  /** A signed integer of 64 bits; throws beyond them. */
  integer(value: bigint): void {
    if (value < leastInteger || value > maxInteger) throw new RangeError(`${value} does not fit in 64 bits`);
    const number = Number(value);
    if (Math.abs(number) < maxSafe) return this.count(number < 0 ? -2 * number - 1 : 2 * number);
    let rest = value < 0n ? -2n * value - 1n : 2n * value;
    for (; rest >= digits; rest /= digits) this.byte(Number(rest % digits) + digit);
    this.byte(Number(rest));
  }

  append(other: Uint8Array): void {
    for (const byte of other) this.byte(byte);
  }

  take(): Buffer {
    const taken = Buffer.from(this.bytes.subarray(0, this.length));
    this.length = 0;
    return taken;
  }
}

/** Reads what ByteWriter wrote. */
export class ByteReader {
  at = 0;
  private readonly bytes: Uint8Array;

  constructor(bytes: Uint8Array, at = 0) {
    this.bytes = bytes;
    this.at = at;
  }

  get isAtEnd(): boolean {
    return this.at >= this.bytes.length;
  }

  byte(): number {
    return this.bytes[this.at++] ?? 0;
  }

  count(): number {
    const first = this.byte();
    if (first < digit) return first;
    let [value, scale] = [first - digit, digit];
    for (;;) {
      const byte = this.byte();
      if (byte < digit) return value + byte * scale;
      value += (byte - digit) * scale;
      scale *= digit;
    }
  }

  /** The sign is the last digit. */
  integer(): Exact {
    const start = this.at;
    const raw = this.count();
    if (raw > Number.MAX_SAFE_INTEGER) return this.largeFrom(start);
    const isNegative = ((this.bytes[start] ?? 0) & 1) === 1;
    return isNegative ? -(raw + 1) / 2 : raw / 2;
  }

  private largeFrom(start: number): Exact {
    let [value, scale] = [0n, 1n];
    for (let at = start; at < this.at; at++, scale *= digits) value += BigInt((this.bytes[at] ?? 0) % digit) * scale;
    return exact(value % 2n === 0n ? value / 2n : -(value + 1n) / 2n);
  }
}
