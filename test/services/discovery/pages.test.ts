import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createLog } from '../../../src/telemetry/log.ts';
import { connectDb, type Db } from '../../../src/models/db.ts';
import { PlatformError } from '../../../src/platforms/error.ts';
import type { FoundAd, FoundPage } from '../../../src/platforms/platform.ts';
import { accountFields } from '../../../src/services/encryption/bindings.ts';
import { applyAdStatus } from '../../../src/services/ads/apply-status.ts';
import { setCampaignStatus } from '../../../src/services/ads/set-campaign-status.ts';
import { readAhead } from '../../../src/services/discovery/read-ahead.ts';
import { saveAds } from '../../../src/services/discovery/save-ads.ts';
import { saveAdSets, saveCampaigns } from '../../../src/services/discovery/upsert-parents.ts';
import type { PageScope } from '../../../src/services/discovery/scope.ts';
import { isWork } from '../../support/round-trips.ts';
import { monitored, testDatabase } from '../../support/db.ts';
import type { Store } from '../ads/fixture.ts';
import { campaignOf, createDiscoveryFixture, type DiscoveryFixture } from './fixture.ts';

let store: Store;
let fixture: DiscoveryFixture;
const commands: string[] = [];

beforeAll(async () => {
  const database = await testDatabase();
  const db = await connectDb(monitored(database.uri), createLog('silent'));
  db.ads.db
    .getClient()
    .on(
      'commandStarted',
      ({ commandName }: { commandName: string }) => isWork(commandName) && commands.push(commandName),
    );
  const stop = async (): Promise<void> => {
    await db.close();
    await database.stop();
  };
  store = { db, stop };
});
beforeEach(async () => void (fixture = await createDiscoveryFixture(store)));
afterAll(() => store.stop());

/** The page that a run which begins now would have asked for now. */
function scopeNow(): PageScope {
  const [adAccount, now] = [fixture.adAccounts[0], fixture.ctx.clock.now()];
  if (!adAccount) throw new Error('There is no ad account');
  return {
    account: fixture.account,
    adapter: fixture.fake.adapter,
    adAccount,
    startedAt: now,
    askedAt: now,
    campaigns: new Map(),
  };
}

const show = (...pages: FoundPage[]) =>
  function* () {
    yield* pages;
  };

async function commandsOf(run: () => Promise<unknown>): Promise<string[]> {
  commands.length = 0;
  await run();
  return [...commands];
}

describe('a page', () => {
  const adsOf = (count: number, clicks = 1): FoundAd[] =>
    Array.from({ length: count }, (_, at) => ({
      id: `${count}-${at}`,
      adSetId: 's-One',
      campaignId: 'c-One',
      name: 'Ad',
      status: 'active',
      metrics: { spend: 1, impressions: 10, clicks },
    }));

  it.each([1, 500])(
    'of %i ads takes four reads and one write, whether they are new, changed or as before',
    async (count) => {
      for (const clicks of [1, 2, 2]) {
        fixture.pass(60);
        const sent = await commandsOf(() => saveAds(fixture.ctx, scopeNow(), adsOf(count, clicks)));
        expect(sent.toSorted()).toEqual(['find', 'find', 'find', 'find', 'update']);
      }
      expect(await store.db.ads.countDocuments({ accountId: fixture.account._id })).toBe(count);
    },
  );

  it.each([1, 500])('of %i campaigns or ad sets takes one read and one write', async (count) => {
    const campaigns = Array.from({ length: count }, (_, at) => ({
      id: `${count}-${at}`,
      name: 'C',
      status: 'active' as const,
    }));
    for (let run = 0; run < 2; run++) {
      fixture.pass(60);
      expect(await commandsOf(() => saveCampaigns(fixture.ctx, scopeNow(), campaigns))).toEqual(['find', 'update']);
      const adSets = campaigns.map((campaign) => ({ ...campaign, campaignId: 'c-One' }));
      expect(await commandsOf(() => saveAdSets(fixture.ctx, scopeNow(), adSets))).toEqual(['find', 'update']);
    }
  });

  it('that shows what is known leaves campaigns and ad sets as they are, but for the stamp', async () => {
    fixture.upstream['act_1'] = show(campaignOf('One', { a1: 'active' }));
    await fixture.discover();
    const all = async () => [
      ...(await store.db.campaigns.find({ accountId: fixture.account._id }).lean()),
      ...(await store.db.adSets.find({ accountId: fixture.account._id }).lean()),
    ];
    const before = await all();
    await fixture.discover();
    const after = await all();
    expect(after.map(({ updatedAt }) => updatedAt)).toEqual(before.map(({ updatedAt }) => updatedAt));
    for (const { seenAt } of after) expect(seenAt.getTime()).toBeGreaterThan(before[0]?.seenAt.getTime() ?? Infinity);
  });

  it('that shows an ad a second time counts and publishes it once', async () => {
    fixture.upstream['act_1'] = show(campaignOf('One', { a1: 'active', a2: 'active' }));
    await fixture.discover();
    const [one, two] = [campaignOf('One', { a1: 'paused', a2: 'paused' }), campaignOf('One', { a2: 'paused' })];
    fixture.upstream['act_1'] = show(one, two);
    expect((await fixture.discover()).counts).toEqual({ adAccounts: 2, campaigns: 1, adSets: 1, ads: 2 });
    const changes = (await fixture.events()).filter(({ type }) => type === 'ad.status_changed');
    expect(changes).toHaveLength(2);
  });
});

describe('an ad that changes while its account is read', () => {
  beforeEach(async () => {
    fixture.upstream['act_1'] = show(campaignOf('One', { a1: 'active' }));
    await fixture.discover();
  });
  const pause = async (): Promise<void> => {
    fixture.pass(1);
    await applyAdStatus(fixture.ctx, [await fixture.byPlatformId('a1')], 'paused');
  };

  it('keeps what it was given here after its page was asked for, until the next run', async () => {
    fixture.upstream['act_1'] = async function* () {
      await pause();
      yield campaignOf('One', { a1: 'active' });
    };
    await fixture.discover();
    expect((await fixture.byPlatformId('a1')).status).toBe('paused');
    fixture.upstream['act_1'] = show(campaignOf('One', { a1: 'active' }));
    await fixture.discover();
    expect((await fixture.byPlatformId('a1')).status).toBe('active');
  });

  it('hangs on a campaign that keeps the switch it was given after its page was asked for', async () => {
    fixture.upstream['act_1'] = async function* () {
      fixture.pass(1);
      await setCampaignStatus(fixture.ctx, { campaignId: 'c-One', platform: 'network-a', status: 'PAUSED' });
      yield campaignOf('One', { a1: 'active' });
    };
    await fixture.discover();
    const campaign = await store.db.campaigns.findOne({ accountId: fixture.account._id }).lean();
    expect(campaign).toMatchObject({ platformStatus: 'paused', status: 'paused' });
  });

  it('keeps the switch of a campaign that was read before it was given, as long as the reading lasts', async () => {
    const status = (requested: 'ACTIVE' | 'PAUSED') =>
      setCampaignStatus(fixture.ctx, { campaignId: 'c-One', platform: 'network-a', status: requested });
    await status('PAUSED');
    await store.db.ads.updateMany({ accountId: fixture.account._id }, { $unset: { pendingEvents: 1 } });
    const { campaigns, adSets, ads } = campaignOf('One', { a1: 'paused' });
    fixture.upstream['act_1'] = async function* () {
      yield { campaigns: campaigns?.map((campaign) => ({ ...campaign, status: 'paused' as const })) };
      fixture.pass(1);
      await status('ACTIVE');
      fixture.pass(1);
      yield { adSets };
      fixture.pass(1);
      // Here a platform that says no more of an ad than its own switch takes its campaign's from the first page.
      yield { ads };
    };
    await fixture.discover();
    const ad = await fixture.byPlatformId('a1');
    expect(ad.status).toBe('active');
    expect(ad.pendingEvents?.map(({ type }) => type)).toEqual(['ad.status_changed']);
  });

  /** A store to which another process writes right before it is written to. */
  function disturbed(name: 'ads' | 'campaigns', disturb: () => Promise<unknown>): Db {
    const model = store.db[name] as Db['ads'];
    const bulkWrite = async (...args: Parameters<typeof model.collection.bulkWrite>) => {
      await disturb();
      return model.collection.bulkWrite(...args);
    };
    const collection = Object.create(model.collection, { bulkWrite: { value: bulkWrite } });
    return { ...store.db, [name]: Object.create(model, { collection: { value: collection } }) };
  }

  it.each(['paused', 'active'] as const)(
    'is not taken for deleted when it moves between the reading and the writing of its page (%s)',
    async (status) => {
      const { ads } = store.db;
      const db = disturbed('ads', () =>
        ads.updateOne({ accountId: fixture.account._id, platformAdId: 'a1' }, { $set: { status: 'rejected' } }),
      );
      fixture.pass(60);
      const scope = scopeNow();
      const [shown] = campaignOf('One', { a1: status }).ads ?? [];
      const page = shown ? [{ ...shown, metrics: { spend: 9, impressions: 90, clicks: 9 } }] : [];
      await saveAds({ ...fixture.ctx, db }, scope, page);
      const ad = await fixture.byPlatformId('a1');
      expect([ad.status, ad.seenAt, ad.pendingEvents ?? []]).toEqual(['rejected', scope.startedAt, []]);
    },
  );

  it('keeps the switch that it was given here between the reading and the writing of its page', async () => {
    fixture.pass(60);
    const scope = scopeNow();
    const db = disturbed('ads', pause);
    const [shown] = campaignOf('One', { a1: 'active' }).ads ?? [];
    const page = shown ? [{ ...shown, metrics: { spend: 9, impressions: 90, clicks: 9 } }] : [];
    await saveAds({ ...fixture.ctx, db }, scope, page);
    const ad = await fixture.byPlatformId('a1');
    expect([ad.status, ad.seenAt, ad.pendingEvents?.length]).toEqual(['paused', scope.startedAt, 1]);
  });

  it('hangs on a campaign that keeps what it was given here at that moment', async () => {
    const campaigns = () => store.db.campaigns.findOne({ accountId: fixture.account._id }).lean().orFail();
    const { _id } = await campaigns();
    fixture.pass(60);
    const scope = scopeNow();
    const db = disturbed('campaigns', () => {
      fixture.pass(1);
      const change = { platformStatus: 'paused' as const, updatedAt: fixture.ctx.clock.now() };
      return store.db.campaigns.updateOne({ _id }, { $set: change });
    });
    const [shown] = campaignOf('One', {}).campaigns ?? [];
    await saveCampaigns({ ...fixture.ctx, db }, scope, shown ? [{ ...shown, name: 'Two' }] : []);
    expect(await campaigns()).toMatchObject({ platformStatus: 'paused', name: 'One', seenAt: scope.startedAt });
  });
});

describe('closed metrics', () => {
  const closedMetrics = { spend: 1, impressions: 2, clicks: 3, until: new Date('2026-05-07T00:00:00Z') };
  const withClosed = (page: FoundPage): FoundPage => ({
    campaigns: page.campaigns?.map((one) => ({ ...one, closedMetrics })),
    adSets: page.adSets?.map((one) => ({ ...one, closedMetrics })),
    ads: page.ads?.map((one) => ({ ...one, closedMetrics })),
  });

  it('are kept with each object, also of a run that breaks off, until a later run replaces them', async () => {
    const seen: unknown[] = [];
    const page = campaignOf('One', { a1: 'active' });
    fixture.upstream['act_1'] = async function* (readClosed) {
      for (const [level, id] of [
        ['campaign', 'c-One'],
        ['ad_set', 's-One'],
        ['ad', 'a1'],
      ] as const)
        seen.push(Object.fromEntries((await readClosed?.(level, [id, 'none'])) ?? []));
      // Objects without closed metrics leave what is kept.
      yield seen.length <= 3 ? withClosed(page) : page;
      if (seen.length <= 3) throw new PlatformError('A', 'unavailable', 'No more');
    };
    for (let runs = 0; runs < 3; runs += 1) await fixture.discover();
    const all = [{ 'c-One': closedMetrics }, { 's-One': closedMetrics }, { a1: closedMetrics }];
    expect(seen).toEqual([{}, {}, {}, ...all, ...all]);
  });
});

describe('a reading that breaks off', () => {
  beforeEach(async () => {
    fixture.upstream['act_1'] = show(campaignOf('One', { a1: 'active' }), campaignOf('Two', { a2: 'active' }));
    await fixture.discover();
  });
  const broken = (fault: 'auth_expired' | 'rate_limited' | 'unavailable') =>
    async function* () {
      yield campaignOf('One', { a1: 'paused' });
      throw new PlatformError('A', fault, 'No more');
    };

  it.each(['auth_expired', 'rate_limited', 'unavailable'] as const)(
    'keeps what it stored and cancels nothing: %s',
    async (fault) => {
      fixture.upstream['act_1'] = broken(fault);
      const run = await fixture.discover();
      expect([run.state, run.counts.ads]).toEqual([fault === 'auth_expired' ? 'failed' : 'completed', 1]);
      expect((await fixture.byPlatformId('a1')).status).toBe('paused');
      expect((await fixture.byPlatformId('a2')).status).toBe('active');
    },
  );

  it('goes on from the beginning with a renewed token, and counts and publishes each once', async () => {
    const encryptedRefreshToken = fixture.ctx.encrypter.encrypt(
      'refresh-1',
      accountFields.encryptedRefreshToken(fixture.account._id),
    );
    await store.db.accounts.updateOne({ _id: fixture.account._id }, { $set: { encryptedRefreshToken } });
    fixture.ctx.refreshers['network-a'] = async () => ({ token: 'token-2', expiresIn: 3600 });
    let readings = 0;
    fixture.upstream['act_1'] = async function* () {
      readings += 1;
      if (readings === 1) yield* broken('auth_expired')();
      yield campaignOf('One', { a1: 'paused' });
      yield campaignOf('Two', { a2: 'active' });
    };
    const run = await fixture.discover();
    expect([readings, run.state]).toEqual([2, 'completed']);
    expect(run.counts).toEqual({ adAccounts: 2, campaigns: 2, adSets: 2, ads: 2 });
    const events = await fixture.events();
    expect(events.filter(({ type }) => type === 'ad.status_changed')).toHaveLength(1);
    const published = events.findLast(({ type }) => type === 'campaign.discovery_completed');
    expect(published?.data).toMatchObject({ account: { discovery: { changed: 1, cancelled: 0 } } });
  });
});

describe('an account without anything in it', () => {
  it('is read to its end', async () => {
    expect(await fixture.discover()).toMatchObject({
      state: 'completed',
      counts: { adAccounts: 2, ads: 0 },
      error: null,
    });
    expect((await fixture.events()).map(({ type }) => type)).toEqual(['account.ads.initial_sync_completed']);
  });
});

describe('reading ahead', () => {
  it('is one page ahead and never more', async () => {
    const asked: number[] = [];
    const source = async function* () {
      for (let page = 1; page <= 4; page++) {
        asked.push(page);
        yield page;
      }
    };
    const seen: [number, number][] = [];
    for await (const page of readAhead(source())) {
      await new Promise((resolve) => setImmediate(resolve));
      seen.push([page, asked.length]);
    }
    expect(seen).toEqual([
      [1, 2],
      [2, 3],
      [3, 4],
      [4, 4],
    ]);
  });

  it('gives out the page before the one that failed, and ends its source when no more is requested', async () => {
    let isEnded = false;
    const source = async function* () {
      try {
        yield 1;
        yield 2;
        throw new Error('No third page');
      } finally {
        isEnded = true;
      }
    };
    const pages: number[] = [];
    const all = async (): Promise<void> => {
      for await (const page of readAhead(source())) pages.push(page);
    };
    await expect(all()).rejects.toThrow('No third page');
    expect(pages).toEqual([1, 2]);
    isEnded = false;
    for await (const _ of readAhead(source())) break;
    await expect.poll(() => isEnded).toBe(true);
  });
});
