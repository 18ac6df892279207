import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestApp, type Answer, type TestApp } from '../support/app.ts';
import type { UserFixture } from '../support/user-fixture.ts';
import * as pins from '../dev/sandbox/pins.ts';
import * as restli from '../dev/sandbox/restli.ts';
import * as search from '../dev/sandbox/search-ads.ts';
import { discovered, goodAdOf, received, subjects, fixtureOf, type Entry, type Subject } from './platforms.ts';

type Body = Record<string, unknown>;

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp();
});
afterAll(() => app.stop());

const subjectOf = (name: string): Subject => subjects.find(({ platform }) => platform === name) as Subject;

async function madeAd(subject: Subject, fixture: UserFixture): Promise<Answer['body']> {
  const body = goodAdOf(app, subject, fixture);
  return (await app.call('POST', '/v1/ads/create', { key: fixture.key, body })).body.ad;
}

const tree = async ({ key }: UserFixture): Promise<Answer['body']> =>
  (await app.call('GET', '/v1/ads/tree?limit=100', { key })).body.campaigns;

/** Reads the ads of the account, and answers the first ad of a campaign. */
async function discoveredAd(fixture: UserFixture, name: string): Promise<Answer['body']> {
  expect(await discovered(app, fixture)).toMatchObject({ status: 'completed' });
  const campaign = (await tree(fixture)).find((one: Body) => one['name'] === name);
  return campaign.adSets[0].ads[0];
}

/** An ad of a campaign that carries a budget of 50 a day for so many ad sets, made past the service. */
type Carry = (subject: Subject, fixture: UserFixture, adSets: number) => Promise<Answer['body']>;

const times = <T>(count: number, make: (at: number) => T): T[] => Array.from({ length: count }, (_, at) => make(at));

const carried: Record<string, Carry> = {
  async A(_subject, fixture, count) {
    const adsets = times(count, (at) => ({
      name: `set ${at}`,
      fields: { daily_budget: '0' },
      ads: [{ name: `Ad ${at}` }],
    }));
    const campaigns = [{ name: `Found ${count}`, fields: { daily_budget: '5000' }, adsets }];
    await fetch(`${app.sandbox.url}/control/network-a/campaigns`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ adAccountId: fixture.adAccountIds.usd, campaigns }),
    });
    return discoveredAd(fixture, `Found ${count}`);
  },
  async B(subject, fixture, count) {
    const ad = await madeAd(subject, fixture);
    const call = search.caller(app.sandbox.url, fixture.connection.accessToken);
    const id = fixture.adAccountIds.usd.replaceAll('-', '');
    const campaign = `customers/${id}/campaigns/${ad.platformCampaignId}`;
    const create = { campaign, name: 'Another', status: 'ENABLED', type: 'DISPLAY_STANDARD' };
    const mutateOperations = times(count - 1, () => ({ adGroupOperation: { create } }));
    if (count > 1) await call(`customers/${id}/googleAds:mutate`, { body: { mutateOperations } });
    return ad;
  },
  async C(subject, fixture, count) {
    const ad = await madeAd(subject, fixture);
    const call = pins.caller(app.sandbox.url, fixture.connection.accessToken);
    const account = `ad_accounts/${fixture.adAccountIds.usd}`;
    const { pin_id: pinId } = (await call('GET', `${account}/ads/${ad.platformAdId}`)).body;
    const made = async (kind: string, body: Body): Promise<string> =>
      (await call('POST', `${account}/${kind}`, [body])).body.items[0].data.id;
    const campaignId = await made(
      'campaigns',
      pins.campaign(fixture.adAccountIds.usd, { name: `Found ${count}`, daily_spend_cap: 50_000_000 }),
    );
    for (const at of times(count, (place) => place)) {
      const groupId = await made('ad_groups', pins.adGroup(campaignId, { name: `set ${at}` }));
      await made('ads', {
        ad_group_id: groupId,
        creative_type: 'REGULAR',
        pin_id: pinId,
        name: `Ad ${at}`,
        status: 'ACTIVE',
      });
    }
    return discoveredAd(fixture, `Found ${count}`);
  },
  async D(_subject, fixture, count) {
    const fields = { budget_optimize_on: true, budget_mode: 'BUDGET_MODE_DYNAMIC_DAILY_BUDGET', budget: 50 };
    const group = { budget_mode: 'BUDGET_MODE_INFINITE', budget: 0 };
    const adgroups = times(count, (at) => ({ name: `set ${at}`, fields: group, ads: [{ name: `Ad ${at}` }] }));
    await fetch(`${app.sandbox.url}/control/network-c/campaigns`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({
        advertiserId: fixture.adAccountIds.usd,
        campaigns: [{ name: `Found ${count}`, fields, adgroups }],
      }),
    });
    return discoveredAd(fixture, `Found ${count}`);
  },
  async F(subject, fixture, count) {
    const ad = await madeAd(subject, fixture);
    const call = restli.caller(app.sandbox.url, fixture.connection.accessToken);
    const account = `adAccounts/${fixture.adAccountIds.usd}`;
    const headers = { 'X-RestLi-Method': 'PARTIAL_UPDATE' };
    const group = `${account}/adCampaignGroups/${ad.platformCampaignId}`;
    const dynamic = {
      objectiveType: 'WEBSITE_VISIT',
      budgetOptimization: { budgetOptimizationStrategy: 'DYNAMIC', bidStrategy: 'MAXIMUM_DELIVERY' },
    };
    const dailyBudget = { amount: '50', currencyCode: 'USD' };
    await restli.patch(call, group, { ...dynamic, dailyBudget });
    const json = { patch: { $delete: ['dailyBudget'] } };
    await call('POST', `${account}/adCampaigns/${ad.platformAdSetId}`, { json, headers });
    const [organization] = (fixture.connection as unknown as restli.Person).organizations;
    for (const _ of times(count - 1, (at) => at)) {
      const { dailyBudget: _own, ...campaign } = restli.campaignOf(fixture.adAccountIds.usd, ad.platformCampaignId, {
        associatedEntity: organization?.urn,
      });
      const made = await call('POST', `${account}/adCampaigns`, { json: campaign });
      expect(made.status).toBe(201);
    }
    return ad;
  },
};

const writesOf = (entries: Entry[]): Entry[] =>
  entries.filter(({ method, path }) => method !== 'GET' && !/:search|token/.test(path));

describe.each(Object.keys(carried))('a campaign on platform %s that carries the budget', (platform) => {
  const subject = subjectOf(platform);
  const carry = carried[platform] as Carry;
  let fixture: UserFixture;
  beforeAll(async () => {
    fixture = await fixtureOf(app, subject);
  });
  const put = (adId: string, body: object): Promise<Answer> =>
    app.call('PUT', `/v1/ads/${adId}`, { key: fixture.key, body });
  const campaignOf = async (campaignId: string): Promise<Answer['body']> =>
    (await tree(fixture)).find((one: Body) => one['platformCampaignId'] === campaignId);

  it('is not changed through one of several ad sets, and the error names its level', async () => {
    const ad = await carry(subject, fixture, 2);
    const amount = platform === 'B' ? 25 : 50;
    const entries = await received(app, subject, async () => {
      expect(await put(ad._id, { budgetAmount: 77 })).toMatchObject({
        status: 409,
        body: {
          code: 'budget_level_mismatch',
          param: 'budgetAmount',
          details: {
            level: 'campaign',
            platformCampaignId: ad.platformCampaignId,
            use: 'updateCampaign',
            shared: false,
            budget: { amount, currency: 'USD', type: 'daily' },
          },
        },
      });
    });
    expect(writesOf(entries)).toEqual([]);
    const { budget, adSets } = await campaignOf(ad.platformCampaignId);
    expect(budget).toMatchObject({ amount, type: 'daily' });
    expect(adSets.map((adSet: Body) => adSet['budget'])).toEqual(adSets.map(() => null));
    for (const { ads } of adSets) for (const one of ads) expect(one.budget).toMatchObject({ amount, type: 'daily' });
  });

  it('gets the new budget if the ad is in its only ad set', async () => {
    const ad = await carry(subject, fixture, 1);
    const entries = await received(app, subject, async () => {
      expect(await put(ad._id, { budgetAmount: 77 })).toMatchObject({
        status: 200,
        body: { ad: { budget: { amount: 77 } } },
      });
    });
    expect(writesOf(entries)).toHaveLength(1);
    expect(JSON.stringify(writesOf(entries))).not.toContain(`"${ad.platformAdSetId}"`);
    const { budget, adSets } = await campaignOf(ad.platformCampaignId);
    expect(budget).toMatchObject({ amount: 77, type: 'daily' });
    expect(adSets[0]).toMatchObject({ budget: null, ads: [{ budget: { amount: 77, type: 'daily' } }] });
    // A second change reads what the first one wrote.
    expect(await put(ad._id, { budgetAmount: 60 })).toMatchObject({
      status: 200,
      body: { ad: { budget: { amount: 60 } } },
    });
  });
});

describe.each(Object.keys(carried))('updateCampaign on platform %s', (platform) => {
  const subject = subjectOf(platform);
  const carry = carried[platform] as Carry;
  let fixture: UserFixture;
  let ad: Answer['body'];
  let before: number;
  beforeAll(async () => {
    fixture = await fixtureOf(app, subject);
    ad = await carry(subject, fixture, 2);
    before = platform === 'B' ? 25 : 50;
  });
  const change = (path: string, body: Body): Promise<Answer> =>
    app.call('PUT', path, { key: fixture.key, body: { platform: subject.account, ...body } });
  const campaignPath = (): string => `/v1/ads/campaigns/${ad.platformCampaignId}`;
  const adSetPath = (): string => `/v1/ads/ad-sets/${ad.platformAdSetId}`;

  it('writes nothing if the budget is not the expected one, or with validateOnly', async () => {
    const entries = await received(app, subject, async () => {
      expect(await change(campaignPath(), { budgetAmount: 77, expectedBudgetAmount: 1 })).toMatchObject({
        status: 409,
        body: { code: 'budget_changed', param: 'expectedBudgetAmount', details: { budget: { amount: before } } },
      });
      expect(await change(campaignPath(), { budgetAmount: 77, validateOnly: true })).toMatchObject({
        status: 200,
        body: { message: 'Valid: the campaign was not changed' },
      });
    });
    expect(writesOf(entries)).toEqual([]);
  });

  it('is named by the error of updateAdSet if the campaign carries the budget', async () => {
    const entries = await received(app, subject, async () => {
      expect(await change(adSetPath(), { budgetAmount: 77 })).toMatchObject({
        status: 409,
        body: { code: 'budget_level_mismatch', details: { level: 'campaign', use: 'updateCampaign' } },
      });
    });
    expect(writesOf(entries)).toEqual([]);
  });

  it('changes the budget of the campaign, and of no ad set, in the record as at the platform', async () => {
    const entries = await received(app, subject, async () => {
      expect(await change(campaignPath(), { budgetAmount: 77, expectedBudgetAmount: before })).toMatchObject({
        status: 200,
        body: { campaign: { budget: { amount: 77, currency: 'USD', type: 'daily' }, budgetLevel: 'campaign' } },
      });
    });
    expect(writesOf(entries)).toHaveLength(1);
    expect(JSON.stringify(writesOf(entries))).not.toContain(`"${ad.platformAdSetId}"`);
    // The amount at the platform is the expected one now.
    expect(await change(campaignPath(), { budgetAmount: 78, expectedBudgetAmount: 77 })).toMatchObject({ status: 200 });
    const { adSets } = (await tree(fixture)).find((one: Body) => one['platformCampaignId'] === ad.platformCampaignId);
    for (const adSet of adSets) {
      expect(adSet).toMatchObject({ budget: null, budgetLevel: 'campaign' });
      for (const one of adSet.ads) expect(one).toMatchObject({ budget: { amount: 78 }, budgetLevel: 'campaign' });
    }
  });

  it('pauses before it renames, and activates last', async () => {
    const indexOf = (entries: Entry[], text: string): number =>
      writesOf(entries).findIndex((entry) => JSON.stringify(entry).includes(text));
    const off = await received(app, subject, async () => {
      const paused = await change(campaignPath(), { name: 'Paused name', status: 'PAUSED' });
      expect(paused).toMatchObject({ status: 200, body: { campaign: { platformStatus: 'paused' } } });
    });
    const on = await received(app, subject, async () => {
      const active = await change(campaignPath(), { name: 'Active name', status: 'ACTIVE' });
      expect(active).toMatchObject({
        status: 200,
        body: { campaign: { name: 'Active name', platformStatus: 'active' } },
      });
    });
    expect(writesOf(off)).toHaveLength(2);
    expect(indexOf(off, 'Paused name')).toBe(1);
    expect(indexOf(on, 'Active name')).toBe(0);
  });
});

describe.each(['A', 'D', 'E', 'F'])('updateAdSet on platform %s', (platform) => {
  const subject = subjectOf(platform);
  let fixture: UserFixture;
  let ad: Answer['body'];
  beforeAll(async () => {
    fixture = await fixtureOf(app, subject);
    ad = await madeAd(subject, fixture);
  });
  const change = (path: string, body: Body): Promise<Answer> =>
    app.call('PUT', path, { key: fixture.key, body: { platform: subject.account, ...body } });

  it('changes the budget of the ad set, and the budget of the ad follows', async () => {
    expect(await change(`/v1/ads/ad-sets/${ad.platformAdSetId}`, { budgetAmount: 31 })).toMatchObject({
      status: 200,
      body: { adSet: { budget: { amount: 31, type: 'daily' }, budgetLevel: 'ad_set' } },
    });
    const { body } = await app.call('GET', `/v1/ads/${ad._id}`, { key: fixture.key });
    expect(body.ad).toMatchObject({ budget: { amount: 31 }, budgetLevel: 'ad_set' });
  });

  it('is named by the error of updateCampaign, which writes nothing', async () => {
    const entries = await received(app, subject, async () => {
      expect(await change(`/v1/ads/campaigns/${ad.platformCampaignId}`, { budgetAmount: 40 })).toMatchObject({
        status: 409,
        body: { code: 'budget_level_mismatch', details: { level: 'ad_set', budget: null, use: 'updateAdSet' } },
      });
    });
    expect(writesOf(entries)).toEqual([]);
  });

  it('pauses and activates the ad set, and its ads follow', async () => {
    const path = `/v1/ads/ad-sets/${ad.platformAdSetId}`;
    const statusOf = async (): Promise<string> =>
      (await app.call('GET', `/v1/ads/${ad._id}`, { key: fixture.key })).body.ad.status;
    const running = await statusOf();
    expect(await change(path, { status: 'PAUSED' })).toMatchObject({ status: 200 });
    expect(await statusOf()).toBe('paused');
    expect(await change(path, { status: 'ACTIVE' })).toMatchObject({ status: 200 });
    expect(['active', running]).toContain(await statusOf());
  });

  it('does the same in GraphQL', async () => {
    const mutation =
      'mutation ($adSetId: String!, $input: UpdateAdSetInput!) { updateAdSet(adSetId: $adSetId, input: $input) { adSet { budget { amount } budgetLevel } } }';
    const input = { platform: subject.account.replaceAll('-', '_').toUpperCase(), budgetAmount: 32 };
    const { body } = await app.graphql(mutation, { adSetId: ad.platformAdSetId, input }, { key: fixture.key });
    expect(body.data?.updateAdSet.adSet).toEqual({ budget: { amount: 32 }, budgetLevel: 'AD_SET' });
  });
});

describe('a campaign that is not recorded', () => {
  const subject = subjectOf('A');

  it('is searched at the platform, changed and recorded', async () => {
    const fixture = await fixtureOf(app, subject);
    const campaigns = [{ name: 'Unread', fields: { daily_budget: '5000' }, adsets: [] }];
    const answer = await fetch(`${app.sandbox.url}/control/network-a/campaigns`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ adAccountId: fixture.adAccountIds.usd, campaigns }),
    });
    const id = /"(120\d{10,})"/.exec(await answer.text())?.[1];
    const body = { platform: subject.account, budgetAmount: 66 };
    expect(await app.call('PUT', `/v1/ads/campaigns/${id}`, { key: fixture.key, body })).toMatchObject({
      status: 200,
      body: { campaign: { name: 'Unread', isExternal: true, budget: { amount: 66 } } },
    });
    for (const [path, code] of [
      ['/v1/ads/campaigns/1209999999999', 'campaign_not_found'],
      ['/v1/ads/ad-sets/1219999999999', 'ad_set_not_found'],
    ] as const)
      expect(await app.call('PUT', path, { key: fixture.key, body })).toMatchObject({ status: 404, body: { code } });
  });
});

describe('budgetLevel of createAd', () => {
  it('gives the budget and the bid strategy to the campaign on platform A', async () => {
    const subject = subjectOf('A');
    const fixture = await fixtureOf(app, subject);
    const order = { ...goodAdOf(app, subject, fixture), bidStrategy: 'LOWEST_COST_WITH_BID_CAP', bidAmount: 2 };
    const create = (extra: Body): Promise<Answer> =>
      app.call('POST', '/v1/ads/create', { key: fixture.key, body: { ...order, ...extra } });
    const entries = await received(app, subject, async () => {
      expect(await create({ budgetLevel: 'campaign' })).toMatchObject({
        status: 201,
        body: { ad: { budget: { amount: 25 }, budgetLevel: 'campaign' } },
      });
    });
    const sent = (path: RegExp): string => JSON.stringify(writesOf(entries).find((entry) => path.test(entry.path)));
    expect(sent(/campaigns$/)).toMatch(/"daily_budget":"2500".*"bid_strategy":"LOWEST_COST_WITH_BID_CAP"/);
    expect(sent(/campaigns$/)).not.toContain('is_adset_budget_sharing_enabled');
    expect(sent(/adsets$/)).toContain('"bid_amount":"200"');
    expect(sent(/adsets$/)).not.toMatch(/daily_budget|bid_strategy/);
    const [campaign] = await tree(fixture);
    expect(campaign).toMatchObject({ budget: { amount: 25 }, budgetLevel: 'campaign', adSets: [{ budget: null }] });
    const endDate = new Date(Date.now() + 9 * 86_400_000).toISOString();
    const lifetime = { budgetLevel: 'campaign', budgetType: 'lifetime', budgetAmount: 100, endDate };
    expect(await create(lifetime)).toMatchObject({ status: 201 });
  });

  it.each([
    ['B', 'ad_set', 'takes campaign'],
    ['C', 'ad_set', 'takes campaign'],
    ['E', 'campaign', 'takes ad_set'],
  ])('is rejected on platform %s if it is %s', async (platform, budgetLevel, text) => {
    const subject = subjectOf(platform);
    const fixture = await fixtureOf(app, subject);
    const body = { ...goodAdOf(app, subject, fixture), budgetLevel };
    const answer = await app.call('POST', '/v1/ads/create', { key: fixture.key, body });
    expect(answer).toMatchObject({ status: 400, body: { code: 'invalid_field_value', param: 'budgetLevel' } });
    expect(JSON.stringify(answer.body)).toContain(text);
  });
});

describe('a budget that several campaigns share', () => {
  it('is not changed through an ad of one of them', async () => {
    const subject = subjectOf('B');
    const fixture = await fixtureOf(app, subject);
    const ad = await madeAd(subject, fixture);
    const call = search.caller(app.sandbox.url, fixture.connection.accessToken);
    const id = fixture.adAccountIds.usd.replaceAll('-', '');
    const campaignBudget = `customers/${id}/campaignBudgets/-1`;
    const budget = { resourceName: campaignBudget, name: 'Shared', amountMicros: '30000000', explicitlyShared: true };
    const update = { resourceName: `customers/${id}/campaigns/${ad.platformCampaignId}`, campaignBudget };
    const mutateOperations = [
      { campaignBudgetOperation: { create: budget } },
      { campaignOperation: { update, updateMask: 'campaignBudget' } },
    ];
    expect((await call(`customers/${id}/googleAds:mutate`, { body: { mutateOperations } })).status).toBe(200);
    const answer = await app.call('PUT', `/v1/ads/${ad._id}`, { key: fixture.key, body: { budgetAmount: 77 } });
    expect(answer).toMatchObject({
      status: 409,
      body: { code: 'budget_level_mismatch', details: { level: 'campaign', shared: true, budget: { amount: 30 } } },
    });
  });
});

describe('an ad created on platform C', () => {
  const subject = subjectOf('C');
  let fixture: UserFixture;
  beforeAll(async () => {
    fixture = await fixtureOf(app, subject);
  });
  const inDays = (days: number): string => new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 19) + 'Z';
  const campaignOf = async (campaignId: string): Promise<Answer['body']> =>
    (await tree(fixture)).find((one: Body) => one['platformCampaignId'] === campaignId);
  const upstream = async (kind: string, id: string): Promise<Body> =>
    (
      await pins.caller(app.sandbox.url, fixture.connection.accessToken)(
        'GET',
        `ad_accounts/${fixture.adAccountIds.usd}/${kind}/${id}`,
      )
    ).body;
  const seconds = (instant: string): number => Date.parse(instant) / 1000;

  it('has its budget on the campaign, in the record as at the platform, in both APIs', async () => {
    const ad = await madeAd(subject, fixture);
    expect(await upstream('campaigns', ad.platformCampaignId)).toMatchObject({
      is_campaign_budget_optimization: true,
      daily_spend_cap: 25_000_000,
      lifetime_spend_cap: null,
    });
    expect(await upstream('ad_groups', ad.platformAdSetId)).toMatchObject({
      budget_type: 'CBO_ADGROUP',
      budget_in_micro_currency: null,
      end_time: null,
    });
    const asCreated = await campaignOf(ad.platformCampaignId);
    expect(asCreated).toMatchObject({
      budget: { amount: 25, currency: 'USD', type: 'daily' },
      adSets: [{ budget: null, ads: [{ budget: { amount: 25 } }] }],
    });
    const query = '{ campaigns { nodes { platformCampaignId budget { amount type } } } }';
    const { body } = await app.call('POST', '/graphql', { key: fixture.key, body: { query } });
    expect(body.data?.campaigns.nodes).toContainEqual({
      platformCampaignId: ad.platformCampaignId,
      budget: { amount: 25, type: 'DAILY' },
    });
    await discoveredAd(fixture, asCreated.name);
    expect(await campaignOf(ad.platformCampaignId)).toMatchObject({
      budget: asCreated.budget,
      adSets: [{ budget: null, ads: [{ budget: { amount: 25 } }] }],
    });
  });

  it('has a lifetime budget and the end date on the campaign, and changes both there', async () => {
    const order = { budgetType: 'lifetime', budgetAmount: 100, endDate: inDays(5) };
    const created = await app.call('POST', '/v1/ads/create', {
      key: fixture.key,
      body: { ...goodAdOf(app, subject, fixture), ...order },
    });
    const { ad } = created.body;
    expect(await upstream('campaigns', ad.platformCampaignId)).toMatchObject({
      lifetime_spend_cap: 100_000_000,
      daily_spend_cap: null,
      end_time: seconds(order.endDate),
    });
    const later = inDays(6);
    const entries = await received(app, subject, async () => {
      const body = { budgetAmount: 200, endDate: later };
      expect(await app.call('PUT', `/v1/ads/${ad._id}`, { key: fixture.key, body })).toMatchObject({ status: 200 });
    });
    expect(writesOf(entries).map(({ path }) => path.split('/').at(-1))).toEqual(['campaigns']);
    expect(await upstream('campaigns', ad.platformCampaignId)).toMatchObject({
      lifetime_spend_cap: 200_000_000,
      end_time: seconds(later),
    });
    const { adSets } = await campaignOf(ad.platformCampaignId);
    expect(adSets).toMatchObject([{ endDate: new Date(later).toISOString() }]);
    await discoveredAd(fixture, ad.name);
    const found = await campaignOf(ad.platformCampaignId);
    expect(found).toMatchObject({ budget: { amount: 200, type: 'lifetime' }, adSets: [{ budget: null }] });
    expect(found.adSets).toMatchObject([{ endDate: adSets[0].endDate }]);
  });

  it('leaves nothing public if the platform rejects its ad group', async () => {
    const count = async (): Promise<number> => {
      const response = await fetch(`${app.sandbox.url}/control/pin-board/objects?type=pins`);
      return ((await response.json()) as { objects: unknown[] }).objects.length;
    };
    const before = await count();
    const body = { ...goodAdOf(app, subject, fixture), countries: ['KP'] };
    const entries = await received(app, subject, async () => {
      const answer = await app.call('POST', '/v1/ads/create', { key: fixture.key, body });
      expect(answer).toMatchObject({ status: 400, body: { param: 'countries' } });
    });
    expect(writesOf(entries).map(({ path }) => path.split('/').at(-1))).toEqual(['campaigns', 'ad_groups']);
    expect(await count()).toBe(before);
  });
});

/** How an object at the platform shows its budget: kind and amount. */
const budgetAt: Record<string, (object: Body) => unknown> = {
  D: ({ budget_mode: mode, budget }) => (budget ? [mode, budget] : undefined),
  F: ({ dailyBudget, totalBudget }) => {
    const [kind, money] = totalBudget ? ['total', totalBudget as Body] : ['daily', dailyBudget as Body | undefined];
    return money && [kind, Number(money['amount'])];
  },
};
const idAt = (object: Body): string => String(object['adgroup_id'] ?? object['campaign_id'] ?? object['id']);

describe.each([
  ['D', 'daily', ['BUDGET_MODE_DYNAMIC_DAILY_BUDGET', 80], ['BUDGET_MODE_DYNAMIC_DAILY_BUDGET', 90]],
  ['D', 'lifetime', ['BUDGET_MODE_TOTAL', 800], ['BUDGET_MODE_TOTAL', 900]],
  ['F', 'daily', ['daily', 80], ['daily', 90]],
  ['F', 'lifetime', ['total', 800], ['total', 900]],
] as const)(
  'an ad created on platform %s with a %s budget of the campaign',
  (platform, budgetType, asCreated, asChanged) => {
    const subject = subjectOf(platform);
    const inDays = (days: number): string => new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 19) + 'Z';
    const factor = budgetType === 'lifetime' ? 10 : 1;
    const order = {
      budgetLevel: 'campaign',
      budgetType,
      budgetAmount: 80 * factor,
      endDate: inDays(5),
    };
    let fixture: UserFixture;
    let ad: Answer['body'];
    beforeAll(async () => {
      fixture = await fixtureOf(app, subject);
      const body = { ...goodAdOf(app, subject, fixture), ...order };
      const answer = await app.call('POST', '/v1/ads/create', { key: fixture.key, body });
      expect(answer).toMatchObject({ status: 201 });
      ({ ad } = answer.body);
    });
    const at = async (kind: 'campaign' | 'adSet', id: string): Promise<Body> => {
      const response = await fetch(
        `${app.sandbox.url}/control/${subject.simulated}/objects?type=${subject.kinds[kind]}`,
      );
      const { objects } = (await response.json()) as { objects: Body[] };
      return objects.find((object) => idAt(object) === id) as Body;
    };
    const both = async (): Promise<unknown[]> =>
      [await at('campaign', ad.platformCampaignId), await at('adSet', ad.platformAdSetId)].map(
        budgetAt[platform] as never,
      );
    const own = async (): Promise<Answer['body']> =>
      (await tree(fixture)).find((one: Body) => one['platformCampaignId'] === ad.platformCampaignId);

    it('has it on the campaign and none on the ad set, in the record as at the platform', async () => {
      expect(await both()).toEqual([asCreated, undefined]);
      const budget = { amount: 80 * factor, type: budgetType };
      await discoveredAd(fixture, (await own()).name);
      expect(await own()).toMatchObject({ budget, adSets: [{ budget: null, ads: [{ budget }] }] });
      const [{ endDate }] = (await own()).adSets;
      expect(Date.parse(endDate)).toBe(Date.parse(order.endDate));
    });

    it('changes it and the end date where they are', async () => {
      const later = inDays(6);
      const change = { budgetAmount: 90 * factor, endDate: later };
      const answer = await app.call('PUT', `/v1/ads/${ad._id}`, { key: fixture.key, body: change });
      expect(answer).toMatchObject({ status: 200, body: { ad: { budget: { amount: 90 * factor } } } });
      expect(await both()).toEqual([asChanged, undefined]);
      await discoveredAd(fixture, (await own()).name);
      const [{ endDate }] = (await own()).adSets;
      expect(Date.parse(endDate)).toBe(Date.parse(later));
    });
  },
);

describe('a daily budget of the campaign on platform D', () => {
  it.each(['awareness', 'video_views', 'engagement'] as const)(
    'is rejected for %s before anything is created',
    async (goal) => {
      const subject = subjectOf('D');
      const fixture = await fixtureOf(app, subject);
      const order = { budgetLevel: 'campaign', budgetAmount: 80 };
      const entries = await received(app, subject, async () => {
        const body = { ...goodAdOf(app, subject, fixture, goal), ...order };
        const answer = await app.call('POST', '/v1/ads/create', { key: fixture.key, body });
        expect(answer).toMatchObject({ status: 400 });
        expect(answer.body.details.fields).toHaveProperty('budgetLevel', [expect.stringContaining(goal)]);
      });
      expect(writesOf(entries)).toEqual([]);
    },
  );
});

describe('an ad found on platform C whose campaign has no budget optimization', () => {
  it('changes budget and end date at the ad group', async () => {
    const subject = subjectOf('C');
    const fixture = await fixtureOf(app, subject);
    const call = pins.caller(app.sandbox.url, fixture.connection.accessToken);
    const account = `ad_accounts/${fixture.adAccountIds.usd}`;
    const campaignId = await pins.olderCampaign(app.sandbox.url, fixture.adAccountIds.usd, { name: 'Older' });
    const made = await call('POST', `${account}/ad_groups`, [pins.adGroup(campaignId, pins.ownBudget)]);
    const groupId = made.body.items[0].data.id;
    const { adAccounts: _, boards } = fixture.connection as unknown as pins.Connection;
    const pinId = (await call('POST', 'pins', pins.pin(boards[0]?.id))).body.id;
    await call('POST', `${account}/ads`, [
      { ad_group_id: groupId, pin_id: pinId, creative_type: 'REGULAR', name: 'Ad', status: 'ACTIVE' },
    ]);
    const ad = await discoveredAd(fixture, 'Older');
    const entries = await received(app, subject, async () => {
      const body = { budgetAmount: 30, endDate: '2099-01-01T00:00:00Z' };
      expect(await app.call('PUT', `/v1/ads/${ad._id}`, { key: fixture.key, body })).toMatchObject({ status: 200 });
    });
    expect(writesOf(entries).map(({ path }) => path.split('/').at(-1))).toEqual(['ad_groups']);
    expect((await call('GET', `${account}/ad_groups/${groupId}`)).body).toMatchObject({
      budget_in_micro_currency: 30_000_000,
      end_time: 4_070_908_800,
    });
    const campaign = (await tree(fixture)).find((one: Body) => one['name'] === 'Older');
    expect(campaign).toMatchObject({ budget: null, adSets: [{ budget: { amount: 30, type: 'daily' } }] });
  });
});
