import { PlatformError } from '../../platforms/error.ts';
import type { Services } from '../context.ts';
import { LeaseLostError, ShutdownError } from '../durable/lease.ts';
import { deferSeconds, isDeferred } from '../encryption/deferring-encrypter.ts';
import { appErrorFromPlatform } from '../platform-error.ts';
import { logOutage } from '../unexpected-error.ts';
import { finish, release, type DuplicationRun } from './duplication-store.ts';
import { stepsOf } from './find-steps.ts';
import { CampaignRemoved } from './campaign-removed.ts';

/** Give up on a copy that is incomplete after this long. */
const longestMs = 86_400_000;
const longestPauseMs = 60_000;

/** True if some write of it has an unknown outcome. */
export const isUncertain = async (services: Services, { doc }: DuplicationRun): Promise<boolean> =>
  (await stepsOf(services, doc)).some(({ state }) => state === 'running' || state === 'unknown');

/** Permanent errors fail the copy; transient errors are retried; a lost lease is ignored. */
export const handleFailure = (services: Services, run: DuplicationRun, error: unknown): Promise<Date | undefined> =>
  stop(services, run, error).catch((failure: unknown) => {
    if (failure instanceof LeaseLostError) return undefined;
    throw failure;
  });

async function stop(services: Services, run: DuplicationRun, error: unknown): Promise<Date | undefined> {
  if (error instanceof LeaseLostError) return undefined;
  if (error instanceof ShutdownError) {
    await release(services, run, { runAt: services.clock.now(), copied: run.doc.copied });
    return undefined;
  }
  if (isDeferred(error)) {
    const runAt = new Date(services.clock.now().getTime() + deferSeconds * 1000);
    await release(services, run, { runAt, copied: run.doc.copied });
    return runAt;
  }
  // An internal error leaves an unknown state: another process takes over when the lease expires.
  if (!(error instanceof PlatformError)) {
    if (logOutage(services.log, error)) return undefined;
    services.log.error(
      { err: error, duplicationId: run.doc._id },
      'a duplication hit an internal error; another run resumes it',
    );
    return undefined;
  }
  const { clock } = services;
  const now = clock.now().getTime();
  const { message } = appErrorFromPlatform(error);
  // An unknown outcome is reconciled before the copy can fail.
  const isOver = isFinal(error) && (error instanceof CampaignRemoved || !(await isUncertain(services, run)));
  if (isOver || now - run.doc.createdAt.getTime() > longestMs) {
    await finish(services, run, { status: 'failed', error: message, copied: run.doc.copied });
    return undefined;
  }
  const { attempts } = run.doc;
  const pauseMs = Math.max(
    Math.min(longestPauseMs, 1000 * 2 ** attempts),
    error.fault === 'rate_limited' ? (error.upstream.retryAfterSeconds ?? 0) * 1000 : 0,
  );
  const runAt = new Date(now + pauseMs);
  await release(services, run, { runAt, error: message, attempts: attempts + 1, copied: run.doc.copied });
  return runAt;
}

const isFinal = ({ fault }: PlatformError): boolean =>
  fault === 'rejected' || fault === 'not_found' || fault === 'unsupported' || fault === 'auth_expired';
