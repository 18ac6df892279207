import { PlatformError } from '../../platforms/error.ts';
import { withAccess } from '../accounts/platform-access.ts';
import type { Services } from '../context.ts';
import type { AdTarget } from './ad-target.ts';

/**
 * The ad accounts that the platform shows to the connection and has not suspended. In any other one everything may
 * appear deleted, although it runs.
 */
export async function accessibleAdAccounts(services: Services, { account, adapter }: AdTarget): Promise<Set<string>> {
  const shown = await withAccess(services, account, (access) => adapter.listAdAccounts(access));
  return new Set(shown.flatMap(({ id, isActive }) => (isActive ? id : [])));
}

/** For an object that is missing: it is deleted only if its ad account is accessible. */
export const adAccountLost = (platform: string, id: string): PlatformError =>
  new PlatformError(
    platform,
    'rejected',
    `The connection no longer reaches the ad account ${id}, or the platform suspended it: what it contains may still run`,
  );
