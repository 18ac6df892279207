import type { FoundAdSet, FoundCampaign } from '../../platforms/platform.ts';
import { adSetRefOf, campaignRefOf } from '../campaigns/refs.ts';
import type { Services } from '../context.ts';
import { ownerOf, type Scope } from './scope.ts';

/** Writes a page of campaigns, known or not, in one command. */
export async function saveCampaigns({ db, clock }: Services, scope: Scope, found: FoundCampaign[]): Promise<void> {
  if (found.length === 0) return;
  const now = clock.now();
  const writes = found.map(({ id, name, status, goal, budget, createdAt }) => ({
    updateOne: upsert(campaignRefOf(scope.account._id, id), scope, {
      $set: { name, ownStatus: status, goal: goal ?? null, budget: budget ?? null, updatedAt: now },
      $setOnInsert: {
        ...fresh,
        status,
        platformCampaignId: id,
        isExternal: true,
        adSetCount: 0,
        createdAt: createdAt ?? now,
      },
    }),
  }));
  await db.campaigns.bulkWrite(writes as never, { ordered: false });
}

/** Writes a page of ad sets, known or not, in one command. */
export async function saveAdSets({ db, clock }: Services, scope: Scope, found: FoundAdSet[]): Promise<void> {
  if (found.length === 0) return;
  const now = clock.now();
  const accountId = scope.account._id;
  const writes = found.map(({ id, campaignId, status, ...adSet }) => ({
    updateOne: upsert(adSetRefOf(accountId, id), scope, {
      $set: {
        name: adSet.name,
        ownStatus: status,
        goal: adSet.goal ?? null,
        budget: adSet.budget ?? null,
        bidStrategy: adSet.bidStrategy ?? null,
        bidAmount: adSet.bidAmount ?? null,
        endDate: adSet.endDate ?? null,
        campaignRef: campaignRefOf(accountId, campaignId),
        platformCampaignId: campaignId,
        updatedAt: now,
      },
      $setOnInsert: { ...fresh, status, platformAdSetId: id, createdAt: now },
    }),
  }));
  await db.adSets.bulkWrite(writes as never, { ordered: false });
}

const fresh = { adCount: 0, metrics: null, touch: null };

/** A run that was taken over may write late: the newer stamp stays. */
const upsert = (_id: string, scope: Scope, { $set, $setOnInsert }: { $set: object; $setOnInsert: object }) => ({
  filter: { _id },
  update: { $set: { ...ownerOf(scope), ...$set }, $setOnInsert, $max: { seenAt: scope.startedAt } },
  upsert: true,
});
