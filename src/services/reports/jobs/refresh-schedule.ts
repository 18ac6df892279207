import type { ReportLevel } from '../../../contract/reporting/metrics.ts';
import type { AdFigureSourceDoc } from '../../../models/ad-figures.ts';
import type { Services } from '../../context.ts';
import { nextSlot } from '../../discovery/schedule.ts';
import type { WorkQuery } from '../../durable/find-work.ts';
import { dueBy } from '../../durable/lease.ts';
import { addDays } from '../../../lib/calendar-days.ts';
import { daysUntilFinal } from '../freshness.ts';
import { refreshEveryMs } from '../source-lease.ts';
import { todayOf } from './next-days.ts';
import { requestJob } from './request-job.ts';

const batch = 100;
/** Ad accounts without a request for so long are no longer kept up to date. */
const askedWithinMs = 14 * 86_400_000;

const dueSources = (now: Date) => ({ refreshAt: dueBy(now) });

export const scheduledReadWork = ({ db, clock }: Pick<Services, 'db' | 'clock'>): WorkQuery[] => [
  { source: db.adFigureSources, filter: dueSources(clock.now()) },
];

/** Requests the daily reads of days that may still change, for levels of ad accounts that are in use. */
export async function requestDueRefreshes(services: Services): Promise<void> {
  const { db, clock } = services;
  const now = clock.now();
  const due = await db.adFigureSources.find(dueSources(now)).limit(batch).lean();
  for (const source of due) {
    const levels = levelsInUse(source, now);
    const { modifiedCount } = await db.adFigureSources.updateOne(
      { _id: source._id, refreshAt: source.refreshAt },
      levels.length > 0
        ? { $set: { refreshAt: nextSlot(source._id, now, refreshEveryMs) } }
        : { $unset: { refreshAt: 1 } },
    );
    if (modifiedCount > 0) for (const level of levels) await requestRefresh(services, source, level);
  }
}

const levelsInUse = ({ askedAt }: AdFigureSourceDoc, now: Date): ReportLevel[] =>
  Object.entries(askedAt)
    .filter(([, at]) => now.getTime() - at.getTime() < askedWithinMs)
    .map(([level]) => level as ReportLevel);

async function requestRefresh(services: Services, source: AdFigureSourceDoc, level: ReportLevel): Promise<void> {
  const { userId, accountId, platform, adAccountId, timeZone } = source;
  const today = todayOf(services, { timeZone });
  const adAccount = { id: adAccountId };
  const range = { fromDate: addDays(today, -daysUntilFinal(platform) - 1), toDate: addDays(today, -1) };
  await requestJob(services, { accountId, platform, adAccount, level, timeZone }, { userId, ...range });
}
