import { newId } from '../../lib/id.ts';
import type { Encrypted } from '../../lib/encryption.ts';
import { adPlatformOf, platforms } from '../../contract/platforms.ts';
import type { AccountDoc } from '../../models/account.ts';
import { isDuplicate } from '../../models/db.ts';
import type { Services } from '../context.ts';
import { accountFields } from '../encryption/bindings.ts';
import { refreshTime } from './refresh-token.ts';

export interface Connection
  extends
    Pick<AccountDoc, 'userId' | 'profileId' | 'platform' | 'platformAccountId' | 'username' | 'displayName'>,
    Partial<
      Pick<
        AccountDoc,
        | 'profilePicture'
        | 'adsConnected'
        | 'tokenExpiresAt'
        | 'scopes'
        | 'pageId'
        | 'selectedPageName'
        | 'publicProfileName'
        | 'selectedLocationId'
        | 'photoAccountId'
      >
    > {
  token: string;
  /** A platform answer without one never erases a stored one. */
  refreshToken?: string;
  /** A token of its own for ads, on platforms that connect ads separately from posts. */
  adsToken?: string;
  adsTokenSecret?: string;
}

type Tools = Pick<Services, 'db' | 'encrypter' | 'clock'>;

/** The fields of a connected account: encrypted tokens, and no earlier errors. */
export function connectionFields(
  { encrypter, clock }: Omit<Tools, 'db'>,
  accountId: string,
  connection: Connection,
): Partial<AccountDoc> {
  const { token, refreshToken, adsToken, adsTokenSecret, ...fields } = connection;
  const endsAt = fields.tokenExpiresAt;
  const encrypt = (field: keyof typeof accountFields, plain: string): Encrypted =>
    encrypter.encrypt(plain, accountFields[field](accountId));
  return {
    ...fields,
    encryptedToken: encrypt('encryptedToken', token),
    ...(refreshToken && { encryptedRefreshToken: encrypt('encryptedRefreshToken', refreshToken) }),
    ...(adsToken && { encryptedAdsToken: encrypt('encryptedAdsToken', adsToken) }),
    ...(adsTokenSecret && { encryptedAdsTokenSecret: encrypt('encryptedAdsTokenSecret', adsTokenSecret) }),
    refreshAt: endsAt ? refreshTime(endsAt, clock.now()) : null,
    expiryNoticeDays: null,
    refreshLease: null,
    lastRefreshError: null,
    isActive: true,
    needsReconnect: false,
    disconnectedAt: null,
    adAccountsAt: null,
  };
}

/** Saves a connection without emitting an event; reconnecting keeps the id. */
export async function saveAccount(tools: Tools, connection: Connection): Promise<AccountDoc> {
  const { userId, platform, platformAccountId } = connection;
  const { accounts } = tools.db;
  for (;;) {
    const known = await accounts.findOne({ userId, platform, platformAccountId }, { _id: 1 }).lean();
    const _id = known?._id ?? newId();
    const limits = known ? undefined : await limitsOfOthers(tools, connection);
    try {
      return await accounts
        .findOneAndUpdate(
          { _id, userId, platform, platformAccountId },
          { $set: connectionFields(tools, _id, connection), ...(limits && { $setOnInsert: limits }) },
          { upsert: true, returnDocument: 'after', setDefaultsOnInsert: true },
        )
        .lean()
        .orFail();
    } catch (error) {
      // A concurrent flow connected it under another id.
      if (!isDuplicate(error)) throw error;
    }
  }
}

/** The budget limits and the stops of ad accounts hold for every connection of the user. */
async function limitsOfOthers(
  { db }: Tools,
  { userId, platform }: Connection,
): Promise<Pick<AccountDoc, 'budgetLimits' | 'stops'> | undefined> {
  const adPlatform = adPlatformOf(platform);
  if (!adPlatform) return undefined;
  const filter = { userId, platform: { $in: platforms[adPlatform].accounts } };
  const others = await db.accounts
    .find(filter as object, { budgetLimits: 1, stops: 1 })
    .limit(1000)
    .lean();
  if (others.length === 0) return undefined;
  const budgetLimits = Object.assign({}, ...others.map((other) => other.budgetLimits));
  const { all: _ofOne, ...stops } = Object.assign({}, ...others.map((other) => other.stops)) as Record<string, string>;
  return { budgetLimits, stops };
}
