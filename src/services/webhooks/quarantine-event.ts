import { eventRejected } from '../../telemetry/events.ts';
import { isConnectionError } from '../../models/db.ts';
import type { Services } from '../context.ts';
import { isActivity } from '../activity/store-activity.ts';
import { fanOutRejected } from './fan-out.ts';
import type { OutboxEvent } from '../durable/outbox.ts';

/** An event rejected for this long is considered poison. */
const maxWaitMs = 30_000;

/**
 * Records that the database rejected an event alone, and quarantines it if that happened before; returns whether it
 * did. If recording succeeds, the event is at fault and not the database.
 */
export async function quarantineEvent(services: Services, event: OutboxEvent, error: unknown): Promise<boolean> {
  const { log, clock } = services;
  const { source, documentId, userId: _user, refusedAt, ...stored } = event;
  const { eventId, type } = stored;
  if (isConnectionError(error)) throw error;
  const now = clock.now();
  const filter = { _id: documentId, 'pendingEvents.eventId': eventId };
  if (!refusedAt) await source.collection.updateOne(filter, { $set: { 'pendingEvents.$.refusedAt': now } });
  if (!refusedAt || now.getTime() - refusedAt.getTime() < maxWaitMs) return false;
  if (!isActivity(event))
    await fanOutRejected(services, event).catch((fault: unknown) =>
      log.warn({ err: fault, eventId }, 'rejected event could not be written to the delivery log'),
    );
  // Kept in `deadLetterEvents` on the same document, so that an operator can requeue it.
  const deadLetterEvents = { ...stored, refusedAt };
  await source.collection.updateOne(filter, { $pull: { pendingEvents: { eventId } }, $push: { deadLetterEvents } });
  log.error({ err: error, eventId, type }, 'event rejected by MongoDB; moved to deadLetterEvents');
  eventRejected.emit({});
  return true;
}
