import { mongo } from 'mongoose';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { newId } from '../../src/lib/id.ts';
import { deliveryDeadLettered } from '../../src/telemetry/events.ts';
import type { WebhookDeliveryDoc } from '../../src/models/webhook-delivery.ts';
import type { Ctx } from '../../src/services/context.ts';
import { createDeliverer } from '../../src/services/webhooks/deliver.ts';
import { listDeliveries } from '../../src/services/webhooks/list-deliveries.ts';
import { deferAfterInternalError } from '../../src/services/webhooks/defer-delivery.ts';
import { redeliver } from '../../src/services/webhooks/redeliver.ts';
import { sweepAll } from './sweep-all.ts';
import { makeCtx, makeServices, type TestServices } from '../support/services.ts';
import { startReceiver, type Receiver } from './receiver.ts';

let services: TestServices;
let receiver: Receiver;
let ctx: Ctx;
let webhookId: string;
beforeEach(async () => {
  services = await makeServices();
  [receiver, ctx] = await Promise.all([startReceiver(), makeCtx(services)]);
  webhookId = newId();
  const { userId } = ctx.caller;
  const row = { ordering: 'strict' as const, events: ['*'] };
  await services.db.webhooks.create({ _id: webhookId, userId, slot: 1, name: 'w', url: receiver.url, ...row });
});
afterEach(async () => {
  await receiver.stop();
  await services.stop();
});

/** A delivery that is due, with whatever else is written past the schema. */
async function insert(state: 'pending' | 'waiting' | 'sending', wrong: object = {}): Promise<string> {
  const { db, clock } = services;
  const now = clock.now();
  services.pass(1);
  const [_id, eventId] = [newId(), `evt_${newId()}`];
  const common = { userId: ctx.caller.userId, type: 'api_key.created', occurredAt: now };
  await db.webhookEvents.create({ ...common, _id: eventId, body: '{}', fannedOut: true });
  const nextAttemptAt = state === 'pending' ? now : null;
  const doc = { ...common, _id, eventId, webhookId, replay: 0, trigger: 'auto', state, nextAttemptAt, createdAt: now };
  const counts = { attemptCount: 0, retryCount: 0, terminalAt: null, attempts: [] };
  await db.webhookDeliveries.collection.insertOne({ ...doc, ...counts, ...wrong } as never);
  return _id;
}
const find = async (id: string): Promise<WebhookDeliveryDoc> => {
  const doc = await services.db.webhookDeliveries.findOne({ _id: id }).lean();
  if (!doc) throw new Error(`There is no delivery ${id}`);
  return doc;
};
/** Runs the endpoint at each time of its delivery until that is over; answers the seconds between. */
async function runOut(): Promise<number[]> {
  const deliver = createDeliverer(services);
  const waits: number[] = [];
  for (;;) {
    const { retryAt } = await deliver(webhookId);
    if (!retryAt) return waits;
    const wait = (retryAt.getTime() - services.clock.now().getTime()) / 1000;
    waits.push(wait);
    expect((await sweepAll(services)).due).not.toContain(webhookId);
    services.pass(wait + 0.001);
  }
}

describe('a delivery that cannot be processed', () => {
  const until = new Date('2999-01-31T08:00:00Z');
  it.each([
    ['before its first attempt', 'pending', { attemptCount: 'none' }, 'none'],
    ['after its sender died', 'sending', { attemptCount: 1, attempts: 'none', lease: { token: 'dead', until } }, 1],
  ] as const)(
    '%s is deferred, dead-lettered after an hour, and can be redelivered (R9)',
    async (_when, state, wrong, no) => {
      let deadLettered = 0;
      const end = deliveryDeadLettered.on(() => void (deadLettered += 1));
      const id = await insert(state, wrong);
      const next = await insert('waiting');
      const { due } = await sweepAll({
        ...services,
        clock: { now: () => new Date(Date.parse('2999-01-31T10:00:00Z')) },
      });
      expect(due).toEqual([webhookId]);
      const waits = await runOut();
      expect(waits.slice(0, 7)).toEqual([1, 2, 4, 8, 16, 30, 30]);
      const seconds = waits.reduce((sum, wait) => sum + wait, 0);
      expect(seconds).toBeGreaterThan(3_500);
      expect(seconds).toBeLessThan(4_000);
      end();
      expect(deadLettered).toBe(1);
      expect(await find(id)).toMatchObject({ state: 'failed', attemptCount: no, retryCount: 0, nextAttemptAt: null });
      const { logs } = await listDeliveries(ctx, { webhookId, status: 'failed', limit: 10 });
      expect(logs).toMatchObject([{ _id: id, attempts: [{ errorClass: 'internal', outcome: 'failure' }] }]);
      expect(receiver.got).toEqual([]);
      // The other deliveries continue, and the owner can redeliver the dead letter.
      const deliver = createDeliverer(services);
      for (const dueId of (await sweepAll(services)).due) await deliver(dueId);
      expect((await find(next)).state).toBe('delivered');
      const { eventId } = await find(id);
      const again = await redeliver(ctx, { webhookId, eventId }, newId());
      await deliver(webhookId);
      expect((await find(again.delivery._id)).state).toBe('delivered');
    },
  );

  it('is not sent before its time because of an internal error after an attempt', async () => {
    const nextAttemptAt = new Date(services.clock.now().getTime() + 3_600_000);
    const id = await insert('pending', { state: 'retrying', nextAttemptAt });
    expect(await deferAfterInternalError(services, id, new Error('The turn did not end'))).toMatchObject({
      retryAt: nextAttemptAt,
    });
    expect(await find(id)).toMatchObject({ state: 'retrying', nextAttemptAt, failure: { count: 1 } });
  });

  it('says what happened, and that much is kept of it', async () => {
    const id = await insert('pending', { attemptCount: 'none' });
    await createDeliverer(services)(webhookId);
    await expect(find(id)).resolves.toMatchObject({
      failure: { count: 1, message: expect.stringContaining('attemptCount') },
    });
  });
});

describe('a store that is away', () => {
  it('says nothing of the delivery', async () => {
    const id = await insert('pending');
    const before = await find(id);
    const { webhooks } = services.db;
    const find_ = (): object => ({ lean: () => Promise.reject(new mongo.MongoNetworkError('gone')) });
    const away = new Proxy(webhooks, {
      get: (target, name): unknown => (name === 'find' ? find_ : Reflect.get(target, name)),
    });
    const deliver = createDeliverer({ ...services, db: { ...services.db, webhooks: away } });
    await expect(deliver(webhookId)).rejects.toThrow('gone');
    expect(await find(id)).toEqual(before);
  });
});
