import type { ReportLevel } from '../../../contract/reporting/metrics.ts';
import type { AdFigureSourceDoc } from '../../../models/ad-figures.ts';
import type { Services } from '../../context.ts';
import { nextSlot } from '../../discovery/schedule.ts';
import { writeAll } from '../../../models/driver.ts';
import type { WorkQuery } from '../../durable/find-work.ts';
import { dueBy } from '../../durable/lease.ts';
import { addDays } from '../../../lib/calendar-days.ts';
import { daysUntilFinal } from '../freshness.ts';
import { refreshEveryMs } from '../source-lease.ts';
import { todayOf } from './next-days.ts';
import { requestJobs, type JobRequest } from './request-job.ts';

const batch = 100;
/** Ad accounts without a request for so long are no longer kept up to date. */
const askedWithinMs = 14 * 86_400_000;

const dueSources = (now: Date) => ({ refreshAt: dueBy(now) });

export const scheduledReadWork = ({ db, clock }: Pick<Services, 'db' | 'clock'>): WorkQuery[] => [
  { source: db.adFigureSources, filter: dueSources(clock.now()) },
];

/**
 * Requests the daily reads of days that may still change, for levels of ad accounts that are in use. The requests come before
 * the next slots, so that a crash between them loses none.
 */
export async function requestDueRefreshes(services: Services): Promise<void> {
  const { db, clock } = services;
  const now = clock.now();
  const due = await db.adFigureSources.find(dueSources(now)).limit(batch).lean();
  if (due.length === 0) return;
  const requests = due.flatMap((source) => levelsInUse(source, now).map((level) => refreshOf(services, source, level)));
  await requestJobs(services, requests);
  const slots = due.map((source) => {
    const { _id, refreshAt } = source;
    const next = { $set: { refreshAt: nextSlot(_id, now, refreshEveryMs) } };
    const update = levelsInUse(source, now).length > 0 ? next : { $unset: { refreshAt: 1 } };
    return { updateOne: { filter: { _id, refreshAt }, update } };
  });
  await writeAll(db.adFigureSources, slots);
}

const levelsInUse = ({ askedAt }: AdFigureSourceDoc, now: Date): ReportLevel[] =>
  Object.entries(askedAt)
    .filter(([, at]) => now.getTime() - at.getTime() < askedWithinMs)
    .map(([level]) => level as ReportLevel);

function refreshOf(
  services: Services,
  { userId, accountId, platform, adAccountId, timeZone }: AdFigureSourceDoc,
  level: ReportLevel,
): JobRequest {
  const today = todayOf(services, { timeZone });
  const range = { fromDate: addDays(today, -daysUntilFinal(platform) - 1), toDate: addDays(today, -1) };
  return { target: { accountId, platform, adAccount: { id: adAccountId }, level, timeZone }, userId, range };
}
