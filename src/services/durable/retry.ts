const longestMs = 30_000;
const longestPauseMs = 1_000;

/**
 * Retries an idempotent write through a database restart; losing it would resend the request. Only for what
 * may be repeated, since an error does not show whether the write was done.
 */
export async function retryUntilStored<T>(run: () => Promise<T>): Promise<T> {
  const end = performance.now() + longestMs;
  for (let pauseMs = 50; ; pauseMs = Math.min(2 * pauseMs, longestPauseMs)) {
    try {
      return await run();
    } catch (error) {
      if (performance.now() + pauseMs > end) throw error;
      await new Promise((resolve) => setTimeout(resolve, pauseMs));
    }
  }
}
