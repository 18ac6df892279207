import { Redis } from 'ioredis';

export interface QueueOptions {
  redisUrl: string;
  redisPrefix: string;
  /** Pause between two looks for ads of unknown outcome, in milliseconds. */
  settleEveryMs: number;
  /** How long after a look that missed an ad a second one must miss it too. */
  settleAfterMs: number;
  /** Pause between two looks for overdue deliveries and due probes, in milliseconds. */
  sweepEveryMs: number;
}

/** BullMQ's key prefix; the braces keep all keys of the queues on one cluster node. */
export const queuePrefix = ({ redisPrefix }: QueueOptions): string => `{${redisPrefix}:queue}`;

/** Workers wait for Redis without end; producers fail fast and try again on the next tick. */
export const workerConnection = ({ redisUrl }: QueueOptions): Redis =>
  new Redis(redisUrl, { maxRetriesPerRequest: null });
export const producerConnection = ({ redisUrl }: QueueOptions): Redis =>
  new Redis(redisUrl, { maxRetriesPerRequest: 1, enableOfflineQueue: false });
