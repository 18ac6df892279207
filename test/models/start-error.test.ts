import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { systemClock } from '../../src/lib/clock.ts';
import { createEncrypter } from '../../src/lib/encryption.ts';
import { connectDb } from '../../src/models/db.ts';
import { registerProcess } from '../../src/services/process-registry.ts';
import type { Doc } from '../../src/dev/mongo-server/values.ts';
import { createLog } from '../../src/telemetry/log.ts';
import { testDatabase, type TestDatabase } from '../support/db.ts';
import { openMongoProxy, type MongoProxyOptions } from '../support/mongo-proxy.ts';
import { testRedis } from '../support/redis.ts';

const log = createLog('silent');
const encrypter = createEncrypter([`k1:${randomBytes(32).toString('base64')}`]);
let database: TestDatabase;

beforeAll(async () => {
  database = await testDatabase();
});
afterAll(() => database.stop());

/** What a process does with MongoDB before it listens. */
async function start(uri: string): Promise<void> {
  const db = await connectDb(uri, log);
  try {
    const unregister = await registerProcess({ db, encrypter, clock: systemClock, log });
    await unregister();
  } finally {
    await db.close();
  }
}

async function startBehind(options: MongoProxyOptions): Promise<string> {
  const own = await testDatabase();
  const proxy = await openMongoProxy(own.uri, options);
  const outcome = await start(proxy.uri).then(
    () => 'started',
    (error: Error) => error.message,
  );
  await proxy.stop();
  await own.stop();
  return outcome;
}

const refused = (names: string[], code: number, errmsg: string): MongoProxyOptions => ({
  reply: (command) => (names.some((name) => name in command) ? { ok: 0, code, errmsg } : undefined),
});

const isGreeting = (command: Doc): boolean => 'hello' in command || 'ismaster' in command;

describe('a startup error', () => {
  it.each([
    ['an address without a host', 'mongodb://', /failed while connecting: .*It must look like mongodb:/],
    [
      'a password that is not encoded',
      'mongodb://user:p@ss@host/social',
      /: Invalid connection string\. It must look like/,
    ],
    [
      'an option that does not exist',
      'mongodb://127.0.0.1/social?x=1',
      /: option x is not supported\. It must look like/,
    ],
    [
      'a name without an SRV record',
      'mongodb+srv://nowhere.invalid/social',
      /connecting: query.*Check that MongoDB runs/,
    ],
  ])('names the setting for %s', async (_what, uri, message) => {
    const text = await start(uri).then(
      () => 'started',
      (error: Error) => error.message,
    );
    expect(text).toMatch(/^MongoDB \(MONGODB_URI\) failed while connecting/);
    expect(text).toMatch(message);
    expect(text).not.toContain('p@ss');
  });

  it.each([0, 100, 1_500, 3_000, 4_500, 6_000, 7_500])(
    'names the store, what was tried and a remedy if the connection closes after %i bytes',
    async (cutAfter) => {
      expect(await startBehind({ cutAfter })).toMatch(
        /^MongoDB \(MONGODB_URI\) (is unreachable|failed while [a-z ]+): .*\. Check that MongoDB runs at this address/,
      );
    },
  );

  it('names them also after repetitions', async () => {
    expect(await startBehind({ cutAfter: 4_500, serverSelectionTimeoutMS: 1_500 })).toMatch(
      /^MongoDB \(MONGODB_URI\) (is unreachable|failed while [a-z ]+): .*\. Check that MongoDB runs at this address/,
    );
  });

  it.each<[string, MongoProxyOptions, RegExp]>([
    [
      'a user without rights',
      refused(['find'], 13, 'not authorized on x'),
      /reading the storage format: not authorized on x\. Give its user/,
    ],
    [
      'a user who may not create indexes',
      refused(['createIndexes'], 13, 'not authorized'),
      /creating indexes: .*Give its user/,
    ],
    [
      'a member that accepts no writes',
      refused(['update'], 10_107, 'not primary'),
      /reading the storage format: not primary\. It accepts no writes/,
    ],
    [
      'a full disk',
      refused(['findAndModify'], 14_031, 'no space'),
      /checking the encryption keys: no space\. The log of MongoDB/,
    ],
    [
      'keys that cannot be registered',
      {
        reply: (command) =>
          command['update'] === 'encryption_key_holders' ? { ok: 0, code: 8, errmsg: 'broken' } : undefined,
      },
      /registering the process: broken\. The log/,
    ],
    [
      'an old version',
      {
        reply: ({ hello, ismaster, isMaster }) =>
          hello || ismaster || isMaster
            ? {
                ok: 1,
                ismaster: true,
                isWritablePrimary: true,
                helloOk: true,
                minWireVersion: 0,
                maxWireVersion: 5,
                maxBsonObjectSize: 1e7,
                maxMessageSizeBytes: 4e7,
                maxWriteBatchSize: 1000,
              }
            : undefined,
      },
      /wire version 5, .*Use MongoDB 6 or later\.$/,
    ],
  ])('says what to do about %s', async (_, options, expected) => {
    const message = await startBehind(options);
    expect(message).toMatch(/^MongoDB \(MONGODB_URI\) /);
    expect(message).toMatch(expected);
  });

  it('names a wrong password', async () => {
    const proxy = await openMongoProxy(database.uri, refused(['saslStart'], 18, 'Authentication failed.'));
    const uri = proxy.uri.replace('mongodb://', 'mongodb://someone:wrong@');
    await expect(start(uri)).rejects.toThrow(
      /^MongoDB \(MONGODB_URI\) failed while connecting: Authentication failed\. Check the user, the password and authSource\.$/,
    );
    await proxy.stop();
  });

  it.each<[string, (command: Doc) => boolean]>([
    ['the first connection of the pool opens', isGreeting],
    ['it reads the storage format', ({ find }) => find === 'storage_format'],
    ['it writes it', ({ update }) => update === 'storage_format'],
    ['it lists the indexes', (command) => 'listCollections' in command],
    ['it creates indexes', ({ createIndexes }) => createIndexes === 'webhooks'],
    ['it reads the keys', ({ find }) => find === 'encryption_keys'],
    ['it writes its key', ({ findAndModify }) => findAndModify === 'encryption_keys'],
    ['it writes the process', ({ update }) => update === 'encryption_key_holders'],
    ['it counts other processes', ({ aggregate }) => aggregate === 'encryption_key_holders'],
  ])('is none if the database restarts before or after %s', async (_, isAt) => {
    for (const when of ['restart before', 'restart after'] as const) {
      // The first greeting is that of the monitor, the second that of the pool.
      let left = isAt({ hello: 1 }) ? 2 : 1;
      const reply: MongoProxyOptions['reply'] = (command) =>
        isAt(command) && left > 0 && (left -= 1) === 0 ? when : undefined;
      expect([when, await startBehind({ reply, serverSelectionTimeoutMS: 120_000 })]).toEqual([when, 'started']);
      expect(left).toBe(0);
    }
  });

  it('is none if the database restarts while the process waits for Redis', async () => {
    const proxy = await openMongoProxy(database.uri, { serverSelectionTimeoutMS: 120_000 });
    const db = await connectDb(proxy.uri, log);
    const closed = once(db.users.db.getClient(), 'connectionClosed');
    const restarted = proxy.restart();
    await closed;
    const unregister = await registerProcess({ db, encrypter, clock: systemClock, log });
    await unregister();
    await restarted;
    await db.close();
    await proxy.stop();
  });

  it('names TLS to a server without it, and a server that is no MongoDB', async () => {
    const proxy = await openMongoProxy(database.uri, {});
    const redis = await testRedis();
    const remedy =
      /^MongoDB \(MONGODB_URI\) .*\. Check that MongoDB runs at this address, that tls is set as it expects/;
    await expect(start(`${proxy.uri}&tls=true`)).rejects.toThrow(remedy);
    await expect(start(`mongodb://127.0.0.1:${redis.port}/x?serverSelectionTimeoutMS=400`)).rejects.toThrow(remedy);
    await proxy.stop();
    await redis.stop();
  });
});
