import type { AttemptDoc, UnloggedDelivery, WebhookDeliveryDoc } from '../../models/webhook-delivery.ts';
import type { WebhookDoc } from '../../models/webhook.ts';
import type { Services } from '../context.ts';
import { storedDates } from '../stored-dates.ts';
import { heldBy } from '../durable/lease.ts';
import { publishDelivery } from './subscribe-deliveries.ts';
import { expiryMs, nextWait, timesFor } from './schedule.ts';
import type { UpdateDelivery } from '../durable/batch.ts';

export interface Outcome {
  delivery: UnloggedDelivery;
  /** The webhook after the attempt. */
  webhook: WebhookDoc;
  attempt: AttemptDoc;
}

export interface Attempted {
  /** When to retry this delivery; absent if nothing is due. */
  retryAt?: Date;
  /** The state of the delivery after an attempt. */
  state?: UnloggedDelivery['state'];
}

type Next = Pick<WebhookDeliveryDoc, 'state' | 'nextAttemptAt' | 'terminalAt' | 'retryCount'>;

const { date } = storedDates('webhook_deliveries');
const maxLoggedAttempts = 15;
/** These errors cannot be fixed by retrying; the webhook itself must change. */
const nonRetryable = new Set(['forbidden_address', 'invalid_request', 'gone', 'event_expired']);

/** Log entry and next state in one write; a late writer whose lease was taken over matches nothing. */
export async function recordAttempt(services: Services, attempted: Outcome, update: UpdateDelivery): Promise<Next> {
  const { delivery, attempt } = attempted;
  const next = nextState(services, attempted);
  await update({
    filter: { _id: delivery._id, ...heldBy(delivery.lease) },
    change: { $set: next, ...logged(attempt) },
  });
  publishDelivery(services, delivery);
  return next;
}

/**
 * A request aborted by the shutdown of this process: visible to the owner, not counted, and immediately available to another
 * process.
 */
export async function releaseAttempt(
  services: Services,
  { delivery, attempt }: Omit<Outcome, 'webhook'>,
  update: UpdateDelivery,
): Promise<Attempted> {
  const { db, clock } = services;
  const now = clock.now();
  const { webhookId, retryCount } = delivery;
  const due = { state: retryCount > 0 ? ('retrying' as const) : ('pending' as const), nextAttemptAt: now };
  const parked = { state: 'waiting' as const, nextAttemptAt: null };
  await update({
    filter: { _id: delivery._id, ...heldBy(delivery.lease) },
    change: { $set: attempt.isProbe ? parked : due, ...logged(attempt) },
  });
  publishDelivery(services, delivery);
  if (!attempt.isProbe) return { retryAt: now };
  const probed = { _id: webhookId, nextProbeAt: { $ne: null } };
  await db.webhooks.updateOne(probed, { $set: { nextProbeAt: now } }, { timestamps: false });
  return {};
}

const logged = (attempt: AttemptDoc): object => ({
  $unset: { lease: 1 },
  $push: { attempts: { $each: [attempt], $slice: -maxLoggedAttempts } },
});

function nextState({ clock, deliveryTimes }: Services, { delivery, webhook, attempt }: Outcome): Next {
  const now = clock.now();
  const { retryCount } = delivery;
  const unchanged = { nextAttemptAt: null, terminalAt: null, retryCount };
  if (attempt.outcome === 'success') return { ...unchanged, state: 'delivered', terminalAt: now };
  const failures = retryCount + 1;
  const hasExpired = now.getTime() - date(delivery, 'createdAt').getTime() > expiryMs;
  // A manual redelivery has one attempt and no retry schedule.
  if (nonRetryable.has(attempt.errorClass ?? '') || hasExpired || delivery.trigger === 'manual')
    return { ...unchanged, retryCount: failures, state: 'failed', terminalAt: now };
  // A probe does not consume the delivery's retry budget.
  if (attempt.isProbe) return { ...unchanged, state: webhook.isActive ? 'waiting' : 'held' };
  const wait = nextWait(failures, attempt, timesFor(webhook, deliveryTimes));
  if (wait === undefined) return { ...unchanged, retryCount: failures, state: 'failed', terminalAt: now };
  if (!webhook.isActive) return { ...unchanged, retryCount: failures, state: 'held' };
  if (webhook.nextProbeAt) return { ...unchanged, retryCount: failures, state: 'waiting' };
  return {
    ...unchanged,
    retryCount: failures,
    state: 'retrying',
    nextAttemptAt: new Date(now.getTime() + wait * 1000),
  };
}
