import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { startTestApp, type Answer, type TestApp } from '../support/app.ts';
import type { UserFixture } from '../support/user-fixture.ts';
import {
  discovered,
  fault,
  fixtureOf,
  goodAdOf,
  noFaults,
  received,
  subjects,
  type Entry,
  type Subject,
} from './platforms.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp();
});
afterAll(() => app.stop());
afterEach(() => noFaults(app));

const ofCampaign = ['B', 'C'];
const inDays = (days: number): string => new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 19) + 'Z';
const writesOf = (entries: Entry[]): Entry[] =>
  entries.filter(({ method, path }) => method !== 'GET' && !/:search|token/.test(path));

const madeAd = async (subject: Subject, fixture: UserFixture, extra: object = {}): Promise<Answer['body']> => {
  const body = { ...goodAdOf(app, subject, fixture), ...extra };
  const answer = await app.call('POST', '/v1/ads/create', { key: fixture.key, body });
  expect(answer).toMatchObject({ status: 201 });
  return answer.body.ad;
};

describe.each(subjects)('a change of the level that carries the budget on platform $platform', (subject) => {
  const isOfCampaign = ofCampaign.includes(subject.platform);
  let fixture: UserFixture;
  let ad: Answer['body'];
  beforeAll(async () => {
    fixture = await fixtureOf(app, subject);
    ad = await madeAd(subject, fixture);
  });
  const path = (): string =>
    isOfCampaign ? `/v1/ads/campaigns/${ad.platformCampaignId}` : `/v1/ads/ad-sets/${ad.platformAdSetId}`;
  const change = (body: object, key: string): Promise<Answer> =>
    app.call('PUT', path(), {
      key: fixture.key,
      body: { platform: subject.account, ...body },
      headers: { 'Idempotency-Key': key },
    });
  const amountOf = (answer: Answer): number => (answer.body.campaign ?? answer.body.adSet).budget.amount;

  it('whose answer is lost is recorded once it is repeated, and compares the expected budget only at first', async () => {
    const key = randomUUID();
    const body = { budgetAmount: 41, expectedBudgetAmount: 25 };
    const isWrite = { method: subject.platform === 'C' ? 'PATCH' : subject.platform === 'E' ? 'PUT' : 'POST' };
    const write = { A: '/#$', B: ':mutate$', C: 'campaigns$', D: 'update/$', E: 'line_items/*$', F: 'adCampaigns/#$' };
    await fault(app, subject, { fault: 'reset_after', match: { ...isWrite, path: write[subject.platform] }, times: 9 });
    expect((await change(body, key)).status).toBeGreaterThanOrEqual(500);
    await noFaults(app);
    const repeated = await change(body, key);
    expect(repeated).toMatchObject({ status: 200 });
    expect(amountOf(repeated)).toBe(41);
    // Compares with what the platform holds.
    expect(await change(body, randomUUID())).toMatchObject({
      status: 409,
      body: { code: 'budget_changed', details: { budget: { amount: 41 } } },
    });
    const { body: shown } = await app.call('GET', `/v1/ads/${ad._id}`, { key: fixture.key });
    expect(shown.ad.budget).toMatchObject({ amount: 41 });
  });
});

describe.each(subjects)('a campaign or an ad set that does not exist on platform $platform', (subject) => {
  it('is 404 after a search at the platform', async () => {
    const fixture = await fixtureOf(app, subject);
    const id = subject.platform === 'E' ? 'zzzz9' : '999999999999';
    for (const [path, code] of [
      [`campaigns/${id}`, 'campaign_not_found'],
      [`ad-sets/${id}`, 'ad_set_not_found'],
    ]) {
      const entries = await received(app, subject, async () => {
        const body = { platform: subject.account, budgetAmount: 40 };
        const answer = await app.call('PUT', `/v1/ads/${path}`, { key: fixture.key, body });
        expect(answer).toMatchObject({ status: 404, body: { code } });
      });
      expect(JSON.stringify(entries)).toContain(id);
    }
  });
});

describe.each(['A', 'D', 'E'])('the end date of a campaign on platform %s whose ad set carries it', (platform) => {
  const subject = subjects.find((one) => one.platform === platform) as Subject;

  it('changes through the only ad set', async () => {
    const fixture = await fixtureOf(app, subject);
    const ad = await madeAd(subject, fixture);
    const endDate = inDays(8);
    const body = { platform: subject.account, endDate };
    const path = `/v1/ads/campaigns/${ad.platformCampaignId}`;
    expect(await app.call('PUT', path, { key: fixture.key, body })).toMatchObject({ status: 200 });
    const { body: shown } = await app.call('GET', `/v1/ads/${ad._id}`, { key: fixture.key });
    expect(Date.parse(shown.ad.schedule.endDate)).toBe(Date.parse(endDate));
  });
});

describe.each(['B', 'C'])('the end date of a campaign on platform %s that carries it', (platform) => {
  const subject = subjects.find((one) => one.platform === platform) as Subject;

  it('is not changed by updateAdSet', async () => {
    const fixture = await fixtureOf(app, subject);
    const ad = await madeAd(subject, fixture);
    const entries = await received(app, subject, async () => {
      const body = { platform: subject.account, endDate: inDays(8) };
      const path = `/v1/ads/ad-sets/${ad.platformAdSetId}`;
      expect(await app.call('PUT', path, { key: fixture.key, body })).toMatchObject({
        status: 409,
        body: {
          code: 'schedule_level_mismatch',
          param: 'endDate',
          details: { level: 'campaign', use: 'updateCampaign' },
        },
      });
    });
    expect(writesOf(entries)).toEqual([]);
  });
});

describe('an ad set on platform F, which ends as its campaign does', () => {
  it.each(['ad_set', 'campaign'])(
    'is recorded with the earlier of both ends if the %s carries the budget, now and after the next discovery',
    async (budgetLevel) => {
      const subject = subjects.find(({ platform }) => platform === 'F') as Subject;
      const fixture = await fixtureOf(app, subject);
      const ends = [4, 5, 6, 8].map(inDays);
      const [four, five, six, eight] = ends;
      const ad = await madeAd(subject, fixture, { endDate: five, budgetLevel });
      const end = async (path: string, endDate: string | null | undefined): Promise<void> => {
        const body = { platform: subject.account, endDate };
        expect(await app.call('PUT', `/v1/ads/${path}`, { key: fixture.key, body })).toMatchObject({ status: 200 });
      };
      const shown = async (): Promise<number> => {
        const { body } = await app.call('GET', `/v1/ads/${ad._id}`, { key: fixture.key });
        return ends.findIndex((one) => Date.parse(one) === Date.parse(String(body.ad.schedule.endDate)));
      };
      const [ofCampaign, ofAdSet] = [`campaigns/${ad.platformCampaignId}`, `ad-sets/${ad.platformAdSetId}`];
      for (const [path, to, earlier] of [
        [ofCampaign, eight, 1],
        [ofCampaign, four, 0],
        [ofAdSet, six, 0],
        [ofCampaign, null, 2],
        [ofAdSet, null, -1],
      ] as const) {
        await end(path, to);
        expect(await shown(), `${path} ${to}`).toBe(earlier);
      }
      await end(ofCampaign, six);
      await end(ofAdSet, eight);
      await discovered(app, fixture);
      expect(await shown()).toBe(2);
    },
  );
});

describe('a campaign on platform A with two ad sets', () => {
  it('has no end date that updateCampaign changes, and ad sets that updateAdSet finds', async () => {
    const subject = subjects[0] as Subject;
    const fixture = await fixtureOf(app, subject);
    const adsets = [
      { name: 'One', ads: [{}] },
      { name: 'Two', ads: [{}] },
    ];
    const made = await fetch(`${app.sandbox.url}/control/network-a/campaigns`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ adAccountId: fixture.adAccountIds.usd, campaigns: [{ name: 'Both', adsets }] }),
    });
    const [campaign] = ((await made.json()) as { campaigns: { id: string; adsets: { id: string }[] }[] }).campaigns;
    const put = (path: string, body: object): Promise<Answer> =>
      app.call('PUT', `/v1/ads/${path}`, { key: fixture.key, body: { platform: subject.account, ...body } });
    const entries = await received(app, subject, async () => {
      expect(await put(`campaigns/${campaign?.id}`, { endDate: inDays(8) })).toMatchObject({
        status: 409,
        body: { code: 'schedule_level_mismatch', details: { level: 'ad_set', use: 'updateAdSet' } },
      });
    });
    expect(writesOf(entries)).toEqual([]);
    // An ad set that is not recorded is searched at the platform.
    expect(await put(`ad-sets/${campaign?.adsets[1]?.id}`, { budgetAmount: 33 })).toMatchObject({
      status: 200,
      body: { adSet: { name: 'Two', budget: { amount: 33 }, budgetLevel: 'ad_set' } },
    });
  });
});

describe('a campaign on platform D whose budget moved to it at the platform', () => {
  it('is named by the error of updateAdSet, and changed by updateCampaign', async () => {
    const subject = subjects.find(({ platform }) => platform === 'D') as Subject;
    const fixture = await fixtureOf(app, subject);
    const ad = await madeAd(subject, fixture);
    const put = (path: string): Promise<Answer> => {
      const body = { platform: subject.account, budgetAmount: 77 };
      return app.call('PUT', `/v1/ads/${path}`, { key: fixture.key, body });
    };
    await fetch(`${app.sandbox.url}/control/network-c/campaigns/${ad.platformCampaignId}`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ budget_optimize_on: true, budget_mode: 'BUDGET_MODE_DYNAMIC_DAILY_BUDGET', budget: 60 }),
    });
    expect(await put(`ad-sets/${ad.platformAdSetId}`)).toMatchObject({
      status: 409,
      body: { code: 'budget_level_mismatch', details: { level: 'campaign', budget: { amount: 60 } } },
    });
    expect(await put(`campaigns/${ad.platformCampaignId}`)).toMatchObject({
      status: 200,
      body: { campaign: { budget: { amount: 77 }, budgetLevel: 'campaign' } },
    });
  });
});

describe('a lifetime budget of a campaign on platform A whose ad set carries the end date', () => {
  const subject = subjects[0] as Subject;
  let fixture: UserFixture;
  let ad: Answer['body'];
  beforeAll(async () => {
    fixture = await fixtureOf(app, subject);
    const lifetime = { budgetLevel: 'campaign', budgetType: 'lifetime', budgetAmount: 100, endDate: inDays(5) };
    ad = await madeAd(subject, fixture, lifetime);
  });

  it.each([
    ['is lowered after the end date changes', 80, 6, ['platformAdSetId', 'platformCampaignId']],
    ['is raised before the end date changes', 120, 7, ['platformCampaignId', 'platformAdSetId']],
  ])('%s', async (_title, budgetAmount, days, order) => {
    const entries = await received(app, subject, async () => {
      const body = { platform: subject.account, budgetAmount, endDate: inDays(days) };
      const path = `/v1/ads/campaigns/${ad.platformCampaignId}`;
      expect(await app.call('PUT', path, { key: fixture.key, body })).toMatchObject({
        status: 200,
        body: { campaign: { budget: { amount: budgetAmount, type: 'lifetime' } } },
      });
    });
    expect(writesOf(entries).map(({ path }) => path.split('/').at(-1))).toEqual(order.map((member) => ad[member]));
  });
});
