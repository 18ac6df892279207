import type { Ad } from '../../contract/ad.ts';
import { AdCreative, PromotedObject, Targeting } from '../../contract/ad-content.ts';
import { complete } from '../../contract/complete.ts';
import type { CreateAdInput } from '../../contract/ad-input.ts';
import type { AdDoc, AdTerms } from '../../models/ad.ts';
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
  budget: budgetIn(doc.currency, doc.settings.budget),
  budgetLevel: doc.settings.budgetLevel ?? null,
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
  bidStrategy: doc.settings.bidStrategy ?? null,
  bidAmount: doc.settings.bidAmount ?? null,
  roasAverageFloor: doc.settings.roasAverageFloor ?? null,
  promotedObject: complete(PromotedObject, doc.settings.promotedObject),
  creative: complete(AdCreative, doc.creative),
  targeting: complete(Targeting, apiNames(doc.settings.targeting)),
  schedule: { startDate: instant(doc.settings.startDate), endDate: instant(doc.settings.endDate) },
  rejectionReason: doc.rejectionReason,
  createdAt: doc.createdAt.toISOString(),
  updatedAt: doc.updatedAt.toISOString(),
});

const instant = (text: string | undefined): string | null => (text === undefined ? null : new Date(text).toISOString());

/** Targeting is stored as createAd takes it. */
const apiNames = (targeting: AdTerms['targeting']): object | undefined =>
  targeting?.['cities'] === undefined
    ? targeting
    : {
        ...targeting,
        cities: (targeting['cities'] as NonNullable<CreateAdInput['cities']>).map(
          ({ distance_unit: distanceUnit, ...city }) => ({ ...city, distanceUnit }),
        ),
      };
