import type { Redis } from 'ioredis';
import type { Log } from '../telemetry/log.ts';
import type { EditReservation } from '../services/context.ts';

export interface EditLimiterOptions {
  redis: Redis;
  prefix: string;
  log: Log;
  /** Maximum edits of a location... */
  limit?: number;
  /** ...in any window of this length. */
  windowMs?: number;
  /** Maximum wait for a reservation. */
  maxWaitMs?: number;
}

// The list holds the times of the latest edits, newest first, by the server's clock: an edit is allowed once the one
// `limit` before it has left the window. The reservation is atomic, so no two edits share one.
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

/**
 * Sliding-window limit of edits per location. Adds a second to the minute, because requests sent in order may arrive
 * closer together.
 */
export function createEditLimiter({
  redis,
  prefix,
  log,
  limit = 10,
  windowMs = 61_000,
  maxWaitMs = 10_000,
}: EditLimiterOptions): (locationId: string) => Promise<EditReservation> {
  return async (locationId) => {
    const key = `{${prefix}:edits:${locationId}}`;
    try {
      const [kept, waitMs] = (await redis.eval(script, 1, key, limit, windowMs, maxWaitMs)) as [number, number];
      return { isReserved: kept === 1, waitMs };
    } catch (error) {
      log.debug({ err: error }, 'edit limiter: Redis unavailable, relying on the platform limit');
      return { isReserved: true, waitMs: 0 };
    }
  };
}
