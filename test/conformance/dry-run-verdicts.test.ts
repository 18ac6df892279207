import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { platforms } from '../../src/contract/platforms.ts';
import type { Capability } from '../../src/contract/capability.ts';
import { startTestApp, type Answer, type TestApp } from '../support/app.ts';
import type { World } from '../support/world.ts';
import { goalsOf, goodAdOf, received, subjects, worldOf, type Entry, type Subject } from './subjects.ts';

type Body = Record<string, unknown>;

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp();
});
afterAll(() => app.stop());

const hour = 3_600_000;
const inHours = (hours: number): string => new Date(Date.now() + hours * hour).toISOString();

/** The same numbers in every run: a failure can be repeated. */
function numbers(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return Math.floor((state / 2_147_483_648) * below);
  };
}

/** Orders that each rule about money and time takes, and orders just beyond it. */
function orderOf(subject: Subject, world: World, at: number): Body {
  const pick = numbers(at * 7919 + subject.platform.charCodeAt(0));
  const one = <T>(values: readonly T[]): T => values[pick(values.length)] as T;
  const row: Capability = platforms[subject.platform];
  const goal = one(goalsOf(subject));
  // What counts conversions or leads belongs to the first ad account.
  const isYen = pick(3) === 0 && !['conversions', 'lead_generation'].includes(goal);
  const days = one([0.5, 1.2, 4, 9]);
  const isLifetime = pick(2) === 0;
  const least = isYen ? (row.budgetMinimum.inCurrency?.['JPY'] ?? 100) : row.budgetMinimum.amount;
  const wanted = least * (isLifetime ? Math.ceil(days) : 1);
  const strategy = one([undefined, ...row.bidStrategies]);
  const bidAmount = strategy && /CAP$/.test(strategy) ? one([1, 2, 1000]) : undefined;
  return {
    ...goodAdOf(app, subject, world, goal),
    ...(isYen && { adAccountId: world.adAccountIds.jpy, ...subject.inYen?.(world.connection) }),
    budgetType: isLifetime ? 'lifetime' : 'daily',
    budgetAmount: one([wanted, wanted, wanted * 3, Math.max(1, Math.floor(wanted / 2))]),
    ...((isLifetime || pick(2) === 0) && { endDate: inHours(days * 24) }),
    ...(strategy && { bidStrategy: strategy, bidAmount, ...(/ROAS/.test(strategy) && { roasAverageFloor: 2 }) }),
  };
}

const problemsOf = ({ body }: Answer): unknown => body.details?.fields ?? body.code;

describe.each(subjects)('the dry run on platform $platform', (subject) => {
  let world: World;
  beforeAll(async () => {
    world = await worldOf(app, subject);
  });
  const post = (body: Body): Promise<Answer> => app.call('POST', '/v1/ads/create', { key: world.key, body });
  const isMade = ({ method, path, status }: Entry): boolean =>
    method !== 'GET' && status < 400 && !/:search|token|targeting/.test(path);

  it.each(Array.from({ length: 14 }, (_, at) => at))('says of order %i what the real run says', async (at) => {
    const order = orderOf(subject, world, at);
    const dry = await post({ ...order, validateOnly: true });
    let real: Answer | undefined;
    const entries = await received(app, subject, async () => {
      real = await post(order);
    });
    const shown = JSON.stringify({ order, dry: dry.body, real: real?.body });
    expect([dry.status === 200, problemsOf(dry)], shown).toEqual([real?.status === 201, problemsOf(real as Answer)]);
    // A refusal that is known here leaves nothing behind.
    if (real?.status === 400) expect(entries.filter(isMade), shown).toEqual([]);
  });
});

describe('one yen a day', () => {
  it('is refused before anything is sent on A, with the minimum of the ad account', async () => {
    const subject = subjects.find(({ platform }) => platform === 'A') as Subject;
    const world = await worldOf(app, subject);
    const order = { ...goodAdOf(app, subject, world), adAccountId: world.adAccountIds.jpy, budgetAmount: 1 };
    for (const validateOnly of [true, false]) {
      const entries = await received(app, subject, async () => {
        expect(
          await app.call('POST', '/v1/ads/create', { key: world.key, body: { ...order, validateOnly } }),
        ).toMatchObject({
          status: 400,
          body: { param: 'budgetAmount', details: { fields: { budgetAmount: ['must be at least 100 JPY'] } } },
        });
      });
      expect(entries.filter(({ method }) => method !== 'GET')).toEqual([]);
    }
  });
});
