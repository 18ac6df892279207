import { AppError } from '../../contract/error.ts';
import { isDuplicate } from '../../models/db.ts';
import type { DuplicationDoc } from '../../models/duplication.ts';
import { duplicationEnded } from '../../telemetry/events.ts';
import { copyActivity } from '../activity/copy-activity.ts';
import { newOutboxEvent } from '../durable/outbox.ts';
import type { DuplicationTimes, Services } from '../context.ts';
import type { WorkQuery } from '../durable/find-work.ts';
import {
  acquire,
  extend,
  heldBy,
  isDue,
  LeaseLostError,
  newLease,
  withRenewal,
  type RequireHeld,
} from '../durable/lease.ts';
import { maxSteps } from '../activity/sent-steps.ts';
import { stepsOf } from './find-steps.ts';
import { toEventData, toProgress } from './to-duplication.ts';

const defaultTimes: DuplicationTimes = { leaseMs: 90_000, lateMs: 60_000 };
const maxWaitMs = 10_000;

/** Channel that wakes workers when a duplication is due. A lost message costs a second. */
export const dueChannel = 'duplication-due';
export const progressChannel = (duplicationId: string): string => `duplication:${duplicationId}`;

/** A duplication whose lease this process holds; `doc` equals the stored document. */
export interface DuplicationRun {
  doc: DuplicationDoc;
  /** No request of an earlier run was sent after this time. */
  quietSince: Date;
  /** When the last write under the lease began, by `performance.now()`. */
  confirmedAt?: number;
}

export const timesOf = ({ duplicationTimes = defaultTimes }: Services): DuplicationTimes => duplicationTimes;

/** Renews the lease for as long as the work lasts. */
export function withDuplicationLease<T>(
  services: Services,
  run: DuplicationRun,
  work: (requireHeld: RequireHeld) => Promise<T>,
  signal?: AbortSignal,
): Promise<T> {
  const { leaseMs } = timesOf(services);
  const renew = (): Promise<boolean> => extendHeld(services, run, { copied: run.doc.copied });
  return withRenewal({ leaseMs, renew, log: services.log, signal }, work);
}

const heldRun = ({ doc: { _id, lease } }: DuplicationRun) => ({ _id, ...heldBy(lease), status: 'running' });

/** Extends the lease, stores the fields and publishes the progress; false if another process has acquired the lease. */
export async function extendHeld(services: Services, run: DuplicationRun, fields: object): Promise<boolean> {
  const [now, began] = [services.clock.now(), performance.now()];
  const { leaseMs } = timesOf(services);
  const set = { ...fields, updatedAt: now };
  if (!(await extend(services.db.duplications, { now, leaseMs, held: heldRun(run), set }))) return false;
  run.doc = { ...run.doc, updatedAt: now };
  run.confirmedAt = began;
  publishProgress(services, run.doc);
  return true;
}

// A write leaves right after the lease was extended for it.
const runOf = (doc: DuplicationDoc): DuplicationRun => ({ doc, quietSince: doc.updatedAt });

const publishProgress = ({ feed }: Services, doc: DuplicationDoc): void =>
  feed.publishIfWatched(progressChannel(doc._id), toProgress(doc));

/** Stores the intent. Waits briefly while an indistinguishable copy is being created. */
export async function insertDuplication(
  services: Services,
  fresh: Omit<DuplicationDoc, 'fencingToken' | 'lease' | 'runAt'>,
): Promise<DuplicationRun> {
  return whenAlone(async () => {
    const now = services.clock.now();
    const doc: DuplicationDoc = {
      ...fresh,
      fencingToken: 1,
      lease: newLease(now, timesOf(services).leaseMs),
      runAt: now,
    };
    await services.db.duplications.insertOne(doc);
    return runOf(doc);
  });
}

/** Claims a failed duplication to resume it; returns undefined if another process claimed it first. */
export async function reopenDuplication(
  services: Services,
  seen: DuplicationDoc,
  conflictKey: string,
): Promise<DuplicationRun | undefined> {
  const open = { status: 'running' as const, error: null, finishedAt: null, attempts: 0 };
  return whenAlone(() =>
    claim(
      services,
      { _id: seen._id, status: 'failed', fencingToken: seen.fencingToken },
      { ...open, ...(seen.copiedCampaignId === null && { conflictKey }) },
    ),
  );
}

/** Claims a duplication that is due; returns undefined if it is not due or another process claimed it first. */
export const claimDuplication = (services: Services, duplicationId: string): Promise<DuplicationRun | undefined> =>
  claim(services, { _id: duplicationId, status: 'running', runAt: { $lte: services.clock.now() } });

type Copies = Partial<Pick<DuplicationDoc, 'accountId' | 'copiedCampaignId'>> & { $or?: object[] };

/**
 * Records whether a running copy is activated at the end. The current run may have decided already, so its lease is
 * revoked.
 */
export async function holdCopies(
  services: Services,
  { campaign, isOnHold }: { campaign: Copies; isOnHold: boolean },
): Promise<void> {
  const held = { 'tree.campaign.isOnHold': isOnHold };
  await services.db.duplications.updateMany({ ...campaign, status: 'failed' }, { $set: held });
  await revokeRuns(services, campaign, held);
}

/** Makes running copies from or to a removed campaign begin a run that ends them. */
export const endCopies = (
  services: Services,
  { accountId, campaignId }: { accountId: string; campaignId: string },
): Promise<void> =>
  revokeRuns(services, {
    $or: [
      { accountId, sourceCampaignId: campaignId },
      { accountId, copiedCampaignId: campaignId },
    ],
  });

/** No process knows the token of the new lease, and the next run begins once no request of this one can be in flight. */
async function revokeRuns(services: Services, copies: Copies, set: object = {}): Promise<void> {
  const now = services.clock.now();
  const lease = newLease(now, timesOf(services).leaseMs);
  const revoked = { $inc: { fencingToken: 1 }, $set: { ...set, lease, runAt: now } };
  await services.db.duplications.updateMany({ ...copies, status: 'running' }, revoked);
}

async function claim(
  services: Services,
  filter: object,
  set: Partial<DuplicationDoc> = {},
): Promise<DuplicationRun | undefined> {
  const now = services.clock.now();
  const { leaseMs } = timesOf(services);
  const update = { $inc: { fencingToken: 1 } };
  const doc = await acquire(services.db.duplications, { now, leaseMs, filter, set: { ...set, runAt: now }, update });
  return doc ? runOf(doc) : undefined;
}

async function whenAlone<T>(store: () => Promise<T>): Promise<T> {
  const deadline = Date.now() + maxWaitMs;
  for (;;) {
    try {
      return await store();
    } catch (error) {
      if (!isDuplicate(error, 'conflictKey')) throw error;
      if (Date.now() < deadline) await new Promise((resolve) => setTimeout(resolve, 100));
      else throw beside(error);
    }
  }
}

const beside = (cause: unknown): AppError =>
  new AppError(
    'temporarily_unavailable',
    'Another copy of this campaign is in progress; retry in a moment',
    { retryAfterSeconds: 5 },
    { cause },
  );

/** Writes to a duplication whose lease this process holds, and publishes its progress. */
export async function change(
  services: Services,
  run: DuplicationRun,
  fields: Partial<DuplicationDoc>,
  rest: object = {},
): Promise<void> {
  const updatedAt = services.clock.now();
  const update = { $set: { ...fields, updatedAt }, ...rest };
  const { matchedCount } = await services.db.duplications.updateOne(heldRun(run) as object, update);
  if (matchedCount === 0) throw new LeaseLostError('Another process has acquired this duplication');
  // More may have been copied since the write began, so the present count stays.
  const { copied: _copied, ...written } = fields;
  run.doc = { ...run.doc, ...written, updatedAt };
  publishProgress(services, run.doc);
}

/** Releases the lease; a worker resumes at the given time. */
export async function release(
  services: Services,
  run: DuplicationRun,
  fields: Pick<DuplicationDoc, 'runAt'> & Partial<DuplicationDoc>,
): Promise<void> {
  await change(services, run, { ...fields, lease: null });
  services.feed.publish(dueChannel, run.doc._id);
}

/** Stores the end and its outbox event in one write. */
export async function finish(
  services: Services,
  run: DuplicationRun,
  fields: Partial<DuplicationDoc> & { status: 'completed' | 'failed' },
): Promise<void> {
  const finishedAt = services.clock.now();
  const end = { ...fields, finishedAt, lease: null };
  const type = fields.status === 'completed' ? 'campaign.duplicated' : 'campaign.duplication_failed';
  const event = newOutboxEvent(type, toEventData({ ...run.doc, ...end }), finishedAt);
  const steps = (await stepsOf(services, run.doc)).slice(0, maxSteps);
  const entry = copyActivity({ ...run.doc, ...end }, type, { at: finishedAt, steps });
  await change(services, run, end, {
    $unset: { runAt: 1, conflictKey: 1 },
    $push: { pendingEvents: { $each: [event, entry] } },
  });
  duplicationEnded.emit({ status: fields.status });
  services.wakeRelay();
}

const dueFilter = (now: Date) => ({ ...isDue(now), status: 'running' as const });

export const duplicationWork = ({ db, clock }: Pick<Services, 'db' | 'clock'>): WorkQuery[] => [
  { source: db.duplications, filter: dueFilter(clock.now()) },
];

/** Returns the duplications that wait for a worker. */
export async function dueDuplications(
  { db, clock }: Services,
  limit = 100,
): Promise<Pick<DuplicationDoc, '_id' | 'fencingToken'>[]> {
  return db.duplications
    .find(dueFilter(clock.now()), { _id: 1, fencingToken: 1 })
    .sort({ runAt: 1 })
    .limit(limit)
    .lean();
}
