import type { Redis } from 'ioredis';
import type { Clock } from '../lib/clock.ts';

export interface PaceOptions {
  redis: Redis;
  prefix: string;
  clock: Clock;
}

/** So many of a kind in each second over all processes: answers nothing when there is room, else when to come back. */
export function createPace({
  redis,
  prefix,
  clock,
}: PaceOptions): (id: string, perSecond: number) => Promise<Date | undefined> {
  return async (id, perSecond) => {
    const now = clock.now().getTime();
    const second = Math.floor(now / 1000);
    const key = `{${prefix}:pace:${id}}:${second}`;
    const [[, used]] = (await redis.multi().incr(key).expire(key, 5).exec()) as [[unknown, number]];
    // Spread over the next second, so that all who wait do not come at once.
    return used <= perSecond ? undefined : new Date((second + 1) * 1000 + Math.random() * 900);
  };
}
