import type { DeliveryState } from '../../contract/delivery.ts';
import type { Reading, Sampler } from '../../telemetry/metrics.ts';
import type { Services } from '../context.ts';
import { oldestDueSeconds, outboxLagSeconds } from './backlog.ts';
import { openStates } from './delivery-states.ts';

type Stores = Pick<Services, 'db' | 'clock'>;

const maxTimeMS = 2_000;
/** Counting stops here, so that a large backlog does not slow down what works it off. */
const maxCount = 100_000;
/** A write becomes readable a moment after its timestamp. */
const delayMs = 2_000;
/** Maximum time range, if metrics were not scraped for long. */
const maxRangeMs = 3_600_000;

/** Metrics of the whole service from the database, equal in every process. A failed sampler leaves the others. */
export const createDeliverySamplers = (stores: Stores): Sampler[] => [
  () => backlog(stores),
  () => lags(stores),
  () => endpoints(stores),
  createEndedCount(stores),
];

async function backlog({ db }: Stores): Promise<Reading[]> {
  const count = (state: DeliveryState): Promise<number> =>
    db.webhookDeliveries.countDocuments({ state }).limit(maxCount).maxTimeMS(maxTimeMS).exec();
  const counts = await Promise.all(openStates.map(count));
  return openStates.map((state, at) => ({ name: 'webhook_deliveries', labels: { state }, value: counts[at] ?? 0 }));
}

/** Used by the readiness check. */
const lags = async (stores: Stores): Promise<Reading[]> => [
  { name: 'webhook_oldest_due_seconds', value: await oldestDueSeconds(stores) },
  { name: 'webhook_outbox_lag_seconds', value: await outboxLagSeconds(stores) },
];

async function endpoints({ db }: Stores): Promise<Reading[]> {
  const [all, off, open, holding] = await Promise.all([
    db.webhooks.estimatedDocumentCount(),
    db.webhooks.countDocuments({ isActive: false }).maxTimeMS(maxTimeMS),
    db.webhooks
      .countDocuments({ nextProbeAt: { $type: 'date', $gt: new Date(0) }, isActive: true })
      .maxTimeMS(maxTimeMS),
    db.webhookDeliveries.distinct('webhookId', { state: 'held' }).maxTimeMS(maxTimeMS),
  ]);
  const states = { closed: Math.max(0, all - off - open), open, off };
  return [
    { name: 'webhook_endpoints_with_held_deliveries', value: holding.length },
    ...Object.entries(states).map(([breaker, value]): Reading => ({
      name: 'webhook_endpoints',
      labels: { breaker },
      value,
    })),
  ];
}

/** Deliveries finished since this process last sampled. */
function createEndedCount({ db, clock }: Stores): Sampler {
  let since = clock.now().getTime() - delayMs;
  return async () => {
    const until = clock.now().getTime() - delayMs;
    const from = Math.max(since, until - maxRangeMs);
    const counts = await db.webhookDeliveries
      .aggregate<{ _id: DeliveryState; count: number }>([
        { $match: { terminalAt: { $type: 'date', $gte: new Date(from), $lt: new Date(until) } } },
        { $group: { _id: '$state', count: { $sum: 1 } } },
      ])
      .option({ maxTimeMS });
    since = until;
    return counts.map(({ _id, count }) => ({
      name: 'webhook_deliveries_ended_total',
      labels: { state: _id },
      value: count,
    }));
  };
}
