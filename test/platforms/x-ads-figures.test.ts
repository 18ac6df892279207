import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { ClosedMetrics, FoundPage, ReadClosedMetrics } from '../../src/platforms/platform.ts';
import { createXAds } from '../../src/platforms/x-ads/index.ts';
import { access, dollars, placedAt } from './fixtures.ts';
import { startUpstream, type FakeUpstream, type Recorded, type Reply } from './upstream.ts';

let upstream: FakeUpstream;
beforeEach(async () => void (upstream = await startUpstream()));
afterEach(() => upstream.stop());

type Fields = Record<string, unknown>;

const daysAgo = (days: number): string => new Date(placedAt.getTime() - days * 86_400_000).toISOString();
const stats = ({ query: { entity_ids: ids = '' } }: Recorded, metrics: Fields): Reply => ({
  json: { data: ids.split(',').map((id) => ({ id, id_data: [{ segment: null, metrics }] })) },
});

async function discover(
  campaigns: Fields[],
  answer: (request: Recorded) => Reply,
  { readClosed, now = placedAt }: { readClosed?: ReadClosedMetrics; now?: Date } = {},
): Promise<FoundPage[]> {
  const items = [{ id: 'l1', campaign_id: 'c1', entity_status: 'ACTIVE', created_at: daysAgo(3) }];
  const promoted = [{ id: 'p1', line_item_id: 'l1', tweet_id: '4', entity_status: 'ACTIVE', created_at: daysAgo(3) }];
  const lists: Record<string, Fields[]> = { campaigns, line_items: items, promoted_tweets: promoted };
  upstream.respond = (request) => {
    if (request.path.includes('/stats/')) return answer(request);
    return { json: { data: lists[request.path.split('/').at(-1) ?? ''], next_cursor: null } };
  };
  const pages: FoundPage[] = [];
  const adapter = createXAds({ baseUrl: upstream.url, version: '12', clientId: 'a', clientSecret: 'b' });
  for await (const page of adapter.discover({ ...access, clock: { now: () => now } }, dollars, readClosed))
    pages.push(page);
  return pages;
}
const campaign = (id: string, days: number): Fields => ({
  id,
  name: id,
  entity_status: 'ACTIVE',
  created_at: daysAgo(days),
});
const asked = (): Recorded[] => upstream.requests.filter(({ path }) => path.includes('/stats/'));

it("reads the figures of each level at that level, as the sum of its weeks, in the platform's form", async () => {
  const figures = { impressions: [100], clicks: [3], billed_charge_local_micro: [1_250_000] };
  const pages = await discover([campaign('c1', 10)], (request) => stats(request, figures));
  const week = { spend: 1.25, impressions: 100, clicks: 3 };
  expect(pages).toMatchObject([
    { campaigns: [{ metrics: { spend: 2.5, impressions: 200, clicks: 6 } }] },
    { adSets: [{ metrics: week }] },
    { ads: [{ metrics: week }] },
  ]);
  expect(asked().map(({ query }) => [query['entity'], query['entity_ids']])).toEqual([
    ['CAMPAIGN', 'c1'],
    ['CAMPAIGN', 'c1'],
    ['LINE_ITEM', 'l1'],
    ['PROMOTED_TWEET', 'p1'],
  ]);
  const ranges = asked().map(({ query }) => [query['start_time'] ?? '', query['end_time'] ?? '']);
  for (const [from = '', until = ''] of ranges) {
    expect([from, until]).toEqual([expect.stringMatching(/:00:00Z$/), expect.stringMatching(/:00:00Z$/)]);
    const days = (Date.parse(until) - Date.parse(from)) / 86_400_000;
    expect(days > 0 && days <= 7).toBe(true);
  }
  // Without gap and overlap, since the campaign was created.
  expect(ranges[0]?.[1]).toBe(ranges[1]?.[0]);
  expect(Date.parse(ranges[0]?.[0] ?? '')).toBeLessThanOrEqual(Date.parse(daysAgo(10)));
  expect(Date.parse(ranges[1]?.[1] ?? '')).toBeGreaterThan(placedAt.getTime());
});

it('takes null for nothing, and a metric that is missing for unknown', async () => {
  const pages = await discover([campaign('c1', 10)], (request) =>
    stats(request, { impressions: null, billed_charge_local_micro: null }),
  );
  expect(pages[0]?.campaigns).toMatchObject([{ metrics: { spend: 0, impressions: 0, clicks: null } }]);
});

it('makes at most 200 calls, newest campaigns first, and says what stays unread', async () => {
  const old = Array.from({ length: 100 }, (_, at) => campaign(`old${at}`, 700));
  const figures = { impressions: [1], clicks: [1], billed_charge_local_micro: [1_000_000] };
  const pages = await discover([...old, campaign('c1', 1)], (request) => stats(request, figures));
  expect(asked().length).toBeLessThanOrEqual(200);
  // The newest one shares the calls of its weeks with others.
  const shared = asked().find(({ query }) => query['entity_ids']?.startsWith('c1,'));
  expect(shared?.query['entity_ids']?.split(',')).toHaveLength(20);
  const metrics = pages[0]?.campaigns?.map((one) => one.metrics);
  expect(metrics?.at(-1)).toMatchObject({ impressions: expect.any(Number) });
  const unread = metrics?.filter((one) => one === undefined).length ?? 0;
  expect(unread).toBeGreaterThan(0);
  expect(pages[0]?.problems).toMatchObject([
    { objectType: 'figures', message: expect.stringContaining(`metrics of ${unread} objects were not read`) },
  ]);
});

it.each([
  [429, 'TOO_MANY_REQUESTS', 1],
  [403, 'ACTION_NOT_ALLOWED', 3],
])('keeps all objects where figures are refused with %d %s, after %d calls', async (status, code, calls) => {
  const pages = await discover([campaign('c1', 1)], () => ({ status, json: { errors: [{ code, message: 'no' }] } }));
  expect(pages).toMatchObject([{ campaigns: [{ id: 'c1' }] }, { adSets: [{ id: 'l1' }] }, { ads: [{ id: 'p1' }] }]);
  expect(pages.flatMap(({ campaigns = [], adSets = [], ads = [] }) => [...campaigns, ...adSets, ...ads])).toEqual(
    Array.from({ length: 3 }, () => expect.objectContaining({ metrics: undefined })),
  );
  expect(pages.flatMap(({ problems = [] }) => problems)).toHaveLength(3);
  expect(asked()).toHaveLength(calls);
});

describe('closed weeks', () => {
  const week = 7 * 86_400_000;
  const figures = { impressions: [100], clicks: [3], billed_charge_local_micro: [1_250_000] };
  /** What the records of an earlier discovery hold. */
  const closedIn = (pages: FoundPage[]): ReadClosedMetrics => {
    const all = pages.flatMap(({ campaigns = [], adSets = [], ads = [] }) => [...campaigns, ...adSets, ...ads]);
    const closed = new Map(
      all.flatMap(({ id, closedMetrics }) => (closedMetrics ? [[id, closedMetrics] as const] : [])),
    );
    return (_level, ids) => Promise.resolve(new Map([...closed].filter(([id]) => ids.includes(id))));
  };
  const ofCampaigns = (): Recorded[] => asked().filter(({ query }) => query['entity'] === 'CAMPAIGN');

  it('are read once: the next discovery makes a call for each week that can still change', async () => {
    const first = await discover([campaign('c1', 364)], (request) => stats(request, figures));
    const callsOfFirst = ofCampaigns().length;
    expect(callsOfFirst).toBeGreaterThanOrEqual(52);
    const closed = first[0]?.campaigns?.[0]?.closedMetrics as ClosedMetrics;
    // xdevplatform/docs 2871328, analytics.mdx, FAQs: billing data are processed for up to 14 days.
    expect(placedAt.getTime() - closed.until.getTime()).toBeGreaterThanOrEqual(2 * week);
    upstream.requests.length = 0;
    const second = await discover([campaign('c1', 364)], (request) => stats(request, figures), {
      readClosed: closedIn(first),
    });
    expect(ofCampaigns().map(({ query }) => Date.parse(query['start_time'] ?? ''))).toEqual(
      [0, 1, 2].map((weeks) => closed.until.getTime() + weeks * week),
    );
    expect(second[0]?.campaigns?.[0]?.metrics).toEqual(first[0]?.campaigns?.[0]?.metrics);
  });

  it('are added once to an object that shares its calls with one that has more weeks to read', async () => {
    const both = [campaign('c1', 100), campaign('c2', 100)];
    const first = await discover(both, (request) => stats(request, figures));
    const readClosed: ReadClosedMetrics = async (level, ids) =>
      new Map([...(await closedIn(first)(level, ids))].filter(([id]) => id === 'c2'));
    const second = await discover(both, (request) => stats(request, figures), { readClosed });
    expect(second[0]?.campaigns?.map(({ metrics }) => metrics)).toEqual(
      first[0]?.campaigns?.map(({ metrics }) => metrics),
    );
  });

  it('that a discovery could not finish are where the next one goes on', async () => {
    let calls = 0;
    const limited = (request: Recorded): Reply =>
      (calls += 1) > 10 ? { status: 429, json: { errors: [{ code: 'TOO_MANY_REQUESTS' }] } } : stats(request, figures);
    const first = await discover([campaign('c1', 364)], limited);
    expect(first[0]?.campaigns?.[0]).toMatchObject({ metrics: undefined, closedMetrics: { impressions: 1000 } });
    upstream.requests.length = 0;
    const second = await discover([campaign('c1', 364)], (request) => stats(request, figures), {
      readClosed: closedIn(first),
    });
    const { until } = first[0]?.campaigns?.[0]?.closedMetrics ?? {};
    expect(Date.parse(ofCampaigns()[0]?.query['start_time'] ?? '')).toBe(until?.getTime());
    const whole = await discover([campaign('c1', 364)], (request) => stats(request, figures));
    expect(second[0]?.campaigns?.[0]?.metrics).toEqual(whole[0]?.campaigns?.[0]?.metrics);
  });

  it('stay kept as they were when a later one cannot be parsed', async () => {
    const first = await discover([campaign('c1', 364)], (request) => stats(request, figures));
    const later = new Date(placedAt.getTime() + 3 * week);
    const readClosed = closedIn(first);
    const broken = await discover([campaign('c1', 364)], () => ({ json: { data: [{ id: 'c1', id_data: 'odd' }] } }), {
      readClosed,
      now: later,
    });
    expect(broken[0]?.campaigns?.[0]?.metrics).toBeUndefined();
    expect(broken[0]?.campaigns?.[0]?.closedMetrics).toBeUndefined();
  });
});
