import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createDeliverer } from '../../src/services/webhooks/deliver.ts';
import { leaseMs } from '../../src/services/webhooks/claim.ts';
import { relayEvents } from '../../src/services/webhooks/relay-events.ts';
import { startTestApp, type TestApp } from '../support/app.ts';
import { ownRedis } from '../support/redis.ts';
import { makeWorld, type World } from '../support/world.ts';
import { startReceiver, status, type Receiver } from './receiver.ts';

let app: TestApp;

beforeAll(async () => {
  // An API without workers: the tests are the workers.
  app = await startTestApp({ ROLE: 'api' });
});
afterAll(() => app.stop());

interface Setup {
  world: World;
  receiver: Receiver;
}

async function setup(): Promise<Setup> {
  const [world, receiver] = await Promise.all([makeWorld(app), startReceiver()]);
  await relayEvents(app.app.services);
  const body = { name: 'Hook', url: receiver.url, events: ['api_key.created'] };
  await app.call('POST', '/v1/webhooks/settings', { key: world.key, body });
  return { world, receiver };
}
const makeKey = ({ key }: World, name = 'k') => app.call('POST', '/v1/api-keys', { key, body: { name } });
const deliveriesOf = ({ userId }: World) => app.app.services.db.webhookDeliveries.find({ userId }).lean();

async function work(at: number, ahead: number): Promise<{ killed: boolean; steps: number }> {
  const args = [
    '--uri',
    app.env['MONGODB_URI'] ?? '',
    '--seal',
    app.env['SEALING_KEYS'] ?? '',
    '--at',
    String(at),
    '--ahead',
    String(ahead),
  ];
  const child = spawn(process.execPath, ['--import', 'tsx', 'test/webhooks/step-child.ts', ...args], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let out = '';
  child.stdout.on('data', (chunk: Buffer) => (out += chunk.toString()));
  const [, signal] = (await once(child, 'exit')) as [number | null, string | null];
  return { killed: signal === 'SIGKILL', steps: Number(/steps (\d+)/.exec(out)?.[1] ?? 0) };
}

describe('a worker killed with SIGKILL', () => {
  it('before or after any step loses nothing and sends at most once more (R2, R4)', async () => {
    const { world: first, receiver: calm } = await setup();
    await makeKey(first);
    const { steps } = await work(0, 0);
    expect(calm.got).toHaveLength(1);
    expect(steps).toBeGreaterThan(10);
    await calm.stop();
    for (let at = 1; at <= steps; at++) {
      const { world, receiver } = await setup();
      await makeKey(world);
      expect(await work(at, 0)).toMatchObject({ killed: true });
      await work(0, 60);
      const [delivery, ...more] = await deliveriesOf(world);
      expect(more).toEqual([]);
      expect(delivery, `killed at ${at}`).toMatchObject({ state: 'delivered' });
      expect(receiver.got.length).toBeGreaterThanOrEqual(1);
      expect(receiver.got.length).toBeLessThanOrEqual(2);
      expect(new Set(receiver.got.map(({ headers }) => headers['webhook-id'])).size).toBe(1);
      await receiver.stop();
    }
  }, 180_000);

  it('five times in a row over one delivery still delivers it, and the log shows each loss (R16)', async () => {
    const { world, receiver } = await setup();
    await makeKey(world);
    const { services } = app.app;
    const [id] = await relayEvents(services);
    for (let kill = 0; kill < 5; kill++) {
      const past = new Date(Date.now() - 1);
      await services.db.webhookDeliveries.updateOne(
        { _id: id },
        {
          $set: { state: 'sending', lease: { token: `dead ${kill}`, until: past, startedAt: past } },
          $inc: { attemptNo: 1 },
        },
      );
      if (kill < 4) {
        receiver.answer = status(500);
        await services.db.webhookDeliveries.updateOne(
          { _id: id },
          {
            $push: {
              attempts: {
                no: kill,
                outcome: 'unknown',
                startedAt: past,
                durationMs: 0,
                status: null,
                errorClass: 'worker_lost',
                responseBody: null,
                isProbe: false,
              },
            },
          },
        );
      }
    }
    receiver.answer = status(200);
    await createDeliverer(services)(id ?? '');
    const [delivery] = await deliveriesOf(world);
    expect(delivery).toMatchObject({ state: 'delivered', ladderStep: 0 });
    expect(delivery?.attempts.filter(({ errorClass }) => errorClass === 'worker_lost')).toHaveLength(5);
    await receiver.stop();
  });
});

describe('two workers', () => {
  it('given the same job send once (R6)', async () => {
    const { world, receiver } = await setup();
    receiver.answer = (_request, response) => void setTimeout(() => response.end(), 200);
    await makeKey(world);
    const { services } = app.app;
    const [id = ''] = await relayEvents(services);
    await Promise.all(Array.from({ length: 10 }, () => createDeliverer(services)(id)));
    expect(receiver.got).toHaveLength(1);
    await receiver.stop();
  });

  it('a late writer whose lease was taken over changes nothing (R17)', async () => {
    const { world, receiver } = await setup();
    const { services } = app.app;
    await makeKey(world);
    const [id = ''] = await relayEvents(services);
    receiver.answer = (_request, response) => {
      void services.db.webhookDeliveries
        .updateOne({ _id: id }, { $set: { 'lease.token': 'another' } })
        .then(() => response.end());
    };
    await createDeliverer(services)(id);
    expect((await deliveriesOf(world))[0]).toMatchObject({ state: 'sending', attempts: [] });
    await receiver.stop();
  });

  it('of fifty failing deliveries at nine strikes one switches the webhook off, with one event (R24)', async () => {
    const { world, receiver } = await setup();
    const { services } = app.app;
    receiver.answer = status(500);
    for (let at = 0; at < 50; at++) await makeKey(world, `k${at}`);
    const ids = await relayEvents(services);
    await services.db.webhooks.updateOne({ userId: world.userId }, { $set: { consecutiveFailures: 9 } });
    await Promise.all(ids.map((id) => createDeliverer(services)(id)));
    const webhook = await services.db.webhooks.findOne({ userId: world.userId }).lean();
    expect(webhook).toMatchObject({ isActive: false, consecutiveFailures: 10, disabledReason: 'consecutive_failures' });
    expect(webhook?.pendingEvents?.filter(({ type }) => type === 'webhook.disabled')).toHaveLength(1);
    await receiver.stop();
  });
});

describe('the lease', () => {
  it.each([100, 15_000, 60_000])('outlasts a request of %i ms by more than five seconds (R18)', (timeoutMs) => {
    expect(
      leaseMs({ deliveryTimes: { timeoutMs, retrySteps: [], breakerSteps: [], failureLimit: 10 } }),
    ).toBeGreaterThan(timeoutMs + 5_000);
  });
});

describe('Redis away (R7)', () => {
  it('lets the API write on; everything is delivered once it is back', async () => {
    const redis = await ownRedis();
    const own = await startTestApp({ REDIS_URL: redis.url, SWEEP_EVERY_SECONDS: '0.2' });
    const [world, receiver] = await Promise.all([makeWorld(own), startReceiver()]);
    const hook = { name: 'Hook', url: receiver.url, events: ['api_key.created'] };
    await own.call('POST', '/v1/webhooks/settings', { key: world.key, body: hook });
    await redis.kill();
    for (let at = 0; at < 10; at++) {
      const answer = await own.call('POST', '/v1/api-keys', { key: world.key, body: { name: `k${at}` } });
      expect(answer.status).toBe(201);
    }
    const again = await ownRedis(redis.port);
    await receiver.has(10, 28_000);
    expect(new Set(receiver.got.map(({ headers }) => headers['webhook-id'])).size).toBe(10);
    await own.stop();
    await Promise.all([receiver.stop(), again.stop()]);
  }, 60_000);
});
