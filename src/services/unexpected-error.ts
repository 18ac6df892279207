import { AppError, unexpected } from '../contract/error.ts';
import type { Log } from '../telemetry/log.ts';
import { isConnectionError } from '../models/db.ts';

const retryAfterSeconds = 5;

/** Converts any error for the caller: an AppError stays, an unavailable database is a 503, anything else a 500. */
export function toAppError(cause: unknown): AppError {
  if (cause instanceof AppError) return cause;
  if (!isConnectionError(cause)) return unexpected(cause);
  const message = `The database is unavailable or does not accept writes. Try again in ${retryAfterSeconds} s.`;
  return new AppError('temporarily_unavailable', message, { retryAfterSeconds }, { cause });
}

/** Logs what the caller does not see: the cause of a 500 with its stack, that of an unavailable database in one line. */
export function logCause(log: Log, error: AppError, requestId: string): void {
  const { cause, code, status } = error;
  if (status === 500) log.error({ err: cause ?? error, requestId }, 'unexpected error');
  else if (code === 'temporarily_unavailable' && cause instanceof Error)
    log.warn({ err: cause.message, requestId }, 'database unavailable');
}
