import { budgetLevelOf } from '../../contract/platforms.ts';
import type { AdDoc } from '../../models/ad.ts';
import type { Naming } from '../../models/campaign.ts';
import { namingOf } from '../ads/order.ts';
import type { Services } from '../context.ts';
import { derivedStatus } from './derived-status.ts';
import { refsOf } from './ids.ts';

/** Names of the parents at the platform. */
export interface SentNames {
  campaign?: string;
  adSet?: string;
}

interface Recorded {
  now: Date;
  /** Whether the order's own campaign is active; absent if unknown. */
  own?: 'active' | 'paused';
  sent?: SentNames;
}

/**
 * Adds the ads of one order to the tree. An order with its own campaign knows everything in it; an order in an existing
 * ad set leaves the aggregates of its parents to `recomputeAggregates`.
 */
export async function upsertParents(
  { db, platforms }: Pick<Services, 'db' | 'platforms'>,
  ads: AdDoc[],
  { now, own, sent }: Recorded,
): Promise<void> {
  const [firstAd] = ads;
  if (!firstAd?.platformCampaignId) return;
  const { campaignRef, adSetRef } = refsOf(firstAd);
  const { platformCampaignId, platformAdSetId, goal, settings } = firstAd;
  const isAttached = firstAd.shape === 'attach';
  const status = derivedStatus(
    ads.map((ad) => ad.status),
    null,
  );
  const naming = namingOf(
    firstAd.campaignName ?? '',
    firstAd.orderId,
    platforms[firstAd.adPlatform]?.maxNameLength ?? 255,
  );
  const sums = { status, adCount: ads.length, goal };
  const initial = { ...ownerOf(firstAd), platformCampaignId, metrics: null, aggregateVersion: null, createdAt: now };
  const ordered = isAttached ? settings.budgetLevel : budgetLevelOf(firstAd.adPlatform, settings.budgetLevel);
  // The budgets of the ad sets of a campaign count for limits as known once all are recorded, not only that of this ad.
  const isPart = isAttached && ordered !== 'campaign';
  const budget = isPart ? null : (settings.budget ?? null);
  const budgetLevel = isPart ? null : (ordered ?? null);
  const isOfCampaign = budgetLevel === 'campaign';
  // A parent that existed before keeps its own fields: an ad in it says nothing about what was last read of it.
  const upsert = (facts: object, ids: object): object => ({
    $set: { updatedAt: now, ...(!isAttached && { seenAt: now, ...facts }) },
    $setOnInsert: { ...initial, ...ids, ...(isAttached && { seenAt: now, ...facts }) },
  });
  const platformStatus = isAttached ? undefined : own;
  const campaign = {
    ...sums,
    ...(platformStatus && { platformStatus }),
    ...named(naming, sent?.campaign),
    budgetLevel,
    adSetCount: adSetRef ? 1 : 0,
    isExternal: isAttached,
    ...(!isAttached && firstAd.order?.budgetKeyId && { budgetKeyId: firstAd.order.budgetKeyId }),
  };
  const adSet = {
    ...sums,
    // A status read before the campaign was activated is outdated.
    ...(platformStatus && unread),
    ...named(naming, sent?.adSet),
    budget: isOfCampaign ? null : budget,
    budgetLevel,
    bidStrategy: settings.bidStrategy ?? null,
    bidAmount: settings.bidAmount ?? null,
    startDate: settings.startDate === undefined ? null : new Date(settings.startDate),
    endDate: settings.endDate ? new Date(settings.endDate) : null,
  };
  await Promise.all([
    db.campaigns.updateOne(
      { _id: campaignRef },
      upsert(
        { ...campaign, ...(isOfCampaign && { budget }) },
        { ...(!isOfCampaign && { budget: null }), ...(!platformStatus && unread) },
      ),
      { upsert: true },
    ),
    adSetRef &&
      db.adSets.updateOne(
        { _id: adSetRef },
        upsert(adSet, { platformAdSetId, campaignRef, ...(!platformStatus && unread) }),
        {
          upsert: true,
        },
      ),
  ]);
}

const named = (naming: Naming, sent = naming.sent) => ({ name: naming.given, naming: { ...naming, sent } });

const unread = { platformStatus: null };

const ownerOf = ({ userId, profileId, accountId, platform, adPlatform, platformAdAccountId, currency }: AdDoc) => ({
  userId,
  profileId,
  accountId,
  platform,
  adPlatform,
  platformAdAccountId,
  currency,
});
