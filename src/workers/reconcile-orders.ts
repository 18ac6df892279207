import { reconcileDueOrders } from '../services/ads/reconcile-orders.ts';
import type { Services } from '../services/context.ts';
import { reconcileDueEdits } from '../services/listing/reconcile-edits.ts';
import { reconcileDueRemovals } from '../services/removals/reconcile-removals.ts';
import { startQueueWorker } from './queue-worker.ts';
import type { WorkerOptions } from './queues.ts';

/**
 * Reconciles ads, removals and listing edits with an unknown outcome. A plain timer puts the job in, because a job scheduler would
 * not survive a Redis flush; the fixed job id keeps it to one at a time over all processes.
 */
export const startReconcileOrders = (services: Services, options: WorkerOptions): { stop: () => Promise<void> } =>
  startQueueWorker<object>(services, options, {
    name: 'reconcile-orders',
    run: async () => {
      const recheckMs = options.reconcileAfterMs;
      await Promise.all([
        reconcileDueOrders(services, 50, { recheckMs }),
        reconcileDueRemovals(services, 50, recheckMs),
        reconcileDueEdits(services, 50),
      ]);
      return undefined;
    },
    due: async () => [{ data: {}, jobId: 'due' }],
    everyMs: options.reconcileIntervalMs,
    failure: 'reconciliation failed',
  });
