import { newId } from '../lib/id.ts';
import type { Redis } from 'ioredis';

const keptSeconds = 86_400;

/** An id that all processes with the same Redis and prefix read; the first of them makes it. Rejects if Redis does not respond. */
export const redisIdOf = (redis: Redis, prefix: string) => async (): Promise<string> => {
  const key = `${prefix}:redisId`;
  const [, , id] = await Promise.all([
    redis.set(key, newId(), 'EX', keptSeconds, 'NX'),
    redis.expire(key, keptSeconds),
    redis.get(key),
  ]);
  if (!id) throw new Error('Redis keeps no key');
  return id;
};
