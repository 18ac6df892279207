import type { AccountDoc } from '../../models/account.ts';
import { PlatformError } from '../../platforms/error.ts';
import type { Access } from '../../platforms/platform.ts';
import { accessFor } from '../accounts/use-token.ts';
import type { Services } from '../context.ts';
import { fromPlatform } from '../from-platform.ts';

/** Asks the platform something for an account; its refusal becomes the caller's error. */
export async function askPlatform<T>(
  services: Services,
  account: AccountDoc,
  ask: (access: Access) => Promise<T>,
): Promise<T> {
  const access = await accessFor(services, account);
  return ask(access).catch(async (error: unknown) => {
    if (!(error instanceof PlatformError)) throw error;
    await noteExpiry(services, account._id, error);
    throw fromPlatform(error);
  });
}

/** A token that the platform no longer takes asks its owner to connect again. */
export async function noteExpiry(services: Services, accountId: string, error: unknown): Promise<void> {
  if (!(error instanceof PlatformError) || error.fault !== 'auth_expired') return;
  await services.db.accounts.updateOne({ _id: accountId }, { $set: { needsReconnect: true } });
}
