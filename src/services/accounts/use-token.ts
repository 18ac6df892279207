import { AppError } from '../../contract/error.ts';
import { adPlatformOf } from '../../contract/platforms.ts';
import type { AccountDoc } from '../../models/account.ts';
import type { Access } from '../../platforms/platform.ts';
import type { Services } from '../context.ts';

/** What an adapter needs to act for an account: the token leaves its seal for this call only. */
export async function accessFor({ sealer, db }: Pick<Services, 'sealer' | 'db'>, account: AccountDoc): Promise<Access> {
  if (!account.sealedToken || account.needsReconnect) {
    throw new AppError(
      'platform_token_expired',
      'The platform no longer accepts this connection; connect the account again',
      { platform: adPlatformOf(account.platform) ?? account.platform },
    );
  }
  return {
    accountPlatform: account.platform,
    token: sealer.open(account.sealedToken),
    pageId: account.pageId ?? undefined,
    photoAccountId: account.photoAccountId ?? undefined,
    platformAccountId: account.platformAccountId,
    displayName: account.displayName,
    kept: account.kept,
    keep: async (kept) => {
      const named = Object.entries(kept).map(([name, value]) => [`kept.${name}`, value]);
      await db.accounts.updateOne({ _id: account._id }, { $set: Object.fromEntries(named) });
    },
  };
}
