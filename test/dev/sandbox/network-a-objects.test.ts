import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startSandbox, type Sandbox } from '../../../src/dev/sandbox/index.ts';
import {
  adSet,
  caller,
  campaign,
  connect,
  creative,
  refused,
  us,
  type Call,
  type Fields,
  type Person,
} from './graph.ts';

let sandbox: Sandbox;
let person: Person;
let act: string;
const call: Call = (...args) => caller(sandbox.url, person.accessToken)(...args);
const post = (path: string, fields: Fields) => call('POST', path, { fields });
const newSet = async (): Promise<{ campaignId: string; setId: string }> => {
  const campaignId = (await post(`${act}/campaigns`, campaign())).body.id;
  return { campaignId, setId: (await post(`${act}/adsets`, adSet(campaignId))).body.id };
};

beforeAll(async () => {
  sandbox = await startSandbox();
  person = await connect(sandbox.url);
  act = `act_${person.adAccounts[0]?.id}`;
});
afterAll(() => sandbox.stop());

describe('changes', () => {
  it('take status, name and budget, and are read back as text', async () => {
    const { setId } = await newSet();
    const change = { name: 'T', daily_budget: 3000, status: 'PAUSED' };
    expect((await call('POST', setId, { fields: change, json: true })).body).toEqual({ success: true });
    const { body } = await call('GET', `${setId}?fields=name,daily_budget,status,start_time`);
    expect(body).toEqual({
      id: setId,
      name: 'T',
      daily_budget: '3000',
      status: 'PAUSED',
      start_time: expect.any(String),
    });
    expect(body.start_time).toMatch(/T[\d:]+\+0000$/);
  });

  it('are only checked with validate_only', async () => {
    const { setId } = await newSet();
    await post(setId, { name: 'Never', execution_options: ['validate_only'] });
    expect((await call('GET', `${setId}?fields=name`)).body.name).toBe('S');
  });

  it.each([
    ['a status beyond the known', { status: 'RUNNING' }],
    ['a budget too low', { daily_budget: '1' }, 1885272],
    ['another kind of budget', { lifetime_budget: '9000' }],
    ['a start in the past', { start_time: '2020-01-01T00:00:00+0000' }, 1487033],
    [
      'an end before the start',
      { start_time: '2037-01-02T00:00:00+0000', end_time: '2037-01-01T00:00:00+0000' },
      1487007,
    ],
    ['an end in the past', { end_time: '2020-01-01T00:00:00+0000' }, 1487033],
    ['another campaign', { campaign_id: '1' }],
    ['the EU without a payor', { targeting: { ...us, geo_locations: { countries: ['IT'] } } }, 3858079],
  ])('refuse %s', async (_what, change, subcode?: number) => {
    const { setId } = await newSet();
    expect(await post(setId, change)).toMatchObject(refused(100, subcode));
  });

  it('of a budget come four times an hour', async () => {
    const { setId } = await newSet();
    for (const budget of [2100, 2200, 2300, 2400])
      expect((await post(setId, { daily_budget: budget })).status).toBe(200);
    expect(await post(setId, { daily_budget: 2500 })).toMatchObject(refused(613, 1487632));
  });

  it('end with deletion, which lists leave out', async () => {
    const { campaignId, setId } = await newSet();
    expect((await call('DELETE', setId)).body).toEqual({ success: true });
    expect(await post(setId, { status: 'ACTIVE' })).toMatchObject(refused(100, 1487056));
    expect((await call('GET', `${campaignId}/adsets`)).body.data).toEqual([]);
    const deleted = encodeURIComponent('["DELETED"]');
    expect((await call('GET', `${campaignId}/adsets?effective_status=${deleted}`)).body.data).toHaveLength(1);
  });

  it('of an archived object are its name and its deletion only', async () => {
    const { setId } = await newSet();
    expect((await post(setId, { status: 'ARCHIVED' })).status).toBe(200);
    expect(await post(setId, { status: 'ACTIVE' })).toMatchObject(refused(100));
    expect(await post(setId, { daily_budget: 3000 })).toMatchObject(refused(100));
    expect((await post(setId, { name: 'Old' })).status).toBe(200);
    expect((await post(setId, { status: 'DELETED' })).status).toBe(200);
  });
});

describe('a budget', () => {
  const terms = 'daily_budget,lifetime_budget,bid_strategy';
  const termsOf = async (id: string): Promise<Fields> => (await call('GET', `${id}?fields=${terms}`)).body;
  const shared = async (): Promise<{ campaignId: string; setIds: string[] }> => {
    const carrier = { daily_budget: '5000', bid_strategy: 'COST_CAP' };
    const { body } = await post(`${act}/campaigns`, campaign(carrier));
    const { daily_budget: _budget, bid_strategy: _strategy, ...below } = adSet(body.id, { bid_amount: '100' });
    const made = await Promise.all([1, 2].map(() => post(`${act}/adsets`, below)));
    return { campaignId: body.id, setIds: made.map((one) => one.body.id) };
  };

  it('moves from the campaign to its ad sets with adset_budgets', async () => {
    const { campaignId, setIds } = await shared();
    const budgets = setIds.map((id, at) => ({ adset_id: id, daily_budget: String(3000 + at) }));
    expect((await post(campaignId, { adset_budgets: budgets })).status).toBe(200);
    expect(await termsOf(campaignId)).toEqual({ id: campaignId });
    for (const [at, id] of setIds.entries())
      expect(await termsOf(id)).toEqual({ id, daily_budget: String(3000 + at), bid_strategy: 'COST_CAP' });
  });

  it.each([
    ['leaves out an ad set', (ids: string[]) => [{ adset_id: ids[0], daily_budget: '3000' }], undefined],
    ['gives an ad set no budget', (ids: string[]) => ids.map((id) => ({ adset_id: id })), undefined],
    ['is too low', (ids: string[]) => ids.map((id) => ({ adset_id: id, daily_budget: '1' })), 1885272],
  ])('stays at the campaign if adset_budgets %s', async (_what, budgets, subcode) => {
    const { campaignId, setIds } = await shared();
    expect(await post(campaignId, { adset_budgets: budgets(setIds) })).toMatchObject(refused(100, subcode));
    expect(await termsOf(campaignId)).toMatchObject({ daily_budget: '5000' });
  });

  it('moves to a campaign that gets one, and its ad sets lose theirs', async () => {
    const { campaignId, setId } = await newSet();
    expect(await post(campaignId, { adset_budgets: [] })).toMatchObject(refused(100));
    expect((await post(campaignId, { daily_budget: '7000' })).status).toBe(200);
    expect(await termsOf(campaignId)).toEqual({
      id: campaignId,
      daily_budget: '7000',
      bid_strategy: 'LOWEST_COST_WITHOUT_CAP',
    });
    expect(await termsOf(setId)).toEqual({ id: setId });
    expect(await post(setId, { daily_budget: '3000' })).toMatchObject(refused(100, 1885621));
  });

  it('of a campaign changes four times an hour', async () => {
    const { campaignId } = await shared();
    for (const budget of [5100, 5200, 5300, 5400])
      expect((await post(campaignId, { daily_budget: budget })).status).toBe(200);
    expect(await post(campaignId, { daily_budget: 5500 })).toMatchObject(refused(613, 1487632));
  });
});

describe('reading', () => {
  it('goes up to parents and down to children', async () => {
    const { campaignId, setId } = await newSet();
    const creativeId = (await post(`${act}/adcreatives`, creative(person.pages[0]?.id))).body.id;
    const ad = { name: 'A', adset_id: setId, creative: { creative_id: creativeId }, status: 'ACTIVE' };
    const { id } = (await post(`${act}/ads`, ad)).body;
    const up = await call('GET', `${id}?fields=adset{id,name},campaign{id,objective},creative{id,name}`);
    expect(up.body).toEqual({
      id,
      adset: { id: setId, name: 'S' },
      campaign: { id: campaignId, objective: 'OUTCOME_TRAFFIC' },
      creative: { id: creativeId, name: 'K' },
    });
    const down = await call('GET', `${campaignId}?fields=name,adsets.limit(100){id,ads.limit(100){id,name}}`);
    expect(down.body.adsets.data).toMatchObject([{ id: setId, ads: { data: [{ id, name: 'A' }] } }]);
  });

  it('gives the id alone unless asked, and refuses what does not exist', async () => {
    const { campaignId } = await newSet();
    expect((await call('GET', campaignId)).body).toEqual({ id: campaignId });
    expect(await call('GET', `${campaignId}?fields=colour`)).toMatchObject(refused(100));
    expect(await call('GET', `${act}/campaigns?filtering=name`)).toMatchObject(refused(100));
    expect(await call('PATCH', campaignId, { fields: {} })).toMatchObject(refused(100));
  });

  it('refuses to read several objects by their ids, as the platform does to apps that are newer than 4 November 2026', async () => {
    const { campaignId } = await newSet();
    expect(await call('GET', `?ids=${campaignId}&fields=status`)).toMatchObject(refused(100));
  });

  it('lists accounts with what was asked and pages with their tasks, page by page', async () => {
    const accounts = await call('GET', 'me/adaccounts?fields=account_id,currency,min_daily_budget,timezone_name');
    expect(accounts.body.data).toMatchObject([
      { id: act, currency: 'USD', min_daily_budget: 100 },
      { currency: 'JPY', min_daily_budget: 100 },
    ]);
    const first = await call('GET', 'me/accounts?limit=1&fields=id,name,tasks');
    expect(first.body.data[0].tasks).toContain('ADVERTISE');
    expect('access_token' in first.body.data[0]).toBe(false);
    const second = await call('GET', `me/accounts?limit=1&fields=id,tasks&after=${first.body.paging.cursors.after}`);
    expect(second.body.data[0].tasks).not.toContain('ADVERTISE');
    expect(second.body.paging.next).toBeUndefined();
    expect(await call('GET', 'me/accounts?after=nonsense')).toMatchObject(refused(100));
  });
});

describe('tokens', () => {
  it('are exchanged for long ones, with the application named, and stay out of the ledger', async () => {
    const path = `oauth/access_token?grant_type=fb_exchange_token&client_id=1&client_secret=s3cret&fb_exchange_token=${person.accessToken}`;
    const { body } = await call('GET', path, { token: null });
    expect(body).toMatchObject({ token_type: 'bearer', expires_in: 5_184_000 });
    expect((await call('GET', 'me', { token: body.access_token })).status).toBe(200);
    expect(await call('GET', path.replace('client_id=1&', ''), { token: null })).toMatchObject(refused(101));
    const ledger = await (await fetch(`${sandbox.url}/ledger`)).text();
    for (const secret of [person.accessToken, body.access_token, 's3cret']) expect(ledger).not.toContain(secret);
  });

  it('are missed differently by the person and by objects', async () => {
    expect(await call('GET', 'me', { token: null })).toMatchObject(refused(2500));
    expect(await call('GET', act, { token: null })).toMatchObject(refused(104));
  });
});

describe('attribution windows', () => {
  const sales = {
    optimization_goal: 'OFFSITE_CONVERSIONS',
    promoted_object: { pixel_id: '1', custom_event_type: 'PURCHASE' },
  };
  const app = {
    optimization_goal: 'APP_INSTALLS',
    destination_type: 'APP',
    promoted_object: { application_id: '1', object_store_url: 'https://store.example/app' },
    targeting: { ...us, user_os: ['Android'] },
  };
  it.each([
    [
      'OUTCOME_SALES',
      sales,
      [
        ['CLICK_THROUGH', 7],
        ['VIEW_THROUGH', 1],
      ],
      200,
    ],
    ['OUTCOME_SALES', sales, [['CLICK_THROUGH', 28]], 400],
    [
      'OUTCOME_APP_PROMOTION',
      app,
      [
        ['CLICK_THROUGH', 1],
        ['VIEW_THROUGH', 1],
      ],
      200,
    ],
    ['OUTCOME_APP_PROMOTION', app, [['CLICK_THROUGH', 7]], 400],
    ['OUTCOME_APP_PROMOTION', { ...app, optimization_goal: 'OFFSITE_CONVERSIONS' }, [['CLICK_THROUGH', 7]], 200],
  ] as const)('%s %o with %j answers %i', async (objective, set, windows, status) => {
    const { body } = await post(`${act}/campaigns`, campaign({ objective }));
    const spec = windows.map(([type, days]) => ({ event_type: type, window_days: days }));
    expect((await post(`${act}/adsets`, adSet(body.id, { ...set, attribution_spec: spec }))).status).toBe(status);
  });
});
