import type { AdAccount } from '../../contract/account-data.ts';
import { adPlatformOf, type AccountPlatform } from '../../contract/platforms.ts';
import { reachOf } from '../access.ts';
import type { Ctx } from '../context.ts';

/** A connected account with ads, and its ad accounts as they were last listed. */
export interface ReportableAccount {
  _id: string;
  platform: AccountPlatform;
  displayName: string;
  adAccounts: Pick<AdAccount, 'id' | 'name' | 'currency'>[];
}

/** The most accounts that are listed. */
const most = 100;

/** The accounts that reports can be about, newest first. It asks no platform. */
export async function reportableAccounts(ctx: Ctx): Promise<ReportableAccount[]> {
  const found = await ctx.db.accounts
    .find({ ...reachOf(ctx), disconnectedAt: null }, { platform: 1, displayName: 1, adAccounts: 1 })
    .sort({ _id: -1 })
    .limit(most)
    .lean<ReportableAccount[]>();
  return found.filter(({ platform }) => adPlatformOf(platform));
}
