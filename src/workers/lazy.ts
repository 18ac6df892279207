import type { Wake } from '../redis/wake-relay.ts';
import type { Services } from '../services/context.ts';
import type { QueueDepth } from './queue-depth.ts';
import type { QueueOptions } from './queues.ts';
import type { Workers } from './start.ts';

// BullMQ and the workers take a tenth of the memory and of the start of an API process, which needs neither.

/** Loads and starts the workers of this process. */
export const lazyWorkers = async (services: Services, options: QueueOptions, wake: Wake): Promise<Workers> =>
  (await import('./start.ts')).startWorkers(services, options, wake);

/** Loads the queues when the metrics are first read. */
export function lazyQueueDepth(options: QueueOptions): QueueDepth {
  let opened: Promise<QueueDepth> | undefined;
  const open = (): Promise<QueueDepth> =>
    (opened ??= import('./queue-depth.ts').then(({ createQueueDepth }) => createQueueDepth(options)));
  return { read: async () => (await open()).read(), stop: async () => (await opened)?.stop() };
}
