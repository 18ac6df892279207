import type { DeleteWebhookInput } from '../../contract/webhook.ts';
import { requireFullScope } from '../access.ts';
import type { Ctx } from '../context.ts';
import { requireWebhook } from './find-webhook.ts';
import { openStates } from './delivery-states.ts';

/** Deletes a webhook; its pending deliveries are cancelled and stay in the log. */
export async function deleteWebhook(ctx: Ctx, { id }: DeleteWebhookInput): Promise<{ success: true }> {
  requireFullScope(ctx);
  await requireWebhook(ctx, id, 'id');
  const terminal = { state: 'cancelled' as const, terminalAt: ctx.clock.now(), nextAttemptAt: null };
  while (!(await isDeleted(ctx, id)));
  await ctx.db.webhookDeliveries.updateMany(
    { webhookId: id, state: { $in: openStates } },
    { $set: terminal, $unset: { lease: 1 } },
  );
  ctx.wakeRelay();
  return { success: true };
}

/**
 * Moves its pending outbox events to the API-key document (insert first, then delete). If both emit them after a crash,
 * they have the same ids. False if another event was added concurrently.
 */
async function isDeleted({ db, caller }: Ctx, _id: string): Promise<boolean> {
  const own = { _id, userId: caller.userId };
  const webhook = await db.webhooks.findOne(own, { pendingEvents: 1 }).lean();
  if (!webhook) return true;
  const notices = webhook.pendingEvents ?? [];
  const handedOver = { $push: { pendingEvents: { $each: notices, $sort: { at: 1 as const } } } };
  if (notices.length > 0) await db.apiKeys.updateOne({ _id: caller.keyId }, handedOver, { timestamps: false });
  const eventId = { $nin: notices.map((notice) => notice.eventId) };
  const { deletedCount } = await db.webhooks.deleteOne({
    ...own,
    pendingEvents: { $not: { $elemMatch: { eventId } } },
  });
  return deletedCount === 1;
}
