import {
  limitNames,
  type BudgetLimits,
  type BudgetLimitsInput,
  type SetApiKeyBudgetLimitsInput,
  type SetBudgetLimitsInput,
} from '../../contract/budget-limits.ts';
import type { SetApiKeyBudgetLimitsPayload } from '../../contract/api-key.ts';
import type { SetBudgetLimitsPayload } from '../../contract/lookup.ts';
import { AppError, invalidField } from '../../contract/error.ts';
import { adPlatformOf, platforms } from '../../contract/platforms.ts';
import type { AdAccount } from '../../contract/account-data.ts';
import type { AccountDoc } from '../../models/account.ts';
import { requireAccount, requireFullScope } from '../access.ts';
import { accountActivity } from '../accounts/account-event.ts';
import { authorOf } from '../activity/author.ts';
import { changesOf, newActivity } from '../activity/new-activity.ts';
import { requireAdAccount, toAdTarget } from '../ads/ad-target.ts';
import { toApiKey } from '../api-keys/to-api-key.ts';
import type { Ctx } from '../context.ts';
import { toAdAccount } from '../lookups/find-ad-accounts.ts';

export const toBudgetLimits = ({ currency, ...limits }: BudgetLimitsInput): BudgetLimits => ({
  currency,
  maxDailyBudget: limits.maxDailyBudget ?? null,
  maxLifetimeBudget: limits.maxLifetimeBudget ?? null,
  maxActiveBudget: limits.maxActiveBudget ?? null,
});

/** A key that has limits or is stopped must not get around them. */
export function requireUnrestrictedKey({ caller }: Ctx, what: string): void {
  if (!caller.budgetLimits && caller.stopId === undefined) return;
  const why = caller.budgetLimits ? 'has budget limits' : 'is stopped';
  const message = `This key ${why}, so it cannot ${what}; use a key of scope full that has no budget limits and is not stopped`;
  throw new AppError('insufficient_permissions', message);
}

/** Raising or removing a limit, or changing its currency, can allow higher budgets. */
function requireMayChange(ctx: Ctx, before: BudgetLimits | null | undefined, after: BudgetLimits | null): void {
  if (!before) return;
  const isRaised = limitNames.some((name) => before[name] !== null && (after?.[name] ?? Infinity) > before[name]);
  if (!isRaised && after?.currency === before.currency) return;
  requireFullScope(ctx);
  requireUnrestrictedKey(ctx, 'raise or remove budget limits');
}

/** Replaces the budget limits of a key; every process applies them from the next request on. */
export async function setApiKeyBudgetLimits(
  ctx: Ctx,
  { keyId, budgetLimits: requested }: SetApiKeyBudgetLimitsInput,
): Promise<SetApiKeyBudgetLimitsPayload> {
  const live = { _id: keyId, userId: ctx.caller.userId, revokedAt: null };
  const key = await ctx.db.apiKeys.findOne(live).lean();
  if (!key) throw new AppError('api_key_not_found', `There is no API key ${keyId}`, { param: 'keyId' });
  const budgetLimits = requested && toBudgetLimits(requested);
  requireMayChange(ctx, key.budgetLimits, budgetLimits);
  const entry = newActivity(
    {
      action: 'api_key.budget_limits_changed',
      author: authorOf(ctx),
      object: { id: keyId, name: key.name },
      changes: changesOf(key, { budgetLimits }),
    },
    { at: ctx.clock.now() },
  );
  await ctx.db.apiKeys.updateOne(live, { $set: { budgetLimits }, $push: { pendingEvents: entry } });
  ctx.wakeRelay();
  // Every process then reads the key again.
  await ctx.markKeyRevoked(key.keyHash);
  return { apiKey: toApiKey({ ...key, budgetLimits }) };
}

/** Replaces the budget limits of an ad account, for all connected accounts of the user with access to it. */
export async function setBudgetLimits(
  ctx: Ctx,
  { accountId, adAccountId, budgetLimits: requested }: SetBudgetLimitsInput,
): Promise<SetBudgetLimitsPayload> {
  const target = await toAdTarget(ctx, await requireAccount(ctx, accountId), 'changeAds');
  const adAccount = await requireAdAccount(ctx, target, adAccountId);
  return replaceBudgetLimits(ctx, { account: target.account, adAccount }, requested);
}

/** The same for an ad account that is known. */
export async function replaceBudgetLimits(
  ctx: Ctx,
  { account, adAccount }: { account: AccountDoc; adAccount: AdAccount },
  requested: BudgetLimitsInput | null,
): Promise<SetBudgetLimitsPayload> {
  if (requested && requested.currency !== adAccount.currency)
    throw invalidField('budgetLimits.currency', `must be ${adAccount.currency}, the currency of the ad account`);
  const budgetLimits = requested && toBudgetLimits(requested);
  requireMayChange(ctx, account.budgetLimits?.[adAccount.id], budgetLimits);
  const path = `budgetLimits.${adAccount.id}`;
  const adPlatform = adPlatformOf(account.platform);
  const linked = adPlatform ? platforms[adPlatform].accounts : [account.platform];
  const accounts = { userId: account.userId, platform: { $in: linked } };
  const update = budgetLimits ? { $set: { [path]: budgetLimits } } : { $unset: { [path]: 1 } };
  const change = { field: path, before: account.budgetLimits?.[adAccount.id] ?? null, after: budgetLimits };
  const by = { author: authorOf(ctx), at: ctx.clock.now(), changes: [change] };
  const entry = accountActivity('account.budget_limits_changed', account, by);
  await ctx.db.accounts.bulkWrite([
    { updateOne: { filter: { _id: account._id }, update: { ...update, $push: { pendingEvents: entry } } } },
    { updateMany: { filter: accounts, update } },
  ] as never);
  ctx.wakeRelay();
  const changed = { ...account.budgetLimits, ...(budgetLimits && { [adAccount.id]: budgetLimits }) };
  if (!budgetLimits) delete changed[adAccount.id];
  return { adAccount: toAdAccount({ ...account, budgetLimits: changed }, adAccount) };
}
