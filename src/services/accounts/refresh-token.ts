import { adPlatformOf } from '../../contract/platforms.ts';
import { tokenRefreshed } from '../../telemetry/events.ts';
import { inSpan } from '../../telemetry/tracing.ts';
import type { AccountDoc } from '../../models/account.ts';
import { PlatformError } from '../../platforms/error.ts';
import type { FreshToken } from '../../platforms/platform.ts';
import type { Services } from '../context.ts';
import { acquire, heldBy } from '../durable/lease.ts';
import { accountFields } from '../encryption/bindings.ts';
import { markTokenExpired } from './mark-token-expired.ts';
import { markingDamage, mustReconnect, openToken } from './open-token.ts';

/** Longer than the token endpoint timeout, so a dead process cannot block refreshes. */
const leaseMs = 45_000;
const field = 'refreshLease';
const lookMs = 100;
const maxWaitMs = 50_000;
/** Delay until the next attempt after a transient failure. */
export const retryDelayMs = 300_000;
const minute = 60_000;
const day = 86_400_000;
/** A token that lives longer than this is renewed a week ahead, any other ten minutes. */
const longLifeMs = 14 * day;

/**
 * The account with a token that is not `stale`. One process at a time renews it, all others wait for what it stores:
 * platforms that rotate refresh tokens take each of them once.
 */
export const refreshedAccount = (services: Services, account: AccountDoc, stale?: string): Promise<AccountDoc> =>
  markingDamage(services, account, () => refreshed(services, account, stale));

async function refreshed(services: Services, account: AccountDoc, stale?: string): Promise<AccountDoc> {
  const { db, clock } = services;
  const isFresh = freshness(services, account, stale);
  for (let waited = 0; waited < maxWaitMs; waited += lookMs) {
    const seen = await db.accounts.findOne({ _id: account._id }).lean().orFail();
    if (seen.needsReconnect || seen.disconnectedAt) throw mustReconnect(seen);
    if (isFresh(seen)) return seen;
    // A process without the encryption key leaves the refresh to another.
    openToken(services, seen, 'encryptedRefreshToken');
    const { _id, encryptedRefreshToken, encryptedToken } = seen;
    const held = await acquire(db.accounts, {
      field,
      now: clock.now(),
      leaseMs,
      filter: { _id, encryptedRefreshToken, encryptedToken, needsReconnect: false },
      timestamps: false,
    });
    if (held) return renew(services, held);
    await new Promise((resolve) => setTimeout(resolve, lookMs));
  }
  throw new PlatformError(
    nameOf(account),
    'unavailable',
    'The connection is being renewed; repeat the call in a moment',
  );
}

/** Compares decrypted tokens, because re-encryption changes the text but not the token. */
function freshness(services: Services, account: AccountDoc, stale: string | undefined): (seen: AccountDoc) => boolean {
  const open = (doc: AccountDoc, field: 'encryptedToken' | 'encryptedAdsToken'): string =>
    openToken(services, doc, field) ?? '';
  if (stale !== undefined) return (seen) => seen.encryptedToken !== null && open(seen, 'encryptedToken') !== stale;
  const [token, adsToken] = [open(account, 'encryptedToken'), open(account, 'encryptedAdsToken')];
  return (seen) => open(seen, 'encryptedToken') !== token || open(seen, 'encryptedAdsToken') !== adsToken;
}

const renew = (services: Services, account: AccountDoc): Promise<AccountDoc> =>
  inSpan('refresh token', { 'account.id': account._id }, () => renewNow(services, account));

async function renewNow(services: Services, account: AccountDoc): Promise<AccountDoc> {
  const isHeld = heldBy(account.refreshLease, field);
  const { db, clock } = services;
  const refresh = services.refreshers[account.platform];
  const refreshToken = openToken(services, account, 'encryptedRefreshToken');
  if (!refresh || refreshToken === undefined) {
    await markTokenExpired(services, account);
    throw mustReconnect(account);
  }
  try {
    const fresh = await refresh(refreshToken);
    tokenRefreshed.emit({ platform: account.platform, outcome: 'renewed' });
    // A rotated token is stored even if it is late, unless another process has stored one meanwhile.
    const stored = await db.accounts
      .findOneAndUpdate(
        { _id: account._id, needsReconnect: false, $or: [isHeld, { encryptedToken: account.encryptedToken }] },
        { $set: freshFields(services, account._id, fresh) },
        { returnDocument: 'after' },
      )
      .lean();
    return stored ?? (await db.accounts.findOne({ _id: account._id }).lean().orFail());
  } catch (error) {
    const isDead = error instanceof PlatformError && error.fault === 'auth_expired';
    const lastRefreshError = error instanceof PlatformError ? error.message : 'The renewed connection was not stored';
    const refreshAt = new Date(clock.now().getTime() + retryDelayMs);
    tokenRefreshed.emit({ platform: account.platform, outcome: isDead ? 'refused' : 'failed' });
    // Only a recognised refusal cuts the account off: a network that fails says nothing about the connection.
    if (isDead) await markTokenExpired(services, account);
    else
      await db.accounts.updateOne(
        { _id: account._id, ...isHeld },
        { $set: { refreshLease: null, lastRefreshError, refreshAt } },
      );
    throw error;
  }
}

/**
 * A platform answer without a refresh token never erases a stored one. With the last token the account counts as one that
 * cannot renew itself, so that its user gets notices before the end.
 */
function freshFields(
  { encrypter, clock }: Services,
  accountId: string,
  { token, refreshToken, isLast, expiresIn, isForAds, scopes }: FreshToken,
): Partial<AccountDoc> {
  const now = clock.now();
  const endsAt = expiresIn === undefined ? null : new Date(now.getTime() + expiresIn * 1000);
  const tokenField = isForAds ? 'encryptedAdsToken' : 'encryptedToken';
  return {
    [tokenField]: encrypter.encrypt(token, accountFields[tokenField](accountId)),
    ...(refreshToken !== undefined && {
      encryptedRefreshToken: encrypter.encrypt(refreshToken, accountFields.encryptedRefreshToken(accountId)),
    }),
    ...(isLast && { encryptedRefreshToken: null }),
    // A response without scopes keeps the stored ones.
    ...(scopes && { scopes }),
    tokenExpiresAt: endsAt,
    refreshAt: endsAt && !isLast ? refreshTime(endsAt, now) : null,
    refreshedAt: now,
    lastRefreshError: null,
    isActive: true,
    refreshLease: null,
  };
}

const nameOf = ({ platform }: AccountDoc): string => adPlatformOf(platform) ?? platform;

/** When to renew a token that ends then, so that no call ever meets its end. */
export function refreshTime(endsAt: Date, now: Date): Date {
  const lead = endsAt.getTime() - now.getTime() > longLifeMs ? 7 * day : 10 * minute;
  return new Date(endsAt.getTime() - lead);
}
