import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { cpus, loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import type { PendingEvent } from '../../../src/models/pending-event.ts';
import { newOutboxEvent } from '../../../src/services/durable/outbox.ts';
import { startTestApp, type TestApp } from '../../support/app.ts';
import { compile } from '../../support/compiled.ts';
import { startProcess, type ServiceProcess } from '../../support/process.ts';
import { ownRedis, type TestRedis } from '../../support/redis.ts';
import { createUserFixture, type UserFixture } from '../../support/user-fixture.ts';
import { startReceiver, type Receiver } from '../../webhooks/receiver.ts';
import { startStoreProcess } from './load.ts';

export const secret = 'a secret of many letters';
export const kilobyte = 'x'.repeat(900);
export const wait = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

export interface Bench {
  app: TestApp;
  env: Record<string, string>;
  redis: TestRedis;
  storePid: number;
  startWorker: (extra?: Record<string, string>) => Promise<ServiceProcess>;
  stop: () => Promise<void>;
}

/**
 * An API in this process, store and Redis in processes of their own, workers as they are asked for. Compiled as the image is:
 * tsx would add to the time of every function.
 */
export async function startBench(extra: Record<string, string> = {}): Promise<Bench> {
  const [compiled, dataDir] = await Promise.all([compile(), mkdtemp(join(tmpdir(), 'bench-'))]);
  const [store, redis] = await Promise.all([startStoreProcess(dataDir), ownRedis()]);
  process.env['MONGODB_URI'] = store.uri;
  const app = await startTestApp({ ROLE: 'api', REDIS_URL: redis.url, ...extra });
  const env = { SWEEP_INTERVAL_SECONDS: '5', WEBHOOK_TIMEOUT_SECONDS: '15', ...app.env, ROLE: 'worker' };
  const workers: ServiceProcess[] = [];
  const bench: Bench = {
    app,
    env,
    redis,
    storePid: store.pid,
    startWorker: async (more = {}) => {
      const worker = await startProcess({ ...env, ...more });
      workers.push(worker);
      return worker;
    },
    stop: async () => {
      await Promise.all(workers.map((worker) => worker.end('SIGKILL')));
      await app.stop();
      await Promise.all([store.stop(), bench.redis.stop(), redis.stop()]);
      compiled.remove();
      await rm(dataDir, { recursive: true, force: true });
    },
  };
  return bench;
}

export interface Endpoint {
  user: UserFixture;
  receiver: Receiver;
  webhookId: string;
}

/** Endpoints of one user, ten at most. */
export async function openEndpoints({ app }: Bench, count: number, extra: object = {}): Promise<Endpoint[]> {
  const user = await createUserFixture(app);
  // The event of the user's own first key would be one more than was published.
  await app.app.services.db.apiKeys.updateOne({ _id: user.keyId }, { $set: { pendingEvents: [] } });
  const endpoints: Endpoint[] = [];
  for (let at = 0; at < count; at++) {
    const receiver = await startReceiver();
    const body = { name: `W${at}`, url: receiver.url, events: ['api_key.created'], secret, ...extra };
    const made = await app.call('POST', '/v1/webhooks/settings', { key: user.key, body });
    if (made.status !== 200) throw new Error(`a webhook was refused: ${JSON.stringify(made.body)}`);
    endpoints.push({ user, receiver, webhookId: made.body.webhook._id });
  }
  return endpoints;
}

/** Publishes events the way every service does: in a document, for the relay to find. */
export async function publish({ app }: Bench, { userId, keyId }: UserFixture, count = 1): Promise<void> {
  const at = new Date();
  const one = (): PendingEvent =>
    newOutboxEvent('api_key.created', { measured: { note: kilobyte, committedAt: Date.now() } }, at);
  const events = Array.from({ length: count }, one);
  await app.app.services.db.apiKeys.updateOne({ _id: keyId, userId }, { $push: { pendingEvents: { $each: events } } });
  app.app.services.wakeRelay();
}

export const percentile = (values: number[], share: number): number =>
  values.toSorted((a, b) => a - b)[Math.min(values.length - 1, Math.floor(values.length * share))] ?? 0;

/** Waits until something is so; false when it took too long. */
export async function until(isSo: () => boolean | Promise<boolean>, limitMs = 120_000): Promise<boolean> {
  const end = Date.now() + limitMs;
  while (!(await isSo())) {
    if (Date.now() > end) return false;
    await wait(25);
  }
  return true;
}

/** Memory that a process holds, in MB; Linux only. */
export async function rssOf({ process }: ServiceProcess): Promise<number> {
  const status = await readFile(`/proc/${process.pid}/status`, 'utf8').catch(() => '');
  return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1] ?? 0) / 1024;
}

/** Processor time that a process has used, in milliseconds; Linux only. */
export const cpuOf = ({ process }: ServiceProcess): Promise<number> => cpuOfPid(process.pid ?? 0);

export async function cpuOfPid(pid: number): Promise<number> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[11]) + Number(fields[12])) * 10;
}

export interface Figure {
  goal: string;
  what: string;
  figure: string;
  aim: string;
  isMet: boolean;
  /** Of fewer records or a shorter time than the aim covers. */
  isScaled?: boolean;
}

export function head(title: string): void {
  const [load = 0] = loadavg();
  process.stdout.write(
    `${title}: Node ${process.versions.node}, ${cpus().length} cores, load ${load.toFixed(1)}, local store\n`,
  );
}

export function show({ goal, what, figure, aim, isMet, isScaled }: Figure): void {
  const evaluation = `${isMet ? 'met' : 'MISSED'}${isScaled ? ' at this size' : ''}`;
  process.stdout.write(`${goal} | ${what} | ${figure} | aim ${aim} | ${evaluation}\n`);
}

/** Runs measurements one after the other on the same processes. */
export async function measureAll(
  title: string,
  extra: Record<string, string>,
  all: ((bench: Bench) => Promise<Figure[]>)[],
): Promise<never> {
  const bench = await startBench(extra);
  try {
    head(title);
    for (const run of all) for (const figure of await run(bench)) show(figure);
  } catch (error) {
    process.stderr.write(`${String(error instanceof Error ? error.stack : error)}\n`);
    process.exitCode = 1;
  }
  // What a broken measurement has begun ends too.
  await bench.stop();
  process.exit();
}
