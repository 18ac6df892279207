import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createPinterest } from '../../src/platforms/pinterest/index.ts';
import type { AdsAdapter, FoundPage } from '../../src/platforms/platform.ts';
import { createXAds } from '../../src/platforms/x-ads/index.ts';
import { access, dollars, placedAt } from './fixtures.ts';
import { startUpstream, type FakeUpstream } from './upstream.ts';
import { noMedia } from './media.ts';

let upstream: FakeUpstream;
beforeEach(async () => void (upstream = await startUpstream()));
afterEach(() => upstream.stop());

type Lists = Record<string, unknown>;

const platforms: Record<string, { adapter: () => AdsAdapter; lists: (end: Date, isOn: boolean) => Lists }> = {
  C: {
    adapter: () => createPinterest({ baseUrl: upstream.url, version: 'v5', conversionObjective: 'SALES' }, noMedia),
    lists: (end, isOn) => {
      const group = { id: '2', campaign_id: '1', status: isOn ? 'ACTIVE' : 'PAUSED', end_time: end.getTime() / 1000 };
      return {
        campaigns: { items: [{ id: '1', status: 'ACTIVE' }] },
        ad_groups: { items: [group] },
        ads: { items: [{ id: '3', ad_group_id: '2', campaign_id: '1', status: 'ACTIVE', review_status: 'APPROVED' }] },
        analytics: [],
      };
    },
  },
  E: {
    adapter: () => createXAds({ baseUrl: upstream.url, version: '12', clientId: 'id', clientSecret: 'secret' }),
    lists: (end, isOn) => {
      const item = {
        id: '2',
        campaign_id: '1',
        entity_status: isOn ? 'ACTIVE' : 'PAUSED',
        end_time: end.toISOString(),
      };
      return {
        campaigns: { data: [{ id: '1', entity_status: 'ACTIVE' }] },
        line_items: { data: [item] },
        promoted_tweets: {
          data: [{ id: '3', line_item_id: '2', tweet_id: '4', entity_status: 'ACTIVE', approval_status: 'ACCEPTED' }],
        },
      };
    },
  },
};

async function found(platform: string, { end, isOn = true }: { end: string; isOn?: boolean }): Promise<unknown> {
  const { adapter, lists } = platforms[platform] ?? {};
  const said = lists?.(new Date(end), isOn) ?? {};
  upstream.respond = ({ path }) => ({ json: said[path.split('/').at(-1) ?? ''] });
  const pages: FoundPage[] = [];
  for await (const page of adapter?.().discover(access, dollars) ?? []) pages.push(page);
  const [adSet] = pages.flatMap(({ adSets = [] }) => adSets);
  const [ad] = pages.flatMap(({ ads = [] }) => ads);
  return { adSet: adSet?.status, ad: ad?.status, isPaused: ad?.isPaused };
}

it.each([
  ['2027-02-28T23:59:59Z', '2026-12-01', '2027-02-28'],
  ['2027-03-01T00:00:00Z', '2026-12-02', '2027-03-01'],
  ['2028-02-29T12:00:00Z', '2027-12-02', '2028-02-29'],
  ['2026-12-31T23:50:00Z', '2026-10-03', '2026-12-31'],
])('figures on C are asked for, at %s, from %s to %s', async (now, start_date, end_date) => {
  const { adapter, lists } = platforms['C'] ?? {};
  const said = lists?.(placedAt, true) ?? {};
  upstream.respond = ({ path }) => ({ json: said[path.split('/').at(-1) ?? ''] });
  const at = { ...access, clock: { now: () => new Date(now) } };
  for await (const page of adapter?.().discover(at, dollars) ?? []) expect(page).toBeDefined();
  const asked = upstream.requests.find(({ path }) => path.endsWith('/analytics'));
  expect(asked?.query).toMatchObject({ start_date, end_date });
});

describe.each(['C', 'E'])('an ad on %s', (platform) => {
  it('is completed once its end has passed', async () => {
    expect(await found(platform, { end: placedAt.toISOString() })).toEqual({
      adSet: 'completed',
      ad: 'completed',
      isPaused: false,
    });
  });

  it('is active until then', async () => {
    expect(await found(platform, { end: new Date(placedAt.getTime() + 1000).toISOString() })).toEqual({
      adSet: 'active',
      ad: 'active',
      isPaused: false,
    });
  });

  it('stays paused after its end date if it was paused before', async () => {
    expect(await found(platform, { end: placedAt.toISOString(), isOn: false })).toEqual({
      adSet: 'paused',
      ad: 'paused',
      isPaused: true,
    });
  });
});
