import type { AdPlatform } from '../../contract/platforms.ts';
import { reporting } from '../../contract/reporting/index.ts';
import { dayOf } from '../../lib/account-time.ts';
import { daysFrom } from '../../lib/calendar-days.ts';

const [minute, hour, day] = [60_000, 3_600_000, 86_400_000];
/** Never more than one read a minute, whatever a caller asks. */
const leastAgeMs = minute;

export interface Freshness {
  platform: AdPlatform;
  timeZone: string;
  today: string;
  now: Date;
  maxAgeSeconds?: number;
}

/** The number of days until the figures of a day no longer change. */
export const daysUntilFinal = (platform: AdPlatform): number => {
  const { deliveryDays, conversionDays } = reporting[platform].finalAfter;
  return Math.max(deliveryDays, conversionDays);
};

/** Whether figures of a day that were read at `readAt` no longer change: those of platforms count to the end of the last day. */
export const isFinalRead = (
  { platform, timeZone }: Pick<Freshness, 'platform' | 'timeZone'>,
  date: string,
  readAt: Date,
): boolean => daysFrom(date, dayOf(readAt, timeZone)) > daysUntilFinal(platform);

/** Whether a day that was read at `readAt` must be read again. Days change less the older they are, and in the end no more. */
export function isStale({ today, now, maxAgeSeconds, ...target }: Freshness, date: string, readAt: Date): boolean {
  const ageMs = now.getTime() - readAt.getTime();
  if (maxAgeSeconds !== undefined) return ageMs >= Math.max(leastAgeMs, maxAgeSeconds * 1000);
  return !isFinalRead(target, date, readAt) && ageMs >= intervalMs(daysFrom(date, today));
}

function intervalMs(age: number): number {
  if (age <= 0) return 15 * minute;
  if (age === 1) return hour;
  return age <= 3 ? 6 * hour : day;
}
