import type { AdDoc } from '../../models/ad.ts';
import type { BudgetLevel, BudgetPlacement } from '../../platforms/platform.ts';
import type { Services } from '../context.ts';

type Of = Pick<Services, 'db' | 'clock'>;

/** The filter for ads at the level: the ad set, or the whole campaign. */
const sharing = (
  { accountId, platformAdSetId, platformCampaignId, adSetRef, campaignRef }: AdDoc,
  level: BudgetLevel,
) =>
  level === 'campaign'
    ? { ads: { accountId, platformCampaignId }, adSets: { campaignRef: campaignRef ?? '' } }
    : { ads: { accountId, platformAdSetId }, adSets: { _id: adSetRef ?? '' } };

/** Records a budget at the level that carries it, null at the other level, and the effective budget with each ad. */
export async function recordBudget({ db, clock }: Of, ad: AdDoc, { level, budget }: BudgetPlacement): Promise<void> {
  const updatedAt = clock.now();
  const { ads, adSets } = sharing(ad, level);
  const ofLevel = (own: BudgetLevel) => ({ $set: { budget: level === own ? (budget ?? null) : null, updatedAt } });
  const governing = budget
    ? { $set: { 'settings.budget': budget, updatedAt } }
    : { $set: { updatedAt }, $unset: { 'settings.budget': 1 as const } };
  await db.ads.updateMany(ads, governing);
  await db.adSets.updateMany(adSets, ofLevel('ad_set'));
  await db.campaigns.updateOne({ _id: ad.campaignRef ?? '' }, ofLevel('campaign'));
}

/** Records an end date for all objects that share it; null for none. */
export async function recordEnd(
  { db, clock }: Of,
  ad: AdDoc,
  { endDate, level }: { endDate: string | null; level: BudgetLevel },
): Promise<void> {
  const updatedAt = clock.now();
  const { ads, adSets } = sharing(ad, level);
  const settings =
    endDate === null
      ? { $set: { updatedAt }, $unset: { 'settings.endDate': 1 as const } }
      : { $set: { 'settings.endDate': endDate, updatedAt } };
  await db.ads.updateMany(ads, settings);
  await db.adSets.updateMany(adSets, { $set: { endDate: endDate === null ? null : new Date(endDate), updatedAt } });
}
