import type { Redis } from 'ioredis';
import type { Log } from '../telemetry/log.ts';
import type { Reservation } from '../services/context.ts';

interface Limit {
  /** Part of the keys. */
  name: string;
  /** Maximum uses of a key... */
  limit: number;
  /** ...in any window of this length. */
  windowMs: number;
  /** Maximum wait for a reservation. */
  maxWaitMs: number;
}

export interface SlidingLimiterOptions extends Partial<Omit<Limit, 'name'>> {
  redis: Redis;
  prefix: string;
  log: Log;
}

// The list holds the times of the latest uses, newest first, by the server's clock: a use is allowed once the one
// `limit` before it has left the window. The reservation is atomic, so no two uses share one.
const script = `
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local oldest = redis.call('LINDEX', KEYS[1], ARGV[1] - 1)
local turn = now
if oldest then turn = math.max(now, oldest + ARGV[2]) end
if turn - now > tonumber(ARGV[3]) then return {0, turn - now} end
redis.call('LPUSH', KEYS[1], turn)
redis.call('LTRIM', KEYS[1], 0, ARGV[1] - 1)
redis.call('PEXPIRE', KEYS[1], turn - now + ARGV[2])
return {1, turn - now}
`;

/** A sliding-window limit across all processes. While Redis is unavailable only the platform's own limit applies. */
const createSlidingLimiter =
  ({ redis, prefix, log, name, limit, windowMs, maxWaitMs }: Limit & SlidingLimiterOptions) =>
  async (id: string): Promise<Reservation> => {
    const key = `{${prefix}:${name}:${id}}`;
    try {
      const [kept, waitMs] = (await redis.eval(script, 1, key, limit, windowMs, maxWaitMs)) as [number, number];
      return { isReserved: kept === 1, waitMs };
    } catch (error) {
      log.debug({ err: error, name }, 'sliding limiter: Redis unavailable, relying on the platform limit');
      return { isReserved: true, waitMs: 0 };
    }
  };

type Reserve = (id: string) => Promise<Reservation>;

/** Edits of a location. Adds a second to the minute, because requests sent in order may arrive closer together. */
export const createEditLimiter = (options: SlidingLimiterOptions): Reserve =>
  createSlidingLimiter({ name: 'edits', limit: 10, windowMs: 61_000, maxWaitMs: 10_000, ...options });

/** Reads of figures within requests, by user. */
export const createFigureReadLimiter = (options: SlidingLimiterOptions): Reserve =>
  createSlidingLimiter({ name: 'figure-reads', limit: 60, windowMs: 3_600_000, maxWaitMs: 0, ...options });
