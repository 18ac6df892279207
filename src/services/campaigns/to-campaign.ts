import type { AdSet, Campaign } from '../../contract/campaign.ts';
import { budgetIn, metricsIn } from '../ads/currency.ts';
import type { AdSetDoc } from '../../models/ad-set.ts';
import type { CampaignDoc, TreeNode } from '../../models/campaign.ts';
import type { Projected } from '../projected.ts';
import { storedDates, type StoredDates } from '../stored-dates.ts';

const ofCampaign = storedDates('campaigns');
const ofAdSet = storedDates('ad_sets');

const sharedProjection = {
  name: 1,
  status: 1,
  platformStatus: 1,
  goal: 1,
  currency: 1,
  budget: 1,
  budgetLevel: 1,
  metrics: 1,
  adCount: 1,
  removal: 1,
  removedAt: 1,
  accountId: 1,
  platformAdAccountId: 1,
  createdAt: 1,
  updatedAt: 1,
} as const;

const shared = (doc: Projected<TreeNode, typeof sharedProjection>, { instant, instantOrNull }: StoredDates) => ({
  _id: doc._id,
  name: doc.name,
  status: doc.status,
  platformStatus: doc.platformStatus,
  goal: doc.goal,
  currency: doc.currency ?? null,
  budget: budgetIn(doc.currency, doc.budget),
  budgetLevel: doc.budgetLevel ?? null,
  metrics: metricsIn(doc.currency, doc.metrics),
  adCount: doc.adCount,
  removal: doc.removal ?? null,
  removedAt: instantOrNull(doc, 'removedAt'),
  createdAt: instant(doc, 'createdAt'),
  updatedAt: instant(doc, 'updatedAt'),
});

/** What `toCampaign` reads of a campaign. */
export const campaignProjection = {
  ...sharedProjection,
  platform: 1,
  platformCampaignId: 1,
  isExternal: 1,
  profileId: 1,
  adSetCount: 1,
  spendLimit: 1,
  endDate: 1,
} as const;

export type ShownCampaign = Projected<CampaignDoc, typeof campaignProjection>;

/** Converts a campaign to its API form. */
export const toCampaign = (doc: ShownCampaign): Campaign => ({
  ...shared(doc, ofCampaign),
  platform: doc.platform,
  platformCampaignId: doc.platformCampaignId,
  isExternal: doc.isExternal,
  accountId: doc.accountId,
  profileId: doc.profileId,
  platformAdAccountId: doc.platformAdAccountId,
  adSetCount: doc.adSetCount,
  spendLimit: budgetIn(doc.currency, doc.spendLimit),
  endDate: ofCampaign.instantOrNull(doc, 'endDate'),
});

/** What `toAdSet` reads of an ad set. */
export const adSetProjection = {
  ...sharedProjection,
  platformAdSetId: 1,
  platformCampaignId: 1,
  bidStrategy: 1,
  bidAmount: 1,
  startDate: 1,
  endDate: 1,
} as const;

export type ShownAdSet = Projected<AdSetDoc, typeof adSetProjection>;

/** Converts an ad set to its API form. */
export const toAdSet = (doc: ShownAdSet): AdSet => ({
  ...shared(doc, ofAdSet),
  platformAdSetId: doc.platformAdSetId,
  platformCampaignId: doc.platformCampaignId,
  accountId: doc.accountId,
  platformAdAccountId: doc.platformAdAccountId,
  bidStrategy: doc.bidStrategy ?? null,
  bidAmount: doc.bidAmount,
  startDate: ofAdSet.instantOrNull(doc, 'startDate'),
  endDate: ofAdSet.instantOrNull(doc, 'endDate'),
});
