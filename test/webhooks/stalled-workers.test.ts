import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readConfig } from '../../src/config/config.ts';
import { isMoving, oldestDueSeconds, outboxLagSeconds } from '../../src/services/webhooks/backlog.ts';
import { createDeliverer } from '../../src/services/webhooks/deliver.ts';
import { relayEvents } from '../../src/services/webhooks/relay-outbox.ts';
import { sweepAll } from './sweep-all.ts';
import { webhookHeaders } from '../../src/services/encryption/bindings.ts';
import { startTestApp, type TestApp } from '../support/app.ts';
import { startProcess } from '../support/process.ts';
import { ownRedis } from '../support/redis.ts';
import { versionWarningsToday } from '../support/version-warnings.ts';
import { insertOldDeliveries, webhookFixture } from './fixture.ts';
import { startReceiver, status } from './receiver.ts';

let app: TestApp;

beforeAll(async () => {
  app = await startTestApp({ ROLE: 'api', WEBHOOK_RETRY_SCHEDULE: '0,0.1', WEBHOOK_CIRCUIT_BREAKER_SCHEDULE: 'none' });
});
afterAll(() => app.stop());

describe('workers that stand still', () => {
  it('are seen in readiness and metrics, unless the endpoint itself is slow (R3)', async () => {
    const { services } = app.app;
    const fixture = await webhookFixture(app);
    await relayEvents(services);
    expect(await isMoving(services)).toBe(true);
    // A worker whose sweeper comes by too seldom to mend what was left behind.
    const swept = await webhookFixture(app);
    await insertOldDeliveries(app, swept, { count: 1, state: 'pending', hours: 1 / 3600 });
    const worker = await startProcess({ ...app.env, ROLE: 'worker', SWEEP_INTERVAL_SECONDS: '3600' });
    // The sweep with which a worker starts has read what is due by then.
    await swept.receiver.has(1);
    await insertOldDeliveries(app, fixture, { count: 3, state: 'pending', hours: 0.1 });
    expect(await oldestDueSeconds(services)).toBeGreaterThan(300);
    expect(await (await fetch(`${worker.url}/metrics`)).text()).toMatch(/^webhook_oldest_due_seconds 3[67]\d/m);
    const ready = await fetch(`${worker.url}/readyz`);
    expect([ready.status, await ready.json()]).toEqual([
      503,
      {
        status: 'not_ready',
        checks: { mongo: true, redis: true, webhooks: false },
        warnings: versionWarningsToday(app.env),
      },
    ]);
    expect((await fetch(`${app.url}/readyz`)).status).toBe(200);
    await services.db.webhooks.updateOne({ _id: fixture.webhookId }, { $set: { lastDeliveryAt: new Date() } });
    expect(await isMoving(services)).toBe(true);
    await services.db.webhookDeliveries.deleteMany({ webhookId: fixture.webhookId });
    await worker.end('SIGTERM');
    await Promise.all([fixture.receiver.stop(), swept.receiver.stop()]);
  });

  it('are seen by deliveries of a dead sender that no process takes over (R3)', async () => {
    const { services } = app.app;
    const fixture = await webhookFixture(app);
    await insertOldDeliveries(app, fixture, { count: 1, state: 'pending' });
    const until = new Date(Date.now() - 300_000);
    const lease = { token: 'dead', until, startedAt: until };
    await services.db.webhookDeliveries.updateOne(
      { webhookId: fixture.webhookId },
      { $set: { state: 'sending', lease, nextAttemptAt: null } },
    );
    expect(await oldestDueSeconds(services)).toBeGreaterThanOrEqual(300);
    expect(await isMoving(services)).toBe(false);
    await services.db.webhookDeliveries.deleteMany({ webhookId: fixture.webhookId });
    expect(await isMoving(services)).toBe(true);
    await fixture.receiver.stop();
  });

  it('are seen by events that no relay has carried on (R3)', async () => {
    const { services } = app.app;
    const fixture = await webhookFixture(app);
    await fixture.event();
    const at = new Date(Date.now() - 120_000);
    const outbox = { userId: fixture.user.userId, 'pendingEvents.0': { $exists: true } };
    await services.db.apiKeys.updateMany(outbox, { $set: { 'pendingEvents.0.at': at } });
    expect(Math.floor((await outboxLagSeconds(services)) / 100)).toBe(1);
    expect(await isMoving(services)).toBe(false);
    await relayEvents(services);
    expect(await outboxLagSeconds(services)).toBe(0);
    await fixture.receiver.stop();
  });
});

describe('an internal error', () => {
  it('is no attempt: the delivery stays as it was and the sweeper brings it back (R9)', async () => {
    const { services } = app.app;
    const fixture = await webhookFixture(app, { events: ['ad.created'] });
    await insertOldDeliveries(app, fixture, { count: 1, state: 'pending', hours: 0.01 });
    const away = { ...services, limitDeliveryRate: () => Promise.reject(new Error('Redis is away')) };
    for (let at = 0; at < 20; at++) {
      const { due } = await sweepAll(away);
      expect(due).toHaveLength(1);
      await expect(createDeliverer(away)(due[0] ?? '')).rejects.toThrow('Redis is away');
    }
    const find = () => services.db.webhookDeliveries.findOne({ webhookId: fixture.webhookId }).lean();
    expect(await find()).toMatchObject({ state: 'pending', attemptCount: 0, retryCount: 0, attempts: [] });
    const { due } = await sweepAll(services);
    await createDeliverer(services)(due[0] ?? '');
    expect(await find()).toMatchObject({ state: 'delivered', attemptCount: 1 });
    await fixture.receiver.stop();
  });
});

describe('a Redis that is away for longer than a worker waits for jobs (R14)', () => {
  it('finds the worker at work again when it is back', async () => {
    const first = await ownRedis();
    const own = await startTestApp({ REDIS_URL: first.url, SWEEP_INTERVAL_SECONDS: '0.2' });
    const fixture = await webhookFixture(own);
    await fixture.event('before');
    await fixture.receiver.has(1);
    await first.kill();
    await new Promise((resolve) => setTimeout(resolve, 12_000));
    const again = await ownRedis(first.port);
    await fixture.event('after');
    await fixture.receiver.has(2);
    await own.stop();
    await Promise.all([fixture.receiver.stop(), again.stop()]);
  });
});

describe('the owner of a failing webhook', () => {
  it('hears of the first delivery that ran out of attempts, once (R15)', async () => {
    // Another relay would be at the event of the fixture's own key when the webhook comes.
    const fixture = await webhookFixture(app, { events: ['api_key.created'] });
    const worker = await startProcess({ ...app.env, ROLE: 'worker', SWEEP_INTERVAL_SECONDS: '0.2' });
    const watcher = await startReceiver();
    await app.call('POST', '/v1/webhooks/settings', {
      key: fixture.user.key,
      body: { name: 'Watch', url: watcher.url, events: ['webhook.failing'] },
    });
    fixture.receiver.answer = status(500);
    await fixture.event('one');
    await expect.poll(async () => (await fixture.logs('&status=failed')).length).toBe(1);
    await watcher.has(1);
    await fixture.event('two');
    await expect.poll(async () => (await fixture.logs('&status=failed')).length).toBe(2);
    // Failures three and four: the next notice is due at the fifth.
    await fixture.event('three');
    await watcher.has(2);
    expect(watcher.got.map(({ body: text }) => JSON.parse(text).webhook.consecutiveFailures)).toEqual([2, 5]);
    await worker.end('SIGTERM');
    await Promise.all([fixture.receiver.stop(), watcher.stop()]);
  });
});

describe('stored headers that newer rules refuse', () => {
  it('are left out of the request, and the log says so (R42)', async () => {
    const { db, encrypter } = app.app.services;
    const fixture = await webhookFixture(app, { customHeaders: { 'X-Good': 'good' } });
    const old = { 'X-Good': 'good', 'X-Old': 'caf\u00e9 \u65e5', 'Webhook-Id': 'evt_mine', 'X-Break': 'a\r\nb: c' };
    await db.webhooks.updateOne(
      { _id: fixture.webhookId },
      {
        $set: {
          encryptedHeaders: encrypter.encrypt(JSON.stringify(old), webhookHeaders(fixture.webhookId)),
          headerNames: Object.keys(old),
        },
      },
    );
    expect((await fixture.post('test', { webhookId: fixture.webhookId })).body.success).toBe(true);
    const { headers, body } = fixture.receiver.got[0]!;
    expect(headers).toMatchObject({ 'x-good': 'good', 'webhook-id': JSON.parse(body).id });
    expect(headers).not.toHaveProperty('x-old');
    const [log] = await fixture.logs();
    for (const name of ['X-Old', 'Webhook-Id', 'X-Break'])
      expect(log.attempts[0].requestHeaders).toContain(`${name} (omitted: no longer allowed)`);
    await fixture.receiver.stop();
  });
});

describe('what counts as a failure', () => {
  it('is said where owners and operators look, and can be set (R27)', () => {
    for (const file of ['schema.graphql', 'docs/openapi.json'])
      expect(readFileSync(file, 'utf8')).toMatch(/Consecutive failures; the tenth disables the webhook/);
    expect(readFileSync('docs/webhooks.md', 'utf8')).toMatch(/\*\*A counted failure\*\* is[^]*`WEBHOOK_FAILURE_LIMIT`/);
    const env = {
      MONGODB_URI: 'mongodb://a/b',
      REDIS_URL: 'redis://a',
      ENCRYPTION_KEYS: `k:${Buffer.alloc(32).toString('base64')}`,
    };
    expect(readConfig({ ...env, WEBHOOK_FAILURE_LIMIT: '25' }).webhooks.failureLimit).toBe(25);
  });
});

describe('the record of what happened', () => {
  it('is never a change stream: a store without them is enough (R47)', () => {
    const src = join(import.meta.dirname, '../../src');
    const files = readdirSync(src, { recursive: true, encoding: 'utf8' }).filter((path) => path.endsWith('.ts'));
    const watching = files.filter((path) => /\.watch\(|\$changeStream/.test(readFileSync(join(src, path), 'utf8')));
    expect(watching).toEqual([]);
  });
});
