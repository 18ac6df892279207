import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { daysIn, periodOfDays } from '../../src/dev/sandbox/figures/days.ts';
import { createGenerator } from '../../src/dev/sandbox/figures/generator.ts';
import { startSandbox, type Sandbox } from '../../src/dev/sandbox/index.ts';
import { createLinkedIn } from '../../src/platforms/linkedin/index.ts';
import type { Access, AdAccount, AdsAdapter, ReportQuery, ReportRow } from '../../src/platforms/platform.ts';
import { caller, connect, patch, type Call, type Person } from '../dev/sandbox/restli.ts';
import { asAccess, refusalOf } from './fixtures.ts';
import { mediaOf } from './media.ts';
import {
  collect,
  control as controlSandbox,
  expectAnySplitAddsUp,
  expectBreakdownAddsUp,
  expectReachIsUnique,
  expectSumOfDays,
  queryOf,
} from './report-expectations.ts';
import { startUpstream, type FakeUpstream, type Recorded, type Reply } from './upstream.ts';

const noon = new Date('2026-11-20T12:30:00Z');
const january = { from: Date.parse('2026-01-01T00:00:00Z'), dailyBudget: 10_000_000 };

let sandbox: Sandbox;
let person: Person;
let adapter: AdsAdapter;
let adAccount: AdAccount;
let call: Call;

const adapterOf = (baseUrl: string): AdsAdapter =>
  createLinkedIn({ baseUrl, version: '202608', tokenUrl: `${baseUrl}/oauth/v2/accessToken` }, mediaOf({}));

beforeAll(async () => {
  sandbox = await startSandbox();
  person = await connect(sandbox.url);
  call = caller(sandbox.url, person.accessToken);
  adAccount = { id: person.adAccounts[0]?.id ?? '', name: 'Shop', currency: 'EUR', isActive: true };
  adapter = adapterOf(`${sandbox.url}/professional/rest`);
  await control('figures', { aheadMs: noon.getTime() - Date.now() });
});
afterAll(() => sandbox.stop());

const control = (path: string, body: object): Promise<any> => controlSandbox(sandbox.url, `professional/${path}`, body);

interface Made {
  campaignId: string;
  adSetId: string;
  /** The URN of the creative. */
  adId: string;
}

/** Two groups with two campaigns of one creative each, which have delivered since January. */
async function addAds(): Promise<Made[]> {
  const { campaigns } = await control('found-campaigns', { adAccountId: adAccount.id });
  const creatives = (await objects('creatives')) as { id: string; campaign: string }[];
  const made = (campaigns as { campaignId: string; adSetIds: string[] }[]).flatMap(({ campaignId, adSetIds }) =>
    adSetIds.map((adSetId) => {
      const creative = creatives.find(({ campaign }) => campaign === `urn:li:sponsoredCampaign:${adSetId}`);
      return { campaignId, adSetId, adId: creative?.id ?? '' };
    }),
  );
  for (const { adId } of made) await control('figures', { adId: numberOf(adId), spans: [january] });
  return made;
}
const numberOf = (urn: string): string => urn.split(':').at(-1) ?? '';
async function objects(type: string): Promise<unknown[]> {
  const response = await fetch(`${sandbox.url}/control/professional/objects?type=${type}`);
  return ((await response.json()) as { objects: unknown[] }).objects;
}

const access = (more: Partial<Access> = {}): Access =>
  asAccess({ accountPlatform: 'professional', token: person.accessToken, clock: { now: () => noon }, ...more });
const range = { fromDate: '2026-11-02', toDate: '2026-11-04' };
const asked = (more: Partial<ReportQuery>): ReportQuery => queryOf(adAccount, { ...range, ...more });
const readAs = (as: Access, more: Partial<ReportQuery> = {}): Promise<ReportRow[]> =>
  collect(adapter.reports?.read(as, asked(more)));
const read = (more: Partial<ReportQuery> = {}): Promise<ReportRow[]> => readAs(access(), more);
const sum = (rows: ReportRow[], metric: 'spend' | 'impressions' | 'leads'): bigint =>
  rows.reduce((total, { figures }) => total + (figures[metric] ?? 0n), 0n);

/** What the platform has of some ads in a range of UTC days, by the generator itself. */
function expected(made: Made[], from: string, to: string): { spend: bigint; impressions: bigint } {
  const parts = made.map(({ adId }) =>
    createGenerator().between({ id: numberOf(adId), spans: [january] }, periodOfDays(from, to), noon.getTime()),
  );
  const total = (name: 'spend' | 'impressions'): bigint =>
    parts.reduce((all, figures) => all + BigInt(figures[name]), 0n);
  return { spend: total('spend'), impressions: total('impressions') };
}
async function analyticsCalls(): Promise<string[]> {
  const response = await fetch(`${sandbox.url}/ledger?platform=professional`);
  const { entries } = (await response.json()) as { entries: { path: string; query: Record<string, string> }[] };
  return entries.filter(({ path }) => path.endsWith('/adAnalytics')).map(({ query }) => query['dateRange'] ?? '');
}

describe('figures of ads', () => {
  let ads: Made[];
  beforeAll(async () => void (ads = await addAds()));

  it.each(['account', 'campaign', 'ad_set', 'ad'] as const)(
    'at level %s are those of the platform, in total and by days in UTC',
    async (level) => {
      await expectSumOfDays(read, { level });
      const [total, days] = [await read({ level }), await read({ level, granularity: 'day' })];
      expect(sum(total, 'impressions')).toBe(expected(ads, range.fromDate, range.toDate).impressions);
      for (const date of daysIn(range.fromDate, range.toDate)) {
        const rows = days.filter((row) => row.date === date);
        const found = { spend: sum(rows, 'spend'), impressions: sum(rows, 'impressions') };
        expect({ date, ...found }).toEqual({ date, ...expected(ads, date, date) });
      }
    },
  );

  it('have the ids of the platform and their parents', async () => {
    const rows = await read({ level: 'ad' });
    expect(rows.map(({ platformId, adSetId, campaignId }) => ({ campaignId, adSetId, adId: platformId }))).toEqual(ads);
    const items = await read({ level: 'ad_set', within: { level: 'campaign', ids: [ads[0]?.campaignId ?? ''] } });
    expect(items.map(({ platformId, campaignId }) => [platformId, campaignId])).toEqual(
      ads.slice(0, 2).map(({ adSetId, campaignId }) => [adSetId, campaignId]),
    );
    expect(await read({ level: 'account' })).toMatchObject([{ platformId: adAccount.id }]);
  });

  it('count leads and conversions in millionths, with the value of all conversions', async () => {
    const [row] = await read({ level: 'account', fromDate: '2026-09-01', toDate: '2026-10-31' });
    const { events, leads = 0n } = row?.figures ?? {};
    expect(leads !== null && leads > 0n && leads % 1_000_000n === 0n).toBe(true);
    expect(events?.all?.count).toBeGreaterThan(0n);
    expect(events?.all?.value).toBeGreaterThan(0n);
    expect(row?.figures).not.toHaveProperty('purchases');
  });

  it('add up however a range is cut', () => expectAnySplitAddsUp(read, { firstDay: '2026-01-01', days: 300, runs: 8 }));

  it('change when the platform corrects a day', async () => {
    const day = { fromDate: '2026-11-03', toDate: '2026-11-03', level: 'ad' as const };
    const within = { level: 'ad' as const, ids: [ads[0]?.adId ?? ''] };
    const before = await read({ ...day, within });
    const adId = numberOf(ads[0]?.adId ?? '');
    const correction = { from: Date.parse('2026-11-03T00:00:00Z'), until: Date.parse('2026-11-04T00:00:00Z') };
    await control('figures', { adId, restatements: [{ ...correction, perMille: 3000 }] });
    const after = await read({ ...day, within });
    await control('figures', { adId, restatements: [] });
    expect(before).toHaveLength(1);
    expect(sum(after, 'impressions')).toBe(sum(before, 'impressions') * 3n);
  });

  it.each(['placement', 'device'] as const)(
    'by %s add up to the total, with those of unknown value',
    async (breakdown) => {
      for (const level of ['account', 'ad'] as const) {
        const rows = await expectBreakdownAddsUp(read, { breakdowns: [breakdown], level });
        const shown = rows.map(({ breakdown: [value] = [] }) => value);
        expect(shown).toContainEqual({ value: 'unknown', label: 'unknown' });
        expect(shown).toContainEqual(
          breakdown === 'device'
            ? { value: 'DESKTOP_WEB', label: 'desktop' }
            : { value: 'LINKEDIN_FEED', label: 'LINKEDIN_FEED' },
        );
        expect(new Set(rows.map(({ platformId }) => platformId)).size).toBe(level === 'ad' ? 4 : 1);
      }
      const days = await read({ breakdowns: [breakdown], granularity: 'day' });
      expect(sum(days, 'spend')).toBe(sum(await read({}), 'spend'));
    },
  );

  it.each(['account', 'campaign', 'ad'] as const)('by country at level %s are approximate', async (level) => {
    const rows = await read({ breakdowns: ['country'], level });
    const labels = new Set(rows.map(({ breakdown: [value] = [] }) => value?.label));
    expect(labels).toEqual(new Set(['US', 'GB', 'BE', 'unknown']));
    const [all, part] = [sum(await read({ level }), 'impressions'), sum(rows, 'impressions')];
    expect(part).toBeGreaterThan((all * 9n) / 10n);
    expect(part).toBeLessThan((all * 11n) / 10n);
    const ids = new Set(rows.map(({ platformId }) => platformId));
    expect(ids).toEqual(new Set((await read({ level })).map(({ platformId }) => platformId)));
    expect(rows[0]?.figures.events?.all).not.toHaveProperty('value');
  });

  it('with reach count people of the whole range, if it is no longer than 92 days', async () => {
    await expectReachIsUnique(read, { level: 'account' });
    const months = { fromDate: '2026-08-01', level: 'account' as const, withReach: true };
    const [longest] = await read({ ...months, toDate: '2026-10-31' });
    expect(longest?.figures.reach).toBeGreaterThan(0n);
    const [longer] = await read({ ...months, toDate: '2026-11-01' });
    expect(longer?.figures).not.toHaveProperty('reach');
    const each = await read({ ...months, toDate: '2026-11-01', granularity: 'day' });
    expect(each.map(({ date, figures }) => [date, (figures.reach ?? 0n) > 0n])).toEqual(
      daysIn('2026-08-01', '2026-11-01').map((date) => [date, true]),
    );
  });

  it('stay when ad, ad set and campaign are archived', async () => {
    const [gone] = await addAds();
    const within = { level: 'campaign' as const, ids: [gone?.campaignId ?? ''] };
    const before = await read({ within, level: 'ad' });
    const own = `adAccounts/${adAccount.id}`;
    await patch(call, `${own}/creatives/${encodeURIComponent(gone?.adId ?? '')}`, { intendedStatus: 'ARCHIVED' });
    await patch(call, `${own}/adCampaigns/${gone?.adSetId}`, { status: 'ARCHIVED' });
    await patch(call, `${own}/adCampaignGroups/${gone?.campaignId}`, { status: 'ARCHIVED' });
    expect(sum(before, 'spend')).toBeGreaterThan(0n);
    for (const level of ['campaign', 'ad_set', 'ad'] as const)
      expect(sum(await read({ within, level }), 'spend')).toBe(sum(before, 'spend'));
  });

  it('leave out named objects of another ad account', async () => {
    const other = person.adAccounts[1]?.id ?? '';
    const { campaigns } = await control('found-campaigns', { adAccountId: other });
    const creatives = (await objects('creatives')) as { id: string; campaign: string }[];
    const [{ campaignId, adSetIds }] = campaigns as [{ campaignId: string; adSetIds: string[] }];
    const ad = creatives.find(({ campaign }) => campaign === `urn:li:sponsoredCampaign:${adSetIds[0]}`);
    await control('figures', { adId: numberOf(ad?.id ?? ''), spans: [january] });
    const within = { level: 'campaign' as const, ids: [campaignId, ads[0]?.campaignId ?? ''] };
    const found = await collect(
      adapter.reports?.read(access(), { ...asked({ within }), adAccount: { ...adAccount, id: other } }),
    );
    expect(found.map(({ platformId }) => platformId)).toEqual([campaignId]);
    expect((await read({ within })).map(({ platformId }) => platformId)).toEqual([ads[0]?.campaignId]);
  });

  it('are refused without the permission, and if the user has no role on the ad account', async () => {
    const { accessToken: token } = await connect(sandbox.url, { scopes: ['r_ads', 'rw_ads'] });
    const { fault, upstream } = await refusalOf(readAs(access({ token })));
    expect({ fault, scopes: upstream.missingScopes }).toEqual({ fault: 'rejected', scopes: ['r_ads_reporting'] });
    const { accessToken: other } = await connect(sandbox.url);
    expect(await refusalOf(readAs(access({ token: other })))).toMatchObject({ upstream: { status: 403 } });
  });

  it('are empty before anything was delivered', async () => {
    expect(await read({ fromDate: '2025-11-02', toDate: '2025-11-04' })).toEqual([]);
  });
});

describe('a response that the platform cuts at 15,000 elements', () => {
  it('is read again in parts, and nothing is lost', async () => {
    for (let times = 0; times < 10; times += 1) await addAds();
    const before = (await analyticsCalls()).length;
    const year = { fromDate: '2025-11-20', toDate: '2026-11-19', level: 'ad' as const };
    const days = await read({ ...year, granularity: 'day' });
    expect(days.length).toBeGreaterThan(15_000);
    expect((await analyticsCalls()).length - before).toBe(3);
    expect(sum(days, 'spend')).toBe(sum(await read(year), 'spend'));
    expect(new Set(days.map(({ platformId, date }) => `${platformId} ${date}`)).size).toBe(days.length);
  });
});

describe('requests and responses', () => {
  let upstream: FakeUpstream;
  beforeEach(async () => void (upstream = await startUpstream()));
  afterEach(() => upstream.stop());

  const element = (pivotValues: string[], more: object = {}): object => ({
    pivotValues,
    dateRange: { start: { year: 2026, month: 11, day: 2 }, end: { year: 2026, month: 11, day: 4 } },
    ...more,
  });
  const readFrom = (respond: (request: Recorded) => Reply, more: Partial<ReportQuery> = {}): Promise<ReportRow[]> => {
    upstream.respond = respond;
    return collect(adapterOf(upstream.url).reports?.read(access(), asked(more)));
  };
  const elements = (...found: object[]): Reply => ({ json: { elements: found, paging: { start: 0, count: 10 } } });

  it('take 75 objects each, within the longest address', async () => {
    const ids = Array.from({ length: 100 }, (_, at) => `urn:li:sponsoredCreative:${9_000_000_000 + at}`);
    const parents = ['urn:li:sponsoredCampaignGroup:1', 'urn:li:sponsoredCampaign:2'];
    await readFrom(
      ({ query }) =>
        query['accounts'] ? elements(...ids.map((id) => element([id]))) : elements(element([...parents, ids[0] ?? ''])),
      {
        level: 'ad',
        within: { level: 'ad', ids },
      },
    );
    const lists = upstream.requests.flatMap(({ query }) => query['creatives']?.split(',').length ?? []);
    expect(lists).toEqual([75, 25]);
    expect(upstream.requests.every(({ address }) => address.length < 4096 + '/adAnalytics?'.length)).toBe(true);
  });

  it('read amounts on their digits, an omitted metric as zero, and a withheld one as null', async () => {
    const found = element(['urn:li:sponsoredCampaignGroup:1'], {
      impressions: '9007199254740993',
      clicks: null,
      costInLocalCurrency: '9007199254.7409915',
      conversionValueInLocalCurrency: '0.30000000000000004',
      externalWebsiteConversions: 3,
      oneClickLeads: 2,
    });
    expect(await readFrom(() => elements(found))).toEqual([
      {
        platformId: '1',
        figures: expect.objectContaining({
          impressions: 9_007_199_254_740_993n,
          clicks: null,
          linkClicks: 0n,
          spend: 9_007_199_254_740_992n,
          leads: 2_000_000n,
          events: { all: { count: 3_000_000n, value: 300_000n } },
        }),
      },
    ]);
  });

  it.each<[string, object]>([
    ['a fraction of an impression', { impressions: 1.5 }],
    ['an amount with an exponent', { costInLocalCurrency: '1e3' }],
    ['an amount too small for a plain number', { costInLocalCurrency: 1e-9 }],
    ['too many pivots', { pivotValues: ['urn:li:sponsoredCampaignGroup:1', 'FEED'] }],
  ])('with %s are refused as a whole', async (_, more) => {
    const good = element(['urn:li:sponsoredCampaignGroup:1']);
    const refused = readFrom(() => elements(good, { ...good, ...more }));
    expect(await refusalOf(refused)).toMatchObject({ fault: 'unavailable' });
  });

  it('are split by campaign, then by ad set, where days cannot be split', async () => {
    const group = (at: number): string => `urn:li:sponsoredCampaignGroup:${at}`;
    const full = Array.from({ length: 15_000 }, () =>
      element([group(1), 'urn:li:sponsoredCampaign:2', 'urn:li:sponsoredCreative:3']),
    );
    const rows = await readFrom(
      ({ query }) => {
        if (query['pivots'] === 'List(CAMPAIGN_GROUP)') return elements(element([group(1)]), element([group(2)]));
        if (query['pivots'] === 'List(CAMPAIGN)')
          return elements(element(['urn:li:sponsoredCampaign:7']), element(['urn:li:sponsoredCampaign:8']));
        if (query['accounts'] || query['campaignGroups'] === `List(${group(1)})`) return elements(...full);
        const of = query['campaigns'] ?? query['campaignGroups'] ?? '';
        const id = /\d+/.exec(of)?.[0] ?? '';
        return elements(element([group(1), `urn:li:sponsoredCampaign:${id}`, `urn:li:sponsoredCreative:${id}`]));
      },
      { level: 'ad' },
    );
    expect(rows.map(({ platformId }) => platformId)).toEqual([
      'urn:li:sponsoredCreative:7',
      'urn:li:sponsoredCreative:8',
      'urn:li:sponsoredCreative:2',
    ]);
  });

  it('by country of more than 500 objects are refused before they are sent', async () => {
    const many = Array.from({ length: 501 }, (_, at) => element([`urn:li:sponsoredCampaign:${at}`]));
    const refused = readFrom(() => elements(...many), { level: 'ad_set', breakdowns: ['country'] });
    expect((await refusalOf(refused)).message).toMatch(/country of 501 objects .* at most 500/);
    expect(upstream.requests).toHaveLength(1);
  });

  it('that stay cut are refused, never shown in part', async () => {
    const full = Array.from({ length: 15_000 }, () => element(['urn:li:sponsoredAccount:1', 'FEED']));
    const refused = readFrom(() => elements(...full), { level: 'account', breakdowns: ['placement'] });
    expect(await refusalOf(refused)).toMatchObject({ fault: 'unavailable' });
  });

  it.each([
    ['metric values in 5 minutes', 'The limit of 45000000 metric values in 5 minutes is reached', 330, 330],
    [
      'calls of a day',
      'Resource level throttle APPLICATION DAY limit for calls to this resource is reached.',
      1,
      86_400,
    ],
  ])('over the limit of %s wait as long', async (_, message, least, most) => {
    const refused = readFrom(() => ({ status: 429, json: { status: 429, code: 'TOO_MANY_REQUESTS', message } }));
    const { fault, upstream: said } = await refusalOf(refused);
    expect(fault).toBe('rate_limited');
    expect(said.retryAfterSeconds).toBeGreaterThanOrEqual(least);
    expect(said.retryAfterSeconds).toBeLessThanOrEqual(most);
  });
});
