import { Queue } from 'bullmq';
import { Redis } from 'ioredis';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newId } from '../../src/lib/id.ts';
import { createLog } from '../../src/telemetry/log.ts';
import { createProducer } from '../../src/workers/queues.ts';
import { startTestApp, type TestApp } from '../support/app.ts';
import { ownRedis, type TestRedis } from '../support/redis.ts';
import { openTcpProxy } from '../support/tcp-proxy.ts';
import { insertOldDeliveries, webhookFixture, type WebhookFixture } from './fixture.ts';
import { startReceiver, status } from './receiver.ts';

let app: TestApp;
let server: TestRedis;
let redis: Redis;

beforeAll(async () => {
  server = await ownRedis();
  app = await startTestApp({
    REDIS_URL: server.url,
    SWEEP_INTERVAL_SECONDS: '0.2',
    WEBHOOK_TIMEOUT_SECONDS: '60',
    WEBHOOK_CIRCUIT_BREAKER_SCHEDULE: 'none',
  });
  redis = new Redis(server.url);
});
afterAll(async () => {
  redis.disconnect();
  await app.stop();
  await server.stop();
});

const delivered = async (fixture: WebhookFixture): Promise<number> =>
  app.app.services.db.webhookDeliveries.countDocuments({ webhookId: fixture.webhookId, state: 'delivered' });
const silent = { events: ['ad.created'] };

describe('many deliveries', () => {
  it('leave as many keys in Redis as there were before them (R31, R33)', async () => {
    const fixture = await webhookFixture(app, silent);
    await insertOldDeliveries(app, fixture, { count: 5, state: 'waiting' });
    await fixture.receiver.has(5);
    const before = await redis.dbsize();
    await insertOldDeliveries(app, fixture, { count: 300, state: 'waiting' });
    await expect.poll(() => delivered(fixture), { interval: 200 }).toBe(305);
    await expect.poll(async () => Math.abs((await redis.dbsize()) - before)).toBeLessThanOrEqual(20);
    await fixture.receiver.stop();
  });

  it('of one endpoint go at its pace after an outage, each once and never in a wave (R36)', async () => {
    const limit = 20;
    const fixture = await webhookFixture(app, { ...silent, maxPerSecond: limit });
    let open = 0;
    let most = 0;
    fixture.receiver.answer = (_request, response) => {
      most = Math.max(most, ++open);
      setTimeout(() => {
        open -= 1;
        response.end();
      }, 20);
    };
    await insertOldDeliveries(app, fixture, { count: 120, state: 'pending' });
    await expect.poll(() => delivered(fixture), { interval: 200 }).toBe(120);
    const seconds = fixture.receiver.got.map(({ headers }) => headers['webhook-timestamp']);
    const counts = [...new Set(seconds)].map((one) => seconds.filter((other) => other === one).length);
    // A request is stamped a moment after it was counted: as many as there are lanes may fall into the next second.
    expect(Math.max(...counts)).toBeLessThanOrEqual(limit + 4);
    expect(most).toBeLessThanOrEqual(4);
    expect(fixture.receiver.got).toHaveLength(120);
    const once = { webhookId: fixture.webhookId, attemptCount: 1, retryCount: 0 };
    expect(await app.app.services.db.webhookDeliveries.countDocuments(once)).toBe(120);
    await fixture.receiver.stop();
  });

  it('of a dozen hanging endpoints hold up no healthy one (R29, R30)', async () => {
    const hanging = await Promise.all(Array.from({ length: 12 }, () => webhookFixture(app, silent)));
    for (const { receiver } of hanging) receiver.answer = () => undefined;
    for (const fixture of hanging) await insertOldDeliveries(app, fixture, { count: 10, state: 'pending' });
    // All lanes of the twelve are in use.
    await Promise.all(hanging.map(({ receiver }) => receiver.has(4)));
    const healthy = await webhookFixture(app, silent);
    await insertOldDeliveries(app, healthy, { count: 60, state: 'pending' });
    await expect.poll(() => delivered(healthy), { interval: 100 }).toBe(60);
    expect(hanging.map(({ receiver }) => receiver.got.length)).toEqual(Array<number>(12).fill(4));
    await Promise.all([...hanging, healthy].map(({ receiver }) => receiver.stop()));
  });
});

/** Webhooks of one user each, with a delivery that is overdue. */
async function insertEndpoints({ app: { services } }: TestApp, url: string, count: number): Promise<string[]> {
  const { webhooks, webhookEvents, webhookDeliveries } = services.db;
  const at = new Date(Date.now() - 60_000);
  const ids = Array.from({ length: count }, () => newId());
  const event = { type: 'ad.created', occurredAt: at };
  await webhooks.insertMany(ids.map((_id) => ({ _id, userId: _id, slot: 1, name: 'W', url, events: ['*'] })));
  await webhookEvents.insertMany(ids.map((id) => ({ ...event, _id: `evt_${id}`, userId: id, body: '{}' })));
  const due = { ...event, state: 'pending' as const, nextAttemptAt: at, createdAt: at };
  await webhookDeliveries.insertMany(
    ids.map((id) => ({ ...due, userId: id, webhookId: id, eventId: `evt_${id}`, replay: 0 })),
  );
  return ids;
}

it('a worker with 200 hanging endpoints leaves the jobs of others to an idle worker, and takes jobs again afterwards (R29)', async () => {
  const own = await startTestApp({ ROLE: 'api', SWEEP_INTERVAL_SECONDS: '0.2', WEBHOOK_TIMEOUT_SECONDS: '60' });
  const [hanging, healthy] = await Promise.all([startReceiver(), startReceiver()]);
  hanging.answer = () => undefined;
  const { webhookDeliveries } = own.app.services.db;
  const sending = (): Promise<number> => webhookDeliveries.countDocuments({ state: 'sending' }).exec();
  await insertEndpoints(own, hanging.url, 200);
  const worker = { ...own.env, ROLE: 'worker' };
  const busy = await startTestApp(worker);
  await expect.poll(sending).toBe(200);
  const ids = await insertEndpoints(own, healthy.url, 60);
  const connection = new Redis(own.env['REDIS_URL'] ?? '');
  const jobs = ids.map((id) => `{${own.env['REDIS_PREFIX']}:queue}:deliver-webhooks:w-${id}`);
  await expect.poll(() => connection.exists(jobs)).toBe(60);
  const idle = await startTestApp(worker);
  await healthy.has(60);
  await expect.poll(sending).toBe(200);
  // Once it has capacity, it takes jobs again.
  await Promise.all([idle.stop(), hanging.stop()]);
  await insertEndpoints(own, healthy.url, 1);
  await healthy.has(61);
  await Promise.all([healthy.stop(), busy.stop()]);
  connection.disconnect();
  await own.stop();
});

it('a worker that stops queues the endpoint of a job that it was taking (R2)', async () => {
  const line = await openTcpProxy(server.port, 150);
  const own = await startTestApp({ ROLE: 'api', REDIS_URL: server.url, SWEEP_INTERVAL_SECONDS: '60' });
  const connection = new Redis(server.url);
  const queue = new Queue('deliver-webhooks', { prefix: `{${own.env['REDIS_PREFIX']}:queue}`, connection });
  const receiver = await startReceiver();
  const worker = await startTestApp({ ...own.env, ROLE: 'worker', REDIS_URL: line.url });
  const [webhookId] = await insertEndpoints(own, receiver.url, 1);
  await queue.add('deliver-webhooks', { webhookId }, { jobId: `w-${webhookId}` });
  // Unless this process was so slow that it has been taken and sent already.
  const begun = async (): Promise<number> => (await queue.getActiveCount()) + receiver.got.length;
  await expect.poll(begun, { interval: 10 }).toBeGreaterThan(0);
  await worker.stop();
  expect((await queue.getJobCountByTypes('waiting', 'delayed')) + receiver.got.length).toBe(1);
  await Promise.all([queue.close(), receiver.stop(), own.stop()]);
  connection.disconnect();
  await line.stop();
});

describe('a job in the queue', () => {
  const options = () => ({
    redisUrl: server.url,
    redisPrefix: 'jobs',
    discoveryEveryMs: 0,
    reconcileIntervalMs: 1,
    reconcileAfterMs: 1,
    sweepIntervalMs: 1,
    refreshEveryMs: 1,
  });

  it('is added once for each endpoint, however often it is due (R19)', async () => {
    const producer = createProducer<object>('deliver-webhooks', options(), createLog('silent'));
    const job = { data: { webhookId: 'a' }, jobId: 'w-a' };
    await expect
      .poll(async () => {
        await Promise.all(Array.from({ length: 10 }, () => producer.add([job, job])));
        return redis.exists('{jobs:queue}:deliver-webhooks:w-a');
      })
      .toBe(1);
    const connection = new Redis(server.url);
    const queue = new Queue('deliver-webhooks', { prefix: '{jobs:queue}', connection });
    expect(await queue.getJobCounts('waiting', 'delayed', 'active')).toEqual({ waiting: 1, delayed: 0, active: 0 });
    await Promise.all([queue.close(), producer.stop()]);
    connection.disconnect();
  });

  it.each(['completed', 'failed', 'lost'])(
    'that is left behind as %s never keeps a delivery back (R5)',
    async (set) => {
      const fixture = await webhookFixture(app, silent);
      const { webhookDeliveries } = app.app.services.db;
      await insertOldDeliveries(app, fixture, { count: 1, state: 'failed' });
      const delivery = await webhookDeliveries.findOne({ webhookId: fixture.webhookId }).lean();
      const [queue, id] = [`{${app.env['REDIS_PREFIX']}:queue}:deliver-webhooks`, `w-${fixture.webhookId}`];
      await redis.hset(`${queue}:${id}`, { name: 'deliver-webhooks', data: '{}', opts: '{}', timestamp: 1, atm: 1 });
      // One that is lost is in none of the queue's lists.
      if (set !== 'lost') await redis.zadd(`${queue}:${set}`, 1, id);
      const due = { state: 'pending' as const, terminalAt: null, nextAttemptAt: new Date(Date.now() - 60_000) };
      await webhookDeliveries.updateOne({ _id: delivery?._id }, { $set: due });
      await fixture.receiver.has(1);
      await expect.poll(() => delivered(fixture)).toBe(1);
      await expect.poll(() => redis.exists(`${queue}:${id}`)).toBe(0);
      await fixture.receiver.stop();
    },
  );

  it('carries ids and nothing of the event (R29)', async () => {
    const fixture = await webhookFixture(app);
    fixture.receiver.answer = status(500);
    await fixture.event('a name that no job holds');
    await fixture.receiver.has(1);
    // The retry has a job of its own, until it is due.
    const queue = `{${app.env['REDIS_PREFIX']}:queue}:deliver-webhooks`;
    const jobs = (): Promise<string[]> => redis.keys(`${queue}:w-${fixture.webhookId}-*`);
    await expect.poll(jobs).toHaveLength(1);
    const [job = ''] = await jobs();
    expect(JSON.parse((await redis.hget(job, 'data')) ?? '{}')).toEqual({ webhookId: fixture.webhookId });
    await fixture.receiver.stop();
  });
});
