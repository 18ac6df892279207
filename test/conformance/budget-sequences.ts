import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { expect } from 'vitest';
import { platforms } from '../../src/contract/platforms.ts';
import { reconcileDueOrders } from '../../src/services/ads/reconcile-orders.ts';
import type { Answer, TestApp } from '../support/app.ts';
import type { UserFixture } from '../support/user-fixture.ts';
import {
  atPlatform,
  budgetWrites,
  differencesOf,
  endOf,
  isWrite,
  levelSwitches,
  objectsAt,
  pairAt,
  type Field,
  type Pair,
  type PairAtPlatform,
} from './budgets-at-platform.ts';
import { discovered, fault, fixtureOf, goodAdOf, noFaults, received, type Entry, type Subject } from './platforms.ts';

type Status = 'ACTIVE' | 'PAUSED';

export interface Order {
  level: 'campaign' | 'ad_set';
  type: 'daily' | 'lifetime';
  /** In how many days it ends; a lifetime budget always ends. */
  end: number | null;
  fault?: Fault;
}

interface Fault {
  fault: string;
  match: { method?: string };
  skip: number;
  times: number;
}

export type Step =
  | {
      call: 'updateAd' | 'updateAdSet' | 'updateCampaign';
      change: { budget?: number; end?: number | null; name?: string; status?: Status; expects?: boolean };
      hasKey: boolean;
      fault?: Fault;
    }
  | { platform: 'budget' | 'level'; amount: number }
  | { platform: 'end'; end: number }
  | { platform: 'status'; of: 'campaign' | 'ad_set'; status: Status }
  | { discover: true };

const amount = fc.integer({ min: 60, max: 99 });
const days = fc.integer({ min: 5, max: 9 });
const status = fc.constantFrom<Status>('ACTIVE', 'PAUSED');
// A platform that only stays silent costs time: its cases are those of a lost answer, in which it acts or does not.
const faults = fc.record({
  fault: fc.constantFrom('reset_after', 'http_500', 'html_502', 'rate_limited', 'transient', 'malformed'),
  match: fc.oneof(fc.constant({}), fc.constant({ method: 'GET' })),
  skip: fc.nat({ max: 4 }),
  times: fc.constantFrom(1, 9),
});

const change = fc
  .record(
    {
      budget: amount,
      end: fc.option(days),
      name: fc.constantFrom('Spring', 'Autumn'),
      status,
      expects: fc.boolean(),
    },
    { requiredKeys: [] },
  )
  .filter((given) => Object.keys(given).some((name) => name !== 'expects'));

const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record(
      {
        call: fc.constantFrom('updateAd', 'updateAdSet', 'updateCampaign'),
        change,
        hasKey: fc.boolean(),
        fault: faults,
      },
      { requiredKeys: ['call', 'change', 'hasKey'] },
    ),
  },
  { weight: 2, arbitrary: fc.record({ platform: fc.constantFrom('budget', 'level'), amount }) },
  { weight: 1, arbitrary: fc.record({ platform: fc.constant('end'), end: days }) },
  {
    weight: 1,
    arbitrary: fc.record({ platform: fc.constant('status'), of: fc.constantFrom('campaign', 'ad_set'), status }),
  },
  { weight: 1, arbitrary: fc.constant({ discover: true }) },
);

/** An order and what follows it; the levels are those of the platform. */
export const sequences = ({ platform }: Subject): fc.Arbitrary<[Order, Step[]]> =>
  fc.tuple(
    fc.record(
      {
        level: fc.constantFrom(...platforms[platform].budgetLevels),
        // Without a search campaign B spreads a lifetime budget over the days: only the order knows the sum.
        type: platform === 'B' ? fc.constant('daily') : fc.constantFrom('daily', 'lifetime'),
        end: fc.option(days),
        fault: faults,
      },
      { requiredKeys: ['level', 'type', 'end'] },
    ),
    fc.array(step, { minLength: 1, maxLength: 8 }),
  );

interface Scene extends Pair {
  app: TestApp;
  subject: Subject;
  fixture: UserFixture;
  adId: string;
  isLifetime: boolean;
  /** What may be recorded otherwise until the next discovery. */
  stale: Set<Field>;
}

const inDays = (count: number | null): string | null =>
  count === null ? null : new Date((Math.floor(Date.now() / 60_000) * 60 + count * 86_400) * 1000).toISOString();

/** Runs a sequence; throws if a record differs from the platform, or if anything is written twice or elsewhere. */
export async function runSequence(app: TestApp, subject: Subject, [order, steps]: [Order, Step[]]): Promise<void> {
  const scene = await ordered(app, subject, order);
  const problems: string[] = [];
  for (const [at, one] of [...steps, { discover: true } as const].entries()) {
    const found = await take(scene, one);
    problems.push(...found.map((problem) => `step ${at + 1}, ${JSON.stringify(one)}: ${problem}`));
    if (problems.length > 0) break;
  }
  await noFaults(app);
  expect(problems).toEqual([]);
}

/** Places an order, if need be again under its key, and makes sure that it is created once. */
async function ordered(app: TestApp, subject: Subject, order: Order): Promise<Scene> {
  const fixture = await fixtureOf(app, subject);
  const isLifetime = order.type === 'lifetime';
  const body = {
    ...goodAdOf(app, subject, fixture),
    budgetLevel: order.level,
    budgetType: order.type,
    budgetAmount: isLifetime ? 700 : 70,
    endDate: inDays(order.end ?? (isLifetime ? 7 : null)) ?? undefined,
  };
  const key = randomUUID();
  const place = (): Promise<Answer> =>
    app.call('POST', '/v1/ads/create', { key: fixture.key, body, headers: { 'Idempotency-Key': key } });
  if (order.fault) await fault(app, subject, order.fault);
  let answer = await place();
  await noFaults(app);
  if (answer.status !== 201) await reconciled(app);
  if (answer.status !== 201) answer = await place();
  expect(answer, `${JSON.stringify(order)}: ${JSON.stringify(answer.body)}`).toMatchObject({ status: 201 });
  const { ad } = answer.body;
  for (const kind of [subject.kinds.campaign, subject.kinds.adSet]) {
    const names = (await objectsAt(app, subject, kind)).map(subject.nameOf);
    expect(names.filter((name) => name.startsWith(`${String(body['name' as never])} `))).toHaveLength(1);
  }
  const { platformCampaignId: campaignId, platformAdSetId: adSetId } = ad;
  const scene = { app, subject, fixture, adId: ad._id, campaignId, adSetId, isLifetime, stale: new Set<Field>() };
  // The platform gives an ad set without an end its own.
  if (subject.platform === 'E' && order.end === null) scene.stale.add('end');
  expect(await differences(scene)).toEqual([]);
  return scene;
}

async function reconciled({ app: { services } }: TestApp): Promise<void> {
  for (let minutes = 10; minutes < 40; minutes += 5) {
    const later = { now: () => new Date(Date.now() + minutes * 60_000) };
    await reconcileDueOrders({ ...services, clock: later }, 100, { recheckMs: 60_000 });
  }
}

async function take(scene: Scene, one: Step): Promise<string[]> {
  if ('call' in one) return changed(scene, one);
  if ('discover' in one) return read(scene);
  await changeAtPlatform(scene, one);
  return differences(scene);
}

async function read(scene: Scene): Promise<string[]> {
  const { status } = await discovered(scene.app, scene.fixture);
  if (status !== 'completed') return [`the discovery is ${status}`];
  scene.stale.clear();
  return differences(scene);
}

const paths = {
  updateAd: ({ adId }: Scene) => adId,
  updateAdSet: ({ adSetId }: Scene) => `ad-sets/${adSetId}`,
  updateCampaign: ({ campaignId }: Scene) => `campaigns/${campaignId}`,
};

type Call = Extract<Step, { call: string }>;

async function changed(scene: Scene, { call, change: requested, hasKey, fault: injected }: Call): Promise<string[]> {
  const { app, subject, fixture } = scene;
  const before = await pairAt(app, subject, scene);
  const { budget, end, name, status: to, expects } = requested;
  const amountOf = (given: number): number => (scene.isLifetime ? given * 10 : given);
  const isAd = call === 'updateAd';
  const own = before.level === 'campaign' ? before.campaign.budget : before.adSet.budget;
  const expected = expects === undefined || isAd ? undefined : expects ? own?.amount : 1;
  const body = {
    ...(!isAd && { platform: subject.account }),
    ...(budget !== undefined && { budgetAmount: amountOf(budget) }),
    ...(end !== undefined && { endDate: inDays(end) }),
    ...(name !== undefined && { name }),
    ...(to !== undefined && !isAd && { status: to }),
    ...(expected !== undefined && { expectedBudgetAmount: expected }),
  };
  const key = randomUUID();
  const send = (): Promise<Answer> =>
    app.call('PUT', `/v1/ads/${paths[call](scene)}`, {
      key: fixture.key,
      body,
      ...(hasKey && { headers: { 'Idempotency-Key': key } }),
    });
  if (injected) await fault(app, subject, injected);
  let answer = {} as Answer;
  const entries = await received(app, subject, async () => (answer = await send()));
  await noFaults(app);
  const switched = call === 'updateCampaign' ? { campaign: to } : { ad_set: isAd ? undefined : to };
  const asked = Object.entries({ name, budget, end, ...switched }).filter(([, value]) => value !== undefined);
  const fields = asked.map(([field]) => field as Field);
  const problems = [...written(scene, before, entries), ...(await checked(scene, { answer, before, fields }))];
  if (hasKey) problems.push(...(await repeated(scene, send, answer, fields)));
  return problems;
}

/** Budgets are written only to the level that carries them. */
const written = ({ subject, ...pair }: Scene, { level }: PairAtPlatform, entries: Entry[]): string[] => {
  const elsewhere = budgetWrites(subject, pair, entries).filter((other) => other !== level);
  return elsewhere.map((other) => `a budget of the ${level} is written to the ${other}`);
};

interface Checked {
  answer: Answer;
  before: PairAtPlatform;
  fields: Field[];
}

/** What a success changed is recorded; what a failure may have changed is recorded by the next discovery. */
async function checked(scene: Scene, { answer, before, fields }: Checked): Promise<string[]> {
  const after = await pairAt(scene.app, scene.subject, scene);
  for (const field of fields) {
    if (answer.status < 300) scene.stale.delete(field);
    else if (JSON.stringify(partOf(before, field)) !== JSON.stringify(partOf(after, field))) scene.stale.add(field);
  }
  const found = await differences(scene, after);
  if (before.level !== after.level) found.push(`the budget moves from the ${before.level} to the ${after.level}`);
  return found.map((problem) => `${problem}, after ${answer.status} ${answer.body.code ?? ''}`);
}

/** The same call under the same key: after a success it writes nothing. */
async function repeated(scene: Scene, send: () => Promise<Answer>, first: Answer, fields: Field[]): Promise<string[]> {
  const { app, subject } = scene;
  const before = await pairAt(app, subject, scene);
  let answer = {} as Answer;
  const entries = await received(app, subject, async () => (answer = await send()));
  const problems = [...written(scene, before, entries), ...(await checked(scene, { answer, before, fields }))];
  if (first.status >= 300) return problems;
  if (answer.status !== first.status) problems.push(`the repetition answers ${answer.status}`);
  if (entries.some(isWrite)) problems.push('the repetition writes again');
  return problems;
}

const partOf = (pair: PairAtPlatform, field: Field): unknown =>
  ({
    name: [pair.campaign.name, pair.adSet.name],
    budget: [pair.level, pair.campaign.budget, pair.adSet.budget],
    end: endOf(pair),
    campaign: pair.campaign.isOn,
    ad_set: pair.adSet.isOn,
  })[field];

/** Changes what the service has not been asked to change. */
async function changeAtPlatform(scene: Scene, one: Extract<Step, { platform: string }>): Promise<void> {
  const { app, subject, fixture, isLifetime, campaignId, adSetId } = scene;
  const { level } = await pairAt(app, subject, scene);
  const adAccount = {
    id: fixture.adAccountIds.usd,
    currency: 'USD',
    timezone: 'America/New_York',
    name: '',
    isActive: true,
  };
  const ref = { adAccount, campaignId, adSetId };
  if (one.platform === 'level') {
    const to = level === 'campaign' ? 'ad_set' : 'campaign';
    if (isLifetime) return;
    await levelSwitches[subject.platform]?.(app, fixture, { campaignId, adSetId, to, amount: one.amount });
    scene.stale.add('budget');
    return;
  }
  const act: Parameters<typeof atPlatform>[2]['run'] = (adapter, access) => {
    if (one.platform === 'status')
      return one.of === 'campaign'
        ? adapter.setCampaignStatus(access, ref, one.status)
        : adapter.setAdSetStatus(access, ref, one.status);
    const isBudget = one.platform === 'budget';
    const budget = isBudget && {
      budget: { amount: one.amount * (isLifetime ? 10 : 1), type: isLifetime ? 'lifetime' : 'daily' } as const,
    };
    const written = { ...budget, ...(one.platform === 'end' && { endDate: inDays(one.end) }) };
    const isOfCampaign = isBudget ? level === 'campaign' : /[BC]/.test(subject.platform);
    return isOfCampaign ? adapter.updateCampaign(access, ref, written) : adapter.updateAdSet(access, ref, written);
  };
  await atPlatform(app, subject, { fixture, run: act });
  scene.stale.add(one.platform === 'status' ? one.of : one.platform);
}

/** Where the records differ from the platform, except in what may be stale. */
async function differences(scene: Scene, known?: PairAtPlatform): Promise<string[]> {
  const { app, subject, fixture, campaignId, stale } = scene;
  const there = known ?? (await pairAt(app, subject, scene));
  const { campaigns } = (await app.call('GET', '/v1/ads/tree?limit=100', { key: fixture.key })).body;
  const campaign = (campaigns as Answer['body'][]).find((one) => one.platformCampaignId === campaignId);
  const [adSet] = campaign.adSets;
  return differencesOf(there, { campaign, adSet, ad: adSet.ads[0] }, stale);
}
