import type { SetAdStatusInput, SteeredAdResult, UpdateAdInput } from '../../contract/ad-steering.ts';
import type { AdStatus } from '../../contract/ad.ts';
import { invalidInput, AppError, type Problem } from '../../contract/error.ts';
import { platforms } from '../../contract/platforms.ts';
import type { AdDoc } from '../../models/ad.ts';
import type { AdChange, AdRef, SwitchStatus } from '../../platforms/platform.ts';
import { reachOf, requireAccount, requireAdsAccess } from '../access.ts';
import type { Ctx } from '../context.ts';
import { moveAds } from './move-ads.ts';
import { requireAdAccount, toAdTarget, type AdTarget } from './ad-target.ts';
import { askPlatform } from '../accounts/ask-platform.ts';
import { minimumOf, precisionOf } from './check-money.ts';
import { upstreamName } from './order.ts';
import { requireOver } from './leftovers.ts';
import { switching } from './switching.ts';
import { toAd } from './to-ad.ts';

interface Steered {
  ad: AdDoc;
  target: AdTarget;
  ref: AdRef;
}

/**
 * Changes name, budget or end of an ad at the platform, then here. Repeating it changes nothing more. One change after the
 * other for all of a campaign, each recorded once it is made: the record never shows money that the platform does not have.
 */
export async function updateAd(ctx: Ctx, { adId, ...change }: UpdateAdInput): Promise<SteeredAdResult> {
  const found = await steered(ctx, adId);
  requireLawful(ctx, change, found);
  const { target, ref } = found;
  const { name, budgetAmount: amount, endDate } = change;
  const tell = (wanted: AdChange): Promise<void> =>
    askPlatform(ctx, target.account, (access) => target.adapter.updateAd(access, ref, wanted), 'ad_not_found');
  return switching(ctx, { platform: target.adapter.platform, campaignId: ref.campaignId }, async () => {
    // The name goes first: refused, it has cost nothing.
    if (name) {
      await tell({ name: upstreamName(name, adId, target.adapter.maxNameLength) });
      await stored(ctx, adId, { name });
    }
    if (amount !== undefined || endDate) {
      const ad = await ctx.db.ads.findOne({ _id: adId }).lean().orFail();
      const standing = await standingBudget(ctx, ad);
      const budget = amount === undefined ? undefined : { amount, type: standing?.type ?? 'daily' };
      await tell({ budget, endDate, standing });
      await recordTerms(ctx, { ad, target, ref }, { budget, endDate });
    }
    return { ad: await stored(ctx, adId, {}), message: 'Ad updated' };
  });
}

/** An ad that was put into an ad set shares a budget that it does not name itself. */
const standingBudget = async ({ db }: Ctx, { terms, adSetRef }: AdDoc): Promise<AdChange['standing']> =>
  terms.budget ?? (await db.adSets.findOne({ _id: adSetRef ?? '' }, { budget: 1 }).lean())?.budget ?? undefined;

/** Budget and end belong to the ad set, on platform B to the campaign: all that is in it shares them. */
async function recordTerms({ db, clock }: Ctx, { ad, target }: Steered, { budget, endDate }: AdChange): Promise<void> {
  const { accountId, platformAdSetId, platformCampaignId, adSetRef, campaignRef } = ad;
  const isOfCampaign = target.adapter.platform === 'B';
  const updatedAt = clock.now();
  const terms = { ...(budget && { 'terms.budget': budget }), ...(endDate && { 'terms.endDate': endDate }) };
  const ofSet = {
    ...(budget && { budget: isOfCampaign ? null : budget }),
    ...(endDate && { endDate: new Date(endDate) }),
  };
  await db.ads.updateMany(
    { accountId, ...(isOfCampaign ? { platformCampaignId } : { platformAdSetId }) },
    { $set: { ...terms, updatedAt } },
  );
  await db.adSets.updateMany(isOfCampaign ? { campaignRef: campaignRef ?? '' } : { _id: adSetRef ?? '' }, {
    $set: { ...ofSet, updatedAt },
  });
  if (isOfCampaign && budget) {
    await db.campaigns.updateOne({ _id: campaignRef ?? '' }, { $set: { budget, updatedAt } });
  }
}

/** Switches an ad on or off at the platform, then here; under a paused campaign it does not run. */
export async function setAdStatus(ctx: Ctx, { adId, status }: SetAdStatusInput): Promise<SteeredAdResult> {
  const { target, ref } = await steered(ctx, adId);
  const { platform } = target.adapter;
  return switching(ctx, { platform, campaignId: ref.campaignId }, async () => {
    const standing = await ctx.db.ads.findOne({ _id: adId }).lean().orFail();
    const { campaign, adSet } = await parentsOf(ctx, standing);
    if (status === 'ACTIVE' && campaign === 'active') requireOver(standing);
    await askPlatform(ctx, target.account, (access) => target.adapter.setAdStatus(access, ref, status), 'ad_not_found');
    const before = await ctx.db.ads.findOne({ _id: adId }).lean().orFail();
    await moveAds(ctx, [before], switched(before.status, status, campaign === 'paused' || adSet === 'paused'));
    // Under a campaign that is off nobody can tell whether the ad set is off itself.
    const isSetOff = adSet === 'paused' && campaign !== 'paused';
    const ad = await stored(ctx, adId, { isOff: status === 'PAUSED' || isSetOff });
    return { ad, message: status === 'ACTIVE' ? 'Ad switched on' : 'Ad paused' };
  });
}

/** Where the campaign and the ad set of an ad stand themselves, as far as that is known. */
async function parentsOf({ db }: Ctx, { campaignRef, adSetRef }: AdDoc) {
  const [campaign, adSet] = await Promise.all([
    db.campaigns.findOne({ _id: campaignRef ?? '' }, { ownStatus: 1 }).lean(),
    db.adSets.findOne({ _id: adSetRef ?? '' }, { ownStatus: 1 }).lean(),
  ]);
  return { campaign: campaign?.ownStatus, adSet: adSet?.ownStatus };
}

/** Where an ad stands after its switch: none runs for it that is held or over, and what its order makes of it is not known yet. */
function switched(before: AdStatus, wanted: SwitchStatus, isHeld: boolean): AdStatus {
  if (wanted === 'ACTIVE') return before === 'paused' && !isHeld ? 'active' : before;
  return before === 'active' || before === 'pending_review' ? 'paused' : before;
}

async function steered(ctx: Ctx, adId: string): Promise<Steered> {
  const ad = await ctx.db.ads.findOne({ _id: adId, ...reachOf(ctx) }).lean();
  if (!ad) throw new AppError('ad_not_found', `There is no ad ${adId} that this key reaches`, { param: 'adId' });
  requireAdsAccess(ctx);
  const { platformAdId, platformAdSetId, platformCampaignId } = ad;
  if (!platformAdId || !platformAdSetId || !platformCampaignId) {
    const message = `is ${ad.status}: it does not exist at the platform, or not yet`;
    throw invalidInput([{ code: 'invalid_field_value', path: 'adId', message }]);
  }
  const target = toAdTarget(ctx, await requireAccount(ctx, ad.accountId));
  const adAccount = await requireAdAccount(ctx, target, ad.platformAdAccountId);
  const ref = { adAccount, campaignId: platformCampaignId, adSetId: platformAdSetId, adId: platformAdId };
  return { ad, target, ref };
}

/** What createAd asks of name, budget and end holds for their changes too. */
function requireLawful(ctx: Ctx, change: Omit<UpdateAdInput, 'adId'>, steered: Steered): void {
  const { name, budgetAmount = 0, endDate } = change;
  const { target, ref } = steered;
  const { currency } = ref.adAccount;
  const problems: Problem[] = [];
  if (name === undefined && change.budgetAmount === undefined && endDate === undefined) {
    const message = 'is required: give at least one of name, budgetAmount, endDate';
    problems.push({ code: 'missing_required_field', path: 'name', message });
  }
  const factor = target.adapter.currencyFactor(currency);
  problems.push(...precisionOf('budgetAmount', budgetAmount, { currency, factor }), ...tooLittle(change, steered));
  if (endDate && new Date(endDate) <= ctx.clock.now()) {
    problems.push({ code: 'invalid_field_value', path: 'endDate', message: 'must be in the future' });
  }
  if (problems.length > 0) throw invalidInput(problems);
}

/** Of the whole run as it will be: a longer one may need more than the budget that stands. */
function tooLittle({ budgetAmount, endDate }: Omit<UpdateAdInput, 'adId'>, { ad, target, ref }: Steered): Problem[] {
  const { budget, startDate } = ad.terms;
  const amount = budgetAmount ?? (endDate ? budget?.amount : undefined);
  if (amount === undefined) return [];
  const said = minimumOf(platforms[target.adapter.platform], {
    amount,
    type: budget?.type,
    currency: ref.adAccount.currency,
    from: startDate === undefined ? undefined : new Date(startDate),
    endDate: endDate ?? ad.terms.endDate,
  });
  const code = 'invalid_field_value';
  return said.map((message) =>
    budgetAmount === undefined
      ? { code, path: 'endDate', message: `is too late for the budget of ${amount}: it ${message}` }
      : { code, path: 'budgetAmount', message },
  );
}

async function stored(ctx: Ctx, adId: string, change: Partial<AdDoc>) {
  const updatedAt = ctx.clock.now();
  const ad = await ctx.db.ads
    .findOneAndUpdate({ _id: adId }, { $set: { ...change, updatedAt } }, { returnDocument: 'after' })
    .lean()
    .orFail();
  return toAd(ad);
}
