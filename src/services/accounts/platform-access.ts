import type { ErrorCode } from '../../contract/error.ts';
import { platformFailed } from '../../telemetry/events.ts';
import type { AccountDoc } from '../../models/account.ts';
import { PlatformError } from '../../platforms/error.ts';
import type { Access } from '../../platforms/platform.ts';
import type { Services } from '../context.ts';
import { appErrorFromPlatform } from '../platform-error.ts';
import { markTokenExpired } from './mark-token-expired.ts';
import { markingDamage, mustReconnect, openToken } from './open-token.ts';
import { refreshedAccount } from './refresh-token.ts';
import { reencryptAccount } from '../encryption/re-encrypt.ts';
import { storedDates } from '../stored-dates.ts';

const { time } = storedDates('accounts');

/** A token that ends within this time is renewed before it is used. */
const marginMs = 60_000;

/** What an adapter needs to act for an account: decrypts the token for this call, refreshing it if it has expired. */
export async function accessFor(services: Services, account: AccountDoc): Promise<Access> {
  if (account.needsReconnect || account.disconnectedAt) throw mustReconnect(account);
  return markingDamage(services, account, () => currentAccess(services, account));
}

async function currentAccess(services: Services, account: AccountDoc): Promise<Access> {
  const endsAt = account.encryptedAdsToken ? undefined : time(account, 'tokenExpiresAt');
  const hasEnded = endsAt !== undefined && endsAt - marginMs <= services.clock.now().getTime();
  const usable = hasEnded ? await refreshedAccount(services, account) : account;
  await reencryptAccount(services, usable);
  return toAccess(services, usable);
}

function openTokens(services: Services, account: AccountDoc): Pick<Access, 'token' | 'tokenSecret'> {
  const token = openToken(services, account, 'encryptedAdsToken') ?? openToken(services, account, 'encryptedToken');
  if (token === undefined) throw mustReconnect(account);
  return { token, tokenSecret: openToken(services, account, 'encryptedAdsTokenSecret') };
}

/** Throws if this process cannot decrypt the account's tokens; called before an intent is recorded. */
export async function requireReadable(services: Services, account: AccountDoc): Promise<void> {
  if (account.needsReconnect || account.disconnectedAt) return;
  await markingDamage(services, account, () => openTokens(services, account));
}

function toAccess(services: Services, account: AccountDoc): Access {
  const { db, clock } = services;
  return {
    accountPlatform: account.platform,
    ...openTokens(services, account),
    pageId: account.pageId ?? undefined,
    photoAccountId: account.photoAccountId ?? undefined,
    platformAccountId: account.platformAccountId,
    displayName: account.displayName,
    platformState: account.platformState,
    keep: async (platformState) => {
      const named = Object.entries(platformState).map(([name, value]) => [`platformState.${name}`, value]);
      await db.accounts.updateOne({ _id: account._id }, { $set: Object.fromEntries(named) });
    },
    clock,
  };
}

/**
 * Acts for an account. A token that the platform refuses is renewed once and the call made again: what was refused for
 * its token was certainly not executed. If it cannot be renewed, the account is marked for reconnection.
 */
export async function withAccess<T>(
  services: Services,
  account: AccountDoc,
  act: (access: Access) => Promise<T>,
): Promise<T> {
  const access = await accessFor(services, account);
  try {
    return await act(access);
  } catch (error) {
    if (!(error instanceof PlatformError) || error.fault !== 'auth_expired') throw error;
    if (account.encryptedAdsToken || !services.refreshers[account.platform]) {
      await markTokenExpired(services, account);
      throw error;
    }
    platformFailed.emit({ platform: error.platform, fault: error.fault });
    const fresh = await refreshedAccount(services, account, access.token);
    return act(toAccess(services, fresh)).catch(async (second: unknown) => {
      if (second instanceof PlatformError && second.fault === 'auth_expired') await markTokenExpired(services, fresh);
      throw second;
    });
  }
}

/** Like `withAccess`; a rejection becomes the caller's error, `missing` if the object does not exist. */
export async function callPlatform<T>(
  services: Services,
  account: AccountDoc,
  ask: (access: Access) => Promise<T>,
  missing?: ErrorCode,
): Promise<T> {
  try {
    return await withAccess(services, account, ask);
  } catch (error) {
    throw error instanceof PlatformError ? appErrorFromPlatform(error, missing) : error;
  }
}
