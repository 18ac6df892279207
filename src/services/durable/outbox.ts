import type { EventName } from '../../contract/event.ts';
import { grouped } from '../../lib/group-by.ts';
import { newId } from '../../lib/id.ts';
import type { Db } from '../../models/db.ts';
import { hasPendingEvents, type PendingEvent } from '../../models/pending-event.ts';
import { storedDates } from '../stored-dates.ts';
import type { WorkSource } from './find-work.ts';

/** Creates an outbox event for the document write of its change. */
export const newOutboxEvent = (type: EventName, data: Record<string, unknown>, at: Date): PendingEvent => ({
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

const oldestDocuments = (limit: number): object[] => [
  { $match: hasPendingEvents },
  { $sort: { 'pendingEvents.0.at': 1 } },
  { $limit: limit },
];

const oldestOf = (source: OutboxCollection, limit: number): object[] => [
  ...oldestDocuments(limit),
  { $project: { userId: 1, pendingEvents: 1, source: { $literal: nameOf(source) } } },
];

const timesOfOldest = [...oldestDocuments(batchSize), { $project: { userId: 1, 'pendingEvents.at': 1 } }];

/** A document with its events, or only their times if it names no source. */
type Row = OutboxDocument & { source?: string };

/** One command that reads collections one after the other, each at a later moment than the one before. */
async function readInTurn(reads: { source: OutboxCollection; stages: object[] }[]): Promise<Row[]> {
  const [first, ...others] = reads as [(typeof reads)[number], ...typeof reads];
  const unions = others.map(({ source, stages }) => ({ $unionWith: { coll: nameOf(source), pipeline: stages } }));
  const read = await first.source.aggregate([...first.stages, ...unions], { batchSize: reads.length * batchSize });
  return (read as Row[]).map(withTimes);
}

/** A damaged time counts as that of the oldest event of its document, which the filter has found to be a date. */
function withTimes(row: Row): Row {
  const { source, pendingEvents = [] } = row;
  if (pendingEvents.every(({ at }) => at instanceof Date)) return row;
  const oldest = pendingEvents[0]?.at as Date;
  const { date } = storedDates(source ?? 'outbox', oldest);
  const timeOf = (at: Date): Date => (source || at instanceof Date ? date(row, 'pendingEvents.at', at) : oldest);
  return { ...row, pendingEvents: pendingEvents.map((event) => ({ ...event, at: timeOf(event.at) })) };
}

const batchesOf = (sources: OutboxCollection[], rows: Row[]): OutboxBatch[] => {
  const bySource = grouped(rows, ({ source = '' }) => source);
  return sources.map((source) => ({ source, found: bySource.get(nameOf(source)) ?? [] }));
};

/** Reads the documents with the oldest outbox events, up to `limit` of each collection, with one command. */
export async function readOldestEvents(db: Db, limit: number): Promise<OutboxBatch[]> {
  const sources = outboxCollections(db);
  return batchesOf(sources, await readInTurn(sources.map((source) => ({ source, stages: oldestOf(source, limit) }))));
}

/**
 * Reads the oldest outbox events across all collections; nothing omitted is older than anything returned of the same
 * owner. Strictly ordered events must not be overtaken by those of another collection.
 *
 * The collections are not read at one moment: a change in one that has been read can be followed by a change in one that
 * has not. Therefore the times of the events are read first. An event that is no newer than one of them was written
 * before the events are read.
 */
export async function readOutbox(db: Db): Promise<{ batches: OutboxBatch[]; isAll: boolean }> {
  const sources = outboxCollections(db);
  const rows = await readInTurn([
    ...sources.map((source) => ({ source, stages: timesOfOldest })),
    ...sources.map((source) => ({ source, stages: oldestOf(source, batchSize) })),
  ]);
  const newest = new Map<string, number>();
  for (const { userId, pendingEvents = [] } of rows.filter(({ source }) => source === undefined))
    newest.set(userId, Math.max(newest.get(userId) ?? 0, ...pendingEvents.map(({ at }) => at.getTime())));
  const batches = batchesOf(sources, rows);
  const ends = batches.flatMap(({ found }) =>
    found.length === batchSize ? (found.at(-1)?.pendingEvents?.[0]?.at ?? []) : [],
  );
  // A full batch is cut at its end: later events of its collection have not been read.
  const end = Math.min(...ends.map((at) => at.getTime()));
  const due = batches.map((batch) => truncate(batch, (userId) => Math.min(end, newest.get(userId) ?? 0)));
  return { batches: due, isAll: ends.length === 0 && countOf(due) === countOf(batches) };
}

const countOf = (batches: OutboxBatch[]): number =>
  batches.flatMap(({ found }) => found.flatMap(({ pendingEvents = [] }) => pendingEvents)).length;

const truncate = ({ source, found }: OutboxBatch, horizonOf: (userId: string) => number): OutboxBatch => ({
  source,
  found: found.flatMap(({ pendingEvents = [], ...document }) => {
    const horizon = horizonOf(document.userId);
    const due = pendingEvents.filter(({ at }) => at.getTime() <= horizon);
    return due.length > 0 ? [{ ...document, pendingEvents: due }] : [];
  }),
});
