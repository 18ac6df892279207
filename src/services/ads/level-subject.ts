import type { Author } from '../../models/activity.ts';
import type { AdDoc } from '../../models/ad.ts';
import type { Budget, CampaignRef } from '../../platforms/platform.ts';
import { adSetRefOf, campaignRefOf } from '../campaigns/ids.ts';
import type { Services } from '../context.ts';
import type { AdTarget } from './ad-target.ts';

/** A campaign, one of its ad sets, or an ad, whose budget or end date is to change. */
export interface LevelSubject {
  kind: 'ad' | 'ad_set' | 'campaign';
  target: AdTarget;
  ref: CampaignRef & { adSetId?: string };
  /** Who changes it. */
  author?: Author;
  /** Set if the caller named an ad. */
  ad?: AdDoc;
}

/** References of the stored records. */
export const recordsOf = ({ target, ref }: Pick<LevelSubject, 'target' | 'ref'>) => ({
  accountId: target.account._id,
  campaignRef: campaignRefOf(target.account._id, ref.campaignId),
  adSetRef: ref.adSetId === undefined ? undefined : adSetRefOf(target.account._id, ref.adSetId),
});

export interface RecordedTerms {
  budget?: Budget;
  startDate?: string;
  endDate?: string;
}

/** What is recorded of budget and schedule. An ad that was ordered here knows more than the platform reports. */
export async function recordedTerms({ db }: Pick<Services, 'db'>, subject: LevelSubject): Promise<RecordedTerms> {
  const { accountId, campaignRef, adSetRef } = recordsOf(subject);
  const { campaignId: platformCampaignId, adSetId: platformAdSetId } = subject.ref;
  const level = adSetRef ? { platformAdSetId } : { platformCampaignId };
  const ad = await db.ads
    .findOne(subject.ad ? { _id: subject.ad._id } : { accountId, ...level }, { settings: 1 })
    .sort({ isExternal: 1 })
    .lean();
  const node = adSetRef
    ? await db.adSets.findOne({ _id: adSetRef }, { budget: 1 }).lean()
    : await db.campaigns.findOne({ _id: campaignRef }, { budget: 1 }).lean();
  const { budget = node?.budget ?? undefined, startDate, endDate } = ad?.settings ?? {};
  return { budget, startDate, endDate: endDate ?? undefined };
}
