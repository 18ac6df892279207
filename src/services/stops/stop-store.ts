import { newOutboxEvent } from '../durable/outbox.ts';
import type { StopStepDoc } from '../../models/stop-step.ts';
import type { StopDoc } from '../../models/stop.ts';
import type { Services } from '../context.ts';
import type { WorkQuery } from '../durable/find-work.ts';
import { acquire, extend, heldBy, isDue, LeaseLostError, withRenewal, type RequireHeld } from '../durable/lease.ts';
import { toEventData, toStop } from './to-stop.ts';

/** Channel that wakes workers when a stop is due. If a message is lost, the stop starts about a second later. */
export const dueChannel = 'stop-due';
export const progressChannel = (stopId: string): string => `stop:${stopId}`;

/** A stop whose lease this process holds. */
export interface StopRun {
  doc: StopDoc;
}

const maxFailures = 100;

interface Failures {
  _id: string;
  failures: StopStepDoc[];
}

/** The campaigns of each stop that could not be paused, with the reason: one query for all stops. */
async function failuresIn({ db }: Pick<Services, 'db'>, stopIds: string[]): Promise<Map<string, StopStepDoc[]>> {
  if (stopIds.length === 0) return new Map();
  const failed = { state: { $in: ['failed', 'pending'] }, message: { $type: 'string' } };
  const found = await db.stops.aggregate<Failures>([
    { $match: { _id: { $in: stopIds } } },
    { $project: { _id: 1 } },
    {
      $lookup: {
        from: db.stopSteps.collection.name,
        localField: '_id',
        foreignField: 'stopId',
        as: 'failures',
        pipeline: [{ $match: failed }, { $limit: maxFailures }],
      },
    },
  ]);
  return new Map(found.map(({ _id, failures }) => [_id, failures]));
}

export const failuresOf = async (services: Pick<Services, 'db'>, stopId: string): Promise<StopStepDoc[]> =>
  (await failuresIn(services, [stopId])).get(stopId) ?? [];

export async function shownStops(services: Pick<Services, 'db'>, docs: StopDoc[]) {
  const failures = await failuresIn(
    services,
    docs.map(({ _id }) => _id),
  );
  return docs.map((doc) => toStop(doc, failures.get(doc._id) ?? []));
}

export const shownStop = async (services: Pick<Services, 'db'>, doc: StopDoc) =>
  toStop(doc, await failuresOf(services, doc._id));

const leaseMs = 30_000;

/** Claims a stop that is due; returns undefined if it is not due or another process claimed it first. */
export async function claimStop(services: Services, stopId: string): Promise<StopRun | undefined> {
  const now = services.clock.now();
  const filter = { _id: stopId, runAt: { $lte: now } };
  const doc = await acquire<StopDoc>(services.db.stops, { now, leaseMs, filter });
  return doc ? { doc } : undefined;
}

/** Renews the lease for as long as the work lasts. */
export function withStopLease<T>(
  services: Services,
  run: StopRun,
  work: (requireHeld: RequireHeld) => Promise<T>,
  signal?: AbortSignal,
): Promise<T> {
  const { db, clock } = services;
  const renew = (): Promise<boolean> => {
    const now = clock.now();
    return extend(db.stops, { now, leaseMs, held: heldStop(run), set: { updatedAt: now } });
  };
  return withRenewal({ leaseMs, renew, log: services.log, signal }, work);
}

/** Counts the steps by state, stores the counts and publishes the progress. */
export async function countSteps(services: Services, run: StopRun): Promise<void> {
  const groups = await services.db.stopSteps.aggregate<{ _id: StopStepDoc['state']; steps: number }>([
    { $match: { stopId: run.doc._id } },
    { $group: { _id: '$state', steps: { $sum: 1 } } },
  ]);
  const of = (state: StopStepDoc['state']): number => groups.find(({ _id }) => _id === state)?.steps ?? 0;
  const unreached = await services.db.stopSteps.countDocuments(
    { stopId: run.doc._id, state: 'pending', message: { $type: 'string' } },
    { limit: 100_000 },
  );
  const [paused, failed] = [of('paused'), of('failed')];
  const counts = { total: paused + failed + of('pending'), paused, failed: failed + unreached };
  run.doc = { ...run.doc, counts };
  await change(services, run, { counts });
  services.feed.publish(progressChannel(run.doc._id), await shownStop(services, run.doc));
}

/** Releases the lease until the next run. The first complete run stores `stop.completed` in the same write. */
export async function releaseStop(
  services: Services,
  run: StopRun,
  { runAt, attempts, isComplete = false }: { runAt: Date; attempts: number; isComplete?: boolean },
): Promise<void> {
  const now = services.clock.now();
  const isCompletion = isComplete && run.doc.status === 'running';
  const end = { status: 'completed' as const, completedAt: now };
  run.doc = { ...run.doc, ...(isCompletion && end) };
  const event =
    isCompletion &&
    newOutboxEvent('stop.completed', toEventData(run.doc, await failuresOf(services, run.doc._id)), now);
  await change(
    services,
    run,
    { ...(isCompletion && end), lease: null, runAt, attempts },
    event ? { $push: { pendingEvents: event } } : {},
  );
  if (!isCompletion) return;
  services.wakeRelay();
  services.feed.publish(progressChannel(run.doc._id), await shownStop(services, run.doc));
}

const heldStop = ({ doc: { _id, lease } }: StopRun): object => ({ _id, liftedAt: null, ...heldBy(lease) });

async function change({ db, clock }: Services, run: StopRun, fields: object, rest: object = {}): Promise<void> {
  const update = { $set: { ...fields, updatedAt: clock.now() }, ...rest };
  const { matchedCount } = await db.stops.updateOne(heldStop(run), update as object);
  if (matchedCount === 0) throw new LeaseLostError('The stop was lifted, or another process has acquired it');
}

export const stopWork = ({ db, clock }: Pick<Services, 'db' | 'clock'>): WorkQuery[] => [
  { source: db.stops, filter: isDue(clock.now()) },
];

/** Returns the stops that wait for a worker. */
export async function dueStops({ db, clock }: Services, limit = 100): Promise<Pick<StopDoc, '_id' | 'updatedAt'>[]> {
  return db.stops.find(isDue(clock.now()), { updatedAt: 1 }).sort({ runAt: 1 }).limit(limit).lean();
}
