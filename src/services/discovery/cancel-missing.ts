import type { AdStatus } from '../../contract/ad.ts';
import type { AdDoc } from '../../models/ad.ts';
import type { PendingEvent } from '../../models/pending-event.ts';
import type { Services } from '../context.ts';
import { atPlatform } from '../activity/author.ts';
import { foundAdStatus } from '../activity/found-activity.ts';
import { statusChanged } from '../ads/apply-status.ts';
import { setValues } from '../campaigns/set-values.ts';
import type { Scope } from './scope.ts';

const batch = 500;
const liveStatuses: AdStatus[] = ['active', 'pending_review', 'paused', 'completed', 'rejected'];

const unseenIn = ({ account, adAccount, startedAt }: Scope) => ({
  accountId: account._id,
  platformAdAccountId: adAccount.id,
  seenAt: { $lt: startedAt },
});
const liveAds = { status: { $in: liveStatuses } };
const liveParents = { platformStatus: { $ne: 'cancelled' } } as const;

/** Whether something that stood there is missing from what was read so far. */
export async function isAnythingMissing({ db }: Services, scope: Scope): Promise<boolean> {
  const unseen = unseenIn(scope);
  const found = await Promise.all([
    db.ads.exists({ ...unseen, ...liveAds }),
    db.campaigns.exists({ ...unseen, ...liveParents }),
    db.adSets.exists({ ...unseen, ...liveParents }),
  ]);
  return found.some((one) => one !== null);
}

/** Marks ads missing from a complete read as cancelled; returns how many. */
export async function cancelMissing(services: Services, scope: Scope): Promise<number> {
  const { db, clock } = services;
  const unseen = unseenIn(scope);
  for (const kind of ['campaign', 'ad_set'] as const)
    await cancelParents(services, kind, { missing: { ...unseen, ...liveParents }, readAt: scope.startedAt });
  let cancelled = 0;
  for (;;) {
    const ads = await db.ads
      .find({ ...unseen, ...liveAds }, { order: 0, steps: 0, pendingEvents: 0 })
      .limit(batch)
      .lean();
    if (ads.length === 0) return cancelled;
    const updatedAt = clock.now();
    const isLive = { _id: { $in: ads.flatMap(({ adSetRef }) => adSetRef ?? []) }, ...liveParents };
    const live = new Set((await db.adSets.find(isLive, { _id: 1 }).limit(batch).lean()).map(({ _id }) => _id));
    const itemsOf = (ad: AdDoc): PendingEvent[] => {
      const after = { ...ad, status: 'cancelled' as const, updatedAt };
      // If its ad set is gone too, the entry is that of the ad set.
      const entries = live.has(ad.adSetRef ?? '') ? [foundAdStatus(after, ad.status)] : [];
      return [statusChanged(after, ad.status), ...entries];
    };
    const writes = ads.map((ad) => ({
      updateOne: {
        filter: { _id: ad._id, status: ad.status, seenAt: unseen.seenAt },
        update: {
          $set: { status: 'cancelled', updatedAt },
          $push: { pendingEvents: { $each: itemsOf(ad) } },
        },
      },
    }));
    await db.ads.bulkWrite(writes as never, { ordered: false });
    cancelled += ads.length;
    services.wakeRelay();
  }
}

async function cancelParents(
  services: Services,
  kind: 'campaign' | 'ad_set',
  { missing, readAt }: { missing: object; readAt: Date },
): Promise<void> {
  const model = (kind === 'campaign' ? services.db.campaigns : services.db.adSets) as Services['db']['campaigns'];
  for (;;) {
    const found = await model.find(missing, { _id: 1 }).limit(batch).lean();
    if (found.length === 0) return;
    const values = { platformStatus: 'cancelled', readAt };
    const filter = { ...missing, _id: { $in: found.map(({ _id }) => _id) } };
    await setValues(services, kind, { filter, values, source: 'platform', author: atPlatform });
  }
}
