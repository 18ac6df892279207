import { plus, type Exact } from './exact.ts';

/** A figure that is missing was not reported; null is withheld. */
export type Amount = Exact | null | undefined;

const missing = Number.NaN;
const withheld = Number.NEGATIVE_INFINITY;
/** Stands for a bigint, which is in `bigints`. */
const large = Number.POSITIVE_INFINITY;

/** The figures of a row or a sum, by their codes. Doubles in a typed array, because a report reads millions of them. */
export class Amounts {
  private readonly numbers: Float64Array;
  private bigints: Map<number, bigint> | undefined;

  constructor(codes: number) {
    this.numbers = new Float64Array(codes).fill(missing);
  }

  get(code: number): Amount {
    const number = this.numbers[code] ?? missing;
    if (Math.abs(number) < large) return number;
    if (number === large) return this.bigints?.get(code);
    return number === withheld ? null : undefined;
  }

  /** A figure as a double; not finite if it is unknown or large. */
  number(code: number): number {
    return this.numbers[code] ?? missing;
  }

  set(code: number, amount: Amount): void {
    if (typeof amount === 'bigint') (this.bigints ??= new Map()).set(code, amount);
    this.setNumber(code, typeof amount === 'number' ? amount : markOf(amount));
  }

  /** A third faster than `set` for the millions of figures that are decoded. */
  setNumber(code: number, amount: number): void {
    this.numbers[code] = amount;
  }

  has(code: number): boolean {
    return !Number.isNaN(this.numbers[code] ?? missing);
  }

  clear(): void {
    this.numbers.fill(missing);
  }

  copy(): Amounts {
    const copy = new Amounts(this.numbers.length);
    copy.numbers.set(this.numbers);
    if (this.bigints) copy.bigints = new Map(this.bigints);
    return copy;
  }

  /** Adds the figure of the same code. An unknown part makes the sum unknown. */
  add(code: number, other: Amounts): void {
    const sum = (this.numbers[code] ?? missing) + (other.numbers[code] ?? missing);
    if (Math.abs(sum) <= Number.MAX_SAFE_INTEGER) this.numbers[code] = sum;
    else this.set(code, sumOf(this.get(code), other.get(code)));
  }
}

const markOf = (amount: bigint | null | undefined): number => {
  if (amount === undefined) return missing;
  return amount === null ? withheld : large;
};

const sumOf = (a: Amount, b: Amount): Amount => {
  if (a === undefined || b === undefined) return undefined;
  return a === null || b === null ? null : plus(a, b);
};
