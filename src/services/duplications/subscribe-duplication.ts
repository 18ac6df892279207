import type { DuplicationInput, DuplicationProgress } from '../../contract/duplication.ts';
import type { Ctx } from '../context.ts';
import { subscribeState } from '../subscribe-state.ts';
import { progressChannel } from './duplication-store.ts';
import { requireDuplication } from './find-duplication.ts';
import { toProgress } from './to-duplication.ts';

/** Yields the state of a duplication now and after each change, until it ends. */
export async function subscribeDuplication(
  ctx: Ctx,
  input: DuplicationInput,
  lookEveryMs?: number,
): Promise<AsyncGenerator<DuplicationProgress>> {
  const look = async (): Promise<DuplicationProgress> => toProgress(await requireDuplication(ctx, input));
  await look();
  return subscribeState(ctx, {
    channel: progressChannel(input.duplicationId),
    look,
    requireReach: (now) => requireDuplication(now, input),
    isOver: ({ status }) => status !== 'running',
    lookEveryMs,
  });
}
