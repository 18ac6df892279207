import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestApp, type Answer, type TestApp } from '../support/app.ts';
import type { UserFixture } from '../support/user-fixture.ts';
import * as pins from '../dev/sandbox/pins.ts';
import * as restli from '../dev/sandbox/restli.ts';
import * as search from '../dev/sandbox/search-ads.ts';
import { goodAdOf, received, subjects, fixtureOf, type Entry, type Subject } from './platforms.ts';

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
async function discovered(fixture: UserFixture, name: string): Promise<Answer['body']> {
  const path = `/v1/accounts/${fixture.accountId}/ads/sync`;
  await app.call('POST', path, { key: fixture.key });
  const state = async (): Promise<string> =>
    (await app.call('GET', path, { key: fixture.key })).body.discovery?.status ?? '';
  await expect.poll(state, { timeout: 30_000 }).toBe('completed');
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
    return discovered(fixture, `Found ${count}`);
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
      pins.campaign(fixture.adAccountIds.usd, {
        name: `Found ${count}`,
        is_campaign_budget_optimization: true,
        daily_spend_cap: 50_000_000,
      }),
    );
    for (const at of times(count, (place) => place)) {
      const group = { name: `set ${at}`, budget_type: 'CBO_ADGROUP', budget_in_micro_currency: null };
      const groupId = await made('ad_groups', pins.adGroup(campaignId, group));
      await made('ads', {
        ad_group_id: groupId,
        creative_type: 'REGULAR',
        pin_id: pinId,
        name: `Ad ${at}`,
        status: 'ACTIVE',
      });
    }
    return discovered(fixture, `Found ${count}`);
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
    return discovered(fixture, `Found ${count}`);
  },
  async F(subject, fixture, count) {
    const ad = await madeAd(subject, fixture);
    const call = restli.caller(app.sandbox.url, fixture.connection.accessToken);
    const account = `adAccounts/${fixture.adAccountIds.usd}`;
    const headers = { 'X-RestLi-Method': 'PARTIAL_UPDATE' };
    const group = `${account}/adCampaignGroups/${ad.platformCampaignId}`;
    const dynamic = { budgetOptimization: { budgetOptimizationStrategy: 'DYNAMIC' } };
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
            campaignId: ad.platformCampaignId,
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
