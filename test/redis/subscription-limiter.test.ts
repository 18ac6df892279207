import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createLog } from '../../src/telemetry/log.ts';
import { connectRedis, type Redis } from '../../src/redis/connect.ts';
import { createSubscriptionLimiter, type ClosableSubscriptionLimiter } from '../../src/redis/subscription-limiter.ts';
import { ownRedis, connectWithoutTimeouts, type TestRedis } from '../support/redis.ts';

const log = createLog('silent');
let server: TestRedis;
let redis: Redis;
let key: string;
const opened: ClosableSubscriptionLimiter[] = [];

beforeAll(async () => {
  server = await ownRedis();
  redis = await connectWithoutTimeouts(server.url);
});
afterAll(async () => {
  for (const places of opened) places.close();
  redis.disconnect();
  await server.stop();
});
beforeEach(({ task }) => {
  key = task.id;
});

/** Renewed every third of it: a process that stands still for longer than the rest loses its places. */
const lifeMs = 6_000;

/** The places as one process sees them. */
function process(lifeMs?: number): ClosableSubscriptionLimiter {
  const places = createSubscriptionLimiter({ redis, prefix: 't', log, limit: 3, lifeMs });
  opened.push(places);
  return places;
}
const many = (places: ClosableSubscriptionLimiter, count: number) =>
  Promise.all(Array.from({ length: count }, () => places.take(key)));
const taken = (all: unknown[]): number => all.filter(Boolean).length;

describe('places for streams', () => {
  it('are counted over processes, also when many are requested at once', async () => {
    const [one, two] = [process(), process()];
    const all = await Promise.all([many(one, 20), many(two, 20)]);
    expect(taken(all.flat())).toBe(3);
    expect(await one.take(`${key} of another`)).toBeDefined();
  });

  it('are free again when given back, once and no more', async () => {
    const [one, two] = [process(), process()];
    const [leave] = await many(one, 3);
    expect(await two.take(key)).toBeUndefined();
    leave?.();
    leave?.();
    expect(taken(await many(two, 3))).toBe(1);
  });

  it('live on while their process does, and not longer', async () => {
    const [dying, living, other] = [process(lifeMs), process(lifeMs), process(lifeMs)];
    await many(dying, 2);
    await living.take(key);
    dying.close();
    let places = 0;
    await expect.poll(async () => (places += taken(await many(other, 3)))).toBe(2);
    expect(taken(await many(other, 3))).toBe(0);
    await expect.poll(() => redis.zcard(`{t:streams:${key}}`)).toBe(3);
  });

  it('that a flush took are counted again by themselves', async () => {
    const [one, two] = [process(lifeMs), process(lifeMs)];
    await many(one, 3);
    await redis.flushall();
    await expect.poll(() => redis.zcard(`{t:streams:${key}}`)).toBe(3);
    expect(await two.take(key)).toBeUndefined();
  });

  it('without Redis are those of each process, and the store of counts is left alone', async () => {
    const away = connectRedis('redis://127.0.0.1:1', log);
    const alone = createSubscriptionLimiter({ redis: away, prefix: 't', log, limit: 3 });
    const all = await many(alone, 10);
    expect(taken(all)).toBe(3);
    all.find(Boolean)?.();
    expect(taken(await many(alone, 10))).toBe(1);
    alone.close();
    away.disconnect();
  });
});
