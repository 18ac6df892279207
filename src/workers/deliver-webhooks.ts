import { DelayedError, Worker, type Job as BullJob } from 'bullmq';
import type { Redis } from 'ioredis';
import { createAbort } from '../lib/abort.ts';
import { within } from '../lib/timeout.ts';
import { swept } from '../telemetry/events.ts';
import type { Services } from '../services/context.ts';
import { publishExpiringTokens } from '../services/accounts/publish-expiring-tokens.ts';
import { publishExpiringKeys } from '../services/api-keys/publish-expiring.ts';
import { cleanUpWebhooks } from '../services/webhooks/cleanup.ts';
import { webhooksWithRedeliveries } from '../services/webhooks/redeliver.ts';
import { relayBatch } from '../services/webhooks/relay-outbox.ts';
import { runRecoveries } from '../services/webhooks/run-recoveries.ts';
import { sweepDeliveries, type Probe } from '../services/webhooks/sweep-deliveries.ts';
import { logRejections } from '../redis/open.ts';
import { wakeChannel, type Wake } from '../redis/wake-relay.ts';
import { webhookWork } from '../services/webhooks/webhook-work.ts';
import { createEndpointRuns, type EndpointRuns } from './endpoint-runs.ts';
import {
  createProducer,
  endWorker,
  queuePrefix,
  runRetryDelay,
  workerConnection,
  type WorkerOptions,
} from './queues.ts';
import { repeating, type Repeating } from './interval.ts';

const name = 'deliver-webhooks';
/** How long a stopping process lets running requests continue. */
const graceMs = 5_000;
/** How long it waits for the last runs, which queue their endpoints. */
const lastRunsMs = 1_000;
/** How long a process at capacity delays a job, if no other process takes it. */
const atCapacityMs = 1_000;

/** Retries that are due within this time of each other share a job. */
const tickMs = 100;

/** A job is a hint that something is due at an endpoint, or the delivery of a probe; the database is authoritative. */
interface Job {
  webhookId: string;
  probeId?: string;
}

interface Enqueue {
  due: (webhookIds: string[]) => Promise<void>;
  probes: (probes: Probe[]) => Promise<void>;
}

/**
 * Runs the relay, sweeper and deliveries of this process. Uses timers because job schedulers do not survive a Redis
 * flush.
 */
export async function startWebhooks(
  services: Services,
  settings: WorkerOptions,
  wake: Wake,
): Promise<{ stop: () => Promise<void> }> {
  const connection = workerConnection(settings);
  const producer = createProducer<Job>(name, settings, services.log);
  const schedule = (webhookId: string, at: Date): Promise<void> => {
    const tick = Math.ceil(at.getTime() / tickMs);
    const delay = Math.max(tick * tickMs - Date.now(), 20);
    return producer.add([{ data: { webhookId }, jobId: `w-${webhookId}-${tick}`, delay }]);
  };
  const stopping = createAbort();
  const runs = createEndpointRuns(services, { schedule, stopping: stopping.signal });
  // The id prevents a second job for an endpoint.
  const enqueue: Enqueue = {
    due: (webhookIds) =>
      producer.add(
        webhookIds
          .filter((webhookId) => !runs.covers(webhookId))
          .map((webhookId) => ({ data: { webhookId }, jobId: `w-${webhookId}` })),
      ),
    probes: (probes) =>
      producer.add(
        probes.map(({ webhookId, deliveryId: probeId }) => ({ data: { webhookId, probeId }, jobId: `p-${probeId}` })),
      ),
  };
  const worker = createWorker(services.log, { runs, connection, prefix: queuePrefix(settings) });
  const { relay, sweep, others } = startTimers(services, enqueue, settings);
  producer.onReady(sweep.catchUp);
  wake.relay = relay.now;
  const listener = workerConnection(settings);
  listener.on('message', (_channel: string, sender: string) => {
    if (sender !== wake.sender) relay.now();
  });
  // Without messages the relay runs at its interval.
  listener.subscribe(wakeChannel(settings.redisPrefix)).catch(logRejections(services.log));
  return {
    stop: async () => {
      listener.disconnect();
      // Another worker resends requests that receivers have not answered by then.
      const abort = setTimeout(() => stopping.abort(), graceMs);
      const drained = runs.drain();
      await Promise.all([
        ...[relay, sweep, ...others].map((work) => work.stop()),
        endWorker(worker, connection, 2 * graceMs),
        within(drained, 2 * graceMs),
      ]);
      clearTimeout(abort);
      // The last jobs of the worker may have started runs, which queue their endpoints again.
      await within(runs.drain(), lastRunsMs);
      await producer.stop();
    },
  };
}

interface WorkerParts {
  runs: EndpointRuns;
  connection: Redis;
  prefix: string;
}

/**
 * The run of an endpoint starts once its job is removed: a job that could not be added before, because this one had its id,
 * is for deliveries that the run finds. A process at capacity leaves the jobs to the others.
 */
function createWorker(log: Services['log'], { runs, connection, prefix }: WorkerParts): Worker<Job> {
  const durable = { lockDuration: 10_000, stalledInterval: 5_000, maxStalledCount: 1000, runRetryDelay };
  const requireCapacity = async (job: BullJob<Job>, token?: string): Promise<void> => {
    if (runs.hasCapacity(job.data.webhookId)) return;
    await job.moveToDelayed(Date.now() + atCapacityMs, token);
    throw new DelayedError();
  };
  const worker = new Worker<Job>(name, requireCapacity, { prefix, connection, concurrency: 50, ...durable });
  worker.on('completed', ({ data: { webhookId, probeId } }) => {
    // Jobs of earlier versions name a delivery; the sweeper finds it.
    if (webhookId) runs.start(webhookId, probeId);
    if (runs.hasCapacity() || worker.isPaused()) return;
    void worker.pause(true);
    runs.onCapacity(() => void worker.resume());
  });
  worker.on('error', (error) => log.debug({ err: error.message }, 'webhooks wait for Redis'));
  return worker;
}

interface Timers {
  relay: Repeating;
  /** `catchUp` finds all due deliveries, including those that should have a job. */
  sweep: Repeating & { catchUp: () => void };
  others: Repeating[];
}

function startTimers(services: Services, enqueue: Enqueue, { poller, sweepIntervalMs }: WorkerOptions): Timers {
  const every = (ms: number, run: () => Promise<void>): Repeating => repeating(ms, run, services.log);
  const whenFound = (kind: keyof typeof webhookWork, everyMs: number, run: () => Promise<void>): Repeating =>
    poller.add({ everyMs, queries: () => webhookWork[kind](services), run });
  let isBehind = false;
  const sweep = whenFound('sweep', sweepIntervalMs, async () => {
    const options = isBehind ? { overdueAfterMs: 0 } : {};
    isBehind = false;
    for await (const { due, probes } of sweepDeliveries(services, options)) {
      swept.emit({ due: due.length, probes: probes.length });
      await enqueue.due(due);
      await enqueue.probes(probes);
    }
  });
  const catchUp = (): void => {
    isBehind = true;
    sweep.now();
  };
  const relay = whenFound('relay', 1_000, async () => {
    const { due, isAll } = await relayBatch(services);
    await enqueue.due(due);
    if (!isAll) relay.now();
  });
  return {
    relay,
    sweep: { ...sweep, catchUp },
    others: [
      whenFound('redeliveries', 1_000, async () => enqueue.due(await webhooksWithRedeliveries(services))),
      whenFound('recoveries', 1_000, async () => enqueue.due(await runRecoveries(services))),
      every(60_000, async () => void (await publishExpiringKeys(services))),
      every(60_000, async () => void (await publishExpiringTokens(services))),
      every(60_000, () => cleanUpWebhooks(services)),
    ],
  };
}
