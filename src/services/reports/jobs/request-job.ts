import { AppError } from '../../../contract/error.ts';
import { isDuplicate } from '../../../models/db.ts';
import type { AdFigureJobDoc } from '../../../models/ad-figures.ts';
import type { ReportQuery } from '../../../platforms/platform.ts';
import type { Ctx, Services } from '../../context.ts';
import { storedDates } from '../../stored-dates.ts';
import type { DayRange } from '../../../lib/calendar-days.ts';
import { writeAll } from '../../../models/driver.ts';
import { levelId, type FigureTarget } from '../figure-target.ts';
import type { Problem } from '../live-turn.ts';

/** Channel that wakes workers when a job is requested. If a message is lost, the job starts a few seconds later. */
export const requestedChannel = 'figures-requested';

const { date } = storedDates('ad_figure_jobs');
const keptMs = 7 * 86_400_000;
const retryAfterSeconds = 15;

export interface Requested extends DayRange {
  maxAgeSeconds?: number;
  /** Absent for the daily figures of a level. */
  result?: { id: string; query: ReportQuery };
}

/** Has days of a level, or one result, read by a worker. A job that runs already is extended. */
export async function requestJob(
  services: Services,
  target: FigureTarget,
  { userId, fromDate, toDate, maxAgeSeconds, result }: Requested & { userId: string },
): Promise<AdFigureJobDoc> {
  const { adFigureJobs } = services.db;
  const now = services.clock.now();
  const _id = result?.id ?? levelId(target);
  const extended = { $min: { fromDate, ...(maxAgeSeconds !== undefined && { maxAgeSeconds }) }, $max: { toDate } };
  const options = { returnDocument: 'after' } as const;
  const running = await adFigureJobs.findOneAndUpdate({ _id, state: 'running' }, extended, options).lean();
  if (running) return running;
  const ended = await adFigureJobs.findOne({ _id }).lean();
  if (ended?.state === 'failed' && ended.error && ended.error.retryAt > now) return ended;
  const job = newJob(target, { userId, fromDate, toDate, maxAgeSeconds, result }, now);
  const requested = await adFigureJobs
    .findOneAndUpdate({ _id, state: { $ne: 'running' } }, { $set: job }, { ...options, upsert: true })
    .lean()
    .catch(async (error: unknown) => {
      // Another process requested it at the same time.
      if (!isDuplicate(error)) throw error;
      return adFigureJobs.findOneAndUpdate({ _id, state: 'running' }, extended, options).lean();
    });
  services.feed.publish(requestedChannel, _id);
  return requested ?? { ...job, _id };
}

export interface JobRequest {
  target: FigureTarget;
  userId: string;
  range: DayRange;
}

/**
 * Has days of several levels read by workers. A job that runs already is extended, and one that failed waits until it is tried
 * again.
 */
export async function requestJobs(
  { db, clock }: Pick<Services, 'db' | 'clock'>,
  requests: JobRequest[],
): Promise<void> {
  const now = clock.now();
  if (requests.length === 0) return;
  const extensions = requests.map(({ target, range }) => {
    const update = { $min: { fromDate: range.fromDate }, $max: { toDate: range.toDate } };
    return { updateOne: { filter: { _id: levelId(target), state: 'running' }, update } };
  });
  const starts = requests.map(({ target, userId, range }) => {
    const mayRun = { state: { $ne: 'running' }, 'error.retryAt': { $not: { $gt: now } } };
    const update = { $set: newJob(target, { userId, ...range }, now) };
    return { updateOne: { filter: { _id: levelId(target), ...mayRun }, update, upsert: true } };
  });
  await writeAll(db.adFigureJobs, [...extensions, ...starts]).catch((error: unknown) => {
    // Where the filter of a start finds nothing, its document exists: the job waits, or another process has begun it since.
    if (!isDuplicate(error)) throw error;
    return writeAll(db.adFigureJobs, extensions);
  });
}

function newJob(
  { accountId, platform, adAccount, timeZone, level }: FigureTarget,
  { userId, fromDate, toDate, maxAgeSeconds, result }: Requested & { userId: string },
  now: Date,
): Omit<AdFigureJobDoc, '_id'> {
  return {
    userId,
    accountId,
    platform,
    adAccountId: adAccount.id,
    timeZone,
    level,
    fromDate,
    toDate,
    ...(result && { query: JSON.stringify(result.query) }),
    ...(maxAgeSeconds !== undefined && { maxAgeSeconds }),
    state: 'running',
    requestedAt: now,
    step: null,
    progress: { done: 0, total: 0 },
    attempts: 0,
    error: null,
    lease: null,
    runAt: now,
    expireAt: new Date(now.getTime() + keptMs),
  };
}

/** Requests a job for a caller, who asks again later. */
export async function readInBackground(ctx: Ctx, target: FigureTarget, requested: Requested): Promise<Problem> {
  const job = await requestJob(ctx, target, { ...requested, userId: ctx.caller.userId });
  const { state, error, progress } = job;
  if (!error) return { reason: 'loading', retryAfterSeconds, progress };
  const retryAt = date(job, 'error.retryAt', error.retryAt);
  const seconds = Math.max(1, Math.ceil((retryAt.getTime() - ctx.clock.now().getTime()) / 1000));
  const { code, message, reason } = error;
  return {
    reason,
    retryAfterSeconds: seconds,
    progress,
    ...((state === 'failed' || reason === 'rate_limited') && {
      error: new AppError(code, message, { platform: target.platform, retryAfterSeconds: seconds }),
    }),
  };
}
