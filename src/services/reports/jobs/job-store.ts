import type { AdFigureJobDoc } from '../../../models/ad-figures.ts';
import { figureJobEnded } from '../../../telemetry/events.ts';
import type { Services } from '../../context.ts';
import type { WorkQuery } from '../../durable/find-work.ts';
import { acquire, dueBy, extend, heldBy, isDue, LeaseLostError, withRenewal } from '../../durable/lease.ts';

const leaseMs = 60_000;

/** A job that this process holds; `doc` equals the stored document. */
export interface JobRun {
  doc: AdFigureJobDoc;
}

export const figureJobWork = ({ db, clock }: Pick<Services, 'db' | 'clock'>): WorkQuery[] => [
  { source: db.adFigureJobs, filter: isDue(clock.now()) },
];

/** The jobs that are due and that no process holds. */
export const dueJobs = ({ db, clock }: Services, limit = 100): Promise<Pick<AdFigureJobDoc, '_id'>[]> =>
  db.adFigureJobs.find(isDue(clock.now()), { _id: 1 }).limit(limit).lean();

export async function claimJob({ db, clock }: Services, _id: string): Promise<JobRun | undefined> {
  const now = clock.now();
  const filter = { _id, state: 'running', runAt: dueBy(now) };
  const doc = await acquire(db.adFigureJobs, { now, leaseMs, filter });
  return doc ? { doc } : undefined;
}

/** Renews the lease for as long as the work lasts. */
export const whileHeld = <T>(
  services: Services,
  run: JobRun,
  signal: AbortSignal | undefined,
  work: () => Promise<T>,
): Promise<T> => {
  const { db, clock } = services;
  const held = { _id: run.doc._id, ...heldBy(run.doc.lease) };
  const renew = (): Promise<boolean> => extend(db.adFigureJobs, { now: clock.now(), leaseMs, held });
  return withRenewal({ leaseMs, renew, log: services.log, signal }, work);
};

/** Stores a change of the job; throws if another process holds it. */
export async function saveJob({ db }: Services, run: JobRun, fields: Partial<AdFigureJobDoc>): Promise<void> {
  const { _id, lease } = run.doc;
  const doc = await db.adFigureJobs
    .findOneAndUpdate({ _id, ...heldBy(lease) }, { $set: fields }, { returnDocument: 'after' })
    .lean();
  if (!doc) throw new LeaseLostError('Another process has acquired this job');
  run.doc = { ...doc, lease };
}

/** Lets any process go on at a time. */
export async function pauseJob(
  services: Services,
  run: JobRun,
  runAt: Date,
  fields: Partial<AdFigureJobDoc> = {},
): Promise<Date> {
  await saveJob(services, run, { ...fields, runAt, lease: null });
  return runAt;
}

export async function endJob(
  { db }: Services,
  { doc: { _id, lease } }: JobRun,
  fields: Pick<AdFigureJobDoc, 'state'> & Partial<AdFigureJobDoc>,
): Promise<void> {
  await db.adFigureJobs.updateOne(
    { _id, ...heldBy(lease) },
    { $set: { ...fields, step: null, lease: null }, $unset: { runAt: 1 } },
  );
  if (fields.state !== 'running') figureJobEnded.emit({ state: fields.state });
}
