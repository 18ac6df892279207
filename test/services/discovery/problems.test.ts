import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { ReadProblem } from '../../../src/platforms/platform.ts';
import { openStore, type Store } from '../ads/fixture.ts';
import { campaignOf, createDiscoveryFixture, type DiscoveryFixture } from './fixture.ts';

let store: Store;
let fixture: DiscoveryFixture;
beforeAll(async () => void (store = await openStore()));
beforeEach(async () => void (fixture = await createDiscoveryFixture(store)));
afterAll(() => store.stop());

const problem = (extra: Partial<ReadProblem> = {}): ReadProblem => ({
  objectType: 'ad_set',
  platformId: 's-One',
  field: 'daily_budget',
  message: 'Invalid input: expected string, received null',
  ...extra,
});
const show = (...pages: ReturnType<typeof campaignOf>[]) =>
  function* () {
    yield* pages;
  };

describe('an object that a discovery cannot read', () => {
  it('is listed in the record and in the event, once per run', async () => {
    fixture.upstream['act_1'] = show({ ...campaignOf('One', { a1: 'active' }), problems: [problem(), problem()] });
    const run = await fixture.discover();
    expect(run).toMatchObject({ state: 'completed', failures: [], problemCount: 1, counts: { ads: 1 } });
    expect(run.problems).toEqual([
      {
        adAccountId: 'act_1',
        objectType: 'ad_set',
        platformId: 's-One',
        field: 'daily_budget',
        message: 'Invalid input: expected string, received null',
      },
    ]);
    const [event] = await fixture.events();
    expect(event?.data).toMatchObject({
      account: { discovery: { problemCount: 1, problems: [{ adAccountId: 'act_1', platformId: 's-One' }] } },
    });
  });

  it('is counted beyond the hundred that the record lists', async () => {
    const problems = Array.from({ length: 250 }, (_, at) => problem({ platformId: `s${at}` }));
    fixture.upstream['act_1'] = show({ ...campaignOf('One', { a1: 'active' }), problems });
    const run = await fixture.discover();
    expect([run.problems.length, run.problemCount]).toEqual([100, 250]);
    fixture.upstream['act_1'] = show(campaignOf('One', { a1: 'active' }));
    expect(await fixture.discover()).toMatchObject({ problems: [], problemCount: 0 });
  });

  it('is not taken for deleted at any level', async () => {
    fixture.upstream['act_1'] = show(campaignOf('One', { a1: 'active', a2: 'active', a3: 'active' }));
    await fixture.discover();
    const skipped = { isSkipped: true, field: 'status' };
    fixture.upstream['act_1'] = show({
      problems: [
        problem({ objectType: 'campaign', platformId: 'c-One', ...skipped }),
        problem({ objectType: 'ad_set', platformId: 's-One', ...skipped }),
        problem({ objectType: 'ad', platformId: 'a1', ...skipped }),
      ],
      unplacedAds: ['a2'],
    });
    await fixture.discover();
    const states = await Promise.all(['a1', 'a2', 'a3'].map(async (id) => (await fixture.byPlatformId(id)).status));
    expect(states).toEqual(['active', 'active', 'cancelled']);
    expect(await store.db.campaigns.findOne({ platformCampaignId: 'c-One' }).lean()).toMatchObject({
      platformStatus: 'active',
    });
    expect(await store.db.adSets.findOne({ platformAdSetId: 's-One' }).lean()).toMatchObject({
      platformStatus: 'active',
    });
  });

  it('cancels nothing if its id cannot be parsed, because it may be any stored object', async () => {
    fixture.upstream['act_1'] = show(campaignOf('One', { a1: 'active', a2: 'active' }));
    await fixture.discover();
    const page = campaignOf('One', { a1: 'active' });
    fixture.upstream['act_1'] = show({
      ...page,
      problems: [problem({ objectType: 'ad', platformId: null, isSkipped: true })],
    });
    await fixture.discover();
    expect((await fixture.byPlatformId('a2')).status).toBe('active');
    fixture.upstream['act_1'] = show(page);
    await fixture.discover();
    expect((await fixture.byPlatformId('a2')).status).toBe('cancelled');
  });

  it('keeps the stored value of the field, and updates the rest', async () => {
    fixture.upstream['act_1'] = show(campaignOf('One', { a1: 'active' }));
    await fixture.discover();
    const page = campaignOf('One', { a1: 'paused' });
    fixture.upstream['act_1'] = show({
      ...page,
      adSets: page.adSets?.map(({ budget: _budget, ...adSet }) => ({ ...adSet, name: 'New', isPartial: true })),
      ads: page.ads?.map((ad) => ({ ...ad, name: '', isPartial: true })),
    });
    await fixture.discover();
    expect(await store.db.adSets.findOne({ accountId: fixture.account._id }).lean()).toMatchObject({
      name: 'New',
      budget: { amount: 20, type: 'daily' },
    });
    expect(await fixture.byPlatformId('a1')).toMatchObject({ name: 'a1', status: 'paused' });
  });
});

describe('the list of ad accounts', () => {
  it('is read by each discovery, so that new ad accounts are read and closed ones are listed', async () => {
    await fixture.discover();
    fixture.adAccounts.push({ id: 'act_3', name: 'New', currency: 'EUR', isActive: true });
    fixture.adAccounts[1] = {
      ...fixture.adAccounts[1],
      id: 'act_2',
      name: 'Yen',
      currency: 'JPY',
      isActive: false,
      status: 'DISABLED',
    };
    const run = await fixture.discover();
    expect(run).toMatchObject({
      state: 'completed',
      counts: { adAccounts: 2 },
      failures: [{ adAccountId: 'act_2', message: expect.stringContaining('DISABLED') }],
    });
    expect((await fixture.discover()).failures).toEqual([]);
  });

  it('is kept when an entry without a readable id may be it', async () => {
    await fixture.discover();
    const [main] = fixture.adAccounts;
    fixture.fake.adapter.listAdAccounts = async (_access, note) => {
      note?.(problem({ objectType: 'ad_account', platformId: null, field: 'id', isSkipped: true }));
      return main ? [main] : [];
    };
    await fixture.discover();
    const account = await store.db.accounts.findOne({ _id: fixture.account._id }).lean();
    expect(account?.adAccounts.map(({ id }) => id)).toEqual(['act_1', 'act_2']);
  });

  it('keeps stored entries that cannot be parsed, and reports them', async () => {
    await fixture.discover();
    fixture.fake.adapter.listAdAccounts = async (_access, note) => {
      note?.(problem({ objectType: 'ad_account', platformId: 'act_2', field: 'currency', isSkipped: true }));
      return fixture.adAccounts.slice(0, 1);
    };
    const run = await fixture.discover();
    expect(run).toMatchObject({ counts: { adAccounts: 2 }, problems: [{ adAccountId: null, platformId: 'act_2' }] });
  });
});

describe('figures', () => {
  const metrics = { spend: 6110, impressions: 5, clicks: 2 };
  const withFigures = (own: typeof metrics | null | undefined) => {
    const page = campaignOf('One', { a1: 'active' });
    return show({ ...page, campaigns: page.campaigns?.map((campaign) => ({ ...campaign, metrics: own })) });
  };
  const stored = async () => (await store.db.campaigns.findOne({ accountId: fixture.account._id }).lean())?.metrics;

  it('of a campaign are those of the platform, null until they are read, and never a sum', async () => {
    fixture.upstream['act_1'] = withFigures(undefined);
    await fixture.discover();
    expect(await stored()).toBeNull();
    fixture.upstream['act_1'] = withFigures(metrics);
    await fixture.discover();
    expect(await stored()).toEqual(metrics);
  });

  it('keep their stored values if they are not read, but not if the platform no longer has them', async () => {
    fixture.upstream['act_1'] = withFigures(metrics);
    await fixture.discover();
    fixture.upstream['act_1'] = withFigures(undefined);
    await fixture.discover();
    expect(await stored()).toEqual(metrics);
    fixture.upstream['act_1'] = withFigures(null);
    await fixture.discover();
    expect(await stored()).toBeNull();
  });
});
