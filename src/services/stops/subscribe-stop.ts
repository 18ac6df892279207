import type { Stop, StopInput } from '../../contract/stop.ts';
import type { Ctx } from '../context.ts';
import { subscribeState } from '../subscribe-state.ts';
import { requireStop } from './find-stop.ts';
import { progressChannel, shownStop } from './stop-store.ts';

/** Yields the state of a stop now and after each change, until nothing is left to pause. */
export async function subscribeStop(ctx: Ctx, input: StopInput, lookEveryMs?: number): Promise<AsyncGenerator<Stop>> {
  const look = async (): Promise<Stop> => shownStop(ctx, await requireStop(ctx, input));
  await look();
  return subscribeState(ctx, {
    channel: progressChannel(input.stopId),
    look,
    requireReach: (now) => requireStop(now, input),
    isOver: ({ status }) => status !== 'running',
    lookEveryMs,
  });
}
