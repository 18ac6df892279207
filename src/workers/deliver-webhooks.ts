import { DelayedError, Queue, Worker } from 'bullmq';
import type { Services } from '../services/context.ts';
import { announceExpiringKeys } from '../services/api-keys/announce-expiring.ts';
import { createDeliverer } from '../services/webhooks/deliver.ts';
import { relayEvents } from '../services/webhooks/relay-events.ts';
import { sweepDeliveries } from '../services/webhooks/sweep-deliveries.ts';
import { producerConnection, queuePrefix, workerConnection, type QueueOptions } from './queues.ts';
import { repeating } from './repeating.ts';

const name = 'deliver-webhooks';

interface Job {
  deliveryId: string;
  isProbe?: boolean;
}

const options = { removeOnComplete: true, removeOnFail: true, attempts: 1000, backoff: { type: 'fixed', delay: 5_000 } };

/** Relay, sweeper and deliveries of this process. Timers and not job schedulers: those do not survive a Redis flush. */
export async function startWebhooks(services: Services, settings: QueueOptions, onNudge: (look: () => void) => void): Promise<{ stop: () => Promise<void> }> {
  const prefix = queuePrefix(settings);
  const [consumer, producer] = [workerConnection(settings), producerConnection(settings)];
  for (const redis of [consumer, producer]) redis.on('error', () => undefined);
  const queue = new Queue<Job>(name, { prefix, connection: producer, skipWaitingForReady: true });
  const quietly = (error: Error): void => services.log.debug({ err: error.message }, 'webhooks wait for Redis');
  queue.on('error', quietly);
  // The id makes a second job of a delivery impossible; truth stays in the store.
  const enqueue = async (ids: string[], isProbe = false): Promise<void> => {
    if (ids.length === 0) return;
    const jobs = ids.map((deliveryId) => ({ name, data: { deliveryId, isProbe }, opts: { ...options, jobId: `d-${deliveryId}` } }));
    await queue.addBulk(jobs).catch(quietly);
  };
  const deliver = createDeliverer(services);
  const worker = new Worker<Job>(
    name,
    async (job, token) => {
      const { again, released } = await deliver(job.data.deliveryId, job.data.isProbe);
      await enqueue(released);
      if (!again) return;
      await job.moveToDelayed(Math.max(again.getTime(), Date.now() + 20), token);
      throw new DelayedError();
    },
    { prefix, connection: consumer, concurrency: 50, lockDuration: 10_000, stalledInterval: 5_000, maxStalledCount: 1000 },
  );
  worker.on('error', quietly);
  worker.on('failed', (_job, error) => services.log.warn({ err: error }, 'a delivery met trouble and is tried again'));
  const relay = repeating(1_000, async () => enqueue(await relayEvents(services)), services.log);
  onNudge(relay.now);
  const sweep = repeating(
    settings.sweepEveryMs,
    async () => {
      const { due, probes } = await sweepDeliveries(services);
      await enqueue(due);
      await enqueue(probes, true);
    },
    services.log,
  );
  const expiry = repeating(60_000, async () => void (await announceExpiringKeys(services)), services.log);
  return {
    stop: async () => {
      await Promise.all([relay.stop(), sweep.stop(), expiry.stop()]);
      const isAway = consumer.status !== 'ready';
      await Promise.race([worker.close(isAway), new Promise((resolve) => setTimeout(resolve, 17_000).unref())]);
      await queue.close().catch(quietly);
      consumer.disconnect();
      producer.disconnect();
    },
  };
}
