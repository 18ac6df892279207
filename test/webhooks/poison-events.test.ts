import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { damagedDateRead, eventRejected } from '../../src/telemetry/events.ts';
import { newId } from '../../src/lib/id.ts';
import type { PendingEvent } from '../../src/models/pending-event.ts';
import { newOutboxEvent } from '../../src/services/durable/outbox.ts';
import { relayEvents } from '../../src/services/webhooks/relay-outbox.ts';
import { makeServices, type TestServices } from '../support/services.ts';

let services: TestServices;
beforeEach(async () => {
  services = await makeServices();
});
afterEach(() => services.stop());

/** Its bytes are six times as many, and more than a document may have. */
const tooLarge = '\u0001'.repeat(3_000_000);

/** A user with a webhook, and keys with outbox events, one second after the other. */
async function publish(changes: object[], webhook: object = {}): Promise<{ userId: string; events: PendingEvent[] }> {
  const { db, clock } = services;
  const userId = newId();
  const url = 'http://127.0.0.1:9/hook';
  await db.webhooks.create({ _id: newId(), userId, slot: 1, name: 'w', url, events: ['*'], ...webhook });
  const at = (place: number): Date => new Date(clock.now().getTime() - 60_000 + place * 1000);
  const events = changes.map((change, place) => newOutboxEvent('api_key.created', { ...change }, at(place)));
  const key = { userId, name: 'k', prefix: 'k', scope: 'full' };
  await db.apiKeys.collection.insertMany(
    events.map((event) => ({ ...key, _id: newId(), keyHash: newId(), pendingEvents: [event] })) as never,
  );
  return { userId, events };
}

const statesOf = async (userId: string): Promise<(string | undefined)[]> =>
  (await services.db.webhookDeliveries.find({ userId }).sort({ occurredAt: 1 }).lean()).map(({ state }) => state);
const waitingOf = async (userId: string): Promise<number> =>
  services.db.apiKeys.countDocuments({ userId, 'pendingEvents.0': { $exists: true } });

describe('an event whose time is damaged', () => {
  it('holds up no one, counts as of the time of the event before it, and is named in the log', async () => {
    const places: object[] = [];
    const end = damagedDateRead.on((read) => void places.push(read));
    const ill = await publish([{ n: 1 }]);
    const well = await publish([{ n: 1 }]);
    const [first] = ill.events;
    const second = { ...newOutboxEvent('api_key.created', { n: 2 }, new Date()), at: 'yesterday' };
    const of = { userId: ill.userId };
    await services.db.apiKeys.collection.updateOne(of, { $push: { pendingEvents: second } as never });
    await relayEvents(services);
    end();
    expect(await statesOf(well.userId)).toEqual(['pending']);
    const sent = await services.db.webhookDeliveries.find(of).lean();
    expect(sent.map(({ occurredAt }) => occurredAt)).toEqual([first?.at, first?.at]);
    expect(places).toContainEqual(expect.objectContaining({ collection: 'api_keys', path: 'pendingEvents.at' }));
  });
});

describe('an event that the store refuses', () => {
  it('holds up no other user, and its own row keeps its order', async () => {
    const ill = await publish([{ n: 1 }, { tooLarge }, { n: 3 }], { ordering: 'strict' });
    const well = await publish([{ n: 1 }, { n: 2 }]);
    await relayEvents(services);
    expect(await statesOf(well.userId)).toEqual(['pending', 'pending']);
    expect(await statesOf(ill.userId)).toHaveLength(1);
    expect(await waitingOf(ill.userId)).toBe(2);
  });

  it('is quarantined with any other rejected event behind it if the retry half a minute later fails too, and the rest of the row is sent', async () => {
    let refused = 0;
    const end = eventRejected.on(() => void (refused += 1));
    const { userId, events } = await publish([{ tooLarge }, { tooLarge }, { n: 3 }], { ordering: 'strict' });
    for (const seconds of [0, 20, 9]) {
      services.pass(seconds);
      await relayEvents(services);
    }
    expect([await waitingOf(userId), refused]).toEqual([3, 0]);
    services.pass(2);
    await relayEvents(services);
    await relayEvents(services);
    end();
    expect([await waitingOf(userId), refused]).toEqual([0, 2]);
    // Its owner sees it in the log, before what goes now.
    expect(await statesOf(userId)).toEqual(['failed', 'failed', 'pending']);
    const kept = await services.db.apiKeys.collection.findOne({ 'deadLetterEvents.eventId': events[0]?.eventId });
    expect(kept?.['deadLetterEvents']).toMatchObject([{ type: 'api_key.created', data: { tooLarge } }]);
  });

  it('is none where nothing at all can be written', async () => {
    const { userId } = await publish([{ n: 1 }]);
    const refusing = <T extends object>(model: T): T =>
      new Proxy(model, {
        get: (target, name): unknown =>
          /^(bulkWrite|updateOne)$/.test(String(name))
            ? () => Promise.reject(new Error('The disk is full'))
            : name === 'collection'
              ? refusing(Reflect.get(target, name) as object)
              : Reflect.get(target, name),
      });
    const { apiKeys, webhookEvents } = services.db;
    const db = { ...services.db, apiKeys: refusing(apiKeys), webhookEvents: refusing(webhookEvents) };
    for (const seconds of [0, 60, 60]) {
      services.pass(seconds);
      await expect(relayEvents({ ...services, db })).rejects.toThrow('The disk is full');
    }
    await relayEvents(services);
    expect(await statesOf(userId)).toEqual(['pending']);
  });
});
