/** Keeps the calls of all processes within a platform's limits. Keys name a platform and an ad account or an app. */
export interface Limits {
  /**
   * Waits for the next slot at this number of calls per second and returns 0. A slot further away than `mostMs` is not
   * taken: returns the milliseconds until then.
   */
  throttle: (key: string, perSecond: number, mostMs?: number) => Promise<number>;
  /** Blocks this key for a while after a rate-limit response. */
  block: (key: string, ms: number) => Promise<void>;
  /** Runs exclusively under the key across all processes. */
  withLock: <T>(key: string, run: () => Promise<T>) => Promise<T>;
  /** Records temporarily what percentage of a quota is used. */
  noteUsage: (key: string, usage: Usage) => Promise<void>;
  usageOf: (key: string) => Promise<Usage | undefined>;
}

export interface Usage {
  percent: number;
  /** Seconds until the quota resets, if the platform reports it. */
  seconds: number;
}

/** Safety margin: network latency can bring calls closer together than they were sent. */
const margin = 1.02;

export const spacingMs = (perSecond: number): number => (1000 / perSecond) * margin;

/** In-process implementation for tests and as a fallback when Redis is down. */
export function localPlatformLimits(): Limits {
  const [slots, tails] = [new Map<string, number>(), new Map<string, Promise<unknown>>()];
  const usages = new Map<string, Usage & { until: number }>();
  return {
    async throttle(key, perSecond, mostMs = Number.POSITIVE_INFINITY) {
      const now = Date.now();
      const at = Math.max(now, slots.get(key) ?? 0);
      if (at - now > mostMs) return at - now;
      slots.set(key, at + spacingMs(perSecond));
      if (at > now) await new Promise((resolve) => setTimeout(resolve, at - now));
      return 0;
    },
    async block(key, ms) {
      slots.set(key, Math.max(slots.get(key) ?? 0, Date.now() + ms));
    },
    withLock(key, run) {
      const before = tails.get(key) ?? Promise.resolve();
      const current = before.then(run, run);
      tails.set(key, current);
      const clean = (): void => void (tails.get(key) === current && tails.delete(key));
      current.then(clean, clean);
      return current;
    },
    async noteUsage(key, usage) {
      usages.set(key, { ...usage, until: Date.now() + usage.seconds * 1000 });
    },
    async usageOf(key) {
      const usage = usages.get(key);
      if (usage && usage.until > Date.now())
        return { percent: usage.percent, seconds: (usage.until - Date.now()) / 1000 };
      usages.delete(key);
      return undefined;
    },
  };
}
