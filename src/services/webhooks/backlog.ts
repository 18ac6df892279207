import type { DeliveryState } from '../../contract/delivery.ts';
import type { Services } from '../context.ts';
import { hasExpired } from '../durable/lease.ts';
import { readOldestEvents } from '../durable/outbox.ts';
import { dueStates } from './delivery-states.ts';

type Stores = Pick<Services, 'db' | 'clock'>;

const looked = 200;
const attendedMs = 60_000;

/**
 * Age in seconds of the oldest due delivery that no worker is processing. Slow and rate-limited endpoints are excluded,
 * because their queues do not mean that workers have stalled.
 */
export async function oldestDueSeconds({ db, clock }: Stores): Promise<number> {
  const now = clock.now();
  const oldestIn = (state: DeliveryState) =>
    db.webhookDeliveries
      .find({ state, nextAttemptAt: { $lt: now } }, { webhookId: 1, nextAttemptAt: 1 })
      .sort({ nextAttemptAt: 1 })
      .limit(looked)
      .lean();
  // A query for each state, so that an index filters and sorts.
  const [waiting, abandoned] = await Promise.all([
    Promise.all(dueStates.map(oldestIn)).then((found) => found.flat()),
    db.webhookDeliveries
      .find({ state: 'sending', ...hasExpired(now) }, { webhookId: 1, lease: 1 })
      .limit(looked)
      .lean(),
  ]);
  const due = [
    ...waiting.map(({ webhookId, nextAttemptAt }) => ({ webhookId, at: nextAttemptAt ?? now })),
    // Its worker died, and no other has taken it over.
    ...abandoned.map(({ webhookId, lease }) => ({ webhookId, at: lease?.until ?? now })),
  ].toSorted((a, b) => a.at.getTime() - b.at.getTime());
  if (due.length === 0) return 0;
  const ids = [...new Set(due.map(({ webhookId }) => webhookId))];
  const attendedSince = new Date(now.getTime() - attendedMs);
  const [sending, attended] = await Promise.all([
    db.webhookDeliveries.distinct('webhookId', {
      webhookId: { $in: ids },
      state: 'sending',
      'lease.until': { $gt: now },
    }),
    db.webhooks.distinct('_id', { _id: { $in: ids }, lastDeliveryAt: { $gt: attendedSince } }),
  ]);
  const busy = new Set<unknown>([...sending, ...attended]);
  const oldest = due.find(({ webhookId }) => !busy.has(webhookId))?.at;
  return oldest ? (now.getTime() - oldest.getTime()) / 1000 : 0;
}

/** Outbox lag: age in seconds of the oldest event not yet relayed. */
export async function outboxLagSeconds({ db, clock }: Stores): Promise<number> {
  const now = clock.now();
  const batches = await readOldestEvents(db, 1);
  const oldest = batches.flatMap(({ found }) => found.flatMap(({ pendingEvents = [] }) => pendingEvents[0]?.at ?? []));
  return (now.getTime() - Math.min(now.getTime(), ...oldest.map((at) => at.getTime()))) / 1000;
}

const tolerableSeconds = 60;

/** False when workers appear stalled. */
export async function isMoving(stores: Stores): Promise<boolean> {
  const lags = await Promise.all([oldestDueSeconds(stores), outboxLagSeconds(stores)]);
  return lags.every((seconds) => seconds <= tolerableSeconds);
}
