import type { Redis } from 'ioredis';
import type { Clock } from '../lib/clock.ts';
import type { Log } from '../telemetry/log.ts';
import type { RequestLimiter } from '../services/context.ts';
import { logRejections } from './open.ts';

export interface RequestLimiterOptions {
  redis: Redis;
  prefix: string;
  clock: Clock;
  log: Log;
  limits: { small: number; medium: number; large: number };
  countAccounts: (userId: string) => Promise<number>;
}

const windowSeconds = 60;
const accountsMs = 60_000;
/** Longer than the key cache TTL. */
const markSeconds = 60;

// One round trip: count the units, start the window with the first one, read the key's revocation flag.
const script = `
local count = redis.call('INCRBY', KEYS[1], ARGV[2])
if count == tonumber(ARGV[2]) then redis.call('EXPIRE', KEYS[1], ARGV[1]) end
return {count, redis.call('EXISTS', KEYS[2])}
`;

/** Distributed fixed-window rate limiter plus key-revocation flags. */
export function createRequestLimiter({
  redis,
  prefix,
  clock,
  log,
  limits,
  countAccounts,
}: RequestLimiterOptions): RequestLimiter {
  const accounts = new Map<string, { count: number; until: number }>();
  const localCounts = new Map<string, number>();
  const logRejection = logRejections(log);
  // Both keys must be on one cluster node, so the tag is the same for the whole service.
  const rateKey = (userId: string, window: number): string => `{${prefix}:requestLimiter}:rate:${userId}:${window}`;
  const markKey = (keyHash: string): string => `{${prefix}:requestLimiter}:revoked:${keyHash}`;

  const accountsOf = async (userId: string, now: number): Promise<number> => {
    const count = await countAccounts(userId);
    if (accounts.size > 10_000) accounts.clear();
    accounts.set(userId, { count, until: now + accountsMs });
    return count;
  };

  const limitFor = (count: number): number => {
    if (count <= 2) return limits.small;
    return count <= 2000 ? limits.medium : limits.large;
  };

  /** Without Redis each process counts for itself. */
  const countLocally = (key: string, units: number): number => {
    if (localCounts.size > 10_000) localCounts.clear();
    const count = (localCounts.get(key) ?? 0) + units;
    localCounts.set(key, count);
    return count;
  };

  const count = async (
    key: string,
    keyHash: string,
    units: number,
  ): Promise<{ used: number; isRevoked: boolean | 'unknown' }> => {
    try {
      const answer = (await redis.eval(script, 2, key, markKey(keyHash), windowSeconds + 5, units)) as [number, number];
      return { used: answer[0], isRevoked: answer[1] === 1 };
    } catch (error) {
      log.debug({ err: error }, 'request limiter: Redis unavailable, counting in-process');
      logRejection(error);
      return { used: countLocally(key, units), isRevoked: 'unknown' };
    }
  };

  return {
    async consume(userId, keyHash, units = 1) {
      const now = clock.now().getTime();
      const window = Math.floor(now / 1000 / windowSeconds);
      const cached = accounts.get(userId);
      const known = cached && cached.until > now ? cached.count : accountsOf(userId, now);
      // Both run at once. A cached count needs no promise, which would make every request wait once more.
      const counted = count(rateKey(userId, window), keyHash, units);
      const limit = limitFor(typeof known === 'number' ? known : await known);
      const { used, isRevoked } = await counted;
      const resetAt = (window + 1) * windowSeconds;
      return { limit, remaining: Math.max(0, limit - used), resetAt, isOver: used > limit, isRevoked };
    },
    async markRevoked(keyHash) {
      await redis
        .set(markKey(keyHash), '1', 'EX', markSeconds)
        .catch((error: unknown) =>
          log.warn({ err: error }, 'could not publish key revocation; cached keys expire within seconds'),
        );
    },
  };
}
