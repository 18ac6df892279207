import { Schema } from 'mongoose';

/** An outbox event or an entry of the activity trail, written together with its change; the relay moves it on. */
export interface PendingEvent {
  eventId: string;
  type: string;
  at: Date;
  data: Record<string, unknown>;
}

export const pendingEvents = {
  type: [new Schema({ eventId: String, type: String, at: Date, data: Schema.Types.Mixed }, { _id: false })],
  default: undefined,
};

/** The type of an outbox item that is an entry of the activity trail, not an event. */
export const activityType = 'activity';

/**
 * Filter: the document has outbox events. The first part selects the partial index; without the range, DocumentDB scans the
 * collection instead.
 */
export const hasPendingEvents = {
  'pendingEvents.0': { $exists: true },
  'pendingEvents.0.at': { $gte: new Date(0) },
} as const;

/** Indexes the documents that have outbox events, and no others. */
export const outboxIndex = {
  fields: { 'pendingEvents.0.at': 1 },
  options: { partialFilterExpression: { 'pendingEvents.0': { $exists: true } } },
} as const;
