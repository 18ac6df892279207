import { eventRefused } from '../../telemetry/events.ts';
import { isAway } from '../../models/db.ts';
import type { Services } from '../context.ts';
import { fanOutRefused } from './fan-out.ts';
import type { Announced } from './read-announced.ts';

/** An event rejected for this long is considered poison. */
const patienceMs = 30_000;

/**
 * Notes that the store refused an event by itself, and sets it aside when it did so before; answers whether it did. That a
 * note can be written tells a refused event from a store that takes nothing.
 */
export async function setEventAside(services: Services, event: Announced, error: unknown): Promise<boolean> {
  const { log, clock } = services;
  const { source, announcerId, userId: _user, refusedAt, ...announcement } = event;
  const { eventId, type } = announcement;
  if (isAway(error)) throw error;
  const now = clock.now();
  const told = { _id: announcerId, 'pendingEvents.eventId': eventId };
  if (!refusedAt) await source.collection.updateOne(told, { $set: { 'pendingEvents.$.refusedAt': now } });
  if (!refusedAt || now.getTime() - refusedAt.getTime() < patienceMs) return false;
  await fanOutRefused(services, event).catch((fault: unknown) =>
    log.warn({ err: fault, eventId }, 'rejected event could not be written to the delivery log'),
  );
  // Kept in `refusedEvents` on the same document, so that an operator can requeue it.
  const refusedEvents = { ...announcement, refusedAt };
  await source.collection.updateOne(told, { $pull: { pendingEvents: { eventId } }, $push: { refusedEvents } });
  log.error({ err: error, eventId, type }, 'event rejected by MongoDB; moved to refusedEvents');
  eventRefused.say({});
  return true;
}
