import { grouped } from '../../lib/group-by.ts';
import { isConnectionError } from '../../models/db.ts';
import type { Services } from '../context.ts';
import { isActivity, storeActivity } from '../activity/store-activity.ts';
import { fanOut, storeEvents } from './fan-out.ts';
import { eventsOf, readOutbox, type OutboxEvent } from '../durable/outbox.ts';
import { quarantineEvent } from './quarantine-event.ts';

/** Relays all outbox events; returns the webhooks with due deliveries. */
export async function relayEvents(services: Services): Promise<string[]> {
  const all: string[] = [];
  for (;;) {
    const { due, isAll } = await relayBatch(services);
    all.push(...due);
    if (isAll) return [...new Set(all)];
  }
}

/**
 * Relays a batch of outbox events: store the event, create deliveries, then remove it from the outbox. An entry of the
 * activity trail is stored and has no deliveries. Every step may be repeated after a crash. Limits the batch, so that deliveries start even under a constant load.
 */
export async function relayBatch(services: Services): Promise<{ due: string[]; isAll: boolean }> {
  const { batches, isAll } = await readOutbox(services.db);
  const events = batches.flatMap(eventsOf).toSorted(byTime);
  try {
    return { due: await relay(services, events), isAll };
  } catch (error) {
    if (isConnectionError(error)) throw error;
    // Rejected events remain; they are retried with the next interval and not immediately.
    return { due: await relayPerUser(services, events), isAll: true };
  }
}

/** The ids of one process are in the order of its changes, also within a millisecond. */
const byTime = (a: OutboxEvent, b: OutboxEvent): number =>
  a.at.getTime() - b.at.getTime() || (a.eventId < b.eventId ? -1 : 1);

async function relay(services: Services, items: OutboxEvent[]): Promise<string[]> {
  if (items.length === 0) return [];
  const events = items.filter((item) => !isActivity(item));
  const [due] = await Promise.all([publish(services, events), storeActivity(services, items.filter(isActivity))]);
  const collections = [...new Set(items.map(({ source }) => source))];
  await Promise.all(
    collections.map((source) => {
      const own = grouped(
        items.filter((item) => item.source === source),
        ({ documentId }) => documentId,
      );
      return source.bulkWrite([...own].map(removeFromOutbox), { timestamps: false });
    }),
  );
  return due;
}

async function publish(services: Services, events: OutboxEvent[]): Promise<string[]> {
  if (events.length === 0) return [];
  const areNew = await storeEvents(services, events);
  const due = await fanOut(services, events, areNew);
  const _id = { $in: events.map(({ eventId }) => eventId) };
  await services.db.webhookEvents.updateMany({ _id }, { $set: { fannedOut: true } });
  return due;
}

const removeFromOutbox = ([_id, events]: [string, OutboxEvent[]]): object => ({
  updateOne: {
    filter: { _id },
    update: { $pull: { pendingEvents: { eventId: { $in: events.map(({ eventId }) => eventId) } } } },
  },
});

/** An event the database rejects blocks only its own user's events. */
async function relayPerUser(services: Services, events: OutboxEvent[]): Promise<string[]> {
  const due: string[] = [];
  for (const userEvents of grouped(events, ({ userId }) => userId).values())
    due.push(...(await relay(services, userEvents).catch(() => relayOneByOne(services, userEvents))));
  return due;
}

/** Preserve per-user order: events behind a rejected one wait until it is quarantined, but their payloads are still stored. */
async function relayOneByOne(services: Services, userEvents: OutboxEvent[]): Promise<string[]> {
  const due: string[] = [];
  let isBlocked = false;
  for (const event of userEvents) {
    try {
      if (isBlocked && !isActivity(event)) await storeEvents(services, [event]);
      else due.push(...(await relay(services, [event])));
    } catch (error) {
      const isQuarantined = await quarantineEvent(services, event, error);
      isBlocked ||= !isQuarantined && !isActivity(event);
    }
  }
  return due;
}
