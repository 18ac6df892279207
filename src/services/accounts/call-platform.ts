import type { ErrorCode } from '../../contract/error.ts';
import type { AccountDoc } from '../../models/account.ts';
import { PlatformError } from '../../platforms/error.ts';
import type { Access } from '../../platforms/platform.ts';
import { withAccess } from './access-token.ts';
import type { Services } from '../context.ts';
import { appErrorFromPlatform } from '../platform-error.ts';

/** Asks the platform something for an account; its refusal becomes the caller's error, `missing` where the thing is not there. */
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
