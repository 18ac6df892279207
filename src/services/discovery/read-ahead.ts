import type { Clock } from '../../lib/clock.ts';

export interface ReadPage<T> {
  page: T;
  /** What the page shows may be as old as this. */
  askedAt: Date;
}

/** Asks for the next page while the last one is worked on: never more than one ahead. */
export async function* readAhead<T>(source: AsyncIterable<T>, clock: Clock): AsyncGenerator<ReadPage<T>> {
  const pages = source[Symbol.asyncIterator]();
  const ask = () => {
    const [askedAt, answer] = [clock.now(), pages.next()];
    // It is told of when its turn comes.
    answer.catch(() => undefined);
    return { askedAt, answer };
  };
  let next = ask();
  try {
    for (;;) {
      const { value: page, done } = await next.answer;
      if (done) return;
      const { askedAt } = next;
      next = ask();
      yield { page, askedAt };
    }
  } finally {
    // Whoever leaves early does not wait for the answer that is under way.
    pages.return?.().catch(() => undefined);
  }
}
