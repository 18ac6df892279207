import type { Budget, BudgetLevel } from '../../platforms/platform.ts';
import type { Services } from '../context.ts';
import { recordsOf, type LevelSubject } from './level-subject.ts';

type Of = Pick<Services, 'db' | 'clock'>;

/** Filters for what the level governs: the ad set, or the whole campaign. */
function governed(subject: LevelSubject, level: BudgetLevel) {
  const { accountId, campaignRef, adSetRef } = recordsOf(subject);
  const { campaignId: platformCampaignId, adSetId: platformAdSetId } = subject.ref;
  if (level === 'campaign') return { ads: { accountId, platformCampaignId }, adSets: { campaignRef } };
  return adSetRef ? { ads: { accountId, platformAdSetId }, adSets: { _id: adSetRef } } : undefined;
}

/** Records a budget at the level that carries it, null at the other level, and the effective budget with each ad. */
export async function recordBudget(
  { db, clock }: Of,
  subject: LevelSubject,
  { level, budget }: { level: BudgetLevel; budget?: Budget },
): Promise<void> {
  const updatedAt = clock.now();
  const at = (own: BudgetLevel) => ({
    $set: { budget: level === own ? (budget ?? null) : null, budgetLevel: level, updatedAt },
  });
  const filters = governed(subject, level);
  if (filters) {
    const settings = { 'settings.budgetLevel': level, ...(budget && { 'settings.budget': budget }), updatedAt };
    const $unset = { 'settings.budget': 1 as const };
    await db.ads.updateMany(filters.ads, { $set: settings, ...(!budget && { $unset }) });
    await db.adSets.updateMany(filters.adSets, at('ad_set'));
  }
  await db.campaigns.updateOne({ _id: recordsOf(subject).campaignRef }, at('campaign'));
}

/** Records an end date for all objects that share it; null for none. */
export async function recordEnd(
  { db, clock }: Of,
  subject: LevelSubject,
  { endDate, level }: { endDate: string | null; level: BudgetLevel },
): Promise<void> {
  const updatedAt = clock.now();
  const filters = governed(subject, level);
  if (!filters) return;
  const settings =
    endDate === null
      ? { $set: { updatedAt }, $unset: { 'settings.endDate': 1 as const } }
      : { $set: { 'settings.endDate': endDate, updatedAt } };
  await db.ads.updateMany(filters.ads, settings);
  await db.adSets.updateMany(filters.adSets, {
    $set: { endDate: endDate === null ? null : new Date(endDate), updatedAt },
  });
}
