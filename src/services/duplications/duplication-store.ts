import { AppError } from '../../contract/error.ts';
import { isDuplicate } from '../../models/db.ts';
import type { DuplicationDoc } from '../../models/duplication.ts';
import { pendingEvent } from '../announce.ts';
import type { DuplicationTimes, Services } from '../context.ts';
import { told, toProgress } from './to-duplication.ts';

const usualTimes: DuplicationTimes = { leaseMs: 90_000, lateMs: 60_000 };
/** Renewals that may fail before a run is taken for dead. */
const renewals = 4;
const mostPatienceMs = 10_000;

/** Where workers hear that a duplication is due. Losing a message costs a second. */
export const dueChannel = 'duplication-due';
export const progressChannel = (duplicationId: string): string => `duplication:${duplicationId}`;

/** Thrown where somebody else has taken the run over. */
export class RunLost extends Error {
  override readonly name = 'RunLost';
}

/** A duplication that this process holds; `doc` is kept as it is stored. */
export interface DuplicationRun {
  doc: DuplicationDoc;
  /** No request of an earlier run was sent after this time. */
  quietSince: Date;
  /** Holds it for another lease; throws where somebody else holds it by now. */
  requireHeld: () => Promise<void>;
  stop: () => void;
}

export const timesOf = ({ duplicationTimes = usualTimes }: Services): DuplicationTimes => duplicationTimes;
const leaseFrom = (services: Services): Date => new Date(services.clock.now().getTime() + timesOf(services).leaseMs);

/** Process is shutting down; another worker resumes immediately. */
export class RunStopped extends Error {
  override readonly name = 'RunStopped';
}

/** Holds a duplication for as long as its run takes, also while a platform is slow. */
function hold(services: Services, doc: DuplicationDoc, signal?: AbortSignal): DuplicationRun {
  const run: DuplicationRun = {
    doc,
    // A write leaves right after the lease was renewed for it.
    quietSince: doc.updatedAt,
    async requireHeld() {
      if (signal?.aborted) throw new RunStopped('This process is about to end');
      await change(services, run, { dueAt: leaseFrom(services), copied: run.doc.copied });
    },
    stop: () => clearInterval(timer),
  };
  const timer = setInterval(() => void run.requireHeld().catch(() => undefined), timesOf(services).leaseMs / renewals);
  return run;
}

/** Stores the intent. While another copy is being made that could not be told from this one, it waits a little. */
export async function insertDuplication(
  services: Services,
  fresh: Omit<DuplicationDoc, 'run' | 'dueAt'>,
): Promise<DuplicationRun> {
  return whenAlone(async () => {
    const doc: DuplicationDoc = { ...fresh, run: 1, dueAt: leaseFrom(services) };
    await services.db.duplications.insertOne(doc);
    return hold(services, doc);
  });
}

/** A failed one goes on where it ended; undefined when somebody else was quicker. */
export async function reopenDuplication(
  services: Services,
  seen: DuplicationDoc,
  conflictKey: string,
): Promise<DuplicationRun | undefined> {
  const open = { status: 'running' as const, error: null, finishedAt: null, tries: 0 };
  return whenAlone(() =>
    claim(
      services,
      { _id: seen._id, status: 'failed', run: seen.run },
      { ...open, ...(seen.copiedCampaignId === null && { conflictKey }) },
    ),
  );
}

/** Takes over a duplication that is due; undefined when it is not, or somebody else was quicker. */
export const claimDuplication = (
  services: Services,
  duplicationId: string,
  signal?: AbortSignal,
): Promise<DuplicationRun | undefined> =>
  claim(services, { _id: duplicationId, status: 'running', dueAt: { $lte: services.clock.now() } }, { signal });

/**
 * Records whether a running copy is activated at the end. The current run may have decided already, so its lease is revoked
 * for dead, and the next one begins when nothing of it can be on its way any more.
 */
export async function holdCopies(
  services: Services,
  {
    campaign,
    isHeld,
  }: { campaign: Pick<DuplicationDoc, 'userId' | 'accountId' | 'copiedCampaignId'>; isHeld: boolean },
): Promise<void> {
  const { duplications } = services.db;
  const held = { 'tree.campaign.isHeld': isHeld };
  await duplications.updateMany({ ...campaign, status: 'failed' }, { $set: held });
  const end = { $inc: { run: 1 }, $set: { ...held, dueAt: leaseFrom(services) } };
  await duplications.updateMany({ ...campaign, status: 'running' }, end);
}

async function claim(
  services: Services,
  filter: object,
  { signal, ...change }: Partial<DuplicationDoc> & { signal?: AbortSignal },
): Promise<DuplicationRun | undefined> {
  const doc = await services.db.duplications
    .findOneAndUpdate(
      filter,
      { $inc: { run: 1 }, $set: { ...change, dueAt: leaseFrom(services) } },
      { returnDocument: 'after' },
    )
    .lean();
  return doc ? hold(services, doc, signal) : undefined;
}

async function whenAlone<T>(store: () => Promise<T>): Promise<T> {
  const deadline = Date.now() + mostPatienceMs;
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

/** Writes to a held duplication, and tells those who watch it. */
export async function change(
  services: Services,
  run: DuplicationRun,
  fields: Partial<DuplicationDoc>,
  rest: object = {},
): Promise<void> {
  const { _id, run: number } = run.doc;
  const updatedAt = services.clock.now();
  const { matchedCount } = await services.db.duplications.updateOne(
    { _id, run: number, status: 'running' },
    { $set: { ...fields, updatedAt }, ...rest },
  );
  if (matchedCount === 0) throw new RunLost('Another process has taken this duplication over');
  // More may have been copied since the write was begun; whoever counts keeps the count.
  const { copied: _copied, ...written } = fields;
  run.doc = { ...run.doc, ...written, updatedAt };
  services.feed.publish(progressChannel(_id), toProgress(run.doc));
}

/** Lets a worker go on at the given time. */
export async function release(
  services: Services,
  run: DuplicationRun,
  fields: Pick<DuplicationDoc, 'dueAt'> & Partial<DuplicationDoc>,
): Promise<void> {
  await change(services, run, fields);
  services.feed.publish(dueChannel, run.doc._id);
}

/** The end and the event that tells of it are one write. */
export async function finish(
  services: Services,
  run: DuplicationRun,
  fields: Pick<DuplicationDoc, 'status'> & Partial<DuplicationDoc>,
): Promise<void> {
  const finishedAt = services.clock.now();
  const end = { ...fields, finishedAt };
  const type = fields.status === 'completed' ? 'campaign.duplicated' : 'campaign.duplication_failed';
  const event = pendingEvent(type, told({ ...run.doc, ...end }), finishedAt);
  await change(services, run, end, { $unset: { dueAt: 1, conflictKey: 1 }, $push: { pendingEvents: event } });
  services.wakeRelay();
}

/** The duplications that wait for a worker. */
export async function dueDuplications(
  { db, clock }: Services,
  limit = 100,
): Promise<Pick<DuplicationDoc, '_id' | 'run'>[]> {
  return db.duplications
    .find({ dueAt: { $lte: clock.now() }, status: 'running' }, { _id: 1, run: 1 })
    .sort({ dueAt: 1 })
    .limit(limit)
    .lean();
}
