import type { AdStatus } from '../../contract/ad.ts';
import type { ActivityChange, Author } from '../../models/activity.ts';
import type { SentStep } from '../../models/sent-step.ts';
import type { AdDoc } from '../../models/ad.ts';
import type { PendingEvent } from '../../models/pending-event.ts';
import { objectOf } from '../activity/level-activity.ts';
import { changesOf, newActivity } from '../activity/new-activity.ts';
import { newOutboxEvent } from '../durable/outbox.ts';
import type { Services } from '../context.ts';
import { recomputeAggregates } from '../campaigns/recompute-aggregates.ts';
import { withCurrency } from './currency.ts';
import { toAd } from './to-ad.ts';

/** The event of an ad that stands otherwise than before; it goes with the write that moves it. */
export const statusChanged = (ad: AdDoc, previousStatus: AdStatus): PendingEvent =>
  newOutboxEvent('ad.status_changed', { ad: { ...toAd(ad), previousStatus } }, ad.updatedAt);

/**
 * Gives ads their new status, each with its event, and their campaigns theirs. What moved meanwhile stays as it is. With an
 * author, each is an entry of the activity trail. Returns how many moved.
 */
export async function applyAdStatus(
  services: Services,
  ads: AdDoc[],
  status: AdStatus,
  by?: SwitchedBy,
): Promise<number> {
  const moved = await withCurrency(
    services,
    ads.filter((ad) => ad.status !== status),
  );
  const updatedAt = services.clock.now();
  const itemsOf = (ad: AdDoc): PendingEvent[] => [
    statusChanged({ ...ad, status, updatedAt }, ad.status),
    ...(by ? [switchActivity(ad, { ...by, at: updatedAt, changes: changesOf(ad, { status }) })] : []),
  ];
  let matched = 0;
  if (moved.length > 0) {
    ({ matchedCount: matched } = await services.db.ads.bulkWrite(
      moved.map((ad) => ({
        updateOne: {
          filter: { _id: ad._id, status: ad.status },
          update: {
            $set: { status, rejectionReason: ad.rejectionReason, updatedAt },
            $push: { pendingEvents: { $each: itemsOf(ad) } },
          },
        },
      })) as never,
      { ordered: false },
    ));
    services.wakeRelay();
  }
  await recomputeAggregates(
    services.db,
    ads.map(({ campaignRef }) => campaignRef),
  );
  return matched;
}

interface SwitchedBy {
  author: Author;
  /** What was sent for it. */
  steps: SentStep[];
}

interface Switched extends SwitchedBy {
  at: Date;
  changes: ActivityChange[];
}

/** The entry of an ad that is paused or resumed. */
export const switchActivity = (ad: AdDoc, { author, at, changes, steps }: Switched): PendingEvent =>
  newActivity({ action: 'ad.status_changed', author, ...objectOf('ad', ad), changes, steps }, { at });
