import type { Redis } from 'ioredis';
import { newId } from '../lib/id.ts';
import { spacingMs, type Limits } from '../lib/platform-limits.ts';
import type { Log } from '../telemetry/log.ts';

export interface LimiterOptions {
  redis: Redis;
  prefix: string;
  log: Log;
  /** Used while Redis is unavailable. */
  withoutRedis: Limits;
  /** How long a lock outlives its process. */
  leaseMs?: number;
}

const pollIntervalMs = 25;
/** Processes that are assumed to share a rate while Redis is unavailable: each takes its part. */
const sharers = 4;
/** To the script, any wait is short enough. */
const noLimit = -1;
/** Waiters that stop polling for this long are dropped. */
const waiterTimeoutMs = 2_000;

const clock = `
local time = redis.call('TIME')
local now = time[1] * 1000000 + time[2]
`;

// Each call reserves the next free time, so that calls of all processes are evenly spaced.
const throttleScript = `${clock}
local at = math.max(now, tonumber(redis.call('GET', KEYS[1]) or '0'))
local wait = math.ceil((at - now) / 1000)
if tonumber(ARGV[2]) >= 0 and wait > tonumber(ARGV[2]) then return wait end
local free = at + tonumber(ARGV[1])
redis.call('SET', KEYS[1], string.format('%.0f', free), 'PX', math.ceil((free - now) / 1000) + 1000)
return wait
`;

const blockScript = `${clock}
local free = math.max(now + tonumber(ARGV[1]), tonumber(redis.call('GET', KEYS[1]) or '0'))
redis.call('SET', KEYS[1], string.format('%.0f', free), 'PX', math.ceil((free - now) / 1000) + 1000)
`;

// Fair (FIFO) lock.
const acquire = `${clock}
for _, gone in ipairs(redis.call('ZRANGEBYSCORE', KEYS[3], '-inf', now - ARGV[3] * 1000)) do
  redis.call('ZREM', KEYS[2], gone)
  redis.call('ZREM', KEYS[3], gone)
end
redis.call('ZADD', KEYS[2], 'NX', now, ARGV[1])
redis.call('ZADD', KEYS[3], now, ARGV[1])
redis.call('PEXPIRE', KEYS[2], 60000)
redis.call('PEXPIRE', KEYS[3], 60000)
if redis.call('ZRANGE', KEYS[2], 0, 0)[1] ~= ARGV[1] then return 0 end
if not redis.call('SET', KEYS[1], ARGV[1], 'NX', 'PX', ARGV[2]) then return 0 end
redis.call('ZREM', KEYS[2], ARGV[1])
redis.call('ZREM', KEYS[3], ARGV[1])
return 1
`;

// Re-acquire after a FLUSHALL unless another process already has.
const renew = `
local holder = redis.call('GET', KEYS[1])
if holder and holder ~= ARGV[1] then return 0 end
redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])
return 1
`;
const release = `if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('DEL', KEYS[1]) end return 0`;

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** Limits across all processes. While Redis is unavailable, each process takes a quarter of every rate. */
export function createLimiter({ redis, prefix, log, withoutRedis, leaseMs = 10_000 }: LimiterOptions): Limits {
  // The keys of one ad account must lie on one cluster node.
  const name = (key: string, kind: string): string => `{${prefix}:limit:${key}}:${kind}`;
  const orLocally = async <T>(ask: () => Promise<T>, locally: () => Promise<T>): Promise<T> => {
    try {
      return await ask();
    } catch (error) {
      log.debug({ err: error }, 'rate limiter: Redis unavailable, using in-process limits');
      return locally();
    }
  };

  const wait = async (key: string, token: string): Promise<void> => {
    const keys = [name(key, 'holder'), name(key, 'waiting'), name(key, 'alive')];
    while ((await redis.eval(acquire, 3, ...keys, token, leaseMs, waiterTimeoutMs)) !== 1) await pause(pollIntervalMs);
  };

  const withLease = async <T>(key: string, run: () => Promise<T>): Promise<T> => {
    const [holder, token] = [name(key, 'holder'), newId()];
    await orLocally(
      () => wait(key, token),
      () => Promise.resolve(),
    );
    const renewal = setInterval(
      () => void redis.eval(renew, 1, holder, token, leaseMs).catch(() => undefined),
      leaseMs * 0.3,
    );
    try {
      return await run();
    } finally {
      clearInterval(renewal);
      // Not awaited, so that it shares a round trip with the next command; a lock that stays behind expires.
      void redis.eval(release, 1, holder, token).catch(() => undefined);
    }
  };

  return {
    throttle: (key, perSecond, mostMs = noLimit) =>
      orLocally(
        async () => {
          const spacing = Math.ceil(spacingMs(perSecond) * 1000);
          const waitMs = Number(await redis.eval(throttleScript, 1, name(key, 'pace'), spacing, mostMs));
          if (mostMs !== noLimit && waitMs > mostMs) return waitMs;
          if (waitMs > 0) await pause(waitMs);
          return 0;
        },
        () => withoutRedis.throttle(key, perSecond / sharers, mostMs === noLimit ? undefined : mostMs),
      ),
    block: (key, ms) =>
      orLocally(
        async () => void (await redis.eval(blockScript, 1, name(key, 'pace'), Math.ceil(ms * 1000))),
        () => withoutRedis.block(key, ms),
      ),
    // Callers in one process queue locally first, so that only one of them polls Redis.
    withLock: (key, run) => withoutRedis.withLock(key, () => withLease(key, run)),
    noteUsage: (key, usage) =>
      orLocally(
        async () =>
          void (await redis.set(name(key, 'usage'), String(usage.percent), 'PX', Math.ceil(usage.seconds * 1000))),
        () => withoutRedis.noteUsage(key, usage),
      ),
    usageOf: (key) =>
      orLocally(
        async () => {
          const [percent, ms] = await Promise.all([redis.get(name(key, 'usage')), redis.pttl(name(key, 'usage'))]);
          return percent === null ? undefined : { percent: Number(percent), seconds: Math.max(0, ms / 1000) };
        },
        () => withoutRedis.usageOf(key),
      ),
  };
}
