import type { Feed } from './context.ts';

export interface Watched<T extends object> {
  channel: string;
  /** Asks the store: first of all, and after a silence, in case a message was lost. */
  look: () => Promise<T | null>;
  isOver: (state: T) => boolean;
  lookEveryMs?: number;
}

/** A state now and whenever it changes, until it is over. */
export async function* watchStates<T extends object>(
  feed: Feed,
  { channel, look, isOver, lookEveryMs = 5_000 }: Watched<T>,
): AsyncGenerator<T> {
  const messages = feed.subscribe(channel);
  try {
    await within(messages.ready, lookEveryMs);
    let shown = '';
    let message: Promise<IteratorResult<unknown>> | undefined;
    let state: T | null = await look();
    for (;;) {
      const text = JSON.stringify(state);
      if (state && text !== shown) yield state;
      if (state && isOver(state)) return;
      shown = text;
      message ??= messages.next();
      const next = await within(message, lookEveryMs);
      if (next?.done) return;
      if (next) message = undefined;
      state = next ? (next.value as T) : await look();
    }
  } finally {
    await messages.return?.();
  }
}

/** What is waited for, or nothing after some time. */
async function within<T>(promise: Promise<T>, ms: number): Promise<T | undefined> {
  let timer: NodeJS.Timeout | undefined;
  const patience = new Promise<undefined>((resolve) => {
    timer = setTimeout(resolve, ms, undefined);
    timer.unref();
  });
  return Promise.race([promise, patience]).finally(() => clearTimeout(timer));
}
