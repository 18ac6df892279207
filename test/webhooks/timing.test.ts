import fc from 'fast-check';
import { Webhook as Verifier } from 'standardwebhooks';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newOutboxEvent } from '../../src/services/durable/outbox.ts';
import { createDeliverer } from '../../src/services/webhooks/deliver.ts';
import { relayEvents } from '../../src/services/webhooks/relay-outbox.ts';
import { startTestApp, type TestApp } from '../support/app.ts';
import { webhookFixture } from './fixture.ts';
import { status } from './receiver.ts';

let app: TestApp;
const zone = process.env['TZ'];

beforeAll(async () => {
  process.env['TZ'] = 'America/St_Johns';
  app = await startTestApp({
    ROLE: 'api',
    WEBHOOK_RETRY_SCHEDULE: '0,100,1000,1000',
    WEBHOOK_CIRCUIT_BREAKER_SCHEDULE: 'none',
  });
});
afterAll(async () => {
  await app.stop();
  if (zone === undefined) delete process.env['TZ'];
  else process.env['TZ'] = zone;
});

/** The service at a moment of our choice. */
const at = (time: number) => ({ ...app.app.services, clock: { now: () => new Date(time) } });

describe('the wait between two attempts', () => {
  it('follows the retry schedule within its jitter, also when the clocks change (R23, R45)', async () => {
    // Half a minute before two in the morning, where it becomes three.
    const start = Date.parse('2027-03-14T05:29:30Z');
    const offsets = [start, start + 60_000].map((time) => new Date(time).getTimezoneOffset());
    expect(offsets).toEqual([210, 150]);
    const fixture = await webhookFixture(app);
    fixture.receiver.answer = status(500);
    await fixture.event();
    const [id = ''] = await relayEvents(at(start));
    const find = () => app.app.services.db.webhookDeliveries.findOne({ webhookId: id }).lean();
    let now = start;
    for (const [count, least, most] of [
      [1, 80, 120],
      [2, 700, 1300],
      [3, 700, 1300],
    ] as const) {
      await createDeliverer(at(now))(id);
      const delivery = await find();
      expect(delivery).toMatchObject({ state: 'retrying', attemptCount: count, retryCount: count });
      const due = delivery?.nextAttemptAt?.getTime() ?? 0;
      expect((due - now) / 1000).toBeGreaterThanOrEqual(least);
      expect((due - now) / 1000).toBeLessThanOrEqual(most);
      await createDeliverer(at(due - 1))(id);
      expect(fixture.receiver.got).toHaveLength(count);
      now = due;
    }
    const [log] = await fixture.logs();
    expect(log.attempts[0].startedAt).toBe('2027-03-14T05:29:30.000Z');
    expect(fixture.receiver.got[0]?.headers['webhook-timestamp']).toBe(String(start / 1000));
    expect(JSON.parse(fixture.receiver.got[0]?.body ?? '{}').timestamp).toMatch(/Z$/);
    await fixture.receiver.stop();
  });

  it('for its turn at an endpoint is no attempt, however often it is parked (R23)', async () => {
    const fixture = await webhookFixture(app);
    await fixture.event();
    const { services } = app.app;
    const [id = ''] = await relayEvents(services);
    const find = () => services.db.webhookDeliveries.findOne({ webhookId: id }).lean();
    const full = { ...services, limitDeliveryRate: async () => new Date(Date.now() + 300) };
    for (let parked = 0; parked < 30; parked++)
      expect(await createDeliverer(full)(id)).toMatchObject({ retryAt: expect.any(Date) });
    expect(await find()).toMatchObject({ state: 'pending', attemptCount: 0, retryCount: 0, attempts: [] });
    await createDeliverer(services)(id);
    expect(await find()).toMatchObject({ state: 'delivered', attemptCount: 1, retryCount: 0 });
    await fixture.receiver.stop();
  });
});

describe('the bytes of an event (R37)', () => {
  it('are those that are stored, sent and signed, whatever is in it', async () => {
    const secret = `whsec_${Buffer.from('0123456789abcdef0123456789abcdef').toString('base64')}`;
    const fixture = await webhookFixture(app, { secret });
    const { services } = app.app;
    const { apiKeys, webhookEvents } = services.db;
    const odd = [
      '🎉',
      '\u2028\u2029',
      '\ud800',
      'a\udc00b',
      '\0\x1f',
      '9007199254740993',
      '"\\',
      '</script>',
      '\ufeff',
    ];
    const texts = [...odd, ...fc.sample(fc.string({ unit: 'binary', maxLength: 200 }), 150)];
    const events = texts.map((text) => {
      const more = JSON.parse(
        '{"__proto__":{"admin":true},"big":9007199254740993,"tiny":5e-324,"none":null}',
      ) as object;
      return newOutboxEvent('api_key.created', { odd: { text, more } }, new Date());
    });
    await apiKeys.collection.updateOne({ userId: fixture.user.userId }, { $set: { pendingEvents: events } as never });
    await relayEvents(services);
    const deliver = createDeliverer(services);
    // The rate limit of the endpoint ends a run.
    for (let again: Date | undefined = new Date(); again; { retryAt: again } = await deliver(fixture.webhookId))
      await new Promise((resolve) => setTimeout(resolve, Number(again) - Date.now()));
    expect(fixture.receiver.got).toHaveLength(texts.length);
    for (const { headers, body } of fixture.receiver.got) {
      const stored = await webhookEvents.findOne({ _id: String(headers['webhook-id']) }).lean();
      expect(body).toBe(stored?.body);
      expect(new Verifier(secret).verify(body, headers as Record<string, string>)).toBeTruthy();
      expect(Buffer.from(body, 'utf8').toString('utf8')).toBe(body);
    }
    const sent = new Set(fixture.receiver.got.map(({ body }) => JSON.parse(body).odd.text));
    for (const text of odd.filter((one) => one.isWellFormed())) expect(sent).toContain(text);
    await fixture.receiver.stop();
  });
});
