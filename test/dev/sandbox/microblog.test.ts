import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startSandbox, type Sandbox } from '../../../src/dev/sandbox/index.ts';
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

let sandbox: Sandbox;
let person: Person;
let call: Call;
let account: string;
let yen: string;
let funding: string;
let yenFunding: string;

beforeAll(async () => {
  sandbox = await startSandbox();
  person = await connect(sandbox.url);
  call = caller(sandbox.url, person);
  [account = '', yen = ''] = person.adAccounts.map(({ id }) => `accounts/${id}`);
  [funding, yenFunding] = [await able(account), await able(yen)];
});
afterAll(() => sandbox.stop());

async function able(of: string): Promise<string> {
  const { data } = (await call('GET', `${of}/funding_instruments`)).body;
  return data.find((instrument: { able_to_fund: boolean }) => instrument.able_to_fund).id;
}
const post = (path: string, form: Fields): Promise<Answer> => call('POST', `${account}/${path}`, { form });
const newCampaign = async (extra: Fields = {}): Promise<string> =>
  (await post('campaigns', campaign(funding, extra))).body.data.id;
const newLineItem = async (extra: Fields = {}, campaignId?: string): Promise<string> =>
  (await post('line_items', lineItem(campaignId ?? (await newCampaign()), extra))).body.data.id;
let texts = 0;
const tweet = (extra: Fields = {}): Fields => ({
  as_user_id: person.userId,
  text: `Tools ${(texts += 1)} https://shop.example/sale`,
  nullcast: 'true',
  trim_user: 'true',
  ...extra,
});
const newTweet = async (extra: Fields = {}): Promise<string> => (await post('tweet', tweet(extra))).body.data.id_str;
const without = (fields: Fields, name: string): Fields =>
  Object.fromEntries(Object.entries(fields).filter(([key]) => key !== name));

describe('accounts', () => {
  it('are listed with their users and money, one instrument of which cannot fund', async () => {
    expect((await call('GET', 'accounts')).body).toMatchObject({
      next_cursor: null,
      data: [{ approval_status: 'ACCEPTED' }, {}],
    });
    expect((await call('GET', account)).body.data).toMatchObject({
      id: person.adAccounts[0]?.id,
      timezone: 'America/Los_Angeles',
    });
    const instruments = (await call('GET', `${yen}/funding_instruments`)).body.data;
    expect(instruments).toMatchObject([
      { able_to_fund: false, entity_status: 'ACTIVE', currency: 'JPY' },
      { able_to_fund: true, entity_status: 'ACTIVE', deleted: false },
    ]);
    const users = (await call('GET', `${account}/promotable_users`)).body.data;
    expect(users).toMatchObject([
      { promotable_user_type: 'RETWEETS_ONLY' },
      { promotable_user_type: 'FULL', user_id: person.userId },
    ]);
  });

  it('of other people are not found, with 403', async () => {
    const other = await connect(sandbox.url);
    for (const id of [other.adAccounts[0]?.id, 'zzz'])
      expect(await call('GET', `accounts/${id}/campaigns`)).toMatchObject(failed(403, 'ACCOUNT_NOT_FOUND'));
  });

  it('answer unknown routes and methods as such', async () => {
    expect(await call('GET', `${account}/nothing`)).toMatchObject(failed(404, 'ROUTE_NOT_FOUND'));
    const ad = (await post('promoted_tweets', { line_item_id: await newLineItem(), tweet_ids: await newTweet() })).body
      .data[0];
    const put = await call('PUT', `${account}/promoted_tweets/${ad.id}`, { query: { entity_status: 'PAUSED' } });
    expect(put).toMatchObject(failed(405, 'METHOD_NOT_ALLOWED'));
  });
});

describe('campaigns', () => {
  it('are answered with what was understood and what is still missing', async () => {
    const { status, body } = await post('campaigns', campaign(funding));
    expect(status).toBe(201);
    expect(body).toMatchObject({
      request: {
        params: {
          name: 'Spring sale 6f2c',
          daily_budget_amount_local_micro: 25_000_000,
          account_id: person.adAccounts[0]?.id,
        },
      },
      data: {
        id: expect.stringMatching(/^[a-z0-9]+$/),
        entity_status: 'PAUSED',
        effective_status: 'UNKNOWN',
        servable: false,
        reasons_not_servable: ['PAUSED_BY_ADVERTISER', 'INCOMPLETE'],
        currency: 'USD',
        total_budget_amount_local_micro: null,
        created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/),
        deleted: false,
      },
    });
  });

  it('are made from query parameters too', async () => {
    expect((await call('POST', `${account}/campaigns`, { query: campaign(funding) })).status).toBe(201);
  });

  it.each([
    ['without a name', { name: '' }, 400, 'MISSING_PARAMETER', 'name'],
    ['with a name too long', { name: 'x'.repeat(256) }, 400, 'INVALID_PARAMETER', 'name'],
    ['that distributes its budget itself', { budget_optimization: 'CAMPAIGN' }, 400, 'INVALID_PARAMETER', undefined],
    ['with an unknown status', { entity_status: 'RUNNING' }, 400, 'INVALID_PARAMETER', 'entity_status'],
    [
      'with a budget in parts of a cent',
      { daily_budget_amount_local_micro: '25000001' },
      400,
      'INVALID_DENOMINATION',
      undefined,
    ],
    [
      'with a budget that is no number',
      { daily_budget_amount_local_micro: '25.5' },
      400,
      'INVALID_PARAMETER',
      undefined,
    ],
    ['with a day above the whole', { total_budget_amount_local_micro: '10000' }, 400, 'INVALID_PARAMETER', undefined],
    ['without money', { funding_instrument_id: undefined }, 400, 'MISSING_PARAMETER', 'funding_instrument_id'],
    ['with unknown money', { funding_instrument_id: 'zzz' }, 404, 'FUNDING_INSTRUMENT_NOT_FOUND', undefined],
  ])('are refused %s', async (_what, extra, status, code, parameter?: string) => {
    const fields = Object.entries({ ...campaign(funding), ...extra }).filter(([, value]) => value !== undefined) as [
      string,
      string,
    ][];
    expect(await post('campaigns', Object.fromEntries(fields))).toMatchObject(failed(status, code, parameter));
  });

  it('distribute their budget by line item and may have none of their own', async () => {
    const { daily_budget_amount_local_micro: _, budget_optimization: __, ...least } = campaign(funding);
    const { status, body } = await post('campaigns', least);
    expect({ status, body }).toMatchObject({ status: 201, body: { data: { budget_optimization: 'LINE_ITEM' } } });
  });

  it('exist with two line items after found-campaigns, whose amounts they limit', async () => {
    const { campaigns } = await control(sandbox.url, 'found-campaigns', { adAccountId: account.split('/')[1] });
    expect(campaigns).toMatchObject([{ level: 'ad_set', adSetIds: [expect.any(String), expect.any(String)] }]);
    const [{ campaignId: id }] = campaigns;
    expect((await call('GET', `${account}/campaigns/${id}`)).body.data).toMatchObject({
      daily_budget_amount_local_micro: 80_000_000,
    });
    const items = (await call('GET', `${account}/line_items`, { query: { campaign_ids: id } })).body.data;
    expect(
      items.map((item: { daily_budget_amount_local_micro: number }) => item.daily_budget_amount_local_micro),
    ).toEqual([25_000_000, 25_000_000]);
  });

  it('are refused with money that cannot fund, of another account, or in parts of a yen', async () => {
    const { data } = (await call('GET', `${account}/funding_instruments`)).body;
    expect(await post('campaigns', campaign(data[0].id))).toMatchObject(failed(400, 'INVALID_FUNDING_INSTRUMENT'));
    expect(await post('campaigns', campaign(yenFunding))).toMatchObject(
      failed(403, 'FUNDING_INSTRUMENT_ACCESS_NOT_ALLOWED'),
    );
    const parts = campaign(yenFunding, { daily_budget_amount_local_micro: '1500000' });
    expect(await call('POST', `${yen}/campaigns`, { form: parts })).toMatchObject(failed(400, 'INVALID_DENOMINATION'));
  });

  it('change their name, status and budgets, and are gone once deleted', async () => {
    const id = await newCampaign();
    const query = { name: 'New', entity_status: 'ACTIVE', daily_budget_amount_local_micro: '30000000' };
    expect((await call('PUT', `${account}/campaigns/${id}`, { query })).body.data).toMatchObject({
      name: 'New',
      entity_status: 'ACTIVE',
      daily_budget_amount_local_micro: 30_000_000,
    });
    const bad = await call('PUT', `${account}/campaigns/${id}`, { query: { daily_budget_amount_local_micro: '1' } });
    expect(bad).toMatchObject(failed(400, 'INVALID_DENOMINATION'));
    expect((await call('DELETE', `${account}/campaigns/${id}`)).body.data).toMatchObject({ id, deleted: true });
    expect(await call('GET', `${account}/campaigns/${id}`)).toMatchObject(failed(404, 'CAMPAIGN_NOT_FOUND'));
    const kept = await call('GET', `${account}/campaigns`, { query: { campaign_ids: id, with_deleted: 'true' } });
    expect(kept.body.data).toMatchObject([{ id, deleted: true }]);
  });

  it('are only so many at work', async () => {
    const other = await connect(sandbox.url, ['EUR']);
    const ask = caller(sandbox.url, other);
    const of = `accounts/${other.adAccounts[0]?.id}`;
    const money = (await ask('GET', `${of}/funding_instruments`)).body.data[1].id;
    const active = { form: campaign(money, { entity_status: 'ACTIVE' }) };
    await control(sandbox.url, 'settings', { activeCampaigns: 1 });
    expect((await ask('POST', `${of}/campaigns`, active)).status).toBe(201);
    expect(await ask('POST', `${of}/campaigns`, active)).toMatchObject(failed(400, 'TOO_MANY_CAMPAIGNS'));
    await control(sandbox.url, 'settings', { activeCampaigns: 8000 });
  });
});

describe('line items', () => {
  it('are answered in the form of the platform', async () => {
    const campaignId = await newCampaign();
    const { body } = await post('line_items', lineItem(campaignId));
    expect(body.request.params.placements).toEqual(['ALL_ON_TWITTER']);
    expect(body.data).toMatchObject({
      campaign_id: campaignId,
      objective: 'WEBSITE_CLICKS',
      goal: 'LINK_CLICKS',
      bid_strategy: 'AUTO',
      bid_amount_local_micro: null,
      placements: ['ALL_ON_TWITTER'],
      end_time: '2036-01-01T00:00:00Z',
      creative_source: 'MANUAL',
      currency: 'USD',
    });
  });

  it.each(['campaign_id', 'objective', 'product_type', 'placements', 'start_time', 'end_time'])(
    'are refused without %s',
    async (name) => {
      const fields = without(lineItem(await newCampaign()), name);
      expect(await post('line_items', fields)).toMatchObject(failed(400, 'MISSING_PARAMETER', name));
    },
  );

  it('ignore a bid beside AUTO', async () => {
    const fields = { ...lineItem(await newCampaign()), bid_strategy: 'AUTO', bid_amount_local_micro: '1000000' };
    expect((await post('line_items', fields)).body.data).toMatchObject({
      bid_strategy: 'AUTO',
      bid_amount_local_micro: null,
    });
  });

  it.each([
    ['of no campaign', { campaign_id: 'zzz' }, 404, 'CAMPAIGN_NOT_FOUND'],
    ['with an unknown objective', { objective: 'AWARENESS' }, 400, 'INVALID_PARAMETER'],
    ['with a goal of another objective', { goal: 'MAX_REACH' }, 400, 'INVALID_PARAMETER'],
    ['on profiles only', { placements: 'TWITTER_PROFILE' }, 400, 'INVALID_PARAMETER'],
    ['for reach beside the timeline', { objective: 'REACH', placements: 'TWITTER_SEARCH' }, 400, 'INVALID_PARAMETER'],
    [
      'for reach with MAX',
      { objective: 'REACH', bid_strategy: 'MAX', bid_amount_local_micro: '1000000' },
      400,
      'INVALID_PARAMETER',
    ],
    ['with MAX and no bid', { bid_strategy: 'MAX' }, 400, 'MISSING_PARAMETER'],
    ['with a time that is none', { start_time: '' }, 400, 'MISSING_PARAMETER'],
    ['with a time in another form', { start_time: '1/2/2026' }, 400, 'INVALID_PARAMETER'],
    ['that end before they start', { end_time: '2023-01-01' }, 400, 'INVALID_TIME_WINDOW'],
    ['that start in the past', { start_time: '2024-01-01' }, 400, 'INVALID_TIME_WINDOW'],
    ['that ended', { start_time: '2024-01-01', end_time: '2025-01-01' }, 400, 'INVALID_TIME_WINDOW'],
    ['for conversions without a tag', { goal: 'WEBSITE_CONVERSIONS' }, 400, 'MISSING_PARAMETER'],
    [
      'with an unknown tag',
      { goal: 'WEBSITE_CONVERSIONS', primary_web_event_tag: 'zz' },
      404,
      'WEB_EVENT_TAG_NOT_FOUND',
    ],
    ['for an app without one', { objective: 'APP_INSTALLS' }, 400, 'MISSING_PARAMETER'],
  ])('are refused %s', async (_what, extra, status, code) => {
    const fields = lineItem(await newCampaign(), extra as Fields);
    expect(await post('line_items', fields)).toMatchObject(failed(status, code));
  });

  it('spend no more than their campaign', async () => {
    const campaignId = await newCampaign({ total_budget_amount_local_micro: '50000000' });
    const extra = { total_budget_amount_local_micro: '60000000' };
    expect(await post('line_items', lineItem(campaignId, extra))).toMatchObject(failed(400, 'SPEND_EXCEEDS_BUDGET'));
  });

  it('take the tag of their account, bids, and changes of bid, budget and end', async () => {
    const goal = { goal: 'WEBSITE_CONVERSIONS', primary_web_event_tag: person.adAccounts[0]?.webEventTagId ?? '' };
    const id = await newLineItem({ ...goal, bid_strategy: 'MAX', bid_amount_local_micro: '1500000' });
    const form = { end_time: '2035-06-01T12:00:00Z', bid_strategy: 'AUTO', total_budget_amount_local_micro: '9000000' };
    expect((await call('PUT', `${account}/line_items/${id}`, { form })).body.data).toMatchObject({
      end_time: '2035-06-01T12:00:00Z',
      bid_strategy: 'AUTO',
      bid_amount_local_micro: null,
      total_budget_amount_local_micro: 9_000_000,
    });
    const past = { form: { end_time: '2024-02-01T00:00:00Z' } };
    expect((await call('PUT', `${account}/line_items/${id}`, past)).body.errors[0].code).toBe('INVALID_TIME_WINDOW');
  });
});

describe('texts', () => {
  it('have ids beyond what a double holds, exact in id_str only', async () => {
    const { body } = await post('tweet', tweet({ name: 'Sale' }));
    expect(body.data).toMatchObject({ nullcast: true, name: 'Sale', user: { id_str: person.userId } });
    expect(body.data.created_at).toMatch(/^[A-Z][a-z]{2} [A-Z][a-z]{2} \d\d [\d:]{8} \+0000 \d{4}$/);
    expect(body.data.id_str).toMatch(/^\d{19}$/);
    expect(String(body.data.id)).not.toBe(body.data.id_str);
    const found = await call('GET', `${account}/tweets`, { query: { tweet_type: 'PUBLISHED', q: 'sale' } });
    expect(found.body.data).toMatchObject([{ id_str: body.data.id_str }]);
  });

  it.each([
    ['without a user', { as_user_id: '' }, 400, 'MISSING_PARAMETER'],
    ['as another user', { as_user_id: '12' }, 403, 'USER_NOT_FOUND'],
    ['without a text', { text: '' }, 400, 'MISSING_PARAMETER'],
    ['that are blank', { text: '  ' }, 400, 'TWEET_CANNOT_BE_BLANK'],
    ['with a name too long', { name: 'x'.repeat(81) }, 400, 'INVALID_PARAMETER'],
    ['that weigh too much', { text: `${'x'.repeat(257)} https://shop.example/` }, 400, 'INVALID_PARAMETER'],
    ['with an unknown card', { card_uri: 'card://1' }, 404, 'CARD_NOT_FOUND'],
  ])('are refused %s', async (_what, extra, status, code) => {
    expect(await post('tweet', tweet(extra as Fields))).toMatchObject(failed(status, code));
  });

  it('are published once', async () => {
    const same = tweet({ text: `${'x'.repeat(256)} https://shop.example/${'long'.repeat(40)}` });
    expect((await post('tweet', same)).status).toBe(201);
    expect(await post('tweet', same)).toMatchObject(failed(400, 'DUPLICATE_TWEET'));
  });
});

describe('promoted texts', () => {
  it('come as a list with its length', async () => {
    const ids = [await newTweet(), await newTweet()];
    const item = await newLineItem();
    const { status, body } = await post('promoted_tweets', { line_item_id: item, tweet_ids: ids.join(',') });
    expect(status).toBe(201);
    expect(body).toMatchObject({
      total_count: 2,
      data: ids.map((tweet_id) => ({
        tweet_id,
        line_item_id: item,
        approval_status: 'ACCEPTED',
        entity_status: 'ACTIVE',
      })),
    });
    expect(await post('promoted_tweets', { line_item_id: item, tweet_ids: ids[1] ?? '' })).toMatchObject(
      failed(400, 'DUPLICATE_PROMOTABLE_ENTITY'),
    );
  });

  it('are refused as JSON text, unknown, or below no line item, with errors and no data', async () => {
    const item = await newLineItem();
    const quoted = await post('promoted_tweets', { line_item_id: item, tweet_ids: '["1"]' });
    expect(quoted).toMatchObject(failed(400, 'INVALID_PARAMETER', 'tweet_ids'));
    expect(quoted.body.errors[0].message).toContain('Expected Long');
    const unknown = await post('promoted_tweets', { line_item_id: item, tweet_ids: `${await newTweet()},1` });
    expect(unknown).toMatchObject(failed(404, 'TWEET_NOT_FOUND'));
    expect(unknown.body).not.toHaveProperty('data');
    const query = { line_item_ids: item };
    expect((await call('GET', `${account}/promoted_tweets`, { query })).body.data).toEqual([]);
    const lost = await post('promoted_tweets', { line_item_id: 'zz', tweet_ids: await newTweet() });
    expect(lost).toMatchObject(failed(404, 'LINE_ITEM_NOT_FOUND'));
  });

  it.each(['line_item_id', 'tweet_ids'])('are refused without %s', async (name) => {
    const fields = without({ line_item_id: await newLineItem(), tweet_ids: await newTweet() }, name);
    expect(await post('promoted_tweets', fields)).toMatchObject(failed(400, 'MISSING_PARAMETER', name));
  });

  it('need what their objective needs', async () => {
    const plain = await newTweet({ text: 'No link here' });
    const clicks = { line_item_id: await newLineItem(), tweet_ids: plain };
    expect(await post('promoted_tweets', clicks)).toMatchObject(failed(400, 'INVALID_TWEET'));
    const engagements = { line_item_id: await newLineItem({ objective: 'ENGAGEMENTS' }), tweet_ids: plain };
    expect((await post('promoted_tweets', engagements)).status).toBe(201);
  });

  it.each([
    ['pending', 'UNDER_REVIEW'],
    ['rejected', 'REJECTED'],
  ])('named [review:%s] are %s', async (word, approval_status) => {
    const item = await newLineItem({ name: `Sale [review:${word}]` });
    const { body } = await post('promoted_tweets', { line_item_id: item, tweet_ids: await newTweet() });
    expect(body.data[0]).toMatchObject({ approval_status });
  });

  it('are hidden, not deleted, once their line item is deleted, and stay if only the campaign is', async () => {
    const campaignId = await newCampaign();
    const item = await newLineItem({}, campaignId);
    const { body } = await post('promoted_tweets', { line_item_id: item, tweet_ids: await newTweet() });
    const path = `${account}/promoted_tweets/${body.data[0].id}`;
    expect((await call('DELETE', `${account}/campaigns/${campaignId}`)).status).toBe(200);
    expect((await call('GET', `${account}/line_items/${item}`)).body.data).toMatchObject({ deleted: false });
    expect((await call('GET', path)).body.data).toMatchObject({ deleted: false });
    expect((await call('DELETE', `${account}/line_items/${item}`)).status).toBe(200);
    expect((await call('DELETE', `${account}/line_items/${item}`)).status).toBe(404);
    expect((await call('GET', path)).status).toBe(404);
    const shown = await call('GET', path, { query: { with_deleted: 'true' } });
    expect(shown.body.data).toMatchObject({ deleted: false });
  });
});
