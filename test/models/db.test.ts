import mongoose from 'mongoose';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newId } from '../../src/lib/id.ts';
import { connectionOptions, durabilityWarnings } from '../../src/models/connection-options.ts';
import { connectDb, isConnectionError, isDuplicate, type Db } from '../../src/models/db.ts';
import { createLog } from '../../src/telemetry/log.ts';
import { monitored, testDatabase } from '../support/db.ts';
import { makeServices, type TestServices } from '../support/services.ts';

let services: TestServices;
let db: Db;

beforeAll(async () => {
  services = await makeServices();
  ({ db } = services);
});
afterAll(() => services.stop());

const user = (email: string) => ({ email, name: 'A', plan: 'free' as const });
const profile = (userId: string, name: string, slot: number) => ({ userId, name, slot });
const caught = async (writing: Promise<unknown>): Promise<unknown> => writing.then(() => undefined).catch((e) => e);
const now = new Date();

describe('unique indexes', () => {
  it('refuse a second user of one address', async () => {
    await db.users.create(user('a@example.com'));
    expect(isDuplicate(await caught(db.users.create(user('a@example.com'))), 'email')).toBe(true);
  });

  it('distinguish a taken name from a taken slot', async () => {
    const userId = newId();
    await db.profiles.create(profile(userId, 'Shop', 1));
    const [name, slot] = [
      await caught(db.profiles.create(profile(userId, 'Shop', 2))),
      await caught(db.profiles.create(profile(userId, 'Bakery', 1))),
    ];
    expect([isDuplicate(name, 'name'), isDuplicate(name, 'slot')]).toEqual([true, false]);
    expect([isDuplicate(slot, 'name'), isDuplicate(slot, 'slot')]).toEqual([false, true]);
  });

  it('let two users have the same name', async () => {
    await db.profiles.create(profile(newId(), 'Same', 1));
    await expect(db.profiles.create(profile(newId(), 'Same', 1))).resolves.toBeDefined();
  });

  it('of many writes are all their faults, or something is lost', () => {
    const faults = (...codes: number[]) => ({ code: 11_000, writeErrors: codes.map((code) => ({ code })) });
    expect(isDuplicate(faults(11_000, 11_000))).toBe(true);
    expect(isDuplicate(faults(11_000, 14_031))).toBe(false);
  });

  it.each([new Error('other'), { code: 11_001 }, {}])('are not behind other errors', (error) => {
    expect(isDuplicate(error)).toBe(false);
  });
});

describe('a database that accepts no connection', () => {
  it.each([6, 7, 18, 89, 91, 133, 189, 262, 371, 9001, 10_058, 10_107, 11_600, 11_602, 13_435, 13_436, 14_031])(
    'is away by the code %i of a server or router',
    (code) => {
      expect(isConnectionError(new mongoose.mongo.MongoServerError({ message: 'refused', code }))).toBe(true);
    },
  );

  it.each([2, 14, 121, 11_000])('is there by the code %i, which is about the command', (code) => {
    expect(isConnectionError(new mongoose.mongo.MongoServerError({ message: 'refused', code }))).toBe(false);
  });
});

describe('documents', () => {
  it('hold nothing that the schema does not name', async () => {
    const { _id } = await db.users.create({ ...user('b@example.com'), isAdmin: true } as never);
    expect(await db.users.findOne({ _id }).lean()).not.toHaveProperty('isAdmin');
  });

  it('are refused without what they need', async () => {
    await expect(db.users.create({ email: 'c@example.com' } as never)).rejects.toThrow(/name.*required/i);
  });

  it('say when they were made and changed', async () => {
    const { _id } = await db.users.create(user('d@example.com'));
    const made = await db.users.findOne({ _id }).lean().orFail();
    expect(made.createdAt).toBeInstanceOf(Date);
    await db.users.updateOne({ _id }, { $set: { name: 'B' } });
    const changed = await db.users.findOne({ _id }).lean().orFail();
    expect(changed.createdAt).toEqual(made.createdAt);
    expect(changed.updatedAt.getTime()).toBeGreaterThanOrEqual(made.updatedAt.getTime());
  });
});

describe('documents with an outbox', () => {
  it('are found by their outbox, and no others', async () => {
    const userId = newId();
    const [quiet, loud] = [newId(), newId()];
    const key = { userId, name: 'a', keyPreview: 'sk_', scope: 'full', permission: 'read' } as const;
    await db.apiKeys.create({ ...key, _id: quiet, keyHash: quiet });
    const pendingEvents = [{ eventId: 'evt_1', type: 'api_key.created', at: now, data: { deep: { list: [1] } } }];
    await db.apiKeys.create({ ...key, _id: loud, keyHash: loud, pendingEvents });
    const found = await db.apiKeys.find({ userId, 'pendingEvents.0': { $exists: true } }).lean();
    expect(found.map(({ _id }) => _id)).toEqual([loud]);
    expect(found[0]?.pendingEvents).toEqual(pendingEvents);
  });
});

describe('indexes', () => {
  it.each([
    ['users', ['email']],
    ['profiles', ['userId,name', 'userId,slot']],
    ['apiKeys', ['keyHash']],
    ['accounts', ['userId,platform,platformAccountId']],
    ['idempotency', ['userId,key']],
    ['ads', ['accountId,platformAdId', 'orderId,creativeIndex']],
  ] as const)('of %s are unique where two would be wrong', async (name, expected) => {
    const indexes = await db[name].collection.indexes();
    const unique = indexes.filter((index) => index.unique).map(({ key }) => Object.keys(key).join(','));
    expect(unique.toSorted()).toEqual(expected);
  });

  it('let idempotency records go when their day is over', async () => {
    const indexes = await db.idempotency.collection.indexes();
    expect(indexes).toContainEqual(expect.objectContaining({ key: { expiresAt: 1 }, expireAfterSeconds: 0 }));
  });
});

describe('the commands of reads', () => {
  it('carry a time limit that is shorter than the wait for their response', async () => {
    const database = await testDatabase();
    const client = await connectDb(monitored(database.uri), createLog('silent'));
    const sent: [string, unknown][] = [];
    client.users.db.getClient().on('commandStarted', ({ commandName, command }) => {
      if (commandName !== 'endSessions') sent.push([commandName, command['maxTimeMS']]);
    });
    await client.users.find({ email: 'a' });
    await client.users.findOne({ email: 'a' });
    await client.users.countDocuments({ email: 'a' });
    await client.users.distinct('email', { email: 'a' });
    await client.users.findOneAndUpdate({ email: 'a' }, { $set: { name: 'A' } });
    await client.users.aggregate([{ $match: { email: 'a' } }]);
    await client.close();
    await database.stop();
    const names = ['find', 'find', 'aggregate', 'distinct', 'findAndModify', 'aggregate'];
    expect(sent.filter(([name]) => names.includes(name))).toEqual(names.map((name) => [name, 10_000]));
    expect(connectionOptions('mongodb://h/db').socketTimeoutMS).toBeGreaterThan(10_000);
  });
});

describe('the options of a connection', () => {
  it('are ours unless the address has them, in any spelling', () => {
    expect(connectionOptions('mongodb://h/db')).toMatchObject({
      appName: 'social-ads-api',
      waitQueueTimeoutMS: 10_000,
    });
    const options = ['maxPoolSize', 'serverSelectionTimeoutMS', 'socketTimeoutMS', 'waitQueueTimeoutMS', 'appName'];
    const query = options.map((name, at) => `${at % 2 ? name : name.toLowerCase()}=1`).join('&');
    const left = Object.keys(connectionOptions(`mongodb://h/db?${query}`));
    expect(left.filter((name) => options.includes(name))).toEqual([]);
  });
});

describe('the durability of writes', () => {
  it('is a majority with a journal, read from the primary, unless the address says otherwise', () => {
    expect(connectionOptions('mongodb://h/db')).toMatchObject({
      w: 'majority',
      journal: true,
      readPreference: 'primary',
    });
    expect(connectionOptions('mongodb://h/db?W=1&readPreference=nearest')).not.toHaveProperty('w');
  });

  it.each([
    ['', []],
    ['?w=majority&journal=true&readPreference=primary', []],
    ['?w=1', ['w=1']],
    ['?W=0&journal=false', ['w=0', 'journal=false']],
    ['?readpreference=secondaryPreferred', ['readPreference=secondaryPreferred']],
  ])('is warned about at start if the address weakens it: %s', (query, named) => {
    const warnings = durabilityWarnings(`mongodb://h/db${query}`);
    expect(warnings).toHaveLength(named.length);
    for (const [at, one] of named.entries()) expect(warnings[at]).toContain(`MONGODB_URI sets ${one}: `);
  });
});
