import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { cleanUpWebhooks } from '../../src/services/webhooks/cleanup.ts';
import { startTestApp, type TestApp } from '../support/app.ts';
import { startProcess } from '../support/process.ts';
import { createUserFixture } from '../support/user-fixture.ts';
import { insertOldDeliveries, webhookFixture, type WebhookFixture, type Past } from './fixture.ts';

let app: TestApp;

beforeAll(async () => {
  app = await startTestApp({ ROLE: 'api', SWEEP_INTERVAL_SECONDS: '0.2' });
});
afterAll(() => app.stop());

/** Of an event that nothing here makes: only what a recovery sends arrives. */
const open = (): Promise<WebhookFixture> => webhookFixture(app, { events: ['ad.created'] });
const hourMs = 3_600_000;
const ago = (hours: number): string => new Date(Date.now() - hours * hourMs).toISOString();

const outage = (fixture: WebhookFixture, past: Past): Promise<string[]> => insertOldDeliveries(app, fixture, past);
const recover = (fixture: WebhookFixture, input: object = {}) =>
  fixture.post('recoveries', { webhookId: fixture.webhookId, since: ago(24), ...input });
const follow = async ({ user: { key } }: WebhookFixture, id: string) =>
  (await app.call('GET', `/v1/webhooks/recoveries/${id}`, { key })).body.recovery;
const sent = (fixture: WebhookFixture): string[] =>
  fixture.receiver.got.map(({ headers }) => String(headers['webhook-id']));

describe('a recovery', () => {
  it('sends again what was never delivered in its time, each event once, and can be followed', async () => {
    const fixture = await open();
    const failed = await outage(fixture, { count: 12 });
    const held = await outage(fixture, { count: 2, state: 'held', hours: 80 });
    const skipped = await outage(fixture, { count: 2, state: 'skipped' });
    await outage(fixture, { count: 3, state: 'delivered' });
    await outage(fixture, { count: 3, hours: 200 });
    const { status, body } = await recover(fixture, { since: ago(100) });
    expect([status, body.recovery.state]).toEqual([202, 'queueing']);
    const worker = await startProcess({ ...app.env, ROLE: 'worker' });
    const { recoveryId } = body.recovery;
    await expect.poll(async () => (await follow(fixture, recoveryId)).state).toBe('completed');
    expect(await follow(fixture, recoveryId)).toMatchObject({ found: 16, delivered: 16, failed: 0 });
    expect(sent(fixture).toSorted()).toEqual([...failed, ...held, ...skipped].toSorted());
    const again = (await recover(fixture, { since: ago(100) })).body.recovery;
    await expect.poll(async () => (await follow(fixture, again.recoveryId)).state).toBe('completed');
    expect(await follow(fixture, again.recoveryId)).toMatchObject({ found: 0 });
    await worker.end('SIGTERM');
    await fixture.receiver.stop();
  });

  it('goes on after SIGKILL at any point, and delivers no event again twice', async () => {
    const fixture = await open();
    const failed = await outage(fixture, { count: 450 });
    const { recoveryId } = (await recover(fixture)).body.recovery;
    const { db } = app.app.services;
    const cycles = () => db.webhookDeliveries.find({ recoveryId }).lean();
    for (const enough of [1, 150, 300]) {
      const worker = await startProcess({ ...app.env, ROLE: 'worker' });
      await expect.poll(async () => (await cycles()).length, { interval: 5 }).toBeGreaterThan(enough);
      await worker.end('SIGKILL');
      // As if the time of the dead one's leases had passed.
      const past = new Date(0);
      await db.webhookRecoveries.updateOne(
        { _id: recoveryId, lease: { $ne: null } },
        { $set: { 'lease.until': past } },
      );
      await db.webhookDeliveries.updateMany({ recoveryId, state: 'sending' }, { $set: { 'lease.until': past } });
    }
    const last = await startProcess({ ...app.env, ROLE: 'worker' });
    await expect.poll(async () => (await follow(fixture, recoveryId)).state).toBe('completed');
    const all = await cycles();
    expect(all).toHaveLength(450);
    expect(new Set(all.map(({ eventId }) => eventId))).toEqual(new Set(failed));
    expect(new Set(sent(fixture))).toEqual(new Set(failed));
    // At most one more for each request that was on its way at each of the three kills.
    expect(sent(fixture).length).toBeLessThanOrEqual(450 + 3 * 4);
    await last.end('SIGTERM');
    await fixture.receiver.stop();
  });

  it('that runs twice over the same page adds nothing', async () => {
    const fixture = await open();
    await outage(fixture, { count: 30 });
    const { recoveryId } = (await recover(fixture)).body.recovery;
    const { runRecoveries } = await import('../../src/services/webhooks/run-recoveries.ts');
    const { services } = app.app;
    await runRecoveries(services);
    await services.db.webhookRecoveries.updateOne({ _id: recoveryId }, { $set: { state: 'scanning', cursor: '' } });
    await Promise.all([runRecoveries(services), runRecoveries(services)]);
    expect(await follow(fixture, recoveryId)).toMatchObject({ state: 'sending', found: 30 });
    await fixture.receiver.stop();
  });

  it('can begin with switching the webhook on again', async () => {
    const fixture = await open();
    await outage(fixture, { count: 3 });
    const off = { isActive: false, disabledReason: 'consecutive_failures' as const };
    await app.app.services.db.webhooks.updateOne({ _id: fixture.webhookId }, { $set: off });
    expect(await recover(fixture)).toMatchObject({ status: 400, body: { param: 'webhookId' } });
    expect(await fixture.update({ isActive: true, recover: 'failed' })).toMatchObject({
      status: 400,
      body: { code: 'missing_required_field', param: 'recoverSince' },
    });
    const { body } = await fixture.update({ isActive: true, recover: 'failed', recoverSince: ago(5) });
    expect(await follow(fixture, body.recoveryId)).toMatchObject({ state: 'queueing', webhookId: fixture.webhookId });
    await fixture.receiver.stop();
  });

  it('is refused for times that make no sense, and is the business of its owner alone', async () => {
    const fixture = await open();
    expect((await recover(fixture, { since: ago(-1) })).body).toMatchObject({ param: 'since' });
    expect((await recover(fixture, { until: ago(25) })).body).toMatchObject({ param: 'until' });
    expect((await recover(fixture, { since: 'yesterday' })).body).toMatchObject({ param: 'since' });
    const { recoveryId } = (await recover(fixture)).body.recovery;
    const { key } = await createUserFixture(app);
    expect(await app.call('GET', `/v1/webhooks/recoveries/${recoveryId}`, { key })).toMatchObject({
      status: 404,
      body: { code: 'job_not_found' },
    });
    await fixture.receiver.stop();
  });

  it('goes through GraphQL alike', async () => {
    const fixture = await open();
    const begin = `mutation ($input: RecoverDeliveriesInput!) {
      recoverDeliveries(input: $input) { recovery { recoveryId state } } }`;
    const input = { webhookId: fixture.webhookId, since: ago(3) };
    const { body } = await app.graphql(begin, { input }, { key: fixture.user.key });
    const { recoveryId, state } = body.data.recoverDeliveries.recovery;
    expect(state).toBe('QUEUEING');
    const query = `{ deliveryRecovery(recoveryId: "${recoveryId}") { found delivered failed state } }`;
    const read = await app.graphql(query, {}, { key: fixture.user.key });
    expect(read.body.data.deliveryRecovery).toEqual({ found: 0, delivered: 0, failed: 0, state: 'QUEUEING' });
    await fixture.receiver.stop();
  });
});

describe('what can no longer be sent', () => {
  it('is cancelled after thirty days, so that it goes before its event does', async () => {
    const fixture = await open();
    await outage(fixture, { count: 1_500, state: 'held', hours: 31 * 24 });
    await outage(fixture, { count: 1, state: 'held', hours: 29 * 24 });
    await cleanUpWebhooks(app.app.services);
    const { webhookDeliveries } = app.app.services.db;
    const count = (state: 'cancelled' | 'held') =>
      webhookDeliveries.countDocuments({ webhookId: fixture.webhookId, state });
    expect([await count('cancelled'), await count('held')]).toEqual([1_500, 1]);
    await fixture.receiver.stop();
  });
});
