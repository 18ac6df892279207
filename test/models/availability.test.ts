import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { connectDb, isConnectionError, type Db } from '../../src/models/db.ts';
import { createLog } from '../../src/telemetry/log.ts';
import { blockEventLoop } from '../support/block-event-loop.ts';
import { testDatabase, type TestDatabase } from '../support/db.ts';
import { openTcpProxy, type Line } from '../support/tcp-proxy.ts';

let database: TestDatabase;
let line: Line;
let db: Db;
let pings = 0;

beforeAll(async () => {
  database = await testDatabase();
  const uri = new URL(database.uri);
  line = await openTcpProxy(Number(uri.port || 27_017));
  uri.host = `127.0.0.1:${line.port}`;
  uri.searchParams.set('monitorCommands', 'true');
  // What is repeated would wait for the server.
  for (const name of ['retryReads', 'retryWrites']) uri.searchParams.set(name, 'false');
  db = await connectDb(uri.href, createLog('silent'));
  db.users.db.getClient().on('commandStarted', ({ commandName }) => (pings += commandName === 'ping' ? 1 : 0));
});
beforeEach(() => (pings = 0));
afterAll(async () => {
  await db.close();
  await database.stop();
});

const respond = (): Promise<unknown> => db.users.findOne({}).lean();

it('is not asked if it has responded since the request arrived', async () => {
  const since = performance.now();
  await respond();
  await db.requireAvailable({ since });
  await db.requireAvailable();
  expect(pings).toBe(0);
});

it('is asked if it has responded only before', async () => {
  await respond();
  await db.requireAvailable({ since: performance.now() });
  expect(pings).toBe(1);
});

it('counts as away if a connection failed since its last response', async () => {
  const since = performance.now();
  await respond();
  const failed = Promise.all(
    [respond(), db.users.bulkWrite([{ deleteOne: { filter: { _id: 'none' } } }])].map((sent) =>
      sent.then(() => false, isConnectionError),
    ),
  );
  await line.stop();
  expect(await failed).toEqual([true, true]);
  await expect(db.requireAvailable({ since })).rejects.toThrow('The database does not respond');
});

it('does not count as away because the event loop was busy while its response arrived', async () => {
  const direct = await connectDb(database.uri, createLog('silent'));
  const asked = direct.requireAvailable({ since: performance.now() });
  await new Promise(setImmediate);
  blockEventLoop(1_700);
  await expect(asked).resolves.toBeUndefined();
  await direct.close();
});

describe('a check without a response', () => {
  let own: Line;
  let silenced: Db;

  beforeEach(async () => {
    own = await openTcpProxy(Number(new URL(database.uri).port || 27_017));
    const uri = new URL(database.uri);
    uri.host = `127.0.0.1:${own.port}`;
    uri.searchParams.set('monitorCommands', 'true');
    silenced = await connectDb(uri.href, createLog('silent'));
    await silenced.ping();
    own.swallow();
  });
  afterEach(async () => {
    await own.stop();
    await silenced.close();
  });

  /** Begins a check on a connection that stays silent; connections that are opened afterwards work. */
  const beginCheck = async (): Promise<{ checked: Promise<unknown> }> => {
    const sent = new Promise((resolve) => silenced.users.db.getClient().once('commandStarted', resolve));
    const checked = silenced.requireAvailable({ since: performance.now() }).catch((error: unknown) => error);
    await sent;
    own.mend();
    return { checked };
  };
  const outcomeOf = (reading: Promise<unknown>): Promise<unknown> =>
    silenced.whileAvailable(reading).catch((error: unknown) => (error as Error).message);

  it('rejects the reads that began before it, and no later ones', async () => {
    const earlier = outcomeOf(new Promise(() => undefined));
    const { checked } = await beginCheck();
    let resolve: (read: string) => void = () => undefined;
    const later = outcomeOf(new Promise((given) => (resolve = given)));
    expect(await checked).toBeInstanceOf(Error);
    expect(await earlier).toContain('does not respond');
    await expect
      .poll(() =>
        silenced
          .requireAvailable()
          .then(() => 'back')
          .catch(String),
      )
      .toBe('back');
    resolve('read');
    expect(await later).toBe('read');
  });

  it('counts as responded to if anything else was, and rejects nothing', async () => {
    let resolve: (read: string) => void = () => undefined;
    const earlier = outcomeOf(new Promise((given) => (resolve = given)));
    const { checked } = await beginCheck();
    await silenced.users.findOne({}).lean();
    expect(await checked).toBeUndefined();
    resolve('read');
    expect(await earlier).toBe('read');
  });

  it('does not count as responded to by a response before the time that must be covered', async () => {
    const { checked } = await beginCheck();
    await silenced.users.findOne({}).lean();
    const pings: string[] = [];
    silenced.users.db.getClient().on('commandStarted', ({ commandName }) => pings.push(commandName));
    await silenced.requireAvailable({ since: performance.now() });
    await checked;
    expect(pings).toEqual(['ping']);
  });
});

it('rejects all reads that wait for it once it stops responding', async () => {
  const own = await openTcpProxy(Number(new URL(database.uri).port));
  const uri = new URL(database.uri);
  uri.host = `127.0.0.1:${own.port}`;
  const silenced = await connectDb(uri.href, createLog('silent'));
  const read = (): Promise<unknown> => silenced.whileAvailable(silenced.users.findOne({}).lean().exec());
  await read();
  own.swallow();
  const outcomes = await Promise.allSettled([read(), read(), silenced.whileAvailable(new Promise(() => undefined))]);
  expect(outcomes.map((outcome) => (outcome.status === 'rejected' ? String(outcome.reason.message) : 'read'))).toEqual(
    Array.from({ length: 3 }, () => expect.stringContaining('The database does not respond')),
  );
  await own.stop();
  await silenced.close();
});
