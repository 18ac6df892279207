import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startApp, type App } from '../../src/app.ts';
import { readConfig } from '../../src/config/config.ts';
import { createLog } from '../../src/telemetry/log.ts';
import { runDiscovery } from '../../src/services/discovery/run-discovery.ts';
import { apisOf, startTestApp, type TestApp } from '../support/app.ts';
import { goodAd, createUserFixture } from '../support/user-fixture.ts';
import { webhookFixture, type WebhookFixture } from '../webhooks/fixture.ts';

const [k1, k2] = ['k1', 'k2'].map((id) => `${id}:${randomBytes(32).toString('base64')}`) as [string, string];

/** Starts API and worker with the old key alone; the other has a new one in front, as after a rotation without its first step. */
let app: TestApp;
let behind: App;
let ahead: App;
let there: ReturnType<typeof apisOf>;
let fixture: WebhookFixture;
const start = (role: 'api' | 'worker', keys: string): Promise<App> =>
  startApp(readConfig({ ...app.env, ROLE: role, ENCRYPTION_KEYS: keys }), createLog('silent'));

beforeAll(async () => {
  app = await startTestApp({ ROLE: 'api', ENCRYPTION_KEYS: k1, SWEEP_INTERVAL_SECONDS: '0.2' });
  behind = await start('worker', k1);
  ahead = await start('api', `${k2},${k1}`);
  there = apisOf(`http://127.0.0.1:${ahead.port}`);
  fixture = await webhookFixture(app, { events: ['ad.created', 'ad.failed', 'api_key.created'] });
  const { key, accountId } = fixture.user;
  // Whatever is used or set there is under the new key from now on.
  await there.call('PUT', '/v1/webhooks/settings', {
    key,
    body: { _id: fixture.webhookId, secret: 'a-secret-of-some-length', customHeaders: { 'X-A': 'b' } },
  });
  await there.call('GET', `/v1/ads/interests?accountId=${accountId}&q=garden`, { key });
  const account = await app.app.services.db.accounts.findOne({ _id: accountId }).lean();
  expect(account?.encryptedToken).toMatch(/^v2\.k2\./);
});
afterAll(async () => {
  await ahead.stop();
  await fixture.receiver.stop();
  await app.stop();
});

it('an order without its encryption key gets 503 before anything is recorded, on both APIs, and a process with the key creates it', async () => {
  const { key } = fixture.user;
  const order = { key, body: goodAd(fixture.user), headers: { 'Idempotency-Key': 'order-1' } };
  const deferred = await app.call('POST', '/v1/ads/create', order);
  expect(deferred).toMatchObject({ status: 503, body: { code: 'temporarily_unavailable', type: 'api_error' } });
  expect(deferred.headers.get('retry-after')).toBe('30');
  const { db } = app.app.services;
  expect(await db.ads.countDocuments({ userId: fixture.user.userId })).toBe(0);
  expect(await db.idempotency.countDocuments({ key: 'order-1' })).toBe(0);
  const metrics = await (await fetch(`${app.url}/metrics`)).text();
  expect(metrics).toMatch(/^encryption_key_missing_total [1-9]/m);
  const made = await there.call('POST', '/v1/ads/create', order);
  expect(made.status).toBe(201);
  const adId = made.body.ad._id;
  const paused = await app.call('PUT', `/v1/ads/${adId}/status`, { key, body: { status: 'PAUSED' } });
  expect(paused).toMatchObject({ status: 503, body: { code: 'temporarily_unavailable' } });
  const query = `mutation { setAdStatus(adId: "${adId}", input: { status: PAUSED }) { message } }`;
  const graphql = await app.graphql(query, {}, { key });
  expect(graphql.body.errors[0].extensions).toMatchObject({ code: 'temporarily_unavailable' });
  const stored = await db.ads.findOne({ _id: adId }).lean().orFail();
  expect([
    stored.status,
    (await there.call('PUT', `/v1/ads/${adId}/status`, { key, body: { status: 'PAUSED' } })).status,
  ]).toEqual([expect.stringMatching(/^(active|pending_review)$/), 200]);
});

it('a copy, a dry run, a webhook test and a look-up without the encryption key get 503 and record nothing', async () => {
  const { key, accountId } = fixture.user;
  const { db } = app.app.services;
  const { platformCampaignId } = await db.ads.findOne({ userId: fixture.user.userId }).lean().orFail();
  const calls: [string, string, object | undefined][] = [
    ['POST', `/v1/ads/campaigns/${platformCampaignId}/duplicate`, { platform: 'network-a' }],
    ['POST', '/v1/ads/create', { ...goodAd(fixture.user), validateOnly: true }],
    ['POST', '/v1/webhooks/test', { webhookId: fixture.webhookId }],
    ['POST', '/v1/webhooks/settings/rotate-secret', { webhookId: fixture.webhookId }],
    ['GET', `/v1/ads/interests?accountId=${accountId}&q=garden`, undefined],
    ['DELETE', `/v1/accounts/${accountId}`, undefined],
  ];
  for (const [method, path, body] of calls) {
    const answer = await app.call(method, path, { key, body });
    expect([path, answer.status, answer.headers.get('retry-after')]).toEqual([path, 503, '30']);
  }
  expect(await db.duplications.countDocuments({ accountId })).toBe(0);
  expect(await db.accounts.findOne({ _id: accountId }).lean()).toMatchObject({ disconnectedAt: null, isActive: true });
});

it('a discovery without the encryption key is deferred and does not fail', async () => {
  const { key, accountId } = fixture.user;
  await there.call('POST', `/v1/accounts/${accountId}/ads/sync`, { key, body: {} });
  await runDiscovery(app.app.services, accountId);
  const { db, clock } = app.app.services;
  const run = await db.campaignDiscoveries.findOne({ _id: accountId }).lean();
  expect(run).toMatchObject({ state: 'running', error: null });
  expect(run!.lease!.until.getTime()).toBeGreaterThan(clock.now().getTime());
});

it('a delivery without the encryption key waits without an attempt or failure, and a process with the key sends it', async () => {
  const { key } = fixture.user;
  await app.call('POST', '/v1/api-keys', { key, body: { name: 'event' } });
  const find = () =>
    app.app.services.db.webhookDeliveries.find({ webhookId: fixture.webhookId, type: { $ne: 'webhook.test' } }).lean();
  await expect.poll(async () => (await find()).every(({ failure }) => (failure?.count ?? 0) > 1)).toBe(true);
  for (const delivery of await find())
    expect(delivery).toMatchObject({ state: 'pending', attemptCount: 0, attempts: [] });
  expect(await fixture.webhook()).toMatchObject({ consecutiveFailures: 0, isActive: true });
  // Each time that this one is faster, the wait doubles.
  await behind.stop();
  const worker = await start('worker', `${k2},${k1}`);
  const states = async () => [...new Set((await find()).map(({ state }) => state))];
  await expect.poll(states).toEqual(['delivered']);
  expect(fixture.receiver.events().map(({ event }) => event)).not.toContain('ad.failed');
  for (const { attempts } of await find()) expect(attempts.map(({ outcome }) => outcome)).toEqual(['success']);
  await worker.stop();
});

it('a process does not start without a key that stored data needs, or with a different key under its id', async () => {
  await expect(start('api', k1)).rejects.toThrow(
    'Stored data is encrypted with the key "k2", which is not in ENCRYPTION_KEYS',
  );
  const other = `k1:${randomBytes(32).toString('base64')}`;
  await expect(start('api', `${k2},${other}`)).rejects.toThrow(
    'The key "k1" in ENCRYPTION_KEYS is not the key that stored data with this key id is encrypted with',
  );
});

it('a damaged stored token is answered like an expired one, before anything is recorded, and marks the account', async () => {
  const { db } = app.app.services;
  const user = await createUserFixture(app);
  const { encryptedToken } = await db.accounts.findOne({ _id: user.accountId }).lean().orFail();
  const cut = encryptedToken?.slice(0, -2) as typeof encryptedToken;
  for (const damaged of [cut, 'no encrypted value' as typeof encryptedToken]) {
    await db.accounts.updateOne({ _id: user.accountId }, { $set: { encryptedToken: damaged, needsReconnect: false } });
    const order = { key: user.key, body: goodAd(user) };
    const refused = await app.call('POST', '/v1/ads/create', order);
    expect(refused.body).toMatchObject({ code: 'platform_token_expired', platform: 'A' });
    expect(await db.ads.countDocuments({ userId: user.userId })).toBe(0);
    const account = await db.accounts.findOne({ _id: user.accountId }).lean().orFail();
    expect(account).toMatchObject({ needsReconnect: true, isActive: false });
    const query = `{ interests(accountId: "${user.accountId}", q: "garden") { id } }`;
    const { body } = await app.graphql(query, {}, { key: user.key });
    expect(body.errors[0].extensions.code).toBe('platform_token_expired');
  }
});
