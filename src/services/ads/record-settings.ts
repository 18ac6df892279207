import { earlierOf } from '../../lib/earlier-of.ts';
import type { Budget, BudgetLevel, OwnEnds } from '../../platforms/platform.ts';
import type { UpdateSource } from '../../contract/event.ts';
import type { Author } from '../../models/activity.ts';
import { setValues } from '../campaigns/set-values.ts';
import { adSetRefOf } from '../campaigns/ids.ts';
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
  const authorAt = (own: BudgetLevel) => (level === own && source === 'api' ? subject.author : undefined);
  if (filters) {
    const values = { 'settings.budgetLevel': level, 'settings.budget': budget };
    await setValues(services, 'ad', { filter: filters.ads, values, source });
    await setValues(services, 'ad_set', {
      filter: filters.adSets,
      values: at('ad_set'),
      source,
      author: authorAt('ad_set'),
    });
  }
  const { campaignRef } = recordsOf(subject);
  const values = at('campaign');
  const author = authorAt('campaign');
  await setValues(services, 'campaign', { filter: { _id: campaignRef }, values, source, author });
}

interface RecordedEnd {
  endDate: string | null;
  level: BudgetLevel;
  ends?: OwnEnds;
}

/** Records a changed end with all objects that it ends: each ad set runs until its own end or that of its campaign. */
export async function recordEnd(
  services: Of,
  subject: LevelSubject,
  { endDate, level, ends = {} }: RecordedEnd,
): Promise<void> {
  const filters = governed(subject, level);
  if (!filters) return;
  const changed = endDate === null ? undefined : new Date(endDate);
  if (level === 'ad_set') {
    const { campaign } = ends;
    const isLonger = campaign !== undefined && earlierOf(campaign, changed) === campaign;
    return putEnd(services, filters, { endDate: isLonger ? campaign.toISOString() : endDate, author: subject.author });
  }
  const { accountId, campaignRef } = recordsOf(subject);
  const earlier = Object.entries(ends.adSets ?? {}).filter(([, own]) => earlierOf(own, changed) === own);
  const platformAdSetId = { $nin: earlier.map(([id]) => id) };
  const others = { ads: { ...filters.ads, platformAdSetId }, adSets: { ...filters.adSets, platformAdSetId } };
  await putEnd(services, others, { endDate });
  for (const [id, own] of earlier) {
    const adSet = { ads: { accountId, platformAdSetId: id }, adSets: { _id: adSetRefOf(accountId, id) } };
    await putEnd(services, adSet, { endDate: own.toISOString() });
  }
  const values = { endDate: changed ?? null };
  await setValues(services, 'campaign', { filter: { _id: campaignRef }, values, author: subject.author });
}

async function putEnd(
  services: Of,
  { ads, adSets }: { ads: object; adSets: object },
  { endDate, author }: { endDate: string | null; author?: Author },
): Promise<void> {
  const values = { endDate: endDate === null ? null : new Date(endDate) };
  await setValues(services, 'ad', { filter: ads, values: { 'settings.endDate': endDate } });
  await setValues(services, 'ad_set', { filter: adSets, values, author });
}

/** Before the platform is changed: what a running discovery has read or reads until then is older than the records. */
export async function touchRecords({ db, clock }: Of, subject: LevelSubject): Promise<void> {
  const { campaignRef } = recordsOf(subject);
  const $set = { updatedAt: clock.now() };
  await db.campaigns.updateOne({ _id: campaignRef }, { $set });
  await db.adSets.updateMany({ campaignRef }, { $set });
}
