import { grouped } from '../../lib/group-by.ts';
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

const batchSize = 100;

export interface OutboxDocument {
  _id: string;
  userId: string;
  pendingEvents?: PendingEvent[];
}

export interface OutboxCollection extends WorkSource {
  aggregate(stages: object[], options?: { batchSize: number }): PromiseLike<unknown[]>;
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

const nameOf = ({ collection }: OutboxCollection): string => collection.collectionName;

const oldestOf = (source: OutboxCollection, limit: number): object[] => [
  { $match: hasPendingEvents },
  { $sort: { 'pendingEvents.0.at': 1 } },
  { $limit: limit },
  { $project: { userId: 1, pendingEvents: 1, source: { $literal: nameOf(source) } } },
];

/** Reads the documents with the oldest outbox events, up to `limit` of each collection, with one command. */
export async function readOldestEvents(db: Db, limit: number): Promise<OutboxBatch[]> {
  const sources = outboxCollections(db);
  const [first, ...others] = sources as [OutboxCollection, ...OutboxCollection[]];
  const unions = others.map((source) => ({ $unionWith: { coll: nameOf(source), pipeline: oldestOf(source, limit) } }));
  const read = await first.aggregate([...oldestOf(first, limit), ...unions], { batchSize: sources.length * limit });
  const bySource = grouped(read as (OutboxDocument & { source: string })[], ({ source }) => source);
  return sources.map((source) => ({ source, found: bySource.get(nameOf(source)) ?? [] }));
}

/**
 * Reads the oldest outbox events across all collections; nothing omitted is older than anything returned. Strictly
 * ordered events must not be overtaken by those of another collection.
 */
export async function readOutbox(db: Db): Promise<{ batches: OutboxBatch[]; isAll: boolean }> {
  const batches = await readOldestEvents(db, batchSize);
  const ends = batches.flatMap(({ found }) =>
    found.length === batchSize ? (found.at(-1)?.pendingEvents?.[0]?.at ?? []) : [],
  );
  if (ends.length === 0) return { batches, isAll: true };
  // A full batch is cut at its end: later events of its collection have not been read.
  const horizon = Math.min(...ends.map((at) => at.getTime()));
  return { batches: batches.map((batch) => truncateAt(batch, horizon)), isAll: false };
}

const truncateAt = ({ source, found }: OutboxBatch, horizon: number): OutboxBatch => ({
  source,
  found: found.flatMap(({ pendingEvents = [], ...document }) => {
    const due = pendingEvents.filter(({ at }) => at.getTime() <= horizon);
    return due.length > 0 ? [{ ...document, pendingEvents: due }] : [];
  }),
});
