import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createLinkedIn } from '../../src/platforms/linkedin/index.ts';
import { createMeta } from '../../src/platforms/meta/index.ts';
import { createPinterest } from '../../src/platforms/pinterest/index.ts';
import type { AdAccount, AdsAdapter, FoundPage } from '../../src/platforms/platform.ts';
import { createTikTok } from '../../src/platforms/tiktok/index.ts';
import { createXAds } from '../../src/platforms/x-ads/index.ts';
import { access } from './fixtures.ts';
import { startUpstream, type FakeUpstream, type Recorded } from './upstream.ts';
import { noMedia } from './media.ts';

let upstream: FakeUpstream;
beforeEach(async () => void (upstream = await startUpstream()));
afterEach(() => upstream.stop());

const adAccount: AdAccount = { id: '77', name: 'Main', currency: 'USD', isActive: true };
/** As many digits as ids have there. */
const ids = Array.from({ length: 600 }, (_, at) => String(120_210_000_000_000_000n + BigInt(at)));

async function pagesOf(adapter: AdsAdapter): Promise<FoundPage[]> {
  const pages = [];
  for await (const page of adapter.discover(access, adAccount)) pages.push(page);
  return pages;
}

interface Platform {
  adapter: (baseUrl: string) => AdsAdapter;
  isAds: (request: Recorded) => boolean;
  isFigures: (request: Recorded) => boolean;
  /** How many ads a request asks for, and from where on. */
  window: (request: Recorded) => { size: number; start: number };
  ads: (shown: string[], end: number) => object;
  empty: object;
  /** Where ads count only under a campaign and an ad set that are there. */
  parents?: (request: Recorded) => object;
  figures: (asked: string[]) => object;
  /** The longest address that the platform takes, and the most ids. */
  longest: number;
  most: number;
}

const from = ({ query }: Recorded, name: string, cursor: string): { size: number; start: number } => ({
  size: Number(query[name]),
  start: Number(query[cursor] ?? 0),
});
const more = (end: number): boolean => end < ids.length;
const quick = { callsPerSecond: 1_000_000 };
const media = { fetch: () => Promise.reject(new Error('No media here')) } as never;

const platforms: Record<string, Platform> = {
  A: {
    adapter: (baseUrl) => createMeta({ baseUrl, version: 'v26.0' }),
    isAds: ({ path }) => path.endsWith('/ads'),
    isFigures: ({ path }) => path.endsWith('/insights'),
    window: (request) => from(request, 'limit', 'after'),
    ads: (shown, end) => ({
      data: shown.map((id) => ({ id, adset_id: '2', campaign_id: '1', effective_status: 'ACTIVE' })),
      paging: { cursors: { after: String(end) }, ...(more(end) && { next: 'there' }) },
    }),
    empty: { data: [] },
    figures: (asked) => ({ data: asked.map((id) => ({ ad_id: id, spend: '1.5', impressions: '10', clicks: '1' })) }),
    longest: 8_000,
    most: 500,
  },
  C: {
    adapter: (baseUrl) => createPinterest({ baseUrl, version: 'v5', conversionObjective: 'WEB_CONVERSION' }, noMedia),
    isAds: ({ path }) => path.endsWith('/ads'),
    isFigures: ({ path }) => path.endsWith('/ads/analytics'),
    window: (request) => from(request, 'page_size', 'bookmark'),
    ads: (shown, end) => ({
      items: shown.map((id) => ({ id, status: 'ACTIVE', ad_group_id: '2', campaign_id: '1' })),
      bookmark: more(end) ? String(end) : null,
    }),
    empty: { items: [], bookmark: null },
    parents: ({ path }) => {
      if (path.endsWith('/analytics')) return [];
      const items = path.endsWith('/campaigns')
        ? [{ id: '1', name: 'Campaign', status: 'ACTIVE' }]
        : [{ id: '2', name: 'Set', status: 'ACTIVE', campaign_id: '1' }];
      return { items, bookmark: null };
    },
    figures: (asked) =>
      asked.map((id) => ({ AD_ID: id, SPEND_IN_MICRO_DOLLAR: 1_500_000, PAID_IMPRESSION: 10, CLICKTHROUGH_1: 1 })),
    longest: 8_000,
    most: 250,
  },
  D: {
    adapter: (baseUrl) => createTikTok({ baseUrl, version: 'v1.3', ...quick }, noMedia),
    isAds: ({ path }) => path.endsWith('/ad/get/'),
    isFigures: ({ path }) => path.endsWith('/report/integrated/get/'),
    window: ({ query }) => ({
      size: Number(query['page_size']),
      start: (Number(query['page']) - 1) * Number(query['page_size']),
    }),
    ads: (shown, end) => ({
      code: 0,
      message: 'OK',
      data: {
        list: shown.map((id) => ({ ad_id: id, adgroup_id: '2', campaign_id: '1' })),
        page_info: { total_page: more(end) ? 1_000 : 1, total_number: ids.length },
      },
    }),
    empty: { code: 0, message: 'OK', data: { list: [], page_info: { total_page: 1, total_number: 0 } } },
    figures: (asked) => ({
      code: 0,
      message: 'OK',
      data: {
        list: asked.map((id) => ({
          dimensions: { ad_id: id },
          metrics: { spend: '1.5', impressions: '10', clicks: '1' },
        })),
        page_info: { total_page: 1, total_number: asked.length },
      },
    }),
    longest: 8_000,
    most: 100,
  },
  F: {
    adapter: (baseUrl) => createLinkedIn({ baseUrl, version: '202611' } as never, media),
    isAds: ({ path }) => path.endsWith('/creatives'),
    isFigures: ({ path, query }) => path.endsWith('/adAnalytics') && query['pivot'] === 'CREATIVE',
    window: (request) => from(request, 'pageSize', 'pageToken'),
    ads: (shown, end) => ({
      elements: shown.map((id) => ({
        id: `urn:li:sponsoredCreative:${id.slice(-10)}`,
        campaign: 'urn:li:sponsoredCampaign:2',
        intendedStatus: 'ACTIVE',
        review: { status: 'APPROVED' },
      })),
      metadata: more(end) ? { nextPageToken: String(end) } : {},
    }),
    empty: { elements: [] },
    parents: ({ path }) => ({
      elements: path.endsWith('/adCampaigns')
        ? [{ id: '2', name: 'Set', campaignGroup: 'urn:li:sponsoredCampaignGroup:1', status: 'ACTIVE' }]
        : [{ id: '1', name: 'Group', status: 'ACTIVE' }],
    }),
    figures: (asked) => ({
      elements: asked.map((id) => ({
        pivotValues: [`urn:li:sponsoredCreative:${id.slice(-10)}`],
        impressions: 10,
        clicks: 1,
        costInLocalCurrency: '1.5',
      })),
    }),
    longest: 4_096,
    most: 1_000,
  },
};

describe.each(Object.entries(platforms))('the figures of a large account on %s', (name, platform) => {
  it('are asked for once for each page of ads, of its ads alone, in an address that is short enough', async () => {
    const asked: string[][] = [];
    upstream.respond = (request) => {
      if (platform.isFigures(request)) {
        const text = decodeURIComponent(request.address);
        const named = ids.filter((id) => text.includes(name === 'F' ? id.slice(-10) : id));
        asked.push(named);
        return { json: platform.figures(named) };
      }
      if (!platform.isAds(request)) return { json: platform.parents?.(request) ?? platform.empty };
      const { size, start } = platform.window(request);
      return { json: platform.ads(ids.slice(start, start + size), start + size) };
    };
    const pages = (await pagesOf(platform.adapter(upstream.url)))
      .map(({ ads = [] }) => ads)
      .filter((ads) => ads.length > 0);
    expect(pages.flat()).toHaveLength(600);
    expect(pages.flat().every(({ metrics }) => metrics?.spend === 1.5 && metrics.clicks === 1)).toBe(true);
    expect(asked.map(({ length }) => length)).toEqual(pages.map(({ length }) => length));
    expect(Math.max(...asked.map(({ length }) => length))).toBeLessThanOrEqual(platform.most);
    const longest = Math.max(...upstream.requests.map(({ address }) => address.length));
    expect(longest).toBeLessThanOrEqual(platform.longest);
  });
});

describe.each(Object.entries(platforms))('a page on %s whose figures cannot be read', (_name, platform) => {
  it.each([
    ['the platform rejects them', { status: 403, json: { status: 403, code: 29, message: 'Not enough permissions' } }],
    ['the platform is down', { status: 503, json: { status: 503, code: 4197, message: 'Service Unavailable' } }],
  ])('keeps its ads where %s, and says so', async (_what, refusal) => {
    upstream.respond = (request) => {
      if (platform.isFigures(request)) return refusal;
      if (!platform.isAds(request)) return { json: platform.parents?.(request) ?? platform.empty };
      return { json: platform.ads(ids.slice(0, 3), ids.length) };
    };
    const pages = await pagesOf(platform.adapter(upstream.url));
    const ads = pages.flatMap(({ ads: some = [] }) => some);
    expect(ads.map(({ metrics }) => metrics)).toEqual([undefined, undefined, undefined]);
    expect(pages.flatMap(({ problems = [] }) => problems)).toContainEqual(
      expect.objectContaining({ objectType: 'figures', message: expect.stringContaining('metrics request failed') }),
    );
  });
});

describe('ads under a campaign that was archived or deleted', () => {
  const set = { id: '2', name: 'Set', campaign_id: '9', entity_status: 'ACTIVE', status: 'ACTIVE' };
  const replies: Record<string, Record<string, object>> = {
    C: {
      ad_groups: { items: [set], bookmark: null },
      ads: { items: [{ id: '3', status: 'ACTIVE', ad_group_id: '2', campaign_id: '9' }], bookmark: null },
      analytics: [],
    },
    E: {
      line_items: { data: [set] },
      promoted_tweets: { data: [{ id: '3', line_item_id: '2', tweet_id: '4', entity_status: 'ACTIVE' }] },
    },
    F: {
      adCampaigns: { elements: [{ ...set, campaignGroup: 'urn:li:sponsoredCampaignGroup:9' }] },
      creatives: {
        elements: [
          { id: 'urn:li:sponsoredCreative:3', campaign: 'urn:li:sponsoredCampaign:2', intendedStatus: 'ACTIVE' },
        ],
      },
    },
  };

  it.each(Object.entries(replies))('are not reported as running on %s', async (name, lists) => {
    const adapter =
      platforms[name]?.adapter ?? ((baseUrl: string) => createXAds({ baseUrl, version: '12', clientId: 'a' }));
    upstream.respond = ({ path }) => ({
      json: lists[path.split('/').at(-1) ?? ''] ?? { data: [], items: [], elements: [] },
    });
    const pages = await pagesOf(adapter(upstream.url));
    const running = pages.flatMap(({ adSets = [], ads = [] }) => [...adSets, ...ads]).map(({ status }) => status);
    expect(running).not.toContain('active');
  });
});

describe('a list of D from which something is deleted while it is read', () => {
  it('is read again where others moved up, so that none is left out', async () => {
    let there = ids.slice(0, 350);
    upstream.respond = (request) => {
      const { isAds, isFigures, empty, figures, window } = platforms['D'] as Platform;
      if (isFigures(request)) return { json: figures([]) };
      if (!isAds(request)) return { json: empty };
      const { size, start } = window(request);
      const list = there.slice(start, start + size);
      const page_info = { total_page: Math.ceil(there.length / size), total_number: there.length };
      // The first page was read, and three of it go before the second one is.
      if (start === 0 && there.length === 350) there = there.slice(3);
      const shown = list.map((id) => ({ ad_id: id, adgroup_id: '2', campaign_id: '1' }));
      return { json: { code: 0, message: 'OK', data: { list: shown, page_info } } };
    };
    const pages = await pagesOf((platforms['D'] as Platform).adapter(upstream.url));
    const seen = new Set(pages.flatMap(({ ads = [] }) => ads.map(({ id }) => id)));
    expect(ids.slice(3, 350).filter((id) => !seen.has(id))).toEqual([]);
  });

  it('gives every ad to a copy once', async () => {
    const all = Array.from({ length: 1500 }, (_, at) => String(10_000 + at));
    let there = all;
    upstream.respond = ({ path, query }) => {
      const answer = (list: object[], total: number) => {
        const page_info = { total_page: Math.ceil(total / 1000), total_number: total };
        return { json: { code: 0, message: 'OK', data: { list, page_info } } };
      };
      if (path.includes('campaign/get')) return answer([{ campaign_id: '1', campaign_name: 'Sale' }], 1);
      if (path.includes('adgroup/get')) return answer([{ adgroup_id: '2', campaign_id: '1', adgroup_name: 'Set' }], 1);
      const start = (Number(query['page']) - 1) * 1000;
      const shown = there.slice(start, start + 1000).map((id) => ({ ad_id: id, adgroup_id: '2', ad_name: id }));
      const reply = answer(shown, there.length);
      if (start === 0) there = all.slice(3);
      return reply;
    };
    const { copies } = (platforms['D'] as Platform).adapter(upstream.url);
    const options = { deepCopy: true, statusOption: 'PAUSED', renameStrategy: 'NO_RENAME' } as const;
    const order = { operationId: 'o', adAccount, campaignId: '1', options, placedAt: new Date() };
    const copied = (await copies?.readTree(access, order))?.adSets.flatMap(({ ads }) => ads.map(({ id }) => id)) ?? [];
    expect(copied.length).toBe(new Set(copied).size);
    expect(all.slice(3).filter((id) => !copied.includes(id))).toEqual([]);
  });
});
