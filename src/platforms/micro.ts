import { scaled } from './decimal.ts';
import { PlatformError } from './error.ts';

/** An amount in whole units as millionths of one, whatever the currency. */
export function micro(platform: string, amount: number): number {
  const units = scaled(amount, 6);
  if (units !== undefined) return Number(units);
  throw new PlatformError(platform, 'rejected', `${amount} has more decimals than an amount can hold`);
}
