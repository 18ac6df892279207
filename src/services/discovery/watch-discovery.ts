import type { CampaignDiscovery, DiscoveryInput } from '../../contract/discovery.ts';
import { requireAccount } from '../access.ts';
import type { Ctx } from '../context.ts';
import { findDiscovery } from './find-discovery.ts';
import { progressChannel } from './want-discovery.ts';

export interface WatchOptions {
  /** After so long a silence the store is asked, in case a message was lost. */
  lookEveryMs?: number;
}

const isOver = ({ status }: CampaignDiscovery): boolean => status === 'completed' || status === 'failed';

/** The state of a discovery now and whenever it changes, until it is over. Whoever comes back goes on where it stands. */
export async function watchDiscovery(
  ctx: Ctx,
  input: DiscoveryInput,
  { lookEveryMs = 5_000 }: WatchOptions = {},
): Promise<AsyncGenerator<CampaignDiscovery>> {
  await requireAccount(ctx, input.accountId);
  return states(ctx, input, lookEveryMs);
}

async function* states(ctx: Ctx, input: DiscoveryInput, lookEveryMs: number): AsyncGenerator<CampaignDiscovery> {
  const messages = ctx.feed.subscribe(progressChannel(input.accountId));
  try {
    await within(messages.ready, lookEveryMs);
    let shown = '';
    let message: Promise<IteratorResult<unknown>> | undefined;
    let state = (await findDiscovery(ctx, input)).discovery;
    for (;;) {
      const text = JSON.stringify(state);
      if (state && text !== shown) yield state;
      if (state && isOver(state)) return;
      shown = text;
      message ??= messages.next();
      const next = await within(message, lookEveryMs);
      if (next?.done) return;
      if (next) message = undefined;
      state = next ? (next.value as CampaignDiscovery) : (await findDiscovery(ctx, input)).discovery;
    }
  } finally {
    await messages.return?.();
  }
}

/** What is waited for, or nothing after some time. */
async function within<T>(promise: Promise<T>, ms: number): Promise<T | undefined> {
  let timer: NodeJS.Timeout | undefined;
  const patience = new Promise<undefined>((resolve) => {
    timer = setTimeout(resolve, ms, undefined);
    timer.unref();
  });
  return Promise.race([promise, patience]).finally(() => clearTimeout(timer));
}
