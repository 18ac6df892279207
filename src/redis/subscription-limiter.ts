import type { Redis } from 'ioredis';
import { newId } from '../lib/id.ts';
import type { Log } from '../telemetry/log.ts';
import type { SubscriptionLimiter } from '../services/context.ts';

export interface SubscriptionLimiterOptions {
  redis: Redis;
  prefix: string;
  log: Log;
  /** Maximum open subscriptions per key. */
  limit: number;
  /** How long a slot that is not renewed lasts, such as that of a killed process. */
  lifeMs?: number;
}

export interface ClosableSubscriptionLimiter extends SubscriptionLimiter {
  close: () => void;
}

// One sorted set per key: slots by expiry time, by the server's clock.
const acquireScript = `
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', now)
if redis.call('ZCARD', KEYS[1]) >= tonumber(ARGV[1]) then return 0 end
redis.call('ZADD', KEYS[1], now + ARGV[2], ARGV[3])
redis.call('PEXPIRE', KEYS[1], ARGV[2])
return 1
`;
// Also restores a slot that was lost in a flush.
const renewScript = `
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
for at = 2, #ARGV do redis.call('ZADD', KEYS[1], now + ARGV[1], ARGV[at]) end
redis.call('PEXPIRE', KEYS[1], ARGV[1])
`;

/** Distributed semaphore for open subscriptions per API key; falls back to per-process counting. */
export function createSubscriptionLimiter(options: SubscriptionLimiterOptions): ClosableSubscriptionLimiter {
  const { redis, prefix, log, limit, lifeMs = 30_000 } = options;
  const own = new Map<string, Set<string>>();
  const setOf = (keyId: string): string => `{${prefix}:streams:${keyId}}`;
  const quietly = (error: unknown): void =>
    log.debug({ err: error }, 'subscription limiter: Redis unavailable, counting in-process');

  const renew = (): void => {
    for (const [keyId, slots] of own) redis.eval(renewScript, 1, setOf(keyId), lifeMs, ...slots).catch(quietly);
  };
  const timer = setInterval(renew, lifeMs / 3);
  timer.unref();

  const leave = (keyId: string, slot: string): void => {
    const slots = own.get(keyId);
    if (!slots?.delete(slot)) return;
    if (slots.size === 0) own.delete(keyId);
    redis.zrem(setOf(keyId), slot).catch(quietly);
  };

  return {
    limit,
    async take(keyId) {
      const slots = own.get(keyId) ?? new Set<string>();
      if (slots.size >= limit) return undefined;
      const slot = newId();
      // Added before the check, so that concurrent requests cannot exceed the limit.
      own.set(keyId, slots.add(slot));
      const isTaken = await redis.eval(acquireScript, 1, setOf(keyId), limit, lifeMs, slot).catch((error: unknown) => {
        quietly(error);
        return 1;
      });
      if (isTaken === 1) return () => leave(keyId, slot);
      leave(keyId, slot);
      return undefined;
    },
    close: () => clearInterval(timer),
  };
}
