import type { Delivery, FollowDeliveriesInput } from '../../contract/delivery.ts';
import type { WebhookDeliveryDoc } from '../../models/webhook-delivery.ts';
import { requireFullScope } from '../access.ts';
import type { Ctx, Services, Subscription } from '../context.ts';
import { requireWebhook } from './find-webhook.ts';
import { toDelivery } from './to-webhook.ts';

const topicOf = (webhookId: string): string => `deliveries:${webhookId}`;

/** Says that the log of a webhook has changed; who follows it reads it there. */
export const tellDelivery = (
  { feed }: Pick<Services, 'feed'>,
  doc: Pick<WebhookDeliveryDoc, '_id' | 'webhookId'>,
): void => feed.publish(topicOf(doc.webhookId), doc._id);

/** Every change of a webhook's log as it happens, for as long as the key lives. */
export async function followDeliveries(
  ctx: Ctx,
  { webhookId }: FollowDeliveriesInput,
): Promise<AsyncIterableIterator<Delivery>> {
  requireFullScope(ctx);
  await requireWebhook(ctx, webhookId);
  const ids = ctx.feed.subscribe(topicOf(webhookId));
  await ids.ready;
  return readEach(ids, async (id) => {
    await requireLiveKey(ctx);
    const doc = await ctx.db.webhookDeliveries.findOne({ _id: id, webhookId, userId: ctx.caller.userId }).lean();
    return doc ? toDelivery(doc) : undefined;
  });
}

/**
 * By hand and not as a generator: a generator that waits for the next value cannot be ended before it comes. A read that
 * throws ends the stream.
 */
function readEach(
  ids: Subscription,
  read: (id: string) => Promise<Delivery | undefined>,
): AsyncIterableIterator<Delivery> {
  const over = { value: undefined, done: true } as const;
  const end = async (): Promise<typeof over> => {
    await ids.return?.();
    return over;
  };
  const next = async (): Promise<IteratorResult<Delivery>> => {
    for (;;) {
      const { value, done } = await ids.next();
      if (done) return over;
      const delivery = await read(String(value)).catch(() => 'ended' as const);
      if (delivery === 'ended') return end();
      if (delivery) return { value: delivery, done: false };
    }
  };
  return {
    next,
    return: end,
    [Symbol.asyncIterator]() {
      return this;
    },
  };
}

/** A stream outlives the check at the door by far. */
async function requireLiveKey({ db, clock, caller }: Ctx): Promise<void> {
  const alive = { _id: caller.keyId, revokedAt: null, $or: [{ expiresAt: null }, { expiresAt: { $gt: clock.now() } }] };
  if (!(await db.apiKeys.findOne(alive, { _id: 1 }).lean())) throw new Error('The key has ended');
}
