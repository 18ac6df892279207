import { Worker } from 'bullmq';
import { reconcileDueOrders } from '../services/ads/reconcile-orders.ts';
import type { Services } from '../services/context.ts';
import { logOutage } from '../services/unexpected-error.ts';
import { reconcileDueEdits } from '../services/listing/reconcile-edits.ts';
import { createProducer, endWorker, queuePrefix, workerConnection, type QueueOptions } from './queues.ts';
import { repeating } from './interval.ts';

const name = 'reconcile-orders';

/**
 * Reconciles ads and listing edits with an unknown outcome. A plain timer puts the job in, because a job scheduler would not survive a Redis flush;
 * the fixed job id keeps it to one at a time over all processes.
 */
export async function startReconcileOrders(
  services: Services,
  options: QueueOptions,
): Promise<{ stop: () => Promise<void> }> {
  const connection = workerConnection(options);
  const producer = createProducer<object>(name, options, services.log);
  const recheckMs = options.reconcileAfterMs;
  const prefix = queuePrefix(options);
  const reconcile = (): Promise<unknown> =>
    Promise.all([reconcileDueOrders(services, 50, { recheckMs }), reconcileDueEdits(services, 50)]);
  const worker = new Worker(name, reconcile, { prefix, connection });
  worker.on('error', (error) => services.log.debug({ err: error.message }, 'reconcile-orders waits for Redis'));
  worker.on('failed', (_job, error) => {
    if (!logOutage(services.log, error)) services.log.error({ err: error }, 'reconciliation failed');
  });
  const timer = repeating(options.reconcileIntervalMs, () => producer.add([{ data: {}, jobId: 'due' }]), services.log);
  return {
    stop: async () => {
      await timer.stop();
      await Promise.all([endWorker(worker, connection, 10_000), producer.stop()]);
    },
  };
}
