import { scaled } from './decimal.ts';
import { PlatformError } from './error.ts';

/** Converts an amount in whole units to micros, whatever the currency. */
export function micro(platform: string, amount: number): number {
  const units = scaled(amount, 6);
  if (units !== undefined) return Number(units);
  throw new PlatformError(platform, 'rejected', `${amount} has more decimals than an amount can hold`);
}
