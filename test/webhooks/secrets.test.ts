import { Redis } from 'ioredis';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { relayEvents } from '../../src/services/webhooks/relay-outbox.ts';
import { startTestApp, type TestApp } from '../support/app.ts';
import { startProcess, type ServiceProcess } from '../support/process.ts';
import { createUserFixture } from '../support/user-fixture.ts';
import { webhookFixture } from './fixture.ts';
import { startReceiver, status } from './receiver.ts';

const canaries = { secret: 'canary-secret-of-many-letters', header: 'canary-header-value' };
const fast = {
  WEBHOOK_RETRY_SCHEDULE: '0,0.1,0.1',
  WEBHOOK_CIRCUIT_BREAKER_SCHEDULE: 'none',
  SWEEP_INTERVAL_SECONDS: '0.2',
};
let app: TestApp;

beforeAll(async () => {
  app = await startTestApp({ ROLE: 'api', ...fast });
});
afterAll(() => app.stop());

async function everythingInRedis(): Promise<string> {
  const redis = new Redis(app.env['REDIS_URL'] ?? '');
  const keys = await redis.keys(`*${app.env['REDIS_PREFIX']}*`);
  const dumps = await Promise.all(keys.map(async (key) => (await redis.dumpBuffer(key))?.toString('latin1') ?? ''));
  redis.disconnect();
  return keys.join() + dumps.join();
}

describe('secrets of webhooks', () => {
  it('are in no log, no attempt, no store and no queue (R41)', async () => {
    const traced = { ...app.env, LOG_LEVEL: 'trace' };
    const [worker, api] = await Promise.all([
      startProcess({ ...traced, ROLE: 'worker' }),
      startProcess({ ...traced, ROLE: 'api' }),
    ]);
    const [user, receiver] = await Promise.all([createUserFixture(app), startReceiver()]);
    // A receiver that shows what it was sent, as many do in their errors.
    receiver.answer = ({ headers }, response) =>
      void response.writeHead(500, { 'X-Seen': String(headers['x-token']) }).end(JSON.stringify(headers));
    const body = {
      name: 'H',
      url: receiver.url,
      events: ['*'],
      secret: canaries.secret,
      customHeaders: { 'X-Token': canaries.header },
    };
    const made = await api.call('POST', '/v1/webhooks/settings', { key: user.key, body });
    const webhookId = made.body.webhook._id as string;
    await api.call('POST', '/v1/api-keys', { key: user.key, body: { name: 'k' } });
    await receiver.has(3);
    const tested = await api.call('POST', '/v1/webhooks/test', { key: user.key, body: { webhookId } });
    const rotated = await api.call('POST', '/v1/webhooks/settings/rotate-secret', {
      key: user.key,
      body: { webhookId },
      headers: { 'Idempotency-Key': 'canary' },
    });
    const refused = await api.call('PUT', '/v1/webhooks/settings', {
      key: user.key,
      body: {
        _id: webhookId,
        customHeaders: { 'X-Token': `${canaries.header}\n` },
        secret: `whsec_${canaries.secret}!`,
      },
    });
    expect(refused.status).toBe(400);
    const during = await everythingInRedis();
    const { db } = app.app.services;
    const models = [db.webhooks, db.webhookDeliveries, db.webhookEvents, db.idempotency, db.apiKeys];
    const stored = await Promise.all(models.map((model) => (model as typeof db.webhooks).find().lean()));
    const answers = await Promise.all(
      ['settings', 'logs'].map((name) => api.call('GET', `/v1/webhooks/${name}`, { key: user.key })),
    );
    await Promise.all([worker.end('SIGTERM'), api.end('SIGTERM')]);
    const bodies = [made, tested, refused, ...answers].map((answer) => answer.body);
    const text = JSON.stringify([bodies, stored]) + during + worker.log() + api.log();
    for (const canary of [...Object.values(canaries), user.key, rotated.body.secret as string])
      expect(text).not.toContain(canary);
    expect(text).toContain('"path":"/v1/webhooks/settings"');
    const [log] = answers[1]?.body.logs.filter(({ trigger }: { trigger: string }) => trigger === 'auto') ?? [];
    expect(log.attempts[0]).toMatchObject({ responseHeaders: { 'x-seen': '***' } });
    expect(log.attempts[0].responseBody).toContain('"x-token":"***"');
    expect(receiver.got[0]?.headers['x-token']).toBe(canaries.header);
    await receiver.stop();
  });
});

describe('counts', () => {
  it("of one webhook are its own: another's failures leave it alone; instants are UTC in any time zone (R26, R45)", async () => {
    const user = await createUserFixture(app);
    // The events of creating a user are delivered before the webhooks are there.
    await relayEvents(app.app.services);
    const [good, bad] = await Promise.all([startReceiver(), startReceiver()]);
    bad.answer = status(500);
    for (const { url } of [good, bad]) {
      await app.call('POST', '/v1/webhooks/settings', {
        key: user.key,
        body: { name: url.slice(-20), url, events: ['*'] },
      });
    }
    const worker = await startProcess({ ...app.env, ROLE: 'worker', TZ: 'America/St_Johns' });
    await app.call('POST', '/v1/api-keys', { key: user.key, body: { name: 'k' } });
    await bad.has(3);
    await good.has(1);
    const list = async () => (await app.call('GET', '/v1/webhooks/settings', { key: user.key })).body.webhooks;
    await expect.poll(async () => (await list())[1].consecutiveFailures).toBe(3);
    const webhooks = await list();
    expect(webhooks[0]).toMatchObject({ consecutiveFailures: 0, lastSuccessAt: expect.stringMatching(/Z$/) });
    // The worker lives in another time zone; every instant is UTC all the same (R45).
    const { timestamp } = JSON.parse(good.got[0]?.body ?? '{}') as { timestamp: string };
    expect(timestamp).toMatch(/Z$/);
    expect(Math.abs(Date.parse(timestamp) - Date.now())).toBeLessThan(60_000);
    expect(Math.abs(Number(good.got[0]?.headers['webhook-timestamp']) * 1000 - Date.now())).toBeLessThan(60_000);
    await worker.end('SIGTERM');
    await Promise.all([good.stop(), bad.stop()]);
  });
});

describe('a webhook with a damaged secret', () => {
  type Cut = 'encryptedSecret' | 'encryptedHeaders';
  const secret = 'a-secret-of-some-length';
  let worker: ServiceProcess;
  beforeAll(async () => {
    worker = await startProcess({ ...app.env, ROLE: 'worker' });
  });
  afterAll(() => worker.end('SIGTERM'));

  it.each<[Cut, object]>([
    ['encryptedSecret', { secret: 'another-secret-of-some-length' }],
    ['encryptedHeaders', { customHeaders: { 'X-A': 'c' } }],
  ])('sends nothing, names the damage, and delivers what waited once %s is replaced', async (field, mend) => {
    const hook = await webhookFixture(app, { secret, customHeaders: { 'X-A': 'b' } });
    const { db } = app.app.services;
    const stored = await db.webhooks.findOne({ _id: hook.webhookId }).lean().orFail();
    const damaged = String(stored[field]).slice(0, -4) as (typeof stored)[Cut];
    await db.webhooks.updateOne({ _id: hook.webhookId }, { $set: { [field]: damaged } });
    expect(await hook.post('test', { webhookId: hook.webhookId })).toMatchObject({
      status: 409,
      body: { code: 'webhook_secret_damaged', error: expect.stringContaining('with a new `secret`') },
    });
    const query = `mutation { testWebhook(webhookId: "${hook.webhookId}") { success } }`;
    const graphql = await app.graphql(query, {}, { key: hook.user.key });
    expect(graphql.body.errors[0].extensions.code).toBe('webhook_secret_damaged');
    await hook.event();
    const waiting = () => db.webhookDeliveries.findOne({ webhookId: hook.webhookId, type: 'api_key.created' }).lean();
    await expect.poll(async () => (await waiting())?.failure?.count ?? 0).toBeGreaterThan(0);
    expect([hook.receiver.got, (await waiting())?.attempts]).toEqual([[], []]);
    expect(await hook.webhook()).toMatchObject({ isActive: true, consecutiveFailures: 0 });
    expect((await hook.update(mend)).status).toBe(200);
    await expect.poll(async () => (await waiting())?.state).toBe('delivered');
    expect(hook.receiver.got).toHaveLength(1);
    await hook.receiver.stop();
  });

  it('is signed with the new secret alone after a rotation', async () => {
    const hook = await webhookFixture(app, { secret });
    const { db } = app.app.services;
    const { encryptedSecret } = await db.webhooks.findOne({ _id: hook.webhookId }).lean().orFail();
    const damaged = encryptedSecret?.slice(0, -4) as typeof encryptedSecret;
    await db.webhooks.updateOne({ _id: hook.webhookId }, { $set: { encryptedSecret: damaged } });
    const rotated = await hook.post('settings/rotate-secret', { webhookId: hook.webhookId, graceSeconds: 3600 });
    expect(rotated).toMatchObject({ status: 200, body: { signingKeys: [{ validUntil: null }] } });
    expect((await hook.post('test', { webhookId: hook.webhookId })).body).toMatchObject({ success: true });
    await hook.receiver.stop();
  });
});
