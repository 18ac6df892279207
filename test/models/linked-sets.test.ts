import { afterEach, beforeEach, expect, it } from 'vitest';
import { LinkedSet } from '../../src/lib/linked-set.ts';
import { newId } from '../../src/lib/id.ts';
import { findOne } from '../../src/models/driver.ts';
import { connectDb, type Db } from '../../src/models/db.ts';
import { createLog } from '../../src/telemetry/log.ts';
import { testDatabase, type TestDatabase } from '../support/db.ts';

let database: TestDatabase;
let db: Db;

beforeEach(async () => {
  database = await testDatabase();
  db = await connectDb(database.uri, createLog('silent'));
});
afterEach(async () => {
  await db.close();
  await database.stop();
});

const client = () => db.users.db.getClient();
/** What the driver has running: undefined if a later version keeps it elsewhere. */
const running = (): Record<'activeSessions' | 'activeCursors', LinkedSet<object>> =>
  (client() as unknown as { s: Record<'activeSessions' | 'activeCursors', LinkedSet<object>> }).s;

it('keeps the sessions and cursors of the driver, and none that has ended', async () => {
  const { activeSessions, activeCursors } = running();
  expect([activeSessions, activeCursors].map((set) => set instanceof LinkedSet)).toEqual([true, true]);
  const read = findOne(db.users, { _id: newId() });
  expect([activeSessions.size, activeCursors.size]).toEqual([1, 1]);
  await read;
  await Promise.all(Array.from({ length: 50 }, () => findOne(db.users, { _id: newId() })));
  expect([activeSessions.size, activeCursors.size]).toEqual([0, 0]);
});

it('ends those that run when the connection closes', async () => {
  const session = client().startSession();
  const cursor = db.users.collection.find({}, { session });
  await cursor.hasNext();
  await db.close();
  expect([session.hasEnded, running().activeSessions.size, running().activeCursors.size]).toEqual([true, 0, 0]);
});
