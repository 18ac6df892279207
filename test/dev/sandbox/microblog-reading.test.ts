import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startSandbox, type Sandbox } from '../../../src/dev/sandbox/index.ts';
import { weightOf } from '../../../src/dev/sandbox/microblog/text-weight.ts';
import {
  caller,
  campaign,
  connect,
  control,
  failed,
  lineItem,
  type Answer,
  type Call,
  type Fields,
  type Person,
} from './microblog-client.ts';

const dataDir = mkdtempSync(join(tmpdir(), 'microblog-'));
let sandbox: Sandbox;
let person: Person;
let account: string;
let funding: string;
let item: string;

beforeAll(async () => {
  sandbox = await startSandbox({ dataDir });
  person = await connect(sandbox.url);
  account = `accounts/${person.adAccounts[0]?.id}`;
  funding = (await call('GET', `${account}/funding_instruments`)).body.data[1].id;
  item = await newLineItem(await newCampaign());
});
afterAll(async () => {
  await sandbox.stop();
  rmSync(dataDir, { recursive: true });
});

const call: Call = (...args) => caller(sandbox.url, person)(...args);
const post = (path: string, form: Fields): Promise<Answer> => call('POST', `${account}/${path}`, { form });
const newCampaign = async (extra: Fields = {}): Promise<string> =>
  (await post('campaigns', campaign(funding, extra))).body.data.id;
const newLineItem = async (campaignId: string, extra: Fields = {}): Promise<string> =>
  (await post('line_items', lineItem(campaignId, extra))).body.data.id;
const newAd = async (lineItemId: string, text: string): Promise<string> => {
  const { data } = (await post('tweet', { as_user_id: person.userId, text: `${text} https://a.example/` })).body;
  return (await post('promoted_tweets', { line_item_id: lineItemId, tweet_ids: data.id_str })).body.data[0].id;
};

describe('weights of texts', () => {
  it.each([
    ['Hello', 5],
    ['naïve café – “quoted”', 21],
    ['e\u0301', 1],
    ['日本語', 6],
    ['👨‍👩‍👧‍👦🇩🇪', 4],
    ['see https://shop.example/a/very/long/path?with=much&more=1', 4 + 23],
    ['(https://shop.example/a).', 1 + 23 + 2],
    ['example.com now', 23 + 4],
  ])('%s weighs %i', (text, weight) => {
    expect(weightOf(text)).toBe(weight);
  });
});

describe('targeting', () => {
  const us = '96683cc9126741d1';
  const create = (params: Fields): object => ({ operation_type: 'Create', params: { line_item_id: item, ...params } });
  const batch = (json: unknown): Promise<Answer> => call('POST', `batch/${account}/targeting_criteria`, { json });
  const location = (): object => create({ targeting_type: 'LOCATION', targeting_value: us, operator_type: 'EQ' });
  const criteria = async (): Promise<object[]> =>
    (await call('GET', `${account}/targeting_criteria`, { query: { line_item_ids: item } })).body.data;

  it('comes in one batch, all or nothing', async () => {
    const age = create({ targeting_type: 'AGE', targeting_value: 'AGE_25_TO_54' });
    const odd = create({ targeting_type: 'AGE', targeting_value: 'AGE_26_TO_54' });
    const refused = await batch([location(), odd]);
    expect(refused).toMatchObject({
      status: 400,
      body: { operation_errors: [[], [{ code: 'INVALID_PARAMETER', parameter: 'targeting_value' }]] },
    });
    expect(await criteria()).toEqual([]);
    expect((await batch([location(), age])).body).toMatchObject({
      data: [
        {
          id: expect.any(String),
          line_item_id: item,
          targeting_type: 'LOCATION',
          name: 'United States',
          targeting_value: us,
        },
        { targeting_type: 'AGE', operator_type: 'EQ' },
      ],
      request: [{ operation_type: 'Create' }, {}],
    });
    expect(await criteria()).toHaveLength(2);
    expect((await batch([age])).body.operation_errors[0]).toMatchObject([
      { code: 'INVALID_PARAMETER', parameter: 'targeting_type' },
    ]);
  });

  it.each([
    ['GENDER', '3'],
    ['INTEREST', '1'],
    ['LOCATION', 'US'],
    ['CUSTOM_AUDIENCE', 'zz'],
    ['LANGUAGE', 'xx'],
    ['PLATFORM', '5'],
    ['SHOE_SIZE', '44'],
  ])('refuses %s of %s', async (targeting_type, targeting_value) => {
    expect(await post('targeting_criteria', { line_item_id: item, targeting_type, targeting_value })).toMatchObject(
      failed(400, 'INVALID_PARAMETER'),
    );
  });

  it('takes the other kinds, one by one, and drops them', async () => {
    for (const [targeting_type, targeting_value] of [
      ['GENDER', '2'],
      ['INTEREST', '9002'],
      ['LANGUAGE', 'en'],
      ['PLATFORM', '4'],
      ['CUSTOM_AUDIENCE', person.adAccounts[0]?.audienceId ?? ''],
    ] as const) {
      const { status, body } = await post('targeting_criteria', {
        line_item_id: item,
        targeting_type,
        targeting_value,
      });
      expect(status).toBe(201);
      expect((await call('DELETE', `${account}/targeting_criteria/${body.data.id}`)).body.data.deleted).toBe(true);
    }
  });

  it('excludes what has the operator NE, but nothing that is targeted too', async () => {
    const audience = { targeting_type: 'CUSTOM_AUDIENCE', targeting_value: person.adAccounts[0]?.audienceId ?? '' };
    const refused = await batch([create({ ...audience, operator_type: 'NE' }), create(audience)]);
    expect(refused).toMatchObject({ body: { operation_errors: [[], [{ parameter: 'targeting_value' }]] } });
    const { body } = await batch([create({ ...audience, operator_type: 'NE' })]);
    expect(body.data).toMatchObject([{ targeting_type: 'CUSTOM_AUDIENCE', operator_type: 'NE' }]);
    await call('DELETE', `${account}/targeting_criteria/${body.data[0].id}`);
  });

  it('takes at most 500 at once, in a list', async () => {
    expect(await batch(Array.from({ length: 501 }, location))).toMatchObject({
      status: 400,
      body: { errors: [{}] },
    });
    expect(await batch({})).toMatchObject({ status: 400, body: { errors: [{ code: 'INVALID_PARAMETER' }] } });
  });

  it('is looked up by type, country and words', async () => {
    const look = async (path: string, query: Fields): Promise<{ name: string }[]> =>
      (await call('GET', `targeting_criteria/${path}`, { query })).body.data;
    expect(await look('locations', { location_type: 'COUNTRIES', country_code: 'US' })).toEqual([
      {
        name: 'United States',
        country_code: 'US',
        location_type: 'COUNTRIES',
        targeting_type: 'LOCATION',
        targeting_value: us,
      },
    ]);
    expect(await look('locations', { location_type: 'CITIES', q: 'ber' })).toMatchObject([{ name: 'Berlin, Berlin' }]);
    expect(await look('locations', { location_type: 'REGIONS', country_code: 'GB' })).toHaveLength(3);
    expect(await look('interests', { q: 'garden' })).toMatchObject([
      { targeting_value: '9002', targeting_type: 'INTEREST' },
    ]);
    const rules = await call('GET', 'bidding_rules', { query: { currency: 'USD' } });
    expect(rules.body.data).toMatchObject([{ minimum_denomination: 10_000 }]);
  });
});

describe('lists', () => {
  it('go on by cursor and end with null', async () => {
    const parent = await newCampaign();
    const made = [await newLineItem(parent), await newLineItem(parent), await newLineItem(parent)];
    await call('DELETE', `${account}/line_items/${made[1]}`);
    const query = { campaign_ids: parent, count: '1' };
    const first = (await call('GET', `${account}/line_items`, { query })).body;
    const second = (await call('GET', `${account}/line_items`, { query: { ...query, cursor: first.next_cursor } }))
      .body;
    expect([...first.data, ...second.data].map(({ id }) => id)).toEqual([made[0], made[2]]);
    expect(second.next_cursor).toBeNull();
    const all = { campaign_ids: parent, with_deleted: 'true', with_total_count: 'true' };
    expect((await call('GET', `${account}/line_items`, { query: all })).body).toMatchObject({ total_count: 3 });
  });

  it.each([
    [{ count: '0' }, 'INVALID_PARAMETER'],
    [{ count: '1001' }, 'INVALID_PARAMETER'],
    [{ cursor: 'x' }, 'INVALID_PARAMETER'],
    [{ cursor: 'c-1', with_total_count: 'true' }, 'EXCLUSIVE_PARAMETERS'],
    [{ campaign_ids: Array.from({ length: 201 }, () => 'a').join(',') }, 'INVALID_PARAMETER'],
  ])('refuse %o', async (query, code) => {
    expect(await call('GET', `${account}/campaigns`, { query: query as Fields })).toMatchObject(failed(400, code));
  });

  it('know plural filters only, hide drafts, and find by name', async () => {
    const ad = await newAd(item, 'Plural');
    const other = await newAd(await newLineItem(await newCampaign()), 'Other');
    const ids = async (query: Fields): Promise<string[]> =>
      (await call('GET', `${account}/promoted_tweets`, { query })).body.data.map(({ id }: { id: string }) => id);
    expect(await ids({ line_item_ids: item })).toEqual([ad]);
    expect(await ids({ line_item_id: item })).toEqual([ad, other]);
    const draft = await newCampaign({ name: 'Draft one', entity_status: 'DRAFT' });
    const named = async (query: Fields): Promise<unknown> =>
      (await call('GET', `${account}/campaigns`, { query: { q: 'draft', ...query } })).body.data;
    expect(await named({})).toEqual([]);
    expect(await named({ with_draft: 'true' })).toMatchObject([{ id: draft }]);
  });
});

describe('figures', () => {
  const stats: Fields = {
    entity: 'PROMOTED_TWEET',
    metric_groups: 'ENGAGEMENT,BILLING',
    granularity: 'TOTAL',
    placement: 'ALL_ON_TWITTER',
    start_time: '2025-11-01T00:00:00Z',
    end_time: '2025-11-03T00:00:00Z',
  };
  const read = (query: Fields): Promise<Answer> => call('GET', `stats/${account}`, { query });

  it('come for ads that run, in micro of the currency, and as null for others', async () => {
    const parent = await newCampaign({ entity_status: 'ACTIVE' });
    const ads = [
      await newAd(await newLineItem(parent, { entity_status: 'ACTIVE' }), 'Runs'),
      await newAd(await newLineItem(parent), 'Rests'),
    ];
    await control(sandbox.url, 'figures', { adId: ads[0], spans: [{ from: Date.parse('2025-10-01') }] });
    const { data, ...rest } = (await read({ ...stats, entity_ids: ads.join(',') })).body;
    expect(rest).toMatchObject({ data_type: 'stats', time_series_length: 1, request: { params: { entity_ids: ads } } });
    const [runs, rests] = data.map(({ id_data }: { id_data: { metrics: object }[] }) => id_data[0]?.metrics);
    expect(runs).toMatchObject({
      impressions: [expect.any(Number)],
      clicks: [expect.any(Number)],
      billed_charge_local_micro: [expect.any(Number)],
    });
    expect(rests).toMatchObject({ impressions: null, clicks: null, billed_charge_local_micro: null });
    const above = (await read({ ...stats, entity: 'CAMPAIGN', entity_ids: parent })).body.data[0].id_data[0].metrics;
    expect(above).toEqual(runs);
    const hourly = (await read({ ...stats, granularity: 'HOUR', entity_ids: ads[0] ?? '' })).body;
    expect(hourly.data[0].id_data[0].metrics.impressions).toHaveLength(48);
  });

  it('come from the whole hours of its start on', async () => {
    const parent = await newCampaign({ entity_status: 'ACTIVE' });
    const start = new Date(Math.ceil(Date.now() / 3_600_000) * 3_600_000 + 3_600_000);
    const items = { entity_status: 'ACTIVE', start_time: start.toISOString() };
    const ad = await newAd(await newLineItem(parent, items), 'Later');
    const shownIn = async (hours: number): Promise<unknown> => {
      await control(sandbox.url, 'figures', { aheadMs: start.getTime() + hours * 3_600_000 + 60_000 - Date.now() });
      const range = {
        start_time: `${new Date(start.getTime() - 7_200_000).toISOString().slice(0, 19)}Z`,
        end_time: `${new Date(start.getTime() + 7_200_000).toISOString().slice(0, 19)}Z`,
      };
      const { data } = (await read({ ...stats, ...range, granularity: 'HOUR', entity_ids: ad })).body;
      return data[0].id_data[0].metrics.impressions;
    };
    expect(await shownIn(0)).toBeNull();
    expect(await shownIn(2)).toEqual([0, 0, expect.any(Number), expect.any(Number)]);
    await control(sandbox.url, 'figures', { aheadMs: 0 });
  });

  it('by day are cut at midnight of the account, for dates without a time too', async () => {
    const ad = await newAd(item, 'Days');
    const days = { ...stats, granularity: 'DAY', entity_ids: ad };
    expect(await read(days)).toMatchObject(failed(400, 'INVALID_PARAMETER', 'start_time'));
    const local = { start_time: '2025-10-31T07:00:00Z', end_time: '2025-11-03T08:00:00Z' };
    expect((await read({ ...days, ...local })).body).toMatchObject({ time_series_length: 3 });
    const dates = { start_time: '2025-10-31', end_time: '2025-11-03' };
    expect((await read({ ...days, ...dates })).body).toMatchObject({ time_series_length: 3 });
  });

  it('of changed objects are listed with the hours and placements that changed', async () => {
    const parent = await newCampaign({ entity_status: 'ACTIVE' });
    const ad = await newAd(await newLineItem(parent, { entity_status: 'ACTIVE' }), 'Changed');
    const [from, until] = [Date.parse('2025-11-01T00:00:00Z'), Date.parse('2025-11-02T00:00:00Z')];
    await control(sandbox.url, 'figures', { adId: ad, spans: [{ from, until }] });
    const active = async (query: Fields): Promise<unknown> =>
      (await call('GET', `stats/${account}/active_entities`, { query: { entity: 'PROMOTED_TWEET', ...query } })).body;
    const range = { start_time: '2025-11-01T00:00:00Z', end_time: '2025-11-10T00:00:00Z' };
    expect(await active({ ...range, campaign_ids: parent })).toMatchObject({
      data: [
        {
          entity_id: ad,
          activity_start_time: '2025-11-01T00:00:00Z',
          activity_end_time: '2025-11-01T23:59:59Z',
          placements: ['ALL_ON_TWITTER'],
        },
      ],
    });
    expect(await active({ ...range, line_item_ids: item })).toMatchObject({ data: [] });
    const long = { start_time: '2025-11-01T00:00:00Z', end_time: '2026-03-01T00:00:00Z' };
    expect(await active(long)).toMatchObject({ errors: [{ code: 'INVALID_TIME_WINDOW' }] });
    const both = { ...range, campaign_ids: parent, line_item_ids: item };
    expect(await active(both)).toMatchObject({ errors: [{ code: 'EXCLUSIVE_PARAMETERS' }] });
  });

  it('of a long range or by segments come from jobs', async () => {
    const ad = await newAd(item, 'Job');
    const query = { ...stats, entity_ids: ad, end_time: '2025-12-16T00:00:00Z' };
    const start = (more: Fields): Promise<Answer> =>
      call('POST', `stats/jobs/${account}`, { query: { ...query, ...more } });
    expect(await start({ segmentation_type: 'LOCATIONS' })).toMatchObject(failed(400, 'INVALID_PARAMETER'));
    const { data } = (await start({ segmentation_type: 'GENDER' })).body;
    expect(data).toMatchObject({ status: 'PROCESSING', url: null, segmentation_type: 'GENDER', entity_ids: [ad] });
    const longer = { end_time: '2025-12-17T00:00:00Z' };
    expect(await start({ ...longer, segmentation_type: 'AGE' })).toMatchObject(failed(400, 'INVALID_TIME_WINDOW'));
    expect((await start(longer)).status).toBe(201);
    const jobs = async (): Promise<any> =>
      (await call('GET', `stats/jobs/${account}`, { query: { job_ids: data.id_str } })).body.data;
    expect(await jobs()).toMatchObject([{ status: 'PROCESSING', url: null }]);
    const [{ url, status }] = await jobs();
    expect(status).toBe('SUCCESS');
    const file = gunzipSync(Buffer.from(await (await fetch(url)).arrayBuffer()));
    expect(JSON.parse(String(file))).toMatchObject({ data_type: 'stats', data: [{ id: ad }] });
    await control(sandbox.url, 'figures', { aheadMs: 49 * 3_600_000 });
    expect((await fetch(url)).status).toBe(404);
    await control(sandbox.url, 'figures', { aheadMs: 0 });
  });

  it.each([
    [{ entity_ids: undefined }, 'MISSING_PARAMETER'],
    [{ placement: undefined }, 'MISSING_PARAMETER'],
    [{ metric_groups: 'SPEND' }, 'INVALID_PARAMETER'],
    [{ start_time: '2025-11-01T00:30:00Z' }, 'INVALID_PARAMETER'],
    [{ start_time: '2025-11-01T00:00:00.000Z' }, 'INVALID_PARAMETER'],
    [{ placement: 'PUBLISHER_NETWORK' }, 'INVALID_PARAMETER'],
    [{ placement: 'ALL_ON_TWITTER,TREND' }, 'INVALID_PARAMETER'],
    [{ metric_groups: 'ENGAGEMENT,MOBILE_CONVERSION' }, 'INVALID_PARAMETER'],
    [{ segmentation_type: 'AGE' }, 'INVALID_PARAMETER'],
    [{ start_time: '' }, 'MISSING_PARAMETER'],
    [{ end_time: '2025-11-09T00:00:00Z' }, 'INVALID_TIME_WINDOW'],
    [{ entity_ids: Array.from({ length: 21 }, () => 'a').join(',') }, 'INVALID_PARAMETER'],
  ])('are refused with %o', async (extra, code) => {
    const fields = Object.entries({ ...stats, entity_ids: 'a', ...extra }).filter(([, value]) => value !== undefined);
    expect(await read(Object.fromEntries(fields) as Fields)).toMatchObject(failed(400, code));
  });

  it('of unknown ads are not found', async () => {
    expect(await read({ ...stats, entity_ids: 'zz' })).toMatchObject(failed(404, 'PROMOTED_TWEET_NOT_FOUND'));
  });
});

describe('limits and faults', () => {
  it('are enforced if enabled, with the time at which they end', async () => {
    await control(sandbox.url, 'settings', { isRateEnforced: true });
    const other = caller(sandbox.url, await connect(sandbox.url));
    const statuses: number[] = [];
    let last: Answer | undefined;
    for (let at = 0; at < 6; at += 1) {
      last = await other('GET', 'bidding_rules', { query: { currency: 'USD' } });
      statuses.push(last.status);
    }
    const criteria = [];
    for (let at = 0; at < 6; at += 1) criteria.push((await other('GET', 'targeting_criteria/interests')).status);
    await control(sandbox.url, 'settings', { isRateEnforced: false });
    // Lists of targeting criteria have a larger limit in common.
    expect(criteria).toEqual([200, 200, 200, 200, 200, 200]);
    expect(statuses).toEqual([200, 200, 200, 200, 200, 429]);
    expect(last).toMatchObject(failed(429, 'TOO_MANY_REQUESTS'));
    expect(last?.headers.get('x-rate-limit-remaining')).toBe('0');
    expect(Number(last?.headers.get('x-rate-limit-reset'))).toBeGreaterThan(Date.now() / 1000 - 1);
    const list = await call('GET', `${account}/campaigns`);
    expect(list.headers.get('x-account-rate-limit-limit')).toBe('10000');
  });

  it.each([
    ['rate_limited', 429, 'TOO_MANY_REQUESTS', 'x-rate-limit-reset'],
    ['rate_limited_account', 429, 'TOO_MANY_REQUESTS', 'x-account-rate-limit-reset'],
    ['token_expired', 401, 'UNAUTHORIZED_ACCESS', undefined],
    ['policy_block', 403, 'ACTION_NOT_ALLOWED', undefined],
    ['transient', 503, 'OVER_CAPACITY', 'retry-after'],
    ['http_500', 500, 'INTERNAL_ERROR', undefined],
  ])('answer %s on demand', async (fault, status, code, header) => {
    const order = { platform: 'microblog', fault, match: { method: 'GET' } };
    await fetch(`${sandbox.url}/control/faults`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify(order),
    });
    const answer = await call('GET', `${account}/campaigns`);
    expect(answer).toMatchObject({ status, body: { errors: [{ code }] } });
    if (header) expect(Number(answer.headers.get(header))).toBeGreaterThan(0);
  });

  it('apply where a name says so: the campaign, the line item, the ad by its line item, the text', async () => {
    const named = async (edge: string): Promise<Fields> => ({ name: `${edge} [fault:http_500@${edge}]` });
    expect((await post('campaigns', campaign(funding, await named('campaigns')))).status).toBe(500);
    const parent = await newCampaign();
    expect((await post('line_items', lineItem(parent, await named('adsets')))).status).toBe(500);
    const text = { as_user_id: person.userId, text: 'Faulty', ...(await named('posts')) };
    expect((await post('tweet', text)).status).toBe(500);
    const { data } = (await post('tweet', { as_user_id: person.userId, text: 'By https://a.example/' })).body;
    const ads = { line_item_id: await newLineItem(parent, await named('ads')), tweet_ids: data.id_str };
    expect([(await post('promoted_tweets', ads)).status, (await post('promoted_tweets', ads)).status]).toEqual([
      500, 201,
    ]);
  });
});

describe('what was made', () => {
  it('is still there after a restart, and shown to tests and on the page', async () => {
    const name = 'Kept <b>';
    const id = await newCampaign({ name });
    await sandbox.stop();
    sandbox = await startSandbox({ dataDir });
    expect((await call('GET', `${account}/campaigns`, { query: { q: 'kept' } })).body.data).toMatchObject([{ id }]);
    const same = { as_user_id: person.userId, text: 'By https://a.example/' };
    expect(await post('tweet', same)).toMatchObject(failed(400, 'DUPLICATE_TWEET'));
    const objects = await (await fetch(`${sandbox.url}/control/microblog/objects?type=campaign`)).json();
    expect(objects).toMatchObject({ objects: expect.arrayContaining([expect.objectContaining({ id, name })]) });
    expect(await (await fetch(sandbox.url)).text()).toContain('Kept &lt;b&gt;');
  });
});
