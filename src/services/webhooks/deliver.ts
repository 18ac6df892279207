import { batched } from '../../lib/batch.ts';
import { atMostEvery } from '../../lib/throttle.ts';
import type { WebhookDeliveryDoc } from '../../models/webhook-delivery.ts';
import { notDeleted } from '../../models/pending-event.ts';
import type { WebhookDoc } from '../../models/webhook.ts';
import { inSpan } from '../../telemetry/tracing.ts';
import type { Services } from '../context.ts';
import { hasExpired } from '../durable/lease.ts';
import { attemptInOrder, done, shortRetry, type DeliveryResult, type DeliveryDeps } from './attempt-delivery.ts';
import { lost } from './claim.ts';
import { deferAfterInternalError, RedisUnavailableError } from './defer-delivery.ts';
import { createReleaser } from './release-waiting.ts';
import { createEndpointConcurrency } from './endpoint-concurrency.ts';
import { dueStates, parkedStates } from './delivery-states.ts';
import { createBatchUpdater } from '../durable/batch.ts';

export type Deliver = (deliveryId: string, isProbe?: boolean) => Promise<DeliveryResult>;

const terminal = new Set(['delivered', 'failed', 'skipped', 'cancelled', 'held']);

/** Creates the delivery handler. An internal error defers the delivery; an unavailable store is rethrown. */
export function createDeliverer(services: Services, options: Pick<DeliveryDeps, 'stopping'> = {}): Deliver {
  const deliver = createAttempts(services, options);
  const logThrottled = atMostEvery(1_000, (err: unknown, deliveryId: string) =>
    services.log.warn({ err, deliveryId }, 'delivery hit an internal error; will retry'),
  );
  return (deliveryId, isProbe = false) =>
    inSpan('deliver webhook', { 'delivery.id': deliveryId }, () => deliver(deliveryId, isProbe)).catch(
      (error: unknown) => {
        logThrottled(error, deliveryId);
        return deferAfterInternalError(services, deliveryId, error);
      },
    );
}

function createAttempts(services: Services, { stopping }: Pick<DeliveryDeps, 'stopping'>): Deliver {
  const endpoints = createEndpointConcurrency();
  const deps: DeliveryDeps = {
    bodyOf: createBodyReader(services),
    release: createReleaser(services),
    update: createBatchUpdater(services.db),
    stopping,
  };
  const { webhookDeliveries, webhooks } = services.db;
  const deliveryOf = createBatchReader((ids) => webhookDeliveries.find({ _id: { $in: ids } }).lean());
  const webhookOf = createBatchReader((ids) => webhooks.find({ _id: { $in: ids }, ...notDeleted }).lean());
  return async (deliveryId, isProbe = false) => {
    const delivery = await deliveryOf(deliveryId);
    if (!delivery || terminal.has(delivery.state)) return done();
    const seen = (await webhookOf(delivery.webhookId)) ?? null;
    const parked = parkedState(delivery, seen, isProbe);
    if (parked || !seen) return park(services, delivery, parked ?? 'cancelled');
    const hasToWait = endpoints.isFull(seen._id);
    if (stopping?.aborted || !(await endpoints.acquire(seen._id)))
      return { retryAt: shortRetry(services), released: [] };
    try {
      const [retryAt, current] = await Promise.all([
        services.limitDeliveryRate(seen._id, seen.maxPerSecond).catch(redisUnavailable),
        hasToWait ? webhookOf(seen._id) : seen,
      ]);
      if (retryAt) return { retryAt: retryAt, released: [] };
      const webhook = current ?? null;
      // Its owner may have changed or disabled it while this delivery waited.
      const parkedNow = parkedState(delivery, webhook, isProbe);
      if (parkedNow || !webhook) return await park(services, delivery, parkedNow ?? 'cancelled');
      const outcome = await attemptInOrder(services, { delivery, webhook, isProbe }, deps);
      return outcome === 'blocked' ? park(services, delivery, 'waiting') : outcome;
    } finally {
      endpoints.release(seen._id);
    }
  };
}

const redisUnavailable = (error: unknown): never => {
  throw new RedisUnavailableError(error);
};

/** The state to park a delivery in, if it must not be sent now; manual redeliveries bypass the open circuit. */
function parkedState(
  { state, trigger }: WebhookDeliveryDoc,
  webhook: WebhookDoc | null,
  isProbe: boolean,
): WebhookDeliveryDoc['state'] | undefined {
  if (!webhook) return 'cancelled';
  if (!webhook.isActive) return webhook.disabledReason === 'owner' ? 'skipped' : 'held';
  const isCircuitOpen = webhook.nextProbeAt !== null && trigger !== 'manual';
  return isCircuitOpen && !isProbe && state !== 'sending' ? 'waiting' : undefined;
}

async function park(
  { db, clock }: Services,
  delivery: WebhookDeliveryDoc,
  state: WebhookDeliveryDoc['state'],
): Promise<DeliveryResult> {
  const { _id, attemptCount } = delivery;
  const now = clock.now();
  const terminalAt = state === 'skipped' || state === 'cancelled' ? now : null;
  const $set = { state, terminalAt, nextAttemptAt: null };
  const open = { _id, state: { $in: [...dueStates, ...parkedStates] } };
  // An abandoned delivery of a disabled webhook would never be taken over, so release its lease here.
  const abandoned = { _id, attemptCount, state: 'sending' as const, ...hasExpired(now) };
  if (delivery.state === 'sending')
    await db.webhookDeliveries.updateOne(abandoned, {
      $set,
      $unset: { lease: 1 },
      $push: { attempts: lost(delivery) },
    });
  else await db.webhookDeliveries.updateOne(open, { $set });
  return done();
}

const maxCachedBodies = 500;

/** Shares the bytes of an event among its endpoints; they never change. */
function createBodyReader({ db }: Services): DeliveryDeps['bodyOf'] {
  const bodies = new Map<string, string>();
  const eventOf = createBatchReader((ids) => db.webhookEvents.find({ _id: { $in: ids } }, { body: 1 }).lean());
  return async (eventId) => {
    const cached = bodies.get(eventId);
    if (cached !== undefined) return cached;
    const event = await eventOf(eventId);
    if (!event) return undefined;
    if (bodies.size >= maxCachedBodies) bodies.clear();
    bodies.set(eventId, event.body);
    return event.body;
  };
}

/** Batched findById. */
const createBatchReader = <T extends { _id: string }>(
  find: (ids: string[]) => Promise<T[]>,
): ((id: string) => Promise<T | undefined>) =>
  batched(async (ids) => {
    const found = new Map((await find([...new Set(ids)])).map((doc) => [doc._id, doc]));
    return ids.map((id) => found.get(id));
  });
