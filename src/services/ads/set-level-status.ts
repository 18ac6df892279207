import type { AdStatus } from '../../contract/ad.ts';
import type { SwitchStatus } from '../../platforms/platform.ts';
import type { OwnedFilter } from '../access.ts';
import { callPlatform } from '../accounts/platform-access.ts';
import { setValues } from '../campaigns/set-values.ts';
import type { Services } from '../context.ts';
import { applyAdStatus } from './apply-status.ts';
import { recordsOf, type LevelSubject } from './level-subject.ts';
import { touchRecords } from './record-settings.ts';
import { requireCompleted } from './partial-orders.ts';
import { switchAll } from './set-campaign-status.ts';

/** Pauses or activates a campaign or an ad set, and records what that does to its ads. The campaign lock is held. */
export function setLevelStatus(
  ctx: Services,
  subject: LevelSubject,
  status: SwitchStatus,
  reach: OwnedFilter = { userId: subject.target.account.userId },
): Promise<void> {
  const { target, ref, author } = subject;
  if (subject.kind !== 'campaign') return switchAdSet(ctx, subject, status);
  const { platform } = target.account;
  const { adAccount, campaignId } = ref;
  return switchAll(ctx, { target, adAccount, reach, author }, { campaignId, platform, status });
}

async function switchAdSet(ctx: Services, subject: LevelSubject, status: SwitchStatus): Promise<void> {
  const { db, clock } = ctx;
  const { target, ref } = subject;
  const adSetId = ref.adSetId ?? '';
  const { accountId, campaignRef, adSetRef = '' } = recordsOf(subject);
  const inSet = { accountId, platformAdSetId: adSetId };
  const ads = status === 'ACTIVE' ? await db.ads.find(inSet).lean() : [];
  for (const ad of ads) requireCompleted(ad);
  await touchRecords(ctx, subject);
  await callPlatform(
    ctx,
    target.account,
    (access) => target.adapter.setAdSetStatus(access, { ...ref, adSetId }, status),
    'ad_set_not_found',
  );
  const campaign = await db.campaigns.findOne({ _id: campaignRef }, { platformStatus: 1 }).lean();
  const values = { platformStatus: status === 'ACTIVE' ? 'active' : 'paused', isPaused: status === 'PAUSED' };
  await setValues(ctx, 'ad_set', { filter: { _id: adSetRef }, values, author: subject.author });
  const updatedAt = clock.now();
  if (status === 'PAUSED') {
    await db.ads.updateMany(
      { ...inSet, isPaused: { $ne: true } },
      { $set: { isPaused: true, isPausedByAdSet: true, updatedAt } },
    );
    const running: AdStatus[] = ['active', 'pending_review'];
    await applyAdStatus(ctx, await db.ads.find({ ...inSet, status: { $in: running } }).lean(), 'paused');
    return;
  }
  // An ad that was paused itself stays so.
  const held = { ...inSet, isPausedByAdSet: true };
  await db.ads.updateMany(held, { $set: { isPaused: false, isPausedByAdSet: false, updatedAt } });
  if (campaign?.platformStatus === 'paused') return;
  const paused = ads.filter((ad) => ad.isPausedByAdSet === true && ad.status === 'paused');
  await applyAdStatus(ctx, paused, 'active');
}
