import type { AttemptDoc, UnloggedDelivery } from '../../models/webhook-delivery.ts';
import type { Services } from '../context.ts';
import { hasExpired, newLease } from '../durable/lease.ts';
import { dueStates } from './delivery-states.ts';
import type { UpdateDelivery } from '../durable/batch.ts';

/** Added to the request timeout: a worker silent for longer is considered dead. */
const graceMs = 10_000;

export const leaseMs = ({ deliveryTimes }: Pick<Services, 'deliveryTimes'>): number =>
  deliveryTimes.timeoutMs + graceMs;

export interface Seen {
  delivery: UnloggedDelivery;
  isProbe: boolean;
}

/**
 * Claims a delivery for one attempt; null if another process has it or it is not due. Matches the state and count that
 * were read, so nothing else has changed since.
 */
export async function claim(
  services: Pick<Services, 'clock' | 'deliveryTimes'>,
  { delivery: seen, isProbe }: Seen,
  update: UpdateDelivery,
): Promise<UnloggedDelivery | null> {
  const now = services.clock.now();
  const { _id, state, attemptCount } = seen;
  const isTakeover = state === 'sending';
  const isItsTime = isTakeover
    ? hasExpired(now)
    : dueStates.includes(state)
      ? { nextAttemptAt: { $lte: now } }
      : undefined;
  if (!isItsTime && !(isProbe && state === 'waiting')) return null;
  const lease = { ...newLease(now, leaseMs(services)), startedAt: now };
  const isTaken = await update({
    filter: { _id, state, attemptCount, ...isItsTime },
    change: {
      // Its place among what is due, should its worker die.
      $set: { state: 'sending', lease, nextAttemptAt: seen.nextAttemptAt ?? now },
      $inc: { attemptCount: 1 },
      ...(isTakeover && { $push: { attempts: lostAttempt(seen) } }),
    },
    token: lease.token,
  });
  return isTaken ? { ...seen, state: 'sending', lease, attemptCount: attemptCount + 1 } : null;
}

/** Log entry for an attempt whose worker died; visible to the owner, not counted as a failure. */
export const lostAttempt = ({ attemptCount, lease }: UnloggedDelivery): AttemptDoc => ({
  no: attemptCount,
  startedAt: lease?.startedAt ?? new Date(0),
  durationMs: 0,
  outcome: 'unknown',
  status: null,
  errorClass: 'worker_lost',
  responseBody: null,
  isProbe: false,
});
