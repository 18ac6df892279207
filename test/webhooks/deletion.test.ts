import { afterEach, beforeEach, expect, it } from 'vitest';
import type { EventName } from '../../src/contract/event.ts';
import { newId } from '../../src/lib/id.ts';
import { newOutboxEvent } from '../../src/services/durable/outbox.ts';
import type { Ctx } from '../../src/services/context.ts';
import { cleanUpWebhooks } from '../../src/services/webhooks/cleanup.ts';
import { createWebhook } from '../../src/services/webhooks/create-webhook.ts';
import { deleteWebhook } from '../../src/services/webhooks/delete-webhook.ts';
import { listWebhooks } from '../../src/services/webhooks/find-webhook.ts';
import { relayEvents } from '../../src/services/webhooks/relay-outbox.ts';
import { updateWebhook } from '../../src/services/webhooks/update-webhook.ts';
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
async function notice(type: EventName): Promise<void> {
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

const isStored = async (): Promise<boolean> => (await services.db.webhooks.countDocuments({ _id: gone })) > 0;

it('a webhook that is deleted takes none of its notices with it, and they keep their place', async () => {
  await notice('webhook.failing');
  await notice('webhook.disabled');
  const later = newOutboxEvent('api_key.created', {}, services.clock.now());
  await services.db.apiKeys.updateOne({ _id: ctx.caller.keyId }, { $push: { pendingEvents: later } });
  await deleteWebhook(ctx, { id: gone });
  await cleanUpWebhooks(services);
  expect(await isStored()).toBe(true);
  expect(await published()).toEqual(['webhook.failing', 'webhook.disabled', 'api_key.created']);
  await cleanUpWebhooks(services);
  expect(await isStored()).toBe(false);
});

it('emits an event that is queued during deletion exactly once', async () => {
  await notice('webhook.failing');
  await deleteWebhook(ctx, { id: gone });
  await notice('webhook.disabled');
  expect(await published()).toEqual(['webhook.failing', 'webhook.disabled']);
  expect(await published()).toEqual(['webhook.failing', 'webhook.disabled']);
});

it('hides a deleted webhook and erases its secrets at once, and frees its place', async () => {
  const [secret, url] = ['whsec_c2VjcmV0IHNlY3JldCBzZWNyZXQ=', 'http://127.0.0.1:9/private-path'];
  await updateWebhook(ctx, { _id: gone, url, secret, customHeaders: { 'X-Token': 'header-secret' } } as never, newId());
  for (let at = 3; at <= 10; at += 1)
    await services.db.webhooks.create({ userId: ctx.caller.userId, name: 'w', url, events: ['*'], slot: at });
  await deleteWebhook(ctx, { id: gone });
  const { webhooks } = await listWebhooks(ctx);
  expect(webhooks.map(({ _id }) => _id)).not.toContain(gone);
  await expect(deleteWebhook(ctx, { id: gone })).rejects.toMatchObject({ code: 'webhook_not_found' });
  const stored = await services.db.webhooks.findOne({ _id: gone }).lean();
  expect(stored).toMatchObject({ encryptedSecret: null, encryptedHeaders: null, headerNames: [], url: '' });
  const made = await createWebhook(ctx, { name: 'next', url, events: ['*'], isActive: true } as never, newId());
  expect(made.webhook.name).toBe('next');
});
