import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { connectionOptions } from '../../src/models/connection-options.ts';
import { startTestApp, type TestApp } from '../support/app.ts';
import { testDatabase, type TestDatabase } from '../support/db.ts';
import { openTcpProxy, type Line } from '../support/tcp-proxy.ts';
import { ownRedis, type TestRedis } from '../support/redis.ts';
import { follow } from '../support/stream.ts';
import { webhookFixture, type WebhookFixture } from '../webhooks/fixture.ts';

const givenUp = { interval: 250 };

let redis: TestRedis;
let database: TestDatabase;
let lines: { redis: Line; mongo: Line };
let app: TestApp;
let fixture: WebhookFixture;

beforeAll(async () => {
  [redis, database] = await Promise.all([ownRedis(), testDatabase()]);
  const store = new URL(database.uri);
  lines = { redis: await openTcpProxy(redis.port), mongo: await openTcpProxy(Number(store.port || 27_017)) };
  store.host = `127.0.0.1:${lines.mongo.port}`;
  app = await startTestApp({ REDIS_URL: lines.redis.url, MONGODB_URI: store.toString(), SWEEP_INTERVAL_SECONDS: '1' });
  fixture = await webhookFixture(app);
});
afterAll(async () => {
  await fixture.receiver.stop();
  await app.stop();
  await lines.redis.stop();
  await Promise.all([redis.stop(), database.stop()]);
});

const metrics = async (): Promise<string> => (await fetch(`${app.url}/metrics`)).text();

/** Existing connections go silent and stay open; new ones work, as after a fail-over. */
const silence = (line: Line): number => {
  const before = line.working();
  line.swallow();
  line.mend();
  return before;
};

describe('half-open connections', () => {
  it('to Redis are replaced by API, workers, metrics and subscriptions, which all continue', async () => {
    const stream = await follow(app.url, fixture.user.key, `deliveries(webhookId: "${fixture.webhookId}") { event }`);
    await fixture.event('before');
    await fixture.receiver.has(1);
    await expect.poll(() => stream.got.at(-1)?.data, givenUp).toEqual({ deliveries: { event: 'api_key.created' } });
    await expect.poll(metrics, givenUp).toMatch(/^queue_jobs\{/m);
    const before = silence(lines.redis);
    expect(before).toBeGreaterThan(8);
    await expect.poll(() => lines.redis.silent(), givenUp).toBe(0);
    await expect.poll(() => lines.redis.working(), givenUp).toBeGreaterThanOrEqual(before);
    const seen = stream.got.length;
    await fixture.event('after');
    await fixture.receiver.has(2);
    await expect.poll(() => stream.got.length, givenUp).toBeGreaterThan(seen);
    await expect.poll(metrics, givenUp).toMatch(/^queue_jobs\{/m);
    await expect.poll(async () => (await fetch(`${app.url}/readyz`)).status, givenUp).toBe(200);
    stream.stop();
  });

  it('to the database are replaced, and requests and deliveries continue', async () => {
    expect(silence(lines.mongo)).toBeGreaterThan(1);
    const read = async (): Promise<number> =>
      (await app.call('GET', '/v1/profiles', { key: fixture.user.key }).catch(() => ({ status: 0 }))).status;
    await expect.poll(read, givenUp).toBe(200);
    const got = fixture.receiver.got.length;
    await fixture.event('later');
    await fixture.receiver.has(got + 1);
    await expect.poll(async () => (await fetch(`${app.url}/readyz`)).status, givenUp).toBe(200);
  });
});

describe('while the database cannot be reached', () => {
  it('both APIs return 503 temporarily_unavailable with Retry-After', async () => {
    await lines.mongo.stop();
    const { key } = fixture.user;
    const unavailable = { code: 'temporarily_unavailable', type: 'api_error' };
    const rest = await app.call('GET', '/v1/profiles', { key });
    expect(rest).toMatchObject({ status: 503, body: unavailable });
    expect(rest.headers.get('retry-after')).toBe('5');
    const write = await app.call('POST', '/v1/profiles', { key, body: { name: 'Later' } });
    expect(write).toMatchObject({ status: 503, body: unavailable });
    const { body } = await app.graphql('{ profiles { edges { node { id } } } }', {}, { key });
    expect(body.errors[0].extensions).toMatchObject(unavailable);
    expect((await fetch(`${app.url}/readyz`)).status).toBe(503);
  });
});

describe('options of the database address', () => {
  it('override our defaults, in any spelling', () => {
    const { maxPoolSize, socketTimeoutMS, ...rest } = connectionOptions('mongodb://h/db');
    expect([maxPoolSize, socketTimeoutMS]).toEqual([50, 15_000]);
    expect(connectionOptions('mongodb://h/db?maxpoolsize=200&socketTimeoutMS=0')).toEqual(rest);
  });
});
