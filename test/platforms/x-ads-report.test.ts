import fc from 'fast-check';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { dayAfter, daysIn, periodOfDay, periodOfDays } from '../../src/dev/sandbox/figures/days.ts';
import { createGenerator } from '../../src/dev/sandbox/figures/generator.ts';
import type { Plan } from '../../src/dev/sandbox/figures/plan.ts';
import { startSandbox, type Sandbox } from '../../src/dev/sandbox/index.ts';
import type { Access, AdAccount, AdsAdapter, ReportQuery, ReportRow } from '../../src/platforms/platform.ts';
import { createXAds } from '../../src/platforms/x-ads/index.ts';
import { requested } from '../../src/platforms/x-ads/report-rows.ts';
import { daysIn as daysOfWindow, windowsOf } from '../../src/platforms/x-ads/report-windows.ts';
import {
  caller,
  campaign,
  connect,
  control,
  lineItem,
  type Call,
  type Fields,
  type Person,
} from '../dev/sandbox/microblog-client.ts';
import { factsOf } from '../upstream/facts.ts';
import { asAccess, refusalOf } from './fixtures.ts';
import { collect, expectAnySplitAddsUp, expectReachIsUnique, expectSumOfDays, queryOf } from './report-expectations.ts';
import { startUpstream, type FakeUpstream, type Recorded, type Reply } from './upstream.ts';

const zone = 'America/Los_Angeles';
const noon = new Date('2026-11-20T20:30:00Z');
/** The rules of the sandbox's platform. */
const rules = { refunds: { perMille: 20, days: 14 } };

let sandbox: Sandbox;
let person: Person;
let adapter: AdsAdapter;
let adAccount: AdAccount;
let funding: string;
let now = noon;

beforeAll(async () => {
  sandbox = await startSandbox();
  person = await connect(sandbox.url, ['USD']);
  adAccount = { id: person.adAccounts[0]?.id ?? '', name: 'Shop', currency: 'USD', isActive: true, timezone: zone };
  funding = (await call('GET', `accounts/${adAccount.id}/funding_instruments`)).body.data[1].id;
  adapter = createXAds({
    baseUrl: `${sandbox.url}/microblog`,
    version: '12',
    clientId: 'sandbox-consumer-key',
    clientSecret: 'sandbox-consumer-secret',
  });
});
afterAll(() => sandbox.stop());
beforeEach(() => setNow(noon));

const call: Call = (...args) => caller(sandbox.url, person)(...args);
const post = async (path: string, form: Fields): Promise<any> =>
  (await call('POST', `accounts/${adAccount.id}/${path}`, { form })).body.data;

/** The clock of the platform and of the service. */
async function setNow(instant: Date): Promise<void> {
  now = instant;
  await control(sandbox.url, 'figures', { aheadMs: instant.getTime() - Date.now() });
}
const access = (): Access =>
  asAccess({
    accountPlatform: 'microblog',
    token: person.accessToken,
    tokenSecret: person.accessTokenSecret,
    clock: { now: () => now },
  });

interface Made {
  campaignId: string;
  adSetId: string;
  adId: string;
  plan: Plan;
}
let texts = 0;
const always = [{ from: Date.parse('2026-01-01T00:00:00Z'), dailyBudget: 10_000_000 }];

/** An ad that has delivered since January. */
async function addAd(campaignId: string, spans = always): Promise<Made> {
  const { id: adSetId } = await post('line_items', lineItem(campaignId, { entity_status: 'ACTIVE' }));
  const text = `Ad ${(texts += 1)} https://shop.example/`;
  const { id_str: tweetId } = await post('tweet', { as_user_id: person.userId, text });
  const [{ id: adId }] = await post('promoted_tweets', { line_item_id: adSetId, tweet_ids: tweetId });
  await control(sandbox.url, 'figures', { adId, spans });
  return { campaignId, adSetId, adId, plan: { id: adId, spans } };
}
const addCampaign = async (): Promise<string> =>
  (await post('campaigns', campaign(funding, { entity_status: 'ACTIVE' }))).id;

const days = { fromDate: '2026-11-02', toDate: '2026-11-04' };
const asked = (more: Partial<ReportQuery>): ReportQuery => queryOf(adAccount, { ...days, ...more });
const read = (more: Partial<ReportQuery> = {}): Promise<ReportRow[]> =>
  collect(adapter.reports?.read(access(), asked(more)));
const sum = (rows: ReportRow[], metric: 'spend' | 'impressions' | 'clicks'): bigint =>
  rows.reduce((total, { figures }) => total + (figures[metric] ?? 0n), 0n);
/** What the platform has of some ads in a range, by the generator itself. */
function expected(made: Made[], from: string, to: string, timeZone = zone): { spend: bigint; impressions: bigint } {
  const parts = made.map(({ plan }) =>
    createGenerator(rules).between(plan, periodOfDays(from, to, timeZone), now.getTime()),
  );
  const total = (name: 'spend' | 'impressions'): bigint =>
    parts.reduce((all, figures) => all + BigInt(figures[name]), 0n);
  return { spend: total('spend'), impressions: total('impressions') };
}
const requestsTo = async (path: string): Promise<{ query: Fields; method: string; path: string }[]> => {
  const response = await fetch(`${sandbox.url}/ledger?platform=microblog`);
  const { entries } = (await response.json()) as { entries: { query: Fields; method: string; path: string }[] };
  return entries.filter((entry) => entry.path.endsWith(path));
};
const clearLedger = (): Promise<unknown> => fetch(`${sandbox.url}/ledger`, { method: 'DELETE' });

describe('figures of ads', () => {
  let ads: Made[];
  let campaignId: string;
  beforeAll(async () => {
    campaignId = await addCampaign();
    ads = [await addAd(campaignId), await addAd(campaignId), await addAd(await addCampaign())];
  });

  it.each(['account', 'campaign', 'ad_set', 'ad'] as const)(
    'at level %s are those of the platform, in total and by day, and of the ad account the sum of its campaigns',
    async (level) => {
      await expectSumOfDays(read, { level });
      const total = await read({ level });
      expect({ spend: sum(total, 'spend'), impressions: sum(total, 'impressions') }).toEqual(
        expected(ads, days.fromDate, days.toDate),
      );
    },
  );

  it('have the ids of the platform and their parents', async () => {
    const [ad] = ads.slice(-1);
    const rows = await read({ level: 'ad', within: { level: 'ad', ids: [ad?.adId ?? ''] } });
    expect(rows).toMatchObject([{ platformId: ad?.adId, adSetId: ad?.adSetId, campaignId: ad?.campaignId }]);
    const items = await read({ level: 'ad_set', within: { level: 'campaign', ids: [campaignId] } });
    expect(new Map(items.map(({ platformId, campaignId: above }) => [platformId, above]))).toEqual(
      new Map(ads.slice(0, 2).map(({ adSetId }) => [adSetId, campaignId])),
    );
    expect(await read({ level: 'account' })).toMatchObject([{ platformId: adAccount.id }]);
  });

  it('count purchases and registrations as events, in millionths', async () => {
    const [row] = await read({ fromDate: '2026-10-01', toDate: '2026-10-31', level: 'account' });
    const purchases = row?.figures.events?.purchase?.count ?? 0n;
    expect(purchases).toBeGreaterThan(0n);
    expect(purchases % 1_000_000n).toBe(0n);
    expect(row?.figures.purchases).toBe(purchases);
    expect(row?.figures.events?.complete_registration?.count).toBeGreaterThan(0n);
    expect(row?.figures.events?.add_to_cart).toEqual({ count: 0n });
    expect(row?.figures).not.toHaveProperty('purchaseValue');
  });

  it.each([
    ['25', '2026-11-01', '2026-11-20T20:30:00Z'],
    ['23', '2026-03-08', '2026-03-20T20:30:00Z'],
  ])('of a day with %s hours are those of its hours', async (hours, day, instant) => {
    await setNow(new Date(instant));
    const { from, until } = periodOfDay(day, zone);
    expect((until - from) / 3_600_000).toBe(Number(hours));
    const range = { fromDate: dayAfter(day, -2), toDate: dayAfter(day, 2) };
    const rows = await read({ ...range, granularity: 'day', level: 'account' });
    for (const date of daysIn(range.fromDate, range.toDate)) {
      const [row] = rows.filter((one) => one.date === date);
      expect({ date, spend: row?.figures.spend, impressions: row?.figures.impressions }).toEqual({
        date,
        ...expected(ads, date, date),
      });
    }
  });

  it('of zones with half an hour are cut at midnight there', async () => {
    const timezone = 'Asia/Kolkata';
    await control(sandbox.url, `accounts/${adAccount.id}`, { timezone });
    const rows = await read({ granularity: 'day', level: 'account', adAccount: { ...adAccount, timezone } });
    await control(sandbox.url, `accounts/${adAccount.id}`, { timezone: zone });
    expect(rows.map(({ date }) => date)).toEqual(daysIn('2026-11-02', '2026-11-04'));
    for (const { date = '', figures } of rows) expect(figures).toMatchObject(expected(ads, date, date, timezone));
  });

  it('are found without the time zone of an older record', async () => {
    const { timezone: _timezone, ...older } = adAccount;
    expect(await read({ adAccount: older })).toEqual(await read({}));
  });

  it('of today end with the current hour', async () => {
    const rows = await read({ fromDate: '2026-11-20', toDate: '2026-11-20', level: 'account' });
    expect(rows[0]?.figures).toMatchObject(expected(ads, '2026-11-20', '2026-11-20'));
  });

  it('add up however a range is cut', () => expectAnySplitAddsUp(read, { firstDay: '2026-10-25', days: 21, runs: 6 }));

  it('change when the platform corrects a day', async () => {
    const within = { level: 'ad' as const, ids: [ads[0]?.adId ?? ''] };
    const range = { fromDate: '2026-11-03', toDate: '2026-11-03', level: 'ad' as const, within };
    const before = await read(range);
    const { from, until } = periodOfDay('2026-11-03', zone);
    await control(sandbox.url, 'figures', { adId: ads[0]?.adId, restatements: [{ from, until, perMille: 2000 }] });
    const after = await read(range);
    await control(sandbox.url, 'figures', { adId: ads[0]?.adId, restatements: [] });
    expect(sum(after, 'impressions')).toBe(sum(before, 'impressions') * 2n);
  });

  it('by placement are those of each placement', async () => {
    const rows = await read({ breakdowns: ['placement'] });
    expect(rows.map(({ breakdown }) => breakdown)).toEqual(rows.map(() => [{ value: 'ALL_ON_TWITTER', label: 'x' }]));
    expect(sum(rows, 'spend')).toBe(sum(await read({}), 'spend'));
  });

  it('with reach count people of the whole range, at campaigns only', async () => {
    const within = { level: 'campaign' as const, ids: [campaignId] };
    await expectReachIsUnique(read, { within });
    const [total] = await read({ within, withReach: true });
    expect(total?.figures.frequency).toBeGreaterThanOrEqual(1_000_000n);
    const [item] = await read({ within, withReach: true, level: 'ad_set' });
    expect(item?.figures).not.toHaveProperty('reach');
  });

  it('stay when ad, ad set and campaign are deleted', async () => {
    const gone = await addAd(await addCampaign());
    const within = { level: 'campaign' as const, ids: [gone.campaignId] };
    const before = await read({ within, level: 'ad' });
    for (const path of [`promoted_tweets/${gone.adId}`, `line_items/${gone.adSetId}`, `campaigns/${gone.campaignId}`])
      await call('DELETE', `accounts/${adAccount.id}/${path}`);
    for (const level of ['campaign', 'ad_set', 'ad'] as const)
      expect(sum(await read({ within, level }), 'spend')).toBe(sum(before, 'spend'));
    expect(await read({ within, level: 'ad' })).toEqual(before);
    expect(sum(before, 'spend')).toBeGreaterThan(0n);
  });
});

describe('requests', () => {
  it('take 20 objects and 7 days each, and together find the same figures', async () => {
    const campaignId = await addCampaign();
    const ads: Made[] = [];
    for (let at = 0; at < 21; at += 1) ads.push(await addAd(campaignId));
    await clearLedger();
    const within = { level: 'campaign' as const, ids: [campaignId] };
    const range = { within, fromDate: '2026-11-02', toDate: '2026-11-09' };
    const rows = await read({ ...range, level: 'ad_set' });
    expect(rows.map(({ platformId }) => platformId).toSorted()).toEqual(ads.map(({ adSetId }) => adSetId).toSorted());
    const requests = (await requestsTo(`/stats/accounts/${adAccount.id}`)).map(({ query }) => query);
    const sizes = requests.map(({ entity_ids: ids = '' }) => ids.split(',').length);
    expect(sizes.toSorted((one, other) => one - other)).toEqual([1, 1, 20, 20]);
    expect(new Set(requests.map((query) => `${query['start_time']} ${query['end_time']}`))).toEqual(
      new Set(['2026-11-02T08:00:00Z 2026-11-09T08:00:00Z', '2026-11-09T08:00:00Z 2026-11-10T08:00:00Z']),
    );
    const of = expected(ads, '2026-11-02', '2026-11-09');
    expect({ spend: sum(rows, 'spend'), impressions: sum(rows, 'impressions') }).toEqual(of);
    const [above] = await read(range);
    expect(above?.figures).toMatchObject(of);
  });

  it('name metrics that the platform publishes', () => {
    const published = Object.values(factsOf('x-ads').selectable ?? {}).flat();
    expect(requested.all.metrics.filter((name) => !published.includes(name))).toEqual([]);
  });

  it('that are throttled say how long to wait', async () => {
    const faults = { platform: 'microblog', fault: 'rate_limited', match: { path: '/12/stats/accounts/*' } };
    await fetch(`${sandbox.url}/control/faults`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(faults),
    });
    const { fault, upstream } = await refusalOf(read({}));
    expect({ fault, wait: upstream.retryAfterSeconds }).toEqual({ fault: 'rate_limited', wait: expect.any(Number) });
  });
});

describe('prepared reports', () => {
  let ad: Made;
  beforeAll(async () => {
    ad = await addAd(await addCampaign());
  });
  const within = (): ReportQuery['within'] => ({ level: 'campaign', ids: [ad.campaignId] });
  const byAge = (more: Partial<ReportQuery> = {}): ReportQuery =>
    asked({ breakdowns: ['age'], within: within(), ...more });
  const reports = () => {
    const { start, poll, fetch: fetchRows } = adapter.reports ?? {};
    if (!start || !poll || !fetchRows) throw new Error('The adapter has no reports');
    return { start, poll, fetch: fetchRows };
  };
  const settings = (given: object): Promise<unknown> => control(sandbox.url, 'settings', given);
  afterEach(() => settings({ readsOfJobs: 1, outcomeOfJobs: 'SUCCESS' }));

  it('are needed for segments and for more than a month', () => {
    const needsJob = (more: Partial<ReportQuery>) => adapter.reports?.needsJob(asked(more), '2026-11-20');
    expect(needsJob({})).toBe(false);
    expect(needsJob({ breakdowns: ['placement'] })).toBe(false);
    expect(needsJob({ breakdowns: ['device'] })).toBe(true);
    expect(needsJob({ fromDate: '2026-10-01', toDate: '2026-10-31' })).toBe(false);
    expect(needsJob({ fromDate: '2026-10-01', toDate: '2026-11-01' })).toBe(true);
  });

  it.each(['age', 'gender', 'device'] as const)('by %s have most of the total, by day too', async (breakdown) => {
    const { start, poll, fetch: fetchRows } = reports();
    for (const granularity of ['total', 'day'] as const) {
      const query = byAge({ breakdowns: [breakdown], granularity, level: 'ad' });
      const job = await start(access(), query);
      expect(job.tokens).toHaveLength(1);
      expect(await poll(access(), query, job)).toEqual({ status: 'running', percent: 0 });
      expect(await poll(access(), query, job)).toEqual({ status: 'finished' });
      const rows = await collect(fetchRows(access(), query, job));
      const [all, part] = [sum(await read({ within: within() }), 'impressions'), sum(rows, 'impressions')];
      expect(part).toBeLessThan(all);
      expect(part * 100n).toBeGreaterThan(all * 90n);
      expect(rows.every(({ platformId, adSetId }) => platformId === ad.adId && adSetId === ad.adSetId)).toBe(true);
      expect(new Set(rows.map(({ date }) => date)).size).toBe(granularity === 'day' ? 3 : 1);
      const shown = rows.map(({ breakdown: [value] = [] }) => value?.label);
      const labels = { age: '25-34', gender: 'unknown', device: 'mobile' };
      expect(shown).toContain(labels[breakdown]);
      expect(rows[0]?.figures.events === undefined).toBe(breakdown !== 'device');
    }
  });

  it('of more than a month are those of its parts', async () => {
    const { start, poll, fetch: fetchRows } = reports();
    const query = asked({ within: within(), fromDate: '2026-09-01', toDate: '2026-11-10', granularity: 'day' });
    await settings({ readsOfJobs: 0 });
    const job = await start(access(), query);
    expect(job.tokens).toHaveLength(3);
    expect(await poll(access(), query, job)).toEqual({ status: 'finished' });
    const rows = await collect(fetchRows(access(), query, job));
    expect(rows).toHaveLength(71);
    expect({ spend: sum(rows, 'spend'), impressions: sum(rows, 'impressions') }).toEqual(
      expected([ad], '2026-09-01', '2026-11-10'),
    );
  });

  it('that fail or expire are started again', async () => {
    const { start, poll, fetch: fetchRows } = reports();
    const query = byAge();
    await settings({ readsOfJobs: 0, outcomeOfJobs: 'FAILED' });
    expect(await poll(access(), query, await start(access(), query))).toMatchObject({ status: 'failed' });
    await settings({ outcomeOfJobs: 'SUCCESS' });
    const job = await start(access(), query);
    await setNow(new Date(noon.getTime() + 3 * 86_400_000));
    expect(await poll(access(), query, job)).toEqual({ status: 'failed', reason: expect.stringContaining('expired') });
    expect(await refusalOf(collect(fetchRows(access(), query, job)))).toMatchObject({ fault: 'not_found' });
    expect(await poll(access(), query, { tokens: ['1'] })).toMatchObject({ status: 'failed' });
  });

  it('that run for more than an hour have failed', async () => {
    const { start, poll } = reports();
    await settings({ readsOfJobs: 9 });
    const job = await start(access(), byAge());
    await setNow(new Date(noon.getTime() + 3_700_000));
    expect(await poll(access(), byAge(), job)).toMatchObject({ status: 'failed' });
  });

  it('without objects are finished at once and empty', async () => {
    const { start, poll, fetch: fetchRows } = reports();
    const query = byAge({ within: { level: 'campaign', ids: ['none'] } });
    const job = await start(access(), query);
    expect(await poll(access(), query, job)).toEqual({ status: 'finished' });
    expect(await collect(fetchRows(access(), query, job))).toEqual([]);
  });
});

describe('responses', () => {
  let upstream: FakeUpstream;
  beforeEach(async () => void (upstream = await startUpstream()));
  afterEach(() => upstream.stop());

  const active = (...placements: string[]): Reply => ({
    json: {
      data: [
        {
          entity_id: 'c1',
          activity_start_time: '2026-11-02T10:00:00Z',
          activity_end_time: '2026-11-03T10:00:00Z',
          placements,
        },
      ],
    },
  });
  const stats = (metrics: object, id = 'c1'): Reply => ({
    json: { data_type: 'stats', time_series_length: 1, data: [{ id, id_data: [{ segment: null, metrics }] }] },
  });
  const dataOf = (reply: Reply): unknown[] => (reply as { json: { data: unknown[] } }).json.data;
  const zeros = Object.fromEntries(requested.all.metrics.map((name) => [name, null]));
  const readFrom = (respond: (request: Recorded) => Reply, more: Partial<ReportQuery> = {}): Promise<ReportRow[]> => {
    upstream.respond = respond;
    const other = createXAds({ baseUrl: upstream.url, version: '12', clientId: 'a', clientSecret: 'b' });
    return collect(other.reports?.read(access(), asked(more)));
  };
  const isActive = ({ path }: Recorded): boolean => path.endsWith('/active_entities');

  it('of all placements are added, and only those that the platform names are requested', async () => {
    const conversions = { metric: [2], post_view: [1], sale_amount: [900] };
    const rows = await readFrom((request) => {
      if (isActive(request)) return active('ALL_ON_TWITTER', 'PUBLISHER_NETWORK', 'TREND');
      const more = request.query['placement'] === 'TREND' ? { clicks: [3] } : { conversion_purchases: conversions };
      return stats({ ...zeros, impressions: [100], billed_charge_local_micro: [1_250_000], ...more });
    });
    expect(rows).toHaveLength(1);
    expect(rows[0]?.figures).toMatchObject({
      impressions: 200n,
      spend: 2_500_000n,
      clicks: 3n,
      purchases: 2_000_000n,
      events: { purchase: { count: 2_000_000n }, search: { count: 0n } },
    });
    expect(upstream.requests.slice(1).map(({ query }) => query['placement'])).toEqual(['ALL_ON_TWITTER', 'TREND']);
  });

  it('leave out what the platform did not report, and nothing else', async () => {
    const { clicks: _clicks, ...others } = zeros;
    const [row] = await readFrom((request) =>
      isActive(request) ? active('ALL_ON_TWITTER') : stats({ ...others, impressions: [5] }),
    );
    expect(row?.figures).toMatchObject({ impressions: 5n, spend: 0n });
    expect(row?.figures).not.toHaveProperty('clicks');
  });

  it('without delivery have no rows', async () => {
    const rows = await readFrom((request) => (isActive(request) ? active('SPOTLIGHT') : stats(zeros)));
    expect(rows).toEqual([]);
  });

  it.each<[string, Reply]>([
    ['other objects', stats(zeros, 'c2')],
    ['an object twice', { json: { data: [...dataOf(stats(zeros)), ...dataOf(stats(zeros))] } }],
    ['another number of intervals', stats({ ...zeros, impressions: [1, 2] })],
    ['fractions', stats({ ...zeros, impressions: [1.5] })],
    ['no figures', { json: { data: [{ id: 'c1', id_data: [] }] } }],
  ])('with %s are refused as a whole', async (_, reply) => {
    const refused = readFrom((request) => (isActive(request) ? active('ALL_ON_TWITTER') : reply));
    expect(await refusalOf(refused)).toMatchObject({ fault: 'unavailable' });
  });

  it('for ranges before the list of active objects come from all that existed then, deleted since or not', async () => {
    const rows = await readFrom(
      ({ path, query }) => {
        const lists: Record<string, object[]> = {
          line_items: [
            { id: 'l1', campaign_id: 'c1' },
            { id: 'l2', campaign_id: 'c1' },
          ],
          promoted_tweets: [
            { id: 'p1', line_item_id: 'l1', created_at: '2026-01-05T00:00:00Z' },
            { id: 'p2', line_item_id: 'l2', created_at: '2026-04-05T00:00:00Z' },
            { id: 'p3', line_item_id: 'l2', deleted: true, updated_at: '2026-01-31T00:00:00Z' },
            { id: 'p4', line_item_id: 'l2', end_time: '2026-01-30T00:00:00Z' },
            { id: 'p5', line_item_id: 'l2', deleted: true, updated_at: '2026-06-01T00:00:00Z' },
          ],
        };
        const found = lists[path.split('/').at(-1) ?? ''];
        if (found && query['cursor'] === undefined && !query['promoted_tweet_ids'])
          return { json: { data: found.slice(0, 1), next_cursor: 'more' } };
        if (found) return { json: { data: found.slice(query['cursor'] ? 1 : 0), next_cursor: null } };
        const ids = query['entity_ids']?.split(',') ?? [];
        return { json: { data: ids.flatMap((id) => dataOf(stats({ ...zeros, impressions: [7] }, id))) } };
      },
      { level: 'ad', within: { level: 'campaign', ids: ['c1'] }, fromDate: '2026-02-01', toDate: '2026-02-02' },
    );
    expect(rows).toMatchObject([
      { platformId: 'p1', adSetId: 'l1', figures: { impressions: 21n } },
      { platformId: 'p5', adSetId: 'l2', figures: { impressions: 21n } },
    ]);
    const listed = upstream.requests.filter(({ path }) => !path.includes('/stats/'));
    expect(listed.every(({ query }) => query['with_deleted'] === 'true')).toBe(true);
    const placements = upstream.requests.flatMap(({ query }) => query['placement'] ?? []);
    expect(placements.toSorted()).toEqual(['ALL_ON_TWITTER', 'SPOTLIGHT', 'TREND']);
  });

  it('count all reads of figures together, and say when most of the calls are used', async () => {
    const reset = String(Math.ceil(Date.now() / 1000) + 600);
    const left = (calls: number) => ({
      'x-rate-limit-limit': '250',
      'x-rate-limit-remaining': String(calls),
      'x-rate-limit-reset': reset,
    });
    upstream.respond = (request) =>
      isActive(request)
        ? { ...(active('ALL_ON_TWITTER') as { json: unknown }), headers: left(60) }
        : { ...(stats(zeros) as { json: unknown }), headers: left(0) };
    const { reports } = createXAds({ baseUrl: upstream.url, version: '12', clientId: 'a', clientSecret: 'b' });
    const readOnce = () => collect(reports?.read(access(), asked({})));
    expect(await reports?.usage?.(adAccount)).toBeUndefined();
    await readOnce();
    expect(await reports?.usage?.(adAccount)).toEqual({ percent: 100, seconds: expect.any(Number) });
    expect(upstream.requests).toHaveLength(2);
    expect(await refusalOf(readOnce())).toMatchObject({ fault: 'rate_limited' });
    expect(upstream.requests).toHaveLength(2);
  });

  it('would need more jobs than the platform runs at once', async () => {
    const many = Array.from({ length: 2001 }, (_, at) => ({ id: `c${at}`, created_at: '2026-01-05T00:00:00Z' }));
    upstream.respond = () => ({ json: { data: many, next_cursor: null } });
    const other = createXAds({ baseUrl: upstream.url, version: '12', clientId: 'a', clientSecret: 'b' });
    const query = asked({ fromDate: '2026-02-01', toDate: '2026-02-20', breakdowns: ['age'] });
    const started = other.reports?.start?.(access(), query) ?? Promise.resolve();
    expect((await refusalOf(started)).message).toMatch(/303 jobs .* runs 100 at once/);
  });
});

describe('windows', () => {
  const windows = (fromDate: string, toDate: string, days: number) =>
    windowsOf({ fromDate, toDate, timeZone: zone, granularity: 'day', now: noon }, days * 86_400_000);

  it('are never longer than the platform allows, also with a day of 25 hours', () => {
    const found = windows('2026-10-28', '2026-11-10', 7);
    expect(found.map(({ start_time: from, end_time: to }) => [from, to])).toEqual([
      ['2026-10-28T07:00:00Z', '2026-11-03T08:00:00Z'],
      ['2026-11-03T08:00:00Z', '2026-11-10T08:00:00Z'],
      ['2026-11-10T08:00:00Z', '2026-11-11T08:00:00Z'],
    ]);
  });

  it('cover every hour of every day once', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 200 }), fc.integer({ min: 0, max: 60 }), (start, length) => {
        const from = dayAfter('2026-02-01', start);
        const to = dayAfter(from, length);
        const days = windows(from, to, 7).flatMap((window) => daysOfWindow(window, zone));
        const hours = daysIn(from, to).map((day) => {
          const period = periodOfDay(day, zone);
          return (period.until - period.from) / 3_600_000;
        });
        expect(daysIn(from, to).map((day) => days.filter((one) => one === day).length)).toEqual(hours);
      }),
      { numRuns: 25 },
    );
  });
});
