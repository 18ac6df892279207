import { Queue, type JobsOptions, type Worker } from 'bullmq';
import type { Redis } from 'ioredis';
import type { Log } from '../telemetry/log.ts';
import { silenceMs } from '../redis/keepalive.ts';
import { openConnection, logRejections } from '../redis/open.ts';
import type { Poller } from './poller.ts';

export interface QueueOptions {
  redisUrl: string;
  redisPrefix: string;
  /** Interval between reconciliations of ads with an unknown outcome, in milliseconds. */
  reconcileIntervalMs: number;
  /** How long after an ad was first found missing a second check must confirm it. */
  reconcileAfterMs: number;
  /** How often each account's campaigns are discovered automatically, in milliseconds; 0 means never. */
  discoveryEveryMs: number;
  /** Interval between checks for overdue deliveries and due probes, in milliseconds. */
  sweepIntervalMs: number;
  /** Interval between checks for expiring tokens, in milliseconds. */
  refreshEveryMs: number;
}

export interface WorkerOptions extends QueueOptions {
  poller: Poller;
}

/** `/metrics` counts the jobs of each. */
export const queueNames = [
  'deliver-webhooks',
  'reconcile-orders',
  'duplicate-campaigns',
  'discover-campaigns',
  'pause-campaigns',
  'read-figures',
] as const;
export type QueueName = (typeof queueNames)[number];

/** BullMQ's key prefix; the braces keep all keys of the queues on one cluster node. */
export const queuePrefix = ({ redisPrefix }: QueueOptions): string => `{${redisPrefix}:queue}`;

/** Workers wait for Redis indefinitely, but not on a half-open connection. */
export function workerConnection({ redisUrl }: QueueOptions): Redis {
  const redis = openConnection(redisUrl, { maxRetriesPerRequest: null, silenceTimeoutMs: silenceMs });
  redis.on('error', () => undefined);
  return redis;
}

/** How soon a worker goes on after an error of Redis; BullMQ would wait 15 s. */
export const runRetryDelay = 1_000;

export interface NewJob<T> {
  data: T;
  jobId: string;
  /** Runs it after so many milliseconds. */
  delay?: number;
}

export interface Producer<T> {
  /** Adds jobs. While Redis is unavailable this does nothing: the database is authoritative and a timer retries. */
  add: (jobs: NewJob<T>[]) => Promise<void>;
  /** Calls back after each reconnection, because jobs added in the meantime were lost. */
  onReady: (check: () => void) => void;
  stop: () => Promise<void>;
}

const jobOptions: JobsOptions = {
  removeOnComplete: true,
  removeOnFail: true,
  attempts: 1000,
  backoff: { type: 'fixed', delay: 5_000 },
};

/** A Redis that accepts commands but never replies counts as unavailable, and its connection is replaced. */
export const replyTimeouts = { replyTimeoutMs: 3_000, silenceTimeoutMs: 3_000 };

/** Producers fail fast. Opens the queue with the first job, because opening needs a working connection. */
export function createProducer<T>(name: QueueName, options: QueueOptions, log: Log): Producer<T> {
  const connection = openConnection(options.redisUrl, {
    maxRetriesPerRequest: 1,
    enableOfflineQueue: false,
    ...replyTimeouts,
  });
  const logRejection = logRejections(log);
  const quietly = (error: Error): void => {
    log.debug({ err: error.message }, `${name} waits for Redis`);
    logRejection(error);
  };
  connection.on('error', quietly);
  let queue: Queue | undefined;
  const open = (): Queue => {
    const opened = new Queue(name, { prefix: queuePrefix(options), connection, skipWaitingForReady: true });
    opened.on('error', quietly);
    return opened;
  };
  return {
    async add(jobs) {
      if (jobs.length === 0 || connection.status !== 'ready') return;
      const opened = (queue ??= open());
      const bulk = jobs.map(({ data, ...own }) => ({ name, data, opts: { ...jobOptions, ...own } }));
      const ids = jobs.map(({ jobId }) => jobId);
      const adding = removeStale(opened, connection, ids).then(() => opened.addBulk(bulk));
      await adding.catch(quietly);
    },
    onReady: (check) => void connection.on('ready', check),
    async stop() {
      await queue?.close().catch(quietly);
      connection.disconnect();
    },
  };
}

/** Terminal or orphaned job states. */
const staleStates = new Set<string>(['completed', 'failed', 'unknown']);

/** Removes jobs when they end; a job left behind or in no list would block a new one with its id for ever. */
async function removeStale(queue: Queue, connection: Redis, ids: string[]): Promise<void> {
  const found = await connection.pipeline(ids.map((id) => ['exists', queue.toKey(id)])).exec();
  const there = ids.filter((_, at) => found?.[at]?.[1] === 1);
  await Promise.all(
    there.map(async (id) => {
      if (staleStates.has(await queue.getJobState(id))) await queue.remove(id);
    }),
  );
}

/** Closes a worker: gracefully within a timeout, immediately if Redis is unavailable. */
export async function endWorker(worker: Worker, connection: Redis, graceMs: number): Promise<void> {
  const isUnavailable = connection.status !== 'ready';
  await Promise.race([worker.close(isUnavailable), new Promise((resolve) => setTimeout(resolve, graceMs).unref())]);
  connection.disconnect();
}
