import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newId } from '../../src/lib/id.ts';
import { createDeliverer } from '../../src/services/webhooks/deliver.ts';
import { leaseMs } from '../../src/services/webhooks/claim.ts';
import { relayEvents } from '../../src/services/webhooks/relay-outbox.ts';
import { sweepAll } from './sweep-all.ts';
import { startTestApp, type TestApp } from '../support/app.ts';
import { moduleArgs } from '../support/compiled.ts';
import { ownRedis } from '../support/redis.ts';
import { createUserFixture, type UserFixture } from '../support/user-fixture.ts';
import { startReceiver, status, type Receiver } from './receiver.ts';
import { sampleOf } from '../support/sample.ts';

let app: TestApp;

beforeAll(async () => {
  // An API without workers: the tests are the workers.
  // A failure is not retried within a test.
  app = await startTestApp({ ROLE: 'api', WEBHOOK_RETRY_SCHEDULE: '0,600,600' });
});
afterAll(() => app.stop());

interface Setup {
  user: UserFixture;
  receiver: Receiver;
}

async function setup(): Promise<Setup> {
  const [user, receiver] = await Promise.all([createUserFixture(app), startReceiver()]);
  await relayEvents(app.app.services);
  const body = { name: 'Hook', url: receiver.url, events: ['api_key.created'] };
  await app.call('POST', '/v1/webhooks/settings', { key: user.key, body });
  return { user, receiver };
}
const makeKey = ({ key }: UserFixture, name = 'k') => app.call('POST', '/v1/api-keys', { key, body: { name } });
const deliveriesOf = ({ userId }: UserFixture) => app.app.services.db.webhookDeliveries.find({ userId }).lean();

async function work(at: number, ahead: number, more: string[] = []): Promise<{ killed: boolean; steps: number }> {
  const args = [
    '--uri',
    app.env['MONGODB_URI'] ?? '',
    '--encryption',
    app.env['ENCRYPTION_KEYS'] ?? '',
    '--at',
    String(at),
    '--ahead',
    String(ahead),
    ...more,
  ];
  const child = spawn(process.execPath, [...moduleArgs('test/webhooks/crash-at-step.child.ts'), ...args], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let out = '';
  child.stdout.on('data', (chunk: Buffer) => (out += chunk.toString()));
  const [, signal] = (await once(child, 'exit')) as [number | null, string | null];
  return { killed: signal === 'SIGKILL', steps: Number(/steps (\d+)/.exec(out)?.[1] ?? 0) };
}

/** What the next worker does, so many seconds later. */
async function goOn(seconds: number): Promise<void> {
  const services = { ...app.app.services, clock: { now: () => new Date(Date.now() + seconds * 1000) } };
  const deliver = createDeliverer(services);
  for (const id of await relayEvents(services)) await deliver(id);
  const { due } = await sweepAll(services, { overdueAfterMs: -1 });
  for (const id of due) await deliver(id);
}

describe('a worker killed with SIGKILL', () => {
  it('before or after any step loses nothing and sends at most once more (R2, R4, R8)', async () => {
    const { user: first, receiver: calm } = await setup();
    await makeKey(first);
    const { steps } = await work(0, 0);
    expect(calm.got).toHaveLength(1);
    expect(steps).toBeGreaterThan(10);
    await calm.stop();
    for (const at of sampleOf(
      Array.from({ length: steps }, (_, index) => index + 1),
      6,
    )) {
      const { user, receiver } = await setup();
      await makeKey(user);
      expect(await work(at, 0)).toMatchObject({ killed: true });
      // Attempt and state are one write: at no moment is there one without the other.
      const killed = (await deliveriesOf(user))[0];
      expect([killed?.state === 'delivered', killed?.lease]).toEqual(
        killed?.attempts.length
          ? [true, undefined]
          : [false, killed?.state === 'sending' ? expect.anything() : undefined],
      );
      await goOn(60);
      const [delivery, ...more] = await deliveriesOf(user);
      expect(more).toEqual([]);
      expect(delivery, `killed at ${at}`).toMatchObject({ state: 'delivered' });
      expect(delivery?.attempts).toHaveLength(delivery?.attemptCount ?? 0);
      expect(receiver.got.length).toBeGreaterThanOrEqual(1);
      expect(receiver.got.length).toBeLessThanOrEqual(2);
      expect(new Set(receiver.got.map(({ headers }) => headers['webhook-id'])).size).toBe(1);
      await receiver.stop();
    }
  });

  it('five times in a row over one delivery still delivers it, and the log shows each loss (R16)', async () => {
    const { user, receiver } = await setup();
    await makeKey(user);
    for (let kill = 0; kill < 5; kill++)
      expect(await work(0, kill * 60, ['--after-send'])).toMatchObject({ killed: true });
    await work(0, 300);
    const [delivery] = await deliveriesOf(user);
    expect(delivery).toMatchObject({ state: 'delivered', attemptCount: 6, retryCount: 0 });
    expect(delivery?.attempts.map(({ errorClass }) => errorClass)).toEqual([
      ...Array<string>(5).fill('worker_lost'),
      null,
    ]);
    expect(new Set(receiver.got.map(({ headers }) => headers['webhook-id'])).size).toBe(1);
    expect(receiver.got).toHaveLength(6);
    await receiver.stop();
  });
});

describe('the sweeper', () => {
  it('lets a delivery go that was held just as its webhook was enabled again', async () => {
    const { user, receiver } = await setup();
    const { services } = app.app;
    const mine = { userId: user.userId };
    await services.db.webhooks.updateOne(mine, { $set: { isActive: false, disabledReason: 'consecutive_failures' } });
    await makeKey(user);
    await relayEvents(services);
    expect((await deliveriesOf(user)).map(({ state }) => state)).toEqual(['held']);
    await services.db.webhooks.updateOne(mine, { $set: { isActive: true, disabledReason: null } });
    const { due } = await sweepAll(services);
    await Promise.all(due.map((id) => createDeliverer(services)(id)));
    expect((await deliveriesOf(user)).map(({ state }) => state)).toEqual(['delivered']);
    await receiver.stop();
  });

  it('finds every endpoint with overdue deliveries, however many there are (R5)', async () => {
    const { user, receiver } = await setup();
    const { services } = app.app;
    const before = new Date(Date.now() - 60_000);
    const common = {
      userId: user.userId,
      type: 'api_key.created',
      state: 'pending',
      occurredAt: before,
      createdAt: before,
    };
    const many = Array.from({ length: 1_234 }, (_, at) => ({
      ...common,
      webhookId: newId(),
      eventId: `evt_many_${at}`,
      nextAttemptAt: before,
    }));
    await services.db.webhookDeliveries.insertMany(many);
    const { due } = await sweepAll(services);
    const own = new Set(many.map(({ webhookId }) => webhookId));
    expect(new Set(due.filter((id) => own.has(id))).size).toBe(1_234);
    await services.db.webhookDeliveries.deleteMany({ userId: user.userId });
    await receiver.stop();
  });
});

describe('two workers', () => {
  it('given the same job send once (R6)', async () => {
    const { user, receiver } = await setup();
    receiver.answer = (_request, response) => void setTimeout(() => response.end(), 200);
    await makeKey(user);
    const { services } = app.app;
    const [id = ''] = await relayEvents(services);
    await Promise.all(Array.from({ length: 10 }, () => createDeliverer(services)(id)));
    expect(receiver.got).toHaveLength(1);
    await receiver.stop();
  });

  it('a late writer whose lease was taken over changes nothing (R17)', async () => {
    const { user, receiver } = await setup();
    const { services } = app.app;
    await makeKey(user);
    const [id = ''] = await relayEvents(services);
    receiver.answer = (_request, response) => {
      void services.db.webhookDeliveries
        .updateOne({ webhookId: id }, { $set: { 'lease.token': 'another' } })
        .then(() => response.end());
    };
    await createDeliverer(services)(id);
    expect((await deliveriesOf(user))[0]).toMatchObject({ state: 'sending', attempts: [] });
    await receiver.stop();
  });

  it('of fifty failing deliveries at nine counted failures one disables the webhook, with one event (R24)', async () => {
    const { user, receiver } = await setup();
    const { services } = app.app;
    receiver.answer = status(500);
    for (let at = 0; at < 50; at++) await makeKey(user, `k${at}`);
    const [id = ''] = await relayEvents(services);
    await services.db.webhooks.updateOne({ userId: user.userId }, { $set: { consecutiveFailures: 9 } });
    await Promise.all(Array.from({ length: 13 }, () => createDeliverer(services)(id)));
    const webhook = await services.db.webhooks.findOne({ userId: user.userId }).lean();
    expect(webhook).toMatchObject({ isActive: false, consecutiveFailures: 10, disabledReason: 'consecutive_failures' });
    expect(webhook?.pendingEvents?.filter(({ type }) => type === 'webhook.disabled')).toHaveLength(1);
    await receiver.stop();
  });
});

describe('a webhook that is enabled again', () => {
  it('has the whole limit before it, and late failures of its time before count nothing (R25)', async () => {
    const { user, receiver } = await setup();
    const { services } = app.app;
    const { webhooks } = services.db;
    const mine = { userId: user.userId };
    const isActive = async (on: boolean) =>
      app.call('PUT', '/v1/webhooks/settings', {
        key: user.key,
        body: { _id: (await webhooks.findOne(mine).lean())?._id, isActive: on },
      });
    const fail = async (name: string): Promise<void> => {
      await makeKey(user, name);
      // A manual clearing of the breaker, so that each failure is an attempt of its own.
      await webhooks.updateOne(mine, { $set: { nextProbeAt: null } });
      await Promise.all((await relayEvents(services)).map((id) => createDeliverer(services)(id)));
    };
    receiver.answer = status(500);
    await webhooks.updateOne(mine, { $set: { consecutiveFailures: 9 } });
    await fail('the tenth');
    expect(await webhooks.findOne(mine).lean()).toMatchObject({ isActive: false, consecutiveFailures: 10 });
    await isActive(true);
    let late: (() => void) | undefined;
    receiver.answer = (request, response) => void (late = () => status(500)(request, response));
    const under = fail('under way');
    await receiver.has(2);
    await isActive(false);
    await isActive(true);
    receiver.answer = status(500);
    late?.();
    await under;
    expect(await webhooks.findOne(mine).lean()).toMatchObject({ isActive: true, consecutiveFailures: 0 });
    for (let at = 1; at <= 9; at++) await fail(`again ${at}`);
    expect(await webhooks.findOne(mine).lean()).toMatchObject({ isActive: true, consecutiveFailures: 9 });
    await fail('again 10');
    expect(await webhooks.findOne(mine).lean()).toMatchObject({ isActive: false, consecutiveFailures: 10 });
    await receiver.stop();
  });

  it('or failing for weeks counts on from where it was: time clears nothing (R26)', async () => {
    const { user, receiver } = await setup();
    const { services } = app.app;
    const lastFailureAt = new Date(Date.now() - 60 * 86_400_000);
    const mine = { userId: user.userId };
    await services.db.webhooks.updateOne(mine, { $set: { consecutiveFailures: 9, lastFailureAt } });
    receiver.answer = status(500);
    await makeKey(user);
    await Promise.all((await relayEvents(services)).map((id) => createDeliverer(services)(id)));
    expect(await services.db.webhooks.findOne(mine).lean()).toMatchObject({ isActive: false, consecutiveFailures: 10 });
    await receiver.stop();
  });
});

describe('an endpoint that is gone', () => {
  it('is disabled although another failure was counted after its job had read the webhook', async () => {
    const { user, receiver } = await setup();
    const { services } = app.app;
    const { webhooks } = services.db;
    await makeKey(user);
    const [id = ''] = await relayEvents(services);
    receiver.answer = (request, response) =>
      void webhooks
        .updateOne({ userId: user.userId }, { $set: { consecutiveFailures: 1, lastFailureAt: new Date() } })
        .then(() => status(410)(request, response));
    await createDeliverer(services)(id);
    expect(await webhooks.findOne({ userId: user.userId }).lean()).toMatchObject({
      isActive: false,
      disabledReason: 'gone',
    });
    await receiver.stop();
  });
});

describe('the lease', () => {
  it.each([100, 15_000, 60_000])('outlasts a request of %i ms by more than five seconds (R18)', (timeoutMs) => {
    expect(
      leaseMs({ deliveryTimes: { timeoutMs, retrySchedule: [], breakerSchedule: [], failureLimit: 10 } }),
    ).toBeGreaterThan(timeoutMs + 5_000);
  });
});

describe('Redis away (R7)', () => {
  it('lets the API write on; everything is delivered once it is back', async () => {
    const redis = await ownRedis();
    const own = await startTestApp({ REDIS_URL: redis.url, SWEEP_INTERVAL_SECONDS: '0.2' });
    const [user, receiver] = await Promise.all([createUserFixture(own), startReceiver()]);
    const hook = { name: 'Hook', url: receiver.url, events: ['api_key.created'] };
    await own.call('POST', '/v1/webhooks/settings', { key: user.key, body: hook });
    await redis.kill();
    for (let at = 0; at < 10; at++) {
      const answer = await own.call('POST', '/v1/api-keys', { key: user.key, body: { name: `k${at}` } });
      expect(answer.status).toBe(201);
    }
    const again = await ownRedis(redis.port);
    await receiver.has(10);
    expect(new Set(receiver.got.map(({ headers }) => headers['webhook-id'])).size).toBe(10);
    await own.stop();
    await Promise.all([receiver.stop(), again.stop()]);
  });
});
