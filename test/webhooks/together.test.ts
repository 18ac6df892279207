import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createEgress } from '../../src/lib/egress.ts';
import { newId } from '../../src/lib/id.ts';
import type { WebhookDeliveryDoc } from '../../src/models/webhook-delivery.ts';
import type { WebhookDoc } from '../../src/models/webhook.ts';
import { createDeliverer } from '../../src/services/webhooks/deliver.ts';
import { createReleaser } from '../../src/services/webhooks/release-waiting.ts';
import { createUpdater } from '../../src/services/webhooks/update-together.ts';
import { makeServices, type TestServices } from '../support/services.ts';
import { startReceiver } from './receiver.ts';

let services: TestServices;
beforeAll(async () => void (services = await makeServices()));
afterAll(() => services.stop());

async function makeWebhook(url = 'http://127.0.0.1:9/'): Promise<WebhookDoc> {
  const made = await services.db.webhooks.create({ userId: newId(), slot: 1, name: 'W', url, events: ['*'] });
  return made.toObject();
}

async function makeDeliveries(
  { _id: webhookId, userId }: WebhookDoc,
  count: number,
  fields: Partial<WebhookDeliveryDoc> = {},
): Promise<string[]> {
  const now = services.clock.now();
  const event = { type: 'ad.created', occurredAt: now, userId };
  const ids = Array.from({ length: count }, () => newId());
  await services.db.webhookEvents.insertMany(ids.map((id) => ({ ...event, _id: `evt_${id}`, body: '{}' })));
  const due = { state: 'pending', nextAttemptAt: now, createdAt: now };
  await services.db.webhookDeliveries.insertMany(
    ids.map((id) => ({ ...event, _id: id, webhookId, eventId: `evt_${id}`, ...due, ...fields })),
  );
  return ids;
}

describe('deliveries of one moment', () => {
  it('that three workers want at once are sent once each, and each is recorded (R6)', async () => {
    const receiver = await startReceiver();
    const webhook = await makeWebhook(receiver.url);
    const ids = await makeDeliveries(webhook, 4);
    const others = await makeDeliveries(await makeWebhook(receiver.url), 4);
    // Time enough for a receiver on a busy machine.
    const egress = createEgress({ allowedCidrs: [], allowLoopback: true, timeoutMs: 15_000 });
    const workers = [1, 2, 3].map(() => createDeliverer({ ...services, egress }));
    await Promise.all([...ids, ...others].flatMap((id) => workers.map((deliver) => deliver(id))));
    expect(receiver.got).toHaveLength(8);
    const docs = await services.db.webhookDeliveries.find({ _id: { $in: [...ids, ...others] } }).lean();
    for (const doc of docs) {
      expect(doc).toMatchObject({ state: 'delivered', attemptNo: 1, attempts: [{ no: 1, outcome: 'success' }] });
      expect(doc.lease).toBeUndefined();
    }
    await Promise.all([receiver.stop(), egress.close()]);
  });

  it('are updated each by itself: one that the store refuses, or that has changed, leaves the others alone', async () => {
    const [a = '', b = '', c = '', d = ''] = await makeDeliveries(await makeWebhook(), 4);
    const update = createUpdater(services.db);
    const leased = (_id: string, state = 'pending') => {
      const lease = { token: newId(), until: services.clock.now(), startedAt: services.clock.now() };
      return { filter: { _id, state }, change: { $set: { state: 'sending', lease } }, token: lease.token };
    };
    const refused = { filter: { _id: b }, change: { $push: { 'attempts.none.here': 1 } } };
    const results = await Promise.allSettled([
      update(leased(a)),
      update(refused),
      update(leased(c, 'retrying')),
      update(leased(d)),
    ]);
    expect(results.map((result) => ('value' in result ? result.value : result.status))).toEqual([
      true,
      'rejected',
      false,
      true,
    ]);
    const docs = await services.db.webhookDeliveries.find({ _id: { $in: [a, b, c, d] } }).lean();
    const stateOf = new Map(docs.map(({ _id, state }) => [_id, state]));
    expect([a, b, c, d].map((id) => stateOf.get(id))).toEqual(['sending', 'pending', 'pending', 'sending']);
  });
});

describe('what waits for an endpoint', () => {
  it.each([1, 2, 4])('goes on to the end without a sweeper, in %i processes', async (processes) => {
    const webhook = await makeWebhook();
    await makeDeliveries(webhook, 50);
    await makeDeliveries(webhook, 120, { state: 'waiting', nextAttemptAt: null });
    const { webhookDeliveries } = services.db;
    const releasers = Array.from({ length: processes }, () => createReleaser(services));
    let sent = 0;
    let inQueue = 50;
    // The clock stands still: no look comes of time alone.
    while (
      await webhookDeliveries.findOneAndUpdate(
        { webhookId: webhook._id, state: 'pending' },
        { $set: { state: 'delivered' } },
      )
    ) {
      sent += 1;
      inQueue += (await releasers[sent % processes]!(webhook)).length - 1;
      expect(inQueue).toBeLessThanOrEqual(50);
    }
    expect(sent).toBe(170);
  });
});
