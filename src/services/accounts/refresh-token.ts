import { randomUUID } from 'node:crypto';
import { AppError } from '../../contract/error.ts';
import { adPlatformOf } from '../../contract/platforms.ts';
import { tokenRefreshed } from '../../lib/signals.ts';
import type { AccountDoc } from '../../models/account.ts';
import { PlatformError } from '../../platforms/error.ts';
import type { FreshToken } from '../../platforms/platform.ts';
import type { Services } from '../context.ts';
import { noteExpiry } from './note-expiry.ts';

/** Longer than any token address is waited for; a process that died holds the renewal no longer. */
const leaseMs = 45_000;
const lookMs = 100;
const patienceMs = 50_000;

/**
 * The account with a token that is not `stale`. One process at a time renews it, all others wait for what it stores:
 * platforms that rotate refresh tokens take each of them once.
 */
export async function refreshedAccount(services: Services, account: AccountDoc, stale?: string): Promise<AccountDoc> {
  const { db, sealer, clock } = services;
  const dead = stale ?? (account.sealedToken ? sealer.open(account.sealedToken) : '');
  const run = randomUUID();
  for (let waited = 0; waited < patienceMs; waited += lookMs) {
    const seen = await db.accounts.findOne({ _id: account._id }).lean().orFail();
    if (seen.needsReconnect) throw cutOff(seen);
    if (seen.sealedToken && sealer.open(seen.sealedToken) !== dead) return seen;
    const now = clock.now();
    const claimed = await db.accounts
      .findOneAndUpdate(
        {
          _id: seen._id,
          sealedToken: seen.sealedToken,
          needsReconnect: false,
          $or: [{ refreshUntil: null }, { refreshUntil: { $lte: now } }],
        },
        { $set: { refreshRun: run, refreshUntil: new Date(now.getTime() + leaseMs) } },
        { returnDocument: 'after', timestamps: false },
      )
      .lean();
    if (claimed) return renew(services, claimed, run);
    await new Promise((resolve) => setTimeout(resolve, lookMs));
  }
  throw new PlatformError(
    nameOf(account),
    'unavailable',
    'The connection is being renewed; repeat the call in a moment',
  );
}

async function renew(services: Services, account: AccountDoc, run: string): Promise<AccountDoc> {
  const { db, sealer } = services;
  const refresh = services.refreshers[account.platform];
  if (!refresh || !account.sealedRefreshToken) {
    await noteExpiry(services, account);
    throw cutOff(account);
  }
  try {
    const fresh = await refresh(sealer.open(account.sealedRefreshToken));
    tokenRefreshed.say({ platform: account.platform, outcome: 'renewed' });
    // A rotated token is kept however late it comes; one that somebody else has stored meanwhile stays.
    const stored = await db.accounts
      .findOneAndUpdate(
        { _id: account._id, sealedToken: account.sealedToken, needsReconnect: false },
        { $set: freshFields(services, fresh) },
        { returnDocument: 'after' },
      )
      .lean();
    return stored ?? (await db.accounts.findOne({ _id: account._id }).lean().orFail());
  } catch (error) {
    const isDead = error instanceof PlatformError && error.fault === 'auth_expired';
    tokenRefreshed.say({ platform: account.platform, outcome: isDead ? 'refused' : 'failed' });
    // Only a recognised refusal cuts the account off: a network that fails says nothing about the connection.
    if (isDead) await noteExpiry(services, account);
    else
      await db.accounts.updateOne(
        { _id: account._id, refreshRun: run },
        { $set: { refreshRun: null, refreshUntil: null } },
      );
    throw error;
  }
}

/** A platform answer without a refresh token never erases a stored one. */
const freshFields = (
  { sealer, clock }: Services,
  { token, refreshToken, expiresIn }: FreshToken,
): Partial<AccountDoc> => ({
  sealedToken: sealer.seal(token),
  ...(refreshToken !== undefined && { sealedRefreshToken: sealer.seal(refreshToken) }),
  tokenExpiresAt: expiresIn === undefined ? null : new Date(clock.now().getTime() + expiresIn * 1000),
  isActive: true,
  refreshRun: null,
  refreshUntil: null,
});

const nameOf = ({ platform }: AccountDoc): string => adPlatformOf(platform) ?? platform;

const cutOff = (account: AccountDoc): AppError =>
  new AppError('platform_token_expired', 'The platform no longer accepts this connection; connect the account again', {
    platform: nameOf(account),
  });
