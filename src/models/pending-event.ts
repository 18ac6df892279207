import { Schema } from 'mongoose';

/** An event written together with the change that it tells of; the relay carries it on. */
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

/** Finds the documents that have something to tell, and no others. */
export const announcing = {
  fields: { 'pendingEvents.0.at': 1 },
  options: { partialFilterExpression: { 'pendingEvents.0': { $exists: true } } },
} as const;
