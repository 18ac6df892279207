import type { AdPlatform } from '../../contract/platforms.ts';
import { reporting } from '../../contract/reporting/index.ts';
import { dayOf } from '../../lib/account-time.ts';
import { daysFrom } from '../../lib/calendar-days.ts';

const [minute, hour, day] = [60_000, 3_600_000, 86_400_000];
/** At most one read per minute, whatever age a caller requests. */
const minAgeMs = minute;

interface Freshness {
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

/** Whether the figures of a day were final when they were read. */
export const isFinalRead = (
  { platform, timeZone }: Pick<Freshness, 'platform' | 'timeZone'>,
  date: string,
  readAt: Date,
): boolean => {
  const limit = daysUntilFinal(platform);
  const age = daysFrom(date, readAt.toISOString().slice(0, 10));
  // The day in a time zone, which takes long to compute, is at most one before or after that in UTC.
  return Math.abs(age - limit) > 1 ? age > limit : daysFrom(date, dayOf(readAt, timeZone)) > limit;
};

/** Whether a day that was read at `readAt` must be read again. The older a day is, the less often it changes. */
export function isStale({ today, now, maxAgeSeconds, ...target }: Freshness, date: string, readAt: Date): boolean {
  const ageMs = now.getTime() - readAt.getTime();
  if (maxAgeSeconds !== undefined) return ageMs >= Math.max(minAgeMs, maxAgeSeconds * 1000);
  return !isFinalRead(target, date, readAt) && ageMs >= intervalMs(daysFrom(date, today));
}

function intervalMs(age: number): number {
  if (age <= 0) return 15 * minute;
  if (age === 1) return hour;
  return age <= 3 ? 6 * hour : day;
}
