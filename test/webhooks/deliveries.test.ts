import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Redis } from 'ioredis';
import { Webhook as Verifier } from 'standardwebhooks';
import { startTestApp, type TestApp } from '../support/app.ts';
import { relayEvents } from '../../src/services/webhooks/relay-outbox.ts';
import { ownRedis, type TestRedis } from '../support/redis.ts';
import { goodAd, createUserFixture, type UserFixture } from '../support/user-fixture.ts';
import { startReceiver, status, type Receiver } from './receiver.ts';

let app: TestApp;
let redis: TestRedis;

beforeAll(async () => {
  redis = await ownRedis();
  app = await startTestApp({
    REDIS_URL: redis.url,
    WEBHOOK_RETRY_SCHEDULE: '0,0.2,0.2,0.2,0.2,0.2',
    WEBHOOK_CIRCUIT_BREAKER_SCHEDULE: '0.3,0.3,0.3,0.3,0.3,0.3,0.3',
    // Longer than a name may take to be resolved.
    WEBHOOK_TIMEOUT_SECONDS: '7',
    SWEEP_INTERVAL_SECONDS: '0.2',
  });
});
afterAll(async () => {
  await app.stop();
  await redis.stop();
});

interface Setup {
  user: UserFixture;
  receiver: Receiver;
  webhookId: string;
}

async function setup(extra: object = {}): Promise<Setup> {
  const [user, receiver] = await Promise.all([createUserFixture(app), startReceiver()]);
  // The events of creating a user are delivered before the webhook is there.
  await relayEvents(app.app.services);
  const body = { name: 'Hook', url: receiver.url, events: ['*'], ...extra };
  const answer = await app.call('POST', '/v1/webhooks/settings', { key: user.key, body });
  expect(answer.status).toBe(200);
  return { user, receiver, webhookId: answer.body.webhook._id };
}
const makeKey = (user: UserFixture, name = 'k') => app.call('POST', '/v1/api-keys', { key: user.key, body: { name } });
const webhook = async (user: UserFixture) =>
  (await app.call('GET', '/v1/webhooks/settings', { key: user.key })).body.webhooks[0];
const logs = async (user: UserFixture, query = '') =>
  (await app.call('GET', `/v1/webhooks/logs?limit=100${query}`, { key: user.key })).body.logs;

describe('deliveries', () => {
  it('carry an event with its headers within a moment, signed so that the standard library verifies it (R37)', async () => {
    const secret = `whsec_${Buffer.from('0123456789abcdef0123456789abcdef').toString('base64')}`;
    const { user, receiver } = await setup({ secret, events: ['ad.created'], customHeaders: { 'X-Shop': 'a b' } });
    const made = await app.call('POST', '/v1/ads/create', {
      key: user.key,
      body: { ...goodAd(user), name: 'Emoji 🎉 \u2028' },
    });
    await receiver.has(1);
    const { headers, body } = receiver.got[0]!;
    expect(JSON.parse(body)).toMatchObject({ event: 'ad.created', ad: { _id: made.body.ad._id, status: 'active' } });
    expect(headers).toMatchObject({
      'content-type': 'application/json',
      'x-shop': 'a b',
      'webhook-id': JSON.parse(body).id,
    });
    expect(new Verifier(secret).verify(body, headers as Record<string, string>)).toBeTruthy();
    expect(() => new Verifier(secret).verify(`${body} `, headers as Record<string, string>)).toThrow();
    expect(headers['x-webhook-signature']).toMatch(/^sha256=[0-9a-f]{64}$/);
    await receiver.stop();
  });

  it('go unsigned without a secret, and only for the events that were asked for', async () => {
    const { user, receiver } = await setup({ events: ['api_key.revoked'] });
    const { body } = await makeKey(user);
    await app.call('DELETE', `/v1/api-keys/${body.apiKey.id}`, { key: user.key });
    await receiver.has(1);
    expect(receiver.events().map(({ event }) => event)).toEqual(['api_key.revoked']);
    expect(receiver.got[0]?.headers['webhook-signature']).toBeUndefined();
    expect(receiver.got[0]?.body).not.toContain(body.apiKey.key);
    await receiver.stop();
  });

  it('are tried again with the same id until the receiver accepts, each attempt in the log (R8, R23)', async () => {
    const { user, receiver } = await setup();
    let tries = 0;
    receiver.answer = (request, response) => status(++tries < 3 ? 503 : 200, 'busy')(request, response);
    await makeKey(user);
    await receiver.has(3);
    await expect.poll(async () => (await logs(user))[0].state).toBe('delivered');
    const [log] = await logs(user);
    expect(new Set(receiver.got.map(({ headers }) => headers['webhook-id']))).toEqual(new Set([log.eventId]));
    expect(log.attempts.map(({ status: code }: { status: number }) => code)).toEqual([503, 503, 200]);
    expect(log.attempts[0]).toMatchObject({ no: 1, outcome: 'failure', errorClass: 'http_5xx', responseBody: 'busy' });
    expect((await webhook(user)).consecutiveFailures).toBe(0);
    await receiver.stop();
  });

  it.each([
    ['a refused connection', 'refused'],
    ['a name that is none', 'dns'],
    ['a hanging receiver', 'timeout'],
    ['a reset', 'reset'],
    ['a redirect', 'redirect'],
    ['an answer that is no TLS', 'tls'],
  ])('give %s a class and try it again (R12)', async (_what, errorClass) => {
    const { user, receiver, webhookId } = await setup();
    if (errorClass === 'refused') await receiver.stop();
    if (errorClass === 'dns')
      await app.call('PUT', '/v1/webhooks/settings', {
        key: user.key,
        body: { _id: webhookId, url: 'http://nowhere.invalid/' },
      });
    if (errorClass === 'tls')
      await app.call('PUT', '/v1/webhooks/settings', {
        key: user.key,
        body: { _id: webhookId, url: receiver.url.replace('http:', 'https:') },
      });
    if (errorClass === 'timeout') receiver.answer = () => undefined;
    if (errorClass === 'reset') receiver.answer = (request) => request.socket.resetAndDestroy();
    if (errorClass === 'redirect')
      receiver.answer = (_request, response) => response.writeHead(302, { Location: 'http://169.254.169.254/' }).end();
    await makeKey(user);
    await expect.poll(async () => (await logs(user))[0]?.attempts.length ?? 0).toBeGreaterThan(1);
    expect((await logs(user))[0].attempts[0]).toMatchObject({ errorClass, outcome: 'failure' });
    if (errorClass !== 'refused') await receiver.stop();
  });

  it('cut a huge answer and count it once (R10)', async () => {
    const { user, receiver } = await setup();
    // Names that a store may take for paths, commands or prototypes are fair names of headers.
    const odd = { 'x.dotted': 'a', $set: 'b', __proto__x: 'c', ['__proto__']: 'd', constructor: 'e' };
    receiver.answer = (_request, response) => response.writeHead(200, odd).end('x'.repeat(10 * 1024 * 1024));
    await makeKey(user);
    await expect.poll(async () => (await logs(user))[0]?.state).toBe('delivered');
    const [log] = await logs(user);
    expect(log.attempts[0].responseHeaders).toMatchObject({ 'x.dotted': 'a', $set: 'b', constructor: 'e' });
    expect(log.attempts).toHaveLength(1);
    expect(log.attempts[0].responseBody.length).toBeLessThanOrEqual(8 * 1024);
    await receiver.stop();
  });

  it('end a dripping receiver within the time of one attempt (R35)', async () => {
    const { user, receiver } = await setup();
    receiver.answer = (_request, response) => {
      const drip = setInterval(() => response.write('x'), 100);
      response.once('close', () => clearInterval(drip));
    };
    await makeKey(user);
    await expect.poll(async () => (await logs(user))[0]?.attempts[0]?.errorClass).toBe('timeout');
    await receiver.stop();
  });

  it('retry two endpoints of one event independently (R20)', async () => {
    const { user, receiver } = await setup();
    const other = await startReceiver();
    await app.call('POST', '/v1/webhooks/settings', {
      key: user.key,
      body: { name: 'Other', url: other.url, events: ['*'] },
    });
    const failing = (one: Receiver, times: number): void => {
      let tries = 0;
      one.answer = (request, response) => status(++tries <= times ? 500 : 200)(request, response);
    };
    failing(receiver, 1);
    failing(other, 3);
    await makeKey(user);
    await expect.poll(async () => (await logs(user, '&status=delivered')).length).toBe(2);
    const counts = (await logs(user)).map(({ attempts }: { attempts: object[] }) => attempts.length);
    expect(counts.toSorted()).toEqual([2, 4]);
    expect([receiver.got.length, other.got.length]).toEqual([2, 4]);
    expect(new Set([...receiver.got, ...other.got].map(({ headers }) => headers['webhook-id'])).size).toBe(1);
    await Promise.all([receiver.stop(), other.stop()]);
  });
});

describe('a failing endpoint', () => {
  it('is disabled at the tenth counted failure, publishes that once, and keeps the events that arrive meanwhile (R24, R28)', async () => {
    const { user, receiver, webhookId } = await setup({ events: ['api_key.created'] });
    const watcher = await startReceiver();
    await app.call('POST', '/v1/webhooks/settings', {
      key: user.key,
      body: { name: 'Watch', url: watcher.url, events: ['webhook.failing', 'webhook.disabled'] },
    });
    receiver.answer = status(500);
    for (let at = 0; at < 12; at++) await makeKey(user, `k${at}`);
    await expect.poll(async () => (await webhook(user)).isActive).toBe(false);
    expect(await webhook(user)).toMatchObject({ consecutiveFailures: 10, disabledReason: 'consecutive_failures' });
    await expect.poll(() => watcher.events().map(({ event }) => event)).toContain('webhook.disabled');
    expect(watcher.events().filter(({ event }) => event === 'webhook.disabled')).toHaveLength(1);
    // Failures five and eight, and at most once the first delivery that ran out of attempts.
    const failing = (): number[] =>
      watcher.got
        .map(({ body }) => JSON.parse(body))
        .filter(({ event }) => event === 'webhook.failing')
        .map(({ webhook: shown }) => shown.consecutiveFailures);
    await expect.poll(failing).toEqual(expect.arrayContaining([5, 8]));
    expect(failing().length).toBeLessThanOrEqual(3);
    await makeKey(user, 'while off');
    await expect.poll(async () => (await logs(user, '&status=held')).length).toBeGreaterThan(0);
    receiver.answer = status(200);
    const before = receiver.got.length;
    const on = await app.call('PUT', '/v1/webhooks/settings', {
      key: user.key,
      body: { _id: webhookId, isActive: true },
    });
    expect(on.body.webhook).toMatchObject({ isActive: true, consecutiveFailures: 0, disabledReason: null });
    await expect.poll(async () => (await logs(user, `&status=delivered&webhookId=${webhookId}`)).length).toBe(13);
    expect(receiver.got.length - before).toBe(13);
    await Promise.all([receiver.stop(), watcher.stop()]);
  });

  it('is disabled at once after a 410', async () => {
    const { user, receiver } = await setup();
    receiver.answer = status(410);
    await makeKey(user);
    await expect.poll(async () => (await webhook(user)).disabledReason).toBe('gone');
    expect(receiver.got).toHaveLength(1);
    await receiver.stop();
  });

  it('of its owner gets nothing and the log says so', async () => {
    const { user, receiver, webhookId } = await setup();
    await app.call('PUT', '/v1/webhooks/settings', { key: user.key, body: { _id: webhookId, isActive: false } });
    await makeKey(user);
    await expect.poll(async () => (await logs(user))[0]?.state).toBe('skipped');
    expect(receiver.got).toEqual([]);
    await receiver.stop();
  });
});

describe('what must not be lost', () => {
  it('survives a flush of Redis (R1, R5, R13)', async () => {
    const { user, receiver } = await setup();
    receiver.answer = status(503);
    for (let at = 0; at < 20; at++) await makeKey(user, `k${at}`);
    await receiver.has(3);
    const connection = new Redis(redis.url);
    await connection.flushall();
    connection.disconnect();
    receiver.answer = status(200);
    await expect.poll(async () => (await logs(user, '&status=delivered')).length).toBe(20);
    await receiver.stop();
  });
});
