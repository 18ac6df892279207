import { AppError } from '../../contract/error.ts';
import type { Services } from '../context.ts';
import { heldBy } from '../durable/lease.ts';
import type { DurableJournal } from '../durable/step-journal.ts';
import { isDeferred } from '../encryption/deferring-encrypter.ts';
import { orderError } from './order-error.ts';
import type { OrderRun } from './order-lease.ts';
import { recordFailed, recordUnconfirmed } from './record-outcome.ts';

export interface OrderFailure {
  error: unknown;
  journal: DurableJournal;
}

/** Records how a run failed and returns the error for the caller, with what exists upstream by now. */
export async function recordFailure(
  services: Services,
  run: OrderRun,
  { error, journal }: OrderFailure,
): Promise<unknown> {
  const isLost = error instanceof AppError && error.code === 'idempotency_in_progress';
  if (isLost) return error;
  const { ads, firstAd } = run;
  const index = firstAd.shape === 'multiCreative' ? creativeIndex(journal.reached) : undefined;
  const known = orderError(error, { input: firstAd.order?.input, index, journal, adIds: ads.map(({ _id }) => _id) });
  if ((isDeferred(error) || isOverLimit(error)) && journal.steps.length === 0) return discard(services, run, error);
  if (isDeferred(error)) await journal.flush();
  else if (journal.isUncertain) await recordUnconfirmed(services, run, journal.steps);
  else await recordFailed(services, run, { steps: journal.steps, reason: known?.message ?? 'Internal error' });
  return known ?? error;
}

const isOverLimit = (error: unknown): error is AppError =>
  error instanceof AppError && error.code === 'budget_limit_exceeded';

/** Another process may have the missing encryption key, or a limit is reached: an order of which nothing was sent is deleted. */
async function discard({ db }: Services, { firstAd, lease }: OrderRun, error: AppError): Promise<AppError> {
  const held = { orderId: firstAd.orderId, ...heldBy(lease) };
  const unset = { lease: 1, reconcileAt: 1 } as const;
  // A retried order that failed before stays failed.
  if (firstAd.rejectionReason) await db.ads.updateMany(held, { $set: { status: 'error' }, $unset: unset });
  else await db.ads.deleteMany(held);
  return new AppError(error.code, error.message, { ...error.extras, holdsKey: false }, { cause: error.cause });
}

/** `creative.3` and `ad.3` belong to the fourth entry, `campaign` to none. */
function creativeIndex(step: string | undefined): number | undefined {
  const digits = step?.match(/\.(\d+)$/)?.[1];
  return digits === undefined ? undefined : Number(digits);
}
