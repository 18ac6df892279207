import type { Redis } from 'ioredis';
import { atMostEvery } from '../lib/throttle.ts';
import { within } from '../lib/timeout.ts';
import type { Log } from '../telemetry/log.ts';
import { openConnection } from './open.ts';

export type { Redis };

/**
 * A connection that fails fast while Redis is unavailable and reconnects by itself; repeated errors are logged once a
 * second.
 */
export function connectRedis(url: string, log: Log): Redis {
  const redis = openConnection(url, {
    // Commands of one moment share a round trip.
    enableAutoPipelining: true,
    replyTimeoutMs: 500,
    // Replaces a half-open connection.
    silenceTimeoutMs: 2_000,
    enableOfflineQueue: false,
    maxRetriesPerRequest: 1,
    retryStrategy: (attempt) => Math.min(50 * attempt, 1_000),
  });
  redis.on(
    'error',
    atMostEvery(1_000, (error: Error) => log.warn({ err: error.message }, problemOf(error))),
  );
  return redis;
}

const problemOf = ({ message }: Error): string =>
  /^(WRONGPASS|NOAUTH|ERR (invalid|.*AUTH))/.test(message)
    ? 'Redis (REDIS_URL) rejects the credentials: check the user and the password'
    : 'Redis (REDIS_URL) is unreachable: check that it runs at this address, and redis:// or rediss:// as it expects';

/**
 * Waits for the first connection, with a limit: the API also serves without Redis. A time in which the event loop is busy
 * counts as one step, because nothing can connect meanwhile.
 */
export async function whenConnected(redis: Redis, timeoutMs = 3_000): Promise<void> {
  const connected = new Promise((resolve) => redis.once('ready', resolve));
  for (let waited = 0; redis.status !== 'ready' && waited < timeoutMs; waited += stepMs)
    await within(connected, stepMs);
}

const stepMs = 50;
