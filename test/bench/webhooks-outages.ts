import { nextWait } from '../../src/services/webhooks/schedule.ts';
import { ownRedis } from '../support/redis.ts';
import { status } from '../webhooks/receiver.ts';
import {
  publish,
  measureAll,
  openEndpoints,
  percentile,
  until,
  wait,
  type Bench,
  type Endpoint,
  type Figure,
} from './support/webhooks.ts';

// What callers and receivers notice while Redis is away, when a worker stops, and between two attempts.
const outageSeconds = Number(process.env['BENCH_OUTAGE_SECONDS'] ?? 15);

/** G3: the API's answers while Redis is away, and how soon deliveries go on. */
async function redisAway(bench: Bench): Promise<Figure[]> {
  const worker = await bench.startWorker();
  const [{ user, receiver }] = (await openEndpoints(bench, 1)) as [Endpoint];
  await bench.redis.kill();
  const took: number[] = [];
  let refused = 0;
  const end = Date.now() + outageSeconds * 1000;
  while (Date.now() < end) {
    const asked = performance.now();
    const answer = await bench.app.call('POST', '/v1/api-keys', { key: user.key, body: { name: 'k' } });
    if (answer.status !== 201) refused += 1;
    took.push(performance.now() - asked);
    await wait(50);
  }
  const got = receiver.got.length;
  bench.redis = await ownRedis(bench.redis.port);
  const back = Date.now();
  await until(() => receiver.got.length > got, 60_000);
  const resumed = (Date.now() - back) / 1000;
  // One endpoint takes fifty a second.
  const allCame = await until(() => receiver.got.length >= took.length - refused, 60_000 + took.length * 40);
  await worker.end('SIGTERM');
  await receiver.stop();
  const p99 = percentile(took, 0.99);
  const during = `Redis away for ${outageSeconds} s`;
  return [
    {
      goal: 'G3',
      what: `${during}: ${took.length} writes`,
      figure: `${refused} refused, p99 ${p99.toFixed(0)} ms`,
      aim: '0, 300 ms',
      isMet: refused === 0 && p99 < 300,
      isScaled: outageSeconds < 60,
    },
    {
      goal: 'G3',
      what: `${during}: deliveries go on after`,
      figure: `${resumed.toFixed(1)} s${allCame ? ', all came' : ', some are missing'}`,
      aim: '5 s, all',
      isMet: resumed <= 5 && allCame,
      isScaled: outageSeconds < 60,
    },
  ];
}

/** G24: SIGTERM in the middle of two hundred deliveries a second. */
async function termUnderLoad(bench: Bench): Promise<Figure[]> {
  const [first] = await Promise.all([bench.startWorker(), bench.startWorker()]);
  const endpoints = await openEndpoints(bench, 10);
  const [{ user }] = endpoints as [Endpoint];
  let events = 0;
  let exit: Promise<{ code: number | null; ms: number }> | undefined;
  for (let tenth = 0; tenth < 60; tenth++) {
    await publish(bench, user, 2);
    events += 2;
    if (tenth === 30) exit = timed(() => first!.end('SIGTERM'));
    await wait(100);
  }
  const sum = (): number => endpoints.reduce((total, { receiver }) => total + receiver.got.length, 0);
  await until(() => sum() >= events * 10, 60_000);
  const { code, ms } = (await exit) ?? { code: null, ms: 0 };
  await wait(1_000);
  const rows = await bench.app.app.services.db.webhookDeliveries
    .find({ webhookId: { $in: endpoints.map(({ webhookId }) => webhookId) } })
    .lean();
  const lost =
    events * 10 -
    new Set(
      endpoints.flatMap(({ receiver }) =>
        receiver.got.map(({ headers }) => `${receiver.url} ${headers['webhook-id']}`),
      ),
    ).size;
  const uncounted = sum() - rows.reduce((total, { attempts }) => total + attempts.length, 0);
  await Promise.all(endpoints.map(({ receiver }) => receiver.stop()));
  return [
    {
      goal: 'G24',
      what: 'SIGTERM at 200 deliveries a second',
      figure: `code ${code} after ${(ms / 1000).toFixed(1)} s, ${lost} lost, ${uncounted} uncounted`,
      aim: '20 s, 0, 0',
      isMet: code === 0 && ms <= 20_000 && lost === 0 && uncounted === 0,
    },
  ];
}

async function timed(run: () => Promise<number | null>): Promise<{ code: number | null; ms: number }> {
  const started = Date.now();
  return { code: await run(), ms: Date.now() - started };
}

/** G20: requests from before an endpoint was enabled again end as failures, after it. */
async function lateFailures(bench: Bench): Promise<Figure[]> {
  const workers = await Promise.all([bench.startWorker(), bench.startWorker()]);
  const endpoints = await openEndpoints(bench, 10);
  const [{ user }] = endpoints as [Endpoint];
  const { webhooks } = bench.app.app.services.db;
  const open: (() => void)[] = [];
  for (const { receiver } of endpoints)
    receiver.answer = (request, response) => void open.push(() => status(500)(request, response));
  await publish(bench, user, 8);
  await until(() => open.length >= 60, 20_000);
  const late = open.splice(0);
  // What begins later, after they are enabled again, would count.
  for (const { receiver } of endpoints) receiver.answer = status(200);
  const ids = endpoints.map(({ webhookId }) => webhookId);
  await webhooks.updateMany({ _id: { $in: ids } }, { $set: { consecutiveFailures: 9 } });
  for (const isActive of [false, true])
    for (const _id of ids)
      await bench.app.call('PUT', '/v1/webhooks/settings', { key: user.key, body: { _id, isActive } });
  for (const answer of late) answer();
  await wait(3_000);
  const off = await webhooks.countDocuments({ _id: { $in: ids }, isActive: false });
  const counted = await webhooks.countDocuments({ _id: { $in: ids }, consecutiveFailures: { $gt: 0 } });
  await Promise.all(workers.map((worker) => worker.end('SIGTERM')));
  await Promise.all(endpoints.map(({ receiver }) => receiver.stop()));
  return [
    {
      goal: 'G20',
      what: `${late.length} failures of requests from before 10 endpoints at nine failures were enabled again`,
      figure: `${off} disabled, ${counted} with a failure`,
      aim: '0, 0',
      isMet: late.length >= 60 && off === 0 && counted === 0,
    },
  ];
}

/** G14: how exactly a retry comes when it is due, and whether the jitter keeps its bounds. */
async function retryTiming(bench: Bench): Promise<Figure[]> {
  await bench.startWorker();
  const endpoints = await openEndpoints(bench, 10);
  const failed = new Set<string>();
  for (const { receiver } of endpoints)
    receiver.answer = (request, response) => {
      const id = `${receiver.url} ${String(request.headers['webhook-id'])}`;
      status(failed.has(id) ? 200 : 503)(request, response);
      failed.add(id);
    };
  const { webhookDeliveries } = bench.app.app.services.db;
  const filter = { webhookId: { $in: endpoints.map(({ webhookId }) => webhookId) } };
  await publish(bench, endpoints[0]!.user, 10);
  await until(async () => (await webhookDeliveries.countDocuments({ ...filter, state: 'retrying' })) === 100, 20_000);
  const due = new Map(
    (await webhookDeliveries.find(filter).lean()).map(({ _id, nextAttemptAt }) => [_id, nextAttemptAt]),
  );
  await until(async () => (await webhookDeliveries.countDocuments({ ...filter, state: 'delivered' })) === 100, 60_000);
  const late = (await webhookDeliveries.find(filter).lean()).flatMap(({ _id, attempts }) => {
    const at = due.get(_id);
    return at && attempts[1] ? [attempts[1].startedAt.getTime() - at.getTime()] : [];
  });
  await Promise.all(endpoints.map(({ receiver }) => receiver.stop()));
  const p99 = percentile(late, 0.99);
  return [
    {
      goal: 'G14',
      what: `start of ${late.length} retries after their time`,
      figure: `p99 ${p99} ms`,
      aim: '1000 ms',
      isMet: late.length === 100 && p99 <= 1000 && Math.min(...late) >= 0,
    },
    jitter(),
  ];
}

function jitter(): Figure {
  const times = { retrySchedule: [0, 100, 1000], breakerSchedule: [], failureLimit: 10, timeoutMs: 1_000 };
  const outcome = { status: 500, errorClass: null };
  const shares = [1, 2].map((failures) =>
    Array.from(
      { length: 1_000 },
      () => (nextWait(failures, outcome, times) ?? 0) / (times.retrySchedule[failures] ?? 1),
    ),
  );
  const range = (all: number[] = []): string => `${Math.min(...all).toFixed(2)} to ${Math.max(...all).toFixed(2)}`;
  const [short = [], long = []] = shares;
  const isMet =
    short.every((share) => share >= 0.8 && share <= 1.2) && long.every((share) => share >= 0.7 && share <= 1.3);
  return {
    goal: 'G14',
    what: 'jitter of 1000 short and 1000 long steps',
    figure: `${range(short)}, ${range(long)}`,
    aim: '0.80 to 1.20, 0.70 to 1.30',
    isMet,
  };
}

const env = {
  WEBHOOK_RETRY_SCHEDULE: '0,8,8,8',
  WEBHOOK_CIRCUIT_BREAKER_SCHEDULE: 'none',
  SWEEP_INTERVAL_SECONDS: '1',
};
await measureAll('Webhooks, outages', env, [redisAway, lateFailures, retryTiming, termUnderLoad]);
