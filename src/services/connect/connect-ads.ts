import { AppError } from '../../contract/error.ts';
import type { Author } from '../../models/activity.ts';
import type { AccountDoc } from '../../models/account.ts';
import type { ConnectStateDoc } from '../../models/connect-state.ts';
import type { Connector } from '../../platforms/connect.ts';
import { accountItems } from '../accounts/account-event.ts';
import type { Services } from '../context.ts';
import { accountFields, stateSecret } from '../encryption/bindings.ts';
import { callbackUrl } from './callback-url.ts';
import { platformName } from './connect-target.ts';

interface Answered {
  author: Author;
  begun: ConnectStateDoc;
  params: Record<string, string>;
}

/** Adds the ads connection to an account; the person must be the account's owner. */
export async function connectAds(
  services: Services,
  { ads }: Connector,
  { author, begun, params }: Answered,
): Promise<AccountDoc> {
  const { encrypter } = services;
  const { platform, accountId } = begun;
  if (!ads) throw new AppError('unsupported_platform_operation', `Accounts of ${platform} have no ads of their own`);
  const given = await ads.finish({
    params,
    redirectUri: callbackUrl(services, platform),
    secret: begun.encryptedSecret ? encrypter.decrypt(begun.encryptedSecret, stateSecret(begun._id)) : undefined,
  });
  for (;;) {
    const account = await services.db.accounts
      .findOne({ _id: accountId ?? '', userId: begun.userId, disconnectedAt: null })
      .lean();
    if (!account) throw new AppError('account_not_found', `There is no connected account ${accountId}`);
    if (account.platformAccountId !== given.platformAccountId) {
      const message = `The person who granted access is not ${account.displayName}, whose ads are to be connected`;
      throw new AppError('reconnect_account_mismatch', message, { platform: platformName(platform) });
    }
    const stored = await withAds(services, account, { ...given, author });
    if (!stored) continue;
    services.wakeRelay();
    return stored;
  }
}

/** Returns undefined if the account was changed concurrently. */
function withAds(
  { db, clock, encrypter }: Services,
  account: AccountDoc,
  { author, token, tokenSecret, scopes }: { author: Author; token: string; tokenSecret?: string; scopes?: string[] },
): Promise<AccountDoc | null> {
  return db.accounts
    .findOneAndUpdate(
      { _id: account._id, sequence: account.sequence, disconnectedAt: null },
      {
        $set: {
          encryptedAdsToken: encrypter.encrypt(token, accountFields.encryptedAdsToken(account._id)),
          encryptedAdsTokenSecret:
            tokenSecret === undefined
              ? null
              : encrypter.encrypt(tokenSecret, accountFields.encryptedAdsTokenSecret(account._id)),
          adsConnected: true,
          adsScopes: scopes ?? null,
          adAccountsAt: null,
          // The expired token may have been the ads token.
          ...(account.needsReconnect && !account.encryptedRefreshToken && { needsReconnect: false, isActive: true }),
        },
        $inc: { sequence: 1 },
        $push: { pendingEvents: { $each: accountItems('account.connected', account, { author, at: clock.now() }) } },
      },
      { returnDocument: 'after' },
    )
    .lean();
}
