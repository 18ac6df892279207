import { AppError } from '../../contract/error.ts';
import { adPlatformOf } from '../../contract/platforms.ts';
import { DamagedValueError } from '../../lib/encryption.ts';
import type { AccountDoc } from '../../models/account.ts';
import type { Services } from '../context.ts';
import { accountFields } from '../encryption/bindings.ts';
import { markTokenExpired } from './mark-token-expired.ts';

export const mustReconnect = ({ platform }: AccountDoc, cause?: unknown): AppError =>
  new AppError(
    'platform_token_expired',
    'The platform rejected the access token; reconnect the account',
    { platform: adPlatformOf(platform) ?? platform },
    { cause },
  );

/** Decrypts a token of an account; undefined if it has none. A damaged one is as good as expired: only a reconnect replaces it. */
export function openToken(
  { encrypter }: Pick<Services, 'encrypter'>,
  account: AccountDoc,
  field: keyof typeof accountFields,
): string | undefined {
  const encrypted = account[field];
  if (!encrypted) return undefined;
  try {
    return encrypter.decrypt(encrypted, accountFields[field](account._id));
  } catch (error) {
    throw error instanceof DamagedValueError ? mustReconnect(account, error) : error;
  }
}

/** Runs work that decrypts tokens of an account; if one is damaged, the account is marked as cut off. */
export async function markingDamage<T>(
  services: Services,
  account: AccountDoc,
  work: () => T | Promise<T>,
): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const isDamage = error instanceof AppError && error.cause instanceof DamagedValueError;
    if (isDamage) await markTokenExpired(services, account);
    throw error;
  }
}
