import type { Delivery, FollowDeliveriesInput } from '../../contract/delivery.ts';
import { AppError } from '../../contract/error.ts';
import { within } from '../../lib/timeout.ts';
import type { WebhookDeliveryDoc } from '../../models/webhook-delivery.ts';
import { requireFullScope } from '../access.ts';
import { revalidateCaller } from '../api-keys/revalidate-key.ts';
import type { Ctx, Services, Subscription } from '../context.ts';
import { logCause, toAppError } from '../unexpected-error.ts';
import { requireWebhook } from './find-webhook.ts';
import { toDelivery } from './to-webhook.ts';

const topicOf = (webhookId: string): string => `deliveries:${webhookId}`;

/** Publishes that the log of a webhook has changed; subscribers read it from the database. */
export const publishDelivery = (
  { feed }: Pick<Services, 'feed'>,
  doc: Pick<WebhookDeliveryDoc, '_id' | 'webhookId'>,
): void => feed.publishIfWatched(topicOf(doc.webhookId), doc._id);

/** Streams every change of a webhook's log while the key is valid. */
export async function subscribeDeliveries(
  ctx: Ctx,
  { webhookId }: FollowDeliveriesInput,
  lookEveryMs = 5_000,
): Promise<AsyncIterableIterator<Delivery>> {
  requireFullScope(ctx);
  await requireWebhook(ctx, webhookId);
  const ids = ctx.feed.subscribe(topicOf(webhookId));
  await ids.ready;
  const read = async (id: string | undefined): Promise<Delivery | undefined> => {
    requireFullScope((await revalidateCaller(ctx)) ?? gone());
    if (id === undefined) return undefined;
    const doc = await ctx.db.webhookDeliveries.findOne({ _id: id, webhookId, userId: ctx.caller.userId }).lean();
    return doc ? toDelivery(doc) : undefined;
  };
  return readEach(ids, lookEveryMs, (id) =>
    read(id).catch((error: unknown) => {
      logCause(ctx.log, toAppError(error), ctx.requestId);
      return 'ended' as const;
    }),
  );
}

function gone(): never {
  throw new AppError('invalid_credentials', 'The API key has expired or was revoked');
}

/**
 * Not a generator, because a generator cannot be ended while it waits. `read` also runs after a silence, then without
 * an id; if it returns `ended`, the stream ends.
 */
function readEach(
  ids: Subscription,
  lookEveryMs: number,
  read: (id: string | undefined) => Promise<Delivery | 'ended' | undefined>,
): AsyncIterableIterator<Delivery> {
  const over = { value: undefined, done: true } as const;
  const end = async (): Promise<typeof over> => {
    await ids.return?.();
    return over;
  };
  let coming: Promise<IteratorResult<unknown>> | undefined;
  const next = async (): Promise<IteratorResult<Delivery>> => {
    for (;;) {
      coming ??= ids.next();
      const came = await within(coming, lookEveryMs);
      if (came?.done) return over;
      if (came) coming = undefined;
      const delivery = await read(came && String(came.value));
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
