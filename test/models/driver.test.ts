import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { connectDb, type Db } from '../../src/models/db.ts';
import { findOne, findOneAndUpdate } from '../../src/models/driver.ts';
import { newId } from '../../src/lib/id.ts';
import { createLog } from '../../src/telemetry/log.ts';
import { monitored, testDatabase, type TestDatabase } from '../support/db.ts';

let database: TestDatabase;
let db: Db;
const timeLimits: unknown[] = [];

beforeAll(async () => {
  database = await testDatabase();
  db = await connectDb(monitored(database.uri), createLog('silent'));
  db.users.db.getClient().on('commandStarted', ({ commandName, command }) => {
    if (['find', 'findAndModify'].includes(commandName)) timeLimits.push(command['maxTimeMS']);
  });
});
afterAll(async () => {
  await db.close();
  await database.stop();
});

const profile = async () =>
  (await db.profiles.create({ userId: newId(), name: 'A', color: 'red', slot: 1 })).toObject();

it('reads a document as Mongoose does, within the time limit of the connection', async () => {
  const { _id, userId } = await profile();
  timeLimits.length = 0;
  expect(await findOne(db.profiles, { _id, userId })).toEqual(await db.profiles.findOne({ _id, userId }).lean());
  expect(await findOne(db.profiles, { _id, userId: newId() })).toBeNull();
  expect(timeLimits).toEqual([10_000, 10_000, 10_000]);
});

it('leaves out the outbox, which can be large while no relay runs', async () => {
  const { _id } = await profile();
  const at = new Date();
  const $push = { pendingEvents: { eventId: newId(), type: 'x', at, data: {} } };
  expect(await findOneAndUpdate(db.profiles, { _id }, { at, $push })).not.toHaveProperty('pendingEvents');
  expect(await findOne(db.profiles, { _id })).not.toHaveProperty('pendingEvents');
});

it('rejects a filter with a member without a value, which would match documents of others', async () => {
  const { _id } = await profile();
  await expect(findOne(db.profiles, { _id, deletedAt: undefined })).rejects.toThrow('no value for deletedAt');
});

describe('a change', () => {
  const at = new Date('2027-01-31T09:00:00Z');

  it('returns the document afterwards, within the time limit of the connection', async () => {
    const { _id } = await profile();
    const entry = { eventId: newId(), type: 'x', at, data: { id: _id, name: undefined } };
    timeLimits.length = 0;
    const changed = await findOneAndUpdate(
      db.profiles,
      { _id },
      { at, $set: { color: null }, $push: { pendingEvents: entry } },
    );
    expect(timeLimits).toEqual([10_000]);
    expect(changed).toMatchObject({ _id, name: 'A', color: null, updatedAt: at });
    const stored = await db.profiles.findOne({ _id }).lean();
    expect(stored).toEqual({ ...changed, pendingEvents: [{ ...entry, data: { id: _id } }] });
  });

  it('leaves members that are undefined as they are', async () => {
    const { _id } = await profile();
    expect(await findOneAndUpdate(db.profiles, { _id }, { at, $set: { color: undefined, name: 'B' } })).toMatchObject({
      color: 'red',
      name: 'B',
    });
  });

  it('sets `updatedAt` only in models that have it', async () => {
    const _id = newId();
    await db.pageSessions.create({ _id, apiKeyId: newId(), encryptionKeyId: 'a', expiresAt: at });
    const changed = await findOneAndUpdate(db.pageSessions, { _id }, { at, $set: { expiresAt: new Date() } });
    expect(changed).toEqual(await db.pageSessions.findOne({ _id }).lean());
    expect(changed).not.toHaveProperty('updatedAt');
  });

  it('returns null if no document matches', async () => {
    const { _id } = await profile();
    expect(await findOneAndUpdate(db.profiles, { _id, userId: newId() }, { at, $set: { name: 'B' } })).toBeNull();
  });

  it('is rejected if its filter has a member without a value, which would match documents of others', async () => {
    const { _id } = await profile();
    const change = findOneAndUpdate(db.profiles, { _id, userId: undefined }, { at, $set: { name: 'B' } });
    await expect(change).rejects.toThrow('The filter has no value for userId');
    expect((await db.profiles.findOne({ _id }).lean())?.name).toBe('A');
  });
});
