import type { Account } from '../../contract/account.ts';
import type { AccountDoc } from '../../models/account.ts';
import type { Services } from '../context.ts';
import type { Projected } from '../projected.ts';
import { missingScopes } from './scopes.ts';
import { storedDates } from '../stored-dates.ts';

const { instant } = storedDates('accounts');

/** What `toAccount` reads of an account: never a token. */
export const accountProjection = {
  platform: 1,
  profileId: 1,
  username: 1,
  displayName: 1,
  profilePicture: 1,
  isActive: 1,
  needsReconnect: 1,
  adsConnected: 1,
  scopes: 1,
  adsScopes: 1,
  selectedPageName: 1,
  publicProfileName: 1,
  selectedLocationId: 1,
  createdAt: 1,
} as const;

export type ShownAccount = Projected<AccountDoc, typeof accountProjection>;

/** What a caller may see of a connected account: never a token. */
export const toAccount = (services: Pick<Services, 'connectors'>, doc: ShownAccount): Account => ({
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
  createdAt: instant(doc, 'createdAt'),
});
