import mongoose from 'mongoose';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { connectDb, migrateDatabase, type DbOptions } from '../../src/models/db.ts';
import { ensureIndexes } from '../../src/models/indexes.ts';
import { defaultRetention } from '../../src/lib/retention.ts';
import { createLog } from '../../src/telemetry/log.ts';
import { monitored, testDatabase, type TestDatabase } from '../support/db.ts';

const log = createLog('silent');
let database: TestDatabase;
let raw: mongoose.Connection;

beforeEach(async () => {
  database = await testDatabase();
  raw = await mongoose.createConnection(database.uri).asPromise();
  await start();
});
afterEach(async () => {
  await raw.close();
  await database.stop();
});

const start = async (options?: DbOptions): Promise<void> => (await connectDb(database.uri, log, options)).close();
const indexNamed = async (collection: string, name: string): Promise<object | undefined> =>
  (await raw.collection(collection).indexes()).find((index) => index.name === name);

describe('a start', () => {
  it('creates missing indexes and keeps unknown ones', async () => {
    await raw.collection('ads').dropIndex('reconcileAt_1');
    await raw.collection('ads').createIndex({ goal: 1 });
    await start();
    expect(await indexNamed('ads', 'reconcileAt_1')).toBeDefined();
    expect(await indexNamed('ads', 'goal_1')).toBeDefined();
  });

  it('asks a new database for its collections, and not for the indexes of each', async () => {
    const [empty, db] = [await testDatabase(), await connectDb(database.uri, log)];
    const connection = await mongoose.createConnection(monitored(empty.uri)).asPromise();
    const commands: string[] = [];
    connection.getClient().on('commandStarted', ({ commandName }) => void commands.push(commandName));
    const { ads, accounts, webhooks } = db;
    await ensureIndexes(connection.db!, { ads, accounts, webhooks }, { retention: defaultRetention, rebuild: false });
    const asked = commands.filter((name) => name !== 'endSessions');
    expect(asked.toSorted()).toEqual(['createIndexes', 'createIndexes', 'createIndexes', 'listCollections']);
    await Promise.all([db.close(), connection.close()]);
    await empty.stop();
  });

  it('applies the configured retention to existing collections without a rebuild', async () => {
    const days = async (collection: string, name: string): Promise<number> =>
      ((await indexNamed(collection, name)) as { expireAfterSeconds: number }).expireAfterSeconds / 86_400;
    expect(await days('webhook_deliveries', 'terminalAt_1')).toBe(30);
    await start({ retention: { ...defaultRetention, deliveryDays: 7 } });
    expect(await days('webhook_deliveries', 'terminalAt_1')).toBe(7);
    expect(await days('webhook_recoveries', 'createdAt_1')).toBe(7);
    expect(await days('webhook_events', 'createdAt_1')).toBe(12);
  });

  it('ends with the collection, the index and the command that rebuilds it if an index has other options', async () => {
    await raw.collection('users').dropIndex('email_1');
    await raw.collection('users').createIndex({ email: 1 });
    await expect(start()).rejects.toThrow(
      /^The index email_1 of users differs .*cli -- migrate.*dist\/cli\.js migrate/,
    );
  });

  it('ends with the same message if an index of the same keys has another name', async () => {
    await raw.collection('ads').dropIndex('reconcileAt_1');
    const partialFilterExpression = { reconcileAt: { $exists: true } };
    await raw.collection('ads').createIndex({ reconcileAt: 1 }, { name: 'open_orders', partialFilterExpression });
    await expect(start()).rejects.toThrow(/^The index reconcileAt_1 of ads differs .*cli -- migrate/);
  });
});

describe('the migration', () => {
  it('rebuilds indexes with other options, drops unknown ones, and then has nothing to do', async () => {
    await raw.collection('users').dropIndex('email_1');
    await raw.collection('users').createIndex({ email: 1 });
    await raw.collection('ads').createIndex({ goal: 1 });
    await raw.collection('places').insertOne({ seenAt: new Date() });
    const { indexes } = await migrateDatabase(database.uri, { retention: { ...defaultRetention, deliveryDays: 7 } });
    expect(indexes).toContainEqual({ collection: 'users', index: 'email_1', change: 'rebuilt' });
    expect(indexes).toContainEqual({ collection: 'ads', index: 'goal_1', change: 'dropped' });
    expect(indexes).toContainEqual({ collection: 'webhook_deliveries', index: 'terminalAt_1', change: 'changed' });
    expect(indexes).toHaveLength(5);
    expect(await indexNamed('users', 'email_1')).toMatchObject({ unique: true });
    expect(await migrateDatabase(database.uri, { retention: { ...defaultRetention, deliveryDays: 7 } })).toMatchObject({
      indexes: [],
    });
    await start({ retention: { ...defaultRetention, deliveryDays: 7 } });
  });
});
