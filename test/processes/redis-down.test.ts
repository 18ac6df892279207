import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestApp, type TestApp } from '../support/app.ts';
import { ownRedis, type TestRedis } from '../support/redis.ts';
import { goodAd, createUserFixture, type UserFixture } from '../support/user-fixture.ts';

let redis: TestRedis;
let app: TestApp;
let fixture: UserFixture;

beforeAll(async () => {
  redis = await ownRedis();
  app = await startTestApp({ REDIS_URL: redis.url, RATE_LIMIT_SMALL: '30' });
  fixture = await createUserFixture(app);
});
afterAll(async () => {
  await app.stop();
  await redis.stop();
});

describe('while Redis cannot be reached', () => {
  it('requests go on, keys are read from the database, and a process counts for itself', async () => {
    const { id, key } = await fixture.keyWith({});
    expect((await app.call('GET', '/v1/me', { key })).status).toBe(200);
    await redis.kill();
    expect((await app.call('POST', '/v1/ads/create', { key: fixture.key, body: goodAd(fixture) })).status).toBe(201);
    expect((await app.call('DELETE', `/v1/api-keys/${id}`, { key: fixture.key })).status).toBe(200);
    expect((await app.call('GET', '/v1/me', { key })).status).toBe(401);
    // The limit of 30 is reached even if a new minute begins amid these.
    await expect
      .poll(async () => (await app.call('GET', '/v1/me', { key: fixture.key })).status, { interval: 1 })
      .toBe(429);
    const own = await ownRedis(redis.port);
    await expect.poll(async () => (await fetch(`${app.url}/readyz`)).status).toBe(200);
    await own.stop();
  });
});
