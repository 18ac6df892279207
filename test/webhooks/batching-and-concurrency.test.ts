import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createEgress } from '../../src/egress/egress.ts';
import { newId } from '../../src/lib/id.ts';
import type { WebhookDeliveryDoc } from '../../src/models/webhook-delivery.ts';
import type { WebhookDoc } from '../../src/models/webhook.ts';
import { eventsOf, newOutboxEvent, readOutbox } from '../../src/services/durable/outbox.ts';
import { createDeliverer } from '../../src/services/webhooks/deliver.ts';
import { fanOut, storeEvents } from '../../src/services/webhooks/fan-out.ts';
import { relayBatch } from '../../src/services/webhooks/relay-outbox.ts';
import { createReleaser } from '../../src/services/webhooks/release-waiting.ts';
import { sweepDeliveries } from '../../src/services/webhooks/sweep-deliveries.ts';
import { sweepAll } from './sweep-all.ts';
import { createBatchUpdater } from '../../src/services/durable/batch.ts';
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

describe('an event that two processes relay', () => {
  it('is not sent to a webhook that was created after one of them fanned it out', async () => {
    const { db } = services;
    const { _id, userId } = await makeWebhook();
    const event = newOutboxEvent('api_key.created', {}, services.clock.now());
    await db.webhooks.updateOne({ _id }, { $set: { pendingEvents: [event] } });
    const read = (await readOutbox(db)).batches.flatMap(eventsOf).filter((one) => one.userId === userId);
    await relayBatch(services);
    const late = await db.webhooks.create({ userId, slot: 2, name: 'Late', url: 'http://127.0.0.1:9/', events: ['*'] });
    // The slower process goes on with what it read before.
    expect(await fanOut(services, read, await storeEvents(services, read))).toEqual([]);
    const deliveries = await db.webhookDeliveries.find({ userId }).lean();
    expect(deliveries.map(({ eventId, webhookId }) => [eventId, webhookId === late._id])).toEqual([
      [event.eventId, false],
    ]);
  });
});

describe('deliveries of one moment', () => {
  it('that three workers want at once are sent once each, and each is recorded (R6)', async () => {
    const receiver = await startReceiver();
    const webhook = await makeWebhook(receiver.url);
    const ids = await makeDeliveries(webhook, 4);
    const another = await makeWebhook(receiver.url);
    const others = await makeDeliveries(another, 4);
    // Time enough for a receiver on a busy machine.
    const egress = createEgress({ allowedCidrs: [], allowLoopback: true, timeoutMs: 15_000 });
    const workers = [1, 2, 3].map(() => createDeliverer({ ...services, egress }));
    const webhookIds = [webhook._id, another._id];
    await Promise.all(webhookIds.flatMap((id) => workers.map((deliver) => deliver(id))));
    expect(receiver.got).toHaveLength(8);
    const docs = await services.db.webhookDeliveries.find({ _id: { $in: [...ids, ...others] } }).lean();
    for (const doc of docs) {
      expect(doc).toMatchObject({ state: 'delivered', attemptCount: 1, attempts: [{ no: 1, outcome: 'success' }] });
      expect(doc.lease).toBeUndefined();
    }
    await Promise.all([receiver.stop(), egress.close()]);
  });

  it('are updated each by itself: one that the store refuses, or that has changed, leaves the others alone', async () => {
    const [a = '', b = '', c = '', d = ''] = await makeDeliveries(await makeWebhook(), 4);
    const update = createBatchUpdater(services.db);
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
      inQueue += (await releasers[sent % processes]!(webhook)) - 1;
      expect(inQueue).toBeLessThanOrEqual(50);
    }
    expect(sent).toBe(170);
  });

  it('is counted once and released once for all endpoints of a moment', async () => {
    const own = await makeServices({ isMonitored: true });
    const commands: string[] = [];
    const webhooks = Array.from({ length: 10 }, () => ({ _id: newId(), ordering: 'none' }) as WebhookDoc);
    const at = own.clock.now();
    const waiting = {
      state: 'waiting' as const,
      type: 'ad.created',
      occurredAt: at,
      createdAt: at,
      nextAttemptAt: null,
    };
    await own.db.webhookDeliveries.insertMany(
      webhooks.map(({ _id }) => ({ ...waiting, _id: newId(), userId: _id, webhookId: _id, eventId: `evt_${_id}` })),
    );
    const client = own.db.users.db.getClient();
    client.on('commandStarted', ({ commandName }: { commandName: string }) => void commands.push(commandName));
    const release = createReleaser(own);
    expect(await Promise.all(webhooks.map((webhook) => release(webhook)))).toEqual(Array<number>(10).fill(1));
    const countOf = (name: string): number => commands.filter((one) => one === name).length;
    expect([countOf('find'), countOf('aggregate'), countOf('update')]).toEqual([10, 1, 1]);
    await own.stop();
  });
});

describe('failed deliveries whose next attempt is hours away', () => {
  const inHours = (hours: number): Date => new Date(services.clock.now().getTime() + hours * 3_600_000);
  const later = (hours: number) => ({ state: 'retrying' as const, retryCount: 4, nextAttemptAt: inHours(hours) });
  const publish = ({ _id }: WebhookDoc): Promise<unknown> => {
    const event = newOutboxEvent('ad.created', {}, services.clock.now());
    return services.db.webhooks.updateOne({ _id }, { $set: { pendingEvents: [event] } });
  };

  it('hold up nothing else of their endpoint', async () => {
    const webhook = await makeWebhook();
    await makeDeliveries(webhook, 60, later(10));
    const [waiting] = await makeDeliveries(webhook, 1, { state: 'waiting', nextAttemptAt: null });
    await publish(webhook);
    expect((await relayBatch(services)).due).toEqual([webhook._id]);
    expect((await sweepAll(services)).due).toContain(webhook._id);
    expect(await services.db.webhookDeliveries.findOne({ _id: waiting }).lean()).toMatchObject({ state: 'pending' });
  });

  it('fill the queue when there are a thousand of them, and always where the order is strict', async () => {
    const [full, strict] = [await makeWebhook(), await makeWebhook()];
    await services.db.webhooks.updateOne({ _id: strict._id }, { $set: { ordering: 'strict' } });
    await makeDeliveries(full, 1_000, later(10));
    await makeDeliveries(strict, 1, later(1));
    await publish(full);
    await publish(strict);
    expect((await relayBatch(services)).due).toEqual([]);
    const { due } = await sweepAll(services);
    expect(due.filter((id) => [full._id, strict._id].includes(id))).toEqual([]);
  });
});

describe('a delivery that waits while its endpoint answers others', () => {
  it.each([
    ['is parked when its webhook is disabled meanwhile', { isActive: false, disabledReason: 'owner' }, 'skipped'],
    ['goes where its webhook points by then', {}, 'delivered'],
  ])('%s', async (_name, change, state) => {
    const [receiver, next] = await Promise.all([startReceiver(), startReceiver()]);
    const answers: (() => void)[] = [];
    receiver.answer = (_request, response) => void answers.push(() => response.end());
    const webhook = await makeWebhook(receiver.url);
    const ids = await makeDeliveries(webhook, 6);
    const egress = createEgress({ allowedCidrs: [], allowLoopback: true, timeoutMs: 15_000 });
    const working = createDeliverer({ ...services, egress })(webhook._id);
    await receiver.has(4);
    // A webhook that was read longer ago is read again.
    await new Promise((resolve) => setTimeout(resolve, 60));
    await services.db.webhooks.updateOne({ _id: webhook._id }, { $set: { ...change, url: next.url } });
    for (const answer of answers) answer();
    await working;
    expect([receiver.got.length, next.got.length]).toEqual([4, state === 'delivered' ? 2 : 0]);
    const sent = new Set(receiver.got.map(({ headers }) => headers['webhook-id']));
    const waited = { _id: { $in: ids.filter((id) => !sent.has(`evt_${id}`)) } };
    const docs = await services.db.webhookDeliveries.find(waited).lean();
    expect(docs.map((doc) => doc.state)).toEqual([state, state]);
    await Promise.all([receiver.stop(), next.stop(), egress.close()]);
  });
});

describe('an endpoint', () => {
  it('has at most four requests under way, and what is due meanwhile follows', async () => {
    const receiver = await startReceiver();
    let open = 0;
    let most = 0;
    receiver.answer = async (_request, response) => {
      most = Math.max(most, ++open);
      // The first are answered only once all of them are there, with time for one too many.
      await receiver.has(4);
      setTimeout(() => {
        open -= 1;
        response.end();
      }, 20);
    };
    const webhook = await makeWebhook(receiver.url);
    await makeDeliveries(webhook, 20);
    const deliver = createDeliverer(services);
    const working = deliver(webhook._id);
    await receiver.has(8);
    await makeDeliveries(webhook, 5);
    await Promise.all([working, deliver(webhook._id)]);
    expect([most, receiver.got.length]).toEqual([4, 25]);
    await receiver.stop();
  });

  it('that hangs on one request still gets the next deliveries in its free lanes', async () => {
    const receiver = await startReceiver();
    let endHanging = (): void => undefined;
    receiver.answer = (_request, response) => (endHanging = () => void response.end());
    const webhook = await makeWebhook(receiver.url);
    await makeDeliveries(webhook, 1);
    const deliver = createDeliverer(services);
    const hanging = deliver(webhook._id);
    await receiver.has(1);
    receiver.answer = (_request, response) => response.end();
    await makeDeliveries(webhook, 2);
    void deliver(webhook._id);
    await receiver.has(3);
    const sending = { webhookId: webhook._id, state: 'sending' as const };
    await expect.poll(() => services.db.webhookDeliveries.countDocuments(sending)).toBe(1);
    endHanging();
    await hanging;
    await receiver.stop();
  });

  it('gets everything that is due, also if more is due than one read returns', async () => {
    const receiver = await startReceiver();
    const webhook = await makeWebhook(receiver.url);
    // As after an outage: all of them share one job.
    const ids = await makeDeliveries(webhook, 120, { state: 'retrying', retryCount: 1 });
    const egress = createEgress({ allowedCidrs: [], allowLoopback: true, timeoutMs: 15_000 });
    await createDeliverer({ ...services, egress })(webhook._id);
    expect(new Set(receiver.got.map(({ headers }) => headers['webhook-id']))).toEqual(
      new Set(ids.map((id) => `evt_${id}`)),
    );
    expect(receiver.got).toHaveLength(120);
    await Promise.all([receiver.stop(), egress.close()]);
  });

  it('that three processes work on gets each delivery once', async () => {
    const receiver = await startReceiver();
    const webhook = await makeWebhook(receiver.url);
    await makeDeliveries(webhook, 50);
    const workers = [1, 2, 3].map(() => createDeliverer(services));
    await Promise.all(workers.map((deliver) => deliver(webhook._id)));
    expect(receiver.got).toHaveLength(50);
    const once = { webhookId: webhook._id, state: 'delivered' as const, attemptCount: 1 };
    expect(await services.db.webhookDeliveries.countDocuments(once)).toBe(50);
    await receiver.stop();
  });
});

describe('a long row of events', () => {
  it('goes batch by batch: what is due of the first one is known before the others are read', async () => {
    const { userId } = await makeWebhook();
    const { apiKeys, webhookDeliveries } = services.db;
    const keys = Array.from({ length: 150 }, (_, at) => ({
      _id: newId(),
      userId,
      keyHash: newId(),
      pendingEvents: [newOutboxEvent('api_key.created', { at }, new Date(services.clock.now().getTime() + at))],
    }));
    await apiKeys.collection.insertMany(keys as never);
    const first = await relayBatch(services);
    expect(first.due.length).toBeGreaterThan(0);
    expect(first.isAll).toBe(false);
    expect(await webhookDeliveries.countDocuments({ userId })).toBe(100);
    expect(await relayBatch(services)).toMatchObject({ isAll: true });
    expect(await webhookDeliveries.countDocuments({ userId })).toBe(150);
    await apiKeys.deleteMany({ userId });
  });
});

describe('a sweep', () => {
  it('finds the endpoints of any number of overdue and abandoned deliveries, 500 at a time', async () => {
    const past = new Date(services.clock.now().getTime() - 60_000);
    const [webhook, lost, last] = [await makeWebhook(), await makeWebhook(), await makeWebhook()];
    const all = [webhook._id, lost._id, last._id];
    const abandoned = {
      state: 'sending',
      nextAttemptAt: past,
      lease: { token: 'dead', until: past, startedAt: past },
    } as const;
    const ids = [
      await makeDeliveries(webhook, 700, { nextAttemptAt: past }),
      await makeDeliveries(lost, 30, abandoned),
    ];
    // The last of very many, of another endpoint.
    const later = new Date(past.getTime() + 1_000);
    ids.push(await makeDeliveries(last, 1, { nextAttemptAt: later }));
    const found: string[][] = [];
    for await (const { due } of sweepDeliveries(services)) found.push(due);
    const own = found.map((due) => due.filter((id) => all.includes(id))).filter(({ length }) => length > 0);
    expect(own).toEqual([[webhook._id], [webhook._id, last._id], [lost._id]]);
    await services.db.webhookDeliveries.deleteMany({ _id: { $in: ids.flat() } });
  });
});

describe('what waits for a webhook that is no more', () => {
  it('is cancelled, though the process that deleted the webhook died before it did so', async () => {
    const webhook = await makeWebhook();
    const others = await makeWebhook();
    const waiting = { state: 'waiting', nextAttemptAt: null } as const;
    const [waits = ''] = await makeDeliveries(webhook, 1, waiting);
    const [held = ''] = await makeDeliveries(webhook, 1, { ...waiting, state: 'held' });
    const [stays = ''] = await makeDeliveries(others, 1, waiting);
    await services.db.webhooks.deleteOne({ _id: webhook._id });
    const { due } = await sweepAll(services);
    const found = services.db.webhookDeliveries.find({ _id: { $in: [waits, held] } });
    for (const doc of await found.lean())
      expect(doc).toMatchObject({ state: 'cancelled', terminalAt: expect.any(Date) });
    expect(await services.db.webhookDeliveries.findOne({ _id: stays }).lean()).toMatchObject({ state: 'pending' });
    expect(due.filter((id) => [webhook._id, others._id].includes(id))).toEqual([others._id]);
  });
});
