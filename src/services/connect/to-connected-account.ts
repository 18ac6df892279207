import type { ConnectedAccount } from '../../contract/connect.ts';
import type { AccountDoc } from '../../models/account.ts';
import { withParams } from './with-params.ts';

export const toConnectedAccount = (doc: AccountDoc): ConnectedAccount => ({
  accountId: doc._id,
  platform: doc.platform,
  username: doc.username,
  displayName: doc.displayName,
  profilePicture: doc.profilePicture,
  isActive: doc.isActive,
  ...(doc.selectedPageName !== null && { selectedPageName: doc.selectedPageName }),
  ...(doc.publicProfileName !== null && { publicProfileName: doc.publicProfileName }),
});

/** The redirect URL after a successful connection. */
export const connectedUrl = (address: string, doc: AccountDoc, more: Record<string, string | undefined> = {}): string =>
  withParams(address, {
    connected: doc.platform,
    profileId: doc.profileId,
    accountId: doc._id,
    username: doc.username,
    ...more,
  });
