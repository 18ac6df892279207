import { createServer } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { openStates } from '../../src/services/webhooks/delivery-states.ts';
import type { TestApp } from '../support/app.ts';
import { goodAd, createUserFixture, type UserFixture } from '../support/user-fixture.ts';
import { startFleet, temporaryFolder, type Fleet } from './support/processes.ts';
import { makePlan, randomFrom, type Blow } from './support/schedule.ts';
import { idsOf, kinds, secret, startChaosReceiver, type Kind } from './support/receivers.ts';
import {
  goalsOf,
  evaluate,
  type InjectedFailures,
  type Hook,
  type Evaluation,
  type Written,
} from './support/assertions.ts';

export interface ChaosOptions {
  seed: number;
  seconds: number;
  /** Goes on beyond the seconds until so many are written. */
  events?: number;
  /** Of each role. */
  processes?: number;
  /** Writes a second. */
  rate?: number;
  /** How long everything may take to arrive once the blows have ended. */
  drainSeconds?: number;
  say?: (line: string) => void;
}

const receiversOf: Kind[][] = [
  ['good', 'slow', 'huge', 'bomb', 'resetting', 'flapping', 'strict', 'healing', 'hanging', 'redirecting'],
  ['good', 'strict-flapping', 'dripping', 'gone', 'certificate'],
];
const writers = 4;
/** One write in so many makes an ad; the others make keys. */
const adEvery = 25;

/** Outages of seconds instead of hours. */
const env = {
  // On a busy machine a shorter time is up although the receiver has accepted, and each of those is a repeat.
  WEBHOOK_TIMEOUT_SECONDS: '5',
  WEBHOOK_RETRY_SCHEDULE: `0,0.5,${Array(60).fill('1').join(',')}`,
  WEBHOOK_CIRCUIT_BREAKER_SCHEDULE: '0.5,1,1,2',
  SWEEP_INTERVAL_SECONDS: '1',
};

const wait = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

interface Stage {
  fleet: Fleet;
  fixtures: UserFixture[];
  hooks: Hook[];
  blows: InjectedFailures;
  openAtKills: number;
  say: (line: string) => void;
}

/** Kills, flushes and restarts while events occur; then everything that was promised must have arrived. */
export async function runChaos(options: ChaosOptions): Promise<Evaluation> {
  const { seed, seconds, events = 0, processes = 2, rate = 15, say = () => undefined } = options;
  // The receiver that was down all the time takes fifty a second.
  const { drainSeconds = 300 + events / 20 } = options;
  const folder = await temporaryFolder();
  const forbidden = await startForbidden();
  const fleet = await startFleet({ folder, processes, env });
  const hooks: Hook[] = [];
  try {
    const stage = await setUp(fleet, hooks, { seed, folder, forbiddenUrl: forbidden.url, say });
    const plan = makePlan({ seed, seconds, processes });
    const [production] = await Promise.all([write(stage, { seconds, events, rate }), injectAll(stage, plan)]);
    await fleet.idle();
    const drained = await drain(stage, production.written, drainSeconds);
    const facts = {
      seed,
      seconds,
      processes,
      ...stage.blows,
      ...production,
      ...drained,
      crashes: fleet.crashes,
      openAtKills: stage.openAtKills,
      redirectsFollowed: forbidden.requests(),
      missingRows: await missingRows(stage, production.written),
      repeatedAfter: await repeatedAfter(stage),
    };
    return evaluate(facts, hooks);
  } finally {
    await fleet.stop();
    await Promise.all([...hooks.map(({ receiver }) => receiver.stop()), forbidden.stop()]);
  }
}

interface Scene {
  seed: number;
  folder: string;
  forbiddenUrl: string;
  say: (line: string) => void;
}

async function setUp(fleet: Fleet, hooks: Hook[], { seed, say, ...surroundings }: Scene): Promise<Stage> {
  const fixtures: UserFixture[] = [];
  const random = randomFrom(seed + 1);
  for (const [user, all] of receiversOf.entries()) {
    const fixture = await createUserFixture(fleet as unknown as TestApp);
    fixtures.push(fixture);
    for (const kind of all) {
      const receiver = await startChaosReceiver(kind, { random, ...surroundings });
      const { ordering } = kinds[kind];
      const body = { name: kind, url: receiver.url, events: ['api_key.created', 'ad.created'], secret, ordering };
      const made = await fleet.call('POST', '/v1/webhooks/settings', { key: fixture.key, body });
      hooks.push({ receiver, webhookId: made.body.webhook._id, user });
    }
  }
  const blows = { workerKills: 0, apiKills: 0, flushes: 0, flushedAt: [], redisRestarts: 0, storeRestarts: 0 };
  return { fleet, fixtures, hooks, blows, openAtKills: 0, say };
}

interface Production {
  written: Written[];
  unanswered: number;
}

interface WriteOptions {
  seconds: number;
  events: number;
  /** Writes a second. */
  rate: number;
}

/** Several callers at once, each with one request at a time, over whichever API processes answer. */
async function write(stage: Stage, { seconds, events, rate }: WriteOptions): Promise<Production> {
  const production: Production = { written: [], unanswered: 0 };
  const began = Date.now();
  let next = 0;
  const loop = async (): Promise<void> => {
    while (Date.now() < began + seconds * 1000 || production.written.length < events) {
      const at = next++;
      const dueMs = began + (at * 1000) / rate - Date.now();
      if (dueMs > 0) await wait(dueMs);
      const one = await writeOne(stage, at);
      if (one) production.written.push(one);
      else production.unanswered += 1;
    }
  };
  await Promise.all(Array.from({ length: writers }, loop));
  return production;
}

async function writeOne({ fleet, fixtures }: Stage, at: number): Promise<Written | undefined> {
  const isAd = at % adEvery === adEvery - 1;
  const user = isAd ? 0 : at % fixtures.length;
  const fixture = fixtures[user];
  const apis = fleet.live('api');
  const api = apis[at % Math.max(1, apis.length)];
  const startedAt = Date.now();
  if (!fixture || !api) {
    await wait(50);
    return undefined;
  }
  const [path, body] = isAd ? ['/v1/ads/create', goodAd(fixture)] : ['/v1/api-keys', { name: `k${at}` }];
  const answer = await api.call('POST', path, { key: fixture.key, body }).catch(() => undefined);
  if (answer?.status !== 201) return undefined;
  const entityId = (isAd ? answer.body.ad?._id : answer.body.apiKey.id) as string;
  return { entityId, startedAt, answeredAt: Date.now(), user };
}

async function injectAll(stage: Stage, plan: Blow[]): Promise<void> {
  const began = Date.now();
  let restarts = Promise.resolve();
  for (const blow of plan) {
    await wait(Math.max(0, began + blow.atMs - Date.now()));
    // Restarts of stores follow one another; kills go on meanwhile.
    if (blow.what.startsWith('restart-')) restarts = restarts.then(() => injectOne(stage, blow));
    else await injectOne(stage, blow);
  }
  await restarts;
}

const openAt = (hooks: Hook[]): number => hooks.reduce((sum, { receiver }) => sum + receiver.open(), 0);

async function injectOne(stage: Stage, blow: Blow): Promise<void> {
  const { fleet, blows, hooks, say } = stage;
  say(`${(blow.atMs / 1000).toFixed(1)} s: ${blow.what}`);
  if (blow.what === 'flush-redis') {
    blows.flushes += 1;
    blows.flushedAt.push(Date.now());
    await fleet.flushRedis();
    return;
  }
  const open = openAt(hooks);
  if (blow.what === 'restart-redis' || blow.what === 'restart-store' || blow.what === 'restart-both') {
    const [redis, store] = [blow.what !== 'restart-store', blow.what !== 'restart-redis'];
    if (redis) blows.redisRestarts += 1;
    if (store) {
      blows.storeRestarts += 1;
      stage.openAtKills += open;
    }
    await Promise.all([redis && fleet.restartRedis(blow.outageMs), store && fleet.restartStore(blow.outageMs)]);
    return;
  }
  if (!fleet.kill(blow.what === 'kill-api' ? 'api' : 'worker', blow.index)) return;
  if (blow.what === 'kill-api') blows.apiKills += 1;
  else {
    blows.workerKills += 1;
    stage.openAtKills += open;
  }
}

/** Receivers get well, their owners switch them on again, and the rest has to come by itself. */
async function drain(
  { fleet, hooks, fixtures, say }: Stage,
  written: Written[],
  limitSeconds: number,
): Promise<{ unfinished: number; drainSeconds: number }> {
  const began = Date.now();
  const able = hooks.filter(({ receiver }) => kinds[receiver.kind].isAble);
  for (const { receiver } of able) receiver.heal();
  const { webhookDeliveries, webhooks } = fleet.app.services.db;
  const open = { webhookId: { $in: able.map(({ webhookId }) => webhookId) }, state: { $in: openStates } };
  let unfinished: number;
  let reportedAt = began;
  do {
    await wait(500);
    for (const { _id } of await webhooks.find({ _id: open.webhookId, isActive: false }).lean()) {
      const key = fixtures[hooks.find(({ webhookId }) => webhookId === _id)?.user ?? 0]?.key;
      await fleet.call('PUT', '/v1/webhooks/settings', { key, body: { _id, isActive: true } });
    }
    unfinished = (await webhookDeliveries.countDocuments(open)) + notArrived(able, written);
    if (unfinished > 0 && Date.now() > reportedAt + 10_000) {
      reportedAt = Date.now();
      say(`still on their way: ${JSON.stringify(await openByKind(fleet, able))}`);
    }
  } while (unfinished > 0 && Date.now() < began + limitSeconds * 1000);
  return { unfinished: await webhookDeliveries.countDocuments(open), drainSeconds: (Date.now() - began) / 1000 };
}

async function openByKind({ app }: Fleet, hooks: Hook[]): Promise<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const { receiver, webhookId } of hooks) {
    const count = await app.services.db.webhookDeliveries.countDocuments({ webhookId, state: { $in: openStates } });
    if (count > 0) counts[receiver.kind] = (counts[receiver.kind] ?? 0) + count;
  }
  return counts;
}

function notArrived(hooks: Hook[], written: Written[]): number {
  return hooks.reduce((sum, { receiver, user }) => {
    const arrived = new Set(receiver.arrivals.map(({ entityId }) => entityId));
    return sum + written.filter((write) => write.user === user && !arrived.has(write.entityId)).length;
  }, 0);
}

/** Even without a working receiver, each event has its delivery, for its owner to see and to send again. */
async function missingRows({ fleet, hooks }: Stage, written: Written[]): Promise<number> {
  const { db } = fleet.app.services;
  let missing = 0;
  for (const { webhookId, user, receiver } of hooks) {
    if (kinds[receiver.kind].isAble) continue;
    const eventIds = await db.webhookDeliveries.distinct('eventId', { webhookId });
    const events = await db.webhookEvents.find({ _id: { $in: eventIds } }, { body: 1 }).lean();
    const expected = new Set(events.map(({ body }) => idsOf(body).entityId));
    missing += written.filter((write) => write.user === user && !expected.has(write.entityId)).length;
  }
  return missing;
}

/** What the log says of the attempts before the last, where a receiver accepted the same event twice. */
async function repeatedAfter({ fleet, hooks }: Stage): Promise<Record<string, number>> {
  const classes: Record<string, number> = {};
  for (const { receiver, webhookId } of hooks.filter((hook) => kinds[hook.receiver.kind].isAble)) {
    const seen = new Set<string>();
    const accepted = receiver.arrivals.filter(({ isAccepted }) => isAccepted);
    const twice = accepted.flatMap(({ eventId }) => (seen.has(eventId) ? eventId : (seen.add(eventId), [])));
    const rows = await fleet.app.services.db.webhookDeliveries.find({ webhookId, eventId: { $in: twice } }).lean();
    for (const { errorClass } of rows.flatMap(({ attempts }) => attempts.slice(0, -1)))
      classes[errorClass ?? 'delivered'] = (classes[errorClass ?? 'delivered'] ?? 0) + 1;
  }
  return classes;
}

async function startForbidden(): Promise<{ url: string; requests: () => number; stop: () => Promise<void> }> {
  let requests = 0;
  const server = createServer((_request, response) => {
    requests += 1;
    response.end();
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    requests: () => requests,
    stop: async () => void server.close(),
  };
}

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      seed: { type: 'string', default: String(Date.now() % 1_000_000) },
      seconds: { type: 'string' },
      events: { type: 'string', default: '0' },
      processes: { type: 'string', default: '2' },
      rate: { type: 'string', default: '15' },
    },
  });
  const say = (line: string): void => void process.stdout.write(`${line}\n`);
  const [seed, events, rate] = [values.seed, values.events, values.rate].map(Number) as [number, number, number];
  const seconds = Number(values.seconds ?? (events > 0 ? Math.ceil(events / rate) : 60));
  say(`Webhooks under blows: seed ${seed}, ${seconds} s, ${values.processes} processes of each role`);
  const evaluation = await runChaos({
    seed,
    seconds,
    events,
    processes: Number(values.processes),
    rate,
    say,
  });
  const { breaches, ...figures } = evaluation;
  for (const [name, figure] of Object.entries(figures)) say(`${name}: ${JSON.stringify(figure)}`);
  for (const line of goalsOf(evaluation)) say(line);
  for (const breach of breaches) say(`BREACH ${breach}`);
  say(
    breaches.length === 0
      ? 'HELD: nothing promised was broken'
      : `BROKEN: replay with --seed ${seed} --seconds ${seconds} --events ${events} --rate ${rate}`,
  );
  process.exit(breaches.length === 0 ? 0 : 1);
}

// npm run gives a path below the folder that it stands in.
if (resolve(process.argv[1] ?? '') === import.meta.filename) await main();
