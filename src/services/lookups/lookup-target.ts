import { AppError } from '../../contract/error.ts';
import { lookupPlatform } from '../../contract/lookup.ts';
import { adPlatformOf, platforms } from '../../contract/platforms.ts';
import type { AccountDoc } from '../../models/account.ts';
import type { AdAccount } from '../../platforms/platform.ts';
import { reachOf, requireAccount } from '../access.ts';
import { adAccountsOf, requireAdAccount, toAdTarget, type AdTarget } from '../ads/ad-target.ts';
import type { Ctx } from '../context.ts';

/** The account that a lookup uses: the named one, else the first of platform A. An account without ads is not found. */
export async function lookUpTarget(ctx: Ctx, accountId: string | undefined): Promise<AdTarget> {
  if (accountId === undefined) return toAdTarget(ctx, await firstOfDefault(ctx), 'readAds');
  const account = await requireAccount(ctx, accountId);
  if (adPlatformOf(account.platform)) return toAdTarget(ctx, account, 'readAds');
  const message = `The account ${accountId} is of platform ${account.platform}, which has no ads`;
  throw new AppError('account_not_found', message, { param: 'accountId' });
}

async function firstOfDefault(ctx: Ctx): Promise<AccountDoc> {
  const account = await ctx.db.accounts
    .findOne({ ...reachOf(ctx), platform: { $in: [...platforms[lookupPlatform].accounts] }, isActive: true })
    .sort({ _id: 1 })
    .lean();
  if (account) return account;
  throw new AppError(
    'linked_account_required',
    `Name an account: the key can access none of platform ${lookupPlatform}`,
    {
      param: 'accountId',
    },
  );
}

/** The ad account of a lookup, for platforms that require one. */
export async function lookUpAdAccount(
  ctx: Ctx,
  target: AdTarget,
  adAccountId: string | undefined,
): Promise<AdAccount | undefined> {
  if (adAccountId !== undefined) return requireAdAccount(ctx, target, adAccountId);
  if (!target.adapter.looksUpByAdAccount) return undefined;
  const reached = await adAccountsOf(ctx, target);
  // A suspended account cannot be queried.
  return reached.find(({ isActive }) => isActive) ?? reached[0];
}
