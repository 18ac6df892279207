import { AppError, unexpected } from '../contract/error.ts';
import type { Log } from '../telemetry/log.ts';
import { atMostEvery } from '../lib/throttle.ts';
import { isConnectionError } from '../models/db.ts';

const retryAfterSeconds = 5;
const outageLogMs = 1_000;

/** Converts any error for the caller: an AppError stays, an unavailable database is a 503, anything else a 500. */
export function toAppError(cause: unknown): AppError {
  if (cause instanceof AppError) return cause;
  if (!isConnectionError(cause)) return unexpected(cause);
  const message = `The database is unavailable or does not accept writes. Try again in ${retryAfterSeconds} s.`;
  return new AppError('temporarily_unavailable', message, { retryAfterSeconds }, { cause });
}

/** Logs what the caller does not see: the cause of a 500 with its stack; an outage as `logOutage` does. */
export function logCause(log: Log, error: AppError, requestId: string): void {
  const { cause, code, status } = error;
  if (status === 500) log.error({ err: cause ?? error, requestId }, 'unexpected error');
  else if (code === 'temporarily_unavailable') logOutage(log, cause);
}

const reporters = new WeakMap<Log, (message: string) => void>();

/**
 * Logs an unavailable database in one line without a stack, at most once a second whatever the number of requests and tasks;
 * false if the error is another one.
 */
export function logOutage(log: Log, error: unknown): boolean {
  if (!(error instanceof Error) || !isConnectionError(error)) return false;
  let report = reporters.get(log);
  if (!report)
    reporters.set(log, (report = atMostEvery(outageLogMs, (err) => log.warn({ err }, 'database unavailable'))));
  report(error.message);
  return true;
}
