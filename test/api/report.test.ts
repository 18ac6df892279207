import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { dayOf } from '../../src/lib/account-time.ts';
import { PlatformError } from '../../src/platforms/error.ts';
import type { AdsAdapter, ReportQuery } from '../../src/platforms/platform.ts';
import { campaignRefOf } from '../../src/services/campaigns/ids.ts';
import { cell } from '../../src/services/reports/csv.ts';
import { addDays } from '../../src/lib/calendar-days.ts';
import { startTestApp, type Answer, type TestApp } from '../support/app.ts';
import { seedCampaignTrees } from '../support/campaign-trees.ts';
import { reportsFrom, type Delivered } from '../support/reports.ts';
import { createUserFixture, type UserFixture } from '../support/user-fixture.ts';

const timeZone = 'Europe/Oslo';
const adAccount = { id: 'act_1', name: 'Main', currency: 'EUR', timezone: timeZone, isActive: true };
const today = (): string => dayOf(new Date(), timeZone);
const daysAgo = (count: number): string => addDays(today(), -count);
const gone = 'f'.repeat(24);

let app: TestApp;
let fixture: UserFixture;
let delivered: Delivered[];
let failure: PlatformError | undefined;
let isPreparing: (query: ReportQuery) => boolean = () => false;
const queries: ReportQuery[] = [];

/** A hundred campaigns with an ad each; only the first three are delivered. */
beforeAll(async () => {
  app = await startTestApp();
  fixture = await createUserFixture(app);
  const { db, platforms } = app.app.services;
  const { userId, profileId, accountId } = fixture;
  const adAccounts = [adAccount, { ...adAccount, id: 'act_2', name: 'Other' }];
  await db.accounts.updateOne({ _id: accountId }, { $set: { adAccounts, adAccountsAt: new Date() } });
  await seedCampaignTrees(db, { userId, profileId, accountId }, { campaigns: 100, adSets: 1, ads: 1 });
  await db.campaigns.updateOne({ platformCampaignId: 'c1', userId }, { $set: { name: '=1+1, "Spring"\r\nsale' } });
  await db.campaigns.updateOne({ platformCampaignId: 'c2', userId }, { $set: { status: 'cancelled' } });
  const reported = (): Delivered[] => {
    if (failure) throw failure;
    return delivered;
  };
  const reports = reportsFrom(reported, { queries, isPreparing: (query) => isPreparing(query) });
  Object.assign(platforms, { A: { ...platforms.A, reports } as AdsAdapter });
});
afterAll(() => app.stop());

/** The ad of a campaign on a day: spend in millionths, conversions in whole numbers. */
const day = (at: number, date: string, spend: bigint, purchases = 0n, country = 'NO'): Delivered => ({
  campaign: `c${at}`,
  adSet: `s${at}-0`,
  ad: `a${at}-0-0`,
  date,
  country,
  figures: {
    spend,
    impressions: spend / 1000n,
    clicks: spend / 100_000n,
    linkClicks: 1n,
    engagement: 2n,
    purchases: purchases * 1_000_000n,
    purchaseValue: purchases * 5_000_000n,
    leads: 0n,
    videoViews: 0n,
    videoPlays: 0n,
    videoP25: 0n,
    videoP50: 0n,
    videoP75: 0n,
    videoP100: 0n,
    reach: 40n,
    events: purchases > 0n ? { purchase: { count: purchases * 1_000_000n, value: purchases * 5_000_000n } } : {},
    ...(purchases > 0n && { optimisedFor: 'purchase' }),
  },
});

beforeEach(async () => {
  const { adFigures, adFigureCoverage, adFigureReads, adFigureSources, adFigureJobs } = app.app.services.db;
  for (const collection of [adFigures, adFigureCoverage, adFigureReads, adFigureSources, adFigureJobs])
    await collection.collection.deleteMany({});
  isPreparing = () => false;
  failure = undefined;
  queries.length = 0;
  delivered = [
    day(0, daysAgo(1), 100_100_000n, 2n),
    day(0, daysAgo(3), 200_200_000n, 1n, 'SE'),
    day(1, daysAgo(2), 50_000_000n),
    day(2, daysAgo(2), 7_000_000n),
    // A campaign that is not recorded here.
    { ...day(0, daysAgo(1), 1_000_000n), campaign: 'c900', adSet: 's900-0', ad: 'a900-0-0' },
  ];
});

type Input = Record<string, unknown>;

const base = (): Input => ({ accountId: fixture.accountId, adAccountId: 'act_1' });
const query = (input: Input): string =>
  new URLSearchParams(Object.entries(input).map(([name, value]) => [name, String(value)])).toString();
const rest = (input: Input = {}, headers: Record<string, string> = {}, key = fixture.key): Promise<Answer> =>
  app.call('GET', `/v1/ads/report?${query({ ...base(), ...input })}`, { key, headers });

const enums = ['level', 'datePreset', 'granularity', 'breakdowns', 'metrics', 'conversionEvent', 'sort', 'order'];
const enumOf = (value: unknown): unknown =>
  Array.isArray(value) ? value.map(enumOf) : String(value).replaceAll(/[A-Z]/g, '_$&').toUpperCase();
const graphql = (input: Input = {}, key = fixture.key): Promise<Answer> =>
  app.graphql(
    `query ($input: AdReportInput!) { adReport(input: $input) {
      accountId adAccountId currency timeZone fromDate toDate fetchedAt isComplete isFinal retryAfterSeconds
      missing { fromDate toDate reason } finalThrough { delivery conversions } unavailable { metric reason }
      warnings { param message } pagination { page limit total totalIsExact pages nextCursor }
      rows { date objectId platformId name campaignId platformCampaignId breakdown { name value label } metrics { ${figures} } }
      totals { ${figures} } } }`,
    {
      input: Object.fromEntries(
        Object.entries({ ...base(), ...input }).map(([name, value]) => [
          name,
          enums.includes(name) ? enumOf(value) : value,
        ]),
      ),
    },
    { key },
  );
const figures = 'spend impressions clicks ctr cpc conversions costPerConversion roas reach frequency';

const spends = ({ body }: Answer): [string, number][] =>
  body.rows.map(({ platformId, metrics }: any) => [platformId, metrics.spend]);

describe('a report of campaigns', () => {
  it('has exact sums, names of recorded campaigns and the figures of others', async () => {
    const { status, body } = await rest();
    expect(status).toBe(200);
    expect(body).toMatchObject({ currency: 'EUR', timeZone, timeZoneBasis: 'ad_account', level: 'campaign' });
    expect(body).toMatchObject({ fromDate: daysAgo(30), toDate: daysAgo(1), isComplete: true, isFinal: false });
    expect(spends({ body } as Answer)).toEqual([
      ['c0', 300.3],
      ['c1', 50],
      ['c2', 7],
      ['c900', 1],
    ]);
    expect(body.rows[0]).toMatchObject({
      objectId: campaignRefOf(fixture.accountId, 'c0'),
      name: 'Campaign 00000',
      status: 'active',
      metrics: { spend: 300.3, conversions: 3, purchaseValue: 15, roas: 0.04995, reach: null },
    });
    expect(body.rows[3]).toMatchObject({ objectId: null, name: null, campaignId: null, platformCampaignId: 'c900' });
    expect(body.totals).toMatchObject({ spend: 358.3, conversions: 3, costPerConversion: 119.433333 });
    expect(body.unavailable).toEqual([
      { metric: 'reach', reason: 'not_requested' },
      { metric: 'frequency', reason: 'not_requested' },
    ]);
  });

  it('has the same fields with the same values in GraphQL', async () => {
    const input = { granularity: 'day', datePreset: 'last_7_days', sort: 'spend', limit: 5 };
    const [inRest, inGraphql] = await Promise.all([rest(input), graphql(input)]);
    expect(inGraphql.body.errors).toBeUndefined();
    const { fetchedAt: _one, unavailable: _metrics, warnings = null, ...report } = inGraphql.body.data.adReport;
    const { fetchedAt: _other, ...expected } = inRest.body;
    expect({ ...expected, warnings: expected.warnings ?? null }).toMatchObject({ ...report, warnings });
    expect(report.rows).toHaveLength(5);
  });

  it('has a row for each day of the range, zeros included', async () => {
    const { body } = await rest({ granularity: 'day', fromDate: daysAgo(4), toDate: today(), campaignIds: 'c0,c5' });
    const days = [4, 3, 2, 1, 0].map(daysAgo);
    const of = (id: string) => body.rows.filter(({ platformId }: any) => platformId === id);
    expect(of('c0').map(({ date, metrics }: any) => [date, metrics.spend])).toEqual([
      [days[0], 0],
      [days[1], 200.2],
      [days[2], 0],
      [days[3], 100.1],
      [days[4], 0],
    ]);
    expect(of('c5').map(({ date }: any) => date)).toEqual(days);
    expect(of('c5')[0].metrics).toMatchObject({ spend: 0, conversions: 0, ctr: null });
  });

  it('filters before it adds up, and leaves out what was deleted if asked to', async () => {
    expect((await rest({ campaignIds: campaignRefOf(fixture.accountId, 'c1') })).body).toMatchObject({
      rows: [{ platformId: 'c1' }],
      totals: { spend: 50 },
    });
    expect(spends(await rest({ campaignIds: 'c0,unknown' }))).toEqual([['c0', 300.3]]);
    const { body } = await rest({ includeDeleted: false });
    expect(body.totals.spend).toBe(351.3);
    expect(body.warnings).toMatchObject([{ param: 'includeDeleted' }]);
  });

  it('takes lists comma-separated and repeated, and rejects an empty entry', async () => {
    const ids = (text: string) => app.call('GET', `/v1/ads/report?${query(base())}&${text}`, { key: fixture.key });
    const expected = [
      ['c0', 300.3],
      ['c1', 50],
    ];
    expect(spends(await ids('campaignIds=c0,c1'))).toEqual(expected);
    expect(spends(await ids('campaignIds=c0&campaignIds=c1'))).toEqual(expected);
    expect(await ids('campaignIds=c0,,c1')).toMatchObject({ status: 400, body: { param: 'campaignIds.1' } });
  });

  it('also lists campaigns without delivery if asked to', async () => {
    const { body } = await rest({ onlyDelivered: false, sort: 'name', limit: 1000 });
    expect(body.pagination).toMatchObject({ total: 101, pages: 1, nextCursor: null });
    expect(body.rows.at(-1)).toMatchObject({ platformId: 'c900', name: null });
    expect(body.totals.spend).toBe(358.3);
  });

  it('pages by number and by cursor without repeating or skipping a row', async () => {
    const all = (await rest({ granularity: 'day', sort: 'spend' })).body.rows;
    const byCursor: object[] = [];
    let cursor: string | null = '';
    while (cursor !== null) {
      const { body } = await rest({ granularity: 'day', sort: 'spend', limit: 37, ...(cursor && { cursor }) });
      byCursor.push(...body.rows);
      cursor = body.pagination.nextCursor;
    }
    const second = await rest({ granularity: 'day', sort: 'spend', limit: 37, page: 2 });
    expect(byCursor.slice(0, 100)).toEqual(all);
    expect(byCursor).toHaveLength(120);
    expect(second.body.rows).toEqual(byCursor.slice(37, 74));
    expect(second.body.totals.spend).toBe(358.3);
  });

  it('counts people only where the platform counts them in exactly these rows', async () => {
    const metrics = 'reach,frequency';
    expect((await rest({ metrics })).body).toMatchObject({ totals: { reach: 40 }, unavailable: [] });
    expect(queries.map(({ level, withReach }) => [level, withReach])).toEqual([
      ['campaign', true],
      ['account', true],
    ]);
    expect((await rest({ metrics, campaignIds: 'c0,c1' })).body).toMatchObject({
      rows: [{ metrics: { reach: 40 } }, { metrics: { reach: 40 } }],
      totals: { reach: null, frequency: null },
      unavailable: [
        { metric: 'reach', reason: 'not_additive' },
        { metric: 'frequency', reason: 'not_additive' },
      ],
    });
  });

  it('says that people in all rows together are still being counted', async () => {
    isPreparing = ({ level }) => level === 'account';
    const { status, body } = await rest({ metrics: 'reach' });
    expect(status).toBe(200);
    expect(body).toMatchObject({
      isComplete: true,
      totals: { reach: null },
      unavailable: [{ metric: 'reach', reason: 'loading' }],
    });
  });

  it('splits figures by a breakdown', async () => {
    const { body } = await rest({ breakdowns: 'country', sort: 'spend' });
    expect(body.rows.map(({ platformId, breakdown }: any) => [platformId, breakdown[0].value])).toEqual([
      ['c0', 'SE'],
      ['c0', 'NO'],
      ['c1', 'NO'],
      ['c2', 'NO'],
      ['c900', 'NO'],
    ]);
    expect(body.totals.spend).toBe(358.3);
  });

  it('says which days are older than what the platform keeps', async () => {
    const [fromDate, toDate] = [daysAgo(1200), daysAgo(1000)];
    const earliest = daysAgo(1110);
    expect((await rest({ fromDate, toDate })).body).toMatchObject({
      isComplete: false,
      totals: null,
      retryAfterSeconds: null,
      missing: [{ fromDate, toDate: addDays(earliest, -1), reason: 'outside_retention' }],
    });
    const beyond = await rest({ fromDate, toDate: daysAgo(1150) });
    expect(beyond).toMatchObject({ status: 400, body: { param: 'toDate', details: { earliest } } });
    const file = await rest({ fromDate, toDate, format: 'csv' });
    expect(file).toMatchObject({ status: 400, body: { param: 'fromDate', details: { earliest } } });
  });
});

describe('the ad account of a report', () => {
  it('follows from the named objects', async () => {
    const { body } = await rest({ adAccountId: '', campaignIds: 'c0' });
    expect(body.code).toBe('invalid_field_value');
    const { adAccountId: _, ...without } = base();
    const answer = await app.call('GET', `/v1/ads/report?${query({ ...without, campaignIds: 'c0' })}`, {
      key: fixture.key,
    });
    expect(answer.body).toMatchObject({ adAccountId: 'act_1', totals: { spend: 300.3 } });
  });

  it('must contain the named objects', async () => {
    expect(await rest({ adAccountId: 'act_2', campaignIds: 'c0' })).toMatchObject({
      status: 400,
      body: { code: 'invalid_field_value', param: 'campaignIds' },
    });
  });
});

const csvOf = async (
  input: Input,
  headers: Record<string, string> = {},
): Promise<{ answer: Answer; lines: string[][] }> => {
  const answer = await rest(input, headers);
  const lines = [
    ...String(answer.body).matchAll(/((?:"(?:[^"]|"")*"|[^",\r\n]*)(?:,(?:"(?:[^"]|"")*"|[^",\r\n]*))*)\r\n/g),
  ];
  const cells = (line: string): string[] =>
    [...line.matchAll(/(?:^|,)(?:"((?:[^"]|"")*)"|([^,]*))/g)].map(([, quoted, plain]) =>
      quoted === undefined ? (plain ?? '') : quoted.replaceAll('""', '"'),
    );
  return { answer, lines: lines.map(([, line]) => cells(line ?? '')) };
};

describe('a report as CSV', () => {
  it('has the rows and figures of the JSON, with text that no spreadsheet takes as a formula', async () => {
    const input = { granularity: 'day', datePreset: 'last_7_days', limit: 1000 };
    const { answer, lines } = await csvOf(input, { Accept: 'text/csv' });
    expect(answer.status).toBe(200);
    expect(answer.headers.get('content-type')).toBe('text/csv; charset=utf-8');
    expect(answer.headers.get('vary')).toContain('Accept');
    expect(answer.headers.get('content-disposition')).toBe(
      `attachment; filename="campaign-${daysAgo(7)}-${daysAgo(1)}.csv"`,
    );
    const [header = [], ...rows] = lines;
    const { body } = await rest(input);
    const at = (name: string): number => header.indexOf(name);
    expect(rows.map((row) => [row[at('date')], row[at('platform_id')], row[at('campaign_id')]])).toEqual(
      body.rows.map(({ date, platformId, campaignId }: any) => [date, platformId, campaignId ?? '']),
    );
    const columns = { spend: 'spend', ctr: 'ctr_fraction', costPerConversion: 'cost_per_conversion', reach: 'reach' };
    for (const [metric, column] of Object.entries(columns)) {
      expect(rows.map((row) => row[at(column)])).toEqual(
        body.rows.map(({ metrics }: any) => (metrics[metric] === null ? '' : String(metrics[metric]))),
      );
    }
    expect(rows.find((row) => row[at('platform_id')] === 'c1')?.[at('name')]).toBe('\'=1+1, "Spring"\r\nsale');
    expect(header.at(-1)).toBe('is_final');
  });

  it.each(['=', '+', '-', '@', '\t', '\r', '\n', '\0', '＝', '＋', '－', '＠'])(
    'marks a text that begins with %j as no formula',
    (sign) => {
      expect(cell(`${sign}1`).replaceAll('"', '')).toBe(`'${sign}1`);
      expect(cell(`1${sign}`).replaceAll('"', '')).toBe(`1${sign}`);
    },
  );

  it.each([
    ['text/csv;q=0.5, application/json', undefined, 'application/json'],
    ['text/csv, application/json;q=0.5', undefined, 'text/csv; charset=utf-8'],
    ['text/*', undefined, 'text/csv; charset=utf-8'],
    ['*/*', undefined, 'application/json'],
    ['text/csv', 'json', 'application/json'],
    ['application/json', 'csv', 'text/csv; charset=utf-8'],
  ])('is returned for Accept %s and format %s: %s', async (Accept, format, type) => {
    const { headers } = await rest(format ? { format } : {}, { Accept });
    expect(headers.get('content-type')).toBe(type);
  });
});

/** As if the figures had been read an hour ago. */
async function age(): Promise<void> {
  const { adFigureCoverage } = app.app.services.db;
  const at = new Date(Date.now() - 3_600_000);
  for (const { _id, days } of await adFigureCoverage.find().lean()) {
    const earlier = Object.entries(days).map(([day, covered]) => [day, { ...covered, at }]);
    await adFigureCoverage.updateOne({ _id }, { $set: { days: Object.fromEntries(earlier) } });
  }
}

describe('a report whose figures are not there yet', () => {
  const range = (): Input => ({ fromDate: daysAgo(2), toDate: today(), granularity: 'day', campaignIds: ['c0'] });

  it('is 202 in REST and has the same fields in GraphQL; as CSV it is JSON', async () => {
    isPreparing = () => true;
    const answer = await rest(range());
    expect(answer).toMatchObject({
      status: 202,
      body: { isComplete: false, isFinal: false, fetchedAt: null, totals: null, rows: [], retryAfterSeconds: 15 },
    });
    const missing = [{ fromDate: daysAgo(2), toDate: today(), reason: 'loading' }];
    expect(answer.body.missing).toEqual(missing);
    expect(answer.headers.get('retry-after')).toBe('15');
    expect((await graphql(range())).body.data.adReport).toMatchObject({
      isComplete: false,
      totals: null,
      rows: [],
      retryAfterSeconds: 15,
      missing: [{ ...missing[0], reason: 'LOADING' }],
    });
    const file = await rest(range(), { Accept: 'text/csv' });
    expect(file).toMatchObject({ status: 202, body: { isComplete: false } });
    expect(file.headers.get('content-type')).toBe('application/json');
  });

  it('has the days that are there, and no zeros for the others', async () => {
    await rest({ ...range(), toDate: daysAgo(1) });
    failure = new PlatformError('A', 'unavailable', 'down');
    const { status, body } = await rest(range());
    expect(status).toBe(202);
    expect(body).toMatchObject({ missing: [{ fromDate: today(), toDate: today(), reason: 'failed' }], totals: null });
    expect(body.rows.map(({ date, metrics }: any) => [date, metrics.spend])).toEqual([
      [daysAgo(2), 0],
      [daysAgo(1), 100.1],
    ]);
  });

  it('has older figures with a warning if the platform limits reads', async () => {
    await rest(range());
    await age();
    failure = new PlatformError('A', 'rate_limited', 'slow', { retryAfterSeconds: 77 });
    expect(await rest(range())).toMatchObject({
      status: 200,
      body: {
        isComplete: true,
        totals: { spend: 100.1 },
        warnings: [{ param: 'rows', message: expect.stringContaining('limited') }],
      },
    });
  });
});

describe('insights on objects', () => {
  const ask = (fields: string): Promise<Answer> =>
    app.graphql(`{ campaigns(first: 100) { nodes { platformCampaignId ${fields} } } }`, {}, { key: fixture.key });

  it('of a hundred campaigns take one read and fit into the cost of a query', async () => {
    const { body } = await ask(
      'insights(datePreset: LAST_30_DAYS) { currency totals { spend } rows { metrics { spend } } }',
    );
    expect(body.errors).toBeUndefined();
    const byId = new Map(body.data.campaigns.nodes.map((node: any) => [node.platformCampaignId, node.insights]));
    expect(byId.get('c0')).toEqual({
      currency: 'EUR',
      totals: { spend: 300.3 },
      rows: [{ metrics: { spend: 300.3 } }],
    });
    expect(byId.get('c99')).toEqual({ currency: 'EUR', totals: { spend: 0 }, rows: [{ metrics: { spend: 0 } }] });
    expect(queries).toHaveLength(1);
  });

  it('with other arguments have aliases, and share what has been read', async () => {
    const { body } = await ask(
      'week: insights(datePreset: LAST_7_DAYS) { totals { spend } } day: insights(datePreset: YESTERDAY) { totals { spend } }',
    );
    expect(body.data.campaigns.nodes.find((node: any) => node.platformCampaignId === 'c0')).toMatchObject({
      week: { totals: { spend: 300.3 } },
      day: { totals: { spend: 100.1 } },
    });
    expect(queries).toHaveLength(1);
  });

  it('are read at each level', async () => {
    const { body } = await app.graphql(
      `{ campaigns(first: 100) { nodes { platformCampaignId adAccount { insights { level totals { spend } } }
        adSets(first: 1) { nodes { insights { level totals { spend } } ads(first: 1) { nodes {
          insights(granularity: DAY, datePreset: LAST_7_DAYS) { level rows { date } totals { spend } } } } } } } } }`,
      {},
      { key: fixture.key },
    );
    expect(body.errors).toBeUndefined();
    const campaign = body.data.campaigns.nodes.find((node: any) => node.platformCampaignId === 'c0');
    const [adSet] = campaign.adSets.nodes;
    const [ad] = adSet.ads.nodes;
    expect(campaign.adAccount.insights).toEqual({ level: 'ACCOUNT', totals: { spend: 358.3 } });
    expect(adSet.insights).toEqual({ level: 'AD_SET', totals: { spend: 300.3 } });
    expect(ad.insights).toMatchObject({ level: 'AD', totals: { spend: 300.3 } });
    expect(ad.insights.rows).toHaveLength(7);
    expect(queries.map(({ level }) => level).toSorted()).toEqual(['account', 'ad', 'ad_set']);
  });

  it('cost more for a longer range', async () => {
    const dates = `fromDate: "${daysAgo(700)}", toDate: "${daysAgo(1)}"`;
    const aliases = Array.from({ length: 3 }, (_, at) => `r${at}: insights(${dates}) { toDate }`).join(' ');
    const { body } = await ask(aliases);
    expect(body.errors[0].extensions.code).toBe('query_too_costly');
    expect(body.errors[0].message).toMatch(/ costs 8901$/);
    expect(queries).toEqual([]);
  });

  it('that fail leave the objects readable', async () => {
    failure = new PlatformError('A', 'unavailable', 'down');
    const { body } = await ask('name insights { totals { spend } }');
    expect(body.data.campaigns.nodes[0]).toMatchObject({ name: expect.any(String), insights: null });
    expect(body.errors[0].extensions.code).toBe('platform_api_error');
  });
});

describe.each<[number, string, Input, (() => PlatformError)?]>([
  [400, 'invalid_field_value', { breakdowns: ['age', 'country'] }],
  [400, 'invalid_field_value', { toDate: '2999-01-01', fromDate: '2026-01-01' }],
  [400, 'invalid_field_value', { campaignIds: [gone] }],
  [400, 'invalid_field_value', { metrics: ['spend'], cursor: 'nonsense' }],
  [400, 'mutually_exclusive_fields', { campaignIds: ['1'], adSetIds: ['2'], level: 'ad' }],
  [401, 'platform_token_expired', {}, () => new PlatformError('A', 'auth_expired', 'expired')],
  [404, 'account_not_found', { accountId: gone }],
  [422, 'linked_account_required', { adAccountId: 'act_404' }],
  [
    422,
    'missing_platform_permission',
    {},
    () => new PlatformError('A', 'rejected', 'no', { missingScopes: ['ads_read'] }),
  ],
  [429, 'rate_limited', {}, () => new PlatformError('A', 'rate_limited', 'slow', { retryAfterSeconds: 77 })],
  [501, 'unsupported_platform_operation', {}, () => new PlatformError('A', 'unsupported', 'no')],
  [502, 'platform_api_error', {}, () => new PlatformError('A', 'unavailable', 'down')],
])('a report answers %i %s', (status, code, input, failing) => {
  it(`in both APIs for ${JSON.stringify(input)}`, async () => {
    failure = failing?.();
    const inRest = await rest(input);
    if (code === 'platform_token_expired') await reconnected();
    const inGraphql = await graphql(input);
    if (code === 'platform_token_expired') await reconnected();
    expect(inRest).toMatchObject({ status, body: { code } });
    const [{ message, extensions }] = inGraphql.body.errors;
    const { requestId: _, error, ...body } = inRest.body;
    expect({ message, ...extensions }).toMatchObject({ message: error, ...body });
    if (status === 429) expect(inRest.headers.get('retry-after')).toBe('77');
  });
});

/** A token that the platform refuses marks the account. */
const reconnected = (): Promise<unknown> =>
  app.app.services.db.accounts.updateOne({ _id: fixture.accountId }, { $set: { needsReconnect: false } });

describe('a key of scope profiles', () => {
  it('reports only on accounts of its profiles', async () => {
    const { body } = await app.call('POST', '/v1/profiles', { key: fixture.key, body: { name: 'Other' } });
    const other = await fixture.keyWith({ scope: 'profiles', profileIds: [body.profile._id] });
    const own = await fixture.keyWith({ scope: 'profiles', profileIds: [fixture.profileId], permission: 'read' });
    expect(await rest({}, {}, other.key)).toMatchObject({ status: 404, body: { code: 'account_not_found' } });
    expect((await rest({}, {}, own.key)).status).toBe(200);
  });
});
