const minute = (): number => Math.floor(Date.now() / 60_000);

/** The result of work within one window of the rate limit: the work is repeated if a minute ends amid it. */
export async function inOneMinute<T>(work: () => Promise<T>): Promise<T> {
  for (let tries = 0; tries < 5; tries += 1) {
    const began = minute();
    const result = await work();
    if (minute() === began) return result;
  }
  throw new Error('The work did not end within the minute in which it began, five times in a row');
}
