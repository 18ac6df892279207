import {
  attemptTexts,
  type AttemptText,
  type Delivery,
  type ListDeliveriesInput,
  type ListDeliveriesResult,
} from '../../contract/delivery.ts';
import type { WebhookDeliveryDoc } from '../../models/webhook-delivery.ts';
import type { Ctx } from '../context.ts';
import { requireWebhook } from './find-webhook.ts';
import { toDelivery } from './to-webhook.ts';

/** What is read of a delivery without these texts of its attempts, which can take 250 KB. */
export const withoutTexts = (texts: readonly AttemptText[]): Record<string, 0> =>
  Object.fromEntries(texts.map((text) => [`attempts.${text}`, 0]));

export const listDeliveries = (ctx: Ctx, input: ListDeliveriesInput): Promise<ListDeliveriesResult> =>
  deliveryLog(ctx, input, () => true);

/** So many deliveries are read at once: more than a page has by default, and at most 8 MB. */
const readAtOnce = 34;

/** A page ends before the texts of its attempts are longer than this together. */
const maxTextLength = 5_000_000;

/** The delivery log, newest first. Pages by key and not by offset, because it grows while it is read. */
export async function deliveryLog(
  ctx: Ctx,
  input: ListDeliveriesInput,
  selects: (name: AttemptText) => boolean,
): Promise<ListDeliveriesResult> {
  const { webhookId, event, status, eventId, limit } = input;
  if (webhookId) await requireWebhook(ctx, webhookId);
  const filter = {
    userId: ctx.caller.userId,
    ...(webhookId && { webhookId }),
    ...(event && { type: event }),
    ...(status && { state: status }),
    ...(eventId && { eventId }),
  };
  const omitted = attemptTexts.filter((text) => !selects(text));
  const isSmall = omitted.length === attemptTexts.length;
  const logs: Delivery[] = [];
  let length = 0;
  for (let { cursor } = input; ; cursor = logs.at(-1)?._id) {
    // One more than the page has, to know whether others follow.
    const missing = limit + 1 - logs.length;
    const most = isSmall ? missing : Math.min(missing, readAtOnce);
    const behind = cursor === undefined ? filter : { ...filter, _id: { $lt: cursor } };
    const docs = await ctx.db.webhookDeliveries
      .find(behind, withoutTexts(omitted))
      .sort({ _id: -1 })
      .limit(most)
      .lean();
    for (const doc of docs) {
      length += textLength(doc);
      const isFull = logs.length === limit || (length > maxTextLength && logs.length > 0);
      if (isFull) return { logs, nextCursor: logs.at(-1)?._id ?? null };
      logs.push(toDelivery(doc));
    }
    if (docs.length < most) return { logs, nextCursor: null };
  }
}

/** The length of all texts that a receiver can make long. */
const textLength = ({ attempts }: WebhookDeliveryDoc): number => {
  let length = 0;
  for (const { responseBody, responseHeaders } of attempts) {
    length += responseBody?.length ?? 0;
    for (const name in responseHeaders) length += name.length + (responseHeaders[name]?.length ?? 0);
  }
  return length;
};
