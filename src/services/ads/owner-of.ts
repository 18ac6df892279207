import type { AccountDoc } from '../../models/account.ts';
import type { TreeOwner } from '../../models/tree-owner.ts';
import type { AdAccount, AdsAdapter } from '../../platforms/platform.ts';

interface Place {
  account: AccountDoc;
  adapter: AdsAdapter;
  adAccount: AdAccount;
}

/** Owner fields for every record of this ad account. */
export const ownerOf = ({ account, adapter, adAccount }: Place): TreeOwner => ({
  userId: account.userId,
  profileId: account.profileId,
  accountId: account._id,
  platform: account.platform,
  adPlatform: adapter.platform,
  platformAdAccountId: adAccount.id,
  currency: adAccount.currency,
});
