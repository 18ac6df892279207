import { afterAll, beforeAll, expect, it } from 'vitest';
import { startApp, type App } from '../../src/app.ts';
import { readConfig } from '../../src/config/config.ts';
import { relayEvents } from '../../src/services/webhooks/relay-outbox.ts';
import { createLog } from '../../src/telemetry/log.ts';
import { startTestApp, type TestApp } from '../support/app.ts';
import { webhookFixture, type WebhookFixture } from './fixture.ts';

let app: TestApp;
/** Relays what the other process stores. */
let other: App;
let first: WebhookFixture;

beforeAll(async () => {
  app = await startTestApp({ ROLE: 'api' });
  other = await startApp(readConfig({ ...app.env, ROLE: 'api' }), createLog('silent'));
  first = await webhookFixture(app);
  const { webhooks } = app.app.services.db;
  await webhooks.collection.updateOne({ _id: first.webhookId as never }, { $set: { createdAt: new Date(0) } });
});
afterAll(async () => {
  await first.receiver.stop();
  await other.stop();
  await app.stop();
});

/** Makes an event whose process has a clock that differs by so many seconds. */
async function event(seconds = 0): Promise<void> {
  const { body } = await first.event();
  const at = new Date(Date.now() + seconds * 1000);
  const change = { $set: { 'pendingEvents.$[].at': at } };
  await app.app.services.db.apiKeys.collection.updateOne({ _id: body.apiKey.id }, change);
}

async function createSecond(): Promise<string> {
  const body = { name: 'Second', url: first.receiver.url, events: ['*'] };
  return (await app.call('POST', '/v1/webhooks/settings', { key: first.user.key, body })).body.webhook._id as string;
}

const received = (webhookId: string): Promise<number> =>
  app.app.services.db.webhookDeliveries.countDocuments({ webhookId, type: 'api_key.created' });

it('a webhook receives no event from before its creation that is relayed late', async () => {
  await event(-86_400);
  await event(-3_601);
  const second = await createSecond();
  await event();
  await relayEvents(other.services);
  expect([await received(first.webhookId), await received(second)]).toEqual([3, 1]);
});

it('a webhook receives every later event, also if another process relays it whose clock or that of the change differs', async () => {
  const before = await received(first.webhookId);
  await event();
  await relayEvents(other.services);
  const second = await createSecond();
  for (const seconds of [0, -3_500, 600]) await event(seconds);
  await relayEvents(other.services);
  expect([await received(first.webhookId), await received(second)]).toEqual([before + 4, 3]);
});
