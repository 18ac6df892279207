import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startApp } from '../../src/app.ts';
import { readConfig } from '../../src/config/config.ts';
import { createLog } from '../../src/telemetry/log.ts';
import { startTestApp, type TestApp } from '../support/app.ts';
import { ownRedis, type TestRedis } from '../support/redis.ts';
import { openTcpProxy, type Line } from '../support/tcp-proxy.ts';

let app: TestApp;
let redis: TestRedis;
let toDatabase: Line;
let toRedis: Line;
let env: Record<string, string>;

beforeAll(async () => {
  [app, redis] = await Promise.all([startTestApp(), ownRedis(undefined, ['--maxmemory-policy', 'allkeys-lru'])]);
  const database = new URL(app.env['MONGODB_URI'] ?? '');
  [toDatabase, toRedis] = await Promise.all([openTcpProxy(Number(database.port)), openTcpProxy(redis.port)]);
  database.port = String(toDatabase.port);
  database.searchParams.set('directConnection', 'true');
  env = { ...app.env, MONGODB_URI: database.href, REDIS_URL: toRedis.url };
});
afterAll(async () => {
  await Promise.all([app.stop(), toDatabase.stop(), toRedis.stop()]);
  await redis.stop();
});

const inProduction = {
  NODE_ENV: 'production',
  PUBLIC_URL: 'https://api.example.com',
  METRICS_TOKEN: 'a-token-of-this-test',
};

it.each([
  [
    'its keys do not match the stored data',
    { ENCRYPTION_KEYS: `test:${randomBytes(32).toString('base64')}` },
    /not the key/,
  ],
  ['its folder cannot be created', { MEDIA_SPOOL_DIR: '/dev/null/uploads' }, /ENOTDIR/],
  ['its Redis is unsuitable', inProduction, /allkeys-lru/],
  [
    'its database cannot be reached',
    { MONGODB_URI: 'mongodb://127.0.0.1:1/x?serverSelectionTimeoutMS=100' },
    /unreachable/,
  ],
])('a service that does not start because %s closes its connections', async (_, settings, expected) => {
  const before = toRedis.writes();
  await expect(startApp(readConfig({ ...env, ...settings }), createLog('silent'))).rejects.toThrow(expected);
  expect(toRedis.writes()).toBeGreaterThan(before);
  await expect.poll(() => [toDatabase.working(), toRedis.working()]).toEqual([0, 0]);
});
