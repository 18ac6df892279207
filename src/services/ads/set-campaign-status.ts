import type { SetCampaignStatusInput, SetCampaignStatusPayload } from '../../contract/ad-update.ts';
import type { AdStatus } from '../../contract/ad.ts';
import { AppError } from '../../contract/error.ts';
import { reachOf, requireAccount, requireAdsAccess, type OwnedFilter } from '../access.ts';
import type { Author } from '../../models/activity.ts';
import type { AdDoc } from '../../models/ad.ts';
import type { Ctx, Services } from '../context.ts';
import type { AdAccount } from '../../platforms/platform.ts';
import { authorOf } from '../activity/author.ts';
import { recomputeAggregates } from '../campaigns/recompute-aggregates.ts';
import { campaignRefOf } from '../campaigns/ids.ts';
import { withinLimits } from '../budget-limits/within-limits.ts';
import { setValues } from '../campaigns/set-values.ts';
import { requireAdAccount, toAdTarget, type AdTarget } from './ad-target.ts';
import { requireLive, requireNotRemoved } from '../removals/removed.ts';
import { adsAwaitingActivation } from './partial-orders.ts';
import { withCampaignLock } from './campaign-lock.ts';
import { recordingOutcome } from './open-changes.ts';
import { holdCopies } from '../duplications/duplication-store.ts';
import { requireNotStopped } from '../stops/require-not-stopped.ts';
import { applyAdStatus } from './apply-status.ts';
import { callPlatform } from '../accounts/platform-access.ts';

const notOff = { isPaused: { $ne: true } };
const unfinished: AdStatus[] = ['creating', 'unconfirmed', 'error'];

/** Switches a campaign on or off at its platform; the ads that are known of it follow. */
export async function setCampaignStatus(ctx: Ctx, input: SetCampaignStatusInput): Promise<SetCampaignStatusPayload> {
  const { campaignId, platform, status } = input;
  requireAdsAccess(ctx);
  const filter = { ...reachOf(ctx), platform, platformCampaignId: campaignId };
  const known = await whereIs(ctx, filter);
  if (!known) {
    const message = `There is no campaign ${campaignId} on ${platform} that this API key can access`;
    throw new AppError('campaign_not_found', message, { param: 'campaignId' });
  }
  const target = await toAdTarget(ctx, await requireAccount(ctx, known.accountId), 'changeAds');
  const adAccount = await requireAdAccount(ctx, target, known.platformAdAccountId);
  const { platform: adPlatform } = target.adapter;
  await withCampaignLock(ctx, { platform: adPlatform, campaignId, account: target.account }, async () => {
    await (status === 'ACTIVE' ? requireNotRemoved : requireLive)(ctx, { accountId: known.accountId, campaignId });
    const author = authorOf(ctx);
    const act = (): Promise<void> => switchAll(ctx, { target, adAccount, reach: reachOf(ctx), author }, input);
    const campaign = { account: target.account, adAccount, campaignId };
    if (status === 'ACTIVE') await requireNotStopped(ctx, campaign);
    const recordId = campaignRefOf(known.accountId, campaignId);
    const changed = { kind: 'campaign' as const, recordId, author, account: target.account, campaignId };
    await recordingOutcome(ctx, changed, () =>
      status === 'PAUSED' ? act() : withinLimits(ctx, campaign, { change: { activates: 'campaign' }, act }),
    );
  });
  const message = status === 'ACTIVE' ? 'Campaign activated' : 'Campaign paused';
  return { success: true, campaignId, accountId: known.accountId, status, message };
}

/** Finds the campaign; prefers a connection that is still valid. */
async function whereIs({ db }: Ctx, filter: OwnedFilter) {
  const where = { accountId: 1, platformAdAccountId: 1 };
  // A campaign may have no ads, such as a copy without its children.
  const find = async (among: object) =>
    (await db.ads.findOne(among, where).lean()) ?? (await db.campaigns.findOne(among, where).lean());
  const usable = { userId: filter.userId, disconnectedAt: null, needsReconnect: false };
  const accounts = await db.accounts.find(usable, { _id: 1 }).lean();
  return (await find({ ...filter, accountId: { $in: accounts.map(({ _id }) => _id) } })) ?? find(filter);
}

interface Switched {
  target: AdTarget;
  adAccount: AdAccount;
  /** The records that the caller can access. */
  reach: OwnedFilter;
  author?: Author;
}

/** Switches a campaign and records what that does to its ads; the campaign lock is held. */
export async function switchAll(
  ctx: Services,
  { target, adAccount, reach, author }: Switched,
  { campaignId, platform, status }: SetCampaignStatusInput,
): Promise<void> {
  const filter = { ...reach, platform, platformCampaignId: campaignId };
  const made = { steps: { $elemMatch: { name: 'campaign', remoteId: campaignId } } };
  const ofOrders = { $and: [reach, { $or: [{ platformCampaignId: campaignId }, made] }], platform };
  const open = {
    ...ofOrders,
    status: { $in: unfinished },
    shape: { $ne: 'attach' },
    order: { $exists: true },
  } as const;
  const requested = { 'order.input.status': status };
  const awaiting = status === 'ACTIVE' ? await adsAwaitingActivation(ctx, filter) : [];
  // A running order or copy would activate the campaign at its end; record the owner's choice so that it does not.
  if (status === 'PAUSED') await ctx.db.ads.updateMany(open, { $set: { ...requested, 'order.isActivated': false } });
  const { _id: accountId } = target.account;
  const campaignRef = campaignRefOf(accountId, campaignId);
  // What a running discovery has read or reads until then is older than the record.
  const updatedAt = ctx.clock.now();
  const pausedByOwnerAt = status === 'PAUSED' ? updatedAt : null;
  await ctx.db.campaigns.updateOne({ _id: campaignRef }, { $set: { pausedByOwnerAt, updatedAt } });
  await holdCopies(ctx, {
    campaign: { accountId, copiedCampaignId: campaignId },
    isOnHold: status === 'PAUSED',
  });
  await callPlatform(
    ctx,
    target.account,
    (access) => target.adapter.setCampaignStatus(access, { adAccount, campaignId }, status),
    'campaign_not_found',
  );
  if (status === 'ACTIVE') await ctx.db.ads.updateMany(open, { $set: { ...requested, 'order.isActivated': true } });
  const [from, to]: [AdStatus, AdStatus] = status === 'ACTIVE' ? ['paused', 'active'] : ['active', 'paused'];
  // A campaign does not activate an ad that is paused itself.
  const movable = { ...filter, accountId, status: from, ...(status === 'ACTIVE' && notOff) };
  const ads = await ctx.db.ads.find(movable).lean();
  const platformStatus = status === 'ACTIVE' ? 'active' : 'paused';
  const values = { platformStatus, ...(status === 'PAUSED' && { pausedAt: updatedAt }) };
  const [before] = await setValues(ctx, 'campaign', { filter: { _id: campaignRef }, values, author });
  if (status === 'ACTIVE' && before?.platformStatus === 'paused') {
    // Read as paused under a paused campaign: whether they are off themselves is not known.
    await ctx.db.adSets.updateMany(
      { campaignRef, platformStatus: 'paused', isPaused: { $ne: true } },
      { $set: { platformStatus: null, updatedAt: ctx.clock.now() } },
    );
  }
  await applyAdStatus(ctx, ads, to);
  const isPaused = (ad: AdDoc): boolean => ad.isPaused === true;
  await applyAdStatus(ctx, awaiting.filter(isPaused), 'paused');
  await applyAdStatus(
    ctx,
    awaiting.filter((ad) => !isPaused(ad)),
    'active',
  );
  // A repeated call may find all ads changed but the totals not yet recomputed.
  if (ads.length === 0) await recomputeAggregates(ctx.db, [campaignRef]);
}
