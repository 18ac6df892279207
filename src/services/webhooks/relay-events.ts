import { newId } from '../../lib/id.ts';
import { isDuplicate, type Db } from '../../models/db.ts';
import type { PendingEvent } from '../../models/pending-event.ts';
import type { WebhookDeliveryDoc } from '../../models/webhook-delivery.ts';
import type { WebhookDoc } from '../../models/webhook.ts';
import type { Services } from '../context.ts';
import { queuedStates } from './states.ts';

const batch = 100;
/** Jobs of one endpoint that may lie in the queue; the rest waits in the store. */
export const jobsPerEndpoint = 50;

interface Announcer {
  _id: string;
  userId: string;
  pendingEvents?: PendingEvent[];
}

interface Source {
  find: (filter: object) => { limit: (count: number) => { lean: () => Promise<Announcer[]> } };
  updateOne: (filter: object, update: object, options?: object) => Promise<unknown>;
}

const sources = ({ ads, apiKeys, webhooks }: Db): Source[] => [ads, apiKeys, webhooks] as unknown as Source[];

/** Carries announced events on: event, deliveries, then the announcement goes. Every step may be repeated after a crash. */
export async function relayEvents(services: Services): Promise<string[]> {
  const due: string[] = [];
  for (const source of sources(services.db)) {
    for (;;) {
      const announcers = await source
        .find({ 'pendingEvents.0': { $exists: true } })
        .limit(batch)
        .lean();
      for (const announcer of announcers) due.push(...(await relayOne(services, source, announcer)));
      if (announcers.length < batch) break;
    }
  }
  return due;
}

async function relayOne(
  services: Services,
  source: Source,
  { _id, userId, pendingEvents = [] }: Announcer,
): Promise<string[]> {
  const webhooks = await services.db.webhooks.find({ userId }).lean();
  const due: string[] = [];
  for (const event of pendingEvents) {
    await storeEvent(services, userId, event);
    due.push(...(await fanOut(services, event, webhooks)));
    await services.db.webhookEvents.updateOne({ _id: event.eventId }, { $set: { fannedOut: true } });
  }
  const ids = pendingEvents.map(({ eventId }) => eventId);
  await source.updateOne({ _id }, { $pull: { pendingEvents: { eventId: { $in: ids } } } }, { timestamps: false });
  return due;
}

/** The bytes are made here, once: what is signed is what is stored is what is sent. */
async function storeEvent({ db }: Services, userId: string, { eventId, type, at, data }: PendingEvent): Promise<void> {
  const body = JSON.stringify({ id: eventId, event: type, timestamp: at.toISOString(), ...data });
  const fresh = { userId, type, occurredAt: at, body, fannedOut: false };
  await db.webhookEvents
    .updateOne({ _id: eventId }, { $setOnInsert: fresh }, { upsert: true })
    .catch((error: unknown) => {
      if (!isDuplicate(error)) throw error;
    });
}

async function fanOut(services: Services, event: PendingEvent, webhooks: WebhookDoc[]): Promise<string[]> {
  const about = (event.data['webhook'] as { _id?: string } | undefined)?._id;
  const wanted = webhooks.filter(
    ({ _id, events }) => _id !== about && (events.includes('*') || events.includes(event.type)),
  );
  const deliveries = await Promise.all(wanted.map((webhook) => newDelivery(services, event, webhook)));
  if (deliveries.length === 0) return [];
  // Deliveries that are there already came from an earlier run of this step.
  await services.db.webhookDeliveries.insertMany(deliveries, { ordered: false }).catch((error: unknown) => {
    if (!isDuplicate(error)) throw error;
  });
  return deliveries.filter(({ state }) => state === 'pending').map(({ _id }) => _id);
}

async function newDelivery(services: Services, event: PendingEvent, webhook: WebhookDoc): Promise<WebhookDeliveryDoc> {
  const now = services.clock.now();
  const state = await firstState(services, webhook);
  return {
    _id: newId(),
    userId: webhook.userId,
    webhookId: webhook._id,
    eventId: event.eventId,
    type: event.type,
    cycle: 0,
    trigger: 'auto',
    state,
    attemptNo: 0,
    ladderStep: 0,
    nextAttemptAt: state === 'pending' ? now : null,
    terminalAt: state === 'skipped' ? now : null,
    attempts: [],
    createdAt: now,
  };
}

async function firstState({ db }: Services, webhook: WebhookDoc): Promise<WebhookDeliveryDoc['state']> {
  if (!webhook.isActive) return webhook.disabledReason === 'owner' ? 'skipped' : 'held';
  if (webhook.nextProbeAt) return 'waiting';
  const queued = { webhookId: webhook._id, state: { $in: queuedStates } };
  const inQueue = await db.webhookDeliveries.countDocuments(queued, { limit: jobsPerEndpoint });
  return inQueue >= jobsPerEndpoint ? 'waiting' : 'pending';
}
