import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Redis } from '../../src/redis/connect.ts';
import { createDeliveryRate } from '../../src/redis/delivery-rate.ts';
import { ownRedis, connectWithoutTimeouts, type TestRedis } from '../support/redis.ts';

const at = new Date('2027-01-31T09:00:00.250Z');
const clock = { now: () => at };
let server: TestRedis;
let redis: Redis;

beforeAll(async () => {
  server = await ownRedis();
  redis = await connectWithoutTimeouts(server.url);
});
afterAll(async () => {
  redis.disconnect();
  await server.stop();
});

describe('the pace of deliveries', () => {
  it('lets so many of each endpoint go in a second, over all processes, and the others later', async () => {
    const [a, b] = [1, 2].map(() => createDeliveryRate({ redis, prefix: 'test', clock }));
    const asked = await Promise.all(Array.from({ length: 20 }, (_, n) => (n % 2 ? a! : b!)(`w${n % 4}`, 3)));
    const later = asked.filter((time) => time !== undefined);
    expect(later).toHaveLength(20 - 4 * 3);
    for (const time of later) {
      expect(time.getTime()).toBeGreaterThanOrEqual(Date.parse('2027-01-31T09:00:01Z'));
      expect(time.getTime()).toBeLessThan(Date.parse('2027-01-31T09:00:02Z'));
    }
  });

  it('leaves no key for ever', async () => {
    await createDeliveryRate({ redis, prefix: 'ends', clock })('w', 1);
    const keys = await redis.keys('{ends:*');
    expect(keys).toHaveLength(1);
    expect(await redis.ttl(keys[0]!)).toBeGreaterThan(0);
  });

  it('is not to be had while Redis is away', async () => {
    const gone = await connectWithoutTimeouts(server.url);
    gone.disconnect();
    await expect(createDeliveryRate({ redis: gone, prefix: 'test', clock })('w', 1)).rejects.toThrow();
  });
});
