import { Worker } from 'bullmq';
import type { Services } from '../services/context.ts';
import { logOutage } from '../services/unexpected-error.ts';
import { runDiscovery } from '../services/discovery/run-discovery.ts';
import { waitingDiscoveries } from '../services/discovery/run-store.ts';
import { requestDueDiscoveries } from '../services/discovery/schedule.ts';
import { requestedChannel } from '../services/discovery/request-discovery.ts';
import { inSpan } from '../telemetry/tracing.ts';
import { createProducer, endWorker, queuePrefix, workerConnection, type QueueOptions } from './queues.ts';
import { repeating } from './interval.ts';

const name = 'discover-campaigns';

/**
 * Runs requested discoveries and requests those that are due. The database records requests and leases: a job is only a
 * hint, so a lost or duplicate job changes nothing.
 */
export async function startDiscovery(
  services: Services,
  options: QueueOptions,
): Promise<{ stop: () => Promise<void> }> {
  const connection = workerConnection(options);
  const producer = createProducer<{ accountId: string }>(name, options, services.log);
  const ending = new AbortController();
  const { signal } = ending;
  const worker = new Worker<{ accountId: string }>(
    name,
    async ({ data: { accountId } }) => {
      // A request made during a run is still pending when the run ends.
      const run = (): Promise<boolean> =>
        inSpan('discover campaigns', { 'account.id': accountId }, () => runDiscovery(services, accountId, { signal }));
      while (!signal.aborted && (await run()));
    },
    {
      prefix: queuePrefix(options),
      connection,
      concurrency: 5,
      // A killed worker's job returns before its lease expires; while the job exists, no other can be added.
      lockDuration: 10_000,
      stalledInterval: 5_000,
      maxStalledCount: 1000,
    },
  );
  worker.on('error', (error) => services.log.debug({ err: error.message }, `${name} waits for Redis`));
  worker.on('failed', (_job, error) => {
    if (!logOutage(services.log, error)) services.log.error({ err: error }, 'discovery failed; will retry');
  });
  const sweep = repeating(
    options.sweepIntervalMs,
    async () => {
      if (options.discoveryEveryMs > 0) await requestDueDiscoveries(services, options.discoveryEveryMs);
      const waiting = await waitingDiscoveries(services);
      await producer.add(waiting.map((accountId) => ({ data: { accountId }, jobId: `account-${accountId}` })));
    },
    services.log,
  );
  const requests = services.feed.subscribe(requestedChannel);
  const listening = (async () => {
    for await (const _ of requests) sweep.now();
  })();
  return {
    stop: async () => {
      ending.abort();
      await requests.return?.();
      await Promise.all([sweep.stop(), listening]);
      await Promise.all([endWorker(worker, connection, 10_000), producer.stop()]);
    },
  };
}
