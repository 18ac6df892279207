import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { startSandbox, type Sandbox } from '../../src/dev/sandbox/index.ts';
import { createPinterest } from '../../src/platforms/pinterest/index.ts';
import type { Access, AdAccount, ReportAdapter, ReportQuery, ReportRow } from '../../src/platforms/platform.ts';
import { onUpstreamRequest } from '../support/upstream-requests.ts';
import { adGroup, caller, campaign, connect, pin, type Answer, type Call, type Fields } from '../dev/sandbox/pins.ts';
import { asAccess, refusalOf } from './fixtures.ts';
import {
  control,
  daysAgo,
  expectAnySplitAddsUp,
  ordered,
  queryOf,
  readAll,
  readPrepared,
  sumOf,
  type ReadReport,
} from './report-expectations.ts';
import { startUpstream, type FakeUpstream } from './upstream.ts';

const adapterOf = (baseUrl: string): ReportAdapter | undefined =>
  createPinterest({ baseUrl, version: 'v5', conversionObjective: 'WEB_CONVERSION' }, {} as never).reports;

let sandbox: Sandbox;
let reports: ReportAdapter | undefined;
let access: Access;
let adAccount: AdAccount;
let call: Call;
const made = { campaigns: [] as string[], groups: [] as string[], ads: [] as string[] };
const sent: string[] = [];

const path = (rest: string): string => `ad_accounts/${adAccount.id}/${rest}`;
const idsIn = ({ body }: Answer): string[] => body.items.map(({ data }: { data: { id: string } }) => data.id);
const hour = 3_600_000;
const now = new Date('2026-11-29T15:30:00Z');
const start = now.getTime() - 80 * 24 * hour;

/** Two campaigns with an ad group each, of two ads that have run for eighty days. */
beforeAll(async () => {
  // The sandbox runs in this process: its figures stand still.
  vi.useFakeTimers({ toFake: ['Date'], now });
  sandbox = await startSandbox();
  const person = await connect(sandbox.url);
  const [account] = person.adAccounts;
  adAccount = { id: account?.id ?? '', name: 'Shop', currency: 'USD', isActive: true };
  call = caller(sandbox.url, person.accessToken);
  access = asAccess({ accountPlatform: 'pin-board', token: person.accessToken, clock: { now: () => new Date() } });
  reports = adapterOf(`${sandbox.url}/pin-board`);
  const pinId = (await call('POST', 'pins', pin(person.boards[0]?.id))).body.id;
  for (const name of ['First', 'Second']) {
    const [campaignId = ''] = idsIn(
      await call('POST', path('campaigns'), [campaign(adAccount.id, { name, status: 'ACTIVE' })]),
    );
    const [groupId = ''] = idsIn(await call('POST', path('ad_groups'), [adGroup(campaignId)]));
    const ad = { ad_group_id: groupId, pin_id: pinId, creative_type: 'REGULAR', status: 'ACTIVE' };
    const ads = idsIn(
      await call('POST', path('ads'), [
        { ...ad, name: 'One' },
        { ...ad, name: 'Two' },
      ]),
    );
    made.campaigns.push(campaignId);
    made.groups.push(groupId);
    made.ads.push(...ads);
    for (const adId of ads)
      await control(sandbox.url, 'pin-board/figures', { adId, spans: [{ from: start, dailyBudget: 9_000_000 }] });
  }
});
const stopListening = onUpstreamRequest(({ method, path: address }) => void sent.push(`${method} ${address}`));
beforeEach(() => void sent.splice(0));
afterAll(async () => {
  vi.useRealTimers();
  stopListening();
  await sandbox.stop();
});

const query = (extra?: Partial<ReportQuery>): ReportQuery =>
  queryOf(adAccount, { level: 'ad', fromDate: daysAgo(40), toDate: daysAgo(1), ...extra });
const read = (extra?: Partial<ReportQuery>): Promise<ReportRow[]> => readAll(reports, access, query(extra));
const prepare = (extra?: Partial<ReportQuery>): Promise<ReportRow[]> => readPrepared(reports, access, query(extra));
const requests = (end: string): number => sent.filter((line) => line.endsWith(end)).length;

describe('figures on C', () => {
  it('add up over days and levels, with the parents of each object', async () => {
    const total = await read();
    expect(total.map(({ platformId }) => platformId).toSorted()).toEqual(made.ads.toSorted());
    expect(total[0]).toMatchObject({ adSetId: made.groups[0], campaignId: made.campaigns[0] });
    const days = await read({ granularity: 'day' });
    expect(new Set(days.map(({ date }) => date))).toEqual(
      new Set(Array.from({ length: 40 }, (_, at) => daysAgo(at + 1))),
    );
    const groups = await read({ level: 'ad_set' });
    expect(groups[0]).toMatchObject({ platformId: made.groups[0], campaignId: made.campaigns[0] });
    expect(groups[0]).not.toHaveProperty('adSetId');
    const account = await read({ level: 'account' });
    expect(account.map(({ platformId }) => platformId)).toEqual([adAccount.id]);
    const sum = sumOf(total);
    for (const rows of [days, groups, await read({ level: 'campaign' }), account]) expect(sumOf(rows)).toEqual(sum);
    expect(sum.spend).toBeGreaterThan(1_000_000n);
    expect(sum.events?.all?.count).toBe(
      (sum.events?.purchase?.count ?? 0n) + (sum.leads ?? 0n) + (sum.events?.complete_registration?.count ?? 0n),
    );
    expect(sum.purchases).toBe(sum.events?.purchase?.count);
    expect(sum.purchases).toBeGreaterThanOrEqual(1_000_000n);
    expect(sum.purchaseValue).toBeGreaterThan(0n);
  });

  it('are the same for any split of a range', async () => {
    const ofAccount: ReadReport = (extra) => read({ level: 'account', ...extra });
    await expectAnySplitAddsUp(ofAccount, { firstDay: daysAgo(85), days: 85, runs: 8 });
  });

  it('have reach of the exact range only if it is requested', async () => {
    const [day, total] = [{ granularity: 'day', withReach: true } as const, { withReach: true }];
    const reachOf = (rows: ReportRow[]): bigint => rows.reduce((sum, { figures }) => sum + (figures.reach ?? 0n), 0n);
    const level = 'account' as const;
    const [row] = await read({ ...total, level });
    expect(row?.figures.frequency).toBeGreaterThanOrEqual(1_000_000n);
    expect(row?.figures.reach).toBeGreaterThan(0n);
    expect(row?.figures.reach).toBeLessThan(reachOf(await read({ ...day, level })));
    expect((await read({ level }))[0]?.figures).not.toHaveProperty('reach');
  });

  it('belong to objects of the requested parents and ids alone', async () => {
    const [first = '', second = ''] = made.campaigns;
    const ids = (rows: ReportRow[]): string[] => rows.map(({ platformId }) => platformId).toSorted();
    expect(ids(await read({ within: { level: 'campaign', ids: [first] } }))).toEqual(made.ads.slice(0, 2));
    expect(ids(await read({ within: { level: 'ad_set', ids: made.groups.slice(1) } }))).toEqual(made.ads.slice(2));
    expect(ids(await read({ level: 'campaign', within: { level: 'campaign', ids: [second] } }))).toEqual([second]);
    expect(ids(await read({ within: { level: 'ad', ids: [made.ads[1] ?? ''] } }))).toEqual([made.ads[1]]);
  });

  it('stay with an ad that is archived', async () => {
    const before = sumOf(await read());
    const [, , , id] = made.ads;
    await call('PATCH', path('ads'), [{ id, status: 'ARCHIVED' }]);
    expect(sumOf(await read())).toEqual(before);
    expect((await read()).map(({ platformId }) => platformId)).toContain(id);
  });

  it('show a correction of past days', async () => {
    const [adId = ''] = made.ads;
    const one = { within: { level: 'ad' as const, ids: [adId] }, fromDate: daysAgo(9), toDate: daysAgo(8) };
    const [before] = await read(one);
    const from = Date.parse(daysAgo(9));
    await control(sandbox.url, 'pin-board/figures', {
      adId,
      restatements: [{ from, until: from + 24 * hour, add: { purchases: 3 } }],
    });
    const [after] = await read(one);
    expect((after?.figures.purchases ?? 0n) - (before?.figures.purchases ?? 0n)).toBe(3_000_000n);
  });

  it.each(['age', 'gender', 'country', 'placement', 'device'] as const)(
    'by %s add up to the total',
    async (breakdown) => {
      const rows = await read({ level: 'campaign', breakdowns: [breakdown] });
      expect(sumOf(rows)).toEqual(sumOf(await read({ level: 'campaign' })));
      expect(rows.every((row) => row.breakdown?.length === 1)).toBe(true);
      const days = await read({ level: 'campaign', breakdowns: [breakdown], granularity: 'day', withReach: true });
      expect(sumOf(days)).toEqual(sumOf(rows));
      expect(days[0]?.figures).not.toHaveProperty('reach');
      if (breakdown !== 'placement' && breakdown !== 'device')
        expect(rows.map((row) => row.breakdown?.[0])).toContainEqual({ value: 'unknown', label: 'unknown' });
      if (breakdown === 'device')
        expect(rows.map((row) => row.breakdown?.[0])).toContainEqual({ value: 'android_tablet', label: 'tablet' });
    },
  );

  it('need a prepared report for days before the last ninety, but not with a breakdown, which reports lack', async () => {
    const today = daysAgo(0);
    const asked = (fromDate: string, breakdowns: ReportQuery['breakdowns'] = []): boolean | undefined =>
      reports?.needsJob(query({ fromDate, toDate: today, breakdowns }), today);
    expect([asked('2026-08-31'), asked('2026-08-30'), asked('2026-08-30', ['age'])]).toEqual([false, true, false]);
    expect(await read({ fromDate: daysAgo(90), level: 'account' })).toHaveLength(1);
    const refusal = await refusalOf(read({ fromDate: daysAgo(91) }));
    expect(refusal).toMatchObject({ fault: 'unsupported', message: expect.stringContaining('days since') });
  });
});

describe('a large account on C', () => {
  it('is read with at most 250 ids in a request, and fewer if each has many days', async () => {
    const others = await connect(sandbox.url, { currencies: ['USD'] });
    const account = { ...adAccount, id: others.adAccounts[0]?.id ?? '' };
    const theirs = caller(sandbox.url, others.accessToken);
    const at = { ...access, token: others.accessToken };
    const post = async (what: string, elements: Fields[]): Promise<string[]> =>
      idsIn(await theirs('POST', `ad_accounts/${account.id}/${what}`, elements));
    const pinId = (await theirs('POST', 'pins', pin(others.boards[0]?.id))).body.id;
    const [campaignId = ''] = await post('campaigns', [campaign(account.id, { status: 'ACTIVE' })]);
    const [groupId] = await post('ad_groups', [adGroup(campaignId)]);
    const ad = { ad_group_id: groupId, pin_id: pinId, creative_type: 'REGULAR', status: 'ACTIVE', name: 'Ad' };
    for (let left = 251; left > 0; left -= 30)
      await post(
        'ads',
        Array.from({ length: Math.min(30, left) }, () => ad),
      );
    const range = { adAccount: account, fromDate: daysAgo(60), toDate: daysAgo(0) };
    const total = await readAll(reports, at, query(range));
    expect(total).toHaveLength(251);
    expect(requests('/ads/analytics')).toBe(2);
    const days = await readAll(reports, at, query({ ...range, granularity: 'day' }));
    expect(requests('/ads/analytics')).toBe(2 + 4);
    const whole = sumOf(await readAll(reports, at, query({ ...range, level: 'account' })));
    expect(sumOf(total)).toEqual(whole);
    expect(sumOf(days)).toEqual(whole);
  });
});

describe('a prepared report on C', () => {
  it('has the figures that requests have, without a list of ids', async () => {
    for (const granularity of ['total', 'day'] as const)
      for (const level of ['account', 'campaign', 'ad_set', 'ad'] as const)
        expect(ordered(await prepare({ granularity, level, withReach: true }))).toEqual(
          ordered(await read({ granularity, level, withReach: true })),
        );
    sent.splice(0);
    await prepare();
    expect(sent.filter((line) => line.startsWith('GET') && !/reports/.test(line))).toEqual([]);
  });

  it('is split into ranges, whose totals are added without reach', async () => {
    const range = { fromDate: daysAgo(400), toDate: daysAgo(1), withReach: true };
    const total = await prepare({ ...range, level: 'campaign' });
    expect(requests('POST /v5/ad_accounts/' + adAccount.id + '/reports')).toBe(3);
    const days = await prepare({ ...range, level: 'campaign', granularity: 'day' });
    expect(requests('POST /v5/ad_accounts/' + adAccount.id + '/reports')).toBe(3 + 13);
    expect(total).toHaveLength(2);
    expect(sumOf(total)).toEqual(sumOf(days));
    expect(total[0]?.figures).not.toHaveProperty('reach');
    expect(days[0]?.figures).toHaveProperty('reach');
  });

  it('contains the requested objects alone', async () => {
    const rows = await prepare({ within: { level: 'campaign', ids: made.campaigns.slice(1) } });
    expect(rows.map(({ platformId }) => platformId).toSorted()).toEqual(made.ads.slice(2));
  });

  it('is running until all its parts have finished, and fails if one does', async () => {
    const { start, poll } = reports as Required<ReportAdapter>;
    await control(sandbox.url, 'pin-board/reports', { polls: 2 });
    const slow = query({ fromDate: daysAgo(300) });
    const job = await start(access, slow);
    expect(job.tokens).toHaveLength(2);
    for (let asked = 0; asked < 2; asked += 1)
      expect(await poll(access, slow, job)).toEqual({ status: 'running', percent: 0 });
    expect(await poll(access, slow, job)).toEqual({ status: 'finished' });
    await control(sandbox.url, 'pin-board/reports', { polls: 0, outcome: 'FAILED' });
    const failed = await start(access, query());
    expect(await poll(access, query(), failed)).toEqual({ status: 'failed', reason: 'The report is failed' });
    await control(sandbox.url, 'pin-board/reports', { polls: 1, outcome: 'FINISHED' });
  });

  it('must be prepared again once it has expired, also between its last poll and its file', async () => {
    const { start, poll, fetch } = reports as Required<ReportAdapter>;
    const job = await start(access, query());
    await expect.poll(() => poll(access, query(), job), { interval: 1 }).toEqual({ status: 'finished' });
    await control(sandbox.url, 'pin-board/reports/expire', {});
    expect(await poll(access, query(), job)).toEqual({ status: 'failed', reason: 'The report is expired' });
    const refusal = await refusalOf(fetch(access, query(), job)[Symbol.asyncIterator]().next());
    expect(refusal).toMatchObject({
      fault: 'unavailable',
      message: 'The report is expired and must be prepared again',
    });
    expect(await poll(access, query(), { tokens: ['unknown'] })).toMatchObject({ status: 'failed' });
  });
});

describe('figures that C answers otherwise', () => {
  let upstream: FakeUpstream;
  let odd: ReportAdapter | undefined;
  beforeAll(async () => {
    upstream = await startUpstream();
    odd = adapterOf(upstream.url);
  });
  afterAll(() => upstream.stop());
  const ofAccount = (): ReportQuery => query({ level: 'account' });
  const answers = (text: string): Promise<ReportRow[]> => {
    upstream.next({ text });
    return readAll(odd, access, ofAccount());
  };

  it('keep digits that a number of JavaScript cannot hold', async () => {
    const [row] = await answers('[{"AD_ACCOUNT_ID":549755885175123456,"SPEND_IN_MICRO_DOLLAR":9007199254740993}]');
    expect(row).toMatchObject({ platformId: '549755885175123456', figures: { spend: 9_007_199_254_740_993n } });
  });

  it('are zero where the row leaves out a column, and unknown where it has no reach', async () => {
    const [row] = await answers('[{"AD_ACCOUNT_ID":"1","PAID_IMPRESSION":10,"TOTAL_CONVERSIONS":null}]');
    expect(row?.figures).toMatchObject({ impressions: 10n, clicks: 0n, spend: 0n, events: { all: { count: 0n } } });
    expect(row?.figures).not.toHaveProperty('reach');
    expect(row?.figures.events?.lead).not.toHaveProperty('value');
  });

  it.each([
    [
      'none of the requested columns',
      '[{"AD_ACCOUNT_ID":"1","IMPRESSIONS":10}]',
      'without any of the requested columns',
    ],
    ['text as a figure', '[{"AD_ACCOUNT_ID":"1","PAID_IMPRESSION":"many"}]', 'unreadable figures (PAID_IMPRESSION)'],
    ['no list', '{"items":[]}', 'unreadable'],
    ['half a response', '[{"AD_ACCOUNT_ID":"1","PAID_IMP', 'unreadable'],
  ])('are refused with %s', async (_, text, message) => {
    expect(await refusalOf(answers(text))).toMatchObject({
      fault: 'unavailable',
      message: expect.stringContaining(message),
    });
  });

  it('are refused if they belong to a day that was not requested, or to no day', async () => {
    for (const date of ['2020-01-01', undefined]) {
      upstream.next({ json: [{ AD_ACCOUNT_ID: '1', PAID_IMPRESSION: 1, DATE: date }] });
      const refusal = await refusalOf(readAll(odd, access, { ...ofAccount(), granularity: 'day' }));
      expect(refusal).toMatchObject({ fault: 'unavailable', message: expect.stringContaining('not requested') });
    }
  });

  it('name the time to wait for if the platform limits requests, and a lost token', async () => {
    const headers = { 'x-ratelimit-reset': '17' };
    upstream.next({ status: 429, headers, json: { code: 8, message: 'This request exceeded a rate limit.' } });
    expect(await refusalOf(readAll(odd, access, ofAccount()))).toMatchObject({
      fault: 'rate_limited',
      upstream: { retryAfterSeconds: 17 },
    });
    upstream.next({ status: 401, json: { code: 2, message: 'Authentication failed.' } });
    expect(await refusalOf(readAll(odd, access, ofAccount()))).toMatchObject({ fault: 'auth_expired' });
  });
});
