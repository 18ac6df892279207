import { Queue, Worker } from 'bullmq';
import type { Services } from '../services/context.ts';
import { settleDueAds } from '../services/ads/settle-ad.ts';
import { producerConnection, queuePrefix, workerConnection, type QueueOptions } from './queues.ts';

const name = 'settle-ads';

/**
 * Looks for ads of unknown outcome. A plain timer puts the job in, because a job scheduler would not survive a Redis flush;
 * the fixed job id keeps it to one at a time over all processes.
 */
export async function startSettleAds(
  services: Services,
  options: QueueOptions,
): Promise<{ stop: () => Promise<void> }> {
  const prefix = queuePrefix(options);
  const [consumer, producer] = [workerConnection(options), producerConnection(options)];
  for (const redis of [consumer, producer]) redis.on('error', () => undefined);
  const queue = new Queue(name, { prefix, connection: producer, skipWaitingForReady: true });
  const lookAgainMs = options.settleAfterMs;
  const worker = new Worker(name, () => settleDueAds(services, 50, { lookAgainMs }), { prefix, connection: consumer });
  const quietly = (error: Error): void => services.log.debug({ err: error }, 'settle-ads waits for Redis');
  queue.on('error', quietly);
  worker.on('error', quietly);
  worker.on('failed', (_job, error) => services.log.error({ err: error }, 'looking for ads failed'));
  const tick = (): void => {
    queue.add(name, {}, { jobId: 'due', removeOnComplete: true, removeOnFail: true }).catch(quietly);
  };
  const timer = setInterval(tick, options.settleEveryMs);
  tick();
  return {
    stop: async () => {
      clearInterval(timer);
      // Without Redis a graceful end would wait for it.
      await Promise.race([
        worker.close(consumer.status !== 'ready'),
        new Promise((resolve) => setTimeout(resolve, 10_000).unref()),
      ]);
      await queue.close().catch(quietly);
      consumer.disconnect();
      producer.disconnect();
    },
  };
}
