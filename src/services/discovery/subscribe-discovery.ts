import type { CampaignDiscovery, DiscoveryInput } from '../../contract/discovery.ts';
import { requireAccount } from '../access.ts';
import type { Ctx } from '../context.ts';
import { subscribeState } from '../subscribe-state.ts';
import { findDiscovery } from './find-discovery.ts';
import { progressChannel } from './request-discovery.ts';

export interface WatchOptions {
  /** After so long a silence the store is asked, in case a message was lost. */
  lookEveryMs?: number;
}

/** Yields the state of a discovery now and after each change, until it ends. */
export async function subscribeDiscovery(
  ctx: Ctx,
  input: DiscoveryInput,
  { lookEveryMs }: WatchOptions = {},
): Promise<AsyncGenerator<CampaignDiscovery>> {
  const requireReach = (now: Ctx) => requireAccount(now, input.accountId);
  await requireReach(ctx);
  return subscribeState<CampaignDiscovery>(ctx, {
    channel: progressChannel(input.accountId),
    look: async () => (await findDiscovery(ctx, input)).discovery,
    requireReach,
    isOver: ({ status }) => status === 'completed' || status === 'failed',
    lookEveryMs,
  });
}
