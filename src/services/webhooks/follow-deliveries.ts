import type { Delivery, FollowDeliveriesInput } from '../../contract/delivery.ts';
import type { WebhookDeliveryDoc } from '../../models/webhook-delivery.ts';
import { requireFullScope } from '../access.ts';
import type { Ctx, Services } from '../context.ts';
import { requireWebhook } from './find-webhook.ts';
import { toDelivery } from './to-webhook.ts';

const topicOf = (webhookId: string): string => `deliveries:${webhookId}`;

/** Says that the log of a webhook has changed; who follows it reads it there. */
export const tellDelivery = (
  { feed }: Pick<Services, 'feed'>,
  doc: Pick<WebhookDeliveryDoc, '_id' | 'webhookId'>,
): void => feed.tell(topicOf(doc.webhookId), doc._id);

/** Every change of a webhook's log as it happens, for as long as the key lives. */
export async function followDeliveries(
  ctx: Ctx,
  { webhookId }: FollowDeliveriesInput,
): Promise<AsyncIterableIterator<Delivery>> {
  requireFullScope(ctx);
  await requireWebhook(ctx, webhookId);
  return ctx.feed.follow(topicOf(webhookId), async (id) => {
    await requireLiveKey(ctx);
    const doc = await ctx.db.webhookDeliveries.findOne({ _id: id, webhookId, userId: ctx.caller.userId }).lean();
    return doc ? toDelivery(doc) : undefined;
  });
}

/** A stream outlives the check at the door by far. */
async function requireLiveKey({ db, clock, caller }: Ctx): Promise<void> {
  const alive = { _id: caller.keyId, revokedAt: null, $or: [{ expiresAt: null }, { expiresAt: { $gt: clock.now() } }] };
  if (!(await db.apiKeys.findOne(alive, { _id: 1 }).lean())) throw new Error('The key has ended');
}
