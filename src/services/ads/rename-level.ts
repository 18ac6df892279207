import { invalidField } from '../../contract/error.ts';
import type { Naming } from '../../models/campaign.ts';
import type { Ctx } from '../context.ts';
import { setValues } from '../campaigns/set-values.ts';
import { recordsOf, type LevelSubject } from './level-subject.ts';
import { upstreamName } from './order.ts';
import { writeLevel } from './write-level.ts';

/** What is sent for a name: an object that was created here keeps its marker. */
export interface PlannedName {
  given: string;
  sent: string;
  naming?: Naming;
}

export async function planName({ db }: Ctx, subject: LevelSubject, given: string): Promise<PlannedName> {
  const { campaignRef, adSetRef } = recordsOf(subject);
  const record =
    subject.kind === 'campaign'
      ? await db.campaigns.findOne({ _id: campaignRef }, { naming: 1 }).lean()
      : await db.adSets.findOne({ _id: adSetRef ?? '' }, { naming: 1 }).lean();
  const { maxNameLength, platform } = subject.target.adapter;
  const mark = record?.naming?.mark;
  if (mark !== undefined) {
    const sent = upstreamName(given, mark, maxNameLength);
    return { given, sent, naming: { given, sent, mark } };
  }
  if (given.length <= maxNameLength) return { given, sent: given };
  const message = `must have at most ${maxNameLength} characters on platform ${platform}; it has ${given.length}`;
  throw invalidField('name', message);
}

export async function rename(ctx: Ctx, subject: LevelSubject, planned: PlannedName): Promise<void> {
  await writeLevel(ctx, subject, subject.kind === 'campaign' ? 'campaign' : 'ad_set', { name: planned.sent });
  await recordName(ctx, subject, planned);
}

/** Records the name of a campaign, else that of the ad set. */
export async function recordName(
  ctx: Ctx,
  subject: LevelSubject,
  { given, naming }: Pick<PlannedName, 'given' | 'naming'>,
): Promise<void> {
  const { kind, ref } = subject;
  const author = kind === 'ad' ? undefined : subject.author;
  const { accountId, campaignRef, adSetRef } = recordsOf(subject);
  const { campaignId: platformCampaignId, adSetId: platformAdSetId } = ref;
  const updatedAt = ctx.clock.now();
  const values = { name: given, ...(naming && { naming }) };
  if (kind === 'campaign') {
    await ctx.db.ads.updateMany({ accountId, platformCampaignId }, { $set: { campaignName: given, updatedAt } });
    await setValues(ctx, 'campaign', { filter: { _id: campaignRef }, values, author });
  } else {
    await ctx.db.ads.updateMany({ accountId, platformAdSetId }, { $set: { adSetName: given, updatedAt } });
    await setValues(ctx, 'ad_set', { filter: { _id: adSetRef ?? '' }, values, author });
  }
}
