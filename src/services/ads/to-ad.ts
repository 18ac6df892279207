import type { Ad } from '../../contract/ad.ts';
import { AdCreative, PromotedObject, Targeting } from '../../contract/ad-content.ts';
import { AdDeclarations } from '../../contract/ad-declarations.ts';
import { complete } from '../../contract/complete.ts';
import type { CreateAdInput } from '../../contract/ad-input.ts';
import { keywordOf } from '../../contract/ad-keywords.ts';
import type { AdDoc } from '../../models/ad.ts';
import type { Projected } from '../projected.ts';
import { budgetIn, metricsIn } from './currency.ts';
import { storedDates } from '../stored-dates.ts';

const { instant, instantOrNull } = storedDates('ads');

/** What `toAd` reads of an ad. */
export const adProjection = {
  name: 1,
  platform: 1,
  status: 1,
  adType: 1,
  goal: 1,
  isExternal: 1,
  settings: 1,
  currency: 1,
  metrics: 1,
  accountId: 1,
  profileId: 1,
  platformAdId: 1,
  platformAdAccountId: 1,
  platformCampaignId: 1,
  platformAdSetId: 1,
  campaignName: 1,
  adSetName: 1,
  creative: 1,
  rejectionReason: 1,
  removal: 1,
  removedAt: 1,
  createdAt: 1,
  updatedAt: 1,
} as const;

export type ShownAd = Projected<AdDoc, typeof adProjection>;

/** What a caller sees of an ad: money in whole units, instants in UTC, what is not known as null. */
export const toAd = (doc: ShownAd): Ad => ({
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
  urlParameters: doc.settings.urlParameters?.length ? doc.settings.urlParameters : null,
  targeting: complete(Targeting, apiNames(doc.settings.targeting)),
  declarations: complete(AdDeclarations, doc.settings.declarations),
  schedule: { startDate: setting(doc, 'startDate'), endDate: setting(doc, 'endDate') },
  rejectionReason: doc.rejectionReason,
  removal: doc.removal ?? null,
  removedAt: instantOrNull(doc, 'removedAt'),
  createdAt: instant(doc, 'createdAt'),
  updatedAt: instant(doc, 'updatedAt'),
});

/** Settings are stored as createAd takes them. */
function setting(doc: ShownAd, name: 'startDate' | 'endDate'): string | null {
  const text = doc.settings[name];
  return text ? instant(doc, `settings.${name}`, new Date(text)) : null;
}

/** Targeting is stored as createAd takes it. */
function apiNames(targeting: Partial<CreateAdInput> | undefined): object | undefined {
  if (!targeting) return undefined;
  const { cities, excludedCities, keywords } = targeting;
  const keywordsWithMatchType = keywords?.map(keywordOf);
  return {
    ...targeting,
    cities: cities?.map(withUnit),
    excludedCities: excludedCities?.map(withUnit),
    keywords: keywordsWithMatchType?.map(({ text }) => text),
    keywordsWithMatchType,
  };
}

const withUnit = ({ distance_unit: distanceUnit, ...city }: NonNullable<CreateAdInput['cities']>[number]): object => ({
  ...city,
  distanceUnit,
});
