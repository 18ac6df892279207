import type { Redis } from 'ioredis';
import { newId } from '../lib/id.ts';
import type { Log } from '../telemetry/log.ts';
import type { SubscriptionLimiter } from '../services/context.ts';

export interface StreamPlacesOptions {
  redis: Redis;
  prefix: string;
  log: Log;
  /** Maximum open subscriptions per key. */
  limit: number;
  /** How long a slot that is not renewed lasts, such as that of a killed process. */
  lifeMs?: number;
}

export interface ClosableStreamPlaces extends SubscriptionLimiter {
  close: () => void;
}

// One sorted set per key: slots by expiry time, by the server's clock.
const takeScript = `
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
export function createSubscriptionLimiter(options: StreamPlacesOptions): ClosableStreamPlaces {
  const { redis, prefix, log, limit, lifeMs = 30_000 } = options;
  const own = new Map<string, Set<string>>();
  const setOf = (keyId: string): string => `{${prefix}:streams:${keyId}}`;
  const quietly = (error: unknown): void => log.debug({ err: error }, 'counting streams without Redis');

  const renew = (): void => {
    for (const [keyId, places] of own) redis.eval(renewScript, 1, setOf(keyId), lifeMs, ...places).catch(quietly);
  };
  const timer = setInterval(renew, lifeMs / 3);
  timer.unref();

  const leave = (keyId: string, place: string): void => {
    const places = own.get(keyId);
    if (!places?.delete(place)) return;
    if (places.size === 0) own.delete(keyId);
    redis.zrem(setOf(keyId), place).catch(quietly);
  };

  return {
    limit,
    async take(keyId) {
      const places = own.get(keyId) ?? new Set<string>();
      if (places.size >= limit) return undefined;
      const place = newId();
      // Added before the check, so that concurrent requests cannot exceed the limit.
      own.set(keyId, places.add(place));
      const isTaken = await redis.eval(takeScript, 1, setOf(keyId), limit, lifeMs, place).catch((error: unknown) => {
        quietly(error);
        return 1;
      });
      if (isTaken === 1) return () => leave(keyId, place);
      leave(keyId, place);
      return undefined;
    },
    close: () => clearInterval(timer),
  };
}
