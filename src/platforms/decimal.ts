/** Converts an amount to an integer of 10^-digits units without rounding; undefined if it has more digits. */
export function scaled(amount: number, digits: number): string | undefined {
  const [whole = '0', fraction = ''] = plainDecimal(amount).split('.');
  if (!/^\d+$/.test(whole + fraction) || fraction.length > digits) return undefined;
  return (whole + fraction.padEnd(digits, '0')).replace(/^0+(?=\d)/, '');
}

/** Converts an integer of 10^-digits units to whole units. */
export const unscaled = (units: number | string, digits: number): number => Number(units) / 10 ** digits;

/** Formats a number without an exponent. */
function plainDecimal(amount: number): string {
  const text = String(amount);
  return text.includes('e') ? amount.toFixed(20).replace(/\.?0+$/, '') : text;
}

const wholeUnits = new Set('BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX UYI VND VUV XAF XOF XPF'.split(' '));

/** Smallest units per whole unit of a currency by ISO 4217, for platforms without their own table. */
export const isoFactor = (currency: string): number => (wholeUnits.has(currency) ? 1 : 100);
