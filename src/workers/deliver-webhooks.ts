import { DelayedError, Worker, type Processor } from 'bullmq';
import type { Redis } from 'ioredis';
import { atMostEvery } from '../lib/throttle.ts';
import { createAbort } from '../lib/abort.ts';
import { swept } from '../telemetry/events.ts';
import type { Services } from '../services/context.ts';
import { logOutage } from '../services/unexpected-error.ts';
import { publishExpiringTokens } from '../services/accounts/publish-expiring-tokens.ts';
import { publishExpiringKeys } from '../services/api-keys/publish-expiring.ts';
import { createDeliverer, type Deliver } from '../services/webhooks/deliver.ts';
import { cleanUpWebhooks } from '../services/webhooks/cleanup.ts';
import { requestedIds } from '../services/webhooks/redeliver.ts';
import { relayBatch } from '../services/webhooks/relay-outbox.ts';
import { runRecoveries } from '../services/webhooks/run-recoveries.ts';
import { sweepDeliveries } from '../services/webhooks/sweep-deliveries.ts';
import { wakeChannel } from '../redis/wake-relay.ts';
import {
  createProducer,
  endWorker,
  queuePrefix,
  runRetryDelay,
  workerConnection,
  type QueueOptions,
} from './queues.ts';
import { repeating, type Repeating } from './interval.ts';

const name = 'deliver-webhooks';
/** How long a stopping process lets running requests continue. */
const graceMs = 5_000;

interface Job {
  deliveryId: string;
  isProbe?: boolean;
}

type Enqueue = (ids: string[], isProbe?: boolean) => Promise<void>;

/**
 * Runs the relay, sweeper and deliveries of this process. Uses timers because job schedulers do not survive a Redis
 * flush.
 */
export async function startWebhooks(
  services: Services,
  settings: QueueOptions,
  onWake: (check: () => void) => void,
): Promise<{ stop: () => Promise<void> }> {
  const connection = workerConnection(settings);
  const producer = createProducer<Job>(name, settings, services.log);
  // The id prevents a second job for a delivery; the database is authoritative.
  const enqueue: Enqueue = (ids, isProbe = false) =>
    producer.add(ids.map((deliveryId) => ({ data: { deliveryId, isProbe }, jobId: `d-${deliveryId}` })));
  const stopping = createAbort();
  const deliver = createDeliverer(services, { stopping: stopping.signal });
  const worker = createWorker(services.log, { deliver, enqueue, connection, prefix: queuePrefix(settings) });
  const { relay, sweep, others } = startTimers(services, enqueue, settings.sweepIntervalMs);
  producer.onReady(sweep.catchUp);
  onWake(relay.now);
  const listener = workerConnection(settings);
  listener.on('message', relay.now);
  listener.subscribe(wakeChannel(settings.redisPrefix)).catch(() => undefined);
  return {
    stop: async () => {
      listener.disconnect();
      // Another worker resends requests that receivers have not answered by then.
      const abort = setTimeout(() => stopping.abort(), graceMs);
      await Promise.all([
        ...[relay, sweep, ...others].map((work) => work.stop()),
        endWorker(worker, connection, 2 * graceMs),
      ]);
      clearTimeout(abort);
      await producer.stop();
    },
  };
}

interface WorkerParts {
  deliver: Deliver;
  enqueue: Enqueue;
  connection: Redis;
  prefix: string;
}

function createWorker(log: Services['log'], { deliver, enqueue, connection, prefix }: WorkerParts): Worker<Job> {
  const process: Processor<Job> = async (job, token) => {
    const { retryAt, released } = await deliver(job.data.deliveryId, job.data.isProbe);
    await enqueue(released);
    if (!retryAt) return;
    await job.moveToDelayed(Math.max(retryAt.getTime(), Date.now() + 20), token);
    throw new DelayedError();
  };
  const durable = { lockDuration: 10_000, stalledInterval: 5_000, maxStalledCount: 1000, runRetryDelay };
  const worker = new Worker<Job>(name, process, { prefix, connection, concurrency: 50, ...durable });
  worker.on('error', (error) => log.debug({ err: error.message }, 'webhooks wait for Redis'));
  const logThrottled = atMostEvery(1_000, (error: Error) => {
    if (!logOutage(log, error)) log.warn({ err: error }, 'delivery waiting for Redis');
  });
  worker.on('failed', (_job, error) => logThrottled(error));
  return worker;
}

interface Timers {
  relay: Repeating;
  /** `catchUp` finds all due deliveries, including those that should have a job. */
  sweep: Repeating & { catchUp: () => void };
  others: Repeating[];
}

function startTimers(services: Services, enqueue: Enqueue, sweepIntervalMs: number): Timers {
  const every = (ms: number, run: () => Promise<void>): Repeating => repeating(ms, run, services.log);
  let isBehind = false;
  const sweep = every(sweepIntervalMs, async () => {
    const options = isBehind ? { overdueAfterMs: 0 } : {};
    isBehind = false;
    for await (const { due, probes } of sweepDeliveries(services, options)) {
      swept.emit({ due: due.length, probes: probes.length });
      await enqueue(due);
      await enqueue(probes, true);
    }
  });
  const catchUp = (): void => {
    isBehind = true;
    sweep.now();
  };
  const relay = every(1_000, async () => {
    const { due, isAll } = await relayBatch(services);
    await enqueue(due);
    if (!isAll) relay.now();
  });
  return {
    relay,
    sweep: { ...sweep, catchUp },
    others: [
      every(1_000, async () => enqueue(await requestedIds(services))),
      every(1_000, async () => enqueue(await runRecoveries(services))),
      every(60_000, async () => void (await publishExpiringKeys(services))),
      every(60_000, async () => void (await publishExpiringTokens(services))),
      every(60_000, () => cleanUpWebhooks(services)),
    ],
  };
}
