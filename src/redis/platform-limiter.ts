import type { Redis } from 'ioredis';
import { newId } from '../lib/id.ts';
import { hourMs, hoursOfDay, spacingMs, type Limits, type Slot } from '../lib/platform-limits.ts';
import type { Log } from '../telemetry/log.ts';
import { logRejections } from './open.ts';

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
const noSpacing = 0;
/** Waiters that stop polling for this long are dropped. */
const waiterTimeoutMs = 2_000;

const clock = `
local time = redis.call('TIME')
local now = time[1] * 1000000 + time[2]
`;

// Each call reserves the next free time of each key, so that calls of all processes are evenly spaced. It returns at the
// first wait, with the key to continue at (0: the end), so that a call which waits for one limit holds no slot of the next.
const throttleScript = `${clock}
for i = tonumber(ARGV[1]), #KEYS / 2 do
  local pace, left = KEYS[2 * i - 1], KEYS[2 * i]
  local spacing, most = tonumber(ARGV[2 * i]), tonumber(ARGV[2 * i + 1])
  local at = math.max(now, tonumber(redis.call('GET', pace) or '0'))
  local calls = tonumber(redis.call('GET', left))
  local spent = calls and calls <= 0
  if spent then at = math.max(at, now + redis.call('PTTL', left) * 1000) end
  local wait = math.ceil((at - now) / 1000)
  if most >= 0 and wait > most then return {wait, 0} end
  if spent then return {wait, i} end
  if calls then redis.call('DECR', left) end
  if spacing > 0 then
    local free = at + spacing
    redis.call('SET', pace, string.format('%.0f', free), 'PX', math.ceil((free - now) / 1000) + 1000)
  end
  if wait > 0 then return {wait, i + 1} end
end
return {0, 0}
`;

const callsLeftScript = `
local known = tonumber(redis.call('GET', KEYS[1]) or ARGV[1])
redis.call('SET', KEYS[1], math.min(known, tonumber(ARGV[1])), 'PX', ARGV[2])
`;

const dayScript = `${clock}
local units, most, hour = tonumber(ARGV[1]), tonumber(ARGV[2]), math.floor(now / 1000 / ARGV[3])
local hours, total, known = {}, units, redis.call('HGETALL', KEYS[1])
for i = 1, #known, 2 do
  local at = tonumber(known[i])
  if at <= hour - ARGV[4] then redis.call('HDEL', KEYS[1], known[i])
  else
    hours[#hours + 1] = {at, tonumber(known[i + 1])}
    total = total + known[i + 1]
  end
end
table.sort(hours, function(a, b) return a[1] < b[1] end)
for _, one in ipairs(hours) do
  if total <= most then break end
  total = total - one[2]
  if total <= most then return math.ceil((one[1] + ARGV[4]) * ARGV[3] - now / 1000) end
end
if total > most then return ARGV[4] * ARGV[3] end
redis.call('HINCRBY', KEYS[1], hour, units)
redis.call('PEXPIRE', KEYS[1], ARGV[4] * ARGV[3])
return 0
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

// Re-acquire after a FLUSHALL unless another process already has; 1 if it was still held.
const renew = `
local holder = redis.call('GET', KEYS[1])
if holder and holder ~= ARGV[1] then return 0 end
redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])
return holder and 1 or 0
`;
const release = `if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('DEL', KEYS[1]) end return 0`;

const shareOf = (perSecond?: number): number | undefined => perSecond && perSecond / sharers;

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** Limits across all processes. While Redis is unavailable, each process takes a quarter of every rate. */
export function createLimiter({ redis, prefix, log, withoutRedis, leaseMs = 10_000 }: LimiterOptions): Limits {
  const name = (key: string, kind: string): string => `{${prefix}:limit:${key}}:${kind}`;
  const logRejection = logRejections(log);
  const orLocally = async <T>(ask: () => Promise<T>, locally: () => Promise<T>): Promise<T> => {
    try {
      return await ask();
    } catch (error) {
      log.debug({ err: error }, 'rate limiter: Redis unavailable, using in-process limits');
      logRejection(error);
      return locally();
    }
  };

  const take = async (slots: Slot[]): Promise<number> => {
    const keys = slots.flatMap(({ key }) => [name(key, 'pace'), name(key, 'left')]);
    const terms = slots.flatMap(({ perSecond, maxMs = noLimit }) => [
      perSecond === undefined ? noSpacing : Math.ceil(spacingMs(perSecond) * 1000),
      maxMs,
    ]);
    for (let next = 1; next > 0 && next <= slots.length;) {
      const reply = await redis.eval(throttleScript, keys.length, ...keys, next, ...terms);
      const [waitMs, at] = reply as [number, number];
      if (at === 0) return waitMs;
      await pause(waitMs);
      next = at;
    }
    return 0;
  };

  const wait = async (key: string, token: string): Promise<void> => {
    const keys = [name(key, 'holder'), name(key, 'waiting'), name(key, 'alive')];
    while ((await redis.eval(acquire, 3, ...keys, token, leaseMs, waiterTimeoutMs)) !== 1) await pause(pollIntervalMs);
  };

  const withLease = async <T>(key: string, run: () => Promise<T>, onLost?: () => void): Promise<T> => {
    const [holder, token] = [name(key, 'holder'), newId()];
    let isHeld = await orLocally(
      () => wait(key, token).then(() => true),
      () => Promise.resolve(false),
    );
    const note = (held: unknown): void => void (isHeld &&= held === 1);
    // The next renewal makes up for one that fails, as long as the lease lasts.
    const renewal = setInterval(
      () => void redis.eval(renew, 1, holder, token, leaseMs).then(note, logRejection),
      leaseMs * 0.3,
    );
    try {
      return await run();
    } finally {
      clearInterval(renewal);
      // Not awaited, so that it shares a round trip with the next command; a lock that stays behind expires.
      const released = redis.eval(release, 1, holder, token).catch(logRejection);
      void released.then(note).then(() => isHeld || onLost?.());
    }
  };

  return {
    throttle: (slots) =>
      orLocally(
        () => take(slots),
        () =>
          withoutRedis.throttle(slots.map(({ perSecond, ...slot }) => ({ ...slot, perSecond: shareOf(perSecond) }))),
      ),
    block: (key, ms) =>
      orLocally(
        async () => void (await redis.eval(blockScript, 1, name(key, 'pace'), Math.ceil(ms * 1000))),
        () => withoutRedis.block(key, ms),
      ),
    noteCallsLeft: (key, { calls, ms }) =>
      orLocally(
        async () => void (await redis.eval(callsLeftScript, 1, name(key, 'left'), calls, Math.ceil(ms))),
        () => withoutRedis.noteCallsLeft(key, { calls: Math.floor(calls / sharers), ms }),
      ),
    countOfDay: (key, units, most) =>
      orLocally(
        async () => Number(await redis.eval(dayScript, 1, name(key, 'day'), units, most, hourMs, hoursOfDay)),
        () => withoutRedis.countOfDay(key, units, most / sharers),
      ),
    // Callers in one process queue locally first, so that only one of them polls Redis.
    withLock: (key, run, onLost) => withoutRedis.withLock(key, () => withLease(key, run, onLost)),
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
