import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Services } from '../../src/services/context.ts';
import { createDeliverer } from '../../src/services/webhooks/deliver.ts';
import { relayEvents } from '../../src/services/webhooks/relay-outbox.ts';
import { sweepAll } from './sweep-all.ts';
import { startTestApp, type TestApp } from '../support/app.ts';
import { insertOldDeliveries, webhookFixture, type WebhookFixture } from './fixture.ts';
import { startReceiver, status } from './receiver.ts';

// What becomes of deliveries while their webhook changes, their sender dies or the store fails.
let app: TestApp;
let services: Services;

beforeAll(async () => {
  // An API without workers: the tests are the workers.
  app = await startTestApp({
    ROLE: 'api',
    WEBHOOK_RETRY_SCHEDULE: '0,600,600',
    WEBHOOK_CIRCUIT_BREAKER_SCHEDULE: '600',
  });
  ({ services } = app.app);
});
afterAll(() => app.stop());

const work = async (ids: string[]): Promise<void> => {
  const deliver = createDeliverer(services);
  await Promise.all(ids.map((id) => deliver(id)));
};
const set = (fixture: WebhookFixture, change: object) =>
  services.db.webhooks.updateOne({ _id: fixture.webhookId }, { $set: change });
const states = async ({ webhookId }: WebhookFixture): Promise<string[]> =>
  (await services.db.webhookDeliveries.find({ webhookId }).sort({ _id: 1 }).lean()).map(({ state }) => state);
const off = { isActive: false, disabledReason: 'consecutive_failures', nextProbeAt: null };
const past = new Date(Date.now() - 60_000);
const dead = { state: 'sending', attemptCount: 1, lease: { token: 'dead', until: past, startedAt: past } };

describe('a webhook that is enabled again while requests from before are under way (G20)', () => {
  it('stays on, whatever they end with, and the full limit counts', async () => {
    const fixture = await webhookFixture(app);
    const open: ((code: number) => void)[] = [];
    fixture.receiver.answer = (request, response) => void open.push((code) => status(code)(request, response));
    for (let at = 0; at < 4; at++) await fixture.event(`late ${at}`);
    const late = work(await relayEvents(services));
    await fixture.receiver.has(4);
    await set(fixture, { consecutiveFailures: 9, lastFailureAt: past });
    expect((await fixture.update({ isActive: false })).body.webhook.isActive).toBe(false);
    expect((await fixture.update({ isActive: true })).body.webhook.isActive).toBe(true);
    for (const [at, answer] of open.entries()) answer([500, 503, 410, 404][at] ?? 500);
    await late;
    expect(await fixture.webhook()).toMatchObject({ isActive: true, consecutiveFailures: 0, nextProbeAt: null });
    expect((await states(fixture)).toSorted()).toEqual(['failed', 'retrying', 'retrying', 'retrying']);
    fixture.receiver.answer = status(500);
    for (let failure = 1; failure <= 10; failure++) {
      await set(fixture, { nextProbeAt: null });
      await fixture.event(`new ${failure}`);
      await work(await relayEvents(services));
      expect(await fixture.webhook()).toMatchObject({ isActive: failure < 10, consecutiveFailures: failure });
    }
    await fixture.receiver.stop();
  });

  it('goes off when its receiver is gone, though another failure was counted meanwhile', async () => {
    const fixture = await webhookFixture(app);
    let answer = (): void => undefined;
    fixture.receiver.answer = (request, response) => void (answer = () => status(410)(request, response));
    await fixture.event();
    const late = work(await relayEvents(services));
    await fixture.receiver.has(1);
    await set(fixture, { consecutiveFailures: 1, lastFailureAt: new Date() });
    answer();
    await late;
    expect(await fixture.webhook()).toMatchObject({ isActive: false, disabledReason: 'gone' });
    await fixture.receiver.stop();
  });

  it('counts no late success against the new failures', async () => {
    const fixture = await webhookFixture(app);
    let answer = (): void => undefined;
    fixture.receiver.answer = (request, response) => void (answer = () => status(200)(request, response));
    await fixture.event('late');
    const late = work(await relayEvents(services));
    await fixture.receiver.has(1);
    await fixture.update({ isActive: false });
    await fixture.update({ isActive: true });
    await set(fixture, { consecutiveFailures: 2, lastFailureAt: new Date() });
    answer();
    await late;
    expect(await fixture.webhook()).toMatchObject({ isActive: true, consecutiveFailures: 2 });
    expect(await states(fixture)).toEqual(['delivered']);
    await fixture.receiver.stop();
  });
});

describe('a webhook that goes off', () => {
  it('has what waited for a probe held, and sends none of it when its owner wants nothing', async () => {
    const fixture = await webhookFixture(app);
    await insertOldDeliveries(app, fixture, { count: 3, state: 'waiting', hours: 80 });
    await insertOldDeliveries(app, fixture, { count: 2, state: 'waiting' });
    await set(fixture, off);
    expect((await sweepAll(services)).due).toEqual([]);
    expect(await states(fixture)).toEqual(Array(5).fill('held'));
    // What is older than three days stays held; recovery can fetch it.
    await fixture.update({ isActive: true });
    expect((await states(fixture)).toSorted()).toEqual(['held', 'held', 'held', 'waiting', 'waiting']);
    await set(fixture, off);
    await fixture.update({ isActive: true, recover: 'none' });
    expect(await states(fixture)).toEqual(Array(5).fill('skipped'));
    await fixture.receiver.stop();
  });

  it.each([
    ['by itself', off, 'held'],
    ['by its owner', { isActive: false, disabledReason: 'owner' }, 'skipped'],
  ])('%s lets go of a delivery whose sender died, and the log shows it', async (_how, change, state) => {
    const fixture = await webhookFixture(app);
    const [eventId] = await insertOldDeliveries(app, fixture, { count: 1, state: 'pending' });
    await services.db.webhookDeliveries.updateOne({ eventId }, { $set: dead });
    await set(fixture, change);
    await work((await sweepAll(services)).due);
    expect((await fixture.logs())[0]).toMatchObject({ state, attempts: [{ errorClass: 'worker_lost' }] });
    const { due } = await sweepAll(services);
    expect(due).not.toContain(fixture.webhookId);
    await fixture.receiver.stop();
  });

  it('or is deleted or moved while requests are under way loses none of the others', async () => {
    const [gone, moved, other] = [await webhookFixture(app), await webhookFixture(app), await startReceiver()];
    const open: (() => void)[] = [];
    for (const { receiver } of [gone, moved])
      receiver.answer = (request, response) => void open.push(() => status(500)(request, response));
    await Promise.all([gone.event(), moved.event()]);
    const working = work(await relayEvents(services));
    await Promise.all([gone.receiver.has(1), moved.receiver.has(1)]);
    await app.call('DELETE', `/v1/webhooks/settings?id=${gone.webhookId}`, { key: gone.user.key });
    await moved.update({ url: other.url });
    for (const answer of open) answer();
    await working;
    expect(await states(gone)).toEqual(['cancelled']);
    expect(await states(moved)).toEqual(['retrying']);
    await services.db.webhookDeliveries.updateOne({ webhookId: moved.webhookId }, { $set: { nextAttemptAt: past } });
    await work((await sweepAll(services)).due);
    expect(other.got).toHaveLength(1);
    expect(await moved.webhook()).toMatchObject({ consecutiveFailures: 0 });
    await Promise.all([gone, moved].map(({ receiver }) => receiver.stop()));
    await other.stop();
  });
});

describe('a webhook that gets another address', () => {
  it('resets the failure count when the URL changes', async () => {
    const [fixture, other] = [await webhookFixture(app), await startReceiver()];
    await set(fixture, { consecutiveFailures: 9, lastFailureAt: past, nextProbeAt: past, exhaustedNotified: true });
    const { body } = await fixture.update({ url: other.url });
    expect(body.webhook).toMatchObject({ isActive: true, consecutiveFailures: 0, nextProbeAt: null });
    other.answer = status(500);
    await fixture.event();
    await work(await relayEvents(services));
    expect(other.got).toHaveLength(1);
    expect(await fixture.webhook()).toMatchObject({ isActive: true, consecutiveFailures: 1 });
    expect(await services.db.webhooks.findOne({ _id: fixture.webhookId }).lean()).toMatchObject({
      exhaustedNotified: false,
    });
    await Promise.all([fixture.receiver.stop(), other.stop()]);
  });

  it('keeps its count where the address is the same, and why it is off where it stays off', async () => {
    const fixture = await webhookFixture(app);
    await set(fixture, { consecutiveFailures: 9, lastFailureAt: past });
    await fixture.update({ url: fixture.receiver.url, name: 'Again' });
    expect(await fixture.webhook()).toMatchObject({ consecutiveFailures: 9 });
    await set(fixture, { ...off, disabledAt: past });
    await fixture.update({ url: `${fixture.receiver.url}/new` });
    expect(await fixture.webhook()).toMatchObject({ ...off, disabledAt: past.toISOString() });
    await fixture.receiver.stop();
  });
});

/** After the claim of a delivery the next three writes to its collection fail, before they are done or after it. */
function flaky(isDone: boolean): Services {
  const { db } = services;
  const fail = <T extends object>(model: T, method: string): T => {
    let calls = 0;
    return new Proxy(model, {
      get(target, name) {
        const member = Reflect.get(target, name) as unknown;
        if (name !== method || typeof member !== 'function') return member;
        return async (...args: unknown[]) => {
          const run = (): unknown => Reflect.apply(member, target, args);
          calls += 1;
          if (calls === 1 || calls > 4) return run();
          if (isDone) await run();
          throw new Error('the connection is closed');
        };
      },
    });
  };
  const collection = fail(db.webhookDeliveries.collection, 'bulkWrite');
  const webhookDeliveries = new Proxy(db.webhookDeliveries, {
    get: (model, name) => (name === 'collection' ? collection : (Reflect.get(model, name) as unknown)),
  });
  return { ...services, db: { ...db, webhookDeliveries } };
}

describe('a store that fails as an attempt is written down', () => {
  it.each([
    ['before it is done', false],
    ['after it is done', true],
  ])('%s does not make it be sent again', async (_when, isDone) => {
    const fixture = await webhookFixture(app);
    await fixture.event();
    const [id = ''] = await relayEvents(services);
    await createDeliverer(flaky(isDone))(id);
    expect((await fixture.logs())[0]).toMatchObject({ state: 'delivered', attempts: [{ status: 200 }] });
    expect(fixture.receiver.got).toHaveLength(1);
    await fixture.receiver.stop();
  });
});

describe('the clock', () => {
  it('put back by an hour loses nothing, and stops nothing that is new', async () => {
    const fixture = await webhookFixture(app);
    const behind: Services = { ...services, clock: { now: () => new Date(Date.now() - 3_600_000) } };
    await fixture.event('before');
    const ids = await relayEvents(services);
    await Promise.all(ids.map((id) => createDeliverer(behind)(id)));
    expect(fixture.receiver.got).toEqual([]);
    await fixture.event('after');
    await Promise.all((await relayEvents(behind)).map((id) => createDeliverer(behind)(id)));
    expect(fixture.receiver.events()).toHaveLength(1);
    await work(ids);
    expect(await states(fixture)).toEqual(['delivered', 'delivered']);
    expect(fixture.receiver.got).toHaveLength(2);
    await fixture.receiver.stop();
  });
});
