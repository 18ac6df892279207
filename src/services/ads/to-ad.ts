import type { Ad } from '../../contract/ad.ts';
import type { AdDoc } from '../../models/ad.ts';
import { budgetIn, metricsIn } from './currency.ts';

/** What a caller sees of an ad: money in whole units, instants in UTC, what is not known as null. */
export const toAd = (doc: AdDoc): Ad => ({
  _id: doc._id,
  name: doc.name,
  platform: doc.platform,
  status: doc.status,
  adType: doc.adType,
  goal: doc.goal,
  isExternal: doc.isExternal,
  budget: budgetIn(doc.currency, doc.terms.budget),
  currency: doc.currency ?? null,
  metrics: metricsIn(doc.currency, doc.metrics),
  accountId: doc.accountId,
  profileId: doc.profileId,
  platformAdId: doc.platformAdId,
  platformAdAccountId: doc.platformAdAccountId,
  platformCampaignId: doc.platformCampaignId,
  platformAdSetId: doc.platformAdSetId,
  campaignName: doc.campaignName,
  adSetName: doc.adSetName,
  bidStrategy: doc.terms.bidStrategy ?? null,
  bidAmount: doc.terms.bidAmount ?? null,
  roasAverageFloor: doc.terms.roasAverageFloor ?? null,
  promotedObject: doc.terms.promotedObject ?? null,
  creative: doc.creative,
  targeting: doc.terms.targeting ?? null,
  schedule: { startDate: instant(doc.terms.startDate), endDate: instant(doc.terms.endDate) },
  rejectionReason: doc.rejectionReason,
  createdAt: doc.createdAt.toISOString(),
  updatedAt: doc.updatedAt.toISOString(),
});

const instant = (text: string | undefined): string | null => (text === undefined ? null : new Date(text).toISOString());
