import { eventRefused } from '../../lib/signals.ts';
import { isAway } from '../../models/db.ts';
import type { Services } from '../context.ts';
import { fanOutRefused } from './fan-out.ts';
import type { Announced } from './read-announced.ts';

/** Refused for so long, an event will be refused for ever. */
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
    log.warn({ err: fault, eventId }, 'an event that the store refuses is in no log of deliveries'),
  );
  // It stays beside what it tells of: whoever finds out why may put it back.
  const refusedEvents = { ...announcement, refusedAt };
  await source.collection.updateOne(told, { $pull: { pendingEvents: { eventId } }, $push: { refusedEvents } });
  log.error({ err: error, eventId, type }, 'the store refuses an event; it is kept as one of refusedEvents');
  eventRefused.say({});
  return true;
}
