import { newId } from '../../lib/id.ts';
import type { AccountDoc } from '../../models/account.ts';
import type { Services } from '../context.ts';

export interface Connection
  extends
    Pick<AccountDoc, 'userId' | 'profileId' | 'platform' | 'platformAccountId' | 'username' | 'displayName'>,
    Partial<
      Pick<
        AccountDoc,
        | 'profilePicture'
        | 'adsConnected'
        | 'tokenExpiresAt'
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

/** Stores a connection with its tokens sealed; connecting the same account again keeps its id. */
export async function saveAccount(
  { db, sealer }: Pick<Services, 'db' | 'sealer'>,
  connection: Connection,
): Promise<AccountDoc> {
  const { token, refreshToken, adsToken, adsTokenSecret, userId, platform, platformAccountId, ...fields } = connection;
  return db.accounts
    .findOneAndUpdate(
      { userId, platform, platformAccountId },
      {
        $set: {
          ...fields,
          sealedToken: sealer.seal(token),
          ...(refreshToken && { sealedRefreshToken: sealer.seal(refreshToken) }),
          ...(adsToken && { sealedAdsToken: sealer.seal(adsToken) }),
          ...(adsTokenSecret && { sealedAdsTokenSecret: sealer.seal(adsTokenSecret) }),
          isActive: true,
          needsReconnect: false,
          adAccountsAt: null,
        },
        $setOnInsert: { _id: newId() },
      },
      { upsert: true, returnDocument: 'after', setDefaultsOnInsert: true },
    )
    .lean()
    .orFail();
}
