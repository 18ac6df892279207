import { isoFactor, plainDecimal } from '../decimal.ts';
import { PlatformError } from '../error.ts';

/** This platform follows ISO 4217. */
export const currencyFactor = isoFactor;

const microDigits = 6;

/** The smallest amount of a currency, in micros. */
export const minimumUnit = (currency: string): bigint => 1_000_000n / BigInt(currencyFactor(currency));

/** Converts an amount in whole units to micros, whatever the currency, without rounding. */
export function toMicros(amount: number, currency: string): bigint {
  const [whole = '0', fraction = ''] = plainDecimal(amount).split('.');
  const micros =
    /^\d+$/.test(whole + fraction) && fraction.length <= microDigits
      ? BigInt(whole + fraction.padEnd(microDigits, '0'))
      : undefined;
  if (micros === undefined || micros % minimumUnit(currency) !== 0n) {
    throw new PlatformError('B', 'rejected', `${amount} is not a valid amount in ${currency}`);
  }
  return micros;
}

/** Converts micros to whole units. */
export function fromMicros(micros: string): number {
  const digits = micros.padStart(microDigits + 1, '0');
  return Number(`${digits.slice(0, -microDigits)}.${digits.slice(-microDigits)}`);
}

/** Daily share of a total, rounded down to the currency's smallest unit, but never to zero. */
export function perDay(total: bigint, days: number, currency: string): bigint {
  const unit = minimumUnit(currency);
  const units = total / BigInt(days) / unit;
  return (units > 0n ? units : 1n) * unit;
}
