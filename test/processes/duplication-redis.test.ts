import { Redis } from 'ioredis';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestApp, type TestApp } from '../support/app.ts';
import type { ServiceProcess } from '../support/process.ts';
import { ownRedis, type TestRedis } from '../support/redis.ts';
import { beginCopy, requireWhole, startWorker, stateOf, type Copying } from './copying.ts';

let redis: TestRedis;
let app: TestApp;
let workers: ServiceProcess[] = [];

beforeAll(async () => {
  redis = await ownRedis();
  app = await startTestApp({
    REDIS_URL: redis.url,
    ROLE: 'api',
    SWEEP_INTERVAL_SECONDS: '0.2',
    DUPLICATION_LEASE_SECONDS: '5',
    DUPLICATION_IN_FLIGHT_SECONDS: '4',
  });
  // Two of them, so that whatever is left of the queues may be carried out twice.
  workers = await Promise.all([startWorker(app), startWorker(app)]);
});
afterAll(async () => {
  await Promise.all(workers.map((one) => one.end('SIGKILL')));
  await app.stop();
  await redis.stop();
});

const both = ['network-a', 'network-c'] as const;
const begin = (): Promise<Copying[]> => Promise.all(both.map((platform) => beginCopy(app, platform)));
const grownTo = (copying: Copying, count: number): Promise<void> =>
  expect
    .poll(async () => ((await stateOf(copying))['objects'] as object[]).length, { interval: 10 })
    .toBeGreaterThanOrEqual(count);

describe('copies that are under way', () => {
  it('become whole although all of Redis is lost again and again', async () => {
    const copyings = await begin();
    const client = new Redis(redis.url);
    for (const count of [2, 4, 6]) {
      await Promise.all(copyings.map((copying) => grownTo(copying, count)));
      await client.flushall();
    }
    client.disconnect();
    await Promise.all(copyings.map(requireWhole));
  });

  it('become whole although Redis is away for a while and comes back empty', async () => {
    const copyings = await begin();
    await Promise.all(copyings.map((copying) => grownTo(copying, 2)));
    await redis.kill();
    await new Promise((resolve) => setTimeout(resolve, 3_000));
    const later = await ownRedis(redis.port);
    const next = await begin();
    await Promise.all([...copyings, ...next].map(requireWhole));
    await Promise.all(workers.map((one) => one.end('SIGTERM')));
    await later.stop();
  });
});
