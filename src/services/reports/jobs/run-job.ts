import { AppError } from '../../../contract/error.ts';
import type { FigureJobError } from '../../../models/ad-figures.ts';
import { isConnectionError } from '../../../models/db.ts';
import { PlatformError } from '../../../platforms/error.ts';
import type { ReportQuery } from '../../../platforms/platform.ts';
import type { Services } from '../../context.ts';
import { LeaseLostError, ShutdownError } from '../../durable/lease.ts';
import { deferSeconds, isDeferred } from '../../encryption/deferring-encrypter.ts';
import { appErrorFromPlatform } from '../../platform-error.ts';
import { figureSource, pagesOf, queryOfDays, readDays, type FigureSource } from '../read-live.ts';
import { readResult } from '../read-results.ts';
import { withSource } from '../source-lease.ts';
import { claimJob, endJob, pauseJob, saveJob, whileHeld, type JobRun } from './job-store.ts';
import { fromReport, type Part, type Prepared } from './prepared-report.ts';
import type { VersionedTarget } from '../coverage.ts';
import { nextDays, todayOf } from './next-days.ts';

const maxAttempts = 3;
const busySeconds = 2;
const defaultLimitSeconds = 60;
const firstRetrySeconds = 10;
/** A caller cannot request a failed job again before. */
const failedSeconds = 300;
const maxTurnMs = 10_000;
/** Background reads leave the rest of a quota to callers. */
const maxUsedPercent = 75;

/** Runs a job until it ends or waits; returns when to go on. */
export async function runFigureJob(services: Services, jobId: string, signal?: AbortSignal): Promise<Date | undefined> {
  const run = await claimJob(services, jobId);
  if (!run) return undefined;
  try {
    return await whileHeld(services, run, signal, () => readAll(services, run, signal));
  } catch (error) {
    return await stopped(services, run, error);
  }
}

async function readAll(services: Services, run: JobRun, signal?: AbortSignal): Promise<Date | undefined> {
  for (;;) {
    if (signal?.aborted) throw new ShutdownError('This process is shutting down');
    const source = await figureSource(services, run.doc);
    const target = targetOf(run, source);
    const part = await nextPart(services, run, target);
    if (!part) {
      await endJob(services, run, { state: 'completed', error: null });
      return undefined;
    }
    const waitSeconds = (await pauseFor(source, target)) ?? (await readPart(services, run, { source, target, part }));
    if (waitSeconds !== undefined) return pauseJob(services, run, after(services, waitSeconds));
  }
}

const after = ({ clock }: Services, seconds: number): Date => new Date(clock.now().getTime() + seconds * 1000);

function targetOf({ doc }: JobRun, { account, reports }: FigureSource): VersionedTarget {
  const adAccount = account.adAccounts.find(({ id }) => id === doc.adAccountId);
  const { accountId, platform, level, timeZone } = doc;
  if (adAccount) return { accountId, platform, adAccount, level, timeZone, version: reports.version };
  const message = `Ad account ${doc.adAccountId} is no longer accessible through this connection`;
  throw new AppError('linked_account_required', message, { param: 'adAccountId', platform });
}

/** What is read next: a result as a whole, days month by month from the newest. */
async function nextPart(services: Services, run: JobRun, target: VersionedTarget): Promise<Part | undefined> {
  const { query, progress } = run.doc;
  if (query !== undefined) {
    if (progress.done > 0) return undefined;
    return { query: { ...(JSON.parse(query) as ReportQuery), adAccount: target.adAccount }, days: 1 };
  }
  const next = await nextDays(services, run.doc, target);
  const total = Math.max(progress.total, progress.done + next.left);
  const done = total - next.left;
  if (done !== progress.done || total !== progress.total) await saveJob(services, run, { progress: { done, total } });
  return next.range && { query: queryOfDays(target, next.range), days: next.left };
}

async function pauseFor({ reports }: FigureSource, { adAccount }: VersionedTarget): Promise<number | undefined> {
  const usage = await reports.usage?.(adAccount);
  if (!usage || usage.percent < maxUsedPercent) return undefined;
  return Math.max(1, Math.min(Math.ceil(usage.seconds), failedSeconds));
}

/** Reads one part; returns how many seconds to wait before it can go on. */
async function readPart(
  services: Services,
  run: JobRun,
  { source, target, part }: { source: FigureSource; target: VersionedTarget; part: Part },
): Promise<number | undefined> {
  const { reports } = source;
  const today = todayOf(services, target);
  let prepared: Prepared | undefined;
  if (reports.needsJob(part.query, today)) {
    const state = await fromReport(services, run, { source, part });
    if ('waitSeconds' in state) return state.waitSeconds;
    prepared = state;
  }
  const at = prepared?.startedAt ?? services.clock.now();
  const pages = prepared?.pages ?? pagesOf(source, part.query);
  const isRead = await withSource(services, target, {
    waitMs: maxTurnMs,
    run: async (nextRead) => {
      const { query } = part;
      if (run.doc.query !== undefined)
        await readResult(
          services,
          { query, today, platform: target.platform },
          { id: run.doc._id, at, reading: { source, pages } },
        );
      else await readDays(services, target, { range: query, at, reading: { source, pages, nextRead } });
      return true;
    },
  });
  if (!isRead) return busySeconds;
  await saveJob(services, run, {
    step: null,
    attempts: 0,
    error: null,
    ...(run.doc.query !== undefined && { progress: { done: 1, total: 1 } }),
  });
  return undefined;
}

/** Decides after an error when and whether the job goes on. */
async function stopped(services: Services, run: JobRun, error: unknown): Promise<Date | undefined> {
  if (isConnectionError(error)) throw error;
  try {
    if (error instanceof LeaseLostError || error instanceof ShutdownError)
      return await pauseJob(services, run, after(services, error instanceof LeaseLostError ? 1 : 0));
    if (isDeferred(error)) return await pauseJob(services, run, after(services, deferSeconds));
    if (error instanceof PlatformError && error.fault === 'rate_limited') {
      const retryAt = after(services, error.upstream.retryAfterSeconds ?? defaultLimitSeconds);
      return await pauseJob(services, run, retryAt, { error: errorOf(error, 'rate_limited', retryAt) });
    }
    const attempts = run.doc.attempts + 1;
    services.log.warn({ jobId: run.doc._id, attempts, err: error }, 'a read of figures failed');
    if (attempts < maxAttempts && !isLasting(error))
      return await pauseJob(services, run, after(services, firstRetrySeconds * 2 ** run.doc.attempts), { attempts });
    await endJob(services, run, {
      state: 'failed',
      attempts,
      error: errorOf(error, 'failed', after(services, failedSeconds)),
    });
  } catch (lost) {
    if (!(lost instanceof LeaseLostError)) throw lost;
  }
  return undefined;
}

/** Trying again without a person changes nothing. */
const isLasting = (error: unknown): boolean =>
  error instanceof AppError ||
  (error instanceof PlatformError &&
    (error.fault === 'auth_expired' || error.fault === 'unsupported' || error.upstream.missingScopes !== undefined));

function errorOf(error: unknown, reason: FigureJobError['reason'], retryAt: Date): FigureJobError {
  const shown = error instanceof PlatformError ? appErrorFromPlatform(error) : error;
  return shown instanceof AppError
    ? { reason, code: shown.code, message: shown.message, retryAt }
    : { reason, code: 'temporarily_unavailable', message: 'The figures could not be read', retryAt };
}
