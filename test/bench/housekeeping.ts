import { mkdtemp, rm } from 'node:fs/promises';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { ListDeliveriesInput } from '../../src/contract/delivery.ts';
import { newId } from '../../src/lib/id.ts';
import { connectDb, type Db } from '../../src/models/db.ts';
import type { DeliveryState } from '../../src/contract/delivery.ts';
import { readOutbox } from '../../src/services/durable/outbox.ts';
import { createSamplers } from '../../src/services/metrics-samplers.ts';
import { isMoving } from '../../src/services/webhooks/backlog.ts';
import { cleanUpWebhooks } from '../../src/services/webhooks/cleanup.ts';
import { listDeliveries } from '../../src/services/webhooks/list-deliveries.ts';
import { sweepDeliveries } from '../../src/services/webhooks/sweep-deliveries.ts';
import { createLog } from '../../src/telemetry/log.ts';
import { makeCtx, makeServices } from '../support/services.ts';
import { seedCampaignTrees } from '../support/campaign-trees.ts';
import { startStoreProcess } from './support/load.ts';

const { values } = parseArgs({ options: { rows: { type: 'string', default: '100000' } }, strict: false });
const rows = Number(values.rows);
const rounds = 5;
const hourMs = 3_600_000;
const webhooks = 200;

/** What a long outage of some receivers leaves behind, in shares of all deliveries. */
const shares: [DeliveryState, number][] = [
  ['delivered', 0.85],
  ['held', 0.08],
  ['waiting', 0.04],
  ['retrying', 0.02],
  ['failed', 0.01],
];

const dataDir = await mkdtemp(join(tmpdir(), 'bench-'));
const given = process.env['MONGODB_URI'];
const store = given ? undefined : await startStoreProcess(dataDir);
const base = store?.uri ?? given ?? '';
const services = await makeServices();
const clock = { now: () => new Date() };
const ctx = { ...(await makeCtx(services)), clock };
const owner = { userId: ctx.caller.userId, profileId: newId(), accountId: newId() };
const say = (line: string): void => void process.stdout.write(`${line}\n`);

/** A database of its own, so that sizes can be compared. */
const uriOf = (name: string): string => base.replace(/\/[^/?]*(\?|$)/, `/${name}$1`);

async function seedDeliveries(db: Db, count: number): Promise<void> {
  const hooks = Array.from({ length: webhooks }, (_, slot) => ({ _id: newId(), userId: owner.userId, slot }));
  const url = 'https://receiver.example/hook';
  await db.webhooks.insertMany(
    hooks.map((hook) => ({ ...hook, name: 'W', url, events: ['*'], isActive: false, disabledReason: 'owner' })),
  );
  const now = Date.now();
  let batch: object[] = [];
  const flush = async (): Promise<void> => {
    await db.webhookDeliveries.collection.insertMany(batch as never, { ordered: false });
    batch = [];
  };
  for (const [state, share] of shares)
    for (let at = 0; at < count * share; at += 1) {
      const time = new Date(now - hourMs - at * 10);
      const isOpen = state !== 'delivered' && state !== 'failed';
      batch.push({
        _id: newId(),
        userId: owner.userId,
        webhookId: hooks[at % webhooks]?._id,
        eventId: `evt_${newId()}`,
        replay: 0,
        trigger: 'auto',
        type: 'ad.status_changed',
        state,
        occurredAt: time,
        createdAt: time,
        terminalAt: isOpen ? null : time,
        nextAttemptAt: state === 'retrying' ? time : null,
        attemptCount: 1,
        attempts: [],
      });
      if (batch.length === 2_000) await flush();
    }
  if (batch.length > 0) await flush();
}

/** In the order of `createSamplers`. */
const samplerNames = [
  'open deliveries',
  'lags',
  'webhooks',
  'ended deliveries',
  'open orders',
  'open removals',
  'open copies',
  'open discoveries',
  'open reads of figures',
  'accounts to reconnect',
];

interface Work {
  name: string;
  run: () => Promise<unknown>;
}

function workOf(db: Db): Work[] {
  const on = { ...ctx, db };
  const samples = createSamplers(on);
  if (samples.length !== samplerNames.length)
    throw new Error(`There are ${samples.length} samplers, but ${samplerNames.length} names`);
  return [
    ...samples.map((sample, at) => ({ name: `metrics: ${samplerNames[at]}`, run: sample })),
    { name: 'readiness of a worker', run: () => isMoving(on) },
    { name: 'outbox, nothing to relay', run: () => readOutbox(db) },
    { name: 'clean-up, nothing expired', run: () => cleanUpWebhooks(on) },
    { name: 'sweep, 2 % overdue', run: () => sweepAll(on) },
    {
      name: 'log of deliveries, one state',
      run: () => listDeliveries(on, ListDeliveriesInput.parse({ status: 'failed' })),
    },
  ];
}

async function sweepAll(on: Parameters<typeof sweepDeliveries>[0]): Promise<void> {
  for await (const { due } of sweepDeliveries(on)) if (due.length > 500) throw new Error('A batch is too large');
}

async function medianOf({ run }: Work): Promise<number> {
  const times: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const started = performance.now();
    await run();
    times.push(performance.now() - started);
  }
  return times.toSorted((a, b) => a - b)[Math.floor(rounds / 2)] ?? 0;
}

async function measured(count: number): Promise<Map<string, number>> {
  const name = `bench_housekeeping_${count}_${Date.now()}`;
  const db = await connectDb(uriOf(name), createLog('silent'), { hasNoTimeouts: true });
  try {
    const started = Date.now();
    await seedCampaignTrees(db, owner, { campaigns: Math.ceil(count / 500), adSets: 5, ads: 10 });
    await seedDeliveries(db, count);
    say(
      `${count} deliveries and ${Math.ceil(count / 500) * 50} ads inserted in ${Math.round((Date.now() - started) / 1000)} s`,
    );
    const results = new Map<string, number>();
    for (const work of workOf(db)) results.set(work.name, await medianOf(work));
    return results;
  } finally {
    await db.users.db.dropDatabase();
    await db.close();
  }
}

say(
  `Housekeeping: median of ${rounds} rounds, ${cpus().length} cores, Node ${process.versions.node}, ${given ? 'MONGODB_URI' : 'embedded store'}`,
);
const [small, large] = [await measured(rows / 10), await measured(rows)];
say(`| Work | ${rows / 10} rows, ms | ${rows} rows, ms | ratio |\n|---|--:|--:|--:|`);
for (const [name, ms] of large) {
  const before = small.get(name) ?? 0;
  say(`| ${name} | ${before.toFixed(1)} | ${ms.toFixed(1)} | ${(ms / before).toFixed(1)} |`);
}
await services.stop();
await store?.stop();
await rm(dataDir, { recursive: true, force: true });
process.exit(0);
