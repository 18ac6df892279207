import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newId } from '../../src/lib/id.ts';
import { localPlatformLimits, type Limits, type Slot } from '../../src/lib/platform-limits.ts';
import { createLog } from '../../src/telemetry/log.ts';
import type { Redis } from '../../src/redis/connect.ts';
import { createLimiter } from '../../src/redis/platform-limiter.ts';
import { ownRedis, connectWithoutTimeouts, type TestRedis } from '../support/redis.ts';

let server: TestRedis;
const connections: Redis[] = [];
const log = createLog('silent');

/** The limits as one more process has them. */
async function processOf(options: { leaseMs?: number } = {}): Promise<Limits> {
  const redis = await connectWithoutTimeouts(server.url);
  connections.push(redis);
  return createLimiter({ redis, prefix: 'test', log, withoutRedis: localPlatformLimits(), ...options });
}

beforeAll(async () => void (server = await ownRedis()));
afterAll(async () => {
  for (const redis of connections) redis.disconnect();
  await server.stop();
});

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

describe('a rate', () => {
  it('is kept by all processes together', async () => {
    const [a, b] = [await processOf(), await processOf()];
    const key = newId();
    const began = performance.now();
    await Promise.all(Array.from({ length: 20 }, (_, at) => (at % 2 ? a : b).throttle([{ key, perSecond: 50 }])));
    expect(performance.now() - began).toBeGreaterThanOrEqual(19 * 20 - 5);
  });

  it('of one ad account leaves the others alone', async () => {
    const a = await processOf();
    const waits = [newId(), newId(), newId()].map((key) => a.throttle([{ key, perSecond: 0.1, maxMs: 0 }]));
    expect(await Promise.all(waits)).toEqual([0, 0, 0]);
  });

  it('rests for everybody when the platform says so', async () => {
    const [a, b] = [await processOf(), await processOf()];
    const key = newId();
    const began = performance.now();
    await a.block(key, 200);
    await b.throttle([{ key, perSecond: 1000 }]);
    expect(performance.now() - began).toBeGreaterThanOrEqual(190);
  });
});

it('a slot further away than asked is not taken, in any process', async () => {
  const [a, b] = [await processOf(), await processOf()];
  const key = newId();
  await a.block(key, 60_000);
  const waits = [
    await a.throttle([{ key, perSecond: 1, maxMs: 1000 }]),
    await b.throttle([{ key, perSecond: 1, maxMs: 1000 }]),
    await b.throttle([{ key, perSecond: 1, maxMs: 0 }]),
  ];
  for (const waitMs of waits) expect(waitMs).toBeGreaterThan(50_000);
  expect(Math.max(...waits)).toBeLessThanOrEqual(60_000);
  expect(await b.throttle([{ key: newId(), perSecond: 1, maxMs: 0 }])).toBe(0);
});

describe('several limits of one call', () => {
  const slots = (): Slot[] => [1, 2, 3].map(() => ({ key: newId(), perSecond: 50, maxMs: 60_000 }));

  it('cost one command, and one more for each limit that makes the call wait', async () => {
    const a = await processOf();
    const evaluations = async (): Promise<number> => {
      const said = (await connections.at(-1)?.info('commandstats')) ?? '';
      return Number(/cmdstat_eval:calls=(\d+)/.exec(said)?.[1] ?? 0);
    };
    const all = slots();
    const counts = [await evaluations()];
    for (const requested of [all, all.slice(0, 1)]) {
      await a.throttle(requested);
      counts.push(await evaluations());
    }
    expect(counts.map((count, at) => count - (counts[at - 1] ?? count))).toEqual([0, 1, 1]);
  });

  it('take no slot of a later limit while an earlier one refuses', async () => {
    const [a, b] = [await processOf(), await processOf()];
    const [first, second] = [newId(), newId()];
    await a.block(first, 60_000);
    expect(
      await a.throttle([
        { key: first, maxMs: 0 },
        { key: second, perSecond: 0.01 },
      ]),
    ).toBeGreaterThan(50_000);
    expect(await b.throttle([{ key: second, perSecond: 0.01, maxMs: 0 }])).toBe(0);
  });
});

describe.each([
  ['with Redis', () => processOf()],
  ['in one process', () => Promise.resolve(localPlatformLimits())],
])('what a platform reports, %s,', (_where, limitsOf) => {
  it('permits the calls left and then none until the window ends', async () => {
    const [limits, key] = [await limitsOf(), newId()];
    await limits.noteCallsLeft(key, { calls: 2, ms: 60_000 });
    // A response that was sent earlier and arrives later reports more.
    await limits.noteCallsLeft(key, { calls: 9, ms: 60_000 });
    const asked = [{ key, maxMs: 1000 }];
    expect([await limits.throttle(asked), await limits.throttle(asked)]).toEqual([0, 0]);
    expect(await limits.throttle(asked)).toBeGreaterThan(50_000);
    expect(await limits.throttle([{ key: newId(), maxMs: 1000 }])).toBe(0);
  });

  it('is waited for if the window ends soon enough', async () => {
    const [limits, key] = [await limitsOf(), newId()];
    await limits.noteCallsLeft(key, { calls: 0, ms: 50 });
    expect(await limits.throttle([{ key, maxMs: 1000 }])).toBe(0);
  });

  it('counts the operations of a day, and counts none of those that exceed them', async () => {
    const [limits, key] = [await limitsOf(), newId()];
    expect(await limits.countOfDay(key, 6, 10)).toBe(0);
    const waitMs = await limits.countOfDay(key, 5, 10);
    expect(waitMs).toBeGreaterThan(23 * 3_600_000);
    expect(waitMs).toBeLessThanOrEqual(25 * 3_600_000);
    expect(await limits.countOfDay(key, 4, 10)).toBe(0);
    expect(await limits.countOfDay(key, 1, 10)).toBeGreaterThan(0);
  });
});

it('the calls that a process reports as left are shared with the others', async () => {
  const [a, b] = [await processOf(), await processOf()];
  const key = newId();
  await a.noteCallsLeft(key, { calls: 1, ms: 60_000 });
  expect(await b.throttle([{ key, maxMs: 0 }])).toBe(0);
  expect(await a.throttle([{ key, maxMs: 0 }])).toBeGreaterThan(50_000);
});

describe('what runs alone', () => {
  it('has nothing beside it in any process', async () => {
    const all = [await processOf(), await processOf(), await processOf()];
    const key = newId();
    let inside = 0;
    let most = 0;
    const work = async (): Promise<void> => {
      most = Math.max(most, ++inside);
      await pause(5);
      inside -= 1;
    };
    await Promise.all(Array.from({ length: 15 }, (_, at) => all[at % 3]!.withLock(key, work)));
    expect([most, inside]).toEqual([1, 0]);
  });

  it('is alone again soon after Redis has forgotten everything, and leaves nothing behind', async () => {
    const leaseMs = 6_000;
    const [a, b] = [await processOf({ leaseMs }), await processOf({ leaseMs })];
    const key = newId();
    const holder = `{test:limit:${key}}:holder`;
    const order: string[] = [];
    const first = a.withLock(key, async () => {
      await connections[0]?.flushall();
      await expect.poll(() => connections[0]?.exists(holder)).toBe(1);
      const second = b.withLock(key, async () => void order.push('second'));
      // Longer than a killed holder would be waited for.
      await pause(leaseMs * 1.2);
      order.push('first');
      return { second };
    });
    await (
      await first
    ).second;
    expect(order).toEqual(['first', 'second']);
    expect(await connections[0]?.keys(`*${key}*`)).toEqual([]);
  });

  it('makes room when it fails, and answers what it says', async () => {
    const a = await processOf();
    const key = newId();
    await expect(a.withLock(key, () => Promise.reject(new Error('no')))).rejects.toThrow('no');
    expect(await a.withLock(key, () => Promise.resolve(7))).toBe(7);
  });
});

describe('the usage of a quota', () => {
  it('is known to all processes until it ends', async () => {
    const [a, b] = [await processOf(), await processOf()];
    const key = newId();
    expect(await b.usageOf(key)).toBeUndefined();
    await a.noteUsage(key, { percent: 96, seconds: 60 });
    const { percent, seconds } = (await b.usageOf(key)) ?? {};
    expect(percent).toBe(96);
    expect(seconds).toBeGreaterThan(30);
    expect(seconds).toBeLessThanOrEqual(60);
  });
});

describe('without Redis', () => {
  it('each process keeps to the limits by itself and takes a quarter of a rate', async () => {
    const other = await ownRedis();
    const redis = await connectWithoutTimeouts(other.url);
    connections.push(redis);
    const limits = createLimiter({ redis, prefix: 'test', log, withoutRedis: localPlatformLimits() });
    await other.kill();
    expect(await limits.withLock('k', () => Promise.resolve(1))).toBe(1);
    expect(await limits.throttle([{ key: 'k', perSecond: 0.1 }])).toBe(0);
    const waitMs = await limits.throttle([{ key: 'k', perSecond: 0.1, maxMs: 0 }]);
    // Four times as long as the ten seconds of the whole rate.
    expect(waitMs).toBeGreaterThan(20_000);
    expect(waitMs).toBeLessThanOrEqual(40_000 * 1.1);
    await limits.noteCallsLeft('left', { calls: 4, ms: 60_000 });
    expect(await limits.throttle([{ key: 'left', maxMs: 0 }])).toBe(0);
    expect(await limits.throttle([{ key: 'left', maxMs: 0 }])).toBeGreaterThan(50_000);
    expect([await limits.countOfDay('d', 1, 4), (await limits.countOfDay('d', 1, 4)) > 0]).toEqual([0, true]);
    await limits.noteUsage('k', { percent: 80, seconds: 5 });
    expect((await limits.usageOf('k'))?.percent).toBe(80);
    await other.stop();
  });
});
