import { mkdtemp, rm } from 'node:fs/promises';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { newId } from '../../src/lib/id.ts';
import { pendingEvent } from '../../src/services/announce.ts';
import { startTestApp, type TestApp } from '../support/app.ts';
import { startProcess, type ServiceProcess } from '../support/process.ts';
import { makeWorld, type World } from '../support/world.ts';
import { startReceiver, status, type Receiver } from '../webhooks/receiver.ts';
import { startStoreProcess } from './support-load.ts';

const endpoints = 20;
const kilobyte = 'x'.repeat(900);

interface Fleet {
  app: TestApp;
  worker: ServiceProcess;
  worlds: World[];
  receivers: Receiver[];
}

const percentile = (sorted: number[], share: number): number =>
  sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
const sum = (receivers: Receiver[]): number => receivers.reduce((total, { got }) => total + got.length, 0);

/** Two users of ten endpoints each, one API process and one worker process. */
async function startFleet(app: TestApp, worker: ServiceProcess): Promise<Fleet> {
  const worlds = [await makeWorld(app), await makeWorld(app)];
  const receivers = await Promise.all(Array.from({ length: endpoints }, () => startReceiver()));
  for (const [at, { url }] of receivers.entries()) {
    const body = { name: `W${at}`, url, events: ['api_key.created'], secret: 'a secret of many letters' };
    await app.call('POST', '/v1/webhooks/settings', { key: worlds[at % 2]?.key, body });
  }
  return { app, worker, worlds, receivers };
}

/** Announces an event the way every service does: in a document, for the relay to find. */
async function announce({ app }: Fleet, world: World): Promise<void> {
  const event = pendingEvent(
    'api_key.created',
    { apiKey: { id: newId(), note: kilobyte, committedAt: Date.now() } },
    new Date(),
  );
  await app.app.services.db.apiKeys.updateOne({ _id: world.keyId }, { $push: { pendingEvents: event } });
  app.app.services.nudge();
}

async function untilSum(receivers: Receiver[], wanted: number, timeoutMs = 120_000): Promise<void> {
  const until = Date.now() + timeoutMs;
  while (sum(receivers) < wanted && Date.now() < until) await new Promise((resolve) => setTimeout(resolve, 50));
}

async function throughput(fleet: Fleet): Promise<string> {
  const before = sum(fleet.receivers);
  const events = 400;
  const started = Date.now();
  for (let at = 0; at < events; at++) await announce(fleet, fleet.worlds[at % 2]!);
  await untilSum(fleet.receivers, before + events * 10);
  const done = sum(fleet.receivers) - before;
  return `${Math.round(done / ((Date.now() - started) / 1000))} deliveries a second (${done} of ${events * 10})`;
}

const latencies = (receivers: Receiver[]): number[] =>
  receivers
    .flatMap(({ got }) =>
      got.map(({ at, body }) => at - (JSON.parse(body) as { apiKey: { committedAt: number } }).apiKey.committedAt),
    )
    .toSorted((a, b) => a - b);

async function pace(fleet: Fleet, { perSecond, seconds }: { perSecond: number; seconds: number }): Promise<void> {
  const started = Date.now();
  for (let at = 0; at < perSecond * seconds; at++) {
    const due = started + (at * 1000) / perSecond;
    if (due > Date.now()) await new Promise((resolve) => setTimeout(resolve, due - Date.now()));
    void announce(fleet, fleet.worlds[at % 2]!);
  }
}

async function latency(fleet: Fleet): Promise<string> {
  for (const receiver of fleet.receivers) receiver.got.length = 0;
  // Ten endpoints hear each event: ten events a second are a hundred deliveries a second.
  await pace(fleet, { perSecond: 10, seconds: 10 });
  await untilSum(fleet.receivers, 1000, 20_000);
  const all = latencies(fleet.receivers);
  return `p50 ${percentile(all, 0.5)} ms, p99 ${percentile(all, 0.99)} ms over ${all.length} deliveries`;
}

async function besideHanging(fleet: Fleet): Promise<string> {
  for (const receiver of fleet.receivers) receiver.got.length = 0;
  const [hanging, ...others] = fleet.receivers.filter((_, at) => at % 2 === 0);
  if (hanging) hanging.answer = () => undefined;
  const [world] = fleet.worlds;
  for (let at = 0; at < 50; at++) await announce(fleet, world!);
  await untilSum(others, 50 * 9, 60_000);
  if (hanging) hanging.answer = status(200);
  const all = latencies(others);
  return `healthy p99 ${percentile(all, 0.99)} ms over ${all.length} deliveries`;
}

async function afterKill(fleet: Fleet, env: Record<string, string>): Promise<string> {
  await untilSum(fleet.receivers, Number.POSITIVE_INFINITY, 3_000);
  for (const receiver of fleet.receivers) {
    receiver.got.length = 0;
    receiver.answer = () => undefined;
  }
  await announce(fleet, fleet.worlds[1]!);
  await untilSum(fleet.receivers, 10, 10_000);
  await fleet.worker.end('SIGKILL');
  const killed = Date.now();
  for (const receiver of fleet.receivers) receiver.answer = status(200);
  const next = await startProcess({ ...env, ROLE: 'worker' });
  await untilSum(fleet.receivers, 20, 60_000);
  await next.end('SIGTERM');
  return `${((Date.now() - killed) / 1000).toFixed(1)} s until all ten were tried again`;
}

const dataDir = await mkdtemp(join(tmpdir(), 'bench-'));
const store = await startStoreProcess(dataDir);
process.env['MONGODB_URI'] = store.uri;
const app = await startTestApp({ ROLE: 'api' });
const env = { ...app.env, SWEEP_EVERY_SECONDS: '5', WEBHOOK_TIMEOUT_SECONDS: '15' };
const worker = await startProcess({ ...env, ROLE: 'worker' });
const fleet = await startFleet(app, worker);
process.stdout.write(
  `Webhooks: ${endpoints} endpoints, 1 KB, local store, one API and one worker, ${cpus().length} cores\n`,
);
const measurements: [string, () => Promise<string>][] = [
  ['G7 throughput', () => throughput(fleet)],
  ['G8 commit to first byte, 100 deliveries a second', () => latency(fleet)],
  ['G9 beside a hanging endpoint', () => besideHanging(fleet)],
  ['G5 worker SIGKILL to tried again', () => afterKill(fleet, env)],
];
for (const [name, run] of measurements) process.stdout.write(`${name}: ${await run()}\n`);
await Promise.all(fleet.receivers.map((receiver) => receiver.stop()));
await app.stop();
await store.stop();
await rm(dataDir, { recursive: true, force: true });
process.exit(0);
