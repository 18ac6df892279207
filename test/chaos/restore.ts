import { randomBytes } from 'node:crypto';
import { cp, lstat, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import mongoose from 'mongoose';
import { startApp } from '../../src/app.ts';
import { readConfig } from '../../src/config/config.ts';
import { sandboxSettings } from '../../src/dev/sandbox/settings.ts';
import { startSandbox } from '../../src/dev/sandbox/index.ts';
import { createLog } from '../../src/telemetry/log.ts';
import { fixtureOf, goodAdOf, namesAt, subjects, type Subject } from '../conformance/platforms.ts';
import { imageCli } from '../dev/support.ts';
import { apisOf, type TestApp } from '../support/app.ts';
import { startProcess, type ServiceProcess } from '../support/process.ts';
import { testRedis } from '../support/redis.ts';
import type { UserFixture } from '../support/user-fixture.ts';
import { startRestartableStore, temporaryFolder } from './support/processes.ts';

export interface RestoreReport {
  /** Distinct Idempotency-Keys that were used. */
  keys: number;
  /** Those first used after the copy was made, of which the restored database knows nothing. */
  forgotten: number;
  /** Orders that the copy contained as unfinished: their keys get 409. */
  closed: number;
  /** Orders that exist twice or not at all, with what exists. */
  wrong: string[];
}

interface Order {
  subject: Subject;
  fixture: UserFixture;
  body: Record<string, unknown>;
  key: string;
}

/** The folder contains the socket of the store, too. */
const isFile = async (path: string): Promise<boolean> => !(await lstat(path)).isSocket();

/** Requests that were sent before the restore have arrived by then. */
const inFlightMs = 61_000;

/**
 * Copies the database amid orders, goes on, kills everything and restores the copy; then the callers repeat all their orders
 * under the same keys.
 */
export async function runRestore({ ordersPerPlatform = 4 } = {}): Promise<RestoreReport> {
  const folder = await temporaryFolder();
  const [data, copy] = [join(folder, 'store'), join(folder, 'copy')];
  const [store, redis, sandbox] = await Promise.all([startRestartableStore(data), testRedis(), startSandbox()]);
  const env = {
    MONGODB_URI: store.uri,
    REDIS_URL: redis.url,
    REDIS_PREFIX: `r${randomBytes(6).toString('hex')}`,
    ENCRYPTION_KEYS: `restore:${randomBytes(32).toString('base64')}`,
    ...sandboxSettings(sandbox.url),
    LOG_LEVEL: 'error',
    PLATFORM_D_SUSPENSION_SECONDS: '0',
    RATE_LIMIT_SMALL: '100000',
    RATE_LIMIT_MEDIUM: '100000',
  };
  const startAll = (): Promise<ServiceProcess[]> =>
    Promise.all(['api', 'worker'].map((ROLE) => startProcess({ ...env, ROLE })));
  const orders = await placeable({ env, sandbox }, ordersPerPlatform);
  const [early, late] = [orders.filter((_, at) => at % 2 === 0), orders.filter((_, at) => at % 2 === 1)];
  let processes = await startAll();
  const killAll = (): Promise<unknown> => Promise.all(processes.map((process) => process.end('SIGKILL')));
  const sendAll = (some: Order[]) => Promise.all(some.map((order) => send(processes[0] as ServiceProcess, order)));
  try {
    // The copy is made while the first orders are under way, and the processes die amid the last ones.
    const sent = early.map((order) => send(processes[0] as ServiceProcess, order));
    await Promise.race(sent);
    await cp(data, copy, { recursive: true, filter: isFile });
    await Promise.all(sent);
    const last = sendAll(late);
    await Promise.race([last, new Promise((resolve) => setTimeout(resolve, 700))]);
    await killAll();
    await last;
    await store.restart(0, async () => {
      await rm(data, { recursive: true });
      await cp(copy, data, { recursive: true });
    });
    const closing = await imageCli(['orders', 'close-restored', '--json'], env);
    if (closing.code !== 0) throw new Error(closing.stderr);
    const keysKnown = await atDatabase(store.uri);
    processes = await startAll();
    const statuses = await sendAll(orders);
    const wrong = await Promise.all(orders.map((order, at) => faultOf(sandbox, order, statuses[at] ?? 0)));
    return {
      keys: orders.length,
      forgotten: orders.length - keysKnown,
      closed: Number((JSON.parse(closing.stdout) as { ads: number }).ads),
      wrong: wrong.flatMap((one) => one ?? []),
    };
  } finally {
    await killAll();
    await Promise.all([store.stop(), redis.stop(), sandbox.stop()]);
    await rm(folder, { recursive: true, force: true });
  }
}

/** Moves the recorded restore into the past instead of waiting, and counts the keys that the copy contains. */
async function atDatabase(uri: string): Promise<number> {
  const client = await mongoose.mongo.MongoClient.connect(uri);
  try {
    const restoredAt = new Date(Date.now() - inFlightMs);
    await client.db().collection('storage_format').updateOne({}, { $set: { restoredAt } });
    return await client.db().collection('idempotency_keys').countDocuments();
  } finally {
    await client.close();
  }
}

type Stage = Pick<TestApp, 'sandbox' | 'env'>;

/** Orders of one user on each platform, made through a process that ends before anything is sent. */
async function placeable({ env, sandbox }: Stage, perPlatform: number): Promise<Order[]> {
  const app = await startApp(readConfig({ ...env, ROLE: 'api', PORT: '0' }), createLog('silent'));
  const at = { app, env, sandbox, url: '', ...apisOf(''), stop: () => app.stop() } satisfies TestApp;
  try {
    const fixtures = await Promise.all(subjects.map((subject) => fixtureOf(at, subject)));
    return Array.from({ length: perPlatform }, (_, number) =>
      subjects.map((subject, index): Order => {
        const fixture = fixtures[index] as UserFixture;
        return { subject, fixture, body: goodAdOf(at, subject, fixture), key: `restore-${subject.platform}${number}` };
      }),
    ).flat();
  } finally {
    await app.stop();
  }
}

/** Repeats while the service asks for it; 0 if the process died. */
async function send({ call }: ServiceProcess, { fixture, body, key }: Order): Promise<number> {
  for (let attempt = 0; attempt < 5; attempt += 1) {
    const headers = { 'Idempotency-Key': key };
    const status = await call('POST', '/v1/ads/create', { key: fixture.key, body, headers }).then(
      (answer) => answer.status,
      () => 0,
    );
    if (status < 429) return status;
    await new Promise((resolve) => setTimeout(resolve, 500));
  }
  return 500;
}

/** A closed order was executed before the restore; all others are created or taken over. */
async function faultOf(sandbox: TestApp['sandbox'], order: Order, status: number): Promise<string | undefined> {
  const { subject, body, key } = order;
  const at = { sandbox } as TestApp;
  const named = async (kind: string): Promise<number> =>
    (await namesAt(at, subject, kind)).filter((name) => name.startsWith(`${String(body['name'])} `)).length;
  const [campaigns, adSets] = await Promise.all([named(subject.kinds.campaign), named(subject.kinds.adSet)]);
  const isRight = campaigns === 1 && adSets === 1 && (status === 201 || status === 409);
  return isRight ? undefined : `${key}: answered ${status}, ${campaigns} campaigns, ${adSets} ad sets`;
}

/** `npm run chaos -- restore --orders 50` */
if (process.argv[1]?.endsWith('chaos/restore.ts')) {
  const { values } = parseArgs({ options: { orders: { type: 'string', default: '20' } }, strict: false });
  const report = await runRestore({ ordersPerPlatform: Number(values.orders) });
  process.stdout.write(`${JSON.stringify(report, undefined, 2)}\n`);
  process.exit(report.wrong.length === 0 ? 0 : 1);
}
