import mongoose, { type Model } from 'mongoose';
import { pino } from 'pino';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createEncrypter, type Encrypted } from '../../src/lib/encryption.ts';
import { connectDb, migrateDatabase, type Db } from '../../src/models/db.ts';
import { currentFormat } from '../../src/models/storage-format.ts';
import { accountFields } from '../../src/services/encryption/bindings.ts';
import { createLog } from '../../src/telemetry/log.ts';
import { testDatabase, type TestDatabase } from '../support/db.ts';
import { encryptionKeysOfFormat1, loadFormat1, rareDocumentsOfFormat1 } from '../support/format-1.ts';

type Stored = { _id: string } & Record<string, unknown>;

const log = createLog('silent');
const connect = (uri: string): Promise<Db> => connectDb(uri, log);
const modelsOf = (db: Db): Model<unknown>[] => Object.values(db).filter((part) => 'schema' in part) as Model<unknown>[];

let database: TestDatabase;
let raw: mongoose.Connection;
const formats = () => raw.collection<{ _id: string; version: number }>('storage_format');

const open = async (): Promise<void> => {
  database = await testDatabase();
  raw = await mongoose.createConnection(database.uri).asPromise();
};
const close = async (): Promise<void> => {
  await raw.close();
  await database.stop();
};

describe('an empty database', () => {
  beforeEach(open);
  afterEach(close);

  it('records the current format when a process connects, and is named in the log of the first', async () => {
    const lines: string[] = [];
    const logged = pino({}, { write: (line) => lines.push(line) });
    await (await connectDb(database.uri, logged)).close();
    expect(await formats().findOne({})).toEqual({ _id: 'database', version: currentFormat });
    await (await connectDb(database.uri, logged)).close();
    const named = { msg: 'the database is empty', database: raw.db?.databaseName };
    expect(lines.map((line) => JSON.parse(line) as object)).toEqual([expect.objectContaining(named)]);
  });

  it('rejects a process of an earlier release once a newer one has migrated it', async () => {
    await formats().insertOne({ _id: 'database', version: currentFormat + 1 });
    const message = new RegExp(
      `storage format ${currentFormat + 1}, which a newer release wrote; .* up to ${currentFormat}`,
    );
    await expect(connect(database.uri)).rejects.toThrow(message);
    await expect(migrateDatabase(database.uri)).rejects.toThrow(message);
  });
});

describe('a database of format 1', () => {
  let stored: number;
  beforeAll(async () => {
    await open();
    await loadFormat1(database.uri);
    stored = await raw.collection('ads').countDocuments();
  });
  afterAll(close);

  it('is rejected with the command that migrates it, and stays as it is', async () => {
    const before = await raw.collection('ads').findOne({}, { sort: { _id: 1 } });
    await expect(connect(database.uri)).rejects.toThrow(
      /storage format 1; this release needs \d.*Stop every process.*back up.*cli -- migrate/s,
    );
    expect(await raw.collection('ads').findOne({}, { sort: { _id: 1 } })).toEqual(before);
    expect(await formats().countDocuments()).toBe(0);
  });

  it('is migrated, also after an interruption, and a second migration changes nothing', async () => {
    const one = await raw.collection('ads').findOne({ batchId: { $exists: true } });
    await raw.collection('ads').updateOne({ _id: one?._id }, { $rename: { batchId: 'orderId' } });
    expect(await migrateDatabase(database.uri)).toMatchObject({ from: 1, to: currentFormat });
    expect(await migrateDatabase(database.uri)).toEqual({
      from: currentFormat,
      to: currentFormat,
      documents: 0,
      indexes: [],
    });
  });

  it('moves values that few documents have', async () => {
    await formats().updateOne({ _id: 'database' }, { $set: { version: 1 } });
    for (const [name, document] of Object.entries(await rareDocumentsOfFormat1()))
      await raw.collection<Stored>(name).insertOne(document);
    expect(await migrateDatabase(database.uri)).toMatchObject({ from: 1, documents: 4 });
    const id = 'a'.repeat(24);
    const ads = raw.collection<Stored>('ads');
    const webhooks = raw.collection<Stored>('webhooks');
    const deadLetterEvents = [{ eventId: 'e1' }];
    const order = { isActivated: true, input: { name: 'A' } };
    expect(await ads.findOne({ _id: id })).toEqual({ _id: id, orderId: id, isPaused: true, order, deadLetterEvents });
    const previousSecrets = [{ id: 's1', encrypted: 'x', until: '2026-12-01T00:00:00.000Z' }];
    expect(await webhooks.findOne({ _id: id })).toEqual({ _id: id, slot: 9, previousSecrets, deadLetterEvents });
    const duplications = raw.collection<Stored>('duplications');
    const deliveries = raw.collection<Stored>('webhook_deliveries');
    const tree = { campaign: { id: 'c1', isOnHold: true }, adSets: [] };
    expect(await duplications.findOne({ _id: id })).toMatchObject({ tree, attempts: 2 });
    expect(await deliveries.findOne({ _id: id })).toEqual({ _id: id, replay: 1, failure: { count: 2, message: 'x' } });
    await Promise.all([ads, webhooks, duplications, deliveries].map((found) => found.deleteOne({ _id: id })));
  });

  it('has only fields and indexes of this release afterwards', async () => {
    const db = await connect(database.uri);
    const problems: string[] = [];
    for (const model of modelsOf(db)) {
      const known = new Set([...Object.keys(model.schema.paths).map((path) => path.split('.')[0]), 'deadLetterEvents']);
      for (const document of await model.collection.find({}).toArray())
        for (const field of Object.keys(document))
          if (!known.has(field)) problems.push(`${model.collection.name}.${field}`);
      const missing = model.schema.requiredPaths(true).filter((path) => !path.includes('.'));
      for (const path of missing)
        if (await model.collection.findOne({ [path]: { $exists: false } }))
          problems.push(`${model.collection.name} without ${path}`);
      await model.createCollection();
      const declared = model.schema.indexes().map(([key]) => JSON.stringify(key));
      for (const { key } of await model.collection.indexes())
        if (!('_id' in key && Object.keys(key).length === 1) && !declared.includes(JSON.stringify(key)))
          problems.push(`${model.collection.name} index ${JSON.stringify(key)}`);
    }
    await db.close();
    expect([...new Set(problems)]).toEqual([]);
  });

  it('keeps every ad, and tokens that can be decrypted', async () => {
    const db = await connect(database.uri);
    expect(stored).toBeGreaterThan(8);
    expect(await db.ads.countDocuments()).toBe(stored);
    expect(await db.ads.countDocuments({ orderId: { $type: 'string' } })).toBe(stored);
    const encrypter = createEncrypter([await encryptionKeysOfFormat1()]);
    const accounts = await db.accounts.find({ encryptedToken: { $ne: null } }).lean();
    expect(accounts.length).toBeGreaterThan(7);
    for (const { _id, encryptedToken } of accounts)
      expect(encrypter.decrypt(encryptedToken as Encrypted, accountFields.encryptedToken(_id))).toMatch(/./);
    await db.close();
  });
});
