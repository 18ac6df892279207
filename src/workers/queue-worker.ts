import { DelayedError, Worker, type WorkerOptions as QueueLimits } from 'bullmq';
import type { Services } from '../services/context.ts';
import type { WorkQuery } from '../services/durable/find-work.ts';
import { logOutage } from '../services/unexpected-error.ts';
import { repeating } from './interval.ts';
import {
  createProducer,
  endWorker,
  queuePrefix,
  runRetryDelay,
  workerConnection,
  type QueueName,
  type NewJob,
  type WorkerOptions,
} from './queues.ts';

interface Queue<T> {
  name: QueueName;
  /** Runs one job and returns when to run it again, if it is not complete. */
  run: (data: T, signal: AbortSignal) => Promise<Date | undefined>;
  /** The jobs that are due: a job is only a hint, so a lost or duplicate job changes nothing. */
  due: () => Promise<NewJob<T>[]>;
  /** Queries that find a document if jobs may be due. Without them, `due` runs at every interval. */
  work?: () => WorkQuery[];
  everyMs: number;
  /** A message on this channel adds the due jobs at once. */
  channel?: string;
  failure: string;
  limits?: Partial<QueueLimits>;
}

/** Starts the worker of one queue and the timer that adds its due jobs. */
export function startQueueWorker<T>(
  services: Services,
  options: WorkerOptions,
  { name, run, due, work, everyMs, channel, failure, limits }: Queue<T>,
): { stop: () => Promise<void> } {
  const connection = workerConnection(options);
  const producer = createProducer<T>(name, options, services.log);
  const ending = new AbortController();
  const worker = new Worker<T>(
    name,
    async (job, token) => {
      const retryAt = await run(job.data, ending.signal);
      if (!retryAt) return;
      await job.moveToDelayed(Math.max(retryAt.getTime(), Date.now() + 20), token);
      throw new DelayedError();
    },
    { runRetryDelay, ...limits, prefix: queuePrefix(options), connection },
  );
  worker.on('error', (error) => services.log.debug({ err: error.message }, `${name} waits for Redis`));
  worker.on('failed', (_job, error) => {
    if (!logOutage(services.log, error)) services.log.error({ err: error }, failure);
  });
  const addDue = async (): Promise<void> => producer.add(await due());
  const sweep = work
    ? options.poller.add({ everyMs, queries: work, run: addDue })
    : repeating(everyMs, addDue, services.log);
  const messages = channel === undefined ? undefined : services.feed.subscribe(channel);
  const listening = (async () => {
    for await (const _ of messages ?? []) sweep.now();
  })();
  return {
    stop: async () => {
      ending.abort();
      await messages?.return?.();
      await Promise.all([sweep.stop(), listening]);
      await Promise.all([endWorker(worker, connection, 10_000), producer.stop()]);
    },
  };
}
