import type { Redis } from 'ioredis';
import type { PubSub, Subscription } from '../services/context.ts';
import type { Log } from '../telemetry/log.ts';
import { logRejections, type ConnectionOptions } from './open.ts';
import { keepAlive } from './keepalive.ts';
import { createMessageBuffer, type MessageBuffer } from '../lib/message-buffer.ts';

const noReplyTimeout: ConnectionOptions = { replyTimeoutMs: undefined };

export interface ClosableFeed extends PubSub {
  /** Ends all subscriptions of this process. */
  close: () => void;
}

/** How long a list of watched channels is used, unless a process begins to watch a channel. */
const watchedMs = 1_000;

/** Messages between processes, as JSON, by channel. One connection per process serves all its subscribers. */
export function createPubSub(redis: Redis, prefix: string, log: Log): ClosableFeed {
  const watchers = new Map<string, Set<MessageBuffer>>();
  /** A lost message only delays its subscribers: they also read the state at intervals. */
  const logRejection = logRejections(log);
  let listener: Redis | undefined;
  const nameOf = (channel: string): string => `${prefix}:feed:${channel}`;
  /** Informs the processes that publish only what is watched of a new watcher. */
  const newWatchers = `${prefix}:watchers`;
  let hearsWatchers = false;
  let watched: { names: Promise<Set<string>>; until: number } | undefined;

  const listen = (): Redis => {
    // A subscribed connection cannot send other commands; it waits for Redis indefinitely.
    const opened = keepAlive(
      redis.duplicate({ enableOfflineQueue: true, maxRetriesPerRequest: null, ...noReplyTimeout }),
    );
    opened.on('error', () => undefined);
    opened.on('message', (name: string, text: string) => {
      if (name === newWatchers) watched = undefined;
      for (const inbox of watchers.get(name) ?? []) inbox.put(JSON.parse(text));
    });
    return opened;
  };

  const leave = (name: string, inbox: MessageBuffer): void => {
    const there = watchers.get(name);
    if (!there?.delete(inbox) || there.size > 0) return;
    watchers.delete(name);
    listener?.unsubscribe(name).catch(logRejection);
  };

  /** The channels that any process watches. */
  const watchedNames = (): Promise<Set<string>> => {
    if (!hearsWatchers) {
      hearsWatchers = true;
      listener ??= listen();
      listener.subscribe(newWatchers).catch(logRejection);
    }
    if (!watched || performance.now() >= watched.until) {
      const pattern = `${nameOf('').replaceAll(/[?*[\]\\]/g, String.raw`\$&`)}*`;
      const names = redis.pubsub('CHANNELS', pattern).then((found) => new Set(found as string[]));
      watched = { names, until: performance.now() + watchedMs };
    }
    return watched.names;
  };

  const publish = (channel: string, message: unknown): void => {
    redis.publish(nameOf(channel), JSON.stringify(message)).catch(logRejection);
  };

  return {
    publish,
    publishIfWatched(channel, message) {
      const name = nameOf(channel);
      if (watchers.has(name)) return publish(channel, message);
      watchedNames().then((names) => names.has(name) && publish(channel, message), logRejection);
    },
    subscribe(channel): Subscription {
      const name = nameOf(channel);
      const inbox = createMessageBuffer(() => leave(name, inbox));
      listener ??= listen();
      watchers.set(name, (watchers.get(name) ?? new Set()).add(inbox));
      const ready = listener
        .subscribe(name)
        .then(() => redis.publish(newWatchers, ''))
        .then(() => undefined, logRejection);
      return Object.assign(inbox.messages, { ready });
    },
    close() {
      for (const inboxes of watchers.values()) for (const inbox of inboxes) inbox.close();
      listener?.disconnect();
    },
  };
}
