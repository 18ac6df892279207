import type { CreateAdInput } from '../../contract/ad-input.ts';
import { startLimits } from '../../contract/ad-input-parts.ts';
import type { StartPrecision } from '../../contract/capability.ts';
import type { Warning } from '../../contract/common.ts';
import { dayStartFrom } from '../../lib/account-time.ts';
import type { AdStep } from '../../models/ad.ts';
import type { AdAccount } from '../../platforms/platform.ts';

interface Placing {
  startPrecision: StartPrecision;
  adAccount: AdAccount;
  now: Date;
}

/** Clocks differ and requests take a while, so a start this close to now means now. */
const nearMs = startLimits.minutesOfNow * 60_000;
const dayMs = 86_400_000;

/** Leaves out a start around now, and moves any other to one that the platform supports, never to an earlier one. */
export function withSupportedStart(
  input: CreateAdInput,
  { startPrecision, adAccount, now }: Placing,
): { input: CreateAdInput; warnings: Warning[] } {
  if (input.startDate === undefined) return { input, warnings: [] };
  const requested = new Date(input.startDate);
  const warning = (message: string): Warning[] => [{ param: 'startDate', message }];
  if (Math.abs(requested.getTime() - now.getTime()) <= nearMs) {
    const { startDate: _near, ...rest } = input;
    return {
      input: rest,
      warnings: warning(`is within ${startLimits.minutesOfNow} minutes of now: the ad starts as soon as possible`),
    };
  }
  if (requested < now) return { input, warnings: [] };
  const start = rounded(requested, startPrecision, adAccount);
  const moved = { ...input, startDate: start.toISOString() };
  // A fraction of a second is not worth a warning.
  if (start.getTime() - requested.getTime() < 1000) return { input: moved, warnings: [] };
  const days = `campaigns of this platform start at the beginning of a day of the ad account (${adAccount.timezone})`;
  return { input: moved, warnings: warning(`is moved to ${start.toISOString()}: ${days}`) };
}

function rounded(start: Date, precision: StartPrecision, { timezone }: AdAccount): Date {
  const second = new Date(Math.ceil(start.getTime() / 1000) * 1000);
  return precision === 'day' && timezone ? dayStartFrom(second, timezone) : second;
}

/** Why an ad cannot start then. */
export function startProblem(
  { startDate, endDate }: CreateAdInput,
  { startPrecision, adAccount, now }: Placing,
): string | undefined {
  if (startDate === undefined) return undefined;
  const start = new Date(startDate);
  if (start <= now) return 'must be in the future';
  if (startPrecision === 'day' && !adAccount.timezone)
    return 'cannot be moved to the start of a day: the platform reports no time zone of the ad account; omit it';
  if (start > rounded(new Date(now.getTime() + startLimits.daysAhead * dayMs), startPrecision, adAccount))
    return `must be at most ${startLimits.daysAhead} days ahead`;
  return endDate !== undefined && start >= new Date(endDate)
    ? `must be before endDate, which is ${endDate}`
    : undefined;
}

/** The start that an order has sent; undefined if it left it to the platform. */
export const sentStart = (steps: readonly AdStep[]): Date | undefined =>
  steps.findLast(({ startDate }) => startDate !== undefined)?.startDate;

/** Warns about a requested start that had passed when the order reached the platform. */
export function lateStartWarning({ startDate }: CreateAdInput, steps: readonly AdStep[]): Warning[] {
  const sent = sentStart(steps);
  if (startDate === undefined || !sent || sent <= new Date(startDate)) return [];
  const message = `is moved to ${sent.toISOString()}: the order reached the platform too late for ${startDate}`;
  return [{ param: 'startDate', message }];
}
