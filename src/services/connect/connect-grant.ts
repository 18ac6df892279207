import { randomBytes } from 'node:crypto';
import { AppError } from '../../contract/error.ts';
import type { AccountPlatform } from '../../contract/platforms.ts';
import { sha256 } from '../../lib/hash.ts';
import { newId } from '../../lib/id.ts';
import type { ConnectGrantDoc } from '../../models/connect-grant.ts';
import type { ConnectStateDoc } from '../../models/connect-state.ts';
import type { Grant } from '../../platforms/connect.ts';
import { earlier } from '../api-keys/lifetime.ts';
import { callerWithKey } from '../api-keys/verify-api-key.ts';
import type { Caller, Ctx, Services } from '../context.ts';
import { grantRefreshToken, grantToken } from '../encryption/bindings.ts';
import { storedDates } from '../stored-dates.ts';
import { platformName } from './connect-target.ts';

const { date } = storedDates('connect_grants');
const lifeMs = 900_000;
const handleForm = /^tt_[0-9a-f]{64}$/;
const tokenForm = /^ct_[0-9a-f]{64}$/;
const secret = (prefix: string): string => `${prefix}_${randomBytes(32).toString('hex')}`;

/** Stores a granted token until a selection is made; returns the two secrets that refer to it, once. */
export async function storeGrant(
  { db, clock, encrypter }: Services,
  { userId, keyId, profileId, platform, accountId, endsAt }: ConnectStateDoc,
  grant: Grant,
): Promise<{ tempToken: string; connectToken: string }> {
  const [tempToken, connectToken] = [secret('tt'), secret('ct')];
  const now = clock.now().getTime();
  const _id = newId();
  await db.connectGrants.create({
    _id,
    handleHash: sha256(tempToken),
    tokenHash: sha256(connectToken),
    userId,
    keyId,
    profileId,
    platform,
    accountId,
    encryptedToken: encrypter.encrypt(grant.token, grantToken(_id)),
    encryptedRefreshToken: grant.refreshToken ? encrypter.encrypt(grant.refreshToken, grantRefreshToken(_id)) : null,
    tokenExpiresAt: grant.expiresIn === undefined ? null : new Date(now + grant.expiresIn * 1000),
    scopes: grant.scopes ?? null,
    expiresAt: earlier(new Date(now + lifeMs), endsAt) ?? undefined,
  });
  return { tempToken, connectToken };
}

/** Authenticates a connect token: the owner of the key that started the flow, for one profile and one platform. */
export async function verifyConnectToken(services: Services, token: string): Promise<{ caller: Caller; hash: string }> {
  const hash = sha256(token);
  const grant = tokenForm.test(token)
    ? await services.db.connectGrants.findOne({ tokenHash: hash, expiresAt: { $gt: services.clock.now() } }).lean()
    : null;
  const caller = grant && (await callerWithKey(services, grant.keyId));
  if (!grant || !caller) {
    throw new AppError(
      'invalid_credentials',
      'The connect token is unknown or has expired; start the connection again',
    );
  }
  const { profileId, platform } = grant;
  const endsAt = earlier(caller.endsAt, grant.expiresAt) ?? grant.expiresAt;
  return { hash, caller: { ...caller, endsAt, scope: 'profiles', profileIds: [profileId], connectPlatform: platform } };
}

/** The grant behind a tempToken, and how it is consumed. */
export interface HeldGrant {
  platform: AccountPlatform;
  grant: Grant;
  /** The account to be reconnected. */
  accountId?: string;
  /** Consumes the grant; false if another request already has. */
  claim: () => Promise<boolean>;
  /** Makes the grant available again. */
  release: () => Promise<void>;
}

interface Asked {
  profileId: string;
  tempToken: string;
}

/** The grant of one of our handles; undefined for a token of the platform itself. */
export async function heldGrant(ctx: Ctx, { profileId, tempToken }: Asked): Promise<HeldGrant | undefined> {
  if (!handleForm.test(tempToken)) return undefined;
  const { db, clock, caller } = ctx;
  const alive = { expiresAt: { $gt: clock.now() }, usedAt: null };
  const doc = await db.connectGrants.findOne({ handleHash: sha256(tempToken), userId: caller.userId, ...alive }).lean();
  if (!doc) throw gone();
  if (doc.profileId !== profileId) {
    throw new AppError('profile_forbidden', 'This tempToken was made for another profile', { param: 'profileId' });
  }
  return {
    platform: doc.platform,
    grant: grantIn(ctx, doc),
    accountId: doc.accountId ?? undefined,
    claim: async () => {
      const { modifiedCount } = await db.connectGrants.updateOne(
        { _id: doc._id, ...alive },
        { $set: { usedAt: clock.now() } },
      );
      return modifiedCount > 0;
    },
    release: async () => void (await db.connectGrants.updateOne({ _id: doc._id }, { $set: { usedAt: null } })),
  };
}

const grantIn = ({ encrypter, clock }: Ctx, doc: ConnectGrantDoc): Grant => ({
  token: encrypter.decrypt(doc.encryptedToken, grantToken(doc._id)),
  refreshToken: doc.encryptedRefreshToken
    ? encrypter.decrypt(doc.encryptedRefreshToken, grantRefreshToken(doc._id))
    : undefined,
  expiresIn: doc.tokenExpiresAt
    ? Math.max(1, Math.round((date(doc, 'tokenExpiresAt').getTime() - clock.now().getTime()) / 1000))
    : undefined,
  scopes: doc.scopes ?? undefined,
});

export const gone = (platform?: AccountPlatform): AppError =>
  new AppError(
    'platform_token_expired',
    'The tempToken is unknown, was used or is older than 15 minutes; start the connection again',
    { param: 'tempToken', platform: platform && platformName(platform) },
  );
