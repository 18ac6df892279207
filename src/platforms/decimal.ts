/** Converts an amount to an integer of 10^-digits units without rounding; undefined if it has more digits. */
export function scaled(amount: number, digits: number): string | undefined {
  const [whole = '0', fraction = ''] = plainDecimal(amount).split('.');
  if (!/^\d+$/.test(whole + fraction) || fraction.length > digits) return undefined;
  return (whole + fraction.padEnd(digits, '0')).replace(/^0+(?=\d)/, '');
}

/** Converts an integer of 10^-digits units to whole units. */
export const unscaled = (units: number | string, digits: number): number => Number(units) / 10 ** digits;

/** Formats a number without an exponent. */
export function plainDecimal(amount: number): string {
  const text = String(amount);
  return text.includes('e') ? amount.toFixed(20).replace(/\.?0+$/, '') : text;
}

const wholeUnits = new Set('BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX UYI VND VUV XAF XOF XPF'.split(' '));

/** Smallest units per whole unit of a currency by ISO 4217, for platforms without their own table. */
export const isoFactor = (currency: string): number => (wholeUnits.has(currency) ? 1 : 100);

/**
 * Parses a decimal amount in whole units to integer millionths on its digits; half of a millionth goes to the even
 * one. Null for an empty text and `-`; throws for anything else that is not a plain decimal.
 */
export function millionths(text: string): bigint | null {
  if (text === '' || text === '-') return null;
  const [, sign, whole = '', fraction = ''] = /^(-?)(\d+)(?:\.(\d+))?$/.exec(text) ?? [];
  if (sign === undefined) throw new Error(`${JSON.stringify(text.slice(0, 40))} is not a plain decimal number`);
  const kept = BigInt(whole + fraction.slice(0, 6).padEnd(6, '0'));
  const rest = fraction.slice(6).replace(/0+$/, '');
  const isUp = rest === '5' ? kept % 2n === 1n : rest >= '5';
  const units = isUp ? kept + 1n : kept;
  return sign === '-' ? -units : units;
}
