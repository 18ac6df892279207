import type { Redis } from 'ioredis';
import type { PubSub, Subscription } from '../services/context.ts';
import { keepAlive } from './keepalive.ts';
import { createMessageBuffer, type MessageBuffer } from '../lib/message-buffer.ts';

export interface ClosableFeed extends PubSub {
  /** Ends all subscriptions of this process. */
  close: () => void;
}

/** Messages between processes, as JSON, by channel. One connection per process serves all its subscribers. */
export function createPubSub(redis: Redis, prefix: string): ClosableFeed {
  const watchers = new Map<string, Set<MessageBuffer>>();
  let listener: Redis | undefined;
  const nameOf = (channel: string): string => `${prefix}:feed:${channel}`;

  const listen = (): Redis => {
    // A subscribed connection cannot send other commands; it waits for Redis indefinitely.
    const opened = keepAlive(
      redis.duplicate({ enableOfflineQueue: true, maxRetriesPerRequest: null, commandTimeout: undefined }),
    );
    opened.on('error', () => undefined);
    opened.on('message', (name: string, text: string) => {
      for (const inbox of watchers.get(name) ?? []) inbox.put(JSON.parse(text));
    });
    return opened;
  };

  const leave = (name: string, inbox: MessageBuffer): void => {
    const there = watchers.get(name);
    if (!there?.delete(inbox) || there.size > 0) return;
    watchers.delete(name);
    listener?.unsubscribe(name).catch(() => undefined);
  };

  return {
    publish(channel, message) {
      redis.publish(nameOf(channel), JSON.stringify(message)).catch(() => undefined);
    },
    subscribe(channel): Subscription {
      const name = nameOf(channel);
      const inbox = createMessageBuffer(() => leave(name, inbox));
      listener ??= listen();
      watchers.set(name, (watchers.get(name) ?? new Set()).add(inbox));
      const ready = listener.subscribe(name).then(
        () => undefined,
        () => undefined,
      );
      return Object.assign(inbox.messages, { ready });
    },
    close() {
      for (const inboxes of watchers.values()) for (const inbox of inboxes) inbox.close();
      listener?.disconnect();
    },
  };
}
