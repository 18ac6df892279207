import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createLog } from '../../src/telemetry/log.ts';
import type { Redis } from '../../src/redis/connect.ts';
import { createRequestLimiter } from '../../src/redis/rate-limiter.ts';
import type { RequestLimiter } from '../../src/services/context.ts';
import { ownRedis, connectWithoutTimeouts, testRedis, type TestRedis } from '../support/redis.ts';

const log = createLog('silent');
const start = Date.parse('2027-01-31T09:00:20Z');
let server: TestRedis;
let redis: Redis;
let now: number;
let accounts: number;
let counted: number;
let prefix: string;

beforeAll(async () => {
  server = await testRedis();
  redis = await connectWithoutTimeouts(server.url);
});
afterAll(async () => {
  redis.disconnect();
  await server.stop();
});
beforeEach(() => {
  [now, accounts, counted] = [start, 0, 0];
  prefix = `t${randomBytes(6).toString('hex')}`;
});

const limiterOn = (connection: Redis): RequestLimiter =>
  createRequestLimiter({
    redis: connection,
    prefix,
    log,
    clock: { now: () => new Date(now) },
    limits: { small: 3, medium: 5, large: 7 },
    countAccounts: async () => {
      counted++;
      return accounts;
    },
  });

describe('the request limiter', () => {
  it('counts down, refuses what is over, and begins again with the next minute', async () => {
    const requestLimiter = limiterOn(redis);
    const results = [];
    for (let at = 0; at < 4; at++) results.push(await requestLimiter.consume('u', 'h'));
    expect(results.map(({ remaining }) => remaining)).toEqual([2, 1, 0, 0]);
    expect(results.map(({ isOver }) => isOver)).toEqual([false, false, false, true]);
    expect(results[0]).toMatchObject({
      limit: 3,
      isRevoked: false,
      resetAt: Date.parse('2027-01-31T09:01:00Z') / 1000,
    });
    now += 40_000;
    expect(await requestLimiter.consume('u', 'h')).toMatchObject({ remaining: 2, isOver: false });
  });

  it('counts a user over all processes and keys, and users apart', async () => {
    const [one, two] = [limiterOn(redis), limiterOn(redis)];
    await Promise.all([one.consume('u', 'h1'), two.consume('u', 'h1'), two.consume('u', 'h2')]);
    expect((await one.consume('u', 'h1')).isOver).toBe(true);
    expect((await one.consume('v', 'h3')).remaining).toBe(2);
  });

  it('lets exactly the limit through when all come at once', async () => {
    const limiters = [limiterOn(redis), limiterOn(redis)];
    const results = await Promise.all(Array.from({ length: 30 }, (_, at) => limiters[at % 2]!.consume('u', 'h')));
    expect(results.filter(({ isOver }) => !isOver)).toHaveLength(3);
  });

  it.each([
    [0, 3],
    [2, 3],
    [3, 5],
    [2000, 5],
    [2001, 7],
  ])('with %i connected accounts allows %i', async (count, limit) => {
    accounts = count;
    expect((await limiterOn(redis).consume('u', 'h')).limit).toBe(limit);
  });

  it('counts accounts once a minute', async () => {
    const requestLimiter = limiterOn(redis);
    await requestLimiter.consume('u', 'h');
    now += 59_000;
    await requestLimiter.consume('u', 'h');
    expect(counted).toBe(1);
    now += 2_000;
    accounts = 3;
    expect((await requestLimiter.consume('u', 'h')).limit).toBe(5);
    expect(counted).toBe(2);
  });

  it('publishes a revoked key to every process, and no other key', async () => {
    const [one, two] = [limiterOn(redis), limiterOn(redis)];
    await one.markRevoked('dead');
    expect((await two.consume('u', 'dead')).isRevoked).toBe(true);
    expect((await two.consume('u', 'alive')).isRevoked).toBe(false);
  });

  it('leaves nothing in Redis that does not end by itself', async () => {
    const requestLimiter = limiterOn(redis);
    await requestLimiter.consume('u', 'h');
    await requestLimiter.markRevoked('h');
    const keys = await redis.keys(`{${prefix}:requestLimiter}:*`);
    expect(keys).toHaveLength(2);
    for (const key of keys) expect(await redis.ttl(key)).toBeGreaterThan(0);
  });

  it('asks Redis once for each request', async () => {
    const requestLimiter = limiterOn(redis);
    await requestLimiter.consume('u', 'h');
    const sent: string[] = [];
    const send = redis.sendCommand.bind(redis);
    redis.sendCommand = (command, ...rest) => {
      sent.push(command.name);
      return send(command, ...rest);
    };
    await requestLimiter.consume('u', 'h');
    redis.sendCommand = send;
    expect(sent).toHaveLength(1);
  });
});

describe('without Redis', () => {
  it('each process counts for itself, says that revocation is unknown, and comes back by itself', async () => {
    const own = await ownRedis();
    // Without a time limit: what waits for an answer or for a new connection would wait for ever.
    const connection = await connectWithoutTimeouts(own.url);
    const requestLimiter = limiterOn(connection);
    await own.kill();
    const results = [];
    for (let at = 0; at < 4; at++) results.push(await requestLimiter.consume('u', 'h'));
    expect(results.map(({ isOver }) => isOver)).toEqual([false, false, false, true]);
    expect(results.every(({ isRevoked }) => isRevoked === 'unknown')).toBe(true);
    await expect(requestLimiter.markRevoked('h')).resolves.toBeUndefined();
    const again = await ownRedis(own.port);
    await expect.poll(async () => (await requestLimiter.consume('v', 'h')).isRevoked).toBe(false);
    connection.disconnect();
    await Promise.all([own.stop(), again.stop()]);
  });
});
