import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newId } from '../../src/lib/id.ts';
import { operations } from '../../src/operations/index.ts';
import { pathsOf } from '../../src/operations/operation.ts';
import { startTestApp, type TestApp } from '../support/app.ts';
import { driverMs, slowDriver } from '../support/db.ts';
import { logLines, tooFrequent } from '../support/log-lines.ts';
import { startProcess, type ServiceProcess } from '../support/process.ts';
import { openTcpProxy, type Line } from '../support/tcp-proxy.ts';
import { webhookFixture, type WebhookFixture } from '../webhooks/fixture.ts';

/** Shorter than the driver waits. */
const limitMs = driverMs - 5_000;

let app: TestApp;
let line: Line;
let service: ServiceProcess;
let fixture: WebhookFixture;

beforeAll(async () => {
  app = await startTestApp({ ROLE: 'api' });
  fixture = await webhookFixture(app);
  const store = new URL(app.env['MONGODB_URI'] ?? '');
  line = await openTcpProxy(Number(store.port || 27_017));
  store.host = `127.0.0.1:${line.port}`;
  service = await startProcess({ ...app.env, ROLE: 'all', LOG_LEVEL: 'warn', MONGODB_URI: slowDriver(store) });
});
afterAll(async () => {
  await service.end('SIGKILL');
  await fixture.receiver.stop();
  await line.stop();
  await app.stop();
});

interface Target {
  method: string;
  path: string;
  body?: string;
}

const routes: Target[] = operations.flatMap((operation) =>
  pathsOf(operation).map((path) => ({
    method: operation.method,
    path: path.replaceAll(/\{\w+\}/g, newId()),
    ...(operation.method !== 'GET' && { body: '{}' }),
  })),
);
const others: Target[] = [
  { method: 'POST', path: '/graphql', body: JSON.stringify({ query: '{ profiles { edges { node { id } } } }' }) },
  {
    method: 'POST',
    path: '/graphql',
    body: JSON.stringify({ query: 'mutation { createProfile(input: {name: "A"}) { profile { id } } }' }),
  },
  { method: 'GET', path: '/ads' },
  { method: 'GET', path: '/deliveries' },
  { method: 'GET', path: '/v1/connect/network-a/callback?state=a&code=b' },
];

async function statusAt({ method, path, body }: Target): Promise<[number, string | null]> {
  const headers = { Authorization: `Bearer ${fixture.user.key}`, 'Content-Type': 'application/json' };
  const signal = AbortSignal.timeout(limitMs);
  try {
    const response = await fetch(service.url + path, { method, body, headers, signal, redirect: 'manual' });
    await response.text();
    return [response.status, response.headers.get('retry-after')];
  } catch (error) {
    return [0, String(error)];
  }
}

const isReady = async (): Promise<number> => (await fetch(`${service.url}/readyz`)).status;
const read: Target = { method: 'GET', path: '/v1/profiles' };

/** Nothing may wait for the driver, which gives up later. */
async function expectUnavailable(): Promise<void> {
  const all = [...routes, ...others];
  // These may arrive before the outage is known, and input that is wrong is rejected without the database.
  const first = await Promise.all([read, ...all.slice(0, 20)].map(statusAt));
  expect(first[0]).toEqual([503, '5']);
  expect(first.filter(([status]) => status !== 503 && status !== 400)).toEqual([]);
  const received: unknown[] = [];
  for (let at = 0; at < all.length; at += 20)
    received.push(
      ...(await Promise.all(all.slice(at, at + 20).map(async (target) => [target, await statusAt(target)]))),
    );
  expect(received).toEqual(all.map((target) => [target, [503, '5']]));
  expect((await fetch(`${service.url}/healthz`)).status).toBe(200);
}

async function expectRecovery(): Promise<void> {
  await expect.poll(isReady, { interval: 250 }).toBe(200);
  await expect.poll(async () => (await statusAt(read))[0], { interval: 100 }).toBe(200);
  const before = fixture.receiver.got.length;
  await fixture.event();
  await fixture.receiver.has(before + 1);
}

describe('a process that waits for the database or an index at its start', () => {
  it('is alive and not ready, and returns 503 until it is', async () => {
    const silent = await openTcpProxy(Number(new URL(app.env['MONGODB_URI'] ?? '').port || 27_017));
    const uri = new URL(app.env['MONGODB_URI'] ?? '');
    uri.host = `127.0.0.1:${silent.port}`;
    silent.swallow();
    const starting = await startProcess({ ...app.env, ROLE: 'api', MONGODB_URI: uri.toString() }, '/healthz');
    const get = async (path: string): Promise<unknown[]> => {
      const response = await fetch(starting.url + path);
      return [response.status, response.headers.get('retry-after'), await response.json()];
    };
    expect(await get('/readyz')).toEqual([503, null, { status: 'starting', checks: {}, warnings: [] }]);
    const errors = [{ extensions: { code: 'temporarily_unavailable' } }];
    expect(await Promise.all([get('/v1/profiles'), get('/graphql?query={viewer{id}}')])).toMatchObject([
      [503, '5', { code: 'temporarily_unavailable' }],
      [503, '5', { errors }],
    ]);
    silent.mend();
    await expect.poll(async () => (await get('/readyz'))[0], { interval: 200 }).toBe(200);
    await starting.end('SIGTERM');
    await silent.stop();
  });
});

describe('while the database accepts connections and never responds', () => {
  it('every route of both APIs and the pages returns 503 with Retry-After before the driver gives up', async () => {
    expect((await statusAt(read))[0]).toBe(200);
    line.swallow();
    await expectUnavailable();
    line.mend();
    await expectRecovery();
  });
});

describe('while the database refuses connections', () => {
  it('every route returns 503, and no delivery counts it as a failure of its endpoint', async () => {
    await line.stop();
    await expectUnavailable();
    const delivery = await app.app.services.db.webhookDeliveries.find({ failure: { $exists: true } }).lean();
    expect(delivery).toEqual([]);
  });

  it('the log has one line a second about it, without a stack', async () => {
    const entries = () => logLines(service.log());
    await expect.poll(() => entries().filter(({ msg }) => msg === 'database unavailable').length).toBeGreaterThan(3);
    expect(tooFrequent(service.log())).toEqual([]);
    // After the end of an API version each process logs so once a day.
    const others = entries().filter(({ msg }) => msg !== 'database unavailable' && !msg.startsWith('API version '));
    expect(others).toEqual([]);
  });
});
