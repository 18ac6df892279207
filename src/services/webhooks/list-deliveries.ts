import type { ListDeliveriesInput, ListDeliveriesResult } from '../../contract/delivery.ts';
import type { Ctx } from '../context.ts';
import { requireWebhook } from './find-webhook.ts';
import { toDelivery } from './to-webhook.ts';

/** The delivery log, newest first. Pages by key and not by offset, because it grows while it is read. */
export async function listDeliveries(ctx: Ctx, input: ListDeliveriesInput): Promise<ListDeliveriesResult> {
  const { webhookId, event, status, eventId, limit, cursor } = input;
  if (webhookId) await requireWebhook(ctx, webhookId);
  const filter = {
    userId: ctx.caller.userId,
    ...(webhookId && { webhookId }),
    ...(event && { type: event }),
    ...(status && { state: status }),
    ...(eventId && { eventId }),
    ...(cursor && { _id: { $lt: cursor } }),
  };
  const docs = await ctx.db.webhookDeliveries
    .find(filter)
    .sort({ _id: -1 })
    .limit(limit + 1)
    .lean();
  const logs = docs.slice(0, limit);
  return { logs: logs.map(toDelivery), nextCursor: docs.length > limit ? (logs.at(-1)?._id ?? null) : null };
}
