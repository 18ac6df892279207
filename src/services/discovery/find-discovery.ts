import type { CampaignDiscoveryResult, DiscoveryInput } from '../../contract/discovery.ts';
import { requireAccount } from '../access.ts';
import type { Ctx } from '../context.ts';
import { toDiscovery } from './to-discovery.ts';

/** How far the discovery of an account is. */
export async function findDiscovery(ctx: Ctx, { accountId }: DiscoveryInput): Promise<CampaignDiscoveryResult> {
  await requireAccount(ctx, accountId);
  const doc = await ctx.db.campaignDiscoveries.findOne({ _id: accountId }).lean();
  return { discovery: doc && toDiscovery(doc) };
}
