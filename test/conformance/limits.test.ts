import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Capability } from '../../src/contract/capability.ts';
import { platforms } from '../../src/contract/platforms.ts';
import { startTestApp, type Answer, type TestApp } from '../support/app.ts';
import type { UserFixture } from '../support/user-fixture.ts';
import { goalsOf, goodAdOf, namesAt, received, subjects, fixtureOf } from './platforms.ts';
import { sampleOf } from '../support/sample.ts';

type Body = Record<string, unknown>;

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp({ ROLE: 'api' });
});
afterAll(() => app.stop());

let marks = 0;
/** Letters of which no two are alike, so that no platform takes two texts for one. */
const textOf = (length: number): string =>
  `${'x'.repeat(length)}`.replace(/^x{4}/, `t${String((marks += 1)).padStart(3, '0')}`);

describe.each(subjects)('platform $platform', (subject) => {
  let fixture: UserFixture;
  beforeAll(async () => {
    fixture = await fixtureOf(app, subject);
  });
  const row: Capability = platforms[subject.platform];
  const post = (body: Body): Promise<Answer> => app.call('POST', '/v1/ads/create', { key: fixture.key, body });
  const search = {
    campaignType: 'search',
    images: undefined,
    keywords: ['garden shears'],
    additionalHeadlines: ['Sharp tools', 'Free returns'],
    additionalDescriptions: ['Order today.'],
  };
  const isOfSearch = (field: string): boolean => field.startsWith('additional');
  // F's own limit of a headline is tighter than the rule; it has a test of its own.
  const limits = row.rules
    .flatMap((rule) => ('max' in rule ? [rule] : []))
    .filter(({ of }) => subject.platform !== 'F' || of !== 'headline');
  const without = (field: string, length: number): Body => {
    const ad = goodAdOf(app, subject, fixture);
    if (!isOfSearch(field)) return { ...ad, [field]: textOf(length) };
    const texts = search[field as 'additionalHeadlines'].toSpliced(0, 1, textOf(length));
    return { ...ad, ...search, [field]: texts };
  };
  const sent = (run: () => Promise<unknown>) =>
    received(app, subject, run).then((entries) => entries.filter(({ method }) => method !== 'GET'));

  it.each(sampleOf(limits, 3).map(({ of, max, taken }) => [of, max - (taken?.characters ?? 0)] as const))(
    '%s of %i characters is accepted by the platform, and one more by neither API nor platform',
    async (field, max) => {
      const longest = await post(without(field, max));
      expect(longest.body.details?.fields).toBeUndefined();
      expect(longest.status).toBe(201);
      const writes = await sent(async () => {
        const beyond = await post(without(field, max + 1));
        const path = isOfSearch(field) ? `${field}.0` : field;
        expect(beyond).toMatchObject({ status: 400, body: { code: 'invalid_field_value', param: path } });
      });
      expect(writes).toEqual([]);
    },
  );

  it('a name of 255 characters is taken, cut so that its end stays, and one more is not', async () => {
    const { body, status } = await post({ ...goodAdOf(app, subject, fixture), name: 'n'.repeat(255) });
    expect(status).toBe(201);
    const name = 'n'.repeat(255);
    expect(body.ad).toMatchObject({ name, campaignName: name });
    const cut = expect.stringMatching(new RegExp(`^n+ ${body.ad._id.slice(-8)}$`));
    expect(await namesAt(app, subject, subject.kinds.campaign)).toContainEqual(cut);
    expect(await post({ ...goodAdOf(app, subject, fixture), name: 'n'.repeat(256) })).toMatchObject({
      status: 400,
      body: { param: 'name' },
    });
  });

  it('the smallest budget is taken or the platform’s own refusal names the field, and a cent less is sent nowhere', async () => {
    const { amount } = row.budgetMinimum;
    const least = await post({ ...goodAdOf(app, subject, fixture), budgetAmount: amount });
    if (least.status !== 201) expect(least).toMatchObject({ status: 400, body: { param: 'budgetAmount' } });
    const writes = await sent(async () => {
      const less = await post({ ...goodAdOf(app, subject, fixture), budgetAmount: amount - 0.01 });
      expect(less).toMatchObject({ status: 400, body: { param: 'budgetAmount' } });
    });
    expect(writes).toEqual([]);
  });

  it('every button and every bid strategy that it declares is taken by the platform', async () => {
    for (const callToAction of sampleOf(row.callsToAction, 3)) {
      const answer = await post({ ...goodAdOf(app, subject, fixture), callToAction });
      expect(answer.body.details?.fields, callToAction).toBeUndefined();
      expect(answer.status, callToAction).toBe(201);
    }
    for (const bidStrategy of row.bidStrategies) {
      const expected: readonly string[] = row.bidGoals?.[bidStrategy] ?? [];
      const isReturn = bidStrategy === 'LOWEST_COST_WITH_MIN_ROAS';
      const goal = goalsOf(subject).find((one) =>
        isReturn ? one === 'conversions' : !expected.length || expected.includes(one),
      );
      const answer = await post({
        ...goodAdOf(app, subject, fixture, goal),
        bidStrategy,
        ...(['LOWEST_COST_WITH_BID_CAP', 'COST_CAP'].includes(bidStrategy) && { bidAmount: 2 }),
        ...(isReturn && { roasAverageFloor: 2 }),
      });
      expect(answer.body.details?.fields, `${bidStrategy} for ${goal}`).toBeUndefined();
      expect(answer.status, `${bidStrategy} for ${goal}`).toBe(201);
    }
  });
});
