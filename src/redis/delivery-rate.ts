import type { Redis } from 'ioredis';
import { batched } from '../lib/batch.ts';
import type { Clock } from '../lib/clock.ts';

export interface DeliveryRateOptions {
  redis: Redis;
  prefix: string;
  clock: Clock;
}

/** A limit per key and second across all processes: returns undefined if there is capacity, otherwise when to retry. */
export function createDeliveryRate({
  redis,
  prefix,
  clock,
}: DeliveryRateOptions): (id: string, perSecond: number) => Promise<Date | undefined> {
  const count = batched((keys: string[]) => countAll(redis, keys));
  return async (id, perSecond) => {
    const second = Math.floor(clock.now().getTime() / 1000);
    const used = await count(`{${prefix}:pace:${id}}:${second}`);
    // Spread over the next second, so that waiting callers do not retry together.
    return used <= perSecond ? undefined : new Date((second + 1) * 1000 + Math.random() * 900);
  };
}

/** Increments each key in one round trip. Sets the expiry before the increment, so that no key stays for ever. */
async function countAll(redis: Redis, keys: string[]): Promise<(number | Error)[]> {
  const commands = keys.flatMap((key) => [
    ['set', key, 0, 'EX', 5, 'NX'],
    ['incr', key],
  ]);
  const results = (await redis.pipeline(commands).exec()) ?? [];
  return keys.map((_, at) => {
    const [error, used] = results[2 * at + 1] ?? [new Error('Redis returned no result')];
    return error ?? (used as number);
  });
}
