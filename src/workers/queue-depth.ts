import { Queue } from 'bullmq';
import type { Redis } from 'ioredis';
import type { Reading } from '../telemetry/metrics.ts';
import { openConnection } from '../redis/open.ts';
import { queueNames, queuePrefix, replyTimeouts, type QueueOptions } from './queues.ts';

const states = ['wait', 'active', 'delayed', 'prioritized', 'failed'] as const;

export interface QueueDepth {
  read: () => Promise<Reading[]>;
  stop: () => Promise<void>;
}

/** Counts the jobs of each queue and the memory of Redis; connects on first use. */
export function createQueueDepth(settings: QueueOptions): QueueDepth {
  let opened: { connection: Redis; queues: Queue[] } | undefined;
  const open = (): { connection: Redis; queues: Queue[] } => {
    const connection = openConnection(settings.redisUrl, {
      maxRetriesPerRequest: 1,
      ...replyTimeouts,
      replyTimeoutMs: 1_000,
    });
    connection.on('error', () => undefined);
    const options = { prefix: queuePrefix(settings), connection, skipWaitingForReady: true, skipMetasUpdate: true };
    const queues = queueNames.map((name) => new Queue(name, options).on('error', () => undefined));
    return { connection, queues };
  };
  return {
    async read() {
      opened ??= open();
      const { connection, queues } = opened;
      const [memory, ...counts] = await Promise.all([connection.info('memory'), ...queues.map(depthOf)]);
      const [, bytes] = /^used_memory:(\d+)/m.exec(memory) ?? [];
      const used: Reading[] = bytes === undefined ? [] : [{ name: 'redis_used_memory_bytes', value: Number(bytes) }];
      return [...counts.flat(), ...used];
    },
    async stop() {
      // The process ends, and its connections with it.
      await Promise.all((opened?.queues ?? []).map((queue) => queue.close().catch(() => undefined)));
      opened?.connection.disconnect();
    },
  };
}

async function depthOf(queue: Queue): Promise<Reading[]> {
  const counts = await queue.getJobCounts(...states);
  return states.map((state) => ({
    name: 'queue_jobs',
    labels: { queue: queue.name, state },
    value: counts[state] ?? 0,
  }));
}
