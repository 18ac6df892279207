import type { AdStatus } from '../../contract/ad.ts';
import type { AdDoc } from '../../models/ad.ts';
import type { PendingEvent } from '../../models/pending-event.ts';
import { newOutboxEvent } from '../durable/outbox.ts';
import type { Services } from '../context.ts';
import { recomputeAggregates } from '../campaigns/recompute-aggregates.ts';
import { withCurrency } from './currency.ts';
import { toAd } from './to-ad.ts';

/** The event of an ad that stands otherwise than before; it goes with the write that moves it. */
export const statusChanged = (ad: AdDoc, previousStatus: AdStatus): PendingEvent =>
  newOutboxEvent('ad.status_changed', { ad: { ...toAd(ad), previousStatus } }, ad.updatedAt);

/** Gives ads their new status, each with its event, and their campaigns theirs. What moved meanwhile stays as it is. */
export async function applyAdStatus(services: Services, ads: AdDoc[], status: AdStatus): Promise<void> {
  const moved = await withCurrency(
    services,
    ads.filter((ad) => ad.status !== status),
  );
  const updatedAt = services.clock.now();
  if (moved.length > 0) {
    await services.db.ads.bulkWrite(
      moved.map((ad) => ({
        updateOne: {
          filter: { _id: ad._id, status: ad.status },
          update: {
            $set: { status, rejectionReason: ad.rejectionReason, updatedAt },
            $push: { pendingEvents: statusChanged({ ...ad, status, updatedAt }, ad.status) },
          },
        },
      })) as never,
      { ordered: false },
    );
    services.wakeRelay();
  }
  await recomputeAggregates(
    services.db,
    ads.map(({ campaignRef }) => campaignRef),
  );
}
