import type { Services } from '../services/context.ts';
import { openChangeWork, reconcileOpenChanges } from '../services/ads/open-changes.ts';
import { requestedChannel } from '../services/discovery/request-discovery.ts';
import { runDiscovery } from '../services/discovery/run-discovery.ts';
import { discoveryWork, waitingDiscoveries } from '../services/discovery/run-store.ts';
import { requestDueDiscoveries, scheduledDiscoveryWork } from '../services/discovery/schedule.ts';
import { inSpan } from '../telemetry/tracing.ts';
import { startQueueWorker } from './queue-worker.ts';
import type { WorkerOptions } from './queues.ts';

/** Runs requested discoveries and requests those that are due. The database records requests and leases. */
export const startDiscovery = (services: Services, options: WorkerOptions): { stop: () => Promise<void> } =>
  startQueueWorker<{ accountId: string }>(services, options, {
    name: 'discover-campaigns',
    run: async ({ accountId }, signal) => {
      // A request made during a run is still pending when the run ends.
      const run = (): Promise<boolean> =>
        inSpan('discover campaigns', { 'account.id': accountId }, () => runDiscovery(services, accountId, { signal }));
      while (!signal.aborted && (await run()));
      return undefined;
    },
    due: async () => {
      await reconcileOpenChanges(services);
      if (options.discoveryEveryMs > 0) await requestDueDiscoveries(services, options.discoveryEveryMs);
      const waiting = await waitingDiscoveries(services);
      return waiting.map((accountId) => ({ data: { accountId }, jobId: `account-${accountId}` }));
    },
    work: () => [
      ...openChangeWork(services),
      ...discoveryWork(services),
      ...(options.discoveryEveryMs > 0 ? scheduledDiscoveryWork(services) : []),
    ],
    everyMs: options.sweepIntervalMs,
    channel: requestedChannel,
    failure: 'discovery failed; will retry',
    // A killed worker's job returns before its lease expires; while the job exists, no other can be added.
    limits: { concurrency: 5, lockDuration: 10_000, stalledInterval: 5_000, maxStalledCount: 1000 },
  });
