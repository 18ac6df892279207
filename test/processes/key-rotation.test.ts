import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { localServices, type LocalServices } from '../../src/cli/services.ts';
import { startSandbox, type Sandbox } from '../../src/dev/sandbox/index.ts';
import { sandboxSettings } from '../../src/dev/sandbox/settings.ts';
import { cli } from '../dev/support.ts';
import type { Answer, TestApp } from '../support/app.ts';
import { testDatabase, type TestDatabase } from '../support/db.ts';
import { startProcess, type ServiceProcess } from '../support/process.ts';
import { testRedis } from '../support/redis.ts';
import { goodAd, createUserFixture, type UserFixture } from '../support/user-fixture.ts';
import { startReceiver, type Receiver } from '../webhooks/receiver.ts';

const [k1, k2] = ['k1', 'k2'].map((id) => `${id}:${randomBytes(32).toString('base64')}`) as [string, string];

let database: TestDatabase;
let redis: Awaited<ReturnType<typeof testRedis>>;
let sandbox: Sandbox;
let receiver: Receiver;
let services: LocalServices;
let fixture: UserFixture;
let env: Record<string, string>;

beforeAll(async () => {
  [database, redis, sandbox, receiver] = await Promise.all([
    testDatabase(),
    testRedis(),
    startSandbox(),
    startReceiver(),
  ]);
  services = await localServices(database.uri, k1);
  fixture = await createUserFixture({ app: { services }, sandbox } as unknown as TestApp);
  env = {
    MONGODB_URI: database.uri,
    REDIS_URL: redis.url,
    REDIS_PREFIX: 'rotation',
    ...sandboxSettings(sandbox.url),
    LOG_LEVEL: 'info',
    DISCOVERY_EVERY_HOURS: '0',
    RATE_LIMIT_SMALL: '100000',
    RATE_LIMIT_MEDIUM: '100000',
    SWEEP_INTERVAL_SECONDS: '0.5',
  };
});
afterAll(async () => {
  await Promise.all(fleet.map(({ process }) => process.end('SIGKILL')));
  await Promise.all([services.close(), receiver.stop(), sandbox.stop(), redis.stop()]);
  await database.stop();
});

interface Member {
  role: 'api' | 'worker';
  process: ServiceProcess;
  /** Requests that it has not answered yet. */
  busy: Set<Promise<unknown>>;
}

const fleet: Member[] = [];

async function join(role: Member['role'], keys: string): Promise<Member> {
  const process = await startProcess({ ...env, ROLE: role, ENCRYPTION_KEYS: keys });
  const member = { role, process, busy: new Set<Promise<unknown>>() };
  fleet.push(member);
  return member;
}

/** One of each role at a time: the new one is in before the old one gets no more requests, ends what it has, and stops. */
async function roll(keys: string): Promise<void> {
  const [apis, workers] = (['api', 'worker'] as const).map((role) => fleet.filter((member) => member.role === role));
  for (const [at, api] of (apis ?? []).entries()) {
    const old = [api, workers?.[at]].filter((member) => member !== undefined);
    for (const { role } of old) await join(role, keys);
    for (const member of old) fleet.splice(fleet.indexOf(member), 1);
    await Promise.all(old.map(async ({ busy, process }) => (await Promise.all(busy), process.end('SIGTERM'))));
  }
}

let turn = 0;
/** Through the next API process, as a load balancer would. */
function call(method: string, path: string, body: object, headers?: Record<string, string>): Promise<Answer> {
  const apis = fleet.filter(({ role }) => role === 'api');
  const { process, busy } = apis[(turn += 1) % apis.length]!;
  const answer = process.call(method, path, { key: fixture.key, body, headers });
  busy.add(answer);
  void answer.catch(() => undefined).finally(() => busy.delete(answer));
  return answer;
}

it('a rotation in two steps under load fails no request and no delivery, and leaves nothing under the old key', async () => {
  for (const role of ['api', 'worker', 'api', 'worker'] as const) await join(role, k1);
  const settings = {
    name: 'Hook',
    url: receiver.url,
    events: ['*'],
    secret: 'a-secret-of-some-length',
    customHeaders: { 'X-Shop': 'shop-of-some-length' },
  };
  const { body: made } = await call('POST', '/v1/webhooks/settings', settings);
  await call('POST', '/v1/webhooks/settings/rotate-secret', { webhookId: made.webhook._id, graceSeconds: 3600 });
  const statuses: number[] = [];
  let isOver = false;
  const load = (async () => {
    for (let at = 0; !isOver; at += 1) {
      const ad = await call(
        'POST',
        '/v1/ads/create',
        { ...goodAd(fixture), name: `Ad ${at}` },
        { 'Idempotency-Key': `ad-${at}` },
      );
      const { status } = await call('PUT', `/v1/ads/${ad.body.ad?._id}/status`, { status: 'PAUSED' });
      const test = await call('POST', '/v1/webhooks/test', { webhookId: made.webhook._id });
      statuses.push(ad.status, status, test.status, test.body.success ? 200 : 500);
      await new Promise((resolve) => setTimeout(resolve, 200));
    }
  })();
  await roll(`${k1},${k2}`);
  await roll(`${k2},${k1}`);
  const { stdout, stderr } = await cli(['secrets', 're-encrypt', '--json'], { ...env, ENCRYPTION_KEYS: `${k2},${k1}` });
  expect(stderr).toBe('');
  expect(JSON.parse(stdout)).toMatchObject({
    encryptsWith: 'k2',
    remaining: [],
    unreadable: 0,
    removable: ['k1'],
    stillUsed: [],
  });
  await roll(k2);
  isOver = true;
  await load;

  expect(statuses.filter((status) => status !== 200 && status !== 201)).toEqual([]);
  expect(statuses.length).toBeGreaterThan(40);
  const { db } = services;
  const open = { state: { $nin: ['delivered', 'failed', 'cancelled', 'skipped'] as never[] } };
  await expect.poll(() => db.webhookDeliveries.countDocuments(open)).toBe(0);
  const deliveries = await db.webhookDeliveries.find().lean();
  expect(deliveries.filter(({ state, attempts }) => state !== 'delivered' || attempts.length !== 1)).toEqual([]);
  expect(deliveries.length).toBeGreaterThan(30);
  expect(await db.webhooks.findOne().lean()).toMatchObject({ consecutiveFailures: 0, isActive: true });
  expect(await db.ads.countDocuments({ status: { $in: ['error', 'creating', 'unconfirmed'] } })).toBe(0);
  const stored = JSON.stringify([await db.accounts.find().lean(), await db.webhooks.find().lean()]);
  expect(stored).toContain('"v2.k2.');
  expect(stored).not.toMatch(/"(v2\.)?k1\./);
  expect((await db.encryptionKeys.find().lean()).map(({ _id }) => _id)).toEqual(['k2']);
  for (const { process } of fleet) expect(process.log()).toMatch(/"encryptsWith":"k2","keyIds":\["k2"\]/);
});
