import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { EventName } from '../../src/contract/event.ts';
import { newId } from '../../src/lib/id.ts';
import { connectDb, type Db } from '../../src/models/db.ts';
import { eventsOf, newOutboxEvent, readOutbox } from '../../src/services/durable/outbox.ts';
import { createLog } from '../../src/telemetry/log.ts';
import { isWork } from '../support/round-trips.ts';
import { monitored, testDatabase, type TestDatabase } from '../support/db.ts';

let database: TestDatabase;
let db: Db;
beforeAll(async () => {
  database = await testDatabase();
  db = await connectDb(monitored(database.uri), createLog('silent'));
});
afterAll(async () => {
  await db.close();
  await database.stop();
});

const start = Date.parse('2026-01-01T00:00:00Z');
type Name = 'accounts' | 'ads' | 'stops' | 'webhooks';

/** One document with an event for each time. */
const put = (name: Name, seconds: number[]): Promise<unknown> =>
  (db[name].collection as { insertMany: (documents: object[]) => Promise<unknown> }).insertMany(
    seconds.map((second) => {
      const _id = newId();
      const pendingEvents = [
        newOutboxEvent(`${name}.${second}` as EventName, { 'a.b': { list: [1] } }, new Date(start + second * 1000)),
      ];
      const ids = {
        platformAccountId: _id,
        platformAdId: _id,
        accountId: _id,
        orderId: _id,
        target: _id,
        slot: second,
      };
      return { _id, ...ids, userId: 'u', pendingEvents };
    }),
  );

const read = async (): Promise<{ types: string[]; isAll: boolean; commands: string[] }> => {
  const commands: string[] = [];
  const note = ({ commandName }: { commandName: string }): void =>
    void (isWork(commandName) && commands.push(commandName));
  const client = db.users.db.getClient().on('commandStarted', note);
  const { batches, isAll } = await readOutbox(db);
  client.off('commandStarted', note);
  return { types: batches.flatMap(eventsOf).map(({ type }) => type), isAll, commands };
};

describe('the outbox', () => {
  it('is read with one command, over all collections', async () => {
    expect(await read()).toEqual({ types: [], isAll: true, commands: ['aggregate'] });
    await put('accounts', [0]);
    await put('ads', [2, 1]);
    await put('webhooks', [3]);
    expect(await read()).toEqual({
      types: ['accounts.0', 'ads.1', 'ads.2', 'webhooks.3'],
      isAll: true,
      commands: ['aggregate'],
    });
    const { batches } = await readOutbox(db);
    const [event] = batches.flatMap(eventsOf);
    expect(event).toMatchObject({ userId: 'u', at: new Date(start), data: { 'a.b': { list: [1] } } });
    expect(event?.source.collection.collectionName).toBe('accounts');
    expect(await db.accounts.countDocuments({ _id: event?.documentId })).toBe(1);
  });

  it('is read up to the last event of a full batch, also in the other collections', async () => {
    await put(
      'ads',
      Array.from({ length: 110 }, (_, at) => at + 10),
    );
    await put('stops', [90, 200]);
    const { types, isAll, commands } = await read();
    expect({ isAll, commands }).toEqual({ isAll: false, commands: ['aggregate'] });
    // Two ads are left of the first test, so that the hundredth is from second 107.
    expect(types).toHaveLength(103);
    expect(types.filter((type) => !type.startsWith('ads'))).toEqual(['accounts.0', 'stops.90', 'webhooks.3']);
    expect(types).toContain('ads.107');
    expect(types).not.toContain('ads.108');
  });

  const clear = async (): Promise<void> => {
    await db.accounts.deleteMany({});
    await db.ads.deleteMany({});
    await db.stops.deleteMany({});
    await db.webhooks.deleteMany({});
  };

  interface Union {
    $unionWith?: { coll: string; pipeline: object[] };
  }

  /** Reads one collection after the other, as MongoDB does; the embedded database reads all at one moment. */
  const readingInTurn = (afterRead: (read: number) => Promise<unknown>): Db => {
    const aggregate = async (stages: Union[]): Promise<unknown[]> => {
      const isOwn = ({ $unionWith }: Union): boolean => $unionWith === undefined;
      const rows: unknown[] = await db.accounts.aggregate(stages.filter(isOwn) as never);
      for (const [read, { $unionWith }] of stages.filter((stage) => !isOwn(stage)).entries()) {
        await afterRead(read);
        const { coll = '', pipeline = [] } = $unionWith ?? {};
        rows.push(...(await db.users.db.collection(coll).aggregate(pipeline).toArray()));
      }
      return rows;
    };
    const get = (target: Db['accounts'], name: string): unknown =>
      name === 'aggregate' ? aggregate : Reflect.get(target, name);
    return { ...db, accounts: new Proxy(db.accounts, { get } as ProxyHandler<Db['accounts']>) };
  };

  it('keeps the order of changes in different collections that are made while it is read', async () => {
    let reads = 0;
    for (const [earlier, later] of [
      ['accounts', 'webhooks'],
      ['webhooks', 'accounts'],
    ] as const)
      for (let at = 0; at === 0 || at < reads; at += 1) {
        await clear();
        reads = 0;
        const reading = readingInTurn(async (read) => {
          reads += 1;
          if (read !== at) return;
          await put(earlier, [1]);
          await put(later, [2]);
        });
        const relayed: string[] = [];
        const relay = async (from: Db): Promise<void> => {
          const found = (await readOutbox(from)).batches.flatMap(eventsOf);
          const inOrder = found.toSorted((a, b) => a.at.getTime() - b.at.getTime()).map(({ type }) => type);
          relayed.push(...inOrder.filter((type) => !relayed.includes(type)));
        };
        await relay(reading);
        await relay(db);
        // Otherwise nothing was written amid the read.
        expect(reads).toBeGreaterThan(at);
        expect(relayed, `written after read ${at}`).toEqual([`${earlier}.1`, `${later}.2`]);
      }
  });
});
