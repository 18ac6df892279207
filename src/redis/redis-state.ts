import { newId } from '../lib/id.ts';
import type { Redis } from 'ioredis';
import type { Clock } from '../lib/clock.ts';

const keptSeconds = 86_400;
const mostDatabases = 100;

/** What processes with the same Redis and prefix read there. */
interface RedisState {
  /** Made by the first of them. */
  id: string;
  /** The time of Redis. */
  time: number;
  /** The names of the databases that they use. */
  databases: string[];
}

interface Options {
  /** The name of the database that this process uses. */
  database: string;
  clock: Clock;
  /** How long a name counts after its last registration. */
  registrationMs: number;
}

/** Registers the database of this process and reads the state. Rejects if Redis does not respond. */
export const redisStateOf =
  (redis: Redis, prefix: string, { database, clock, registrationMs }: Options) =>
  async (): Promise<RedisState> => {
    const [idKey, databasesKey] = [`${prefix}:redisId`, `${prefix}:databases`];
    const now = clock.now().getTime();
    const [, , id, [seconds], , , , databases] = await Promise.all([
      redis.set(idKey, newId(), 'EX', keptSeconds, 'NX'),
      redis.expire(idKey, keptSeconds),
      redis.get(idKey),
      redis.time(),
      redis.zadd(databasesKey, now, database),
      redis.zremrangebyscore(databasesKey, 0, now - registrationMs),
      redis.expire(databasesKey, keptSeconds),
      redis.zrange(databasesKey, 0, mostDatabases - 1),
    ]);
    if (!id) throw new Error('Redis keeps no key');
    return { id, time: Number(seconds) * 1_000, databases };
  };
