import { newId } from '../../src/lib/id.ts';
import { relayEvents } from '../../src/services/webhooks/relay-outbox.ts';
import type { Answer, TestApp } from '../support/app.ts';
import { createUserFixture, type UserFixture } from '../support/user-fixture.ts';
import { startReceiver, type Receiver } from './receiver.ts';

/** A user with one webhook and a receiver behind it. */
export interface WebhookFixture {
  user: UserFixture;
  receiver: Receiver;
  webhookId: string;
  /** Makes an event: a new API key. */
  event: (name?: string) => Promise<Answer>;
  post: (path: string, body: object, headers?: Record<string, string>) => Promise<Answer>;
  update: (body: object) => Promise<Answer>;
  webhook: () => Promise<Answer['body']>;
  /** The delivery log, newest first. */
  logs: (query?: string) => Promise<Answer['body']>;
}

export async function webhookFixture(app: TestApp, extra: object = {}): Promise<WebhookFixture> {
  // A worker can still be relaying what the in-process relay has relayed, and a webhook gets no events that are older by an hour.
  const [user, receiver] = await Promise.all([createUserFixture(app, { keyAgeMs: 7_200_000 }), startReceiver()]);
  // The other events of creating a user are relayed before the webhook is there.
  await relayEvents(app.app.services);
  const { key } = user;
  const body = { name: 'Hook', url: receiver.url, events: ['api_key.created'], ...extra };
  const made = await app.call('POST', '/v1/webhooks/settings', { key, body });
  const webhookId = made.body.webhook._id as string;
  return {
    user,
    receiver,
    webhookId,
    event: (name = 'k') => app.call('POST', '/v1/api-keys', { key, body: { name } }),
    post: (path, input, headers) => app.call('POST', `/v1/webhooks/${path}`, { key, body: input, headers }),
    update: (input) => app.call('PUT', '/v1/webhooks/settings', { key, body: { _id: webhookId, ...input } }),
    webhook: async () => (await app.call('GET', '/v1/webhooks/settings', { key })).body.webhooks[0],
    logs: async (query = '') => (await app.call('GET', `/v1/webhooks/logs?limit=100${query}`, { key })).body.logs,
  };
}

export interface Past {
  count: number;
  state?: 'failed' | 'held' | 'skipped' | 'delivered' | 'waiting' | 'pending';
  hours?: number;
}

/** Deliveries of an outage that is over. */
export async function insertOldDeliveries(
  app: TestApp,
  { user, webhookId }: Pick<WebhookFixture, 'user' | 'webhookId'>,
  past: Past,
): Promise<string[]> {
  const { db } = app.app.services;
  const { count, state = 'failed', hours = 2 } = past;
  const { userId } = user;
  const at = new Date(Date.now() - hours * 3_600_000);
  const common = { userId, type: 'api_key.created', occurredAt: at, createdAt: at };
  const ids = Array.from({ length: count }, () => `evt_${newId()}`);
  await db.webhookEvents.insertMany(
    ids.map((_id) => ({ ...common, _id, body: JSON.stringify({ id: _id }), fannedOut: true })),
  );
  const isOpen = ['held', 'waiting', 'pending'].includes(state);
  const times = { terminalAt: isOpen ? null : at, nextAttemptAt: state === 'pending' ? at : null };
  await db.webhookDeliveries.insertMany(
    ids.map((eventId) => ({ ...common, eventId, webhookId, state, ...times, replay: 0, trigger: 'auto' })),
  );
  return ids;
}
