/** An amount in whole units as an integer of 10^-digits units; worked out on its digits, undefined when it has more. */
export function scaled(amount: number, digits: number): string | undefined {
  const [whole = '0', fraction = ''] = plainDecimal(amount).split('.');
  if (!/^\d+$/.test(whole + fraction) || fraction.length > digits) return undefined;
  return (whole + fraction.padEnd(digits, '0')).replace(/^0+(?=\d)/, '');
}

/** An integer of 10^-digits units in whole units. */
export const unscaled = (units: number | string, digits: number): number => Number(units) / 10 ** digits;

/** A number without an exponent, in the digits that it is written with. */
function plainDecimal(amount: number): string {
  const text = String(amount);
  return text.includes('e') ? amount.toFixed(20).replace(/\.?0+$/, '') : text;
}

const wholeUnits = new Set('BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX UYI VND VUV XAF XOF XPF'.split(' '));

/** How many of its smallest units a currency has, by ISO 4217; for platforms without a table of their own. */
export const isoFactor = (currency: string): number => (wholeUnits.has(currency) ? 1 : 100);
