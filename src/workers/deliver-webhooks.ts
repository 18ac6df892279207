import { DelayedError, Worker } from 'bullmq';
import { swept } from '../lib/signals.ts';
import type { Services } from '../services/context.ts';
import { announceExpiringKeys } from '../services/api-keys/announce-expiring.ts';
import { createDeliverer } from '../services/webhooks/deliver.ts';
import { keepHouse } from '../services/webhooks/keep-house.ts';
import { requestedIds } from '../services/webhooks/redeliver.ts';
import { relayEvents } from '../services/webhooks/relay-events.ts';
import { runRecoveries } from '../services/webhooks/run-recoveries.ts';
import { sweepDeliveries } from '../services/webhooks/sweep-deliveries.ts';
import { nudgeChannel } from '../redis/nudge.ts';
import { createProducer, endWorker, queuePrefix, workerConnection, type QueueOptions } from './queues.ts';
import { repeating } from './repeating.ts';

const name = 'deliver-webhooks';

/** How long a stopping process lets requests under way go on. */
const graceMs = 5_000;

interface Job {
  deliveryId: string;
  isProbe?: boolean;
}

/** Relay, sweeper and deliveries of this process. Timers and not job schedulers: those do not survive a Redis flush. */
export async function startWebhooks(
  services: Services,
  settings: QueueOptions,
  onNudge: (look: () => void) => void,
): Promise<{ stop: () => Promise<void> }> {
  const connection = workerConnection(settings);
  const producer = createProducer<Job>(name, settings, services.log);
  // The id makes a second job of a delivery impossible; truth stays in the store.
  const enqueue = (ids: string[], isProbe = false): Promise<void> =>
    producer.add(ids.map((deliveryId) => ({ data: { deliveryId, isProbe }, jobId: `d-${deliveryId}` })));
  const stopping = new AbortController();
  const deliver = createDeliverer(services, { stopping: stopping.signal });
  const worker = new Worker<Job>(
    name,
    async (job, token) => {
      const { again, released } = await deliver(job.data.deliveryId, job.data.isProbe);
      await enqueue(released);
      if (!again) return;
      await job.moveToDelayed(Math.max(again.getTime(), Date.now() + 20), token);
      throw new DelayedError();
    },
    {
      prefix: queuePrefix(settings),
      connection,
      concurrency: 50,
      lockDuration: 10_000,
      stalledInterval: 5_000,
      maxStalledCount: 1000,
    },
  );
  worker.on('error', (error) => services.log.debug({ err: error.message }, 'webhooks wait for Redis'));
  worker.on('failed', (_job, error) => services.log.warn({ err: error }, 'a delivery met trouble and is tried again'));
  const relay = repeating(1_000, async () => enqueue(await relayEvents(services)), services.log);
  const asked = repeating(1_000, async () => enqueue(await requestedIds(services)), services.log);
  const recoveries = repeating(1_000, async () => enqueue(await runRecoveries(services)), services.log);
  onNudge(relay.now);
  const listener = workerConnection(settings);
  listener.on('message', relay.now);
  listener.subscribe(nudgeChannel(settings.redisPrefix)).catch(() => undefined);
  const sweep = repeating(
    settings.sweepEveryMs,
    async () => {
      const { due, probes } = await sweepDeliveries(services);
      swept.say({ due: due.length, probes: probes.length });
      await enqueue(due);
      await enqueue(probes, true);
    },
    services.log,
  );
  const expiry = repeating(60_000, async () => void (await announceExpiringKeys(services)), services.log);
  const house = repeating(60_000, () => keepHouse(services), services.log);
  return {
    stop: async () => {
      listener.disconnect();
      // What the receivers have not answered by then another worker sends again.
      const abort = setTimeout(() => stopping.abort(), graceMs);
      await Promise.all([
        ...[relay, asked, recoveries, sweep, expiry, house].map((work) => work.stop()),
        endWorker(worker, connection, 2 * graceMs),
      ]);
      clearTimeout(abort);
      await producer.stop();
    },
  };
}
