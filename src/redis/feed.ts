import { Redis } from 'ioredis';
import type { Log } from '../lib/log.ts';
import type { Feed } from '../services/context.ts';
import { createStream, type Stream } from './stream.ts';

export interface FeedOptions {
  url: string;
  /** The connection that tells; the one that listens is opened with the first follower. */
  redis: Redis;
  prefix: string;
  log: Log;
}

interface RunningFeed extends Feed {
  /** Ends every stream of this process. */
  stop: () => void;
}

const patienceMs = 1_000;

/** What happens, told to whoever follows it in any process. A message that is lost is missed; the store has the truth. */
export function createFeed({ url, redis, prefix, log }: FeedOptions): RunningFeed {
  const followers = new Map<string, Set<Stream<unknown>>>();
  const channelOf = (topic: string): string => `${prefix}:feed:${topic}`;
  let listener: Redis | undefined;
  const listen = (): Redis => {
    const opened = new Redis(url, { maxRetriesPerRequest: null });
    opened.on('error', (error: Error) => log.debug({ err: error.message }, 'the feed waits for Redis'));
    opened.on('message', (channel: string, id: string) => {
      for (const stream of followers.get(channel) ?? []) stream.offer(id);
    });
    return opened;
  };
  const leave = (channel: string, stream: Stream<unknown>): void => {
    const left = followers.get(channel);
    left?.delete(stream);
    if (left?.size !== 0) return;
    followers.delete(channel);
    listener?.unsubscribe(channel).catch(() => undefined);
  };
  return {
    tell: (topic, id) => void redis.publish(channelOf(topic), id).catch(() => undefined),
    async follow<T>(topic: string, read: (id: string) => Promise<T | undefined>): Promise<AsyncIterableIterator<T>> {
      listener ??= listen();
      const channel = channelOf(topic);
      const stream: Stream<T> = createStream(read, () => leave(channel, stream as Stream<unknown>));
      followers.set(channel, (followers.get(channel) ?? new Set()).add(stream as Stream<unknown>));
      // While Redis is away the connection keeps the wish; the follower need not wait for it.
      const late = new Promise((resolve) => setTimeout(resolve, patienceMs).unref());
      await Promise.race([listener.subscribe(channel).catch(() => undefined), late]);
      return stream.values;
    },
    stop: () => {
      for (const stream of [...followers.values()].flatMap((set) => [...set])) stream.end();
      listener?.disconnect();
    },
  };
}
