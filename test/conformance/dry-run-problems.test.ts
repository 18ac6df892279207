import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Goal } from '../../src/contract/ad-enums.ts';
import { platforms } from '../../src/contract/platforms.ts';
import type { Capability } from '../../src/contract/capability.ts';
import { startTestApp, type Answer, type TestApp } from '../support/app.ts';
import type { UserFixture } from '../support/user-fixture.ts';
import { goalsOf, goodAdOf, received, subjects, fixtureOf, type Entry, type Subject } from './platforms.ts';
import { repeats, sampleOf } from '../support/sample.ts';

type Body = Record<string, unknown>;

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp({ ROLE: 'api' });
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

const windowsOf = (text: string): Body[] =>
  text.split(', ').map((one) => {
    const [eventType, days] = one.split(' ');
    return { eventType, windowDays: Number(days) };
  });
const [click1, click7, view] = ['CLICK_THROUGH 1', 'CLICK_THROUGH 7', 'VIEW_THROUGH 1'];
const engagedView = 'ENGAGED_VIDEO_VIEW 1';

/** Windows on A, and events on A and C, that the platform takes with some goals only. */
function counting(order: Body, { platform }: Subject, one: <T>(values: readonly T[]) => T): Body {
  const spec = one([undefined, click1, click7, 'CLICK_THROUGH 28', `${click7}, ${view}`, `${click1}, ${view}`]);
  const event = one([undefined, 'PURCHASE', 'LEAD', 'COMPLETE_REGISTRATION', 'CONTENT_VIEW', 'NO_SUCH_EVENT']);
  const promoted = order['promotedObject'] as Body | undefined;
  const isCounted = event !== undefined && promoted !== undefined && ['A', 'C'].includes(platform);
  return {
    ...(platform === 'A' && spec && { attributionSpec: windowsOf(spec) }),
    ...(isCounted && { promotedObject: { ...promoted, customEventType: event } }),
  };
}

/** Orders that each rule about money, time, ages and conversions takes, and orders just beyond it. */
function orderOf(subject: Subject, fixture: UserFixture, at: number): Body {
  const pick = numbers(at * 7919 + subject.platform.charCodeAt(0));
  const one = <T>(values: readonly T[]): T => values[pick(values.length)] as T;
  const row: Capability = platforms[subject.platform];
  const goal = one(goalsOf(subject));
  // What counts conversions or leads belongs to the first ad account.
  const isYen = pick(3) === 0 && !['conversions', 'lead_generation'].includes(goal);
  const days = one([0.5, 1.2, 4, 9]);
  const isLifetime = pick(2) === 0;
  const least = isYen ? (row.budgetMinimum.inCurrency?.['JPY'] ?? 100) : row.budgetMinimum.amount;
  const requested = least * (isLifetime ? Math.ceil(days) : 1);
  const strategy = one([undefined, ...row.bidStrategies]);
  const bidAmount = strategy && strategy.endsWith('CAP') ? one([1, 2, 1000]) : undefined;
  const good = goodAdOf(app, subject, fixture, goal);
  return {
    ...good,
    ...counting(good, subject, one),
    ageMin: one([undefined, undefined, undefined, 13, 18, 21, 25]),
    ageMax: one([undefined, undefined, undefined, 17, 24, 34, 54]),
    ...(isYen && { adAccountId: fixture.adAccountIds.jpy, ...subject.inYen?.(fixture.connection) }),
    budgetType: isLifetime ? 'lifetime' : 'daily',
    budgetAmount: one([requested, requested, requested * 3, Math.max(1, Math.floor(requested / 2))]),
    ...((isLifetime || pick(2) === 0) && { endDate: inHours(days * 24) }),
    ...(strategy && { bidStrategy: strategy, bidAmount, ...(/ROAS/.test(strategy) && { roasAverageFloor: 2 }) }),
  };
}

const isMade = ({ method, path, status }: Entry): boolean =>
  method !== 'GET' && status < 400 && !/:search|token|targeting/.test(path);
const problemsOf = ({ body }: Answer): unknown => body.details?.fields ?? body.code;

describe.each(subjects)('the dry run on platform $platform', (subject) => {
  let fixture: UserFixture;
  beforeAll(async () => {
    fixture = await fixtureOf(app, subject);
  });
  const post = (body: Body): Promise<Answer> => app.call('POST', '/v1/ads/create', { key: fixture.key, body });

  it.each(Array.from({ length: repeats(5, 14) }, (_, at) => at))(
    'returns the same problems for order %i as the real run',
    async (at) => {
      const order = orderOf(subject, fixture, at);
      const dry = await post({ ...order, validateOnly: true });
      let real: Answer | undefined;
      const entries = await received(app, subject, async () => {
        real = await post(order);
      });
      const shown = JSON.stringify({ order, dry: dry.body, real: real?.body });
      expect([dry.status === 200, problemsOf(dry)], shown).toEqual([real?.status === 201, problemsOf(real as Answer)]);
      // A refusal that is known here leaves nothing behind.
      if (real?.status === 400) expect(entries.filter(isMade), shown).toEqual([]);
    },
  );
});

const event = (customEventType: string, more: Body = {}): Body => ({
  promotedObject: { pixelId: '9', customEventType, ...more },
});
const returns = { bidStrategy: 'LOWEST_COST_WITH_MIN_ROAS', roasAverageFloor: 2 };
const spec = (windows: string): Body => ({ attributionSpec: windowsOf(windows) });
const around = (radius: number, unit: string): Body => ({
  cities: [{ key: '2421836', radius, distance_unit: unit, countryCode: 'US' }],
});
const [windows, counted] = ['attributionSpec', 'promotedObject.customEventType'];

/** Values that a platform looks at only after it has taken others, and where they are wrong. */
const values: [platform: string, goal: Goal, more: Body, wrong: string[]][] = [
  ['A', 'conversions', spec(`${click7}, ${view}`), []],
  ['A', 'conversions', spec(`${view}, ${click1}`), []],
  ['A', 'conversions', spec(view), [windows]],
  ['A', 'conversions', spec('CLICK_THROUGH 28'), [windows]],
  ['A', 'conversions', spec(`${click1}, ${view}, ${engagedView}`), [windows]],
  ['A', 'lead_generation', spec(click1), []],
  ['A', 'lead_generation', spec(click7), [windows]],
  ['A', 'lead_generation', { ...event('LEAD'), ...spec(`${click7}, ${view}`) }, []],
  ['A', 'app_promotion', spec(`${engagedView}, ${click1}, ${view}`), []],
  ['A', 'app_promotion', spec(click7), [windows]],
  ['A', 'app_promotion', { ...returns, ...spec(click7) }, []],
  ['A', 'app_promotion', { ...returns, ...spec(`${click1}, ${view}`) }, [windows]],
  ['A', 'traffic', spec(click7), []],
  ['A', 'conversions', event('CONTENT_VIEW'), []],
  ['A', 'conversions', event('VIEW_CONTENT'), [counted]],
  ['A', 'lead_generation', event('INITIATE_CHECKOUT'), [counted]],
  ['A', 'conversions', { ...event('NO_SUCH'), ...spec(view), ageMax: 15 }, ['ageMax', windows, counted]],
  ['A', 'traffic', event('NO_SUCH'), []],
  ['A', 'traffic', { ageMax: 17 }, ['ageMax']],
  ['A', 'traffic', { ageMin: 13, ageMax: 17 }, []],
  ['A', 'traffic', { ageMin: 13, ageMax: 17, advantageAudience: 1 }, []],
  ['A', 'traffic', { gender: 'female' }, []],
  ['A', 'traffic', around(10, 'mile'), []],
  ['A', 'traffic', around(9, 'mile'), ['cities.0.radius']],
  ['A', 'traffic', around(51, 'mile'), ['cities.0.radius']],
  ['A', 'traffic', around(17, 'kilometer'), []],
  ['A', 'traffic', around(16.9, 'kilometer'), ['cities.0.radius']],
  ['A', 'traffic', { countries: ['US'], ...around(20, 'mile') }, ['cities.0']],
  ['A', 'traffic', { countries: ['GB', 'US'], regions: [{ key: '3847', countryCode: 'US' }] }, ['regions.0']],
  ['A', 'traffic', { countries: ['GB'], regions: [{ key: '3847', countryCode: 'US' }] }, []],
  ['B', 'traffic', { ageMin: 21, ageMax: 30 }, ['ageMin', 'ageMax']],
  ['C', 'conversions', event('PURCHASE'), []],
  ['C', 'conversions', event('ADD_TO_CART'), []],
  ['C', 'conversions', event('SUBSCRIBE'), [counted]],
  ['C', 'conversions', { ...event('LEAD'), ageMin: 17, ageMax: 17 }, ['ageMin', 'ageMax', counted]],
  ['C', 'lead_generation', event('LEAD'), []],
  ['C', 'lead_generation', event('COMPLETE_REGISTRATION'), []],
  ['C', 'lead_generation', event('PURCHASE'), [counted]],
  ['C', 'traffic', { ageMax: 17 }, ['ageMax']],
  ['C', 'traffic', { ageMin: 18, ageMax: 18 }, []],
  // The advertiser may not show ads to minors in the US.
  ['D', 'traffic', { ageMax: 15 }, ['ageMax']],
  ['E', 'traffic', { ageMin: 20, body: 'x'.repeat(300) }, ['body', 'ageMin', 'ageMax']],
];

describe('a value that only some orders take', () => {
  const fixtures: Record<string, Promise<UserFixture>> = {};

  it.each(sampleOf(values, 14))(
    'on %s with %s: %j gives the same problems in both runs, wrong is %j',
    async (platform, goal, more, wrong) => {
      const subject = subjects.find(({ platform: name }) => name === platform) as Subject;
      const fixture = await (fixtures[platform] ??= fixtureOf(app, subject));
      const good = goodAdOf(app, subject, fixture, goal);
      // On C the tag belongs to the ad account.
      const promoted = more['promotedObject'] as Body | undefined;
      const tag = platform === 'C' ? (good['promotedObject'] as Body | undefined) : undefined;
      const order = { ...good, ...more, ...(promoted && { promotedObject: { ...promoted, ...tag } }) };
      for (const validateOnly of [true, false]) {
        let answer: Answer | undefined;
        const entries = await received(app, subject, async () => {
          answer = await app.call('POST', '/v1/ads/create', { key: fixture.key, body: { ...order, validateOnly } });
        });
        const isRefused = wrong.length > 0;
        const shown = JSON.stringify(answer?.body);
        expect(answer?.status, shown).toBe(isRefused ? 400 : validateOnly ? 200 : 201);
        expect(Object.keys(answer?.body.details?.fields ?? {}), shown).toEqual(wrong);
        if (isRefused) expect(entries.filter(isMade)).toEqual([]);
      }
    },
  );
});

describe('one yen a day', () => {
  it('is refused before anything is sent on A, with the minimum of the ad account', async () => {
    const subject = subjects.find(({ platform }) => platform === 'A') as Subject;
    const fixture = await fixtureOf(app, subject);
    const order = { ...goodAdOf(app, subject, fixture), adAccountId: fixture.adAccountIds.jpy, budgetAmount: 1 };
    for (const validateOnly of [true, false]) {
      const entries = await received(app, subject, async () => {
        expect(
          await app.call('POST', '/v1/ads/create', { key: fixture.key, body: { ...order, validateOnly } }),
        ).toMatchObject({
          status: 400,
          body: { param: 'budgetAmount', details: { fields: { budgetAmount: ['must be at least 100 JPY'] } } },
        });
      });
      expect(entries.filter(({ method }) => method !== 'GET')).toEqual([]);
    }
  });
});
