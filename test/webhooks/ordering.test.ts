import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newId } from '../../src/lib/id.ts';
import { newOutboxEvent } from '../../src/services/durable/outbox.ts';
import { createDeliverer } from '../../src/services/webhooks/deliver.ts';
import { relayEvents } from '../../src/services/webhooks/relay-outbox.ts';
import { sweepAll } from './sweep-all.ts';
import { timesFor } from '../../src/services/webhooks/schedule.ts';
import { startTestApp, type TestApp } from '../support/app.ts';
import { startProcess } from '../support/process.ts';
import { insertOldDeliveries, webhookFixture, type WebhookFixture } from './fixture.ts';
import { status } from './receiver.ts';

let app: TestApp;
const fast = {
  WEBHOOK_RETRY_SCHEDULE: '0,0.1,0.1',
  WEBHOOK_CIRCUIT_BREAKER_SCHEDULE: 'none',
  WEBHOOK_FAILURE_LIMIT: '100',
  SWEEP_INTERVAL_SECONDS: '0.2',
};

beforeAll(async () => {
  app = await startTestApp(fast);
});
afterAll(() => app.stop());

const names = ({ receiver }: WebhookFixture): string[] =>
  receiver.got.map(({ body }) => (JSON.parse(body) as { apiKey: { name: string } }).apiKey.name);

describe('strict order', () => {
  it('sends one at a time and in order, with two workers and a failure in between', async () => {
    const second = await startProcess({ ...app.env, ...fast, ROLE: 'worker' });
    const fixture = await webhookFixture(app, { ordering: 'strict' });
    let open = 0;
    let most = 0;
    let tries = 0;
    fixture.receiver.answer = (_request, response) => {
      most = Math.max(most, ++open);
      const code = ++tries === 3 ? 500 : 200;
      setTimeout(() => {
        open -= 1;
        response.writeHead(code).end();
      }, 30);
    };
    const expected = Array.from({ length: 12 }, (_, at) => `k${at}`);
    for (const name of expected) await fixture.event(name);
    await expect.poll(async () => (await fixture.logs('&status=delivered')).length).toBe(12);
    expect(names(fixture).filter((name, at, all) => name !== all[at - 1])).toEqual(expected);
    expect([most, tries]).toEqual([1, 13]);
    await second.end('SIGTERM');
    await fixture.receiver.stop();
  });

  it('goes on with the next one when a delivery has run out of attempts', async () => {
    const fixture = await webhookFixture(app, { ordering: 'strict' });
    let tries = 0;
    fixture.receiver.answer = (request, response) => status(++tries <= 3 ? 500 : 200)(request, response);
    await fixture.event('dead');
    await fixture.event('alive');
    await expect
      .poll(async () => (await fixture.logs()).map(({ state }: { state: string }) => state))
      .toEqual(['delivered', 'failed']);
    expect(names(fixture)).toEqual(['dead', 'dead', 'dead', 'alive']);
    await fixture.receiver.stop();
  });

  it('holds no other webhook up, and may be given up again', async () => {
    const fixture = await webhookFixture(app, { ordering: 'strict' });
    const other = await webhookFixture(app);
    fixture.receiver.answer = () => undefined;
    await fixture.event('hangs');
    await fixture.event('waits');
    await other.event('goes');
    await Promise.all([other.receiver.has(1), fixture.receiver.has(1)]);
    expect(fixture.receiver.got).toHaveLength(1);
    expect((await fixture.update({ ordering: 'none' })).body.webhook.ordering).toBe('none');
    await fixture.receiver.has(2);
    await Promise.all([fixture.receiver.stop(), other.receiver.stop()]);
  });

  it('holds over all collections with an outbox, while others deliver what is there', async () => {
    const own = await startTestApp({ ROLE: 'api' });
    const { services } = own.app;
    const { apiKeys, webhooks } = services.db;
    const fixture = await webhookFixture(own, { ordering: 'strict', events: ['*'] });
    const { userId } = fixture.user;
    const began = Date.now() - 60_000;
    const outbox = (second: number) => ({
      pendingEvents: [newOutboxEvent('api_key.created', { second }, new Date(began + second * 100))],
    });
    const key = (second: number) => ({ ...outbox(second), name: 'k', prefix: 'k', keyHash: newId(), scope: 'full' });
    const seconds = Array.from({ length: 106 }, (_, at) => at);
    const late = 103;
    await apiKeys.collection.insertMany(
      seconds.filter((at) => at !== late).map((at) => ({ _id: newId(), userId, ...key(at) })) as never,
    );
    await webhooks.updateOne({ _id: fixture.webhookId }, { $set: outbox(late) });
    // Another worker takes whatever is due as soon as deliveries are there.
    const deliver = createDeliverer(services);
    const takeAll = async (): Promise<void> => {
      let found: { _id: string }[];
      do {
        found = await services.db.webhookDeliveries.find({ webhookId: fixture.webhookId, state: 'pending' }).lean();
        if (found.length > 0) await deliver(fixture.webhookId);
      } while (found.length > 0);
    };
    const relaying = {
      ...services,
      db: {
        ...services.db,
        webhookEvents: new Proxy(services.db.webhookEvents, {
          get: (target, name) =>
            name === 'updateMany'
              ? async (...args: Parameters<typeof target.updateMany>) => {
                  await takeAll();
                  return target.updateMany(...args);
                }
              : (Reflect.get(target, name) as unknown),
        }),
      },
    };
    await relayEvents(relaying);
    await takeAll();
    const order = fixture.receiver.got.map(({ body }) => (JSON.parse(body) as { second: number }).second);
    expect(order).toEqual(seconds);
    await fixture.receiver.stop();
    await own.stop();
  });

  it('is the order of the timestamps, and of the changes of one process within a millisecond', async () => {
    const own = await startTestApp({ ROLE: 'api' });
    const { services } = own.app;
    const fixture = await webhookFixture(own, { ordering: 'strict', events: ['*'] });
    const { userId } = fixture.user;
    const at = new Date();
    const first = newOutboxEvent('api_key.created', { order: 'first' }, at);
    const second = newOutboxEvent('api_key.created', { order: 'second' }, at);
    // The clock of another process is two seconds behind.
    const behind = newOutboxEvent('api_key.created', { order: 'behind' }, new Date(at.getTime() - 2_000));
    const pendingOf = (pendingEvents: object[]) => ({
      _id: newId(),
      userId,
      keyHash: newId(),
      name: 'k',
      pendingEvents,
    });
    await services.db.webhooks.updateOne({ _id: fixture.webhookId }, { $set: { pendingEvents: [first] } });
    await services.db.apiKeys.collection.insertMany([pendingOf([second]), pendingOf([behind])] as never);
    const due = await relayEvents(services);
    expect(due).toEqual([fixture.webhookId]);
    const deliver = createDeliverer(services);
    await deliver(fixture.webhookId);
    await fixture.receiver.has(3);
    const order = fixture.receiver.got.map(({ body }) => (JSON.parse(body) as { order: string }).order);
    expect(order).toEqual(['behind', 'first', 'second']);
    await fixture.receiver.stop();
    await own.stop();
  });

  it('lets nothing new pass what is held, when it is enabled again', async () => {
    const own = await startTestApp({ ROLE: 'api' });
    const { services } = own.app;
    const fixture = await webhookFixture(own, { ordering: 'strict' });
    await insertOldDeliveries(own, fixture, { count: 1, state: 'held', hours: 100 });
    const [held] = await insertOldDeliveries(own, fixture, { count: 1, state: 'held' });
    await fixture.event('new');
    const deliver = createDeliverer(services);
    for (const id of await relayEvents(services)) await deliver(id);
    expect(fixture.receiver.got).toEqual([]);
    for (const id of (await sweepAll(services)).due) await deliver(id);
    expect(fixture.receiver.got).toHaveLength(2);
    expect(fixture.receiver.got[0]?.headers['webhook-id']).toBe(held);
    await fixture.receiver.stop();
    await own.stop();
  });

  it('waits for no delivery longer than a day', () => {
    const retrySchedule = [0, 5, 300, 1800, 7200, 18_000, 36_000, 50_400, 72_000, 86_400];
    const times = { retrySchedule, breakerSchedule: [], failureLimit: 10, timeoutMs: 1_000 };
    expect(timesFor({ ordering: 'strict' }, times).retrySchedule).toEqual(retrySchedule.slice(0, 7));
    expect(timesFor({ ordering: 'none' }, times).retrySchedule).toEqual(retrySchedule);
  });
});
