import { afterAll, beforeAll, expect, it } from 'vitest';
import { newOutboxEvent } from '../../src/services/durable/outbox.ts';
import { startTestApp, type TestApp } from '../support/app.ts';
import { monitored, testDatabase, type TestDatabase } from '../support/db.ts';
import { ownRedis, type TestRedis } from '../support/redis.ts';
import { openTcpProxy, type Line } from '../support/tcp-proxy.ts';
import { createUserFixture } from '../support/user-fixture.ts';
import { startReceiver } from './receiver.ts';

type Stage = Record<string, any>;

interface Command {
  requestId: number;
  commandName: string;
  command: Record<string, object | undefined> & { pipeline?: Stage[] };
}

/** The kinds of work of a poll that are found by outbox events: each branch is `$match`, `$limit` and `$project`. */
function outboxKindsOf(pipeline: Stage[]): number[] {
  const branches = [pipeline.slice(0, 3), ...pipeline.slice(3).map((stage) => stage['$unionWith']?.pipeline ?? [])];
  return branches.flatMap(([match, , project]: Stage[]) =>
    'pendingEvents.0.at' in (match?.['$match'] ?? {}) ? [Number(project?.['$project']?.kind?.$literal)] : [],
  );
}

let app: TestApp;
let database: TestDatabase;
let redis: TestRedis;
let line: Line;
let commands = 0;
let outboxReads = 0;
/** Polls that found an outbox event: each makes the relay read once more. */
let pollsWithEvent = 0;
const polls = new Map<number, number[]>();
/** The commands that workers also send while there is nothing to do. */
const idle = new Set<string>();
let isIdle = false;

beforeAll(async () => {
  [database, redis] = await Promise.all([testDatabase(), ownRedis()]);
  line = await openTcpProxy(redis.port);
  const MONGODB_URI = monitored(database.uri);
  app = await startTestApp({ MONGODB_URI, REDIS_URL: `redis://127.0.0.1:${line.port}` });
  const client = app.app.services.db.users.db.getClient();
  client.on('commandStarted', ({ requestId, commandName, command }: Command) => {
    const name = `${commandName} ${String(command[commandName])} ${Object.keys(command['filter'] ?? {}).join()}`;
    if (JSON.stringify(command['pipeline'] ?? '').includes('"$sort":{"pendingEvents.0.at"')) outboxReads += 1;
    else if (command.pipeline) polls.set(requestId, outboxKindsOf(command.pipeline));
    if (isIdle) idle.add(name);
    else if (!idle.has(name)) commands += 1;
  });
  client.on('commandSucceeded', ({ requestId, reply }: { requestId: number; reply: Stage }) => {
    const found: Stage[] = reply['cursor']?.firstBatch ?? [];
    const kinds = polls.get(requestId) ?? [];
    polls.delete(requestId);
    if (found.some(({ kind }) => kinds.includes(kind))) pollsWithEvent += 1;
  });
});
afterAll(async () => {
  await app.stop();
  await Promise.all([line.stop(), redis.stop(), database.stop()]);
});

it('a burst of 500 deliveries to ten endpoints takes half a command of the database and one round trip to Redis each', async () => {
  const { services } = app.app;
  const [user, receivers] = await Promise.all([
    createUserFixture(app),
    Promise.all(Array.from({ length: 10 }, () => startReceiver())),
  ]);
  const outbox = { userId: user.userId, 'pendingEvents.0': { $exists: true } };
  await expect.poll(() => services.db.apiKeys.countDocuments(outbox)).toBe(0);
  for (const [at, { url }] of receivers.entries()) {
    const body = { name: `W${at}`, url, events: ['api_key.created'], secret: 'a secret of many letters' };
    expect((await app.call('POST', '/v1/webhooks/settings', { key: user.key, body })).status).toBe(200);
  }
  isIdle = true;
  await new Promise((resolve) => setTimeout(resolve, 3_000));
  isIdle = false;
  const events = Array.from({ length: 50 }, (_, at) => newOutboxEvent('api_key.created', { at }, new Date()));
  const before = { database: commands, redis: line.writes() };
  await services.db.apiKeys.updateOne({ _id: user.keyId }, { $push: { pendingEvents: { $each: events } } });
  services.wakeRelay();
  const open = { webhookId: { $exists: true }, state: { $ne: 'delivered' as const } };
  await Promise.all(receivers.map((receiver) => receiver.has(50)));
  const counted = { database: commands - before.database, redis: line.writes() - before.redis };
  await expect.poll(() => services.db.webhookDeliveries.countDocuments(open)).toBe(0);
  expect(receivers.map(({ got }) => got.length)).toEqual(Array<number>(10).fill(50));
  expect(counted.database / 500).toBeLessThanOrEqual(0.5);
  expect(counted.redis / 500).toBeLessThanOrEqual(1);
  process.stdout.write(`round trips of 500 deliveries: ${JSON.stringify(counted)}\n`);
  await Promise.all(receivers.map((receiver) => receiver.stop()));
});

it('an event is relayed with one read of the outbox by the process that emits it', async () => {
  const { services } = app.app;
  const { keyId, userId } = await createUserFixture(app);
  const outbox = { userId, 'pendingEvents.0': { $exists: true } };
  const relayed = () => expect.poll(() => services.db.apiKeys.countDocuments(outbox), { interval: 5 }).toBe(0);
  await relayed();
  // The relay may read once more for events of the fixture.
  await new Promise((resolve) => setTimeout(resolve, 500));
  [outboxReads, pollsWithEvent] = [0, 0];
  for (let at = 0; at < 20; at += 1) {
    const pendingEvents = newOutboxEvent('api_key.created', { at }, new Date());
    await services.db.apiKeys.updateOne({ _id: keyId }, { $push: { pendingEvents } });
    services.wakeRelay();
    await relayed();
  }
  // A relay that the message wakes reads by then.
  await new Promise((resolve) => setTimeout(resolve, 500));
  expect(outboxReads).toBeGreaterThanOrEqual(20);
  expect(outboxReads).toBeLessThanOrEqual(20 + pollsWithEvent);
});
