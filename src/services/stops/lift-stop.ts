import type { StopInput, StopPayload } from '../../contract/stop.ts';
import { requireFullScope } from '../access.ts';
import { requireFreeKey } from '../budget-limits/change-limits.ts';
import { authorOf } from '../activity/author.ts';
import type { Ctx } from '../context.ts';
import { newOutboxEvent } from '../durable/outbox.ts';
import { requireStop } from './find-stop.ts';
import { failuresOf, progressChannel, shownStop } from './stop-store.ts';
import { stopActivity } from './stop-activity.ts';
import { markedAccounts, markOf } from './targets.ts';
import { toEventData } from './to-stop.ts';

/** Lifts a stop: activations are allowed again. What it paused stays paused. */
export async function liftStop(ctx: Ctx, input: StopInput): Promise<StopPayload> {
  requireFullScope(ctx);
  requireFreeKey(ctx, 'lift a stop');
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
  // Repeated after a crash between the two writes.
  await unmark(ctx, seen);
  const stop = await shownStop(ctx, seen.liftedAt === null ? lifted : seen);
  ctx.feed.publish(progressChannel(seen._id), stop);
  return { stop, message: 'Lifted: what the stop paused stays paused until it is activated' };
}

async function unmark(ctx: Ctx, stop: Awaited<ReturnType<typeof requireStop>>): Promise<void> {
  const { db } = ctx;
  const mark = markOf(stop);
  const accounts = await markedAccounts(ctx, stop);
  if (accounts)
    await db.accounts.updateMany(
      { ...accounts, [mark]: stop._id } as object,
      { $unset: { [mark]: 1 } },
      { timestamps: false },
    );
  const keys = { userId: stop.userId, stopId: stop._id };
  const marked = await db.apiKeys.find(keys, { keyHash: 1 }).limit(1000).lean();
  await db.apiKeys.updateMany(keys, { $unset: { stopId: 1 } });
  for (const { keyHash } of marked) await ctx.markKeyRevoked(keyHash);
}
