import { newId } from '../lib/id.ts';
import type { Redis } from 'ioredis';

const keptSeconds = 86_400;

/**
 * An id that all processes with the same Redis and prefix read, which the first of them makes, and the time of Redis. Rejects if
 * Redis does not respond.
 */
export const redisIdOf = (redis: Redis, prefix: string) => async (): Promise<{ id: string; time: number }> => {
  const key = `${prefix}:redisId`;
  const [, , id, [seconds]] = await Promise.all([
    redis.set(key, newId(), 'EX', keptSeconds, 'NX'),
    redis.expire(key, keptSeconds),
    redis.get(key),
    redis.time(),
  ]);
  if (!id) throw new Error('Redis keeps no key');
  return { id, time: Number(seconds) * 1_000 };
};
