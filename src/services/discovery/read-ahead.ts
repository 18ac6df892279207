/** Asks for the next page while the last one is worked on: never more than one ahead. */
export async function* readAhead<T>(source: AsyncIterable<T>): AsyncGenerator<T> {
  const pages = source[Symbol.asyncIterator]();
  const ask = () => {
    const answer = pages.next();
    // It is told of when its turn comes.
    answer.catch(() => undefined);
    return answer;
  };
  let next = ask();
  try {
    for (;;) {
      const { value: page, done } = await next;
      if (done) return;
      next = ask();
      yield page;
    }
  } finally {
    // Whoever leaves early does not wait for the answer that is under way.
    pages.return?.().catch(() => undefined);
  }
}
