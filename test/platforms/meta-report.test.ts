import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Breakdown } from '../../src/contract/reporting/metrics.ts';
import { createMeta } from '../../src/platforms/meta/index.ts';
import type { Access, AdAccount, AdsAdapter, ReportAdapter } from '../../src/platforms/platform.ts';
import { startSandbox, type Sandbox } from '../../src/dev/sandbox/index.ts';
import { access as fakeAccess, asAccess, dollars } from './fixtures.ts';
import {
  collect,
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

/** The platform's clock; its ad accounts are in Berlin. */
const now = Date.parse('2027-04-15T12:00:00Z');
const march = { fromDate: '2027-03-01', toDate: '2027-03-31' };

let sandbox: Sandbox;
let meta: AdsAdapter;
let reports: ReportAdapter;
let access: Access;
let account: AdAccount;
let yen: AdAccount;
let read: ReadReport;
let campaigns: { id: string; adsets: { id: string; ads: { id: string }[] }[] }[];
let ads: string[];

const set = (path: string, body: object) => control(sandbox.url, `network-a/${path}`, body);
const call = (method: string, path: string) =>
  fetch(`${sandbox.url}/network-a/v26.0/${path}`, { method, headers: { authorization: `Bearer ${access.token}` } });
const actOf = (adAccount: AdAccount): string => `act_${idsOf(adAccount)}`;
const idsOf = (adAccount: AdAccount): string => adAccount.id.replace(/^act_/, '');

const usual = {
  billing_event: 'IMPRESSIONS',
  bid_strategy: 'LOWEST_COST_WITHOUT_CAP',
  targeting: { geo_locations: { countries: ['US'] } },
};
const buying = {
  optimization_goal: 'OFFSITE_CONVERSIONS',
  promoted_object: { pixel_id: '9', custom_event_type: 'PURCHASE' },
};
const tree = [
  {
    name: 'Mixed',
    adsets: [
      { base: { ...usual, ...buying }, ads: [{ name: 'A' }, { name: 'B' }] },
      { base: { ...usual, optimization_goal: 'LEAD_GENERATION' }, ads: [{ name: 'C' }] },
    ],
  },
  { name: 'Purchases', adsets: [{ base: { ...usual, ...buying }, ads: [{ name: 'D' }] }] },
];

beforeAll(async () => {
  sandbox = await startSandbox();
  meta = createMeta({ baseUrl: `${sandbox.url}/network-a`, version: 'v26.0' });
  if (!meta.reports) throw new Error('The adapter has no reports');
  reports = meta.reports;
  const { accessToken } = await set('connections', { name: 'Shop', currencies: ['USD', 'JPY'] });
  access = asAccess({ accountPlatform: 'network-a', token: accessToken });
  const accounts = await meta.listAdAccounts(access);
  account = accounts.find(({ currency }) => currency === 'USD') ?? dollars;
  yen = accounts.find(({ currency }) => currency === 'JPY') ?? dollars;
  await set('figures', { aheadMs: now - Date.now() });
  ({ campaigns } = await set('campaigns', { adAccountId: idsOf(account), campaigns: tree }));
  ads = campaigns.flatMap(({ adsets }) => adsets.flatMap((adSet) => adSet.ads.map(({ id }) => id)));
  for (const adId of ads)
    await set('figures', {
      adId,
      spans: [{ from: Date.parse('2026-01-10T00:00:00Z'), dailyBudget: 30_000_000 }],
      total: null,
    });
  read = readerOf(reports, access, account, march);
});
afterAll(() => sandbox.stop());
beforeEach(async () => {
  await set('insights', {});
  await set('report-runs', {});
});

describe('figures of platform A', () => {
  it.each(['account', 'campaign', 'ad_set', 'ad'] as const)('of a range are the sum of its days at level %s', (level) =>
    expectSumOfDays(read, { level }),
  );

  it('are read at each level, with the parents of each object', async () => {
    const [ofAccount] = await read({ level: 'account' });
    expect(ofAccount?.platformId).toBe(account.id);
    for (const level of ['campaign', 'ad_set', 'ad'] as const)
      expect(sumOf(await read({ level }))).toMatchObject({ spend: ofAccount?.figures.spend });
    const [adSet] = campaigns[0]?.adsets ?? [];
    const ad = (await read({ level: 'ad' })).find(({ platformId }) => platformId === adSet?.ads[0]?.id);
    expect(ad).toMatchObject({ campaignId: campaigns[0]?.id, adSetId: adSet?.id });
    const below = await read({ level: 'ad', within: { level: 'ad_set', ids: [adSet?.id ?? ''] } });
    expect(below.map(({ platformId }) => platformId).toSorted()).toEqual(adSet?.ads.map(({ id }) => id).toSorted());
  });

  it('add up however a range is cut', () => expectAnySplitAddsUp(read, { firstDay: '2027-02-20', days: 50, runs: 8 }));

  it('count days in the time zone of the account, of 23, 24 and 25 hours', async () => {
    const own = await set('campaigns', { adAccountId: idsOf(account), campaigns: [{ adsets: [{ ads: [{}] }] }] });
    const [id] = own.campaigns;
    const adId = id.adsets[0].ads[0].id;
    for (const [first, from, hours] of [
      ['2027-03-27', '2027-03-26T23:00:00Z', [24, 23, 24]],
      ['2026-10-24', '2026-10-23T22:00:00Z', [24, 25, 24]],
    ] as const) {
      await set('figures', { adId, spans: [], restatements: hourlyMarks(Date.parse(from), 71 + (hours[1] - 23)) });
      const rows = await read({
        fromDate: first,
        toDate: `${first.slice(0, 8)}${Number(first.slice(8)) + 2}`,
        granularity: 'day',
        within: { level: 'campaign', ids: [id.id] },
      });
      expect(rows.map(({ figures }) => Number(figures.impressions))).toEqual(hours);
    }
  });

  it('of deleted and archived objects are kept', async () => {
    const before = { campaign: sumsOf(await read({})), ad: sumsOf(await read({ level: 'ad' })) };
    const own = await set('campaigns', {
      adAccountId: idsOf(account),
      campaigns: ['DELETED', 'ARCHIVED'].map((status) => ({ status, adsets: [{ status, ads: [{ status }] }] })),
    });
    const gone = own.campaigns.map(({ id }: { id: string }) => id);
    for (const { adsets } of own.campaigns)
      await set('figures', { adId: adsets[0].ads[0].id, spans: [{ from: Date.parse('2027-03-05T00:00:00Z') }] });
    const after = sumsOf(await read({}));
    expect(new Set(Object.keys(after))).toEqual(new Set([...Object.keys(before.campaign), ...gone]));
    expect(Object.keys(sumsOf(await read({ level: 'ad' })))).toHaveLength(Object.keys(before.ad).length + 2);
    // The account itself always contains them, and lists leave them out unless they are asked for.
    expect(sumOf(await read({ level: 'account' }))?.spend).toBe(sumOf(await read({}))?.spend);
    const range = `time_range=${JSON.stringify({ since: march.fromDate, until: march.toDate })}`;
    const listed = await call('GET', `${actOf(account)}/insights?level=campaign&fields=campaign_id&${range}`);
    const shown = ((await listed.json()) as { data: { campaign_id: string }[] }).data.map((row) => row.campaign_id);
    expect(shown.filter((id) => gone.includes(id))).toEqual([]);
  });

  it('come page by page to the last', async () => {
    const many = Array.from({ length: 20 }, () => ({ figures: { impressions: 100, clicks: 1, spend: 1 } }));
    const own = await set('campaigns', { adAccountId: idsOf(yen), campaigns: [{ adsets: [{ ads: many }] }] });
    for (const { id } of own.campaigns[0].adsets[0].ads)
      await set('figures', { adId: id, spans: [{ from: Date.parse('2027-02-01T00:00:00Z') }], total: null });
    const before = await requestsOf(sandbox.url, `${yen.id}/insights`);
    const rows = await readerOf(reports, access, yen, march)({ level: 'ad', granularity: 'day' });
    expect(rows).toHaveLength(20 * 31);
    expect((await requestsOf(sandbox.url, `${yen.id}/insights`)) - before).toBe(2);
    // Yen have no smaller unit.
    expect(rows.every(({ figures }) => (figures.spend ?? 1n) % 1_000_000n === 0n)).toBe(true);
  });

  it('are read in halves where the platform finds a range too large', async () => {
    const whole = await read({ level: 'ad', granularity: 'day' });
    await set('insights', { mostRows: 40 });
    expect(sumsOf(await read({ level: 'ad', granularity: 'day' }))).toEqual(sumsOf(whole));
    await set('insights', { mostRows: 3 });
    await expect(read({ level: 'ad', withReach: true })).rejects.toMatchObject({ upstream: { subcode: 1487534 } });
  });

  it('of the whole time are the lifetime metrics that discovery reads', async () => {
    const whole = await read({ fromDate: '2024-03-15', toDate: '2027-04-15' });
    await expectLifetimeAgrees(meta, access, whole, account);
  });

  it('change if the platform restates a day', async () => {
    const [adId = ''] = ads;
    const one = { level: 'ad', granularity: 'day', within: { level: 'ad', ids: [adId] } } as const;
    const before = await read(one);
    const from = Date.parse('2027-03-09T23:00:00Z');
    await set('figures', { adId, restatements: [{ from, until: from + 86_400_000, perMille: 3000 }] });
    const after = await read(one);
    const changed = after.filter(({ figures }, at) => figures.clicks !== before[at]?.figures.clicks);
    expect(changed.map(({ date }) => date)).toEqual(['2027-03-10']);
    await set('figures', { adId, restatements: [] });
  });

  it('gain conversions while they arrive, and arrive with a delay', async () => {
    const day = { fromDate: '2027-04-14', toDate: '2027-04-14', level: 'account' } as const;
    const early = sumOf(await read(day));
    await set('figures', { aheadMs: now + 28 * 86_400_000 - Date.now() });
    const late = sumOf(await read(day));
    expect(late?.purchases).toBeGreaterThan(early?.purchases ?? 0n);
    expect(late?.impressions).toBe(early?.impressions);
    await set('figures', { aheadMs: now - Date.now(), delayMs: 24 * 3_600_000 });
    expect(sumOf(await read(day))?.impressions).toBeLessThan(early?.impressions ?? 0n);
    await set('figures', { delayMs: 0 });
  });
});

describe('breakdowns of platform A', () => {
  const all: Breakdown[][] = [
    ['age'],
    ['gender'],
    ['country'],
    ['placement'],
    ['device'],
    ['age', 'gender'],
    ['placement', 'device'],
  ];
  it.each(all.map((names) => ({ names })))('by $names add up to the total, with unknown values', async ({ names }) => {
    const rows = await expectBreakdownAddsUp(read, { breakdowns: names });
    const values = new Set(rows.map(({ breakdown }) => breakdown?.[0]?.value));
    expect(values.size).toBeGreaterThan(2);
    if (names[0] !== 'device') expect(values).toContain('unknown');
  });

  it('have neutral labels of devices, and the same figures alone and in a pair', async () => {
    const [devices, pair] = [
      await read({ breakdowns: ['device'] }),
      await read({ breakdowns: ['placement', 'device'] }),
    ];
    const labels = new Map(devices.map(({ breakdown: [one] = [] }) => [one?.value, one?.label]));
    expect(Object.fromEntries(labels)).toMatchObject({ ipad: 'tablet', iphone: 'mobile', desktop: 'desktop' });
    const onIpad = (rows: typeof devices) => sumOf(rows.filter(({ breakdown }) => breakdown?.at(-1)?.value === 'ipad'));
    expect(onIpad(pair)).toEqual(onIpad(devices));
    expect(pair.some(({ breakdown }) => breakdown?.[0]?.value === 'instagram/story')).toBe(true);
  });

  it('of days add up to those of the range', async () => {
    const [total, days] = [
      await read({ breakdowns: ['age', 'gender'] }),
      await read({ breakdowns: ['age', 'gender'], granularity: 'day' }),
    ];
    expect(days.length).toBeGreaterThan(total.length);
    const byValue = (rows: typeof days) =>
      sumsOf(
        rows.map((row) => ({
          ...row,
          platformId: `${row.platformId} ${row.breakdown?.map(({ value }) => value).join(' ')}`,
        })),
      );
    expect(byValue(days)).toEqual(byValue(total));
  });
});

describe('reach of platform A', () => {
  it('counts people once', () => expectReachIsUnique(read, {}));

  it('has a frequency, and is missing with a breakdown of more than 13 months ago', async () => {
    const [row] = await read({ withReach: true });
    const { impressions = 0n, reach = 1n, frequency } = row?.figures ?? {};
    expect(Number(frequency) / 1e6).toBeCloseTo(Number(impressions) / Number(reach), 5);
    const old = { fromDate: '2026-03-01', toDate: '2026-03-31', withReach: true };
    expect((await read(old))[0]?.figures).toHaveProperty('reach');
    expect((await read({ ...old, breakdowns: ['age'] }))[0]?.figures).not.toHaveProperty('reach');
    expect((await read({ withReach: true, breakdowns: ['age'] }))[0]?.figures).toHaveProperty('reach');
  });
});

describe('reports that platform A prepares', () => {
  const quarter = { fromDate: '2027-01-01', toDate: '2027-03-31', granularity: 'day', level: 'ad' } as const;

  it('are needed for many days below the account', () => {
    expect(reports.needsJob(queryOf(account, quarter), '2027-04-15')).toBe(true);
    expect(reports.needsJob(queryOf(account, { ...quarter, level: 'account' }), '2027-04-15')).toBe(false);
    expect(reports.needsJob(queryOf(account, { ...quarter, granularity: 'total' }), '2027-04-15')).toBe(false);
    expect(reports.needsJob(queryOf(account, { ...quarter, ...march }), '2027-04-15')).toBe(false);
  });

  it('have the same rows as a direct read', async () => {
    const query = queryOf(account, quarter);
    const job = await reports.start?.(access, query);
    expect(job?.tokens).toHaveLength(3);
    if (!job) return;
    expect(await reports.poll?.(access, query, job)).toEqual({ status: 'running', percent: 100 });
    expect(await reports.poll?.(access, query, job)).toEqual({ status: 'finished' });
    const rows = await collect(reports.fetch?.(access, query, job));
    const sorted = (list: typeof rows) =>
      list.toSorted((one, other) => (`${one.platformId}${one.date}` < `${other.platformId}${other.date}` ? -1 : 1));
    expect(sorted(rows)).toEqual(sorted(await read(quarter)));
    expect(rows.length).toBeGreaterThan(300);
  });

  it('stay running, fail, or expire', async () => {
    const query = queryOf(account, { ...quarter, granularity: 'total' });
    const job = (await reports.start?.(access, query)) ?? { tokens: [] };
    expect(job.tokens).toHaveLength(1);
    const poll = () => reports.poll?.(access, query, job);
    await set('report-runs', { heldAt: 40 });
    expect([await poll(), await poll(), await poll()]).toEqual(Array(3).fill({ status: 'running', percent: 40 }));
    await set('report-runs', { failing: 1 });
    expect(await poll()).toMatchObject({ status: 'failed', reason: expect.stringContaining('Job Failed') });
    await set('report-runs', { areExpired: true });
    expect(await poll()).toMatchObject({ status: 'failed', reason: expect.stringContaining('expired') });
  });
});

describe('limits of platform A', () => {
  it('are reported with the waiting time of the platform', async () => {
    const fault = { platform: 'network-a', fault: 'rate_limited', match: { path: 'insights' } };
    await control(sandbox.url, 'faults', fault);
    await expect(read({})).rejects.toMatchObject({ fault: 'rate_limited', upstream: { retryAfterSeconds: 120 } });
  });

  it('stop further reads before they are sent, and leave writes alone', async () => {
    await set('usage', { account: 99 });
    await read({});
    const before = await requestsOf(sandbox.url, 'insights');
    await expect(read({})).rejects.toMatchObject({ fault: 'rate_limited' });
    expect(await requestsOf(sandbox.url, 'insights')).toBe(before);
    await set('usage', { account: 1 });
    meta = createMeta({ baseUrl: `${sandbox.url}/network-a`, version: 'v26.0' });
    if (meta.reports) reports = meta.reports;
    read = readerOf(reports, access, account, march);
  });
});

describe('the insights of the sandbox', () => {
  const range = (since: string, until: string) => `time_range=${JSON.stringify({ since, until })}`;
  it.each([
    ['a misspelt column', `fields=spendd`, 100, undefined],
    ['a combination of breakdowns', 'breakdowns=age,publisher_platform', 2, 1504041],
    ['an unknown breakdown', 'breakdowns=colour', 100, undefined],
    ['a removed attribution window', 'action_attribution_windows=["7d_view"]', 100, undefined],
    ['a day that does not exist', range('2027-02-30', '2027-03-01'), 100, undefined],
    ['an end before the start', range('2027-03-02', '2027-03-01'), 100, undefined],
    ['a start of more than 37 months ago', range('2024-03-14', '2027-03-01'), 3018, undefined],
    ['an increment of 91 days', 'time_increment=91', 100, undefined],
    [
      'an unknown status',
      'filtering=[{"field":"ad.effective_status","operator":"IN","value":["GONE"]}]',
      100,
      undefined,
    ],
  ])('refuse %s', async (_name, query, code, subcode) => {
    const response = await call('GET', `${actOf(account)}/insights?${query}`);
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({ error: { code, ...(subcode && { error_subcode: subcode }) } });
  });

  it('give weeks and months by their increment', async () => {
    const rows = async (increment: string) => {
      const path = `${actOf(account)}/insights?level=account&${range('2027-02-15', '2027-03-10')}&time_increment=${increment}`;
      return ((await (await call('GET', path)).json()) as { data: { date_start: string }[] }).data;
    };
    expect((await rows('monthly')).map((row) => row.date_start)).toEqual(['2027-02-15', '2027-03-01']);
    expect((await rows('7')).map((row) => row.date_start)).toEqual([
      '2027-02-15',
      '2027-02-22',
      '2027-03-01',
      '2027-03-08',
    ]);
  });
});

describe('a response of platform A', () => {
  let upstream: FakeUpstream;
  let reading: ReadReport;
  beforeAll(async () => {
    upstream = await startUpstream();
    const fake = createMeta({ baseUrl: upstream.url, version: 'v26.0' });
    reading = readerOf(fake.reports, fakeAccess, dollars, march);
  });
  afterAll(() => upstream.stop());

  const row = {
    campaign_id: '1',
    date_start: '2027-03-01',
    date_stop: '2027-03-31',
    spend: '5339.5',
    impressions: '10',
  };
  const figuresOf = async (fields: object) => {
    upstream.respond = ({ path }) => ({ json: { data: path.endsWith('/insights') ? [{ ...row, ...fields }] : [] } });
    return (await reading())[0]?.figures;
  };
  const action = (type: string, value: string) => ({ action_type: type, value });

  it('counts overlapping action types once, the widest first', async () => {
    const website = [action('offsite_conversion.fb_pixel_purchase', '4')];
    const all = [action('purchase', '5'), ...website, action('omni_purchase', '6')];
    const values = [action('omni_purchase', '120.55'), action('purchase', '99')];
    expect(await figuresOf({ actions: all, action_values: values })).toMatchObject({
      purchases: 6_000_000n,
      purchaseValue: 120_550_000n,
      events: { purchase: { count: 6_000_000n, value: 120_550_000n } },
    });
    expect(await figuresOf({ actions: all.slice(0, 2) })).toMatchObject({ purchases: 5_000_000n });
    expect(await figuresOf({ actions: website })).toMatchObject({ purchases: 4_000_000n });
  });

  it('reads events from conversions as well', async () => {
    const events = { conversions: [action('contact_total', '3')], conversion_values: [action('contact_total', '1.5')] };
    expect(await figuresOf(events)).toMatchObject({ events: { contact: { count: 3_000_000n, value: 1_500_000n } } });
  });

  it('has zero where an action is absent, and nothing where a metric is', async () => {
    const figures = await figuresOf({ actions: [action('video_view', '7')] });
    expect(figures).toMatchObject({ spend: 5_339_500_000n, purchases: 0n, leads: 0n, videoViews: 7n, videoP25: 0n });
    expect(Object.keys(figures ?? {})).not.toContain('clicks');
    expect(figures).not.toHaveProperty('reach');
  });

  it.each([{ spend: '1e3' }, { spend: 12 }, { impressions: '1.5' }, { actions: 'none' }])(
    'is not taken if it is malformed: %j',
    async (fields) => {
      await expect(figuresOf(fields)).rejects.toMatchObject({ fault: 'unavailable' });
    },
  );

  it('is a total of halves where the platform finds the range too large, without reach', async () => {
    upstream.respond = ({ path, query }) => {
      if (!path.endsWith('/insights')) return { json: { data: [] } };
      const { since, until } = JSON.parse(query['time_range'] ?? '{}') as { since: string; until: string };
      const days = (Date.parse(until) - Date.parse(since)) / 86_400_000 + 1;
      const error = { code: 100, error_subcode: 1_487_534, message: 'Please reduce the amount of data' };
      return days > 8 ? { status: 400, json: { error } } : { json: { data: [{ ...row, clicks: String(days) }] } };
    };
    expect(sumsOf(await reading())).toMatchObject({ 1: { clicks: 31n } });
    await expect(reading({ withReach: true })).rejects.toMatchObject({ upstream: { subcode: 1_487_534 } });
  });

  it('is not taken in part', async () => {
    const first = { data: [row], paging: { cursors: { after: 'x' }, next: 'https://a.example' } };
    upstream.respond = ({ path, query }) => {
      if (!path.endsWith('/insights')) return { json: { data: [] } };
      return query['after']
        ? { status: 400, json: { error: { code: 100, message: 'Invalid cursor' } } }
        : { json: first };
    };
    await expect(reading()).rejects.toMatchObject({ fault: 'rejected' });
  });
});

describe('the event that an object of platform A optimises for', () => {
  it('is that of its ad sets, if they have the same', async () => {
    const events = async (level: 'campaign' | 'ad_set' | 'account') =>
      Object.fromEntries((await read({ level })).map(({ platformId, figures }) => [platformId, figures.optimisedFor]));
    const [mixed, same] = campaigns;
    const byCampaign = await events('campaign');
    expect([byCampaign[mixed?.id ?? ''], byCampaign[same?.id ?? '']]).toEqual([undefined, 'purchase']);
    const bySet = await events('ad_set');
    expect(mixed?.adsets.map(({ id }) => bySet[id])).toEqual(['purchase', 'lead']);
    expect(await events('account')).toEqual({ [account.id]: undefined });
  });
});
