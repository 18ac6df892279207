import type { DiscoverCampaignsPayload, DiscoveryInput } from '../../contract/discovery.ts';
import { requireAccount } from '../access.ts';
import { mustReconnect } from '../accounts/open-token.ts';
import { toAdTarget } from '../ads/ad-target.ts';
import type { Ctx } from '../context.ts';
import { requestDiscovery } from './request-discovery.ts';

/** Has the campaigns of an account read from its platform, now or after the run under way. */
export async function discoverCampaigns(ctx: Ctx, { accountId }: DiscoveryInput): Promise<DiscoverCampaignsPayload> {
  const account = await requireAccount(ctx, accountId);
  await toAdTarget(ctx, account, 'readAds');
  if (account.needsReconnect) throw mustReconnect(account);
  const discovery = await requestDiscovery(ctx, account);
  const message = discovery.runAgain ? 'Another discovery will run after the current one' : 'Discovery queued';
  return { discovery, message };
}
