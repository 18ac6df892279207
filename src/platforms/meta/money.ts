import { scaled, unscaled } from '../decimal.ts';
import { PlatformError } from '../error.ts';

/** Currencies without minor units in the platform's own table, which is not ISO 4217. */
const wholeUnits = new Set(['CLP', 'COP', 'CRC', 'HUF', 'ISK', 'IDR', 'JPY', 'KRW', 'PYG', 'TWD', 'VND']);

export const currencyFactor = (currency: string): number => (wholeUnits.has(currency) ? 1 : 100);

/** Converts an amount in whole units to the platform's integer. */
export function toMinor(amount: number, currency: string): string {
  const minor = scaled(amount, digitsOf(currency));
  if (minor !== undefined) return minor;
  throw new PlatformError('A', 'rejected', `${amount} is not a valid amount in ${currency}`);
}

const digitsOf = (currency: string): number => (currencyFactor(currency) === 1 ? 0 : 2);

export const fromMinor = (minor: string | number, currency: string): number => unscaled(minor, digitsOf(currency));
