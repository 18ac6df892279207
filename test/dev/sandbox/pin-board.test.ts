import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startSandbox, type Sandbox } from '../../../src/dev/sandbox/index.ts';
import {
  adGroup,
  caller,
  campaign,
  connect,
  failed,
  foundCampaigns,
  olderCampaign,
  ownBudget,
  pin,
  refused,
  type Answer,
  type Call,
  type Connection,
  type Fields,
} from './pins.ts';

let sandbox: Sandbox;
let person: Connection;
let account: Connection['adAccounts'][number];
let call: Call;

beforeAll(async () => {
  sandbox = await startSandbox();
  person = await connect(sandbox.url);
  [account] = person.adAccounts as [typeof account];
  call = caller(sandbox.url, person.accessToken);
});
afterAll(() => sandbox.stop());

const path = (rest: string): string => `ad_accounts/${account.id}/${rest}`;
const post = (what: string, ...elements: Fields[]): Promise<Answer> => call('POST', path(what), elements);
const patch = (what: string, ...elements: Fields[]): Promise<Answer> => call('PATCH', path(what), elements);
const idOf = ({ body }: Answer): string => body.items[0].data.id;
const newCampaign = async (extra: Fields = {}): Promise<string> =>
  idOf(await post('campaigns', campaign(account.id, extra)));
const older = (extra?: Fields): Promise<string> => olderCampaign(sandbox.url, account.id, extra);
const newGroup = async (extra: Fields = {}): Promise<string> =>
  idOf(await post('ad_groups', adGroup(await newCampaign(), extra)));
const newPin = async (): Promise<string> => (await call('POST', 'pins', pin(person.boards[0]?.id))).body.id;
const newAd = async (extra: Fields = {}, groupId?: string): Promise<string> => {
  const ad = { ad_group_id: groupId ?? (await newGroup()), pin_id: await newPin(), creative_type: 'REGULAR' };
  return idOf(await post('ads', { ...ad, name: 'Ad', status: 'ACTIVE', ...extra }));
};
const soon = (days: number): number => Math.floor(Date.now() / 1000) + days * 86_400;

describe('a cascade from pin to ad', () => {
  it('answers each step with its id, and lists what came of it', async () => {
    const made = await call('POST', 'pins', pin(person.boards[0]?.id));
    expect(made).toMatchObject({ status: 201, body: { media: { media_type: 'image' }, creative_type: 'REGULAR' } });
    const sale = await post('campaigns', campaign(account.id));
    expect(sale.body.items[0]).toMatchObject({ data: { type: 'campaign', status: 'PAUSED' }, exceptions: [] });
    const group = await post('ad_groups', adGroup(idOf(sale)));
    expect(group.body.items[0].exceptions).toEqual([]);
    const ad = { ad_group_id: idOf(group), pin_id: made.body.id, creative_type: 'REGULAR', name: 'Ad' };
    const { data } = (await post('ads', ad)).body.items[0];
    expect(data).toMatchObject({ campaign_id: idOf(sale), review_status: 'APPROVED', status: 'ACTIVE' });
    for (const id of [made.body.id, idOf(sale), idOf(group), data.id]) expect(id).toMatch(/^\d{12,18}$/);
    const { body } = await call('GET', path(`ads?campaign_ids=${idOf(sale)}`));
    expect(body).toEqual({ items: [data], bookmark: null });
    expect((await call('GET', path(`ads/${data.id}`))).body).toEqual(data);
  });

  it('reviews an ad as its name says', async () => {
    const [pending, rejected] = [
      await newAd({ name: 'A [review:pending]' }),
      await newAd({ name: 'B [review:rejected]' }),
    ];
    const { body } = await call('GET', path(`ads?ad_ids=${pending}&ad_ids=${rejected}`));
    expect(body.items).toMatchObject([
      { review_status: 'PENDING', rejected_reasons: [] },
      { review_status: 'REJECTED', rejected_reasons: [expect.any(String)] },
    ]);
  });
});

describe('lists of elements', () => {
  it('keep their order and fail one by one under a 200', async () => {
    const good = (name: string): Fields => campaign(account.id, { name });
    const { status, body } = await post(
      'campaigns',
      good('first'),
      { ...good('second'), lifetime_spend_cap: 5 },
      good('third'),
    );
    expect(status).toBe(200);
    expect(body.items.map(({ data }: Fields) => (data as Fields | null)?.['name'])).toEqual([
      'first',
      undefined,
      'third',
    ]);
    expect(body.items[1].exceptions).toHaveLength(1);
  });

  it('give an ad its exception as a single object', async () => {
    const { status, body } = await post('ads', { ad_group_id: '1', pin_id: '1', creative_type: 'REGULAR' });
    expect({ status, body }).toMatchObject({
      status: 200,
      body: { items: [{ data: null, exceptions: { code: expect.any(Number), message: 'Ad group not found.' } }] },
    });
  });

  it('are refused as a whole where they are no list of 1 to 30 or break the schema', async () => {
    expect(await call('POST', path('campaigns'), campaign(account.id))).toMatchObject(refused(400, 1, /array/));
    expect(await post('campaigns')).toMatchObject(refused(400, 1));
    expect(await post('campaigns', ...Array.from({ length: 31 }, () => campaign(account.id)))).toMatchObject(
      refused(400, 1),
    );
    for (const odd of [
      { objective_type: 'CONVERSIONS' },
      { name: 5 },
      { status: 'ENABLED' },
      { end_time: '2026-01-01' },
    ])
      expect(await post('campaigns', campaign(account.id), campaign(account.id, odd))).toMatchObject(refused(400, 1));
    const { name: _, ...nameless } = campaign(account.id);
    expect(await post('campaigns', nameless)).toMatchObject(refused(400, 1, /'name' is a required property/));
  });
});

describe('campaigns', () => {
  it.each([
    ['another account in the body', { ad_account_id: '549000000000' }, /Advertiser/],
    ['both caps', { lifetime_spend_cap: 1 }, /same time/],
    ['a lifetime budget without an end', { daily_spend_cap: null, lifetime_spend_cap: 1 }, /end_time is required/],
    ['an end that has passed', { end_time: 1_700_000_000 }, /future/],
    ['a start that has passed', { start_time: 1_700_000_000 }, /start_time must be in the future/],
    ['an end before the start', { start_time: soon(3), end_time: soon(2) }, /after start_time/],
  ])('refuse %s', async (_, extra, message) => {
    expect(await post('campaigns', campaign(account.id, extra))).toMatchObject(failed(message));
  });

  it.each([
    ['campaign budget optimization', { is_campaign_budget_optimization: false }],
    ['a word about campaign budget optimization', { is_campaign_budget_optimization: undefined }],
    ['a budget', { daily_spend_cap: null }],
  ])('refuse a new one without %s, with the code of a missing budget', async (_, extra) => {
    for (const objective of ['AWARENESS', 'CONSIDERATION', 'SALES'])
      expect(await post('campaigns', campaign(account.id, { objective_type: objective, ...extra }))).toMatchObject({
        status: 200,
        body: { items: [{ data: null, exceptions: [{ code: 2384, message: expect.any(String) }] }] },
      });
  });

  it('keep older ones without campaign budget optimization, whose ad groups carry the budget', async () => {
    const id = await older();
    expect(await post('ad_groups', adGroup(id))).toMatchObject(failed(/CBO_ADGROUP/));
    const group = await post('ad_groups', adGroup(id, ownBudget));
    expect(group.body.items[0]).toMatchObject({ data: ownBudget, exceptions: [] });
    const { body } = await patch('campaigns', { id, ad_account_id: account.id, name: 'Renamed' });
    expect(body.items[0]).toMatchObject({ data: { name: 'Renamed', is_campaign_budget_optimization: false } });
  });

  it.each([
    ['the objective', { objective_type: 'AWARENESS' }, /objective_type/],
    ['campaign budget optimization', { is_campaign_budget_optimization: false }, /is_campaign_budget_optimization/],
  ])('keep %s once they are no draft', async (_, change, message) => {
    const id = await newCampaign();
    const ids = { id, ad_account_id: account.id };
    expect(await patch('campaigns', { ...ids, ...change })).toMatchObject(failed(message));
    expect((await call('GET', path(`campaigns/${id}`))).body).toMatchObject({ is_campaign_budget_optimization: true });
  });

  it('exist at both budget levels after found-campaigns, with two ad groups each', async () => {
    const { campaigns } = await foundCampaigns(sandbox.url, account.id);
    const [shared, own] = campaigns;
    expect(campaigns.map(({ level }: Fields) => level)).toEqual(['campaign', 'ad_set']);
    expect((await call('GET', path(`campaigns/${shared.campaignId}`))).body).toMatchObject({
      daily_spend_cap: 50_000_000,
    });
    for (const id of shared.adSetIds)
      expect((await call('GET', path(`ad_groups/${id}`))).body).toMatchObject({ budget_type: 'CBO_ADGROUP' });
    for (const id of own.adSetIds) {
      expect((await call('GET', path(`ad_groups/${id}`))).body).toMatchObject({ budget_in_micro_currency: 25_000_000 });
      expect((await call('GET', path(`ads?ad_group_ids=${id}`))).body.items).toHaveLength(1);
    }
  });

  it('have at most 70 ad groups', async () => {
    const id = await newCampaign();
    const many = (count: number): Fields[] => Array.from({ length: count }, (_, at) => adGroup(id, { name: `G${at}` }));
    for (const count of [30, 30, 9]) await post('ad_groups', ...many(count));
    const { body } = await post('ad_groups', ...many(2));
    expect(body.items).toMatchObject([
      { exceptions: [] },
      { data: null, exceptions: [{ message: expect.stringContaining('70') }] },
    ]);
  });

  it('take the objectives of 2026', async () => {
    for (const objective of ['AWARENESS', 'VIDEO_COMPLETION', 'SALES', 'LEADS', 'WEB_CONVERSION'])
      expect(await newCampaign({ objective_type: objective, intended_promotion_type: 'STANDARD_AD' })).toMatch(/^\d+$/);
  });
});

describe('ad groups', () => {
  it.each([
    ['no place', {}, { LOCATION: undefined }, /LOCATION or GEO/],
    ['an unknown country', {}, { LOCATION: ['XX'] }, /XX/],
    ['regions mixed with postal codes', {}, { GEO: ['US-CA', 'US-94107'] }, /either/],
    ['one age only', {}, { MINIMUM_AGE: '25' }, /together/],
    ['ages as numbers', {}, { MINIMUM_AGE: 25, MAXIMUM_AGE: 54 }, /MINIMUM_AGE/],
    ['an age under 18', {}, { MINIMUM_AGE: '13', MAXIMUM_AGE: '54' }, /18/],
    ['65+ as the least age', {}, { MINIMUM_AGE: '66', MAXIMUM_AGE: '65+' }, /65/],
    ['ages with buckets', {}, { MINIMUM_AGE: '18', MAXIMUM_AGE: '20', AGE_BUCKET: ['18-24'] }, /AGE_BUCKET/],
    ['an unknown interest', {}, { INTEREST: ['1'] }, /Interest/],
    ['an unknown language', {}, { LOCALE: ['xx'] }, /LOCALE/],
    ['an unknown app type', {}, { APPTYPE: ['tablet'] }, /APPTYPE/],
    ['a budget of their own', { budget_in_micro_currency: 5_000_000 }, {}, /on the campaign/],
    ['an end of their own', { end_time: soon(3) }, {}, /on the campaign/],
    ['a bid strategy without a bid', { bid_strategy_type: 'MAX_BID' }, {}, /bid_in_micro_currency/],
    ['clicks without strategy and bid', { bid_strategy_type: null }, {}, /bid_in_micro_currency/],
    ['a negative bid', { bid_in_micro_currency: -1 }, {}, /non-negative/],
    ['an event of another objective', { billable_event: 'VIDEO_V_50_MRC' }, {}, /billable_event/],
    ['another type of budget', { budget_type: 'DAILY' }, {}, /CBO_ADGROUP/],
    ['an unknown campaign', { campaign_id: '626000000000' }, {}, /Campaign not found/],
  ])('refuse %s', async (_, extra, targeting, message) => {
    expect(await post('ad_groups', adGroup(await newCampaign(), extra, targeting))).toMatchObject(failed(message));
  });

  it.each([
    ['a lifetime without an end', { ...ownBudget, budget_type: 'LIFETIME' }, /end_time is required/],
    ['no budget', { budget_type: 'DAILY' }, /budget_in_micro_currency/],
    ['the type of a shared budget', {}, /CBO_ADGROUP/],
  ])('refuse %s under a campaign without campaign budget optimization', async (_, extra, message) => {
    expect(await post('ad_groups', adGroup(await older(), extra))).toMatchObject(failed(message));
  });

  it('stay within the window of their campaign', async () => {
    const id = await older({ end_time: soon(10) });
    const make = (extra: Fields): Promise<Answer> => post('ad_groups', adGroup(id, { ...ownBudget, ...extra }));
    expect(await make({ end_time: soon(11) })).toMatchObject(failed(/campaign/));
    expect(idOf(await make({ budget_type: 'LIFETIME', end_time: soon(9) }))).toMatch(/^\d+$/);
  });

  it('take audiences of at least 100 people', async () => {
    const id = await newCampaign();
    const [many, few] = account.audiences;
    expect(await post('ad_groups', adGroup(id, {}, { AUDIENCE_INCLUDE: [few?.id] }))).toMatchObject(failed(/100/));
    expect(
      (await post('ad_groups', adGroup(id, {}, { AUDIENCE_INCLUDE: [many?.id] }))).body.items[0].data,
    ).not.toBeNull();
  });

  it('exclude audiences of at least 100 people, but none that is targeted too', async () => {
    const id = await newCampaign();
    const [many, few] = account.audiences;
    const make = (targeting: Fields): Promise<Answer> => post('ad_groups', adGroup(id, {}, targeting));
    expect(await make({ AUDIENCE_EXCLUDE: [few?.id] })).toMatchObject(failed(/100/));
    expect(await make({ AUDIENCE_EXCLUDE: ['1'] })).toMatchObject(failed(/Audience 1 not found/));
    const both = { AUDIENCE_INCLUDE: [many?.id], AUDIENCE_EXCLUDE: [many?.id] };
    expect(await make(both)).toMatchObject(failed(/AUDIENCE_EXCLUDE/));
    expect((await make({ AUDIENCE_EXCLUDE: [many?.id] })).body.items[0].data).not.toBeNull();
  });

  it('need a known tag and a fitting event for conversions', async () => {
    const id = await newCampaign({ objective_type: 'LEADS' });
    const goal = (tag: string, event: string): Fields => ({
      billable_event: 'IMPRESSION',
      optimization_goal_metadata: {
        conversion_tag_v3_goal_metadata: { conversion_tag_id: tag, conversion_event: event },
      },
    });
    const make = (extra: Fields): Promise<Answer> => post('ad_groups', adGroup(id, extra));
    expect(await make({ billable_event: 'IMPRESSION' })).toMatchObject(failed(/optimization_goal_metadata/));
    expect(await make(goal('1', 'SIGNUP'))).toMatchObject(failed(/tag/));
    expect(await make(goal(account.conversionTagId, 'CHECKOUT'))).toMatchObject(failed(/SIGNUP/));
    expect((await make(goal(account.conversionTagId, 'SIGNUP'))).body.items[0].exceptions).toEqual([]);
  });
});

describe('updates', () => {
  it('change status, budget, name and end, in order, and leave the rest', async () => {
    const made = async (): Promise<string> => idOf(await post('ad_groups', adGroup(await older(), ownBudget)));
    const [one, two] = [await made(), await made()];
    const { body } = await patch(
      'ad_groups',
      { id: two, status: 'PAUSED', name: 'Two' },
      { id: '1', status: 'PAUSED' },
      { id: one, budget_in_micro_currency: 30_000_000, end_time: soon(5) },
    );
    expect(body.items).toMatchObject([
      { data: { id: two, status: 'PAUSED', name: 'Two', budget_in_micro_currency: 25_000_000 }, exceptions: [] },
      { data: null, exceptions: [{ message: expect.stringContaining('not found') }] },
      { data: { id: one, status: 'ACTIVE', budget_in_micro_currency: 30_000_000 }, exceptions: [] },
    ]);
  });

  it('archive for good, out of the lists that do not ask for it', async () => {
    const id = await newCampaign();
    await patch('campaigns', { id, ad_account_id: account.id, status: 'ARCHIVED' });
    expect((await call('GET', path(`campaigns?campaign_ids=${id}`))).body.items).toEqual([]);
    const all = await call('GET', path(`campaigns?campaign_ids=${id}&entity_statuses=ACTIVE&entity_statuses=ARCHIVED`));
    expect(all.body.items).toMatchObject([{ id, summary_status: 'ARCHIVED' }]);
    expect(await patch('campaigns', { id, ad_account_id: account.id, status: 'ACTIVE' })).toMatchObject(
      failed(/archived/),
    );
  });

  it('delete drafts only', async () => {
    const [draft, active] = [await newCampaign({ status: 'DRAFT' }), await newCampaign()];
    const remove = (id: string) => patch('campaigns', { id, ad_account_id: account.id, status: 'DELETED_DRAFT' });
    expect((await remove(draft)).body.items).toMatchObject([{ data: { status: 'DELETED_DRAFT' }, exceptions: [] }]);
    expect(await remove(active)).toMatchObject(failed(/Only a draft/));
  });

  it('need an id, and for campaigns the account', async () => {
    expect(await patch('ads', { status: 'PAUSED' })).toMatchObject(refused(400, 1, /'id'/));
    expect(await patch('campaigns', { id: await newCampaign() })).toMatchObject(refused(400, 1, /'ad_account_id'/));
  });

  it('keep the parent, the budget type and the pin', async () => {
    const [group, ad] = [await newGroup(), await newAd()];
    expect(await patch('ad_groups', { id: group, budget_type: 'LIFETIME', end_time: soon(3) })).toMatchObject(
      failed(/budget_type/),
    );
    expect(await patch('ad_groups', { id: group, campaign_id: await newCampaign() })).toMatchObject(
      failed(/campaign_id/),
    );
    expect((await patch('ads', { id: ad, pin_id: await newPin() })).body.items[0].exceptions.message).toMatch(/pin_id/);
  });
});

describe('pages', () => {
  it('follow the bookmark to its end, each item once, in either order', async () => {
    const other = await connect(sandbox.url);
    const own = caller(sandbox.url, other.accessToken);
    const base = `ad_accounts/${other.adAccounts[0]?.id}/campaigns`;
    const many = Array.from({ length: 7 }, (_, no) => campaign(other.adAccounts[0]?.id, { name: `C${no}` }));
    await own('POST', base, many);
    for (const order of ['ASCENDING', 'DESCENDING']) {
      const names: string[] = [];
      for (let bookmark: string | null = ''; bookmark !== null;) {
        const { body } = await own('GET', `${base}?page_size=3&order=${order}&bookmark=${bookmark}`);
        names.push(...body.items.map(({ name }: { name: string }) => name));
        bookmark = body.bookmark;
      }
      const expected = many.map(({ name }) => name);
      expect(names).toEqual(order === 'ASCENDING' ? expected : expected.toReversed());
    }
  });

  it('refuse odd sizes, bookmarks and lists', async () => {
    for (const odd of [
      'page_size=251',
      'page_size=0',
      'page_size=3e',
      'bookmark=nonsense',
      'order=UP',
      'campaign_ids=x',
      'campaign_ids=1,2',
      'entity_statuses=ACTIVE,PAUSED',
    ])
      expect(await call('GET', path(`campaigns?${odd}`))).toMatchObject(refused(400, 1));
  });
});

describe('figures of ads', () => {
  /** Two days, so that midnight may lie between an ad and its report. */
  const day = (ago: number): string => new Date(Date.now() - ago * 86_400_000).toISOString().slice(0, 10);
  const columns = 'columns=SPEND_IN_MICRO_DOLLAR,TOTAL_IMPRESSION,TOTAL_CLICKTHROUGH';
  const report = (ids: string[], extra = columns): Promise<Answer> => {
    const asked = ids.map((id) => `&ad_ids=${id}`).join('');
    return call(
      'GET',
      path(`ads/analytics?start_date=${day(1)}&end_date=${day(0)}&granularity=TOTAL${asked}&${extra}`),
    );
  };

  it('come for those that ran, and not for those that never did', async () => {
    const idle = await newAd();
    const running = await newAd({}, idOf(await post('ad_groups', adGroup(await newCampaign({ status: 'ACTIVE' })))));
    const { status, body } = await report([idle, running]);
    expect(status).toBe(200);
    expect(body).toEqual([
      {
        AD_ID: running,
        SPEND_IN_MICRO_DOLLAR: expect.any(Number),
        TOTAL_IMPRESSION: expect.any(Number),
        TOTAL_CLICKTHROUGH: expect.any(Number),
      },
    ]);
  });

  it('come for at most 250 ads at once', async () => {
    const ids = Array.from({ length: 251 }, (_, at) => String(at + 1));
    expect((await report(ids.slice(1))).status).toBe(200);
    expect(await report(ids)).toMatchObject(refused(400, 1, /250/));
  });

  it('take columns as one comma-separated value and ids repeated, and refuse the other forms', async () => {
    expect(await report(['1'], 'columns=AD_ID&columns=SPEND_IN_MICRO_DOLLAR')).toMatchObject(
      refused(400, 1, /columns/),
    );
    expect(await report(['1,2'])).toMatchObject(refused(400, 1, /ad_ids/));
  });

  it('refuse a misspelt column, a beta breakdown, reach with a breakdown, and days before the last ninety', async () => {
    expect(await report(['1'], 'columns=SPEND_IN_MICRO_DOLARS')).toMatchObject(
      refused(400, 1, /SPEND_IN_MICRO_DOLARS/),
    );
    const ask = (types: string, asked = columns, from = day(1)): Promise<Answer> =>
      call(
        'GET',
        path(
          `targeting_analytics?start_date=${from}&end_date=${day(0)}&granularity=TOTAL&targeting_types=${types}&${asked}`,
        ),
      );
    expect((await ask('GENDER,AGE_BUCKET')).status).toBe(200);
    expect(await ask('AGE_BUCKET_AND_GENDER')).toMatchObject(refused(400, 1));
    expect(await ask('GENDER', 'columns=TOTAL_IMPRESSION_USER')).toMatchObject(refused(400, 400));
    expect((await ask('GENDER', columns, day(89))).status).toBe(200);
    expect(await ask('GENDER', columns, day(92))).toMatchObject(refused(400, 400));
  });

  it('come in prepared reports of at most 186 days within 914, by a link that is valid for five minutes', async () => {
    const body = {
      start_date: day(900),
      end_date: day(714),
      granularity: 'TOTAL',
      level: 'ADVERTISER',
      columns: ['SPEND_IN_MICRO_DOLLAR', 'TOTAL_CONVERSIONS_VALUE_IN_MICRO_DOLLAR'],
    };
    const ask = (extra: Fields = {}): Promise<Answer> => call('POST', path('reports'), { ...body, ...extra });
    const { status, body: made } = await ask();
    expect([status, made.report_status]).toEqual([200, 'IN_PROGRESS']);
    for (const extra of [
      { start_date: day(916) },
      { start_date: day(901) },
      { level: 'ADS' },
      { columns: [] },
      { ad_ids: Array.from({ length: 501 }, () => '1') },
    ])
      expect(await ask(extra)).toMatchObject(refused(400, 400));
    expect(await ask({ columns: ['SPEND'] })).toMatchObject(refused(400, 1));
    const show = async (): Promise<Answer['body']> => (await call('GET', path(`reports?token=${made.token}`))).body;
    expect(await show()).toMatchObject({ report_status: 'IN_PROGRESS', url: null });
    const { url } = await show();
    expect((await fetch(url)).status).toBe(200);
    expect((await fetch(url.replace(/until=\d+/, `until=${Date.now()}`))).status).toBe(403);
  });

  it('need days, granularity, columns and ads', async () => {
    expect(await call('GET', path('ads/analytics?ad_ids=1'))).toMatchObject(refused(400, 400));
    expect(await report(['1', 'x'])).toMatchObject(refused(400, 1));
    expect(
      await call(
        'GET',
        path(`ads/analytics?start_date=2020-01-01&end_date=${day(0)}&granularity=TOTAL&ad_ids=1&columns=AD_ID`),
      ),
    ).toMatchObject(refused(400, 400));
  });
});
