/** Requests the next page while the last one is processed, at most one ahead. */
export async function* readAhead<T>(source: AsyncIterable<T>): AsyncGenerator<T> {
  const pages = source[Symbol.asyncIterator]();
  const ask = () => {
    const answer = pages.next();
    // It is rethrown when its page is read.
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
    // A consumer that stops early does not wait for the response in flight.
    pages.return?.().catch(() => undefined);
  }
}
