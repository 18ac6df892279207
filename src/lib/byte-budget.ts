/** Bytes that may be in flight at once in this process. */
export interface ByteBudget {
  /**
   * Reserves bytes, first come first served, and returns the function that frees them. Returns undefined if they are not
   * free within `waitMs`; a request for more than the whole budget waits for all of it.
   */
  reserve: (bytes: number, waitMs: number) => Promise<(() => void) | undefined>;
  readonly reserved: number;
}

interface Waiter {
  bytes: number;
  start: () => void;
}

export function createByteBudget(limit: number): ByteBudget {
  const waiters: Waiter[] = [];
  let reserved = 0;
  const startWaiters = (): void => {
    for (let [first] = waiters; first && reserved + first.bytes <= limit; [first] = waiters) {
      waiters.shift();
      reserved += first.bytes;
      first.start();
    }
  };
  const release = (bytes: number): (() => void) => {
    let isHeld = true;
    return () => {
      if (isHeld) reserved -= bytes;
      isHeld = false;
      startWaiters();
    };
  };
  return {
    get reserved() {
      return reserved;
    },
    reserve(requested, waitMs) {
      const bytes = Math.min(requested, limit);
      return new Promise((resolve) => {
        const waiter: Waiter = {
          bytes,
          start: () => {
            clearTimeout(timer);
            resolve(release(bytes));
          },
        };
        const timer = setTimeout(() => {
          waiters.splice(waiters.indexOf(waiter), 1);
          resolve(undefined);
          // A smaller request may have waited behind this one.
          startWaiters();
        }, waitMs);
        waiters.push(waiter);
        startWaiters();
      });
    },
  };
}
