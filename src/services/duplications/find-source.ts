import type { DuplicateCampaignInput } from '../../contract/duplication.ts';
import { AppError } from '../../contract/error.ts';
import { adPlatformOf, platforms } from '../../contract/platforms.ts';
import type { AccountDoc } from '../../models/account.ts';
import type { CampaignDoc } from '../../models/campaign.ts';
import type { AdAccount, AdsAdapter, CopyAdapter } from '../../platforms/platform.ts';
import { adAccountsOf, toAdTarget } from '../ads/ad-target.ts';
import { connectionsOf, firstFound } from '../ads/find-upstream.ts';
import { callPlatform } from '../accounts/platform-access.ts';
import type { Spender } from '../budget-limits/parties.ts';
import { campaignRefOf } from '../campaigns/ids.ts';
import type { Ctx } from '../context.ts';
import { removedError } from '../removals/removed.ts';

export interface CopySourceTarget {
  account: AccountDoc;
  adapter: AdsAdapter;
  copies: CopyAdapter;
  adAccount: AdAccount;
}

export const noCampaign = ({ campaignId, platform }: DuplicateCampaignInput): AppError =>
  new AppError('campaign_not_found', `There is no campaign ${campaignId} on ${platform} that this API key can access`, {
    param: 'campaignId',
  });

/** The account, and the ad account in it, that a campaign is in: as it is stored, else as the platform says. */
export async function findSource(
  ctx: Ctx,
  input: DuplicateCampaignInput,
  /** Called with where the campaign is recorded, before the platform is. */
  requireAllowed: (recorded: Spender) => Promise<void>,
): Promise<CopySourceTarget> {
  const accounts = await candidates(ctx, input);
  const refs = accounts.map(({ _id }) => campaignRefOf(_id, input.campaignId));
  const stored = await ctx.db.campaigns.findOne({ _id: { $in: refs } }).lean();
  if (stored?.removal) throw removedError('campaign', input.campaignId, stored);
  const knownIn = stored?.platformAdAccountId;
  const recorded = recordedIn(accounts, stored);
  if (recorded) await requireAllowed(recorded);
  const found = await firstFound(accounts, stored?.accountId, (account) => lookWith(ctx, account, { input, knownIn }));
  if (!found) throw noCampaign(input);
  return found;
}

function recordedIn(accounts: AccountDoc[], stored: CampaignDoc | null): Spender | undefined {
  const account = accounts.find(({ _id }) => _id === stored?.accountId);
  const adAccount = account?.adAccounts.find(({ id }) => id === stored?.platformAdAccountId);
  return account && adAccount && { account, adAccount };
}

async function candidates(ctx: Ctx, input: DuplicateCampaignInput): Promise<AccountDoc[]> {
  const { platform } = input;
  const adPlatform = adPlatformOf(platform);
  if (!adPlatform || !platforms[adPlatform].copy) {
    const message = `Campaigns of ${platform} cannot be duplicated; network-a, network-b and network-c can`;
    throw new AppError('unsupported_platform_operation', message, {
      param: 'platform',
      platform: adPlatform ?? platform,
    });
  }
  return connectionsOf(ctx, adPlatform, input);
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
  const found = await callPlatform(ctx, account, (access) => adapter.findCampaign(access, among, input.campaignId));
  return found && { account, adapter, copies, adAccount: found.adAccount };
}
