import type { SetAdStatusInput, UpdateAdPayload } from '../../contract/ad-update.ts';
import type { AdStatus } from '../../contract/ad.ts';
import { invalidField, AppError } from '../../contract/error.ts';
import type { AdDoc } from '../../models/ad.ts';
import { findOne, findOneAndUpdate } from '../../models/driver.ts';
import type { AdRef, SwitchStatus } from '../../platforms/platform.ts';
import { reachOf, requireAccount, requireAdsAccess } from '../access.ts';
import type { PendingEvent } from '../../models/pending-event.ts';
import type { Ctx } from '../context.ts';
import { authorOf } from '../activity/author.ts';
import { takeSteps } from '../activity/sent-steps.ts';
import { changesOf } from '../activity/new-activity.ts';
import { applyAdStatus, switchActivity } from './apply-status.ts';
import { requireAdAccount, toAdTarget, type AdTarget } from './ad-target.ts';
import { withinLimits } from '../budget-limits/within-limits.ts';
import { callPlatform } from '../accounts/platform-access.ts';
import { requireLive, requireNotRemoved } from '../removals/removed.ts';
import { requireNotStopped } from '../stops/require-not-stopped.ts';
import { requireCompleted } from './partial-orders.ts';
import { withCampaignLock } from './campaign-lock.ts';
import { recordingOutcome } from './open-changes.ts';
import { toAd } from './to-ad.ts';
import { withCurrency } from './currency.ts';

export interface UpdateSubject {
  ad: AdDoc;
  target: AdTarget;
  ref: AdRef;
}

/** Switches an ad on or off at the platform, then here; under a paused campaign it does not run. */
export async function setAdStatus(ctx: Ctx, { adId, status }: SetAdStatusInput): Promise<UpdateAdPayload> {
  const { target, ref } = await loadSubject(ctx, adId);
  const { platform } = target.adapter;
  return withCampaignLock(ctx, { platform, campaignId: ref.campaignId, account: target.account }, async () => {
    await (status === 'ACTIVE' ? requireNotRemoved : requireLive)(ctx, { ...ref, accountId: target.account._id, adId });
    const current = await ctx.db.ads.findOne({ _id: adId }).lean().orFail();
    const { campaign, adSet, isSetOff } = await parentsOf(ctx, current);
    if (status === 'ACTIVE' && campaign === 'active') requireCompleted(current);
    const isOff = status === 'PAUSED';
    const values = { isPaused: isOff || isSetOff, isPausedByAdSet: isSetOff && !isOff };
    if (status === 'ACTIVE') await requireNotStopped(ctx, { ...ref, account: target.account });
    const isOnHold = isSetOff || campaign === 'paused' || adSet === 'paused';
    const act = () => switchAd(ctx, { target, ref }, { adId, status, isOnHold, isPaused: values.isPaused });
    const { account } = target;
    const change = { activates: 'ad' as const, platformAdSetId: ref.adSetId };
    const changed = { kind: 'ad' as const, recordId: adId, author: authorOf(ctx), account, campaignId: ref.campaignId };
    const ad = await recordingOutcome(ctx, changed, async () => {
      const entry = await (isOff ? act() : withinLimits(ctx, { ...ref, account }, { change, act }));
      return stored(ctx, adId, values, entry);
    });
    return { ad, message: status === 'ACTIVE' ? 'Ad activated' : 'Ad paused' };
  });
}

interface Switch extends SetAdStatusInput {
  /** Its ad set or its campaign is paused. */
  isOnHold: boolean;
  isPaused: boolean;
}

/** Returns the entry of the activity trail for the next write, if the status of the ad stays as it is. */
async function switchAd(
  ctx: Ctx,
  { target, ref }: Pick<UpdateSubject, 'target' | 'ref'>,
  { adId, status, isOnHold, isPaused }: Switch,
): Promise<PendingEvent | undefined> {
  const { account, adapter } = target;
  await callPlatform(ctx, account, (access) => adapter.setAdStatus(access, ref, status), 'ad_not_found');
  const before = await ctx.db.ads.findOne({ _id: adId }).lean().orFail();
  const by = { author: authorOf(ctx), steps: takeSteps() };
  const moved = await applyAdStatus(ctx, [before], switched(before.status, status, isOnHold), by);
  if (moved > 0) return undefined;
  const changes = changesOf({ isPaused: before.isPaused ?? false }, { isPaused });
  return switchActivity(before, { ...by, at: ctx.clock.now(), changes });
}

/** Returns the platform's own status of the campaign and the ad set of an ad, if known. */
async function parentsOf({ db }: Ctx, { campaignRef, adSetRef }: AdDoc) {
  const [campaign, adSet] = await Promise.all([
    db.campaigns.findOne({ _id: campaignRef ?? '' }, { platformStatus: 1 }).lean(),
    db.adSets.findOne({ _id: adSetRef ?? '' }, { platformStatus: 1, isPaused: 1 }).lean(),
  ]);
  const isRead = adSet?.platformStatus === 'paused' && campaign?.platformStatus !== 'paused';
  // Under a paused campaign, the status that the platform reports does not show whether the ad set itself is paused.
  const isSetOff = adSet?.isPaused === true || isRead;
  return { campaign: campaign?.platformStatus, adSet: adSet?.platformStatus, isSetOff };
}

/** Status of the ad after the change (a held or finished ad stays as it is). */
function switched(before: AdStatus, requested: SwitchStatus, isOnHold: boolean): AdStatus {
  if (requested === 'ACTIVE') return before === 'paused' && !isOnHold ? 'active' : before;
  return before === 'active' || before === 'pending_review' ? 'paused' : before;
}

/** An ad that exists at its platform, with its adapter and ids there. */
export async function loadSubject(ctx: Ctx, adId: string): Promise<UpdateSubject> {
  const ad = await findOne(ctx.db.ads, { _id: adId, ...reachOf(ctx) });
  if (!ad) throw new AppError('ad_not_found', `Ad ${adId} not found`, { param: 'adId' });
  requireAdsAccess(ctx);
  const { platformAdId, platformAdSetId, platformCampaignId } = ad;
  if (!platformAdId || !platformAdSetId || !platformCampaignId) {
    const message = `is ${ad.status}: it does not exist at the platform, or not yet`;
    throw invalidField('adId', message);
  }
  const target = await toAdTarget(ctx, await requireAccount(ctx, ad.accountId), 'changeAds');
  const adAccount = await requireAdAccount(ctx, target, ad.platformAdAccountId);
  const ref = { adAccount, campaignId: platformCampaignId, adSetId: platformAdSetId, adId: platformAdId };
  return { ad, target, ref };
}

export async function stored(ctx: Ctx, adId: string, change: Partial<AdDoc>, entry?: PendingEvent) {
  const update = {
    at: ctx.clock.now(),
    $set: change,
    ...(entry && { $push: { pendingEvents: entry } }),
  };
  const ad = await findOneAndUpdate(ctx.db.ads, { _id: adId }, update);
  if (!ad) throw new Error(`The record of ad ${adId} is gone`);
  if (entry) ctx.wakeRelay();
  const [filled = ad] = await withCurrency(ctx, [ad]);
  return toAd(filled);
}
