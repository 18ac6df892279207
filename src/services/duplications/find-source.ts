import type { DuplicateCampaignInput } from '../../contract/duplication.ts';
import { AppError, invalidInput } from '../../contract/error.ts';
import { adPlatformOf, capabilityOf, platforms, type AccountPlatform } from '../../contract/platforms.ts';
import type { AccountDoc } from '../../models/account.ts';
import type { AdAccount, AdsAdapter, CopyAdapter } from '../../platforms/platform.ts';
import { reachOf, requireAccount } from '../access.ts';
import { adAccountsOf, toAdTarget } from '../ads/ad-target.ts';
import { callPlatform } from '../accounts/call-platform.ts';
import { campaignRefOf } from '../campaigns/ids.ts';
import type { Ctx } from '../context.ts';

export interface CopySourceTarget {
  account: AccountDoc;
  adapter: AdsAdapter;
  copies: CopyAdapter;
  adAccount: AdAccount;
}

export const noCampaign = ({ campaignId, platform }: DuplicateCampaignInput): AppError =>
  new AppError('campaign_not_found', `There is no campaign ${campaignId} on ${platform} that this key reaches`, {
    param: 'campaignId',
  });

/** The account, and the ad account in it, that a campaign is in: as it is stored, else as the platform says. */
export async function findSource(ctx: Ctx, input: DuplicateCampaignInput): Promise<CopySourceTarget> {
  const accounts = await candidates(ctx, input);
  const refs = accounts.map(({ _id }) => campaignRefOf(_id, input.campaignId));
  const stored = await ctx.db.campaigns.findOne({ _id: { $in: refs } }).lean();
  const isKnown = ({ _id }: AccountDoc): boolean => _id === stored?.accountId;
  // The one that is known to have it is asked first, and says so where it is cut off.
  const usable = accounts.filter((account) => isUsable(account) || isKnown(account));
  const ordered = (usable.length > 0 ? usable : accounts).toSorted((a, b) => Number(isKnown(b)) - Number(isKnown(a)));
  let failure: unknown;
  for (const account of ordered) {
    try {
      const found = await lookWith(ctx, account, { input, knownIn: stored?.platformAdAccountId });
      if (found) return found;
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      failure ??= error;
    }
  }
  throw failure ?? noCampaign(input);
}

const hasOwnAdsConnection = (account: AccountPlatform): boolean => {
  const platform = adPlatformOf(account);
  return platform !== undefined && capabilityOf(platform).hasOwnAdsConnection === true;
};

const isUsable = ({ platform, needsReconnect, adsConnected }: AccountDoc): boolean =>
  !needsReconnect && (adsConnected || !hasOwnAdsConnection(platform));

async function candidates(ctx: Ctx, { platform, accountId }: DuplicateCampaignInput): Promise<AccountDoc[]> {
  const adPlatform = adPlatformOf(platform);
  if (!adPlatform || !platforms[adPlatform].copy) {
    const message = `Campaigns of ${platform} cannot be duplicated; network-a, network-b and network-c can`;
    throw new AppError('unsupported_platform_operation', message, {
      param: 'platform',
      platform: adPlatform ?? platform,
    });
  }
  const same = platforms[adPlatform].accounts;
  if (accountId === undefined) {
    const accounts = await ctx.db.accounts
      .find({ ...reachOf(ctx), platform: { $in: [...same] }, disconnectedAt: null })
      .lean();
    return accounts.toSorted((a, b) => Number(b.platform === platform) - Number(a.platform === platform));
  }
  const account = await requireAccount(ctx, accountId);
  if (adPlatformOf(account.platform) === adPlatform) return [account];
  const message = `is an account of ${account.platform}, not of ${platform}`;
  throw invalidInput([{ code: 'invalid_field_value', path: 'accountId', message }]);
}

interface Look {
  input: DuplicateCampaignInput;
  knownIn?: string;
}

async function lookWith(
  ctx: Ctx,
  account: AccountDoc,
  { input, knownIn }: Look,
): Promise<CopySourceTarget | undefined> {
  const { adapter } = await toAdTarget(ctx, account, 'changeAds');
  const { copies } = adapter;
  if (!copies) throw new Error(`Platform ${adapter.platform} has no copies`);
  const adAccounts = await adAccountsOf(ctx, { account, adapter });
  const known = adAccounts.filter(({ id }) => id === knownIn);
  const among = known.length > 0 ? known : adAccounts;
  const adAccount = await callPlatform(ctx, account, (access) => copies.findCampaign(access, among, input.campaignId));
  return adAccount && { account, adapter, copies, adAccount };
}
