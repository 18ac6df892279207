import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startSandbox, type Sandbox } from '../../../src/dev/sandbox/index.ts';
import { createNetworkC } from '../../../src/dev/sandbox/network-c/index.ts';
import { createState } from '../../../src/dev/sandbox/state.ts';
import {
  adgroup,
  campaign,
  caller,
  connect,
  control,
  inHours,
  refused,
  type Answer,
  type Call,
  type Fields,
  type Person,
} from './short-video.ts';

let sandbox: Sandbox;
let person: Person;
let advertiser: string;

beforeAll(async () => {
  sandbox = await startSandbox();
  person = await connect(sandbox.url);
  advertiser = person.adAccounts[0]?.id ?? '';
});
afterAll(() => sandbox.stop());

const call: Call = (...args) => caller(sandbox.url, person.accessToken)(...args);
const get = (path: string, fields: Fields = {}): Promise<Answer> =>
  call('GET', path, { advertiser_id: advertiser, ...fields });
const post = (path: string, fields: Fields): Promise<Answer> =>
  call('POST', path, { advertiser_id: advertiser, ...fields });
const newCampaign = async (extra: Fields = {}): Promise<string> =>
  (await post('campaign/create/', campaign(extra))).data.campaign_id;
const seed = async (campaigns: Fields[], account = advertiser): Promise<any> =>
  (await control(sandbox.url, 'campaigns', { advertiserId: account, campaigns })).campaigns;
const tree = (ads: number, groups = 1): Fields => ({
  name: 'Tree',
  adgroups: Array.from({ length: groups }, (_group, no) => ({
    name: `Group ${no}`,
    ads: Array.from({ length: ads }, (_ad, place) => ({ name: `Ad ${place}` })),
  })),
});

describe('transport', () => {
  it('answers in the envelope, on HTTP 200, with ids as text of 19 digits', async () => {
    const answer = await post('campaign/create/', campaign());
    expect(answer).toMatchObject({ status: 200, code: 0, message: 'OK', request_id: expect.stringMatching(/^20/) });
    expect(answer.headers.get('x-tt-logid')).toBe((answer as unknown as Fields)['request_id']);
    expect(answer.data.campaign_id).toMatch(/^\d{19}$/);
    expect(await post('campaign/create/', {})).toMatchObject(refused(40002, 'campaign_name'));
  });

  it('does not know a path without its last slash, nor another version', async () => {
    expect((await get('campaign/get')).status).toBe(404);
    const old = `${sandbox.url}/network-c/open_api/v1.2/campaign/get/`;
    expect(await (await fetch(old)).json()).toMatchObject({ code: 40051 });
  });

  it('takes bodies as JSON only', async () => {
    const response = await fetch(`${sandbox.url}/network-c/open_api/v1.3/campaign/create/`, {
      method: 'POST',
      headers: { 'Access-Token': person.accessToken },
      body: new URLSearchParams({ advertiser_id: advertiser, campaign_name: 'C' }),
    });
    expect(await response.json()).toMatchObject({ code: 40002 });
  });

  it.each([
    ['fields', 'campaign_id'],
    ['fields', ['colour']],
    ['filtering', '[1]'],
    ['filtering', { colour: 'red' }],
    ['page_size', '1001'],
    ['page', '0'],
  ])('refuses the query %s=%j', async (name, value) => {
    expect(await get('campaign/get/', { [name]: value })).toMatchObject(refused(40002, name));
  });
});

describe('tokens and people', () => {
  it('are refused each in their way: missing, unknown, expired, revoked', async () => {
    const { accessToken: token, adAccounts } = await connect(sandbox.url);
    const read = (own: string | null): Promise<Answer> =>
      call('GET', 'campaign/get/', { advertiser_id: adAccounts[0]?.id }, own);
    expect(await read(null)).toMatchObject(refused(40104));
    expect(await read('nonsense')).toMatchObject(refused(40105));
    for (const [action, code] of [
      ['expire', 40102],
      ['invalidate', 40105],
      ['restore', 0],
    ] as const) {
      await control(sandbox.url, `tokens/${action}`, { token });
      expect(await read(token)).toMatchObject({ code });
    }
    const bearer = { headers: { Authorization: `Bearer ${token}` } };
    const url = `${sandbox.url}/network-c/open_api/v1.3/campaign/get/?advertiser_id=${advertiser}`;
    expect(await (await fetch(url, bearer)).json()).toMatchObject({ code: 40104 });
  });

  it('reach their own advertisers only', async () => {
    const other = await connect(sandbox.url);
    expect(await get('campaign/get/', { advertiser_id: other.adAccounts[0]?.id })).toMatchObject(refused(40001));
    const listed = await call('GET', 'oauth2/advertiser/get/', { app_id: '1', secret: 's' });
    expect(listed.data.list.map((each: Fields) => each['advertiser_id'])).toEqual(
      person.adAccounts.map(({ id }) => id),
    );
    const ids = person.adAccounts.map(({ id }) => id);
    const info = await call('GET', 'advertiser/info/', { advertiser_ids: ids, fields: ['currency', 'status'] });
    expect(info.data.list).toEqual([
      { advertiser_id: ids[0], currency: 'USD', status: 'STATUS_ENABLE' },
      { advertiser_id: ids[1], currency: 'JPY', status: 'STATUS_ENABLE' },
    ]);
  });

  it('come by a code that is good once and for its own app', async () => {
    const platform = createNetworkC(createState());
    const code = platform.grant?.({ clientId: 'app', redirectUri: 'https://a.example/', name: 'New' });
    const exchange = async (app: string): Promise<any> => {
      const body = { app_id: app, secret: 's', auth_code: code };
      const url = 'http://127.0.0.1/network-c/open_api/v1.3/oauth2/access_token/';
      const headers = { 'content-type': 'application/json' };
      const path = '/open_api/v1.3/oauth2/access_token/';
      const rest = { query: {}, rawQuery: '', form: {}, bytes: Buffer.alloc(0), token: undefined };
      return (await platform.answer({ method: 'POST', path, body, json: body, headers, url, ...rest })).body;
    };
    expect(await exchange('another')).toMatchObject({ code: 40110 });
    const { data } = await exchange('app');
    expect(data).toEqual({
      access_token: expect.any(String),
      advertiser_ids: [expect.any(String)],
      scope: expect.any(Array),
    });
    expect(await exchange('app')).toMatchObject({ code: 40110 });
    expect(platform.people?.()).toMatchObject([{ name: 'New' }]);
  });
});

describe('reading', () => {
  it('pages newest first and says how many there are', async () => {
    const other = await connect(sandbox.url, ['USD']);
    const account = other.adAccounts[0]?.id ?? '';
    const [made] = await seed([tree(25)], account);
    const adIds = made.adgroups[0].adIds.toReversed();
    const page = (no: number): Promise<Answer> =>
      call('GET', 'ad/get/', { advertiser_id: account, page: no, fields: ['ad_id'] }, other.accessToken);
    const pages = [await page(1), await page(2), await page(3), await page(4)];
    expect(pages.flatMap(({ data }) => data.list.map((ad: Fields) => ad['ad_id']))).toEqual(adIds);
    expect(pages.map(({ data }) => data.list.length)).toEqual([10, 10, 5, 0]);
    expect(pages[2]?.data.page_info).toEqual({ page: 3, page_size: 10, total_number: 25, total_page: 3 });
  });

  it('answers an empty list for an id that does not exist or belongs to another user', async () => {
    const other = await connect(sandbox.url);
    const [foreign] = await seed([tree(1)], other.adAccounts[0]?.id);
    for (const id of ['1', foreign.campaignId]) {
      const answer = await get('campaign/get/', { filtering: { campaign_ids: [id] } });
      expect(answer).toMatchObject({ code: 0, data: { list: [], page_info: { total_number: 0, total_page: 0 } } });
    }
    const many = Array.from({ length: 101 }, (_, no) => String(no));
    expect(await get('campaign/get/', { filtering: { campaign_ids: many } })).toMatchObject(refused(40011));
  });

  it('filters by parents, names, times and state', async () => {
    const [made] = await seed([{ ...tree(2, 2), name: 'Found by its name' }]);
    const ids = async (path: string, filtering: Fields): Promise<string[]> =>
      (await get(path, { filtering, fields: [`${path.split('/')[0]}_id`] })).data.list.map(
        (each: Fields) => Object.values(each)[0],
      );
    expect(await ids('ad/get/', { campaign_ids: [made.campaignId] })).toHaveLength(4);
    expect(await ids('ad/get/', { adgroup_ids: [made.adgroups[1].adgroupId], ad_name: 'Ad 1' })).toEqual([
      made.adgroups[1].adIds[1],
    ]);
    const named = { campaign_name: 'Found by its name' };
    expect(await ids('campaign/get/', { ...named, creation_filter_start_time: inHours(-1) })).toEqual([
      made.campaignId,
    ]);
    expect(await ids('campaign/get/', { ...named, creation_filter_start_time: inHours(1) })).toEqual([]);
    const many = { campaign_ids: Array.from({ length: 21 }, (_, no) => String(no)), operation_status: 'DELETE' };
    expect((await post('campaign/status/update/', many)).message).toContain('More than 20 ids');
    await post('campaign/status/update/', { campaign_ids: [made.campaignId], operation_status: 'DELETE' });
    expect(await ids('campaign/get/', named)).toEqual([]);
    expect(await ids('ad/get/', { campaign_ids: [made.campaignId] })).toEqual([]);
    expect(await ids('campaign/get/', { ...named, primary_status: 'STATUS_DELETE' })).toEqual([made.campaignId]);
    expect(await ids('ad/get/', { campaign_ids: [made.campaignId], primary_status: 'STATUS_ALL' })).toHaveLength(4);
  });

  it('gives every field, null where there is nothing, or leaves the nulls out', async () => {
    const campaignId = await newCampaign();
    const filtering = { campaign_ids: [campaignId] };
    const [all] = (await get('campaign/get/', { filtering })).data.list;
    expect(all).toMatchObject({ campaign_id: campaignId, budget: 0, po_number: null, app_promotion_type: 'UNSET' });
    const [few] = (await get('campaign/get/', { filtering, exclude_field_types_in_response: ['NULL_FIELD'] })).data
      .list;
    expect(few).not.toHaveProperty('po_number');
    expect(few).toMatchObject({ operation_status: 'DISABLE', secondary_status: 'CAMPAIGN_STATUS_DISABLE' });
  });

  it('follows the switches of the parents, and the review that a name asks for', async () => {
    const names = ['Plain', '[review:pending]', '[review:rejected]'].map((name) => ({ name }));
    const [made] = await seed([{ name: 'C', adgroups: [{ name: 'G', ads: names }] }]);
    const statuses = async (): Promise<string[]> =>
      (await get('ad/get/', { filtering: { campaign_ids: [made.campaignId] } })).data.list.map(
        (ad: Fields) => ad['secondary_status'],
      );
    expect(await statuses()).toEqual(['AD_STATUS_AUDIT_DENY', 'AD_STATUS_AUDIT', 'AD_STATUS_DELIVERY_OK']);
    await post('campaign/status/update/', { campaign_ids: [made.campaignId], operation_status: 'DISABLE' });
    expect((await statuses()).at(-1)).toBe('AD_STATUS_CAMPAIGN_DISABLE');
    await post('ad/status/update/', { ad_ids: made.adgroups[0].adIds, operation_status: 'DISABLE' });
    expect((await statuses()).at(-1)).toBe('AD_STATUS_DISABLE');
  });

  it('reports figures of the ads that deliver, as text', async () => {
    const [made] = await seed([tree(2)]);
    const [first, second] = made.adgroups[0].adIds;
    await control(sandbox.url, 'metrics', { adId: first, spend: 12.3, impressions: 1000, clicks: 7 });
    await post('ad/status/update/', { ad_ids: [second], operation_status: 'DISABLE' });
    const filter = { field_name: 'ad_ids', filter_type: 'IN', filter_value: JSON.stringify([first, second]) };
    const asked = {
      report_type: 'BASIC',
      data_level: 'AUCTION_AD',
      dimensions: ['ad_id'],
      metrics: ['spend', 'impressions', 'clicks'],
      query_lifetime: 'true',
    };
    expect((await get('report/integrated/get/', { ...asked, filtering: [filter] })).data).toEqual({
      list: [{ dimensions: { ad_id: first }, metrics: { spend: '12.30', impressions: '1000', clicks: '7' } }],
      page_info: { page: 1, page_size: 10, total_number: 1, total_page: 1 },
    });
    expect(await get('report/integrated/get/', { ...asked, query_lifetime: 'false' })).toMatchObject(refused(40002));
    const many = { ...filter, filter_value: JSON.stringify(Array.from({ length: 101 }, (_, at) => String(at))) };
    expect(await get('report/integrated/get/', { ...asked, filtering: [many] })).toMatchObject(refused(40011));
  });

  it('refuses reports that the platform cannot make, and leaves out deleted objects by default', async () => {
    const [made] = await seed([tree(2)]);
    const [first, second] = made.adgroups[0].adIds;
    for (const adId of [first, second])
      await control(sandbox.url, 'metrics', { adId, spend: 1, impressions: 10, clicks: 1 });
    await post('ad/status/update/', { ad_ids: [second], operation_status: 'DELETE' });
    const day = (ago: number): string => new Date(Date.now() - ago * 86_400_000).toISOString().slice(0, 10);
    const filter = (name: string, ...values: string[]): Fields => ({
      field_name: name,
      filter_type: 'IN',
      filter_value: JSON.stringify(values),
    });
    const ofGroup = filter('adgroup_ids', made.adgroups[0].adgroupId);
    const asked = {
      report_type: 'BASIC',
      data_level: 'AUCTION_AD',
      dimensions: ['ad_id'],
      start_date: day(2),
      end_date: day(-1),
    };
    const ask = (extra: Fields = {}): Promise<Answer> =>
      get('report/integrated/get/', { ...asked, filtering: [ofGroup], ...extra });
    const ids = async (extra?: Fields): Promise<string[]> =>
      (await ask(extra)).data.list.map(({ dimensions }: any) => dimensions.ad_id);
    expect(await ids()).toEqual([first]);
    expect(await ids({ filtering: [ofGroup, filter('ad_status', 'STATUS_ALL')] })).toEqual([first, second]);
    for (const extra of [
      { metrics: ['spent'] },
      { metrics: ['reach'], report_type: 'AUDIENCE', dimensions: ['ad_id', 'gender'] },
      { dimensions: ['ad_id', 'gender'] },
      { dimensions: ['ad_id', 'gender', 'country_code'], report_type: 'AUDIENCE' },
      { dimensions: ['ad_id'], report_type: 'AUDIENCE' },
      { dimensions: ['ad_id', 'campaign_id'] },
      { dimensions: ['campaign_id'] },
      { filtering: [filter('campaign_status', 'STATUS_ALL')] },
      { dimensions: ['ad_id', 'stat_time_day'], start_date: day(29) },
      { start_date: day(364) },
      { start_date: day(-2) },
      { dimensions: ['ad_id', 'stat_time_day'], query_lifetime: 'true' },
      { page_size: 1001 },
    ])
      expect(await ask(extra), JSON.stringify(extra)).toMatchObject(refused(40002));
    expect((await ask({ dimensions: ['ad_id', 'stat_time_day'], start_date: day(28) })).code).toBe(0);
    expect((await ask({ start_date: day(363) })).code).toBe(0);
  });

  it('looks up regions, interests and languages', async () => {
    const requested = { placements: ['PLACEMENT_TIKTOK'], objective_type: 'TRAFFIC', level_range: 'TO_COUNTRY' };
    const { data } = await get('tool/region/', requested);
    expect(data.region_info).toContainEqual(
      expect.objectContaining({ location_id: '6252001', region_code: 'US', level: 'COUNTRY', parent_id: '0' }),
    );
    expect(data.region_info.every((region: Fields) => region['level'] === 'COUNTRY')).toBe(true);
    const cities = (await get('tool/region/', { ...requested, level_range: 'ALL' })).data.region_info.filter(
      (region: Fields) => region['level'] === 'CITY',
    );
    expect(cities).toHaveLength(10);
    expect((await get('tool/interest_category/', { version: 2 })).data.interest_categories).toHaveLength(24);
    expect((await get('tool/language/')).data.languages).toContainEqual({ code: 'en', name: 'English' });
  });
});

describe('a request_id', () => {
  const make = async (id: string, name: string): Promise<Answer> =>
    post('campaign/create/', campaign({ campaign_name: name, request_id: id }));

  it('makes one object within its window and a new one afterwards', async () => {
    const [first, again, other] = [await make('77', 'Once'), await make('77', 'Once'), await make('78', 'Once')];
    expect(again.data.campaign_id).toBe(first.data.campaign_id);
    expect(other.data.campaign_id).not.toBe(first.data.campaign_id);
    const group = adgroup(first.data.campaign_id, { request_id: '77' });
    const groups = [await post('adgroup/create/', group), await post('adgroup/create/', group)];
    expect(groups[0]?.data.adgroup_id).toBe(groups[1]?.data.adgroup_id);
    await control(sandbox.url, 'settings', { requestIdSeconds: 0 });
    expect((await make('77', 'Once')).data.campaign_id).not.toBe(first.data.campaign_id);
    await control(sandbox.url, 'settings', { requestIdSeconds: 10, duplicates: 'refused' });
    expect(await make('77', 'Once')).toMatchObject(refused(40050));
    await control(sandbox.url, 'settings', { duplicates: 'same' });
    expect(await make('9223372036854775808', 'Too large')).toMatchObject(refused(40002, 'request_id'));
  });
});

describe('limits and faults', () => {
  it('count the calls of the app, of its ad/create, or of an advertiser', async () => {
    const other = await connect(sandbox.url);
    const read = (place: number): Promise<Answer> =>
      call('GET', 'campaign/get/', { advertiser_id: other.adAccounts[place]?.id }, other.accessToken);
    const burst = (): Promise<Answer[]> => Promise.all([0, 0, 0, 0, 0, 1].map(read));
    await control(sandbox.url, 'rate', { perSecond: 2, level: 'advertiser' });
    expect((await burst()).map(({ code }) => code)).toContain(40133);
    expect(await read(1)).toMatchObject({ code: 0 });
    await control(sandbox.url, 'rate', { perSecond: 1, level: 'app' });
    expect((await burst()).map(({ code }) => code)).toContain(40100);
    await control(sandbox.url, 'rate', { perSecond: 0, adsPerSecond: 1 });
    const ad = { advertiser_id: other.adAccounts[0]?.id, adgroup_id: '1', creatives: [{}] };
    const make = (): Promise<Answer> => call('POST', 'ad/create/', ad, other.accessToken);
    expect((await Promise.all([make(), make()])).map(({ code }) => code)).toContain(40100);
    await control(sandbox.url, 'rate', { adsPerSecond: 0 });
    expect(await read(0)).toMatchObject({ code: 0 });
  });

  it.each([
    ['http_500', 500, 50000],
    ['transient', 200, 50002],
    ['ok_with_error', 200, 50002],
    ['rate_limited', 200, 40100],
    ['rate_limited_account', 200, 40133],
    ['token_expired', 200, 40102],
    ['token_invalid', 200, 40105],
    ['policy_block', 200, 40002],
  ])('a name with %s is answered with HTTP %i and %i', async (fault, status, code) => {
    const named = campaign({ campaign_name: `Sale [fault:${fault}]` });
    expect(await post('campaign/create/', named)).toMatchObject({ status, code });
    expect(await post('campaign/create/', named)).toMatchObject({ status: 200, code: 0 });
  });

  it('apply to ad groups and ads by name as well', async () => {
    const campaignId = await newCampaign();
    const group = adgroup(campaignId, { adgroup_name: 'G [fault:http_500@adsets]' });
    expect(await post('adgroup/create/', group)).toMatchObject({ status: 500 });
    const { data } = await post('adgroup/create/', group);
    const creatives = [{ ad_name: 'A' }, { ad_name: 'B [fault:transient@ads]' }];
    expect(await post('ad/create/', { adgroup_id: data.adgroup_id, creatives })).toMatchObject({ code: 50002 });
  });

  it('an advertiser that is suspended can be read but not written', async () => {
    await control(sandbox.url, 'advertisers', { advertiserId: advertiser, status: 'STATUS_LIMIT' });
    expect(await post('campaign/create/', campaign())).toMatchObject(refused(40002, 'STATUS_LIMIT'));
    expect(await get('campaign/get/')).toMatchObject({ code: 0 });
    await control(sandbox.url, 'advertisers', { advertiserId: advertiser, status: 'STATUS_ENABLE' });
  });
});

describe('special industries', () => {
  const housing = { special_industries: ['HOUSING'] };

  it.each([
    ['a gender', { gender: 'GENDER_FEMALE' }, 'gender'],
    ['minors', { age_groups: ['AGE_13_17', 'AGE_18_24'], location_ids: ['1861060'] }, 'age_groups'],
    ['postcodes', { zipcode_ids: ['1'] }, 'zipcode_ids'],
  ])('refuse %s', async (_what, extra, word) => {
    const group = adgroup(await newCampaign(housing), extra);
    expect(await post('adgroup/create/', group)).toMatchObject(refused(40002, word));
    const undeclared = await post('adgroup/create/', adgroup(await newCampaign(), extra));
    expect(undeclared).toMatchObject({ code: 0 });
  });

  it('are for advertisers of the US and Canada, and cannot be added later', async () => {
    const campaignId = await newCampaign();
    const added = await post('campaign/update/', { campaign_id: campaignId, ...housing });
    expect(added).toMatchObject(refused(40002, 'Can not be added later'));
    for (const [country, code] of Object.entries({ DE: 40002, CA: 0, US: 0 })) {
      await control(sandbox.url, 'advertisers', { advertiserId: advertiser, country });
      expect(await post('campaign/create/', campaign(housing)), country).toMatchObject({ code });
    }
  });
});

it('keeps everything over a restart', async () => {
  const dataDir = await mkdtemp(join(tmpdir(), 'sandbox-'));
  const before = await startSandbox({ dataDir });
  const owner = await connect(before.url, ['USD']);
  const own = { advertiser_id: owner.adAccounts[0]?.id };
  const made = await caller(before.url, owner.accessToken)('POST', 'campaign/create/', { ...campaign(), ...own });
  await before.stop();
  const after = await startSandbox({ dataDir });
  const again = caller(after.url, owner.accessToken);
  const { data } = await again('GET', 'campaign/get/', { ...own, fields: ['campaign_id'] });
  expect(data.list).toEqual([{ campaign_id: made.data.campaign_id }]);
  expect((await again('GET', 'identity/get/', own)).data.identity_list).toHaveLength(1);
  await after.stop();
  await rm(dataDir, { recursive: true });
});
