import type { Redis } from 'ioredis';

/** A connection without a reply for this long is replaced. Longer than BullMQ's longest blocking command, 10 s. */
export const silenceMs = 12_000;

const pingEveryMs = 5_000;

/**
 * Pings a connection while it is up. `silenceTimeoutMs` detects a half-open connection only while a reply is pending, and an
 * idle or subscribed connection has no pending reply.
 */
export function keepAlive(redis: Redis): Redis {
  const timer = setInterval(() => {
    // Its failure closes the connection, which is logged.
    if (redis.status === 'ready') redis.ping().catch(() => undefined);
  }, pingEveryMs);
  timer.unref();
  redis.once('end', () => clearInterval(timer));
  return redis;
}
