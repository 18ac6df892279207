import { PlatformError } from '../error.ts';

/** Currencies that are sent in whole units. This is the platform's own table, not ISO 4217. */
const wholeUnits = new Set(['CLP', 'COP', 'CRC', 'HUF', 'ISK', 'IDR', 'JPY', 'KRW', 'PYG', 'TWD', 'VND']);

export const currencyFactor = (currency: string): number => (wholeUnits.has(currency) ? 1 : 100);

/** An amount in whole units as the integer that the platform takes; worked out on the digits, so nothing is rounded. */
export function toMinor(amount: number, currency: string): string {
  const digits = currencyFactor(currency) === 1 ? 0 : 2;
  const [whole = '0', fraction = ''] = plainDecimal(amount).split('.');
  if (!/^\d+$/.test(whole + fraction) || fraction.length > digits) {
    throw new PlatformError('A', 'rejected', `${amount} is not an amount that ${currency} can hold`);
  }
  return (whole + fraction.padEnd(digits, '0')).replace(/^0+(?=\d)/, '');
}

/** A number without an exponent, in the digits that it is written with. */
function plainDecimal(amount: number): string {
  const text = String(amount);
  return text.includes('e') ? amount.toFixed(20).replace(/\.?0+$/, '') : text;
}
