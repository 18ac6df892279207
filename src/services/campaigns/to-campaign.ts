import type { AdSet, Campaign } from '../../contract/campaign.ts';
import { budgetIn, metricsIn } from '../ads/currency.ts';
import type { AdSetDoc } from '../../models/ad-set.ts';
import type { CampaignDoc, TreeNode } from '../../models/campaign.ts';

const shared = (doc: TreeNode) => ({
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
  createdAt: doc.createdAt.toISOString(),
  updatedAt: doc.updatedAt.toISOString(),
});

/** Converts a campaign to its API form. */
export const toCampaign = (doc: CampaignDoc): Campaign => ({
  ...shared(doc),
  platform: doc.platform,
  platformCampaignId: doc.platformCampaignId,
  isExternal: doc.isExternal,
  accountId: doc.accountId,
  profileId: doc.profileId,
  platformAdAccountId: doc.platformAdAccountId,
  adSetCount: doc.adSetCount,
  spendLimit: budgetIn(doc.currency, doc.spendLimit),
  endDate: doc.endDate?.toISOString() ?? null,
});

/** Converts an ad set to its API form. */
export const toAdSet = (doc: AdSetDoc): AdSet => ({
  ...shared(doc),
  platformAdSetId: doc.platformAdSetId,
  platformCampaignId: doc.platformCampaignId,
  accountId: doc.accountId,
  bidStrategy: doc.bidStrategy ?? null,
  bidAmount: doc.bidAmount,
  startDate: doc.startDate?.toISOString() ?? null,
  endDate: doc.endDate?.toISOString() ?? null,
});
