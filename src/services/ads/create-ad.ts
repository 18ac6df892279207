import type { CreateAdPayload } from '../../contract/ad.ts';
import { ownFields, type CreateAdInput } from '../../contract/ad-input.ts';
import type { Warning } from '../../contract/common.ts';
import { AppError, invalidInput } from '../../contract/error.ts';
import { capabilityOf, type AdPlatform } from '../../contract/platforms.ts';
import { newId } from '../../lib/id.ts';
import type { AccountDoc } from '../../models/account.ts';
import type { AdDoc } from '../../models/ad.ts';
import type { AdAccount, AdOrder } from '../../platforms/platform.ts';
import { authorOf } from '../activity/author.ts';
import { requireAdsAccess } from '../access.ts';
import { requireNotRestored } from '../backup/close-restored.ts';
import { requireOrderWithinLimits } from '../budget-limits/order-limits.ts';
import { budgetKeyOf } from '../budget-limits/parties.ts';
import type { Ctx } from '../context.ts';
import { adAccountsOf, requireActiveAdAccount, requireAdTarget, type AdTarget } from './ad-target.ts';
import { checkAd } from './check-ad.ts';
import { removedError, requireNotRemoved } from '../removals/removed.ts';
import { withCurrency } from './currency.ts';
import { withDeclarations } from './declarations.ts';
import { adopted, findForgottenOrder, placeOrder } from './adopt-order.ts';
import { claimOrder, leaseLost } from './order-lease.ts';
import { withCountries } from './resolve-countries.ts';
import { withUsedMembers } from './promoted-object.ts';
import { dryRunAd } from './dry-run-ad.ts';
import { requireLinkedAccounts } from './require-linked-accounts.ts';
import { warningsInto } from './order.ts';
import { requireNotMarked } from '../stops/require-not-stopped.ts';
import { runOrder } from './run-order.ts';
import { withSupportedEnd } from './supported-end.ts';
import { withSupportedStart } from './supported-start.ts';
import { toAd } from './to-ad.ts';

/** Makes one ad, or one for each creative. `orderId` is the same on every repetition under one Idempotency-Key. */
export async function createAd(ctx: Ctx, input: CreateAdInput, orderId: string = newId()): Promise<CreateAdPayload> {
  const own = { _id: orderId, userId: ctx.caller.userId };
  const earlier = ctx.isFirstAttempt ? null : await ctx.db.ads.findOne(own).lean();
  const found: Warning[] = [];
  const warn = warningsInto(found);
  if (earlier) {
    const ads = await keepIdempotencyKey(() => continueOrder(ctx, earlier, warn));
    return toResult(await withCurrency(ctx, ads), found);
  }
  requireAdsAccess(ctx);
  const target = await requireAdTarget(ctx, input.accountId);
  const active = await requireActiveAdAccount(ctx, target, input.adAccountId);
  if (input.status !== 'PAUSED') requireNotMarked(ctx, { account: target.account, adAccount: active });
  await requireOrderWithinLimits(ctx, { account: target.account, adAccount: active }, input);
  const adAccount = input.startDate === undefined ? active : await withTimezone(ctx, target, active);
  const { platform } = target.adapter;
  const { input: used, warnings: unused } = withUsedMembers(
    withDefaultIdentity(input, target.account, platform),
    platform,
  );
  const placedAt = ctx.clock.now();
  const times = withSupportedTimes(await withCountries(ctx, used, platform), {
    ...target,
    adAccount,
    now: placedAt,
  });
  const declared = withDeclarations(times.input, { ...target, adAccount });
  const filled = declared.input;
  await requireLinkedAccounts(ctx, target.account, filled);
  const ruled = requireValid(ctx, filled, { ...target, adAccount });
  const warnings = [...unused, ...times.warnings, ...declared.warnings, ...ruled];

  const { adSetId } = input;
  if (adSetId !== undefined) await requireNotRemoved(ctx, { accountId: target.account._id, adSetId });

  const by = { author: authorOf(ctx), budgetKeyId: budgetKeyOf(ctx.caller) };
  const order = { orderId, input: filled, ...target, adAccount, placedAt, ...by };
  if (input.validateOnly) return dryRunAd(ctx, order, warnings);
  const forgotten = await findForgottenOrder(ctx, order);
  const ads = await keepIdempotencyKey(() => placeOrder(ctx, order, { found: forgotten, warn }));
  return toResult(ads, [...warnings, ...(forgotten?.created ? [adopted] : found)]);
}

/** The days of an ad account follow from its time zone, which the stored list may lack. */
async function withTimezone(ctx: Ctx, target: AdTarget, adAccount: AdAccount): Promise<AdAccount> {
  const { startPrecision } = capabilityOf(target.adapter.platform);
  if (startPrecision !== 'day' || adAccount.timezone) return adAccount;
  const renewed = await adAccountsOf(ctx, target, { refresh: true });
  return renewed.find(({ id }) => id === adAccount.id) ?? adAccount;
}

/** Moves start and end to ones that the platform supports. */
function withSupportedTimes(
  input: CreateAdInput,
  { adapter, adAccount, now }: AdTarget & { adAccount: AdAccount; now: Date },
): { input: CreateAdInput; warnings: Warning[] } {
  const { startPrecision } = capabilityOf(adapter.platform);
  const starting = withSupportedStart(input, { startPrecision, adAccount, now });
  const ending = withSupportedEnd(starting.input, { supportedEnd: adapter.supportedEnd, adAccount, now });
  return { input: ending.input, warnings: [...starting.warnings, ...ending.warnings] };
}

/** The identity of an ad on platforms that have several: the person's own if a posting account is connected. */
const withDefaultIdentity = (
  input: CreateAdInput,
  { encryptedToken }: AccountDoc,
  platform: AdPlatform,
): CreateAdInput =>
  ownFields(platform).includes('identityType')
    ? { ...input, identityType: input.identityType ?? (encryptedToken ? 'NETWORK_C_USER' : 'CUSTOMIZED_USER') }
    : input;

/** Checks every platform rule in one pass; ignored fields come back as warnings. */
function requireValid(
  ctx: Ctx,
  input: CreateAdInput,
  { account, adapter, adAccount }: AdTarget & { adAccount: AdAccount },
): Warning[] {
  const { problems, warnings } = checkAd(input, {
    platform: adapter.platform,
    accountPlatform: account.platform,
    adAccount,
    currencyFactor: adapter.currencyFactor,
    checkOrder: adapter.checkOrder,
    orderWarnings: adapter.orderWarnings,
    supportedEnd: adapter.supportedEnd,
    now: ctx.clock.now(),
    hasPage: account.pageId !== null,
    hasOrganization: account.pageId !== null || adAccount.organizationId !== undefined,
    hasPostingAccount: account.encryptedToken !== null,
    hasBrandIdentity: account.platformState.identities?.[adAccount.id] !== undefined,
  });
  if (problems.length > 0) throw invalidInput(problems);
  return warnings;
}

/** Repeated call: return a finished order as is, otherwise resume it. */
async function continueOrder(ctx: Ctx, firstAd: AdDoc, warn: AdOrder['warn']): Promise<AdDoc[]> {
  requireAdsAccess(ctx);
  requireNotRestored(firstAd);
  if (firstAd.removal) throw removedError('ad', firstAd._id, firstAd);
  const target = await requireAdTarget(ctx, firstAd.accountId);
  const isOpen = firstAd.status === 'creating' || firstAd.status === 'unconfirmed' || firstAd.status === 'error';
  if (!isOpen) return ctx.db.ads.find({ orderId: firstAd.orderId }).sort({ creativeIndex: 1 }).lean();
  const run = await claimOrder(ctx, firstAd);
  if (!run) throw leaseLost();
  return runOrder(ctx, run, target, warn);
}

/** Once an order has started, keep its idempotency key on any failure; releasing it would let a retry create the ad twice. */
const keepIdempotencyKey = <T>(run: () => Promise<T>): Promise<T> =>
  run().catch((error: unknown) => {
    if (error instanceof AppError && error.extras.holdsKey === undefined) error.extras.holdsKey = true;
    throw error;
  });

function toResult(ads: AdDoc[], warnings: Warning[]): CreateAdPayload {
  const [firstAd] = ads;
  const extra = warnings.length > 0 && { warnings };
  if (!firstAd) throw new Error('An order has at least one ad');
  if (firstAd.shape !== 'multiCreative') return { ad: toAd(firstAd), message: 'Ad created', ...extra };
  return {
    ads: ads.map(toAd),
    platformCampaignId: firstAd.platformCampaignId ?? undefined,
    platformAdSetId: firstAd.platformAdSetId ?? undefined,
    message: ads.length === 1 ? '1 ad created' : `${ads.length} ads created`,
    ...extra,
  };
}
