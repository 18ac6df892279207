import { AppError, invalidField } from '../../contract/error.ts';
import { adPlatformOf, capabilityOf, type AccountPlatform, type AdPlatform } from '../../contract/platforms.ts';
import type { AccountDoc } from '../../models/account.ts';
import { reachOf, requireAccount } from '../access.ts';
import type { Ctx } from '../context.ts';

export interface Connection {
  platform: AccountPlatform;
  accountId?: string;
}

/** The accounts of an ad platform that the key reaches, or the named one. */
export async function connectionsOf(
  ctx: Ctx,
  adPlatform: AdPlatform,
  { platform, accountId }: Connection,
): Promise<AccountDoc[]> {
  const { accounts: same } = capabilityOf(adPlatform);
  if (accountId === undefined) {
    const accounts = await ctx.db.accounts
      .find({ ...reachOf(ctx), platform: { $in: [...same] }, disconnectedAt: null })
      .lean();
    return accounts.toSorted((a, b) => Number(b.platform === platform) - Number(a.platform === platform));
  }
  const account = await requireAccount(ctx, accountId);
  if (adPlatformOf(account.platform) === adPlatform) return [account];
  const message = `is an account of ${account.platform}, not of ${platform}`;
  throw invalidField('accountId', message);
}

const isUsable = ({ platform, needsReconnect, adsConnected }: AccountDoc): boolean => {
  const adPlatform = adPlatformOf(platform);
  const isSeparate = adPlatform !== undefined && capabilityOf(adPlatform).hasOwnAdsConnection === true;
  return !needsReconnect && (adsConnected || !isSeparate);
};

/**
 * What the first account finds. The account that is known to have it comes first, also if its connection has ended: the
 * caller then learns that.
 */
export async function firstFound<T>(
  accounts: AccountDoc[],
  knownIn: string | undefined,
  look: (account: AccountDoc) => Promise<T | undefined>,
): Promise<T | undefined> {
  const isKnown = ({ _id }: AccountDoc): boolean => _id === knownIn;
  const usable = accounts.filter((account) => isUsable(account) || isKnown(account));
  const ordered = (usable.length > 0 ? usable : accounts).toSorted((a, b) => Number(isKnown(b)) - Number(isKnown(a)));
  let failure: unknown;
  for (const account of ordered) {
    try {
      const found = await look(account);
      if (found) return found;
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      failure ??= error;
    }
  }
  if (failure) throw failure;
  return undefined;
}
