import { removalModes, type RemovalMode } from '../../src/contract/capability.ts';
import { platforms } from '../../src/contract/platforms.ts';
import { reconcileDueRemovals } from '../../src/services/removals/reconcile-removals.ts';
import { startTestApp, type Answer, type CallOptions, type TestApp } from '../support/app.ts';
import type { UserFixture } from '../support/user-fixture.ts';
import { pairReader } from '../conformance/budgets-at-platform.ts';
import { discovered, fault, fixtureOf, noFaults, subjects, type Subject } from '../conformance/platforms.ts';
import { levels, pastOf, placedAd, removalPath, stateAt, type Level } from '../conformance/removals-at-platform.ts';
import { faultNames, randomOf, startProcesses } from './ads.ts';

export interface RemovalChaosOptions {
  runs: number;
  seed: number;
  /** A process is killed in about one of so many runs. */
  killEvery: number;
}

export interface RemovalChaosReport {
  seed: number;
  runs: number;
  /** Removals that were answered with 2xx. */
  answered: number;
  kills: number;
  faults: number;
  /** Answered with 2xx, but not removed at the platform or in the record. */
  live: string[];
  /** Removed in one place only, or switched otherwise at the platform than in the record. */
  differing: string[];
  /** Removals that are neither completed nor given up. */
  unfinished: string[];
  /** Objects whose removal was published more than once, or not at all. */
  published: string[];
}

interface Lane {
  subject: Subject;
  fixture: UserFixture;
  random: () => number;
}

interface Removal {
  ad: Answer['body'];
  level: Level;
  mode: RemovalMode;
  isAnswered: boolean;
}

/** Random removals on all platforms under random failures and kills. What is answered with 2xx is gone. */
export async function removalChaos({ runs, seed, killEvery }: RemovalChaosOptions): Promise<RemovalChaosReport> {
  const rates = { PLATFORM_D_CALLS_PER_SECOND: '1000', PLATFORM_D_APP_CALLS_PER_SECOND: '1000' };
  // The ads are placed by this process, without failures.
  const app = await startTestApp({ ...rates, ROLE: 'api' });
  const processes = await startProcesses({ ...app.env, PLATFORM_TIMEOUT_SECONDS: '0.5' });
  const counts = { kills: 0, faults: 0 };
  const lanes = await Promise.all(
    subjects.map(async (subject, at): Promise<Lane> => ({
      subject,
      fixture: await fixtureOf(app, subject),
      random: randomOf(seed + at),
    })),
  );
  /** Undefined if the process dies. */
  const call = ({ fixture, random }: Lane, method: string, path: string, options: CallOptions = {}) =>
    processes
      .any(random)
      .call(method, path, { key: fixture.key, ...options })
      .catch(() => undefined);
  const disturb = async ({ subject, random }: Lane): Promise<void> => {
    for (let faults = Math.floor(random() * 3); faults > 0; faults -= 1) {
      counts.faults += 1;
      await fault(app, subject, {
        fault: faultNames[Math.floor(random() * faultNames.length)] ?? 'http_500',
        match: { method: random() < 0.3 ? 'GET' : random() < 0.5 ? 'DELETE' : 'POST' },
        times: 1 + Math.floor(random() * 3),
        skip: Math.floor(random() * 4),
      });
    }
    if (random() >= 1 / killEvery) return;
    counts.kills += 1;
    setTimeout(() => processes.kill(random), random() * 200);
  };
  const one = async (lane: Lane, ad: Answer['body']): Promise<Removal> => {
    const { subject, fixture, random } = lane;
    const level = levels[Math.floor(random() * levels.length)] ?? 'campaign';
    const modes = removalModes.filter((mode) => platforms[subject.platform].removal.includes(mode as never));
    const mode = modes[Math.floor(random() * modes.length)] ?? 'delete';
    const removal: Removal = { ad, level, mode, isAnswered: false };
    const path = removalPath(subject, ad, level, { mode, ...(level !== 'ad' && { confirm: 1 }) });
    const headers: Record<string, string> = random() < 0.7 ? { 'Idempotency-Key': `${seed}-${ad._id}` } : {};
    await disturb(lane);
    // A discovery may read what the removal writes meanwhile.
    if (random() < 0.3) await call(lane, 'POST', `/v1/accounts/${fixture.accountId}/ads/sync`);
    for (let attempts = 1 + Math.floor(random() * 4); attempts > 0 && !removal.isAnswered; attempts -= 1)
      removal.isAnswered = (await call(lane, 'DELETE', path, { headers }))?.status === 200;
    return removal;
  };
  try {
    const perLane = Math.ceil(runs / lanes.length);
    const placed = new Map<Lane, Answer['body'][]>();
    for (const lane of lanes) {
      const place = (_: unknown, at: number) =>
        placedAd(app, lane.subject, lane.fixture, { name: `Chaos ${lane.subject.platform}${at}` });
      placed.set(lane, await Promise.all(Array.from({ length: perLane }, place)));
    }
    const removals = await Promise.all(
      lanes.map(async (lane) => {
        const mine: Removal[] = [];
        for (const ad of placed.get(lane) ?? []) mine.push(await one(lane, ad));
        return mine;
      }),
    );
    await processes.idle();
    await noFaults(app);
    await reconcileAll(app);
    for (const { fixture } of lanes) await discovered(app, fixture);
    await relayed(app);
    const found = await Promise.all(lanes.map((lane, at) => evaluate(app, lane, removals[at] ?? [])));
    const all = removals.flat();
    return {
      seed,
      runs: all.length,
      answered: all.filter(({ isAnswered }) => isAnswered).length,
      ...counts,
      live: found.flatMap(({ live }) => live),
      differing: found.flatMap(({ differing }) => differing),
      published: found.flatMap(({ published }) => published),
      unfinished: (await app.app.services.db.removals.find({}).lean()).map(({ _id, kind }) => `${kind} ${_id}`),
    };
  } finally {
    await processes.stop();
    await app.stop();
  }
}

/** What the reconciler would do in the next hour. */
async function reconcileAll({ app: { services } }: TestApp): Promise<void> {
  for (let minutes = 10; minutes < 60; minutes += 5) {
    const later = { now: () => new Date(Date.now() + minutes * 60_000) };
    if ((await reconcileDueRemovals({ ...services, clock: later }, 5000, 60_000)) === 0) return;
  }
}

/** Waits until the worker has published what the outbox holds. */
async function relayed({ app: { services } }: TestApp): Promise<void> {
  const waiting = { 'pendingEvents.0': { $exists: true } };
  const { ads, adSets, campaigns } = services.db;
  const left = async (): Promise<number> => {
    const counts = [ads, adSets, campaigns].map((model) => (model as typeof ads).countDocuments(waiting));
    return (await Promise.all(counts)).reduce((sum, count) => sum + count, 0);
  };
  for (const until = Date.now() + 300_000; (await left()) > 0;) {
    if (Date.now() > until) throw new Error('The outbox is not published within five minutes');
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

type Evaluation = Pick<RemovalChaosReport, 'live' | 'differing' | 'published'>;

async function evaluate(app: TestApp, { subject, fixture }: Lane, removals: Removal[]): Promise<Evaluation> {
  const { db } = app.app.services;
  const { accountId, userId } = fixture;
  const read = await pairReader(app, subject);
  const events = (await db.webhookEvents.find({ userId }).lean()).map(({ body }) => JSON.parse(body as string) as Body);
  const found: Evaluation = { live: [], differing: [], published: [] };
  for (const { ad, level, mode, isAnswered } of removals) {
    const name = `${ad.name}, ${level}, ${mode}`;
    const { platformCampaignId, platformAdSetId } = ad;
    const [own, adSet, campaign] = await Promise.all([
      db.ads.findOne({ _id: ad._id }).lean().orFail(),
      db.adSets.findOne({ accountId, platformAdSetId }).lean().orFail(),
      db.campaigns.findOne({ accountId, platformCampaignId }).lean().orFail(),
    ]);
    const removal = { ad: own, ad_set: adSet, campaign }[level].removal ?? 'live';
    const there = await stateAt(app, subject, ad, level);
    if (isAnswered && (removal !== pastOf[mode] || there !== pastOf[mode]))
      found.live.push(`${name}: ${removal}, ${there}`);
    if (removal !== there) found.differing.push(`${name}: ${removal}, ${there} at the platform`);
    const isRunning = own.status === 'active' || own.status === 'pending_review';
    const switches = read({ campaignId: platformCampaignId, adSetId: platformAdSetId });
    const isOn = switches.campaign.isOn && switches.adSet.isOn;
    if (removal === 'live' && isRunning !== isOn)
      found.differing.push(`${name}: ${own.status}, ${isOn ? 'on' : 'off'}`);
    const times = events.filter((event) => isRemovalOf(event, { ad, level })).length;
    if (times !== (removal === 'live' ? 0 : 1)) found.published.push(`${name}: ${times} times`);
  }
  return found;
}

interface Body {
  event: string;
  ad?: Answer['body'];
  adSet?: Answer['body'];
  campaign?: Answer['body'];
}

function isRemovalOf({ event, ...blocks }: Body, { ad, level }: Pick<Removal, 'ad' | 'level'>): boolean {
  if (level === 'ad')
    return event === 'ad.status_changed' && blocks.ad._id === ad._id && blocks.ad.status === 'cancelled';
  if (level === 'ad_set') return event === 'ad_set.removed' && blocks.adSet.platformAdSetId === ad.platformAdSetId;
  return event === 'campaign.removed' && blocks.campaign.platformCampaignId === ad.platformCampaignId;
}

/** `npm run chaos -- removals --runs 1000 --seed 7` */
if (process.argv[1]?.endsWith('chaos/removals.ts')) {
  const option = (name: string, fallback: number): number => {
    const at = process.argv.indexOf(`--${name}`);
    return at < 0 ? fallback : Number(process.argv[at + 1]);
  };
  const report = await removalChaos({
    runs: option('runs', 1000),
    seed: option('seed', Date.now() % 1_000_000),
    killEvery: 25,
  });
  const isSound = (['live', 'differing', 'published', 'unfinished'] as const).every(
    (name) => report[name].length === 0,
  );
  process.stdout.write(`${JSON.stringify(report, undefined, 2)}\n${isSound ? 'sound' : 'BROKEN'}\n`);
  process.exit(isSound ? 0 : 1);
}
