import { activityType, type PendingEvent } from '../../src/models/pending-event.ts';

interface Document {
  pendingEvents?: PendingEvent[];
}

/** The events in the outbox of a document, without entries of the activity trail. */
export const eventsIn = (document: Document | null | undefined): PendingEvent[] =>
  (document?.pendingEvents ?? []).filter(({ type }) => type !== activityType);
