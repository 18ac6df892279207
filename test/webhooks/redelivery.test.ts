import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestApp, type TestApp } from '../support/app.ts';
import { createUserFixture } from '../support/user-fixture.ts';
import { webhookFixture, type WebhookFixture } from './fixture.ts';
import { status } from './receiver.ts';

let app: TestApp;

beforeAll(async () => {
  app = await startTestApp({
    WEBHOOK_RETRY_SCHEDULE: '0,0.1',
    WEBHOOK_CIRCUIT_BREAKER_SCHEDULE: '600',
    SWEEP_INTERVAL_SECONDS: '0.2',
  });
});
afterAll(() => app.stop());

const again = (fixture: WebhookFixture, eventId: string, headers?: Record<string, string>) =>
  fixture.post('logs/redeliver', { webhookId: fixture.webhookId, eventId }, headers);

async function delivered(fixture: WebhookFixture): Promise<string> {
  await fixture.event();
  await expect.poll(async () => (await fixture.logs())[0]?.state).toBe('delivered');
  return (await fixture.logs())[0].eventId;
}

describe('a delivery that its owner asks for again', () => {
  it('makes exactly one new attempt each time, also twice in a row and after a success (R21)', async () => {
    const fixture = await webhookFixture(app);
    const eventId = await delivered(fixture);
    const made = await Promise.all([again(fixture, eventId), again(fixture, eventId)]);
    expect(made.map((answer) => [answer.status, answer.body.delivery.trigger])).toEqual([
      [200, 'manual'],
      [200, 'manual'],
    ]);
    await fixture.receiver.has(3);
    await expect.poll(async () => (await fixture.logs('&status=delivered')).length).toBe(3);
    expect(fixture.receiver.got).toHaveLength(3);
    expect(new Set(fixture.receiver.got.map(({ headers, body }) => headers['webhook-id'] + body)).size).toBe(1);
    await fixture.receiver.stop();
  });

  it('fails after the one attempt, and that counts nothing against the webhook', async () => {
    const fixture = await webhookFixture(app);
    const eventId = await delivered(fixture);
    fixture.receiver.answer = status(500);
    await again(fixture, eventId);
    await expect.poll(async () => (await fixture.logs())[0].state).toBe('failed');
    expect((await fixture.logs())[0].attempts).toHaveLength(1);
    expect(await fixture.webhook()).toMatchObject({ consecutiveFailures: 0, isActive: true });
    await fixture.receiver.stop();
  });

  it('is sent at once while the circuit is open, and its success closes the circuit', async () => {
    const fixture = await webhookFixture(app);
    const eventId = await delivered(fixture);
    fixture.receiver.answer = status(500);
    for (let at = 0; at < 3; at++) await fixture.event(`k${at}`);
    await expect.poll(async () => (await fixture.webhook()).nextProbeAt).toEqual(expect.any(String));
    fixture.receiver.answer = status(200);
    await again(fixture, eventId);
    await expect.poll(async () => await fixture.webhook()).toMatchObject({ consecutiveFailures: 0, nextProbeAt: null });
    await fixture.receiver.stop();
  });

  it('is made once under one Idempotency-Key', async () => {
    const fixture = await webhookFixture(app);
    const eventId = await delivered(fixture);
    const headers = { 'Idempotency-Key': 'again-1' };
    const [one, two] = [await again(fixture, eventId, headers), await again(fixture, eventId, headers)];
    expect(two.body).toEqual(one.body);
    await expect.poll(async () => (await fixture.logs('&status=delivered')).length).toBe(2);
    await fixture.receiver.stop();
  });

  it('whose content is gone ends as a failed attempt that its owner sees, and the worker lives on (R11)', async () => {
    const fixture = await webhookFixture(app);
    const eventId = await delivered(fixture);
    const { db } = app.app.services;
    const last = await db.webhookDeliveries.findOne({ eventId }).lean();
    await db.webhookDeliveries.create({
      ...last!,
      _id: 'e'.repeat(24),
      eventId: 'evt_gone',
      state: 'pending',
      attempts: [],
      nextAttemptAt: new Date(Date.now() - 60_000),
    });
    await expect.poll(async () => (await fixture.logs('&eventId=evt_gone'))[0].state).toBe('failed');
    const [log] = await fixture.logs('&eventId=evt_gone');
    expect(log.attempts).toMatchObject([{ outcome: 'failure', errorClass: 'event_expired' }]);
    await fixture.event('afterwards');
    await fixture.receiver.has(2);
    expect((await again(fixture, 'evt_gone')).body).toMatchObject({ code: 'delivery_not_found' });
    await fixture.receiver.stop();
  });

  it('whose secret cannot be decrypted is no failed attempt of the endpoint, and a new secret delivers again (R11)', async () => {
    const fixture = await webhookFixture(app, { secret: 'a secret of many letters' });
    const { db } = app.app.services;
    await db.webhooks.updateOne({ _id: fixture.webhookId }, { $set: { encryptedSecret: 'gone:AAAA' } });
    await fixture.event();
    const failures = async (): Promise<number> =>
      (await db.webhookDeliveries.findOne({ webhookId: fixture.webhookId }).lean())?.failure?.count ?? 0;
    await expect.poll(failures).toBeGreaterThan(0);
    const [log] = await fixture.logs();
    expect(log).toMatchObject({ attempts: [] });
    expect(log.state).not.toBe('failed');
    expect((await fixture.webhook()).consecutiveFailures).toBe(0);
    expect(fixture.receiver.got).toEqual([]);
    await fixture.update({ secret: 'another secret of many letters' });
    await fixture.event('mended');
    await fixture.receiver.has(2);
    await fixture.receiver.stop();
  });

  it('is refused for what is not in the log, a foreign webhook, and one that is off', async () => {
    const fixture = await webhookFixture(app);
    const eventId = await delivered(fixture);
    expect(await again(fixture, 'evt_none')).toMatchObject({
      status: 404,
      body: { code: 'delivery_not_found', param: 'eventId' },
    });
    const { key } = await createUserFixture(app);
    const body = { webhookId: fixture.webhookId, eventId };
    expect(await app.call('POST', '/v1/webhooks/logs/redeliver', { key, body })).toMatchObject({
      status: 404,
      body: { code: 'webhook_not_found' },
    });
    await fixture.update({ isActive: false });
    expect(await again(fixture, eventId)).toMatchObject({ status: 400, body: { param: 'webhookId' } });
    await fixture.receiver.stop();
  });

  it('goes through GraphQL alike', async () => {
    const fixture = await webhookFixture(app);
    const eventId = await delivered(fixture);
    const query = `mutation { redeliver(webhookId: "${fixture.webhookId}", eventId: "${eventId}") {
      success delivery { eventId trigger } } }`;
    const { body } = await app.graphql(query, {}, { key: fixture.user.key });
    expect(body.data.redeliver).toEqual({ success: true, delivery: { eventId, trigger: 'MANUAL' } });
    await fixture.receiver.has(2);
    await fixture.receiver.stop();
  });
});
