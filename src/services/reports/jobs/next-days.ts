import { dayOf } from '../../../lib/account-time.ts';
import type { AdFigureJobDoc } from '../../../models/ad-figures.ts';
import type { Services } from '../../context.ts';
import { coveredDay, readCoverage, type VersionedTarget } from '../coverage.ts';
import { daysOf, monthOf, type DayRange } from '../../../lib/calendar-days.ts';
import { isStale } from '../freshness.ts';

export const todayOf = ({ clock }: Pick<Services, 'clock'>, { timeZone }: { timeZone: string }): string =>
  dayOf(clock.now(), timeZone);

/**
 * The days that a job reads next: those of the newest month that were missing or too old when it was requested. Whatever was
 * read since then, by this job or another process, is left out, so a killed job goes on where it was.
 */
export async function nextDays(
  services: Services,
  { fromDate, toDate, requestedAt, maxAgeSeconds, step }: AdFigureJobDoc,
  target: VersionedTarget,
): Promise<{ range?: DayRange; left: number }> {
  const coverage = await readCoverage(services, target, { fromDate, toDate });
  const { platform, timeZone } = target;
  const freshness = { platform, timeZone, today: dayOf(requestedAt, timeZone), now: requestedAt, maxAgeSeconds };
  const days = daysOf(fromDate, toDate).filter((date) => {
    const covered = coveredDay(coverage, date);
    return !covered || isStale(freshness, date, covered.at);
  });
  const last = days.at(-1);
  if (last === undefined) return { left: 0 };
  if (step) return { range: step, left: days.length };
  const ofMonth = days.filter((date) => monthOf(date) === monthOf(last));
  return { range: { fromDate: ofMonth[0] ?? last, toDate: last }, left: days.length };
}
