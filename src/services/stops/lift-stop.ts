import type { StopInput, StopPayload } from '../../contract/stop.ts';
import { requireUnrestrictedKey } from '../budget-limits/change-limits.ts';
import { authorOf } from '../activity/author.ts';
import type { Ctx } from '../context.ts';
import { newOutboxEvent } from '../durable/outbox.ts';
import { requireStop } from './find-stop.ts';
import { unmarkTarget } from './marks.ts';
import { failuresOf, progressChannel, shownStop } from './stop-store.ts';
import { stopActivity } from './stop-activity.ts';
import { toEventData } from './to-stop.ts';

/** Lifts a stop: activations are allowed again. What it paused stays paused. */
export async function liftStop(ctx: Ctx, input: StopInput): Promise<StopPayload> {
  requireUnrestrictedKey(ctx, 'lift a stop');
  const { db, clock } = ctx;
  const seen = await requireStop(ctx, input);
  const now = clock.now();
  const end = { status: 'lifted' as const, liftedAt: now, lease: null, updatedAt: now };
  const lifted = { ...seen, ...end };
  if (seen.liftedAt === null) {
    const event = newOutboxEvent('stop.lifted', toEventData(lifted, await failuresOf(ctx, seen._id)), now);
    const entry = stopActivity('stop.lifted', seen, { author: authorOf(ctx), at: now });
    const change = { $set: end, $unset: { runAt: 1 }, $push: { pendingEvents: { $each: [event, entry] } } };
    await db.stops.updateOne({ _id: seen._id, liftedAt: null }, change as object);
    ctx.wakeRelay();
  }
  // Also if the stop is lifted already: an earlier call may have crashed between the two writes.
  await unmarkTarget(ctx, seen);
  const stop = await shownStop(ctx, seen.liftedAt === null ? lifted : seen);
  ctx.feed.publish(progressChannel(seen._id), stop);
  return { stop, message: 'The stop is lifted; campaigns that it paused stay paused until they are activated' };
}
