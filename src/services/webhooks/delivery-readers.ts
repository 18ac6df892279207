import { batched } from '../../lib/batch.ts';
import { grouped } from '../../lib/group-by.ts';
import { notDeleted } from '../../models/soft-delete.ts';
import type { UnloggedDelivery } from '../../models/webhook-delivery.ts';
import type { WebhookDoc } from '../../models/webhook.ts';
import type { Services } from '../context.ts';
import { dueBy, isFree } from '../durable/lease.ts';
import { queuedStates } from './delivery-states.ts';
import { maxQueued } from './queue-limits.ts';

export interface DeliveryReaders {
  webhookOf: (webhookId: string) => Promise<WebhookDoc | undefined>;
  deliveryOf: (deliveryId: string) => Promise<UnloggedDelivery | undefined>;
  /** The deliveries of an endpoint that may be claimed now, the longest due first, without their attempts. */
  dueOf: (webhookId: string) => Promise<UnloggedDelivery[]>;
  /** The event's bytes; undefined after their retention. */
  bodyOf: (eventId: string) => Promise<string | undefined>;
}

/** Reads for several endpoints at once what they need at the same moment. */
export function createDeliveryReaders({ db, clock }: Services): DeliveryReaders {
  const { webhooks, webhookDeliveries } = db;
  const findDue = (webhookIds: string[]): Promise<UnloggedDelivery[]> => {
    const now = clock.now();
    const due = { webhookId: { $in: webhookIds }, nextAttemptAt: dueBy(now), state: { $in: queuedStates } };
    const query = webhookDeliveries.find({ ...due, ...isFree(now) }, { attempts: 0 });
    return query
      .sort({ nextAttemptAt: 1 })
      .limit(maxQueued * webhookIds.length)
      .lean();
  };
  return {
    webhookOf: createBatchReader((ids) => webhooks.find({ _id: { $in: ids }, ...notDeleted }).lean()),
    deliveryOf: createBatchReader((ids) => webhookDeliveries.find({ _id: { $in: ids } }, { attempts: 0 }).lean()),
    dueOf: batched(async (webhookIds: string[]) => {
      const found = await findDue(webhookIds);
      // Endpoints with many due deliveries may have left no room for the others.
      const isCut = found.length === maxQueued * webhookIds.length && webhookIds.length > 1;
      if (isCut) return Promise.all(webhookIds.map((webhookId) => findDue([webhookId])));
      const byWebhook = grouped(found, ({ webhookId }) => webhookId);
      return webhookIds.map((webhookId) => byWebhook.get(webhookId) ?? []);
    }),
    bodyOf: createBodyReader(db),
  };
}

const maxCachedBodies = 500;

/** Shares the bytes of an event among its endpoints; they never change. */
function createBodyReader({ webhookEvents }: Services['db']): DeliveryReaders['bodyOf'] {
  const bodies = new Map<string, string>();
  const eventOf = createBatchReader((ids) => webhookEvents.find({ _id: { $in: ids } }, { body: 1 }).lean());
  return async (eventId) => {
    const cached = bodies.get(eventId);
    if (cached !== undefined) return cached;
    const event = await eventOf(eventId);
    if (!event) return undefined;
    if (bodies.size >= maxCachedBodies) bodies.clear();
    bodies.set(eventId, event.body);
    return event.body;
  };
}

/** Batched findById. */
const createBatchReader = <T extends { _id: string }>(
  find: (ids: string[]) => Promise<T[]>,
): ((id: string) => Promise<T | undefined>) =>
  batched(async (ids) => {
    const found = new Map((await find([...new Set(ids)])).map((doc) => [doc._id, doc]));
    return ids.map((id) => found.get(id));
  });
