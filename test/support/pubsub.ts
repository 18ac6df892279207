import { EventEmitter } from 'node:events';
import { createMessageBuffer } from '../../src/lib/message-buffer.ts';
import type { PubSub } from '../../src/services/context.ts';

/** A feed within this process, for services that run without Redis. */
export function localFeed(): PubSub {
  const emitter = new EventEmitter();
  const publish = (channel: string, message: unknown): void =>
    void emitter.emit(channel, JSON.parse(JSON.stringify(message)));
  return {
    publish,
    publishIfWatched: publish,
    subscribe: (channel) => {
      const inbox = createMessageBuffer(() => emitter.off(channel, inbox.put));
      emitter.on(channel, inbox.put);
      return Object.assign(inbox.messages, { ready: Promise.resolve() });
    },
  };
}
