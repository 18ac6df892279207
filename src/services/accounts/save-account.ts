import { newId } from '../../lib/id.ts';
import type { AccountDoc } from '../../models/account.ts';
import type { Services } from '../context.ts';
import { refreshTime } from './refresh-time.ts';

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
  /** The ads connection of its own, on platforms that part posting from advertising. */
  adsToken?: string;
  adsTokenSecret?: string;
}

type Tools = Pick<Services, 'db' | 'sealer' | 'clock'>;

/** What is stored of a connection that stands: tokens under seal, and nothing of an earlier trouble. */
export function connectionFields({ sealer, clock }: Omit<Tools, 'db'>, connection: Connection): Partial<AccountDoc> {
  const { token, refreshToken, adsToken, adsTokenSecret, ...fields } = connection;
  const endsAt = fields.tokenExpiresAt;
  return {
    ...fields,
    sealedToken: sealer.seal(token),
    ...(refreshToken && { sealedRefreshToken: sealer.seal(refreshToken) }),
    ...(adsToken && { sealedAdsToken: sealer.seal(adsToken) }),
    ...(adsTokenSecret && { sealedAdsTokenSecret: sealer.seal(adsTokenSecret) }),
    refreshAt: endsAt ? refreshTime(endsAt, clock.now()) : null,
    refreshRun: null,
    refreshUntil: null,
    refreshTrouble: null,
    isActive: true,
    needsReconnect: false,
    disconnectedAt: null,
    adAccountsAt: null,
  };
}

/** Stores a connection in silence; connecting the same account again keeps its id. */
export async function saveAccount(tools: Tools, connection: Connection): Promise<AccountDoc> {
  const { userId, platform, platformAccountId } = connection;
  return tools.db.accounts
    .findOneAndUpdate(
      { userId, platform, platformAccountId },
      { $set: connectionFields(tools, connection), $setOnInsert: { _id: newId() } },
      { upsert: true, returnDocument: 'after', setDefaultsOnInsert: true },
    )
    .lean()
    .orFail();
}
