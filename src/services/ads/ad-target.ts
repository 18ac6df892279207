import { AppError } from '../../contract/error.ts';
import { adPlatformOf, capabilityOf } from '../../contract/platforms.ts';
import type { AccountDoc } from '../../models/account.ts';
import type { AdAccount, AdsAdapter } from '../../platforms/platform.ts';
import type { ScopeUse } from '../../platforms/connect.ts';
import { requireAccount } from '../access.ts';
import { closedBecause, listAdAccounts } from '../accounts/list-ad-accounts.ts';
import { requireScopes } from '../accounts/scopes.ts';
import { requireReadable } from '../accounts/platform-access.ts';
import type { Ctx } from '../context.ts';
import { PlatformError } from '../../platforms/error.ts';
import { appErrorFromPlatform } from '../platform-error.ts';

/** The connected account that creates ads, and its adapter. */
export interface AdTarget {
  account: AccountDoc;
  adapter: AdsAdapter;
}

/** The account of an ad order; 422 when the key cannot access the account or it has no ads; 501 when no adapter is installed. */
export async function requireAdTarget(ctx: Ctx, accountId: string): Promise<AdTarget> {
  return toAdTarget(ctx, await requireAccount(ctx, accountId, 'linked_account_required'), 'createAds');
}

/** The account and its adapter, if the granted scopes allow the use. */
export async function toAdTarget(ctx: Ctx, account: AccountDoc, use: ScopeUse): Promise<AdTarget> {
  const adPlatform = adPlatformOf(account.platform);
  if (!adPlatform) {
    const message = `Accounts of platform ${account.platform} have no ads; name an account of an ad platform`;
    throw new AppError('linked_account_required', message, { param: 'accountId' });
  }
  if (capabilityOf(adPlatform).hasOwnAdsConnection && !account.adsConnected) {
    const message = `Connect the ads of this ${account.platform} account first: GET /v1/connect/${account.platform}/ads`;
    throw new AppError('ads_connection_required', message, { param: 'accountId', platform: adPlatform });
  }
  const adapter = ctx.platforms[adPlatform];
  if (!adapter) {
    throw new AppError(
      'unsupported_platform_operation',
      `Ads on platform ${adPlatform} are not enabled on this server`,
      {
        platform: adPlatform,
      },
    );
  }
  requireScopes(ctx, account, use);
  await requireReadable(ctx, account);
  return { account, adapter };
}

/** Lists the accessible ad accounts; a PlatformError becomes an AppError. */
export const adAccountsOf = (ctx: Ctx, target: AdTarget, { refresh = false } = {}): Promise<AdAccount[]> =>
  listAdAccounts(ctx, target, { refresh }).catch((error: unknown) => {
    throw error instanceof PlatformError ? appErrorFromPlatform(error) : error;
  });

/** An ad account's id with and without the prefix of its platform: callers write either. */
export const spellingsOf = ({ adAccountPrefix: prefix }: Pick<AdsAdapter, 'adAccountPrefix'>, id: string): string[] =>
  prefix === undefined ? [id] : [id, id.startsWith(prefix) ? id.slice(prefix.length) : prefix + id];

/** The ad account of an order, with or without its upstream prefix; 422 when the connection does not reach it. */
export async function requireAdAccount(ctx: Ctx, target: AdTarget, id: string): Promise<AdAccount> {
  const { platform } = target.adapter;
  const reached = await adAccountsOf(ctx, target);
  const found = reached.find((adAccount) => spellingsOf(target.adapter, id).includes(adAccount.id));
  if (found) return found;
  const names = reached.map((adAccount) => adAccount.id).join(', ') || 'none';
  const message = `Ad account ${id} is not accessible through this connection; accessible: ${names}`;
  throw new AppError('linked_account_required', message, { param: 'adAccountId', platform });
}

/** The same, for operations that require an active ad account. */
export async function requireActiveAdAccount(ctx: Ctx, target: AdTarget, id: string): Promise<AdAccount> {
  const found = await requireAdAccount(ctx, target, id);
  if (found.isActive) return found;
  const account = await requireAccount(ctx, target.account._id);
  const renewed = await adAccountsOf(ctx, { ...target, account }, { refresh: true });
  const current = renewed.find((adAccount) => adAccount.id === found.id) ?? found;
  if (current.isActive) return current;
  const message = `${closedBecause(current)}; resolve it there, or use another ad account`;
  throw new AppError('linked_account_required', message, {
    param: 'adAccountId',
    platform: target.adapter.platform,
    details: { status: current.status ?? null, statusReason: current.statusReason ?? null },
  });
}
