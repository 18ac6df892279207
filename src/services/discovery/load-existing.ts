import type { AdSetDoc } from '../../models/ad-set.ts';
import type { AdDoc } from '../../models/ad.ts';
import type { CampaignDoc } from '../../models/campaign.ts';
import type { FoundAd } from '../../platforms/platform.ts';
import { adSetRefOf, campaignRefOf } from '../campaigns/ids.ts';
import type { Services } from '../context.ts';
import type { Scope } from './scope.ts';

/** Fields compared with the platform; the rest is loaded on demand. */
const compared = [
  'platformAdId',
  'status',
  'rejectionReason',
  'metrics',
  'closedMetrics',
  'currency',
  'campaignName',
  'adSetName',
  'platformCampaignId',
  'platformAdSetId',
  'campaignRef',
  'adSetRef',
  'name',
  'naming',
  'goal',
  'settings',
  'creative',
  'isPaused',
  'isPausedByAdSet',
  'isExternal',
  'removal',
  'removedAt',
  'seenAt',
  'updatedAt',
] as const;
export type Known = Pick<AdDoc, '_id' | (typeof compared)[number]>;

/** Events contain the whole ad. */
export async function loadFull({ db }: Services, moved: Known[]): Promise<Map<string, AdDoc>> {
  if (moved.length === 0) return new Map();
  const _id = { $in: moved.map((ad) => ad._id) };
  const ads = await db.ads
    .find({ _id }, { order: 0, steps: 0, pendingEvents: 0 })
    .batchSize(moved.length + 1)
    .lean();
  return new Map(ads.map((ad) => [ad._id, ad]));
}

type Named = Pick<CampaignDoc, '_id' | 'name' | 'goal' | 'budget' | 'budgetLevel' | 'declarations' | 'endDate'>;

export interface Parents {
  campaigns: Map<string, Named>;
  adSets: Map<string, Named & Pick<AdSetDoc, 'bidStrategy' | 'bidAmount' | 'startDate' | 'endDate' | 'targeting'>>;
}

export interface Around {
  known: Map<string, Known>;
  /** Heads of open orders by the last letters of the names of their ads. */
  openOrders: Map<string, string>;
  parents: Parents;
}

/** All that is asked of the store before a page of ads is written. */
export async function loadContext({ db }: Services, { account }: Scope, found: FoundAd[]): Promise<Around> {
  const accountId = account._id;
  const campaignRefs = [...new Set(found.map(({ campaignId }) => campaignRefOf(accountId, campaignId)))];
  const adSetRefs = [...new Set(found.map(({ adSetId }) => adSetRefOf(accountId, adSetId)))];
  const times = { startDate: 1, endDate: 1 };
  const terms = { budget: 1, budgetLevel: 1, declarations: 1, bidStrategy: 1, bidAmount: 1, targeting: 1, ...times };
  const named = { name: 1, goal: 1, ...terms };
  // More than there can be, so that each read is one answer.
  const inOne = found.length + 1;
  const platformAdId = { $in: found.map(({ id }) => id) };
  // An order is stored before it is sent: whatever of it the page shows, it is open here by now, or its ids are known.
  const [known, open, campaigns, adSets] = await Promise.all([
    db.ads
      .find({ accountId, platformAdId }, [...compared])
      .batchSize(inOne)
      .lean<Known[]>(),
    db.ads.find({ accountId, status: { $in: ['creating', 'unconfirmed'] } }, { orderId: 1 }).lean(),
    db.campaigns
      .find({ _id: { $in: campaignRefs } }, named)
      .batchSize(inOne)
      .lean(),
    db.adSets
      .find({ _id: { $in: adSetRefs } }, named)
      .batchSize(inOne)
      .lean(),
  ]);
  return {
    known: new Map(known.map((ad) => [ad.platformAdId ?? '', ad])),
    openOrders: new Map(open.map(({ _id, orderId }) => [_id.slice(-8), orderId])),
    parents: {
      campaigns: new Map(campaigns.map((campaign) => [campaign._id, campaign])),
      adSets: new Map(adSets.map((adSet) => [adSet._id, adSet])),
    },
  };
}
