import { AppError } from '../../contract/error.ts';
import { withMark } from '../../lib/id.ts';
import type { Ctx } from '../context.ts';
import { keyMark, keyRetentionMs } from '../durable/idempotency.ts';

/** A request that left before the restore can arrive at a platform for this long. */
const inFlightMs = 60_000;

/** What a restored database does not know about an Idempotency-Key. */
export interface ForgottenKey {
  restoredAt: Date;
  /** The key cannot have been used before. */
  since: Date;
  /** The ids that an object of this key may have, apart from the time part. */
  idsOf: (id: string) => string[];
}

/**
 * Returns undefined unless this call has an Idempotency-Key that may have been used between the backup and the restore, which
 * the database then does not know.
 */
export function forgottenKey({ db, clock, caller, idempotencyKey }: Ctx): ForgottenKey | undefined {
  const restoredAt = db.restoredAt();
  if (!restoredAt || !idempotencyKey) return undefined;
  const age = clock.now().getTime() - restoredAt.getTime();
  if (age >= keyRetentionMs) return undefined;
  if (age < inFlightMs) {
    throw new AppError(
      'temporarily_unavailable',
      'The database was restored moments ago, and requests that were sent before may still reach the platforms; retry the call',
      { retryAfterSeconds: Math.ceil((inFlightMs - age) / 1000) },
    );
  }
  const since = new Date(restoredAt.getTime() - keyRetentionMs);
  const marks = [restoredAt, since].map((at) => keyMark(caller.userId, idempotencyKey, at));
  return { restoredAt, since, idsOf: (id) => [...new Set([id, ...marks.map((mark) => withMark(id, mark))])] };
}
