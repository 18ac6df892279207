import type { Account } from '../../contract/account.ts';
import type { AccountDoc } from '../../models/account.ts';
import type { Services } from '../context.ts';
import { missingScopes } from './scopes.ts';

/** What a caller may see of a connected account: never a token. */
export const toAccount = (services: Pick<Services, 'connectors'>, doc: AccountDoc): Account => ({
  _id: doc._id,
  platform: doc.platform,
  profileId: doc.profileId,
  username: doc.username,
  displayName: doc.displayName,
  profilePicture: doc.profilePicture,
  isActive: doc.isActive,
  needsReconnect: doc.needsReconnect,
  adsConnected: doc.adsConnected,
  missingScopes: missingScopes(services, doc),
  selectedPageName: doc.selectedPageName,
  publicProfileName: doc.publicProfileName,
  selectedLocationId: doc.selectedLocationId,
  createdAt: doc.createdAt.toISOString(),
});
