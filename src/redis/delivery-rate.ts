import type { Redis } from 'ioredis';
import { batched } from '../lib/batch.ts';
import type { Clock } from '../lib/clock.ts';

export interface PaceOptions {
  redis: Redis;
  prefix: string;
  clock: Clock;
}

/** So many of a kind in each second over all processes: answers nothing when there is room, else when to come back. */
export function createDeliveryRate({
  redis,
  prefix,
  clock,
}: PaceOptions): (id: string, perSecond: number) => Promise<Date | undefined> {
  const count = batched((keys: string[]) => countAll(redis, keys));
  return async (id, perSecond) => {
    const second = Math.floor(clock.now().getTime() / 1000);
    const used = await count(`{${prefix}:pace:${id}}:${second}`);
    // Spread over the next second, so that all who wait do not come at once.
    return used <= perSecond ? undefined : new Date((second + 1) * 1000 + Math.random() * 900);
  };
}

/** Counts one under each key, in one round trip. A key has its end before it is counted up, so none stays for ever. */
async function countAll(redis: Redis, keys: string[]): Promise<(number | Error)[]> {
  const commands = keys.flatMap((key) => [
    ['set', key, 0, 'EX', 5, 'NX'],
    ['incr', key],
  ]);
  const answers = (await redis.pipeline(commands).exec()) ?? [];
  return keys.map((_, at) => {
    const [error, used] = answers[2 * at + 1] ?? [new Error('Redis gave no answer')];
    return error ?? (used as number);
  });
}
