import { deliveryDeadLettered } from '../../telemetry/events.ts';
import { isConnectionError } from '../../models/db.ts';
import type { AttemptDoc, WebhookDeliveryDoc } from '../../models/webhook-delivery.ts';
import type { Services } from '../context.ts';
import { isUnchanged } from '../durable/lease.ts';
import { isDeferred } from '../encryption/deferring-encrypter.ts';
import type { Attempted } from './record-attempt.ts';
import { publishDelivery } from './subscribe-deliveries.ts';
import { dueStates, openStates } from './delivery-states.ts';

/** Redis was unavailable; says nothing about the delivery. */
export class RedisUnavailableError extends Error {
  constructor(cause: unknown) {
    super(cause instanceof Error ? cause.message : String(cause), { cause });
  }
}

const maxWaitSeconds = 30;
/** About an hour, including the waits between them. */
const maxInternalErrors = 124;

/**
 * An internal error is not a delivery attempt: records it, backs off, and fails the delivery after about an hour,
 * unless a key is missing, which is waited for. If recording succeeds, the delivery is at fault and not the database.
 */
export async function deferAfterInternalError(
  services: Services,
  deliveryId: string,
  error: unknown,
): Promise<Attempted> {
  if (error instanceof RedisUnavailableError || isConnectionError(error)) throw error;
  const seen = await services.db.webhookDeliveries.findOne({ _id: deliveryId, state: { $in: openStates } }).lean();
  if (!seen) return {};
  const { state, lease, nextAttemptAt } = seen;
  const now = services.clock.now();
  const count = (seen.failure?.count ?? 0) + 1;
  const failure = { count, message: String(error).slice(0, 500) };
  const isDue = dueStates.includes(state);
  const planned = (isDue ? nextAttemptAt : state === 'sending' ? lease?.until : undefined) ?? now;
  if (count > maxInternalErrors && planned <= now && !isDeferred(error)) {
    const isEnded = await write(services, seen, { $set: { failure, ...ended(seen, now) }, $unset: { lease: 1 } });
    if (!isEnded) return {};
    services.log.error({ err: error, deliveryId }, 'delivery failed permanently after repeated internal errors');
    deliveryDeadLettered.emit({});
    publishDelivery(services, seen);
    return {};
  }
  const wait = Math.min(2 ** (count - 1), maxWaitSeconds);
  // An error after the attempt does not move the retry forward.
  const retryAt = planned > now ? planned : new Date(now.getTime() + wait * 1000);
  const rescheduled = {
    ...(isDue && { nextAttemptAt: retryAt }),
    ...(state === 'sending' && { 'lease.until': retryAt }),
  };
  await write(services, seen, { $set: { failure, ...rescheduled } });
  // The sweeper retries a probe.
  return isDue || state === 'sending' ? { retryAt } : {};
}

/** Conditional write that bypasses the Mongoose schema: the document may be invalid. */
async function write({ db }: Services, seen: WebhookDeliveryDoc, change: object): Promise<boolean> {
  const { _id, state, nextAttemptAt, lease } = seen;
  const asSeen = { _id, state, nextAttemptAt, ...isUnchanged(lease) };
  const { modifiedCount } = await db.webhookDeliveries.collection.updateOne(asSeen as object, change);
  return modifiedCount === 1;
}

function ended({ attempts, attemptCount }: WebhookDeliveryDoc, now: Date): Partial<WebhookDeliveryDoc> {
  const reason: AttemptDoc = {
    no: Number.isInteger(attemptCount) ? attemptCount : 0,
    startedAt: now,
    durationMs: 0,
    outcome: 'failure',
    status: null,
    errorClass: 'internal',
    responseBody: null,
    isProbe: false,
  };
  const logged = Array.isArray(attempts) ? attempts : [];
  return { state: 'failed', terminalAt: now, nextAttemptAt: null, attempts: [...logged, reason] };
}
