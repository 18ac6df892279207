import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createGoogleAds } from '../../src/platforms/google-ads/index.ts';
import { createLinkedIn } from '../../src/platforms/linkedin/index.ts';
import { createMeta } from '../../src/platforms/meta/index.ts';
import { createPinterest } from '../../src/platforms/pinterest/index.ts';
import type { AdAccount, AdsAdapter, FoundPage } from '../../src/platforms/platform.ts';
import { createTikTok } from '../../src/platforms/tiktok/index.ts';
import { createXAds } from '../../src/platforms/x-ads/index.ts';
import { access, refusalOf } from './fixtures.ts';
import { startUpstream, type FakeUpstream, type Recorded } from './upstream.ts';
import { noMedia } from './media.ts';
import { repeats } from '../support/sample.ts';

let upstream: FakeUpstream;
beforeAll(async () => void (upstream = await startUpstream()));
afterAll(() => upstream.stop());

type Entry = Record<string, unknown>;
type Level = 'campaigns' | 'adSets' | 'ads';
type Lists = Record<Level, Entry[]> & Record<string, Entry[]>;

const adAccount: AdAccount = { id: '77', name: 'Main', currency: 'USD', isActive: true };
const numbers = [1, 2, 3];
const media = { fetch: () => Promise.reject(new Error('No media here')) } as never;

interface Subject {
  adapter: (baseUrl: string) => AdsAdapter;
  /** Three campaigns with an ad set and an ad each, and rows of figures for all nine. */
  lists: () => Lists;
  /** Which of the lists a request asks for. */
  listOf: (request: Recorded) => string;
  page: (entries: unknown) => object;
  idOf: Record<Level, (at: number) => string>;
}

const plainIds = { campaigns: (n: number) => `1${n}`, adSets: (n: number) => `2${n}`, ads: (n: number) => `3${n}` };
const spend = { spend: '1.5', impressions: '10', clicks: '1' };

const subjects: Record<string, Subject> = {
  A: {
    adapter: (baseUrl) => createMeta({ baseUrl, version: 'v26.0' }),
    lists: () => ({
      campaigns: numbers.map((n) => ({
        id: `1${n}`,
        name: `C${n}`,
        objective: 'OUTCOME_TRAFFIC',
        effective_status: 'ACTIVE',
        daily_budget: '2000',
        created_time: '2026-01-01T00:00:00+0000',
      })),
      adSets: numbers.map((n) => ({
        id: `2${n}`,
        name: `S${n}`,
        campaign_id: `1${n}`,
        status: 'ACTIVE',
        effective_status: 'ACTIVE',
        daily_budget: '2000',
        bid_amount: 100,
        end_time: '2030-01-01T00:00:00+0000',
      })),
      ads: numbers.map((n) => ({
        id: `3${n}`,
        name: `A${n}`,
        adset_id: `2${n}`,
        campaign_id: `1${n}`,
        status: 'ACTIVE',
        effective_status: 'ACTIVE',
        ad_review_feedback: { global: { reason: 'text' } },
        creative: { object_story_spec: { link_data: { link: 'https://shop.example/', message: 'Coats' } } },
      })),
      figures_campaign: numbers.map((n) => ({ campaign_id: `1${n}`, ...spend })),
      figures_adset: numbers.map((n) => ({ adset_id: `2${n}`, ...spend })),
      figures_ad: numbers.map((n) => ({ ad_id: `3${n}`, ...spend })),
    }),
    listOf: ({ path, query }) =>
      path.endsWith('/insights')
        ? `figures_${query['level']}`
        : path.endsWith('/campaigns')
          ? 'campaigns'
          : path.endsWith('/adsets')
            ? 'adSets'
            : 'ads',
    page: (data) => ({ data }),
    idOf: plainIds,
  },
  B: {
    adapter: (baseUrl) =>
      createGoogleAds({ baseUrl, version: 'v25', tokenUrl: `${baseUrl}/token`, developerToken: 'developer' }, media),
    lists: () => {
      const campaign = (n: number): Entry => ({ id: `1${n}`, name: `C${n}`, status: 'ENABLED' });
      const adGroup = (n: number): Entry => ({ id: `2${n}`, name: `S${n}`, status: 'ENABLED' });
      const metrics = { costMicros: '1500000', impressions: '10', clicks: '1' };
      return {
        campaigns: numbers.map((n) => ({
          campaign: campaign(n),
          campaignBudget: { amountMicros: '20000000', period: 'DAILY' },
          metrics,
        })),
        adSets: numbers.map((n) => ({ campaign: campaign(n), adGroup: adGroup(n), metrics })),
        ads: numbers.map((n) => ({
          campaign: campaign(n),
          adGroup: adGroup(n),
          adGroupAd: { status: 'ENABLED', ad: { id: `3${n}` }, policySummary: { approvalStatus: 'APPROVED' } },
          metrics,
        })),
      };
    },
    listOf: ({ json }) => {
      const from = /FROM (\w+)/.exec((json as { query: string }).query)?.[1];
      return from === 'campaign' ? 'campaigns' : from === 'ad_group' ? 'adSets' : 'ads';
    },
    page: (results) => ({ results }),
    idOf: { ...plainIds, ads: (n) => `2${n}~3${n}` },
  },
  C: {
    adapter: (baseUrl) => createPinterest({ baseUrl, version: 'v5', conversionObjective: 'WEB_CONVERSION' }, noMedia),
    lists: () => {
      const row = { SPEND_IN_MICRO_DOLLAR: 1_500_000, PAID_IMPRESSION: 10, CLICKTHROUGH_1: 1 };
      return {
        campaigns: numbers.map((n) => ({ id: `1${n}`, name: `C${n}`, status: 'ACTIVE' })),
        adSets: numbers.map((n) => ({
          id: `2${n}`,
          name: `S${n}`,
          status: 'ACTIVE',
          campaign_id: `1${n}`,
          budget_in_micro_currency: 20_000_000,
          budget_type: 'DAILY',
          end_time: 1_900_000_000,
        })),
        ads: numbers.map((n) => ({
          id: `3${n}`,
          name: `A${n}`,
          status: 'ACTIVE',
          ad_group_id: `2${n}`,
          campaign_id: `1${n}`,
          review_status: 'APPROVED',
        })),
        figures_campaigns: numbers.map((n) => ({ CAMPAIGN_ID: `1${n}`, ...row })),
        figures_ad_groups: numbers.map((n) => ({ AD_GROUP_ID: `2${n}`, ...row })),
        figures_ads: numbers.map((n) => ({ AD_ID: `3${n}`, ...row })),
      };
    },
    listOf: ({ path }) => {
      const [last = '', before = ''] = path.split('/').toReversed();
      return last === 'analytics' ? `figures_${before}` : last === 'ad_groups' ? 'adSets' : last;
    },
    page: (items) => ({ items, bookmark: null }),
    idOf: plainIds,
  },
  D: {
    adapter: (baseUrl) => createTikTok({ baseUrl, version: 'v1.3', callsPerSecond: 1_000_000 }, noMedia),
    lists: () => ({
      campaigns: numbers.map((n) => ({
        campaign_id: `1${n}`,
        campaign_name: `C${n}`,
        operation_status: 'ENABLE',
        budget: 50,
        budget_mode: 'BUDGET_MODE_DAY',
      })),
      adSets: numbers.map((n) => ({
        adgroup_id: `2${n}`,
        campaign_id: `1${n}`,
        adgroup_name: `S${n}`,
        operation_status: 'ENABLE',
      })),
      ads: numbers.map((n) => ({
        ad_id: `3${n}`,
        adgroup_id: `2${n}`,
        campaign_id: `1${n}`,
        ad_name: `A${n}`,
        operation_status: 'ENABLE',
      })),
      figures_AUCTION_CAMPAIGN: numbers.map((n) => ({ dimensions: { campaign_id: `1${n}` }, metrics: spend })),
      figures_AUCTION_ADGROUP: numbers.map((n) => ({ dimensions: { adgroup_id: `2${n}` }, metrics: spend })),
      figures_AUCTION_AD: numbers.map((n) => ({ dimensions: { ad_id: `3${n}` }, metrics: spend })),
    }),
    listOf: ({ path, query }) => {
      if (path.includes('/report/')) return `figures_${query['data_level']}`;
      return path.includes('/campaign/') ? 'campaigns' : path.includes('/adgroup/') ? 'adSets' : 'ads';
    },
    page: (list) => ({
      code: 0,
      message: 'OK',
      data: { list, page_info: { total_page: 1, total_number: numbers.length } },
    }),
    idOf: plainIds,
  },
  E: {
    adapter: (baseUrl) => createXAds({ baseUrl, version: '12', clientId: 'a', clientSecret: 'b' }),
    lists: () => ({
      campaigns: numbers.map((n) => ({ id: `1${n}`, name: `C${n}`, entity_status: 'ACTIVE' })),
      adSets: numbers.map((n) => ({
        id: `2${n}`,
        name: `S${n}`,
        campaign_id: `1${n}`,
        entity_status: 'ACTIVE',
        daily_budget_amount_local_micro: 20_000_000,
        end_time: '2030-01-01T00:00:00Z',
      })),
      ads: numbers.map((n) => ({
        id: `3${n}`,
        line_item_id: `2${n}`,
        tweet_id: `4${n}`,
        entity_status: 'ACTIVE',
        approval_status: 'ACCEPTED',
      })),
    }),
    listOf: ({ path }) =>
      ({ line_items: 'adSets', promoted_tweets: 'ads' })[path.split('/').at(-1) ?? ''] ?? 'campaigns',
    page: (data) => ({ data, next_cursor: null }),
    idOf: plainIds,
  },
  F: {
    adapter: (baseUrl) => createLinkedIn({ baseUrl, version: '202611' } as never, media),
    lists: () => {
      const row = { impressions: 10, clicks: 1, costInLocalCurrency: '1.5' };
      return {
        campaigns: numbers.map((n) => ({ id: Number(`1${n}`), name: `C${n}`, status: 'ACTIVE' })),
        adSets: numbers.map((n) => ({
          id: Number(`2${n}`),
          name: `S${n}`,
          status: 'ACTIVE',
          campaignGroup: `urn:li:sponsoredCampaignGroup:1${n}`,
          dailyBudget: { amount: '20', currencyCode: 'USD' },
          runSchedule: { start: 1_700_000_000_000, end: 1_900_000_000_000 },
        })),
        ads: numbers.map((n) => ({
          id: `urn:li:sponsoredCreative:3${n}`,
          name: `A${n}`,
          campaign: `urn:li:sponsoredCampaign:2${n}`,
          intendedStatus: 'ACTIVE',
          review: { status: 'APPROVED' },
        })),
        figures_CAMPAIGN_GROUP: numbers.map((n) => ({ pivotValues: [`urn:li:sponsoredCampaignGroup:1${n}`], ...row })),
        figures_CAMPAIGN: numbers.map((n) => ({ pivotValues: [`urn:li:sponsoredCampaign:2${n}`], ...row })),
        figures_CREATIVE: numbers.map((n) => ({ pivotValues: [`urn:li:sponsoredCreative:3${n}`], ...row })),
      };
    },
    listOf: ({ path, query }) => {
      if (path.endsWith('/adAnalytics')) return `figures_${query['pivot']}`;
      return { adCampaigns: 'adSets', creatives: 'ads' }[path.split('/').at(-1) ?? ''] ?? 'campaigns';
    },
    page: (elements) => ({ elements }),
    idOf: { ...plainIds, ads: (n) => `urn:li:sponsoredCreative:3${n}` },
  },
};

async function read(subject: Subject, lists: Record<string, unknown>): Promise<Required<FoundPage>> {
  upstream.respond = (request) => ({ json: listJson(subject, lists, request) });
  const whole: Required<FoundPage> = { campaigns: [], adSets: [], ads: [], problems: [], unplacedAds: [] };
  for await (const page of subject.adapter(upstream.url).discover(access, adAccount)) {
    for (const name of Object.keys(whole) as (keyof FoundPage)[])
      (whole[name] as unknown[]).push(...(page[name] ?? []));
  }
  return whole;
}

/** The figures of C are a bare list. */
function listJson(subject: Subject, lists: Record<string, unknown>, request: Recorded): object {
  const name = subject.listOf(request);
  const list = lists[name] ?? [];
  return request.path.endsWith('/analytics') ? (list as object) : subject.page(list);
}

/** All paths to members of an entry. */
const pathsIn = (entry: unknown, path: string[] = []): string[][] =>
  typeof entry === 'object' && entry !== null && !Array.isArray(entry)
    ? Object.entries(entry).flatMap(([name, member]) => [[...path, name], ...pathsIn(member, [...path, name])])
    : [];

function changed(entry: Entry, [name = '', ...deeper]: string[], value: unknown): Entry {
  if (deeper.length > 0) return { ...entry, [name]: changed(entry[name] as Entry, deeper, value) };
  const { [name]: _old, ...others } = entry;
  return value === undefined ? others : { ...others, [name]: value };
}

const odd = fc.constantFrom(null, undefined, 5, -1, true, '', 'x'.repeat(50_000), [], [null], {}, { id: null }, 1e30);
const levels: Level[] = ['campaigns', 'adSets', 'ads'];
const without = (ids: string[], id: string): string[] => ids.filter((one) => one !== id);

describe.each(Object.entries(subjects))('a discovery on %s', (_name, subject) => {
  const all = (level: Level): string[] => numbers.map(subject.idOf[level]);

  it('reads everything with the metrics of each level if nothing is malformed', async () => {
    const whole = await read(subject, subject.lists());
    for (const level of levels) {
      expect(whole[level].map(({ id }) => id)).toEqual(all(level));
      const spends = whole[level].map(({ metrics }) => metrics?.spend);
      expect(spends).toEqual(numbers.map(() => (_name === 'E' ? undefined : 1.5)));
    }
    expect(whole.problems).toEqual([]);
  });

  it('reads all others if any field of one object or metrics row is malformed', async () => {
    const base = subject.lists();
    const place = fc.constantFrom(...Object.keys(base)).chain((list) =>
      fc.record({
        list: fc.constant(list),
        at: fc.nat({ max: numbers.length - 1 }),
        path: fc.constantFrom([], ...pathsIn(base[list]?.[0])),
        value: odd,
      }),
    );
    await fc.assert(
      fc.asyncProperty(place, async ({ list, at, path, value }) => {
        const lists: Record<string, unknown[]> = { ...subject.lists() };
        const entry = lists[list]?.[at] as Entry;
        lists[list] = (lists[list] ?? []).with(at, path.length === 0 ? (value ?? null) : changed(entry, path, value));
        const whole = await read(subject, lists);
        // What hangs on an object whose own place cannot be read is left as it is known.
        const touched = levels.slice(levels.indexOf(list as Level));
        for (const level of levels) {
          const own = subject.idOf[level](numbers[at] ?? 0);
          const found = whole[level].map(({ id }) => id);
          const isBelow = list in subject.idOf && touched.includes(level);
          expect(without(found, own).toSorted()).toEqual(
            isBelow ? expect.arrayContaining(without(all(level), own)) : without(all(level), own),
          );
          if (!isBelow) expect(found).toContain(own);
          const isRead = found.includes(own) || whole.unplacedAds.includes(own) || whole.problems.length > 0;
          expect(isRead || path.length > 0).toBe(true);
        }
        for (const { message } of whole.problems) expect(message).not.toBe('');
      }),
      { numRuns: repeats(15, 60) },
    );
  });

  it.each(levels)('reports one of the %s that is null, and one whose name is a number', async (level) => {
    const lists: Record<string, unknown[]> = { ...subject.lists() };
    lists[level] = [null, ...(lists[level] ?? [])];
    const whole = await read(subject, lists);
    expect(whole[level].map(({ id }) => id)).toEqual(all(level));
    expect(whole.problems).toMatchObject([{ platformId: null, field: null, isSkipped: true }]);
  });

  it('cancels nothing if a list is malformed', async () => {
    for (const level of levels) {
      const lists = { ...subject.lists(), [level]: 'none' };
      expect(await refusalOf(read(subject, lists))).toMatchObject({ fault: 'unavailable' });
    }
  });
});

describe('an object with a malformed optional field', () => {
  it('is read without the field, which is reported', async () => {
    const { A } = subjects as { A: Subject };
    const lists = A.lists();
    const [first, ...others] = lists.adSets;
    const whole = await read(A, { ...lists, adSets: [{ ...first, daily_budget: null }, ...others] });
    expect(whole.adSets[0]).toMatchObject({ id: '21', name: 'S1', isPartial: true });
    expect(whole.adSets[0]?.budget).toBeUndefined();
    expect(whole.adSets[1]?.budget).toEqual({ amount: 20, type: 'daily' });
    expect(whole.problems).toMatchObject([{ objectType: 'ad_set', platformId: '21', field: 'daily_budget' }]);
  });

  it('gets no metrics from a row that cannot be parsed, which is reported', async () => {
    const { D } = subjects as { D: Subject };
    const lists = D.lists();
    const rows = lists['figures_AUCTION_CAMPAIGN'] ?? [];
    const broken = { dimensions: { campaign_id: '11' }, metrics: { ...spend, spend: 'a lot' } };
    const whole = await read(D, { ...lists, figures_AUCTION_CAMPAIGN: [broken, ...rows.slice(1)] });
    expect(whole.campaigns.map(({ metrics }) => metrics?.spend)).toEqual([undefined, 1.5, 1.5]);
    expect(whole.problems).toMatchObject([{ objectType: 'figures', platformId: '11', field: 'metrics.spend' }]);
  });

  it('has zero where its row on C leaves out a column without a value, and no figures where the row has none', async () => {
    const { C } = subjects as { C: Subject };
    const lists = C.lists();
    const [, , third] = lists['figures_ads'] ?? [];
    const whole = await read(C, {
      ...lists,
      figures_ads: [{ AD_ID: '31', PAID_IMPRESSION: 10 }, { AD_ID: '32' }, third],
    });
    expect(whole.ads.map(({ metrics }) => metrics)).toEqual([
      { spend: 0, impressions: 10, clicks: 0 },
      undefined,
      { spend: 1.5, impressions: 10, clicks: 1 },
    ]);
    expect(whole.problems).toMatchObject([{ objectType: 'figures', platformId: '32' }]);
  });
});
