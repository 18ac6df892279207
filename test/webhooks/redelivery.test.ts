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

const again = (desk: WebhookFixture, eventId: string, headers?: Record<string, string>) =>
  desk.post('logs/redeliver', { webhookId: desk.webhookId, eventId }, headers);

async function delivered(desk: WebhookFixture): Promise<string> {
  await desk.event();
  await expect.poll(async () => (await desk.logs())[0]?.state).toBe('delivered');
  return (await desk.logs())[0].eventId;
}

describe('a delivery that its owner asks for again', () => {
  it('makes exactly one new attempt each time, also twice in a row and after a success (R21)', async () => {
    const desk = await webhookFixture(app);
    const eventId = await delivered(desk);
    const made = await Promise.all([again(desk, eventId), again(desk, eventId)]);
    expect(made.map((answer) => [answer.status, answer.body.delivery.trigger])).toEqual([
      [200, 'manual'],
      [200, 'manual'],
    ]);
    await desk.receiver.has(3);
    await expect.poll(async () => (await desk.logs('&status=delivered')).length).toBe(3);
    expect(desk.receiver.got).toHaveLength(3);
    expect(new Set(desk.receiver.got.map(({ headers, body }) => headers['webhook-id'] + body)).size).toBe(1);
    await desk.receiver.stop();
  });

  it('fails after the one attempt, and that counts nothing against the webhook', async () => {
    const desk = await webhookFixture(app);
    const eventId = await delivered(desk);
    desk.receiver.answer = status(500);
    await again(desk, eventId);
    await expect.poll(async () => (await desk.logs())[0].state).toBe('failed');
    expect((await desk.logs())[0].attempts).toHaveLength(1);
    expect(await desk.webhook()).toMatchObject({ consecutiveFailures: 0, isActive: true });
    await desk.receiver.stop();
  });

  it('is sent at once while the circuit is open, and its success closes the circuit', async () => {
    const desk = await webhookFixture(app);
    const eventId = await delivered(desk);
    desk.receiver.answer = status(500);
    for (let at = 0; at < 3; at++) await desk.event(`k${at}`);
    await expect.poll(async () => (await desk.webhook()).nextProbeAt).toEqual(expect.any(String));
    desk.receiver.answer = status(200);
    await again(desk, eventId);
    await expect
      .poll(async () => await desk.webhook(), { timeout: 10_000 })
      .toMatchObject({ consecutiveFailures: 0, nextProbeAt: null });
    await desk.receiver.stop();
  });

  it('is made once under one Idempotency-Key', async () => {
    const desk = await webhookFixture(app);
    const eventId = await delivered(desk);
    const headers = { 'Idempotency-Key': 'again-1' };
    const [one, two] = [await again(desk, eventId, headers), await again(desk, eventId, headers)];
    expect(two.body).toEqual(one.body);
    await expect.poll(async () => (await desk.logs('&status=delivered')).length).toBe(2);
    await desk.receiver.stop();
  });

  it('whose content is gone ends as a failed attempt that its owner sees, and the worker lives on (R11)', async () => {
    const desk = await webhookFixture(app);
    const eventId = await delivered(desk);
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
    await expect.poll(async () => (await desk.logs('&eventId=evt_gone'))[0].state).toBe('failed');
    const [log] = await desk.logs('&eventId=evt_gone');
    expect(log.attempts).toMatchObject([{ outcome: 'failure', errorClass: 'event_expired' }]);
    await desk.event('afterwards');
    await desk.receiver.has(2);
    expect((await again(desk, 'evt_gone')).body).toMatchObject({ code: 'delivery_not_found' });
    await desk.receiver.stop();
  });

  it('whose secret cannot be decrypted is no failed attempt of the endpoint, and a new secret delivers again (R11)', async () => {
    const desk = await webhookFixture(app, { secret: 'a secret of many letters' });
    const { db } = app.app.services;
    await db.webhooks.updateOne({ _id: desk.webhookId }, { $set: { encryptedSecret: 'gone:AAAA' } });
    await desk.event();
    const troubles = async (): Promise<number> =>
      (await db.webhookDeliveries.findOne({ webhookId: desk.webhookId }).lean())?.trouble?.count ?? 0;
    await expect.poll(troubles).toBeGreaterThan(0);
    const [log] = await desk.logs();
    expect(log).toMatchObject({ attempts: [] });
    expect(log.state).not.toBe('failed');
    expect((await desk.webhook()).consecutiveFailures).toBe(0);
    expect(desk.receiver.got).toEqual([]);
    await desk.update({ secret: 'another secret of many letters' });
    await desk.event('mended');
    await desk.receiver.has(2, 20_000);
    await desk.receiver.stop();
  });

  it('is refused for what is not in the log, a foreign webhook, and one that is off', async () => {
    const desk = await webhookFixture(app);
    const eventId = await delivered(desk);
    expect(await again(desk, 'evt_none')).toMatchObject({
      status: 404,
      body: { code: 'delivery_not_found', param: 'eventId' },
    });
    const { key } = await createUserFixture(app);
    const body = { webhookId: desk.webhookId, eventId };
    expect(await app.call('POST', '/v1/webhooks/logs/redeliver', { key, body })).toMatchObject({
      status: 404,
      body: { code: 'webhook_not_found' },
    });
    await desk.update({ isActive: false });
    expect(await again(desk, eventId)).toMatchObject({ status: 400, body: { param: 'webhookId' } });
    await desk.receiver.stop();
  });

  it('goes through GraphQL alike', async () => {
    const desk = await webhookFixture(app);
    const eventId = await delivered(desk);
    const query = `mutation { redeliver(webhookId: "${desk.webhookId}", eventId: "${eventId}") {
      success delivery { eventId trigger } } }`;
    const { body } = await app.graphql(query, {}, { key: desk.world.key });
    expect(body.data.redeliver).toEqual({ success: true, delivery: { eventId, trigger: 'MANUAL' } });
    await desk.receiver.has(2);
    await desk.receiver.stop();
  });
});
