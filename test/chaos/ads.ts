import { grouped } from '../../src/lib/group-by.ts';
import { reconcileDueOrders } from '../../src/services/ads/reconcile-orders.ts';
import { startTestApp, type CallOptions, type TestApp } from '../support/app.ts';
import { startProcess, type ServiceProcess } from '../support/process.ts';
import {
  discovered,
  fault,
  goalsOf,
  goodAdOf,
  noFaults,
  subjects,
  fixtureOf,
  type Subject,
} from '../conformance/platforms.ts';
import type { UserFixture } from '../support/user-fixture.ts';
import {
  changeOf,
  evaluateBudgets,
  levelOf,
  ownerOf,
  watchWrites,
  type BudgetEvaluation,
  type BudgetOwner,
} from './budget-changes.ts';

export interface AdsChaosOptions {
  runs: number;
  seed: number;
  /** A process is killed in about one of so many runs. */
  killEvery: number;
  say?: (line: string) => void;
}

export interface AdsChaosReport extends BudgetEvaluation {
  seed: number;
  runs: number;
  made: number;
  open: number;
  kills: number;
  faults: number;
  /** Budget changes that the service answered. */
  changes: number;
  /** Objects at the platforms that bear the same name. */
  twice: string[];
  /** Orders under one key that became more than one. */
  doubled: string[];
  /** Campaigns that run although their order failed or is not known to have ended well. */
  leftRunning: string[];
  /** Orders of unknown outcome after reconciliation. */
  unfinished: string[];
}

/** Numbers that a seed repeats. */
export function randomOf(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

export const faultNames = [
  'timeout_before',
  'timeout_after',
  'reset_after',
  'http_500',
  'html_502',
  'rate_limited',
  'malformed',
  'huge',
  'transient',
];
/** Nothing of an order that ended badly or openly may run. */
const mayBeActive = new Set(['active', 'pending_review', 'rejected', 'paused']);

interface Lane {
  subject: Subject;
  fixture: UserFixture;
  random: () => number;
}

interface Order {
  name: string;
  key: string | undefined;
  body: Record<string, unknown>;
  isDone: boolean;
  /** The ad, once it is created. */
  owner?: BudgetOwner;
}

/** Two processes that answer and one that works in the background: they are killed and come back. */
export async function startProcesses(env: Record<string, string>) {
  const roles = ['api', 'api', 'worker'];
  const start = (role: string | undefined): Promise<ServiceProcess> => startProcess({ ...env, ROLE: role ?? 'api' });
  const processes = await Promise.all(roles.map(start));
  let back: Promise<unknown> = Promise.resolve();
  return {
    any: (random: () => number): ServiceProcess => processes[random() < 0.5 ? 0 : 1] as ServiceProcess,
    /** One at a time: the others go on. */
    kill: (random: () => number): void => {
      const at = Math.floor(random() * roles.length);
      back = back.then(async () => {
        await processes[at]?.end('SIGKILL');
        processes[at] = await start(roles[at]);
      });
    },
    stop: async (): Promise<void> => {
      await back;
      await Promise.all(processes.map((process) => process.end('SIGKILL')));
    },
    idle: () => back,
  };
}

/**
 * Random orders and budget changes on all platforms under random failures; afterwards nothing may exist twice, run unasked, or
 * have another budget than its record says.
 */
export async function adsChaos({ runs, seed, killEvery, say }: AdsChaosOptions): Promise<AdsChaosReport> {
  const app = await startTestApp({ PLATFORM_TIMEOUT_SECONDS: '0.5', ROLE: 'api' });
  const processes = await startProcesses(app.env);
  const { writes, stop: stopWatching } = watchWrites();
  const counts = { kills: 0, faults: 0, done: 0, changes: 0 };
  const lanes = await Promise.all(
    subjects.map(async (subject, at): Promise<Lane> => ({
      subject,
      fixture: await fixtureOf(app, subject),
      random: randomOf(seed + at),
    })),
  );
  /** Undefined if the process dies. */
  const call = ({ fixture, random }: Lane, method: string, path: string, options: CallOptions) =>
    processes
      .any(random)
      .call(method, path, { key: fixture.key, ...options })
      .catch(() => undefined);
  const send = async (lane: Lane, order: Order): Promise<boolean> => {
    const headers = order.key === undefined ? undefined : { 'Idempotency-Key': order.key };
    const answer = await call(lane, 'POST', '/v1/ads/create', { body: order.body, headers });
    if (answer?.status === 201) order.owner = ownerOf(answer.body.ad);
    return answer?.status === 201;
  };
  const disturb = async ({ subject, random }: Lane): Promise<void> => {
    for (let faults = Math.floor(random() * 3); faults > 0; faults -= 1) {
      counts.faults += 1;
      await fault(app, subject, {
        fault: faultNames[Math.floor(random() * faultNames.length)] ?? 'http_500',
        match: { method: random() < 0.85 ? 'POST' : 'GET' },
        skip: Math.floor(random() * 8),
      });
    }
    if (random() < 1 / killEvery) {
      counts.kills += 1;
      setTimeout(() => processes.kill(random), random() * 200);
    }
  };
  const changeBudget = async (lane: Lane, owner: BudgetOwner): Promise<void> => {
    const { subject, random, fixture } = lane;
    const change = changeOf(subject, owner, random);
    await disturb(lane);
    // A discovery may read what the change writes meanwhile.
    if (random() < 0.3) await call(lane, 'POST', `/v1/accounts/${fixture.accountId}/ads/sync`, {});
    for (let attempt = 0; attempt < 3; attempt += 1) {
      if (!(await change((path, options) => call(lane, 'PUT', path, options)))) continue;
      counts.changes += 1;
      return;
    }
  };
  const one = async (lane: Lane, number: number): Promise<Order> => {
    const { subject, fixture, random } = lane;
    const goals = goalsOf(subject);
    const goal = goals[Math.floor(random() * goals.length)] ?? 'traffic';
    const name = `Chaos ${subject.platform}${number}`;
    const order: Order = {
      name,
      key: random() < 0.85 ? `${seed}-${subject.platform}${number}` : undefined,
      body: {
        ...goodAdOf(app, subject, fixture, goal),
        name,
        budgetAmount: 60,
        budgetLevel: levelOf(subject, goal, random),
      },
      isDone: false,
    };
    await disturb(lane);
    for (let attempt = 0; attempt < 4 && !order.isDone; attempt += 1) {
      order.isDone = await send(lane, order);
      // Without a key a repetition is another order, as the caller knows.
      if (order.key === undefined) break;
    }
    if (order.owner)
      for (let changes = Math.floor(random() * 3); changes > 0; changes -= 1) await changeBudget(lane, order.owner);
    counts.done += 1;
    if (say && counts.done % 50 === 0)
      say(`${counts.done} of ${runs} runs, ${counts.kills} kills, ${counts.faults} faults`);
    return order;
  };
  try {
    const perLane = Math.ceil(runs / lanes.length);
    const orders = await Promise.all(
      lanes.map(async (lane) => {
        const mine: Order[] = [];
        for (let number = 0; number < perLane; number += 1) mine.push(await one(lane, number));
        return mine;
      }),
    );
    await processes.idle();
    await noFaults(app);
    await Promise.all(
      lanes.map(async (lane, at) => {
        for (const order of orders[at] ?? []) {
          if (order.key !== undefined && !order.isDone) order.isDone = await send(lane, order);
        }
      }),
    );
    await reconcileAll(app);
    for (const { fixture } of lanes) await discovered(app, fixture);
    const evaluations = await Promise.all(lanes.map((lane, at) => evaluate(app, lane, orders[at] ?? [])));
    const budgets = await Promise.all(
      lanes.map(({ subject, fixture }, at) => {
        const owners = (orders[at] ?? []).flatMap(({ owner }) => owner ?? []);
        return evaluateBudgets(app, { subject, fixture, owners, writes });
      }),
    );
    const all = orders.flat();
    return {
      seed,
      runs: all.length,
      made: all.filter(({ isDone }) => isDone).length,
      open: all.filter(({ isDone }) => !isDone).length,
      kills: counts.kills,
      faults: counts.faults,
      changes: counts.changes,
      elsewhere: budgets.flatMap(({ elsewhere }) => elsewhere),
      differing: budgets.flatMap(({ differing }) => differing),
      twice: evaluations.flatMap(({ twice }) => twice),
      doubled: evaluations.flatMap(({ doubled }) => doubled),
      leftRunning: evaluations.flatMap(({ leftRunning }) => leftRunning),
      unfinished: evaluations.flatMap(({ unfinished }) => unfinished),
    };
  } finally {
    stopWatching();
    await processes.stop();
    await app.stop();
  }
}

/** What the reconciler would do in the next hour: checks orders whose process died or whose outcome is unknown. */
async function reconcileAll({ app: { services } }: TestApp): Promise<void> {
  const recheckMs = 60_000;
  // Each round is so much later that every order is looked at once in it; most need two.
  for (let minutes = 10; minutes < 60; minutes += 5) {
    const later = { now: () => new Date(Date.now() + minutes * 60_000) };
    if ((await reconcileDueOrders({ ...services, clock: later }, 5000, { recheckMs })) === 0) return;
  }
}

type Evaluation = Pick<AdsChaosReport, 'twice' | 'doubled' | 'leftRunning' | 'unfinished'>;

/** What stands at the platform against what was ordered. */
async function evaluate(app: TestApp, { subject, fixture }: Lane, orders: Order[]): Promise<Evaluation> {
  const campaigns = await objectsAt(app, subject, subject.kinds.campaign);
  const adSets = await objectsAt(app, subject, subject.kinds.adSet);
  const ads = await objectsAt(app, subject, subject.kinds.ad);
  const ours = (objects: Named[]): string[] =>
    objects.map(({ name }) => name).filter((name) => name.startsWith('Chaos '));
  // Not all platforms name ads: each order makes one in an ad set of its own.
  const twice = [ours(campaigns), ours(adSets), ads.map(({ adSet }) => adSet)].flatMap((found) =>
    found.filter((name, at) => found.indexOf(name) !== at),
  );
  const keyed = orders.filter(({ key }) => key !== undefined);
  const doubled = keyed
    .map(({ name }) => ours(campaigns).filter((found) => found.startsWith(`${name} `)))
    .filter((found) => found.length > 1)
    .map((found) => found.join(', '));
  const records = await app.app.services.db.ads
    .find({ accountId: fixture.accountId }, { campaignName: 1, orderId: 1, status: 1 })
    .lean();
  // An order that is placed again after the first was given up under the same key has its names, too.
  const statuses = grouped(records, ({ campaignName, orderId }) => `${campaignName} ${orderId.slice(-8)}`);
  const statusesOf = (name: string): string[] => statuses.get(name)?.map(({ status }) => status) ?? ['unknown'];
  const leftRunning = campaigns
    .filter(
      ({ name, isOn }) => name.startsWith('Chaos ') && isOn && !statusesOf(name).some((one) => mayBeActive.has(one)),
    )
    .map(({ name }) => `${name} (${statusesOf(name).join(', ')})`);
  const unfinished = records
    .filter(({ status }) => status === 'creating' || status === 'unconfirmed')
    .map(({ campaignName, status }) => `${campaignName} (${status})`);
  return { twice, doubled, leftRunning, unfinished };
}

interface Named {
  name: string;
  /** Of an ad: where it stands. */
  adSet: string;
  isOn: boolean;
}

async function objectsAt(app: TestApp, subject: Subject, kind: string): Promise<Named[]> {
  const response = await fetch(`${app.sandbox.url}/control/${subject.simulated}/objects?type=${kind}`);
  const { objects } = (await response.json()) as { objects: Record<string, unknown>[] };
  return objects.map((object) => {
    const fields = { ...(object['fields'] as object | undefined), ...object } as Record<string, unknown>;
    const state = ['status', 'entity_status', 'operation_status'].map((member) => fields[member]);
    return {
      name: subject.nameOf(object),
      adSet: subject.adSetOf(object),
      isOn: state.some((value) => /^(ACTIVE|ENABLED?)$/.test(String(value))),
    };
  });
}

export const isSound = (report: AdsChaosReport): boolean =>
  (['twice', 'doubled', 'leftRunning', 'unfinished', 'elsewhere', 'differing'] as const).every(
    (member) => report[member].length === 0,
  );

/** `npm run chaos -- ads --runs 10000 --seed 7` */
if (process.argv[1]?.endsWith('chaos/ads.ts')) {
  const option = (name: string, fallback: number): number => {
    const at = process.argv.indexOf(`--${name}`);
    return at < 0 ? fallback : Number(process.argv[at + 1]);
  };
  const options = { runs: option('runs', 10_000), seed: option('seed', Date.now() % 1_000_000), killEvery: 50 };
  const report = await adsChaos({ ...options, say: (line) => process.stdout.write(`${line}\n`) });
  process.stdout.write(`${JSON.stringify(report, undefined, 2)}\n${isSound(report) ? 'sound' : 'BROKEN'}\n`);
  process.exit(isSound(report) ? 0 : 1);
}
