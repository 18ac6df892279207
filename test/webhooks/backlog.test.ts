import { afterEach, describe, expect, it, vi } from 'vitest';
import { newId } from '../../src/lib/id.ts';
import { Collection } from '../../src/dev/mongo-server/collection.ts';
import { SortedList } from '../../src/dev/mongo-server/sorted-list.ts';
import { createDeliverer } from '../../src/services/webhooks/deliver.ts';
import { runRecoveries } from '../../src/services/webhooks/run-recoveries.ts';
import { sweepAll } from './sweep-all.ts';
import { makeServices, type TestServices } from '../support/services.ts';

const hour = 3_600_000;

interface Kept {
  state: 'held' | 'waiting';
  hours: number;
  webhook?: object;
}

/** A webhook with so many parked deliveries. */
async function keep({ db, clock }: TestServices, count: number, { state, hours, webhook }: Kept): Promise<string[]> {
  const now = clock.now().getTime();
  const [webhookId, userId] = [newId(), newId()];
  const url = 'http://127.0.0.1:9/hook';
  await db.webhooks.create({ _id: webhookId, userId, slot: 1, name: 'w', url, events: ['*'], ...webhook });
  const ids = Array.from({ length: count }, () => newId());
  await db.webhookDeliveries.insertMany(
    ids.map((_id, at) => {
      const then = new Date(now - hours * hour + at);
      const about = { userId, webhookId, eventId: newId(), type: 'ad.created' };
      return { ...about, _id, state, occurredAt: then, createdAt: then };
    }),
  );
  return ids;
}

/** How many times the bundled store was asked for documents, and how many documents and entries it read for that. */
async function reads(run: () => Promise<unknown>): Promise<{ looks: number; documents: number; entries: number }> {
  const counted = { looks: 0, documents: 0, entries: 0 };
  const { find } = Collection.prototype;
  const { first } = SortedList.prototype;
  vi.spyOn(Collection.prototype, 'find').mockImplementation(function (this: Collection, ...query) {
    const found = find.apply(this, query);
    counted.looks += 1;
    counted.documents += found.examined;
    return found;
  });
  vi.spyOn(SortedList.prototype, 'first').mockImplementation(function (this: SortedList<never>, ...range) {
    counted.entries += 1;
    return first.apply(this, range);
  });
  await run();
  vi.restoreAllMocks();
  return counted;
}

afterEach(() => void vi.restoreAllMocks());

describe.skipIf(process.env['MONGODB_URI'])('with a backlog of any size', () => {
  const off = { isActive: false, disabledReason: 'consecutive_failures' };
  const kinds: Record<string, Kept> = {
    'held for a webhook that is off': { state: 'held', hours: 1, webhook: off },
    'held for too long to be resumed': { state: 'held', hours: 100 },
    'waiting for a webhook of strict order': { state: 'waiting', hours: 1, webhook: { ordering: 'strict' } },
    'waiting for a probe': { state: 'waiting', hours: 1, webhook: { nextProbeAt: new Date('2099-01-01') } },
  };

  it.each(Object.entries(kinds))('a sweep reads as much, whatever is %s', async (_, kind) => {
    const sweepOf = async (count: number): ReturnType<typeof reads> => {
      const services = await makeServices();
      for (let at = 0; at < 3; at++) await keep(services, count, kind);
      // The first one lets some go.
      await sweepAll(services);
      const counted = await reads(() => sweepAll(services));
      await services.stop();
      return counted;
    };
    const small = await sweepOf(30);
    expect(await sweepOf(300)).toEqual(small);
    expect(small.documents + small.entries).toBeLessThan(30);
  });

  it('a delivery in strict order reads as much, whatever stays held or waits behind it', async () => {
    const deliveryOf = async (count: number): Promise<object> => {
      const services = await makeServices();
      const [first = ''] = await keep(services, count, kinds['waiting for a webhook of strict order'] as Kept);
      const { webhookId, userId } = (await services.db.webhookDeliveries.findOne({ _id: first }).orFail()).toObject();
      const then = new Date(services.clock.now().getTime() - 100 * hour);
      const about = { userId, webhookId, type: 'ad.created', state: 'held', occurredAt: then, createdAt: then };
      await services.db.webhookDeliveries.insertMany(
        Array.from({ length: count }, () => ({ ...about, _id: newId(), eventId: newId() })),
      );
      const [due = ''] = (await sweepAll(services)).due;
      expect(due).toBe(webhookId);
      let isOver = false;
      const feed = { ...services.feed, publishIfWatched: () => void (isOver = true) };
      const deliver = createDeliverer({ ...services, feed }, { isDraining: () => isOver });
      const counted = await reads(() => deliver(due));
      await services.stop();
      return counted;
    };
    expect(await deliveryOf(300)).toEqual(await deliveryOf(30));
  });

  it('a recovery reads each delivery of its webhook once, however many pages they are', async () => {
    const services = await makeServices();
    const [first] = await keep(services, 1_000, { state: 'held', hours: 100 });
    const { webhookId, userId } = (await services.db.webhookDeliveries.findOne({ _id: first }).orFail()).toObject();
    await services.db.webhookDeliveries.updateMany({}, { $set: { state: 'failed' } });
    const now = services.clock.now();
    const since = new Date(now.getTime() - 200 * hour);
    const job = { userId, webhookId, since, until: now, state: 'scanning' as const, createdAt: now };
    await services.db.webhookRecoveries.create({ ...job, _id: newId() });
    // Their content is gone, so nothing is sent: what is read is read by the search alone, and once more page by page.
    const { documents } = await reads(() => runRecoveries(services));
    expect(await services.db.webhookRecoveries.countDocuments({ state: 'scanned' })).toBe(1);
    expect(documents).toBeLessThan(2_100);
    await services.stop();
  });
});
