import type { Budget, BudgetLevel } from '../../platforms/platform.ts';
import type { UpdateSource } from '../../contract/event.ts';
import { setValues } from '../campaigns/set-values.ts';
import type { Services } from '../context.ts';
import { recordsOf, type LevelSubject } from './level-subject.ts';

type Of = Pick<Services, 'db' | 'clock' | 'wakeRelay'>;

/** Filters for what the level governs: the ad set, or the whole campaign. */
function governed(subject: LevelSubject, level: BudgetLevel) {
  const { accountId, campaignRef, adSetRef } = recordsOf(subject);
  const { campaignId: platformCampaignId, adSetId: platformAdSetId } = subject.ref;
  if (level === 'campaign') return { ads: { accountId, platformCampaignId }, adSets: { campaignRef } };
  return adSetRef ? { ads: { accountId, platformAdSetId }, adSets: { _id: adSetRef } } : undefined;
}

/** Records a budget at the level that carries it, null at the other level, and the effective budget with each ad. */
export async function recordBudget(
  services: Of,
  subject: LevelSubject,
  { level, budget, source }: { level: BudgetLevel; budget?: Budget; source: UpdateSource },
): Promise<void> {
  const at = (own: BudgetLevel) => ({ budget: level === own ? (budget ?? null) : null, budgetLevel: level });
  const filters = governed(subject, level);
  if (filters) {
    const values = { 'settings.budgetLevel': level, 'settings.budget': budget };
    await setValues(services, 'ad', { filter: filters.ads, values, source });
    await setValues(services, 'ad_set', { filter: filters.adSets, values: at('ad_set'), source });
  }
  const { campaignRef } = recordsOf(subject);
  await setValues(services, 'campaign', { filter: { _id: campaignRef }, values: at('campaign'), source });
}

/** Records an end date for all objects that share it; null for none. */
export async function recordEnd(
  services: Of,
  subject: LevelSubject,
  { endDate, level }: { endDate: string | null; level: BudgetLevel },
): Promise<void> {
  const filters = governed(subject, level);
  if (!filters) return;
  const values = { endDate: endDate === null ? null : new Date(endDate) };
  await setValues(services, 'ad', { filter: filters.ads, values: { 'settings.endDate': endDate ?? undefined } });
  await setValues(services, 'ad_set', { filter: filters.adSets, values });
  if (level === 'campaign')
    await setValues(services, 'campaign', { filter: { _id: recordsOf(subject).campaignRef }, values });
}
