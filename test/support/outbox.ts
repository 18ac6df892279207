import { activityType, type PendingEvent } from '../../src/models/pending-event.ts';
import { requireDescribed } from './event-bodies.ts';

interface Document {
  pendingEvents?: PendingEvent[];
}

/** The events in the outbox of a document, without entries of the activity trail. */
export function eventsIn(document: Document | null | undefined): PendingEvent[] {
  const events = (document?.pendingEvents ?? []).filter(({ type }) => type !== activityType);
  for (const { type, data } of events) requireDescribed(type, data);
  return events;
}
