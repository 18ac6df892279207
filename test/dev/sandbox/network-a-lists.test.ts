import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startSandbox, type Sandbox } from '../../../src/dev/sandbox/index.ts';
import { caller, connect, refused, type Call, type Fields, type Person } from './graph.ts';

let sandbox: Sandbox;
let person: Person;
let act: string;
const call: Call = (...args) => caller(sandbox.url, person.accessToken)(...args);
const control = async (path: string, body: object) => {
  const response = await fetch(`${sandbox.url}/control/network-a/${path}`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify(body),
  });
  return { status: response.status, body: (await response.json()) as any }; // eslint-disable-line typescript/no-explicit-any -- answers are read freely
};
const seed = async (campaigns: object[], account = person.adAccounts[0]?.id) =>
  (await control('campaigns', { adAccountId: account, campaigns })).body.campaigns;
const filtering = (field: string, operator: string, value: unknown): string =>
  `filtering=${encodeURIComponent(JSON.stringify([{ field, operator, value }]))}`;

beforeAll(async () => {
  sandbox = await startSandbox();
  person = await connect(sandbox.url);
  act = `act_${person.adAccounts[0]?.id}`;
});
afterAll(() => sandbox.stop());

describe('the tree of an account', () => {
  it('comes with every field of three flat lists', async () => {
    const [{ id }] = await seed([{ name: 'C', adsets: [{ name: 'S', ads: [{ name: 'A' }] }] }]);
    const fields = {
      campaigns:
        'id,name,objective,status,effective_status,daily_budget,lifetime_budget,bid_strategy,buying_type,start_time,stop_time,created_time,updated_time,source_campaign_id,special_ad_categories,issues_info',
      adsets:
        'id,name,campaign_id,status,effective_status,daily_budget,lifetime_budget,optimization_goal,billing_event,bid_strategy,bid_amount,bid_constraints,targeting,promoted_object,attribution_spec,dsa_beneficiary,dsa_payor,start_time,end_time,source_adset_id',
      ads: 'id,name,adset_id,campaign_id,status,effective_status,creative{id,object_story_id,thumbnail_url},issues_info,ad_review_feedback,created_time,source_ad_id',
    };
    const rows = [];
    for (const [edge, expected] of Object.entries(fields))
      rows.push((await call('GET', `${act}/${edge}?fields=${expected}`)).body.data.at(-1));
    expect(rows).toMatchObject([
      { id, objective: 'OUTCOME_TRAFFIC', special_ad_categories: [], effective_status: 'ACTIVE' },
      { campaign_id: id, daily_budget: '2000', targeting: { geo_locations: { countries: ['US'] } } },
      { campaign_id: id, creative: { id: expect.any(String), thumbnail_url: expect.any(String) } },
    ]);
  });

  it('is filtered by what stands above, by status and by time', async () => {
    const [one] = await seed([
      { name: 'One', adsets: [{ name: 'S', ads: [{ name: 'A' }, { name: 'B [review:pending]' }] }] },
      { name: 'Two', adsets: [{ name: 'S', ads: [{ name: 'C' }] }] },
    ]);
    const names = async (query: string): Promise<string[]> =>
      (await call('GET', `${act}/ads?fields=name&limit=500&${query}`)).body.data.map(({ name }: Fields) => name);
    expect(await names(filtering('campaign.id', 'IN', [one.id]))).toEqual(['A', 'B [review:pending]']);
    expect(await names(filtering('adset.id', 'EQUAL', one.adsets[0].id))).toHaveLength(2);
    expect(await names(filtering('ad.effective_status', 'IN', ['PENDING_REVIEW']))).toEqual(['B [review:pending]']);
    expect(await names(filtering('ad.updated_time', 'GREATER_THAN', Date.now() / 1000 + 60))).toEqual([]);
    expect(await call('GET', `${act}/ads?${filtering('name', 'LIKE', 'A')}`)).toMatchObject(refused(100));
  });

  it('nests with its own limits', async () => {
    const [{ id }] = await seed([{ name: 'C', adsets: [{ name: 'S' }, { name: 'T' }, { name: 'U' }] }]);
    const { body } = await call('GET', `${id}?fields=adsets.limit(2){name}`);
    expect(body.adsets.data).toHaveLength(2);
    expect(body.adsets.paging.next).toBeDefined();
  });

  it('of ten thousand ads is read in pages of five hundred, each ad once', async () => {
    const big = await connect(sandbox.url);
    const ads = Array.from({ length: 100 }, (_, at) => ({ name: `A ${at}` }));
    const adsets = Array.from({ length: 10 }, (_, at) => ({ name: `S ${at}`, ads }));
    const campaigns = Array.from({ length: 10 }, (_, at) => ({ name: `C ${at}`, adsets }));
    await seed(campaigns, big.adAccounts[0]?.id);
    const seen = new Set<string>();
    let after = '';
    for (let page = 0; page < 20; page++) {
      const path = `act_${big.adAccounts[0]?.id}/ads?fields=id,name,adset_id,campaign_id,effective_status&limit=500${after}`;
      const { body } = await call('GET', path, { token: big.accessToken });
      for (const { id } of body.data) seen.add(id);
      after = `&after=${body.paging.cursors.after}`;
      expect(body.paging.next === undefined).toBe(page === 19);
    }
    expect(seen.size).toBe(10_000);
    expect(await (await fetch(sandbox.url)).text()).toContain('network-a: ads (10');
  });

  it('is seeded only into an account that is there', async () => {
    expect((await control('campaigns', { adAccountId: '1', campaigns: [] })).status).toBe(400);
  });
});

describe('insights', () => {
  const figures = { impressions: 1000, clicks: 20, spend: 12.5 };
  const tree = {
    name: 'C',
    adsets: [
      {
        name: 'S',
        ads: [
          { name: 'A', figures },
          { name: 'B', figures },
        ],
      },
    ],
  };
  const idle = { name: 'C', status: 'PAUSED', adsets: [{ name: 'S', ads: [{ name: 'A' }] }] };

  it('of ads come by the account, page by page, without those that were never shown', async () => {
    const own = await connect(sandbox.url);
    const account = own.adAccounts[0]?.id;
    await seed([idle, tree], account);
    const path = `act_${account}/insights?level=ad&fields=ad_id,spend,impressions,clicks&date_preset=maximum&limit=2`;
    const first = (await call('GET', path, { token: own.accessToken })).body;
    expect(first.data).toHaveLength(1);
    expect(first.data[0]).toMatchObject({
      impressions: '1000',
      clicks: '20',
      spend: '12.50',
      date_stop: expect.any(String),
    });
    const next = await call('GET', `${path}&after=${first.paging.cursors.after}`, { token: own.accessToken });
    expect(next.body.data).toHaveLength(1);
    expect(next.body.paging.next).toBeUndefined();
  });

  it('of ads that are named come in full pages, and only for those below', async () => {
    const [{ adsets }] = await seed([tree, idle]);
    const ids: string[] = adsets[0].ads.map(({ id }: Fields) => id);
    const named = (field: string, value: unknown): string =>
      `&filtering=${encodeURIComponent(JSON.stringify([{ field, operator: 'IN', value }]))}`;
    const path = `${act}/insights?level=ad&fields=ad_id&date_preset=maximum&limit=1`;
    const first = (await call('GET', `${path}${named('ad.id', [...ids, '1', ids[0]])}`)).body;
    expect(first.data).toMatchObject([{ ad_id: ids[0] }]);
    const next = `${path}${named('ad.id', ids)}&after=${first.paging.cursors.after}`;
    expect((await call('GET', next)).body.data).toMatchObject([{ ad_id: ids[1] }]);
    const foreign = await connect(sandbox.url);
    const elsewhere = `act_${foreign.adAccounts[0]?.id}/insights?level=ad&fields=ad_id&date_preset=maximum${named('ad.id', ids)}`;
    expect((await call('GET', elsewhere, { token: foreign.accessToken })).body.data).toEqual([]);
    for (const wrong of [named('id', ids), named('ad.colour', ids), named('ad.id', ids[0])])
      expect(await call('GET', `${path}${wrong}`)).toMatchObject(refused(100));
  });

  it('add up above the ads, in the digits of the currency', async () => {
    const [{ id, adsets }] = await seed([tree], person.adAccounts[1]?.id);
    const query = 'insights?fields=spend,impressions,campaign_name,account_currency&date_preset=maximum';
    const expected = { spend: '25', impressions: '2000', campaign_name: 'C', account_currency: 'JPY' };
    expect((await call('GET', `${id}/${query}`)).body.data).toMatchObject([expected]);
    expect((await call('GET', `${adsets[0].id}/${query}&level=ad`)).body.data).toHaveLength(2);
    expect((await call('GET', `${adsets[0].ads[0].id}/${query}`)).body.data).toMatchObject([{ spend: '13' }]);
  });

  it.each(['level=page', 'fields=colour', 'date_preset=ever', 'time_range={"since":"x"}', 'after=nonsense'])(
    'refuse %s',
    async (query) => {
      expect(await call('GET', `${act}/insights?${query}`)).toMatchObject(refused(100));
    },
  );
});

describe('search', () => {
  const search = async (query: string) => (await call('GET', `search?${query}`)).body.data;
  const places = (type: string, q: string, more = ''): Promise<Fields[]> =>
    search(`type=adgeolocation&location_types=${encodeURIComponent(`["${type}"]`)}&q=${q}${more}`);

  it('finds countries, regions, cities and post codes of their kind only', async () => {
    expect(await places('country', 'jap')).toMatchObject([{ key: 'JP', type: 'country' }]);
    expect(await places('region', 'berl')).toMatchObject([{ name: 'Berlin', type: 'region', country_code: 'DE' }]);
    expect(await places('city', 'tor', '&country_code=CA')).toMatchObject([{ key: '296875', region_id: 528 }]);
    expect(await places('zip', '943')).toMatchObject([{ key: 'US:94304', primary_city: 'San Francisco' }]);
    expect(await call('GET', 'search?type=adgeolocation&location_types=["planet"]')).toMatchObject(refused(100));
  });

  it('finds languages and interests', async () => {
    expect(await search('type=adlocale&q=german')).toEqual([{ key: 5, name: 'German' }]);
    expect(await search('type=adinterest&q=foot')).toMatchObject([{ name: 'Football', path: expect.any(Array) }]);
  });
});

describe('changes that last', () => {
  it('reach campaigns, ad sets and ads alike', async () => {
    const [{ id, adsets }] = await seed([{ name: 'C', adsets: [{ name: 'S', ads: [{ name: 'A' }] }] }]);
    const later = '2037-01-01T00:00:00+0000';
    for (const [object, fields] of [
      [id, { name: 'C2', status: 'PAUSED', stop_time: later }],
      [adsets[0].id, { name: 'S2', daily_budget: 3000, end_time: later }],
      [adsets[0].ads[0].id, { name: 'A2', status: 'PAUSED' }],
    ] as const) {
      expect((await call('POST', object, { fields })).body).toEqual({ success: true });
      const asked = Object.keys(fields).join(',');
      const expected = { ...fields, ...('daily_budget' in fields && { daily_budget: '3000' }) };
      expect((await call('GET', `${object}?fields=${asked}`)).body).toMatchObject(expected);
    }
    expect(await call('POST', id, { fields: { stop_time: '2020-01-01T00:00:00+0000' } })).toMatchObject(
      refused(100, 1487033),
    );
  });
});
