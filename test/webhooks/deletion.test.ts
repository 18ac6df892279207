import { afterEach, beforeEach, expect, it } from 'vitest';
import { newId } from '../../src/lib/id.ts';
import type { Db } from '../../src/models/db.ts';
import { newOutboxEvent } from '../../src/services/durable/outbox.ts';
import type { Ctx } from '../../src/services/context.ts';
import { deleteWebhook } from '../../src/services/webhooks/delete-webhook.ts';
import { relayEvents } from '../../src/services/webhooks/relay-outbox.ts';
import { makeCtx, makeServices, type TestServices } from '../support/services.ts';

let services: TestServices;
let ctx: Ctx;
const [gone, other] = [newId(), newId()];
beforeEach(async () => {
  services = await makeServices();
  ctx = await makeCtx(services);
  await relayEvents(services);
  const common = { userId: ctx.caller.userId, name: 'w', url: 'http://127.0.0.1:9/hook', events: ['*'] };
  await services.db.webhooks.create([
    { ...common, _id: gone, slot: 1 },
    { ...common, _id: other, slot: 2 },
  ]);
});
afterEach(() => services.stop());

/** A notice of the webhook that goes, which no relay has carried on. */
async function notice(type: string): Promise<void> {
  const event = newOutboxEvent(type, { webhook: { _id: gone } }, services.clock.now());
  services.pass(1);
  await services.db.webhooks.updateOne({ _id: gone }, { $push: { pendingEvents: event } });
}
const published = async (): Promise<(string | undefined)[]> => {
  await relayEvents(services);
  const deliveries = await services.db.webhookDeliveries.find({}).sort({ occurredAt: 1 }).lean();
  expect(new Set(deliveries.map(({ webhookId }) => webhookId))).toEqual(new Set([other]));
  return deliveries.map(({ type }) => type);
};

it('a webhook that is deleted takes none of its notices with it, and they keep their place', async () => {
  await notice('webhook.failing');
  await notice('webhook.disabled');
  const later = newOutboxEvent('api_key.created', {}, services.clock.now());
  await services.db.apiKeys.updateOne({ _id: ctx.caller.keyId }, { $push: { pendingEvents: later } });
  await deleteWebhook(ctx, { id: gone });
  expect(await services.db.webhooks.countDocuments({ _id: gone })).toBe(0);
  const key = await services.db.apiKeys.findOne({ _id: ctx.caller.keyId }).lean();
  const types = ['webhook.failing', 'webhook.disabled', 'api_key.created'];
  expect(key?.pendingEvents?.map(({ type }) => type)).toEqual(types);
  expect(await published()).toEqual(types);
});

it('emits an event that is queued during deletion exactly once', async () => {
  await notice('webhook.failing');
  let isLate = true;
  const apiKeys = new Proxy(ctx.db.apiKeys, {
    get: (target, name): unknown =>
      name !== 'updateOne'
        ? Reflect.get(target, name)
        : async (...args: Parameters<Db['apiKeys']['updateOne']>) => {
            const done = await target.updateOne(...args);
            if (isLate) await notice('webhook.disabled');
            isLate = false;
            return done;
          },
  });
  await deleteWebhook({ ...ctx, db: { ...ctx.db, apiKeys } }, { id: gone });
  expect(await services.db.webhooks.countDocuments({ _id: gone })).toBe(0);
  expect(await published()).toEqual(['webhook.failing', 'webhook.disabled']);
});
