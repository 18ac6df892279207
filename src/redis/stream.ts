/** Ids in, what they stand for out, in the same order. */
export interface Stream<T> {
  offer: (id: string) => void;
  end: () => void;
  values: AsyncIterableIterator<T>;
}

/** A reader that does not keep up misses the oldest. */
const mostKept = 1_000;

/**
 * By hand and not as a generator: a generator that waits for the next value cannot be ended before it comes. A read that
 * throws ends the stream.
 */
export function createStream<T>(read: (id: string) => Promise<T | undefined>, onEnd: () => void): Stream<T> {
  const kept: T[] = [];
  let waiting: ((result: IteratorResult<T>) => void) | undefined;
  let isOver = false;
  let reading = Promise.resolve();
  const end = (): void => {
    if (isOver) return;
    isOver = true;
    waiting?.({ value: undefined, done: true });
    onEnd();
  };
  const give = (value: T): void => {
    if (isOver) return;
    if (waiting) waiting({ value, done: false });
    else kept.push(value);
    waiting = undefined;
    if (kept.length > mostKept) kept.shift();
  };
  const pass = async (id: string): Promise<void> => {
    if (isOver) return;
    try {
      const value = await read(id);
      if (value !== undefined) give(value);
    } catch {
      end();
    }
  };
  const over: IteratorResult<T> = { value: undefined, done: true };
  const values: AsyncIterableIterator<T> = {
    [Symbol.asyncIterator]: () => values,
    next: async () => {
      const value = kept.shift();
      if (value !== undefined) return { value, done: false };
      return isOver ? over : new Promise((resolve) => (waiting = resolve));
    },
    return: async () => {
      end();
      return over;
    },
  };
  return { offer: (id) => void (reading = reading.then(() => pass(id))), end, values };
}
