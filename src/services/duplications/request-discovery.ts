import type { AccountDoc } from '../../models/account.ts';
import type { Services } from '../context.ts';
import { requestDiscovery } from '../discovery/request-discovery.ts';

/** Has the ads of the account that owns a copy discovered; throws when that could not be recorded. */
export async function requestOwnerDiscovery(
  services: Services,
  account: Pick<AccountDoc, '_id' | 'userId' | 'profileId'>,
): Promise<void> {
  await requestDiscovery(services, account);
}
