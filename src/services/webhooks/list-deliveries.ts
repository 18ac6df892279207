import {
  attemptTexts,
  type AttemptText,
  type ListDeliveriesInput,
  type ListDeliveriesResult,
} from '../../contract/delivery.ts';
import type { Ctx } from '../context.ts';
import { requireWebhook } from './find-webhook.ts';
import { toDelivery } from './to-webhook.ts';

/** What is read of a delivery without these texts of its attempts, which can take 250 KB. */
export const withoutTexts = (texts: readonly AttemptText[]): Record<string, 0> =>
  Object.fromEntries(texts.map((text) => [`attempts.${text}`, 0]));

export const listDeliveries = (ctx: Ctx, input: ListDeliveriesInput): Promise<ListDeliveriesResult> =>
  deliveryLog(ctx, input, () => true);

/** The delivery log, newest first. Pages by key and not by offset, because it grows while it is read. */
export async function deliveryLog(
  ctx: Ctx,
  input: ListDeliveriesInput,
  selects: (name: AttemptText) => boolean,
): Promise<ListDeliveriesResult> {
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
    .find(filter, withoutTexts(attemptTexts.filter((text) => !selects(text))))
    .sort({ _id: -1 })
    .limit(limit + 1)
    .lean();
  const logs = docs.slice(0, limit);
  return { logs: logs.map(toDelivery), nextCursor: docs.length > limit ? (logs.at(-1)?._id ?? null) : null };
}
