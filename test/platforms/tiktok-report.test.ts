import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { startSandbox, type Sandbox } from '../../src/dev/sandbox/index.ts';
import { createTikTok } from '../../src/platforms/tiktok/index.ts';
import type { Access, AdAccount, ReportAdapter, ReportQuery, ReportRow } from '../../src/platforms/platform.ts';
import { caller, connect, control, type Call, type Fields, type Person } from '../dev/sandbox/short-video.ts';
import { asAccess, refusalOf } from './fixtures.ts';
import {
  daysAgo,
  expectAnySplitAddsUp,
  ordered,
  queryOf,
  readAll,
  sumOf,
  type ReadReport,
} from './report-expectations.ts';
import { startUpstream, type FakeUpstream, type Recorded } from './upstream.ts';

const adapterOf = (baseUrl: string): ReportAdapter | undefined =>
  createTikTok({ baseUrl, version: 'v1.3', callsPerSecond: 1_000_000, appCallsPerSecond: 1_000_000 }, {} as never)
    .reports;

let sandbox: Sandbox;
let reports: ReportAdapter | undefined;
let person: Person;
let access: Access;
let adAccount: AdAccount;
let call: Call;
const made = { campaigns: [] as string[], groups: [] as string[], ads: [] as string[] };
const hour = 3_600_000;
const now = new Date('2026-11-29T15:30:00Z');
const start = now.getTime() - 400 * 24 * hour;
const newYork = 'America/New_York';

/** Adds campaigns whose ads have delivered for 400 days. */
async function seed(advertiserId: string, campaigns: Fields[]): Promise<any> {
  const { campaigns: trees } = await control(sandbox.url, 'campaigns', { advertiserId, campaigns });
  for (const { adgroups } of trees)
    for (const adId of adgroups.flatMap(({ adIds }: { adIds: string[] }) => adIds))
      await control(sandbox.url, 'figures', { adId, spans: [{ from: start, dailyBudget: 9_000_000 }] });
  return trees;
}
const sells = { optimization_goal: 'CONVERT', optimization_event: 'SHOPPING' };
const asks = { optimization_goal: 'CONVERT', optimization_event: 'FORM' };
const clicks = { optimization_goal: 'CLICK' };
const ads = [{ name: 'One' }, { name: 'Two' }];

beforeAll(async () => {
  // The sandbox runs in this process: its figures stand still.
  vi.useFakeTimers({ toFake: ['Date'], now });
  sandbox = await startSandbox();
  person = await connect(sandbox.url);
  adAccount = { id: person.adAccounts[0]?.id ?? '', name: 'Shop', currency: 'USD', timezone: newYork, isActive: true };
  call = caller(sandbox.url, person.accessToken);
  access = asAccess({ accountPlatform: 'network-c', token: person.accessToken, clock: { now: () => new Date() } });
  reports = adapterOf(`${sandbox.url}/network-c/open_api`);
  const trees = await seed(adAccount.id, [
    { name: 'Sales', adgroups: [{ name: 'Shop', fields: sells, ads }] },
    {
      name: 'Mixed',
      adgroups: [
        { name: 'Shop', fields: sells, ads: ads.slice(1) },
        { name: 'Form', fields: asks, ads: ads.slice(1) },
      ],
    },
  ]);
  for (const { campaignId, adgroups } of trees) {
    made.campaigns.push(campaignId);
    for (const { adgroupId, adIds } of adgroups) {
      made.groups.push(adgroupId);
      made.ads.push(...adIds);
    }
  }
});
afterAll(async () => {
  vi.useRealTimers();
  await sandbox.stop();
});

const query = (extra?: Partial<ReportQuery>): ReportQuery =>
  queryOf(adAccount, { level: 'ad', fromDate: daysAgo(40), toDate: daysAgo(1), ...extra });
const read = (extra?: Partial<ReportQuery>): Promise<ReportRow[]> => readAll(reports, access, query(extra));
const ids = (rows: ReportRow[]): string[] => [...new Set(rows.map(({ platformId }) => platformId))].toSorted();
const post = (path: string, fields: Fields) => call('POST', path, { advertiser_id: adAccount.id, ...fields });

describe('figures on D', () => {
  it('add up over days and levels, with the parents of each object', async () => {
    const total = await read();
    expect(ids(total)).toEqual(made.ads.toSorted());
    expect(total.find(({ platformId }) => platformId === made.ads[0])).toMatchObject({
      adSetId: made.groups[0],
      campaignId: made.campaigns[0],
    });
    const days = await read({ granularity: 'day' });
    expect(new Set(days.map(({ date }) => date)).size).toBe(40);
    const groups = await read({ level: 'ad_set' });
    expect(groups.find(({ platformId }) => platformId === made.groups[2])).toMatchObject({
      campaignId: made.campaigns[1],
    });
    const account = await read({ level: 'account' });
    expect(ids(account)).toEqual([adAccount.id]);
    const sum = sumOf(total);
    for (const rows of [days, groups, await read({ level: 'campaign' }), account]) {
      const { events: { all: _all, ...events } = {}, ...figures } = sumOf(rows);
      const { events: { all, ...expected } = {}, ...rest } = sum;
      expect(figures).toEqual(rest);
      expect(events).toEqual(expected);
      expect(all?.count).toBeGreaterThan(0n);
    }
    expect(sum.spend).toBeGreaterThan(1_000_000n);
    expect(sum.purchases).toBe(sum.events?.purchase?.count);
    expect(sum.purchaseValue).toBe(sum.events?.purchase?.value);
    expect(sum.linkClicks).toBe(sum.clicks);
  });

  it('count by default what each ad group optimises for, and above them only if it is the same', async () => {
    const eventOf = async (
      level: ReportQuery['level'],
      within?: ReportQuery['within'],
    ): Promise<Record<string, unknown>> =>
      Object.fromEntries(
        (await read({ level, within })).map(({ platformId, figures }) => [platformId, figures.optimisedFor]),
      );
    const [sales = '', mixed = ''] = made.campaigns;
    const [shop = '', other = '', form = ''] = made.groups;
    expect(await eventOf('ad_set')).toEqual({ [shop]: 'purchase', [other]: 'purchase', [form]: 'lead' });
    expect(await eventOf('campaign')).toEqual({ [sales]: 'purchase', [mixed]: undefined });
    expect(await eventOf('account')).toEqual({ [adAccount.id]: undefined });
    const [one = '', two = '', three = '', four = ''] = made.ads;
    const shopping = { [one]: 'purchase', [two]: 'purchase', [three]: 'purchase' };
    expect(await eventOf('ad')).toEqual({ ...shopping, [four]: 'lead' });
    expect(await eventOf('ad_set', { level: 'campaign', ids: [mixed] })).toEqual({
      [other]: 'purchase',
      [form]: 'lead',
    });
    expect(await eventOf('ad', { level: 'ad_set', ids: [form] })).toEqual({ [four]: 'lead' });
    expect(await eventOf('ad', { level: 'ad', ids: [four] })).toEqual({ [four]: 'lead' });
    const rows = await read({ level: 'ad_set' });
    const formRow = rows.find(({ platformId }) => platformId === form);
    expect(formRow?.figures.events?.lead?.count).toBe(formRow?.figures.events?.all?.count);
  });

  it('are the same for any split of a range', async () => {
    const ofAccount: ReadReport = (extra) => read({ level: 'account', ...extra });
    await expectAnySplitAddsUp(ofAccount, { firstDay: daysAgo(380), days: 380, runs: 8 });
  });

  it.each([
    ['day', 31],
    ['day', 61],
    ['total', 366],
  ] as const)('by %s are read in several reports if the range has %i days', async (granularity, days) => {
    const range = { level: 'campaign', granularity, withReach: true } as const;
    const whole = await read({ ...range, fromDate: daysAgo(days) });
    const parts = [
      ...(await read({ ...range, fromDate: daysAgo(days), toDate: daysAgo(days) })),
      ...(await read({ ...range, fromDate: daysAgo(days - 1) })),
    ];
    expect(sumOf(whole)).toEqual(sumOf(parts));
    expect(whole).toHaveLength(2 * (granularity === 'day' ? days : 1));
    expect('reach' in (whole[0]?.figures ?? {})).toBe(granularity === 'day');
  });

  it('belong to days in the time zone of the advertiser, of 23 and of 25 hours too', async () => {
    const [adId = ''] = made.ads;
    const one = { within: { level: 'ad' as const, ids: [adId] }, granularity: 'day' as const };
    // Clocks change on 8 March, from UTC-5 to UTC-4, and back on 1 November.
    for (const [instant, date] of [
      ['2026-03-08T04:00:00Z', '2026-03-07'],
      ['2026-03-08T05:00:00Z', '2026-03-08'],
      ['2026-03-09T03:00:00Z', '2026-03-08'],
      ['2026-03-09T04:00:00Z', '2026-03-09'],
      ['2026-11-01T04:00:00Z', '2026-11-01'],
      ['2026-11-02T04:00:00Z', '2026-11-01'],
      ['2026-11-02T05:00:00Z', '2026-11-02'],
    ] as const) {
      const around = { ...one, fromDate: date, toDate: date };
      await control(sandbox.url, 'figures', { adId, restatements: [] });
      const [before] = await read(around);
      await control(sandbox.url, 'figures', { adId, restatements: [{ from: Date.parse(instant), add: { leads: 5 } }] });
      const [after] = await read(around);
      expect((after?.figures.leads ?? 0n) - (before?.figures.leads ?? 0n), instant).toBe(5_000_000n);
    }
    await control(sandbox.url, 'figures', { adId, restatements: [] });
  });

  it('belong to objects of the requested parents and ids alone', async () => {
    const within = (level: 'campaign' | 'ad_set' | 'ad', some: string[]) => ({ within: { level, ids: some } });
    expect(ids(await read(within('campaign', made.campaigns.slice(1))))).toEqual(made.ads.slice(2).toSorted());
    expect(ids(await read(within('ad_set', made.groups.slice(0, 1))))).toEqual(made.ads.slice(0, 2).toSorted());
    expect(ids(await read(within('ad', made.ads.slice(0, 1))))).toEqual(made.ads.slice(0, 1));
    const unknown = Array.from({ length: 205 }, (_, at) => String(at));
    expect(ids(await read(within('ad', [...unknown, ...made.ads])))).toEqual(made.ads.toSorted());
  });

  it('have reach of the exact range only if it is requested', async () => {
    const [row] = await read({ level: 'account', withReach: true });
    const days = await read({ level: 'account', withReach: true, granularity: 'day' });
    expect(row?.figures.reach).toBeLessThan(days.reduce((sum, { figures }) => sum + (figures.reach ?? 0n), 0n));
    expect(row?.figures.frequency).toBeGreaterThanOrEqual(1_000_000n);
    expect((await read({ level: 'account' }))[0]?.figures).not.toHaveProperty('reach');
  });

  it.each([[['age']], [['gender']], [['country']], [['placement']], [['device']], [['gender', 'age']]] as const)(
    'by %s add up to the total',
    async (breakdowns) => {
      const rows = await read({ level: 'campaign', breakdowns, withReach: true });
      const { impressions, spend, clicks: clicked } = sumOf(await read({ level: 'campaign' }));
      expect(sumOf(rows)).toMatchObject({ impressions, spend, clicks: clicked });
      const days = await read({ level: 'campaign', breakdowns, granularity: 'day' });
      expect(sumOf(days)).toEqual(sumOf(rows));
      expect(rows.every(({ breakdown }) => breakdown?.length === breakdowns.length)).toBe(true);
      const isBasic = breakdowns.some((name) => name === 'country');
      expect('videoViews' in (rows[0]?.figures ?? {})).toBe(isBasic);
      expect(Object.keys(rows[0]?.figures.events ?? {}).length > 2).toBe(isBasic);
      expect(rows[0]?.figures).not.toHaveProperty('reach');
      if (breakdowns[0] !== 'placement')
        expect(rows.map(({ breakdown }) => breakdown?.[0])).toContainEqual({ value: 'unknown', label: 'unknown' });
    },
  );

  it('by age have the conversions that each ad set optimises for, which add up', async () => {
    const conversions = async (breakdowns: ReportQuery['breakdowns']): Promise<Record<string, bigint>> => {
      const sums: Record<string, bigint> = {};
      for (const { platformId, figures } of await read({ level: 'ad_set', breakdowns })) {
        const name = `${platformId} ${figures.optimisedFor}`;
        sums[name] = (sums[name] ?? 0n) + (figures.events?.[figures.optimisedFor ?? 'all']?.count ?? 0n);
      }
      return sums;
    };
    const whole = await conversions([]);
    expect(Object.values(whole).some((count) => count > 0n)).toBe(true);
    expect(await conversions(['age'])).toEqual(whole);
  });

  it('by age of the last hours come later than the others, and by country with them', async () => {
    const today = { level: 'campaign', fromDate: daysAgo(0), toDate: daysAgo(0) } as const;
    const totals = sumOf(await read(today));
    expect(totals.impressions).toBeGreaterThan(0n);
    expect(sumOf(await read({ ...today, breakdowns: ['country'] })).impressions).toBe(totals.impressions);
    const early = sumOf(await read({ ...today, breakdowns: ['age'] })).impressions ?? 0n;
    expect(early).toBeLessThan(totals.impressions ?? 0n);
    // Eight hours after the day has ended.
    await control(sandbox.url, 'figures', { aheadMs: 22 * hour });
    const [all, byAge] = [sumOf(await read(today)), sumOf(await read({ ...today, breakdowns: ['age'] }))];
    await control(sandbox.url, 'figures', { aheadMs: 0 });
    expect(byAge.impressions).toBe(all.impressions);
  });

  it('name age and gender in the order of the query', async () => {
    const [row] = await read({ level: 'account', breakdowns: ['age', 'gender'] });
    expect(row?.breakdown).toEqual([
      { value: 'AGE_13_17', label: '13-17' },
      { value: 'FEMALE', label: 'female' },
    ]);
  });

  it('stay with objects that are deleted, also below a deleted campaign', async () => {
    const before = await read();
    const [adId] = made.ads;
    await post('ad/status/update/', { ad_ids: [adId], operation_status: 'DELETE' });
    await post('campaign/status/update/', { campaign_ids: made.campaigns.slice(1), operation_status: 'DELETE' });
    expect(ordered(await read())).toEqual(ordered(before));
    for (const level of ['ad_set', 'campaign', 'account'] as const)
      expect(sumOf(await read({ level })).spend).toBe(sumOf(before).spend);
    expect(sumOf(await read({ breakdowns: ['age'] })).spend).toBe(sumOf(before).spend);
  });

  it('agree with the lifetime metrics of discovery', async () => {
    const advertiserId = person.adAccounts[1]?.id ?? '';
    const account = { ...adAccount, id: advertiserId, currency: 'JPY', timezone: 'Asia/Tokyo' };
    const [tree] = await seed(advertiserId, [{ name: 'Traffic', adgroups: [{ name: 'Clicks', fields: clicks, ads }] }]);
    const { discover } = createTikTok(
      { baseUrl: `${sandbox.url}/network-c/open_api`, version: 'v1.3', callsPerSecond: 1_000_000 },
      {} as never,
    );
    const found = [];
    for await (const { campaigns = [] } of discover(access, account)) found.push(...campaigns);
    const today = '2026-11-30';
    const rows = await read({ adAccount: account, level: 'campaign', fromDate: daysAgo(400), toDate: today });
    const { spend = 0n, impressions, clicks: clicked } = sumOf(rows);
    expect(found).toMatchObject([
      {
        id: tree.campaignId,
        metrics: { spend: Number(spend) / 1e6, impressions: Number(impressions), clicks: Number(clicked) },
      },
    ]);
  });

  it('are never prepared by the platform, whose prepared reports leave out deleted objects', () => {
    expect(reports?.needsJob(query({ fromDate: daysAgo(700) }), daysAgo(0))).toBe(false);
    expect(reports).not.toHaveProperty('start');
  });
});

describe('figures that D answers otherwise', () => {
  let upstream: FakeUpstream;
  let odd: ReportAdapter | undefined;
  beforeAll(async () => {
    upstream = await startUpstream();
    odd = adapterOf(upstream.url);
  });
  afterAll(() => upstream.stop());
  const row = (metrics: Fields, dimensions: Fields = { advertiser_id: '77' }): Fields => ({ dimensions, metrics });
  const page = (list: Fields[], total = list.length, pages = 1) => ({
    json: { code: 0, message: 'OK', data: { list, page_info: { total_number: total, total_page: pages } } },
  });
  /** Answers reports with these pages in turn; there are no ad groups. */
  const answering = (...pages: ReturnType<typeof page>[]): Recorded[] => {
    const asked: Recorded[] = [];
    upstream.respond = (request) => {
      if (!request.path.includes('/report/')) return page([]);
      asked.push(request);
      return pages[Math.min(asked.length, pages.length) - 1];
    };
    return asked;
  };
  const ofAccount = (): Promise<ReportRow[]> => readAll(odd, access, query({ level: 'account' }));

  it('are exact text, null for a dash, and left out where the row lacks them', async () => {
    answering(
      page([row({ spend: '90071992547409.931234', impressions: '12', clicks: '-', form: '-', onsite_form: '2' })]),
    );
    const figures = (await ofAccount())[0]?.figures;
    expect(figures).toMatchObject({
      spend: 90_071_992_547_409_931_234n,
      impressions: 12n,
      clicks: null,
      leads: 2_000_000n,
    });
    expect(figures).not.toHaveProperty('engagement');
    expect(figures?.events).toEqual({ lead: { count: 2_000_000n } });
  });

  it('say that something was converted, even if it is none of our events', async () => {
    answering(page([row({ spend: '1', conversion: '3', complete_payment: '0' })]));
    const figures = (await ofAccount())[0]?.figures;
    expect(figures?.events).toEqual({ purchase: { count: 0n }, all: { count: 3_000_000n } });
    expect(figures).not.toHaveProperty('optimisedFor');
  });

  it('are read to the last page', async () => {
    const asked = answering(page([row({ spend: '1' })], 2, 2), page([row({ spend: '2' })], 2, 2));
    expect((await ofAccount()).map(({ figures }) => figures.spend)).toEqual([1_000_000n, 2_000_000n]);
    expect(asked.map(({ query: { page: no, page_size } }) => [no, page_size])).toEqual([
      ['1', '1000'],
      ['2', '1000'],
    ]);
  });

  it('are read again if they change between two pages, and given up if that does not end', async () => {
    const [first, grown] = [page([row({ spend: '1' })], 2, 2), page([row({ spend: '2' })], 3, 2)];
    const whole = page([row({ spend: '1' }), row({ spend: '2' }), row({ spend: '3' })]);
    expect(answering(first, grown, whole)).toHaveLength(0);
    expect(await ofAccount()).toHaveLength(3);
    const asked = answering(page([row({ spend: '1' })], 3));
    expect(await refusalOf(ofAccount())).toMatchObject({
      fault: 'unavailable',
      message: expect.stringContaining('changed'),
    });
    expect(asked).toHaveLength(3);
  });

  it('are read by campaigns if a report ends after 20 000 objects', async () => {
    const many = Array.from({ length: 20_000 }, (_, at) => row({ spend: '1' }, { ad_id: String(at + 1) }));
    upstream.respond = ({ path, query: { page: no = '1', filtering = '' } }) => {
      if (path.includes('/adgroup/')) return page([]);
      if (path.includes('/campaign/')) return page([{ campaign_id: '5' }, { campaign_id: '6' }]);
      if (filtering.includes('campaign_ids')) return page([row({ spend: '7' }, { ad_id: '8' })]);
      return page(many.slice((Number(no) - 1) * 1000, Number(no) * 1000), many.length, 20);
    };
    const rows = await readAll(odd, access, query());
    expect(rows.map(({ platformId, figures }) => [platformId, figures.spend])).toEqual([['8', 7_000_000n]]);
    const [{ query: last } = { query: {} as Record<string, string> }] = upstream.requests.slice(-1);
    expect(JSON.parse(last['filtering'] ?? '')).toContainEqual({
      field_name: 'campaign_ids',
      filter_type: 'IN',
      filter_value: '["5","6"]',
    });
  });

  it.each([
    ['a figure that is no number', page([row({ spend: 'a lot' })]), 'spend'],
    ['an exponent', page([row({ spend: '1e3' })]), 'spend'],
    ['no id', page([row({ spend: '1' }, {})]), 'without an id'],
    ['no list', { json: { code: 0, message: 'OK', data: {} } }, 'unreadable'],
  ])('are refused with %s', async (_, answer, message) => {
    answering(answer as ReturnType<typeof page>);
    expect(await refusalOf(ofAccount())).toMatchObject({
      fault: 'unavailable',
      message: expect.stringContaining(message),
    });
  });

  it('are refused if they belong to a day that was not requested', async () => {
    answering(page([row({ spend: '1' }, { advertiser_id: '77', stat_time_day: '2020-01-01 00:00:00' })]));
    const refusal = await refusalOf(readAll(odd, access, query({ level: 'account', granularity: 'day' })));
    expect(refusal.message).toContain('not requested');
  });

  it('name the time to wait for if the platform limits calls, which it says on HTTP 200', async () => {
    upstream.respond = () => ({ json: { code: 40_100, message: 'Too many requests.', data: {} } });
    expect(await refusalOf(ofAccount())).toMatchObject({ fault: 'rate_limited', upstream: { retryAfterSeconds: 300 } });
  });
});
