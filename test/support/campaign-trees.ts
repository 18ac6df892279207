import type { AdStatus } from '../../src/contract/ad.ts';
import { newId } from '../../src/lib/id.ts';
import type { AdSetDoc } from '../../src/models/ad-set.ts';
import type { AdDoc } from '../../src/models/ad.ts';
import type { CampaignDoc } from '../../src/models/campaign.ts';
import type { Db } from '../../src/models/db.ts';
import { adSetRefOf, campaignRefOf } from '../../src/services/campaigns/ids.ts';
import { recomputeAggregates } from '../../src/services/campaigns/recompute-aggregates.ts';

export interface Owner {
  userId: string;
  profileId: string;
  accountId: string;
}

export interface Shape {
  campaigns: number;
  /** The number of the first campaign; 0 by default. */
  first?: number;
  adSets: number;
  /** In each ad set. */
  ads: number;
  /** What the ads of a campaign stand at, by the number of the campaign. */
  statusOf?: (campaign: number) => AdStatus;
}

const chunk = 2000;
const start = Date.parse('2026-01-01T00:00:00Z');

/** Campaigns with ad sets and ads as a discovery would have left them; campaign 0 is the oldest. */
export async function seedCampaignTrees(
  db: Db,
  owner: Owner,
  { campaigns, first = 0, adSets, ads, statusOf }: Shape,
): Promise<void> {
  const trees = Array.from({ length: campaigns }, (_, index) => {
    const at = first + index;
    return treeAt(at, owner, { adSets, ads, status: statusOf?.(at) ?? 'active' });
  });
  await insert(
    db.campaigns,
    trees.map(({ campaign }) => campaign),
  );
  await insert(
    db.adSets,
    trees.flatMap((tree) => tree.adSets),
  );
  await insert(
    db.ads,
    trees.flatMap((tree) => tree.ads),
  );
  await recomputeAggregates(
    db,
    trees.map(({ campaign }) => campaign._id),
  );
}

interface Tree {
  campaign: CampaignDoc;
  adSets: AdSetDoc[];
  ads: AdDoc[];
}

function treeAt(at: number, owner: Owner, size: { adSets: number; ads: number; status: AdStatus }): Tree {
  const when = new Date(start + at * 60_000);
  const shared = {
    ...owner,
    platform: 'network-a',
    adPlatform: 'A',
    platformAdAccountId: 'act_1',
    currency: 'EUR',
    seenAt: when,
  } as const;
  const node = {
    goal: 'traffic',
    budget: null,
    status: size.status,
    adCount: 0,
    metrics: null,
    aggregateVersion: null,
  } as const;
  const platformCampaignId = `c${at}`;
  const campaignRef = campaignRefOf(owner.accountId, platformCampaignId);
  const dates = { createdAt: when, updatedAt: when };
  const name = `Campaign ${String(at).padStart(5, '0')}`;
  const campaign: CampaignDoc = {
    ...shared,
    ...node,
    ...dates,
    _id: campaignRef,
    name,
    platformStatus: size.status === 'active' || size.status === 'paused' ? size.status : 'active',
    platformCampaignId,
    isExternal: at % 2 === 0,
    adSetCount: size.adSets,
  };
  const sets = Array.from({ length: size.adSets }, (_, index): AdSetDoc => ({
    ...shared,
    ...node,
    ...dates,
    createdAt: new Date(when.getTime() + index),
    _id: adSetRefOf(owner.accountId, `s${at}-${index}`),
    name: `Set ${index}`,
    platformStatus: null,
    campaignRef,
    platformCampaignId,
    platformAdSetId: `s${at}-${index}`,
    bidStrategy: null,
    bidAmount: null,
    endDate: null,
  }));
  const ads = sets.flatMap((set, index) =>
    Array.from({ length: size.ads }, (_unused, number) =>
      adIn(set, { ...dates, at: `${at}-${index}-${number}`, status: size.status, name }),
    ),
  );
  return { campaign, adSets: sets, ads };
}

function adIn(
  set: AdSetDoc,
  ad: { at: string; status: AdStatus; name: string; createdAt: Date; updatedAt: Date },
): AdDoc {
  const { userId, profileId, accountId, platform, adPlatform, platformAdAccountId, currency, seenAt } = set;
  const _id = newId();
  return {
    _id,
    userId,
    profileId,
    accountId,
    platform,
    adPlatform,
    platformAdAccountId,
    currency,
    seenAt,
    orderId: _id,
    creativeIndex: 0,
    name: `Ad ${ad.at}`,
    goal: 'traffic',
    shape: 'legacy',
    status: ad.status,
    settings: { budget: { amount: 10, type: 'daily' } },
    creative: null,
    isExternal: true,
    adType: 'standalone',
    metrics: { spend: 1.25, impressions: 100, clicks: 3 },
    campaignName: ad.name,
    adSetName: set.name,
    platformAdId: `a${ad.at}`,
    platformCampaignId: set.platformCampaignId,
    platformAdSetId: set.platformAdSetId,
    rejectionReason: null,
    adSetRef: set._id,
    campaignRef: set.campaignRef,
    createdAt: ad.createdAt,
    updatedAt: ad.updatedAt,
  };
}

async function insert(
  model: { collection: { insertMany: (docs: never) => Promise<unknown> } },
  docs: object[],
): Promise<void> {
  for (let at = 0; at < docs.length; at += chunk)
    await model.collection.insertMany(docs.slice(at, at + chunk) as never);
}
