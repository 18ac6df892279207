/** One limit that a call counts against. */
export interface Slot {
  /** Names a platform and an ad account, a user or an app. */
  key: string;
  /** Calls per second; without it only a block and the reported calls count. */
  perSecond?: number;
  /** A longer wait is refused; without it any wait is accepted. */
  maxMs?: number;
}

/** Keeps the calls of all processes within a platform's limits. */
export interface Limits {
  /**
   * Takes a slot of each limit in turn, waits for it and returns 0. A slot further away than its `maxMs` is not taken:
   * returns the milliseconds until then.
   */
  throttle: (slots: Slot[]) => Promise<number>;
  /** Blocks this key for a while after a rate-limit response. */
  block: (key: string, ms: number) => Promise<void>;
  /** Records how many calls the platform still accepts under this key, and for how long. */
  noteCallsLeft: (key: string, left: CallsLeft) => Promise<void>;
  /** Counts units of a sliding day; if they exceed `most`, counts nothing and returns the milliseconds until they fit. */
  countOfDay: (key: string, units: number, most: number) => Promise<number>;
  /**
   * Runs exclusively under the key across all processes. Calls `onLost` if another process may have run meanwhile, because
   * this one was halted for longer than its lease or Redis lost its data or was unavailable.
   */
  withLock: <T>(key: string, run: () => Promise<T>, onLost?: () => void) => Promise<T>;
  /** Records temporarily what percentage of a quota is used. */
  noteUsage: (key: string, usage: Usage) => Promise<void>;
  usageOf: (key: string) => Promise<Usage | undefined>;
}

export interface CallsLeft {
  calls: number;
  /** Until the platform resets its count. */
  ms: number;
}

export interface Usage {
  percent: number;
  /** Seconds until the quota resets, if the platform reports it. */
  seconds: number;
}

/** Safety margin: network latency can bring calls closer together than they were sent. */
const margin = 1.02;

export const spacingMs = (perSecond: number): number => (1000 / perSecond) * margin;

export const hourMs = 3_600_000;
/** A day is counted in hours; an hour counts until a day after its end. */
export const hoursOfDay = 25;

/** In-process implementation for tests and as a fallback when Redis is down. */
export function localPlatformLimits(): Limits {
  const [slots, tails] = [new Map<string, number>(), new Map<string, Promise<unknown>>()];
  const usages = new Map<string, Usage & { until: number }>();
  const callsLeft = new Map<string, { calls: number; until: number }>();
  const days = new Map<string, Map<number, number>>();
  const spentUntil = (key: string, now: number): number => {
    const left = callsLeft.get(key);
    if (left && left.until <= now) callsLeft.delete(key);
    return left && left.calls <= 0 ? left.until : 0;
  };
  const take = ({ key, perSecond, maxMs = Number.POSITIVE_INFINITY }: Slot): { waitMs: number; isTaken: boolean } => {
    const now = Date.now();
    const resetsAt = spentUntil(key, now);
    const at = Math.max(now, slots.get(key) ?? 0, resetsAt);
    if (resetsAt > now || at - now > maxMs) return { waitMs: at - now, isTaken: false };
    const left = callsLeft.get(key);
    if (left) left.calls -= 1;
    if (perSecond !== undefined) slots.set(key, at + spacingMs(perSecond));
    return { waitMs: at - now, isTaken: true };
  };
  return {
    async throttle(all) {
      for (const slot of all) {
        for (;;) {
          const { waitMs, isTaken } = take(slot);
          if (!isTaken && waitMs > (slot.maxMs ?? Number.POSITIVE_INFINITY)) return waitMs;
          if (waitMs > 0) await new Promise((resolve) => setTimeout(resolve, waitMs));
          if (isTaken) break;
        }
      }
      return 0;
    },
    async block(key, ms) {
      slots.set(key, Math.max(slots.get(key) ?? 0, Date.now() + ms));
    },
    async noteCallsLeft(key, { calls, ms }) {
      const now = Date.now();
      const before = callsLeft.get(key);
      const known = before && before.until > now ? before.calls : calls;
      callsLeft.set(key, { calls: Math.min(known, calls), until: now + ms });
    },
    async countOfDay(key, units, most) {
      const now = Date.now();
      const hour = Math.floor(now / hourMs);
      const counted = [...(days.get(key) ?? [])].filter(([at]) => at > hour - hoursOfDay).toSorted(([a], [b]) => a - b);
      const hours = new Map(counted);
      days.set(key, hours);
      let total = counted.reduce((sum, [, count]) => sum + count, units);
      for (const [at, count] of counted) {
        if (total <= most) break;
        total -= count;
        if (total <= most) return (at + hoursOfDay) * hourMs - now;
      }
      if (total <= most) hours.set(hour, (hours.get(hour) ?? 0) + units);
      return total <= most ? 0 : hoursOfDay * hourMs;
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
