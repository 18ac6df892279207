import type { AccountDoc } from '../../models/account.ts';
import type { TreeOwner } from '../../models/campaign.ts';
import type { AdAccount, AdsAdapter } from '../../platforms/platform.ts';

/** One ad account of one run. */
export interface Scope {
  account: AccountDoc;
  adapter: AdsAdapter;
  adAccount: AdAccount;
  /** The stamp of the run. */
  startedAt: Date;
}

/** Whose everything is that is found there. */
export const ownerOf = ({ account, adapter, adAccount }: Scope): TreeOwner => ({
  userId: account.userId,
  profileId: account.profileId,
  accountId: account._id,
  platform: account.platform,
  adPlatform: adapter.platform,
  platformAdAccountId: adAccount.id,
});
