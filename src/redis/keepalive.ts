import type { Redis } from 'ioredis';

/** A connection that stays silent this long after a command is given up for a new one. Above BullMQ's longest block, 10 s. */
export const silenceMs = 12_000;

const pingEveryMs = 5_000;

/**
 * Pings a connection while it is up. `socketTimeout` notices a peer that went silent without closing (a failed-over host,
 * a dropped NAT entry) only while a reply is owed, and an idle or subscribed connection is owed none.
 */
export function keepAlive(redis: Redis): Redis {
  const timer = setInterval(() => {
    if (redis.status === 'ready') redis.ping().catch(() => undefined);
  }, pingEveryMs);
  timer.unref();
  redis.once('end', () => clearInterval(timer));
  return redis;
}
