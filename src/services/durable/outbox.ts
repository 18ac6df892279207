import { newId } from '../../lib/id.ts';
import type { Db } from '../../models/db.ts';
import { hasPendingEvents, type PendingEvent } from '../../models/pending-event.ts';
import type { WorkSource } from './find-work.ts';

/** Creates an outbox event for the document write of its change. */
export const newOutboxEvent = (type: string, data: Record<string, unknown>, at: Date): PendingEvent => ({
  eventId: `evt_${newId()}`,
  type,
  at,
  data,
});

const batch = 100;

export interface OutboxDocument {
  _id: string;
  userId: string;
  pendingEvents?: PendingEvent[];
}

interface Found {
  sort: (order: object) => Found;
  limit: (count: number) => { lean: () => Promise<OutboxDocument[]> };
}

export interface OutboxCollection extends WorkSource {
  find: (filter: object, fields?: object) => Found;
  bulkWrite: (operations: object[], options?: object) => Promise<unknown>;
  /** Bypasses the schema. */
  collection: WorkSource['collection'] & { updateOne: (filter: object, update: object) => Promise<unknown> };
}

/** Documents of one collection, each with its outbox events of this batch. */
export interface OutboxBatch {
  source: OutboxCollection;
  found: OutboxDocument[];
}

/** One outbox event and where it is stored. */
export interface OutboxEvent extends PendingEvent {
  userId: string;
  source: OutboxCollection;
  documentId: string;
  /** Since when the database has rejected it. */
  refusedAt?: Date;
}

export const eventsOf = ({ source, found }: OutboxBatch): OutboxEvent[] =>
  found.flatMap(({ _id: documentId, userId, pendingEvents = [] }) =>
    pendingEvents.map((event) => ({ ...event, userId, source, documentId })),
  );

/** Collections that carry an outbox (`pendingEvents`). */
export const outboxCollections = (db: Db): OutboxCollection[] =>
  outboxModels.map((name) => db[name] as unknown as OutboxCollection);

const outboxModels = [
  'accounts',
  'adSets',
  'ads',
  'apiKeys',
  'campaignDiscoveries',
  'campaigns',
  'duplications',
  'profiles',
  'stops',
  'webhooks',
] as const;

/**
 * Reads the oldest outbox events across all collections; nothing omitted is older than anything returned. Strictly
 * ordered events must not be overtaken by those of another collection.
 */
export async function readOutbox(db: Db): Promise<{ shares: OutboxBatch[]; isAll: boolean }> {
  const shares = await Promise.all(
    outboxCollections(db).map(async (source): Promise<OutboxBatch> => {
      const query = source.find(hasPendingEvents, { userId: 1, pendingEvents: 1 });
      return { source, found: await query.sort({ 'pendingEvents.0.at': 1 }).limit(batch).lean() };
    }),
  );
  const ends = shares.flatMap(({ found }) =>
    found.length === batch ? (found.at(-1)?.pendingEvents?.[0]?.at ?? []) : [],
  );
  if (ends.length === 0) return { shares, isAll: true };
  // A full batch is cut at its end: later events of its collection have not been read.
  const horizon = Math.min(...ends.map((at) => at.getTime()));
  return { shares: shares.map((share) => truncateAt(share, horizon)), isAll: false };
}

const truncateAt = ({ source, found }: OutboxBatch, horizon: number): OutboxBatch => ({
  source,
  found: found.flatMap(({ pendingEvents = [], ...document }) => {
    const due = pendingEvents.filter(({ at }) => at.getTime() <= horizon);
    return due.length > 0 ? [{ ...document, pendingEvents: due }] : [];
  }),
});
