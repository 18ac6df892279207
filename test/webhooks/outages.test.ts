import type { ServerResponse } from 'node:http';
import { Redis } from 'ioredis';
import { describe, expect, it } from 'vitest';
import { atMostEvery } from '../../src/lib/throttle.ts';
import { startTestApp } from '../support/app.ts';
import { tooFrequent } from '../support/log-lines.ts';
import { startProcess } from '../support/process.ts';
import { ownRedis } from '../support/redis.ts';
import { insertOldDeliveries, webhookFixture } from './fixture.ts';
import { status } from './receiver.ts';

describe('a Redis that comes back empty (R1)', () => {
  it('with five hundred deliveries pending loses none; the same worker goes on and says the same once a second', async () => {
    const redis = await ownRedis();
    const app = await startTestApp({ ROLE: 'api', REDIS_URL: redis.url, WEBHOOK_TIMEOUT_SECONDS: '30' });
    const fixtures = await Promise.all(Array.from({ length: 10 }, () => webhookFixture(app)));
    const open: ServerResponse[] = [];
    for (const { receiver } of fixtures) receiver.answer = (_request, response) => void open.push(response);
    for (const fixture of fixtures) await insertOldDeliveries(app, fixture, { count: 50, state: 'pending' });
    const worker = await startProcess({ ...app.env, ROLE: 'worker', LOG_LEVEL: 'warn' });
    await Promise.all(fixtures.map(({ receiver }) => receiver.has(4)));
    const client = new Redis(redis.url);
    expect(await client.dbsize()).toBeGreaterThan(0);
    await client.flushall();
    client.disconnect();
    for (const { receiver } of fixtures) receiver.answer = status(200);
    for (const response of open) response.end();
    const delivered = () => app.app.services.db.webhookDeliveries.countDocuments({ state: 'delivered' });
    await expect.poll(delivered, { interval: 200 }).toBe(500);
    expect(fixtures.map(({ receiver }) => receiver.got.length)).toEqual(Array<number>(10).fill(50));
    expect([worker.process.exitCode, worker.process.signalCode]).toEqual([null, null]);
    expect(tooFrequent(worker.log())).toEqual([]);
    await worker.end('SIGTERM');
    await Promise.all(fixtures.map(({ receiver }) => receiver.stop()));
    await app.stop();
    await redis.stop();
  });

  it('makes one line of an error that fifty jobs meet at once', () => {
    let calls = 0;
    const count = atMostEvery(60_000, () => (calls += 1));
    for (let at = 0; at < 50; at++) count();
    expect(calls).toBe(1);
  });
});

describe('a worker that stands still for longer than its lease (R17)', () => {
  it('wakes up too late to change what a second one did, and the receiver has the event twice at most', async () => {
    const app = await startTestApp({ ROLE: 'api', WEBHOOK_TIMEOUT_SECONDS: '10', SWEEP_INTERVAL_SECONDS: '0.5' });
    const fixture = await webhookFixture(app);
    const blocked = await startProcess({ ...app.env, ROLE: 'worker' });
    let first: ServerResponse | undefined;
    fixture.receiver.answer = (_request, response) => void (first = response);
    await fixture.event();
    await fixture.receiver.has(1);
    // Nothing of its event loop runs from here on, not even the renewal of the job's lock.
    blocked.process.kill('SIGSTOP');
    fixture.receiver.answer = status(200);
    first?.writeHead(500).end();
    const second = await startProcess({ ...app.env, ROLE: 'worker' });
    const delivery = () => app.app.services.db.webhookDeliveries.findOne({ webhookId: fixture.webhookId }).lean();
    await expect.poll(async () => (await delivery())?.state).toBe('delivered');
    const before = await delivery();
    blocked.process.kill('SIGCONT');
    await expect(blocked.end('SIGTERM')).resolves.toBe(0);
    expect(await delivery()).toEqual(before);
    expect(before).toMatchObject({
      attemptCount: 2,
      retryCount: 0,
      attempts: [
        { no: 1, errorClass: 'worker_lost' },
        { no: 2, outcome: 'success' },
      ],
    });
    expect(fixture.receiver.got).toHaveLength(2);
    expect(new Set(fixture.receiver.got.map(({ headers }) => headers['webhook-id'])).size).toBe(1);
    expect(await fixture.webhook()).toMatchObject({ consecutiveFailures: 0 });
    await second.end('SIGTERM');
    await fixture.receiver.stop();
    await app.stop();
  });
});
