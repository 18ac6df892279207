import { newId } from '../../lib/id.ts';
import { isDuplicate } from '../../models/db.ts';
import type { WebhookDeliveryDoc } from '../../models/webhook-delivery.ts';
import { notDeleted } from '../../models/soft-delete.ts';
import type { WebhookDoc } from '../../models/webhook.ts';
import type { Services } from '../context.ts';
import { maxQueued, queueDepths } from './queue-limits.ts';
import type { OutboxEvent } from '../durable/outbox.ts';
import { releaseEach } from './release-waiting.ts';

/** Serialises each payload once; the same bytes are stored, signed and sent. Returns whether all of the events are new. */
export async function storeEvents({ db }: Services, events: OutboxEvent[]): Promise<boolean> {
  const upserts = events.map(({ eventId, userId, type, at, data }) => {
    const body = JSON.stringify({ id: eventId, event: type, timestamp: at.toISOString(), ...data });
    const $setOnInsert = { userId, type, occurredAt: at, body, fannedOut: false };
    return { updateOne: { filter: { _id: eventId }, update: { $setOnInsert }, upsert: true } };
  });
  const result = await ignoringDuplicates(db.webhookEvents.bulkWrite(upserts, { ordered: false }));
  return result?.upsertedCount === events.length;
}

/** Creates a delivery for every webhook that is subscribed to an event; returns the webhooks with due deliveries. */
export async function fanOut(services: Services, stored: OutboxEvent[], areNew: boolean): Promise<string[]> {
  const { db } = services;
  const users = [...new Set(stored.map(({ userId }) => userId))];
  // Never from a cache, and after the events are stored: a webhook that is older than an event must receive it.
  const webhooks = await db.webhooks.find({ userId: { $in: users }, ...notDeleted }).lean();
  // Read after the webhooks: a webhook that was created since another process fanned an event out does not get it.
  const events = areNew || webhooks.length === 0 ? stored : await withoutFannedOut(services, stored);
  const queued = await queueDepths(
    services,
    webhooks.filter(({ isActive, nextProbeAt }) => isActive && !nextProbeAt).map(({ _id }) => _id),
  );
  const deliveries = events.flatMap((event) =>
    webhooks
      .filter((webhook) => isSubscribed(webhook, event))
      .map((webhook) =>
        newDelivery(services, event, { webhookId: webhook._id, state: firstState({ webhook, queued }) }),
      ),
  );
  // Existing deliveries come from an earlier run of this step or from another process.
  await insertDeliveries(services, deliveries);
  const due = deliveries.filter(({ state }) => state === 'pending').map(({ webhookId }) => webhookId);
  return [...new Set([...due, ...(await releaseStrict(services, webhooks, deliveries))])];
}

async function withoutFannedOut({ db }: Services, events: OutboxEvent[]): Promise<OutboxEvent[]> {
  const ids = events.map(({ eventId }) => eventId);
  const done = await db.webhookEvents.find({ _id: { $in: ids }, fannedOut: true }, { _id: 1 }).lean();
  const doneIds = new Set(done.map(({ _id }) => _id));
  return events.filter(({ eventId }) => !doneIds.has(eventId));
}

/** With strict ordering all deliveries start as waiting; release the oldest if none is in flight. */
async function releaseStrict(
  services: Services,
  webhooks: WebhookDoc[],
  deliveries: WebhookDeliveryDoc[],
): Promise<string[]> {
  const withWaiting = new Set(deliveries.filter(({ state }) => state === 'waiting').map(({ webhookId }) => webhookId));
  const strict = webhooks.filter(
    ({ _id, ordering, nextProbeAt }) => ordering === 'strict' && !nextProbeAt && withWaiting.has(_id),
  );
  return releaseEach(services, strict, 1);
}

/**
 * How far the clocks of processes may differ. Much, because an event that wrongly counts as earlier than the webhook would be
 * lost, and one too many does no harm.
 */
const clockDifferenceMs = 3_600_000;

/** A webhook never receives notifications about itself, nor events from before its creation that are relayed late. */
function isSubscribed({ _id, userId, events, createdAt }: WebhookDoc, event: OutboxEvent): boolean {
  const about = (event.data?.['webhook'] as { _id?: string } | undefined)?._id;
  if (userId !== event.userId || _id === about) return false;
  if (event.at.getTime() < createdAt.getTime() - clockDifferenceMs) return false;
  return events.includes('*') || events.includes(event.type);
}

interface Endpoint {
  webhook: WebhookDoc;
  /** The open deliveries of each webhook, counted up as more are created. */
  queued: Map<string, number>;
}

/** Logs failed deliveries so that the owner can see the event was dropped. */
export async function fanOutRejected(services: Services, event: OutboxEvent): Promise<void> {
  const { db } = services;
  const webhooks = await db.webhooks.find({ userId: event.userId, ...notDeleted }).lean();
  const subscribed = webhooks.filter((webhook) => isSubscribed(webhook, event));
  const failed = subscribed.map(({ _id }) => newDelivery(services, event, { webhookId: _id, state: 'failed' }));
  await insertDeliveries(services, failed);
}

/** By the driver: casting all fields of all deliveries of an event would be most of the work. */
async function insertDeliveries({ db }: Services, deliveries: WebhookDeliveryDoc[]): Promise<void> {
  if (deliveries.length === 0) return;
  await ignoringDuplicates(db.webhookDeliveries.collection.insertMany(deliveries as never, { ordered: false }));
}

function newDelivery(
  services: Services,
  event: OutboxEvent,
  { webhookId, state }: Pick<WebhookDeliveryDoc, 'webhookId' | 'state'>,
): WebhookDeliveryDoc {
  const now = services.clock.now();
  return {
    _id: newId(),
    userId: event.userId,
    webhookId,
    eventId: event.eventId,
    type: event.type,
    replay: 0,
    trigger: 'auto',
    state,
    attemptCount: 0,
    retryCount: 0,
    nextAttemptAt: state === 'pending' ? now : null,
    terminalAt: state === 'skipped' || state === 'failed' ? now : null,
    attempts: [],
    occurredAt: event.at,
    createdAt: now,
  };
}

function firstState({ webhook, queued }: Endpoint): WebhookDeliveryDoc['state'] {
  if (!webhook.isActive) return webhook.disabledReason === 'owner' ? 'skipped' : 'held';
  if (webhook.nextProbeAt || webhook.ordering === 'strict') return 'waiting';
  const inQueue = queued.get(webhook._id) ?? 0;
  if (inQueue >= maxQueued) return 'waiting';
  queued.set(webhook._id, inQueue + 1);
  return 'pending';
}

const ignoringDuplicates = <T>(writing: Promise<T>): Promise<T | undefined> =>
  writing.catch((error: unknown) => {
    if (!isDuplicate(error)) throw error;
    return undefined;
  });
