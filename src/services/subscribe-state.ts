import { within } from '../lib/timeout.ts';
import { revalidateCaller } from './api-keys/revalidate-key.ts';
import type { Ctx } from './context.ts';
import { logCause, toAppError } from './unexpected-error.ts';

export interface Watched<T extends object> {
  channel: string;
  /** Reads the current state, initially and after a silence, in case a message was lost. */
  look: () => Promise<T | null>;
  /** Throws if the caller has lost access. */
  requireReach: (ctx: Ctx) => Promise<unknown>;
  isOver: (state: T) => boolean;
  lookEveryMs?: number;
}

/** Async iterator over state changes; ends on a final state or when access is lost. */
export async function* subscribeState<T extends object>(
  ctx: Ctx,
  { channel, look, requireReach, isOver, lookEveryMs = 5_000 }: Watched<T>,
): AsyncGenerator<T> {
  const messages = ctx.feed.subscribe(channel);
  try {
    await within(messages.ready, lookEveryMs);
    let shown = '';
    let message: Promise<IteratorResult<unknown>> | undefined = messages.next();
    let state: T | null = await look();
    // A message buffered meanwhile may be older than the value just read.
    while ((await within(message, 0))?.done === false) {
      message = messages.next();
      state = await look();
    }
    for (;;) {
      if (!(await reaches(ctx, requireReach))) return;
      const text = JSON.stringify(state);
      if (state && text !== shown) yield state;
      if (state && isOver(state)) return;
      shown = text;
      message ??= messages.next();
      const next = await within(message, lookEveryMs);
      if (next?.done) return;
      if (next) message = undefined;
      state = next ? (next.value as T) : await look();
    }
  } finally {
    await messages.return?.();
  }
}

async function reaches(ctx: Ctx, requireReach: (ctx: Ctx) => Promise<unknown>): Promise<boolean> {
  try {
    const now = await revalidateCaller(ctx);
    if (now) await requireReach(now);
    return now !== undefined;
  } catch (error) {
    logCause(ctx.log, toAppError(error), ctx.requestId);
    return false;
  }
}
