import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createLog } from '../../src/telemetry/log.ts';
import type { Redis } from '../../src/redis/connect.ts';
import { createEditLimiter, createFigureReadLimiter } from '../../src/redis/sliding-limiter.ts';
import { ownRedis, connectWithoutTimeouts, testRedis, type TestRedis } from '../support/redis.ts';

const log = createLog('silent');
let server: TestRedis;
let connections: [Redis, Redis];

beforeAll(async () => {
  server = await testRedis();
  connections = await Promise.all([connectWithoutTimeouts(server.url), connectWithoutTimeouts(server.url)]);
});
afterAll(async () => {
  for (const redis of connections) redis.disconnect();
  await server.stop();
});

/** Two processes at one Redis. */
const processes = (options: { limit?: number; windowMs?: number; maxWaitMs?: number } = {}) => {
  const prefix = `t${randomBytes(6).toString('hex')}`;
  return connections.map((redis) => createEditLimiter({ redis, prefix, log, ...options }));
};

describe('the turns of edits', () => {
  it('are ten at once over all processes, and the next comes too late to wait for', async () => {
    const takers = processes();
    const turns = await Promise.all(Array.from({ length: 24 }, (_, at) => takers[at % takers.length]!('location-1')));
    expect(turns.filter((turn) => turn?.isReserved)).toHaveLength(10);
    const late = turns.find((turn) => !turn?.isReserved);
    expect(late?.waitMs).toBeGreaterThan(10_000);
    expect(late?.waitMs).toBeLessThanOrEqual(61_000);
  });

  it('belong to one location each', async () => {
    const [take] = processes({ limit: 1 });
    expect(await take?.('location-1')).toEqual({ isReserved: true, waitMs: 0 });
    expect(await take?.('location-2')).toEqual({ isReserved: true, waitMs: 0 });
    expect((await take?.('location-1'))?.isReserved).toBe(false);
  });

  it('that come soon enough are waited for, each at a time of its own', async () => {
    const [one, other] = processes({ limit: 1, windowMs: 40_000, maxWaitMs: 90_000 });
    await one?.('location-1');
    const waits = [await other?.('location-1'), await one?.('location-1'), await other?.('location-1')];
    expect(waits.map((turn) => turn?.isReserved)).toEqual([true, true, false]);
    const [first, second, third] = waits.map((turn) => turn?.waitMs ?? 0);
    expect(first).toBeLessThanOrEqual(40_000);
    expect(second).toBeGreaterThan(first ?? 0);
    expect(third).toBeGreaterThan(90_000);
  });

  it('are not kept count of while Redis is away', async () => {
    const away = await ownRedis();
    const redis = await connectWithoutTimeouts(away.url);
    await away.kill();
    const take = createEditLimiter({ redis, prefix: 't', log, limit: 1 });
    expect(await take('location-1')).toEqual({ isReserved: true, waitMs: 0 });
    expect(await take('location-1')).toEqual({ isReserved: true, waitMs: 0 });
    redis.disconnect();
    await away.stop();
  });
});

describe('reads of figures within requests', () => {
  it('are sixty in an hour for each user over all processes', async () => {
    const prefix = `t${randomBytes(6).toString('hex')}`;
    const takers = connections.map((redis) => createFigureReadLimiter({ redis, prefix, log }));
    const turns = await Promise.all(Array.from({ length: 70 }, (_, at) => takers[at % takers.length]!('user-1')));
    expect(turns.filter(({ isReserved }) => isReserved)).toHaveLength(60);
    const refused = turns.filter(({ isReserved }) => !isReserved).map(({ waitMs }) => waitMs);
    expect(Math.min(...refused)).toBeGreaterThan(3_500_000);
    expect(Math.max(...refused)).toBeLessThanOrEqual(3_600_000);
    expect(await takers[0]!('user-2')).toEqual({ isReserved: true, waitMs: 0 });
  });
});
