import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { PlatformError } from '../../../src/platforms/error.ts';
import { createAd } from '../../../src/services/ads/create-ad.ts';
import { adTree } from '../../../src/services/campaigns/get-ad-tree.ts';
import { ListCampaignsInput } from '../../../src/contract/campaign.ts';
import { newId } from '../../../src/lib/id.ts';
import { openStore, type Store } from '../ads/fixture.ts';
import { campaignOf, createDiscoveryFixture, type DiscoveryFixture } from './fixture.ts';

let store: Store;
let fixture: DiscoveryFixture;

beforeAll(async () => void (store = await openStore()));
beforeEach(async () => void (fixture = await createDiscoveryFixture(store)));
afterAll(() => store.stop());

const tree = () => adTree(fixture.ctx, ListCampaignsInput.parse({}));
const show = (...pages: ReturnType<typeof campaignOf>[]) =>
  function* () {
    yield* pages;
  };
const types = async (): Promise<string[]> => (await fixture.events()).map(({ type }) => type);
const firstEvent = async () => {
  const [event] = await fixture.events();
  if (!event) throw new Error('No event was published');
  return event;
};
const campaignNamed = async (requested: string) => {
  const found = (await tree()).campaigns.find(({ name }) => name === requested);
  if (!found) throw new Error(`There is no campaign ${requested}`);
  return found;
};
const forget = async (): Promise<void> => {
  await store.db.ads.updateMany({ accountId: fixture.account._id }, { $unset: { pendingEvents: 1 } });
  await store.db.campaignDiscoveries.updateMany({ _id: fixture.account._id }, { $unset: { pendingEvents: 1 } });
};

describe('names', () => {
  it('lose only marks that were recorded here: of open orders before they end, and of renamed campaigns', async () => {
    const { ad } = await createAd(fixture.ctx, fixture.input({}));
    const mark = ad?._id.slice(-8) ?? '';
    const { account } = fixture;
    // The same order as it was before its outcome was known.
    await store.db.campaigns.deleteMany({ accountId: account._id });
    await store.db.adSets.deleteMany({ accountId: account._id });
    const open = { status: 'unconfirmed', platformAdId: null, platformCampaignId: null, platformAdSetId: null };
    await store.db.ads.updateOne({ _id: ad?._id }, { $set: open });
    const [own, foreign] = [campaignOf(`Winter ${mark}`, {}), campaignOf('Summer 1a2b3c4d', {})];
    fixture.upstream['act_1'] = show(own, foreign);
    await fixture.discover();
    const names = async () => (await tree()).campaigns.map(({ name }) => name).toSorted();
    expect(await names()).toEqual(['Summer 1a2b3c4d', 'Winter']);
    for (const [campaign] of [own.campaigns ?? [], foreign.campaigns ?? []])
      if (campaign) campaign.name = campaign.name.replace('er ', 'er sale ');
    await fixture.discover();
    expect(await names()).toEqual(['Summer sale 1a2b3c4d', 'Winter sale']);
  });
});

describe('a discovery', () => {
  it('records what was made elsewhere, with what is above it', async () => {
    fixture.upstream['act_1'] = show(campaignOf('One', { a1: 'active', a2: 'paused' }));
    fixture.upstream['act_2'] = show(campaignOf('Two', { a3: 'rejected' }));
    expect(await fixture.discover()).toMatchObject({
      state: 'completed',
      counts: { adAccounts: 2, campaigns: 2, adSets: 2, ads: 3 },
      failures: [],
      error: null,
    });
    expect(await fixture.byPlatformId('a1')).toMatchObject({
      isExternal: true,
      shape: 'legacy',
      status: 'active',
      goal: 'traffic',
      settings: { budget: { amount: 20, type: 'daily' } },
      metrics: { spend: 0.1, impressions: 10, clicks: 1 },
      campaignName: 'One',
      adSetName: 'One set',
      platformAdAccountId: 'act_1',
    });
    expect((await tree()).campaigns).toMatchObject([
      { name: expect.any(String), createdAt: '2026-05-01T00:00:00.000Z' },
      { adSets: [{ ads: expect.any(Array) }] },
    ]);
    const [one] = (await tree()).campaigns.filter(({ name }) => name === 'One');
    expect(one).toMatchObject({ status: 'active', adCount: 2, isExternal: true, metrics: null });
  });

  it('changes and publishes nothing if nothing has changed', async () => {
    fixture.upstream['act_1'] = show(campaignOf('One', { a1: 'active' }));
    await fixture.discover();
    const before = await fixture.byPlatformId('a1');
    await forget();
    await fixture.discover();
    const after = await fixture.byPlatformId('a1');
    expect({ ...after, seenAt: null }).toEqual({ ...before, seenAt: null });
    expect(after.seenAt?.getTime()).toBeGreaterThan(before.seenAt?.getTime() ?? Number.POSITIVE_INFINITY);
    expect(await types()).toEqual(['campaign.discovery_completed']);
  });

  it('publishes every known ad whose status differs, and updates the totals', async () => {
    fixture.upstream['act_1'] = show(campaignOf('One', { a1: 'active', a2: 'active' }));
    await fixture.discover();
    expect(await types()).toEqual(['account.ads.initial_sync_completed']);
    await forget();
    fixture.upstream['act_1'] = show(campaignOf('One', { a1: 'paused', a2: 'rejected' }));
    await fixture.discover();
    const events = await fixture.events();
    expect(events.map(({ type }) => type).toSorted()).toEqual([
      'ad.status_changed',
      'ad.status_changed',
      'campaign.discovery_completed',
    ]);
    const published = events.flatMap(({ data }) => (data['ad'] ? [data['ad'] as { platformAdId: string }] : []));
    expect(published.toSorted((one, other) => one.platformAdId.localeCompare(other.platformAdId))).toMatchObject([
      { platformAdId: 'a1', status: 'paused', previousStatus: 'active' },
      { platformAdId: 'a2', status: 'rejected', previousStatus: 'active' },
    ]);
    expect((await tree()).campaigns[0]).toMatchObject({ status: 'paused' });
    expect(events.at(-1)?.data).toMatchObject({ account: { discovery: { ads: 2, changed: 2, cancelled: 0 } } });
  });

  it('numbers only the first of its events, which is one of the account', async () => {
    await fixture.discover();
    expect((await firstEvent()).data).toMatchObject({ account: { accountId: fixture.account._id, sequence: 1 } });
    await forget();
    await fixture.discover();
    expect((await firstEvent()).data['account']).not.toHaveProperty('sequence');
  });

  it('cancels what a whole reading no longer shows', async () => {
    fixture.upstream['act_1'] = show(
      campaignOf('One', { a1: 'active', a2: 'active' }),
      campaignOf('Two', { a3: 'paused' }),
    );
    await fixture.discover();
    await forget();
    fixture.upstream['act_1'] = show(campaignOf('One', { a1: 'active' }));
    await fixture.discover();
    expect((await fixture.byPlatformId('a2')).status).toBe('cancelled');
    expect((await fixture.byPlatformId('a3')).status).toBe('cancelled');
    const two = (await tree()).campaigns.find(({ name }) => name === 'Two');
    expect(two).toMatchObject({ status: 'cancelled', platformStatus: 'cancelled' });
    expect((await types()).filter((type) => type === 'ad.status_changed')).toHaveLength(2);
    await forget();
    await fixture.discover();
    expect(await types()).toEqual(['campaign.discovery_completed']);
  });

  it.each([
    ['nothing', []],
    ['a part', [campaignOf('One', { a1: 'active' })]],
    ['campaigns alone', [{ campaigns: campaignOf('Two', {}).campaigns }]],
  ])('cancels nothing when the platform shows %s once and all of it right after', async (_what, short) => {
    const whole = [campaignOf('One', { a1: 'active' }), campaignOf('Two', { a2: 'paused' })];
    fixture.upstream['act_1'] = show(...whole);
    await fixture.discover();
    await forget();
    let readings = 0;
    fixture.upstream['act_1'] = function* () {
      readings += 1;
      yield* readings === 1 ? short : whole;
    };
    const { counts } = await fixture.discover();
    expect([readings, counts.campaigns, counts.ads]).toEqual([2, 2, 2]);
    expect([(await fixture.byPlatformId('a1')).status, (await fixture.byPlatformId('a2')).status]).toEqual([
      'active',
      'paused',
    ]);
    expect(await types()).toEqual(['campaign.discovery_completed']);
  });

  it('brings back what is shown again', async () => {
    fixture.upstream['act_1'] = show(campaignOf('One', { a1: 'active' }));
    await fixture.discover();
    fixture.upstream['act_1'] = show();
    await fixture.discover();
    fixture.upstream['act_1'] = show(campaignOf('One', { a1: 'active' }));
    await fixture.discover();
    expect((await tree()).campaigns).toMatchObject([{ status: 'active', platformStatus: 'active' }]);
  });

  it('cancels nothing in an ad account that it could not read to the end, and reads the others', async () => {
    fixture.upstream['act_1'] = show(campaignOf('One', { a1: 'active' }), campaignOf('Two', { a2: 'active' }));
    fixture.upstream['act_2'] = show(campaignOf('Three', { a3: 'active' }));
    await fixture.discover();
    fixture.upstream['act_1'] = function* () {
      yield campaignOf('One', { a1: 'paused' });
      throw new PlatformError('A', 'rate_limited', 'Too many calls');
    };
    fixture.upstream['act_2'] = show();
    expect(await fixture.discover()).toMatchObject({
      state: 'completed',
      failures: [{ adAccountId: 'act_1', message: 'Too many calls' }],
      counts: { adAccounts: 1, ads: 1 },
    });
    expect((await fixture.byPlatformId('a2')).status).toBe('active');
    expect((await fixture.byPlatformId('a3')).status).toBe('cancelled');
    expect((await campaignNamed('One')).status).toBe('paused');
  });

  it('completes with what it has read when the list of ad accounts cannot be read a second time', async () => {
    fixture.upstream['act_1'] = show(campaignOf('One', { a1: 'active' }));
    fixture.upstream['act_2'] = () => {
      fixture.fake.adapter.listAdAccounts = () => Promise.reject(new PlatformError('A', 'rejected', 'not now'));
      throw new PlatformError('A', 'unavailable', 'down');
    };
    expect(await fixture.discover()).toMatchObject({
      state: 'completed',
      counts: { adAccounts: 1, ads: 1 },
      failures: [{ adAccountId: 'act_2', message: 'down' }],
    });
  });

  it('fails when no ad account could be read', async () => {
    for (const id of ['act_1', 'act_2']) {
      fixture.upstream[id] = () => {
        throw new PlatformError('A', 'unavailable', 'Down');
      };
    }
    expect(await fixture.discover()).toMatchObject({ state: 'failed', error: 'No ad account could be read: Down' });
    expect(await types()).toEqual([]);
  });

  it('stops at a token that the platform no longer takes, and cuts the account off', async () => {
    const asked: string[] = [];
    for (const id of ['act_1', 'act_2']) {
      fixture.upstream[id] = () => {
        asked.push(id);
        throw new PlatformError('A', 'auth_expired', 'The token is no good');
      };
    }
    expect(await fixture.discover()).toMatchObject({ state: 'failed', error: 'The token is no good' });
    expect(asked).toEqual(['act_1']);
    expect(await store.db.accounts.findOne({ _id: fixture.account._id }).lean()).toMatchObject({
      needsReconnect: true,
    });
  });

  it('leaves ad accounts alone that are not active', async () => {
    fixture.adAccounts[1] = { id: 'act_2', name: 'Closed', currency: 'JPY', isActive: false };
    fixture.upstream['act_2'] = show(campaignOf('Two', { a3: 'active' }));
    expect((await fixture.discover()).counts).toMatchObject({ adAccounts: 1, ads: 0 });
  });
});

describe('an ad that was made here', () => {
  const made = (extra: object = {}) => createAd(fixture.ctx, fixture.input(extra), newId());

  it.each([
    ['follows the platform', { budgetType: 'daily' }, { amount: 20, type: 'daily' }],
    [
      'stays as it was ordered if the platform keeps a total as a budget for each day',
      { budgetType: 'lifetime', budgetAmount: 300 },
      { amount: 300, type: 'lifetime' },
    ],
  ])('has a budget that %s', async (_what, settings, budget) => {
    const endDate = new Date(fixture.ctx.clock.now().getTime() + 9 * 86_400_000).toISOString();
    const { ad } = await made({ ...settings, endDate });
    fixture.upstream['act_1'] = show(campaignOf('One', { [ad?.platformAdId ?? '']: 'active' }));
    await fixture.discover();
    expect((await fixture.byPlatformId(ad?.platformAdId ?? '')).settings.budget).toEqual(budget);
  });

  it('is in the tree at once', async () => {
    const { ad } = await made();
    expect((await tree()).campaigns).toMatchObject([
      {
        platformCampaignId: ad?.platformCampaignId,
        status: 'active',
        isExternal: false,
        adCount: 1,
        adSetCount: 1,
        adSets: [
          { platformAdSetId: ad?.platformAdSetId, budget: { amount: 12.5, type: 'daily' }, ads: [{ _id: ad?._id }] },
        ],
      },
    ]);
  });

  it('stands beside the others of the ad set that it was attached to', async () => {
    await made({ adSetId: 'set-1', goal: undefined, budgetAmount: undefined, budgetType: undefined });
    await made({ adSetId: 'set-1', goal: undefined, budgetAmount: undefined, budgetType: undefined, status: 'PAUSED' });
    expect((await tree()).campaigns).toMatchObject([
      {
        name: 'Parent campaign',
        isExternal: true,
        adCount: 2,
        adSetCount: 1,
        status: 'active',
        adSets: [{ ads: [{}, {}] }],
      },
    ]);
  });

  it('keeps its own fields and follows the platform in the others', async () => {
    const { ad } = await made();
    const found = campaignOf('x', { [ad?.platformAdId ?? '']: 'pending_review' });
    const [campaignId, adSetId] = [ad?.platformCampaignId ?? '', ad?.platformAdSetId ?? ''];
    fixture.upstream['act_1'] = show({
      campaigns: found.campaigns?.map((campaign) => ({ ...campaign, id: campaignId })),
      adSets: found.adSets?.map((adSet) => ({ ...adSet, id: adSetId, campaignId })),
      ads: found.ads?.map((entry) => ({ ...entry, campaignId, adSetId })),
    });
    await fixture.discover();
    expect(await fixture.ads()).toMatchObject([
      {
        _id: ad?._id,
        name: 'Winter',
        isExternal: false,
        status: 'pending_review',
        creative: { headline: 'Coats' },
        metrics: { clicks: 1 },
      },
    ]);
    expect((await tree()).campaigns).toMatchObject([{ isExternal: false, status: 'pending_review', name: 'x' }]);
  });

  it('is not taken for deleted when it was made during the reading', async () => {
    let made1: string | null | undefined;
    fixture.upstream['act_1'] = async function* () {
      yield {};
      fixture.pass(1);
      made1 = (await made()).ad?.platformAdId;
      yield {};
    };
    await fixture.discover();
    expect((await fixture.byPlatformId(made1 ?? '')).status).toBe('active');
  });

  it('of unknown outcome is reconciled when discovery reads it, and gets no second record', async () => {
    fixture.fake.script('activate', { fault: 'unknown_outcome', made: true });
    await made().catch(() => undefined);
    const [open] = await fixture.ads();
    expect(open?.status).toBe('unconfirmed');
    expect((await tree()).campaigns).toMatchObject([
      { status: 'unconfirmed', adSets: [{ ads: [{ _id: open?._id }] }] },
    ]);
    const upstreamAd = fixture.fake.objects.find(({ step }) => step === 'ad.0');
    fixture.upstream['act_1'] = show({
      ads: [
        {
          id: upstreamAd?.id ?? '',
          name: upstreamAd?.name ?? '',
          adSetId: 'up-2',
          campaignId: 'up-1',
          status: 'active',
        },
      ],
    });
    await fixture.discover();
    expect(await fixture.ads()).toMatchObject([
      { _id: open?._id, status: 'active', isExternal: false, platformAdId: upstreamAd?.id },
    ]);
    expect((await tree()).campaigns).toMatchObject([{ status: 'active', adCount: 1 }]);
  });

  it('takes the place of a record that a discovery made of it too early', async () => {
    fixture.upstream['act_1'] = show(campaignOf('One', { 'up-4': 'active' }));
    await fixture.discover();
    const { ad } = await made();
    expect(ad?.platformAdId).toBe('up-4');
    expect(await fixture.ads()).toMatchObject([{ _id: ad?._id, isExternal: false }]);
  });
});

describe('a removed campaign with its ad set and ad', () => {
  it('stays removed when a list still shows it, and its figures are still read', async () => {
    const { db } = store;
    const accountId = fixture.account._id;
    fixture.upstream['act_1'] = show(campaignOf('One', { a1: 'active' }));
    await fixture.discover();
    const removed = { removal: 'archived', removedAt: new Date('2999-01-31T09:00:00Z') } as const;
    await db.ads.updateMany({ accountId }, { $set: { ...removed, status: 'cancelled' } });
    for (const model of [db.campaigns, db.adSets] as (typeof db.campaigns)[])
      await model.updateMany({ accountId }, { $set: { ...removed, platformStatus: 'cancelled' } });
    await forget();
    const shown = campaignOf('One', { a1: 'active' });
    const metrics = { spend: 7, impressions: 70, clicks: 7 };
    fixture.upstream['act_1'] = show({ ...shown, ads: (shown.ads ?? []).map((ad) => ({ ...ad, metrics })) });
    await fixture.discover();
    expect(await fixture.byPlatformId('a1')).toMatchObject({ ...removed, status: 'cancelled', metrics });
    const [campaign] = (await tree()).campaigns;
    expect(campaign).toMatchObject({ status: 'cancelled', platformStatus: 'cancelled', removal: 'archived' });
    expect(campaign?.adSets).toMatchObject([{ platformStatus: 'cancelled', removal: 'archived' }]);
    expect(await types()).toEqual(['campaign.discovery_completed']);
  });
});
