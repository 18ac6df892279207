export interface MessageBuffer {
  put: (message: unknown) => void;
  close: () => void;
  messages: AsyncIterableIterator<unknown>;
}

/** Drop the oldest message when the buffer is full. */
const maxWaiting = 1000;

/** Messages buffered until one reader takes them; `onEnd` runs once, whichever side ends it. */
export function createMessageBuffer(onEnd: () => void): MessageBuffer {
  const waiting: unknown[] = [];
  let wake: ((result: IteratorResult<unknown>) => void) | undefined;
  let isOver = false;
  const over = { value: undefined, done: true } as const;

  const close = (): void => {
    if (isOver) return;
    isOver = true;
    wake?.(over);
    onEnd();
  };

  return {
    put(message) {
      if (isOver) return;
      if (wake) wake({ value: message, done: false });
      else if (waiting.push(message) > maxWaiting) waiting.shift();
      wake = undefined;
    },
    close,
    messages: {
      async next() {
        if (waiting.length > 0) return { value: waiting.shift(), done: false };
        if (isOver) return over;
        return new Promise((resolve) => (wake = resolve));
      },
      async return() {
        close();
        return over;
      },
      [Symbol.asyncIterator]() {
        return this;
      },
    },
  };
}
