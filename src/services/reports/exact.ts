/** An integer of any size: a number if it is a safe integer, otherwise a bigint. */
export type Exact = number | bigint;

export const exact = (value: bigint): Exact => {
  const number = Number(value);
  return Number.isSafeInteger(number) ? number : value;
};

export function plus(a: Exact, b: Exact): Exact {
  if (typeof a === 'number' && typeof b === 'number') {
    const sum = a + b;
    if (Number.isSafeInteger(sum)) return sum;
  }
  return exact(BigInt(a) + BigInt(b));
}

/** `numerator * scale / denominator`, rounded half away from zero. */
export function quotient(numerator: Exact, scale: number, denominator: Exact): Exact {
  if (typeof numerator === 'number' && typeof denominator === 'number') {
    const safe = safeQuotient(numerator, scale, denominator);
    if (!Number.isNaN(safe)) return safe;
  }
  return exact(bigQuotient(BigInt(numerator) * BigInt(scale), BigInt(denominator)));
}

/** NaN if a step is beyond safe integers or the denominator is 0. Within them, the floor of a quotient of doubles is exact. */
export function safeQuotient(numerator: number, scale: number, denominator: number): number {
  if (denominator === 0) return Number.NaN;
  const n = Math.abs(numerator);
  const d = Math.abs(denominator);
  const doubled = 2 * n * scale + d;
  const result = doubled > Number.MAX_SAFE_INTEGER ? largeQuotient(n, scale, d) : Math.floor(doubled / (2 * d));
  return numerator < 0 === denominator < 0 || result === 0 ? result : -result;
}

/** Divides before it multiplies. */
function largeQuotient(n: number, scale: number, d: number): number {
  const whole = Math.floor(n / d);
  const doubledRest = 2 * (n - whole * d) * scale + d;
  if (doubledRest > Number.MAX_SAFE_INTEGER) return Number.NaN;
  const result = whole * scale + Math.floor(doubledRest / (2 * d));
  return result > Number.MAX_SAFE_INTEGER ? Number.NaN : result;
}

function bigQuotient(numerator: bigint, denominator: bigint): bigint {
  const isNegative = numerator < 0n !== denominator < 0n;
  const [n, d] = [numerator < 0n ? -numerator : numerator, denominator < 0n ? -denominator : denominator];
  const rounded = (2n * n + d) / (2n * d);
  return isNegative ? -rounded : rounded;
}

/** The exact decimal text of an integer with a number of decimals. */
export function decimalText(amount: Exact, decimals: number): string {
  const digits = String(amount < 0 ? -amount : amount).padStart(decimals + 1, '0');
  const whole = digits.slice(0, digits.length - decimals);
  const fraction = digits.slice(digits.length - decimals).replace(/0+$/, '');
  return `${amount < 0 ? '-' : ''}${whole}${fraction && `.${fraction}`}`;
}

/** The nearest double. */
export const decimalNumber = (amount: Exact, decimals: number): number =>
  typeof amount === 'number' ? amount / 10 ** decimals : Number(decimalText(amount, decimals));
