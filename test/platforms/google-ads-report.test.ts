import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Breakdown } from '../../src/contract/reporting/metrics.ts';
import { createGoogleAds } from '../../src/platforms/google-ads/index.ts';
import type { Access, AdAccount, AdsAdapter, ReportAdapter } from '../../src/platforms/platform.ts';
import { startSandbox, type Sandbox } from '../../src/dev/sandbox/index.ts';
import { access as fakeAccess, adapterOf, dollars, failure, problem } from './google-ads-fixtures.ts';
import { asAccess } from './fixtures.ts';
import { noMedia } from './media.ts';
import {
  control,
  expectAnySplitAddsUp,
  expectBreakdownAddsUp,
  expectLifetimeAgrees,
  expectReachIsUnique,
  expectSumOfDays,
  hourlyMarks,
  queryOf,
  readerOf,
  requestsOf,
  sumOf,
  sumsOf,
  type ReadReport,
} from './report-expectations.ts';
import { startUpstream, type FakeUpstream } from './upstream.ts';

/** The platform's clock; the ad account is in New York. */
const now = Date.parse('2027-04-15T12:00:00Z');
const march = { fromDate: '2027-03-01', toDate: '2027-03-31' };

let sandbox: Sandbox;
let google: AdsAdapter;
let reports: ReportAdapter;
let access: Access;
let account: AdAccount;
let managerId: string;
let read: ReadReport;
let campaignIds: string[];
/** Resource names. */
let ads: string[];
let display: string;

const set = (path: string, body: object) => control(sandbox.url, `search-display/${path}`, body);
const call = async (path: string, body: object, customer = account.id) => {
  const response = await fetch(`${sandbox.url}/search-display/v25/customers/${customer}/googleAds:${path}`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${access.token}`,
      'developer-token': 'sandbox-developer-token',
      'content-type': 'application/json',
      ...(managerId && { 'login-customer-id': managerId }),
    },
    body: JSON.stringify(body),
  });
  return { status: response.status, body: (await response.json()) as any }; // eslint-disable-line typescript/no-explicit-any -- answers are read freely
};
const adsNow = async (): Promise<string[]> => {
  const response = await fetch(`${sandbox.url}/control/search-display/objects?type=ads`);
  return ((await response.json()) as { objects: { resourceName: string }[] }).objects.map((ad) => ad.resourceName);
};
const deliver = (adId: string, more: object = {}) =>
  set('figures', {
    adId,
    spans: [{ from: Date.parse('2026-01-10T00:00:00Z'), dailyBudget: 30_000_000 }],
    total: null,
    ...more,
  });

beforeAll(async () => {
  sandbox = await startSandbox();
  google = createGoogleAds(
    {
      baseUrl: `${sandbox.url}/search-display`,
      version: 'v25',
      tokenUrl: `${sandbox.url}/search-display/token`,
      developerToken: 'sandbox-developer-token',
    },
    noMedia,
  );
  if (!google.reports) throw new Error('The adapter has no reports');
  reports = google.reports;
  const connection = await set('connections', { name: 'Shop', currencies: ['USD', 'JPY', 'EUR'] });
  managerId = connection.managerId;
  access = asAccess({ accountPlatform: 'search-display', token: connection.accessToken });
  const accounts = await google.listAdAccounts(access);
  account = accounts.find(({ currency }) => currency === 'USD') ?? dollars;
  managerId = account.managerId ?? '';
  await set('figures', { aheadMs: now - Date.now() });
  const found = [
    await set('found-campaigns', { adAccountId: account.id }),
    await set('found-campaigns', { adAccountId: account.id }),
  ];
  campaignIds = found.flatMap(({ campaigns }) => campaigns.map((one: { campaignId: string }) => one.campaignId));
  ads = await adsNow();
  for (const ad of ads) await deliver(ad);
  display = await addDisplayCampaign();
  await deliver(display);
  read = readerOf(reports, access, account, march);
});
afterAll(() => sandbox.stop());

/** A campaign without ads, as those of asset groups are, whose type has reach. */
async function addDisplayCampaign(): Promise<string> {
  const own = `customers/${account.id}`;
  const budget = { name: 'D', amountMicros: '50000000', deliveryMethod: 'STANDARD', explicitlyShared: false };
  const campaign = {
    name: 'Display',
    status: 'ENABLED',
    advertisingChannelType: 'DISPLAY',
    targetSpend: {},
    campaignBudget: `${own}/campaignBudgets/-1`,
    containsEuPoliticalAdvertising: 'DOES_NOT_CONTAIN_EU_POLITICAL_ADVERTISING',
  };
  const { body } = await call('mutate', {
    mutateOperations: [
      { campaignBudgetOperation: { create: { resourceName: `${own}/campaignBudgets/-1`, ...budget } } },
      { campaignOperation: { create: campaign } },
    ],
  });
  return body.mutateOperationResponses[1].campaignResult.resourceName;
}

const idOf = (name: string): string => name.split('/').at(-1) ?? '';

describe('figures of platform B', () => {
  it.each(['account', 'campaign', 'ad_set', 'ad'] as const)('of a range are the sum of its days at level %s', (level) =>
    expectSumOfDays(read, { level }),
  );

  it('are read at each level: a campaign can have more than its ads', async () => {
    const [ofAccount] = await read({ level: 'account' });
    expect(ofAccount?.platformId).toBe(account.id);
    const campaigns = await read({ level: 'campaign' });
    expect(sumOf(campaigns).spend).toBe(ofAccount?.figures.spend);
    const own = campaigns.find(({ platformId }) => platformId === idOf(display));
    for (const level of ['ad_set', 'ad'] as const)
      expect(sumOf(await read({ level })).spend).toBe((ofAccount?.figures.spend ?? 0n) - (own?.figures.spend ?? 0n));
    const [ad] = await read({ level: 'ad', within: { level: 'ad', ids: [idOf(ads[0] ?? '')] } });
    expect(ad).toMatchObject({ platformId: idOf(ads[0] ?? ''), campaignId: campaignIds[0] });
    expect(ad?.adSetId).toBe(ad?.platformId.split('~')[0]);
    const below = await read({ level: 'ad_set', within: { level: 'campaign', ids: campaignIds.slice(0, 1) } });
    expect(below.map(({ campaignId }) => campaignId)).toEqual([campaignIds[0], campaignIds[0]]);
  });

  it('add up however a range is cut', () => expectAnySplitAddsUp(read, { firstDay: '2027-02-20', days: 50, runs: 8 }));

  it('count days in the time zone of the account, of 23, 24 and 25 hours', async () => {
    const [ad = ''] = ads;
    for (const [first, last, from, hours] of [
      ['2027-03-13', '2027-03-15', '2027-03-13T05:00:00Z', [24, 23, 24]],
      ['2026-10-31', '2026-11-02', '2026-10-31T04:00:00Z', [24, 25, 24]],
    ] as const) {
      await set('figures', { adId: ad, spans: [], restatements: hourlyMarks(Date.parse(from), 48 + hours[1]) });
      const rows = await read({
        level: 'ad',
        fromDate: first,
        toDate: last,
        granularity: 'day',
        within: { level: 'ad', ids: [idOf(ad)] },
      });
      expect(rows.map(({ figures }) => Number(figures.impressions))).toEqual(hours);
    }
    await deliver(ad, { restatements: [] });
  });

  it('of removed ads are kept', async () => {
    const before = sumsOf(await read({ level: 'ad' }));
    const operation = { adGroupAdOperation: { remove: ads[1] } };
    expect((await call('mutate', { mutateOperations: [operation] })).status).toBe(200);
    expect(sumsOf(await read({ level: 'ad' }))).toEqual(before);
  });

  it('come page by page to the last, each of ten thousand rows', async () => {
    const count = 13;
    for (let more = 0; more < count; more += 1) await set('found-campaigns', { adAccountId: account.id });
    const added = (await adsNow()).filter((ad) => !ads.includes(ad));
    for (const ad of added) await deliver(ad);
    const year = { fromDate: '2026-02-01', toDate: '2027-01-31', level: 'ad', granularity: 'day' } as const;
    const before = await requestsOf(sandbox.url, 'googleAds:search');
    const rows = await read(year);
    expect(rows).toHaveLength((ads.length + 2 * count) * 365);
    expect((await requestsOf(sandbox.url, 'googleAds:search')) - before).toBe(2);
    for (const ad of added) await set('figures', { adId: ad, spans: [] });
    expect(reports.needsJob(queryOf(account, year), '2027-04-15')).toBe(false);
  });

  it('lose clicks that turn out to be invalid, and are fractional', async () => {
    const day = { fromDate: '2027-04-01', toDate: '2027-04-14', level: 'account' } as const;
    const early = sumOf(await read(day));
    await set('figures', { aheadMs: now + 40 * 86_400_000 - Date.now() });
    const late = sumOf(await read(day));
    await set('figures', { aheadMs: now - Date.now() });
    expect(late.clicks).toBeLessThan(early.clicks ?? 0n);
    expect(late.spend).toBe(early.spend);
    expect(late.events?.all?.count).toBeGreaterThan(early.events?.all?.count ?? 0n);
    const counts = (await read({ level: 'ad', granularity: 'day' })).map(({ figures }) => figures.events?.all?.count);
    expect(new Set(counts.map((count) => (count ?? 0n) % 1_000_000n))).toEqual(new Set([0n, 500_000n]));
  });

  it('of the whole time are the lifetime metrics that discovery reads', async () => {
    const whole = await read({ fromDate: '2026-01-01', toDate: '2027-04-15' });
    await expectLifetimeAgrees(google, access, whole, account);
  });

  it('change if the platform restates a day', async () => {
    const [ad = ''] = ads;
    const one = { level: 'ad', granularity: 'day', within: { level: 'ad', ids: [idOf(ad)] } } as const;
    const before = await read(one);
    const from = Date.parse('2027-03-10T05:00:00Z');
    await deliver(ad, { restatements: [{ from, until: from + 86_400_000, perMille: 3000 }] });
    const after = await read(one);
    const changed = after.filter(({ figures }, at) => figures.spend !== before[at]?.figures.spend);
    expect(changed.map(({ date }) => date)).toEqual(['2027-03-10']);
    await deliver(ad, { restatements: [] });
  });
});

describe('breakdowns of platform B', () => {
  const cases: { names: Breakdown[]; levels: ('account' | 'campaign' | 'ad_set' | 'ad')[] }[] = [
    { names: ['placement'], levels: ['account', 'ad'] },
    { names: ['device'], levels: ['campaign', 'ad'] },
    { names: ['placement', 'device'], levels: ['campaign'] },
    { names: ['age'], levels: ['ad_set'] },
    { names: ['gender'], levels: ['ad_set'] },
    { names: ['country'], levels: ['account', 'campaign', 'ad_set'] },
  ];
  it.each(cases.flatMap(({ names, levels }) => levels.map((level) => ({ names, level }))))(
    'by $names add up to the total at level $level',
    async ({ names, level }) => {
      const rows = await expectBreakdownAddsUp(read, { level, breakdowns: names });
      const values = new Set(rows.map(({ breakdown }) => breakdown?.[0]?.value));
      expect(values.size).toBeGreaterThan(2);
      if (['age', 'gender', 'country'].includes(names[0] ?? '')) expect(values).toContain('unknown');
    },
  );

  it.each(['age', 'gender'] as const)('by %s are those of ad groups, added up for campaigns', async (name) => {
    const ofSets = sumOf(await read({ level: 'ad_set', breakdowns: [name] }));
    for (const level of ['campaign', 'account'] as const)
      expect(sumOf(await read({ level, breakdowns: [name] }))).toEqual(ofSets);
    const days = await read({ level: 'campaign', breakdowns: [name], granularity: 'day' });
    expect(sumOf(days)).toEqual(ofSets);
  });

  it('have country codes, and count interest in a place not beside presence there', async () => {
    const rows = await read({ breakdowns: ['country'] });
    const countries = new Set(rows.map(({ breakdown }) => breakdown?.[0]?.value));
    expect(countries).toEqual(new Set(['US', 'DE', 'FR', 'unknown']));
    const days = await read({ breakdowns: ['country'], granularity: 'day' });
    expect(sumsOf(days)).toEqual(sumsOf(rows));
  });

  it('have neutral labels', async () => {
    const labels = async (name: Breakdown) =>
      Object.fromEntries(
        (await read({ level: 'ad_set', breakdowns: [name] })).map(({ breakdown: [one] = [] }) => [
          one?.value,
          one?.label,
        ]),
      );
    expect(await labels('device')).toMatchObject({ MOBILE: 'mobile', CONNECTED_TV: 'tv' });
    expect(await labels('age')).toMatchObject({ AGE_RANGE_18_24: '18-24', AGE_RANGE_65_UP: '65+', unknown: 'unknown' });
    expect(await labels('gender')).toMatchObject({ FEMALE: 'female' });
  });
});

describe('reach of platform B', () => {
  const own = () => ({ within: { level: 'campaign', ids: [idOf(display)] } }) as const;

  it('counts people once, in campaigns whose type has it', async () => {
    await expectReachIsUnique(read, own());
    const rows = await read({ withReach: true });
    expect(rows.filter(({ figures }) => 'reach' in figures).map(({ platformId }) => platformId)).toEqual([
      idOf(display),
    ]);
    const {
      impressions = 0n,
      reach = 1n,
      frequency,
    } = rows.find(({ platformId }) => platformId === idOf(display))?.figures ?? {};
    expect(Number(frequency) / 1e6).toBeCloseTo(Number(impressions) / Number(reach), 5);
  });

  it('is left out of ranges of more than 92 days, and read in parts by day', async () => {
    const long = { ...own(), fromDate: '2026-12-01', toDate: '2027-03-31', withReach: true };
    expect((await read(long))[0]?.figures).not.toHaveProperty('reach');
    const days = await read({ ...long, granularity: 'day' });
    expect(days).toHaveLength(121);
    expect(days.every(({ figures }) => (figures.reach ?? 0n) > 0n)).toBe(true);
  });
});

describe('limits of platform B', () => {
  it('are reported with the waiting time of the platform', async () => {
    await control(sandbox.url, 'faults', {
      platform: 'search-display',
      fault: 'rate_limited',
      match: { path: 'search' },
    });
    await expect(read()).rejects.toMatchObject({
      fault: 'rate_limited',
      upstream: { retryAfterSeconds: expect.any(Number) },
    });
  });
});

describe('the figures of the sandbox', () => {
  const inMarch = "segments.date BETWEEN '2027-03-01' AND '2027-03-31'";
  it.each([
    ['SELECT metrics.video_views FROM campaign', 'UNRECOGNIZED_FIELD'],
    ['SELECT metrics.clicks, metrics.cost_micro FROM campaign', 'UNRECOGNIZED_FIELD'],
    ['SELECT segments.date, metrics.clicks FROM campaign', 'EXPECTED_FILTERS_ON_DATE_RANGE'],
    ["SELECT metrics.clicks FROM campaign WHERE segments.date >= '2027-03-01'", 'EXPECTED_FILTERS_ON_DATE_RANGE'],
    ['SELECT metrics.clicks FROM campaign WHERE segments.date DURING LAST_YEAR', 'INVALID_VALUE_WITH_DURING_OPERATOR'],
    ["SELECT metrics.clicks FROM campaign WHERE segments.date = '1 March'", 'INVALID_DATE_FORMAT'],
    [
      `SELECT segments.conversion_action, metrics.clicks FROM campaign WHERE ${inMarch}`,
      'PROHIBITED_SEGMENT_WITH_METRIC_IN_SELECT_OR_WHERE_CLAUSE',
    ],
    [
      "SELECT metrics.clicks FROM campaign WHERE segments.device = 'MOBILE'",
      'EXPECTED_REFERENCED_FIELD_IN_SELECT_CLAUSE',
    ],
    [`SELECT metrics.unique_users FROM ad_group WHERE ${inMarch}`, 'PROHIBITED_METRIC_IN_SELECT_OR_WHERE_CLAUSE'],
    [
      "SELECT metrics.unique_users FROM campaign WHERE segments.date BETWEEN '2026-01-01' AND '2026-12-31'",
      'DATE_RANGE_TOO_WIDE',
    ],
    [
      `SELECT metrics.video_quartile_p25_rate FROM geographic_view WHERE ${inMarch}`,
      'PROHIBITED_METRIC_IN_SELECT_OR_WHERE_CLAUSE',
    ],
  ])('refuse %s', async (query, code) => {
    const { status, body } = await call('search', { query });
    expect(status).toBe(400);
    expect(JSON.stringify(body)).toContain(`"queryError":"${code}"`);
  });

  it('have rows of zeros without a segment only', async () => {
    const rows = async (fields: string) => {
      const query = `SELECT campaign.id, ${fields} FROM campaign WHERE segments.date = '2025-01-01'`;
      return (await call('search', { query })).body.results ?? [];
    };
    expect((await rows('metrics.clicks')).length).toBeGreaterThan(2);
    expect(await rows('metrics.clicks, segments.date')).toEqual([]);
  });
});

describe('a response of platform B', () => {
  let upstream: FakeUpstream;
  let reading: ReadReport;
  beforeAll(async () => {
    upstream = await startUpstream();
    reading = readerOf(adapterOf(upstream).reports, fakeAccess, dollars, march);
  });
  afterAll(() => upstream.stop());

  const figuresOf = async (metrics: object) => {
    upstream.respond = () => ({ json: { results: [{ campaign: { id: '1' }, metrics }] } });
    return (await reading())[0]?.figures;
  };

  it('has zero where a requested metric is absent, and counts in place of rates', async () => {
    const figures = await figuresOf({
      costMicros: '9007199254740993',
      impressions: '3000',
      videoQuartileP25Rate: 0.123,
    });
    expect(figures).toMatchObject({
      spend: 9_007_199_254_740_993n,
      clicks: 0n,
      videoP25: 369n,
      events: { all: { count: 0n, value: 0n } },
    });
    expect(await figuresOf({ conversions: 2.333_333, conversionsValue: 1e-7 })).toMatchObject({
      events: { all: { count: 2_333_333n, value: 0n } },
    });
  });

  it.each([{ impressions: 'many' }, { conversions: '1.5' }, { costMicros: 1.5 }])(
    'is not taken if it is malformed: %j',
    async (metrics) => {
      await expect(figuresOf(metrics)).rejects.toMatchObject({ fault: 'unavailable' });
    },
  );

  it('is read in halves where it would be too large', async () => {
    const tooLarge = failure(400, [problem({ sizeLimitError: 'RESPONSE_SIZE_LIMIT_EXCEEDED' })]);
    upstream.respond = ({ json }) => {
      const [, from = '', to = ''] = /BETWEEN '(\S+)' AND '(\S+)'/.exec((json as { query: string }).query) ?? [];
      const days = (Date.parse(to) - Date.parse(from)) / 86_400_000 + 1;
      return days > 8
        ? tooLarge
        : { json: { results: [{ campaign: { id: '1' }, metrics: { clicks: String(days) } }] } };
    };
    expect(sumsOf(await reading())).toMatchObject({ 1: { clicks: 31n } });
    upstream.respond = () => tooLarge;
    await expect(reading({ toDate: march.fromDate })).rejects.toMatchObject({
      upstream: { code: 'RESPONSE_SIZE_LIMIT_EXCEEDED' },
    });
  });
});
