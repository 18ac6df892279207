import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { ListAccountsInput } from '../../src/contract/account.ts';
import { ListAdsInput } from '../../src/contract/ad-list.ts';
import { ListCampaignsInput } from '../../src/contract/campaign.ts';
import { ListProfilesInput } from '../../src/contract/profile.ts';
import { Collection } from '../../src/dev/mongo-server/collection.ts';
import { newId } from '../../src/lib/id.ts';
import { connectDb, type Db } from '../../src/models/db.ts';
import { listAccounts } from '../../src/services/accounts/list-accounts.ts';
import { adPage, listAds } from '../../src/services/ads/list-ads.ts';
import { adTree } from '../../src/services/campaigns/get-ad-tree.ts';
import { campaignPage, listCampaigns } from '../../src/services/campaigns/list-campaigns.ts';
import type { Ctx } from '../../src/services/context.ts';
import { listProfiles } from '../../src/services/profiles/list-profiles.ts';
import { adSetsInCampaigns, adsInAdSets } from '../../src/services/related/lists.ts';
import { createLog } from '../../src/telemetry/log.ts';
import { seedCampaignTrees } from '../support/campaign-trees.ts';
import { monitored, testDatabase, type TestDatabase } from '../support/db.ts';
import { makeCtx, makeServices, type TestServices } from '../support/services.ts';

let services: TestServices;
let database: TestDatabase;
let db: Db;
/** Its user has 10 060 ads, 60 of which are paused. */
let many: Ctx;
/** Its user has 45 campaigns, in groups of three with one name and creation time. */
let few: Ctx;
const replies: { collection: string; documents: Record<string, unknown>[] }[] = [];

interface Reply {
  cursor?: { ns: string; firstBatch: Record<string, unknown>[] };
}

const ads = (input: object = {}) => listAds(many, ListAdsInput.parse(input));
const campaigns = (input: object = {}) => listCampaigns(few, ListCampaignsInput.parse(input));
const adDoc = (userId: string, at: number) => ({
  _id: newId(),
  orderId: newId(),
  userId,
  profileId: newId(),
  accountId: newId(),
  platform: 'network-a',
  name: `Ad ${at}`,
  status: at < 60 ? 'paused' : 'active',
  currency: 'EUR',
  settings: {},
  isExternal: false,
  steps: [{ name: 'ad', state: 'done' }],
  order: { input: {} },
  pendingEvents: [],
  createdAt: new Date(),
  updatedAt: new Date(),
  creativeIndex: 0,
  shape: 'legacy',
  platformAdId: newId(),
});

beforeAll(async () => {
  services = await makeServices();
  database = await testDatabase();
  db = await connectDb(monitored(database.uri), createLog('silent'));
  many = { ...(await makeCtx(services)), db };
  few = { ...(await makeCtx(services)), db };
  await db.ads.collection.insertMany(
    Array.from({ length: 10_060 }, (_, at) => adDoc(many.caller.userId, at)) as never[],
  );
  const owner = { userId: few.caller.userId, profileId: newId(), accountId: newId() };
  await seedCampaignTrees(db, owner, { campaigns: 45, adSets: 1, ads: 1 });
  const all = await db.campaigns.find({ userId: owner.userId }).sort({ createdAt: 1 }).lean();
  for (const [at, { _id }] of all.entries()) {
    const { name, createdAt } = all[at - (at % 3)] ?? {};
    await db.campaigns.collection.updateOne({ _id: _id as never }, { $set: { name, createdAt } });
  }
  db.ads.db.getClient().on('commandSucceeded', ({ reply }: { reply: Reply }) => {
    if (reply.cursor?.firstBatch)
      replies.push({ collection: reply.cursor.ns.split('.')[1] ?? '', documents: reply.cursor.firstBatch });
  });
});
afterEach(() => void vi.restoreAllMocks());
afterAll(async () => {
  await db.close();
  await database.stop();
  await services.stop();
});

/** How many documents the bundled store examined for each query, largest first. */
async function examined(run: () => Promise<unknown>): Promise<number[]> {
  const counts: number[] = [];
  const { find } = Collection.prototype;
  vi.spyOn(Collection.prototype, 'find').mockImplementation(function (this: Collection, ...query) {
    const found = find.apply(this, query);
    counts.push(found.examined);
    return found;
  });
  await run();
  vi.restoreAllMocks();
  return counts.toSorted((one, other) => other - one);
}

describe('the total of a list', () => {
  it('is exact up to 10 000 entries and says when there are more', async () => {
    expect((await ads()).pagination).toMatchObject({ total: 10_000, totalIsExact: false, pages: 500 });
    const active = await ads({ status: 'active', limit: 100 });
    expect(active.pagination).toMatchObject({ total: 10_000, totalIsExact: true, pages: 100 });
    expect((await ads({ status: 'paused' })).pagination).toMatchObject({ total: 60, totalIsExact: true, pages: 3 });
  });

  it.skipIf(process.env['MONGODB_URI'])(
    'examines no entry in the embedded store, which counts by positions',
    async () => {
      expect(await examined(() => ads())).toEqual([21]);
      expect(await examined(() => ads({ status: 'active' }))).toEqual([21]);
    },
  );

  it('is counted only if it is asked for, and not if the page shows the end of the list', async () => {
    replies.length = 0;
    const page = await adPage(many, ListAdsInput.parse({}));
    expect(replies).toHaveLength(1);
    await Promise.all([page.total(), page.total()]);
    expect(replies).toHaveLength(2);
    const { pagination } = await ads({ status: 'paused', page: 2, limit: 40 });
    expect(pagination).toMatchObject({ page: 2, total: 60, totalIsExact: true, nextCursor: null });
    expect(replies).toHaveLength(3);
  });
});

describe('pages by number', () => {
  it('reach the 10 000th entry, and point at the cursor beyond it', async () => {
    expect((await ads({ page: 100, limit: 100 })).ads).toHaveLength(100);
    const message = 'must be at most 100 with limit 100; send pagination.nextCursor as cursor to read on';
    await expect(ads({ page: 101, limit: 100 })).rejects.toMatchObject({
      message: `page: ${message}`,
    });
  });
});

describe('pages by cursor', () => {
  const collect = async (input: object): Promise<string[]> => {
    const ids: string[] = [];
    for (let cursor: string | null = null; ;) {
      const page = await campaigns({ ...input, limit: 7, ...(cursor && { cursor }) });
      expect(page.pagination.page).toBe(cursor === null ? 1 : null);
      ids.push(...page.campaigns.map(({ _id }) => _id));
      cursor = page.pagination.nextCursor;
      if (cursor === null) return ids;
    }
  };

  it.each(['newest', 'oldest', 'name'])(
    'return every entry once, in the order of page numbers, if many have the same sort key: %s',
    async (sort) => {
      const byNumber = (await campaigns({ sort, limit: 100 })).campaigns.map(({ _id }) => _id);
      expect(byNumber).toHaveLength(45);
      expect(await collect({ sort })).toEqual(byNumber);
    },
  );

  it('keep to the dates that are requested', async () => {
    const dates = { fromDate: '2026-01-01T00:06:00Z', toDate: '2026-01-01T00:30:00Z' };
    expect(await collect(dates)).toEqual((await campaigns({ ...dates, limit: 100 })).campaigns.map(({ _id }) => _id));
  });

  it('continue behind the last entry, whatever was inserted in front of it', async () => {
    const first = await ads({ status: 'paused', limit: 30 });
    const inserted = adDoc(many.caller.userId, 0);
    await db.ads.collection.insertOne(inserted as never);
    const second = await ads({ status: 'paused', limit: 30, cursor: first.pagination.nextCursor });
    await db.ads.collection.deleteOne({ _id: inserted._id as never });
    const ids = [...first.ads, ...second.ads].map(({ _id }) => _id);
    expect(new Set(ids).size).toBe(60);
    expect(ids).not.toContain(inserted._id);
    expect(second.pagination).toMatchObject({ total: 61, nextCursor: null });
  });

  it.skipIf(process.env['MONGODB_URI'])('examine as many entries in the middle as at the beginning', async () => {
    const middle = await adPage(many, ListAdsInput.parse({ page: 50, limit: 100 }));
    const cursor = middle.cursorAt(99);
    expect(await examined(() => adPage(many, ListAdsInput.parse({ cursor })))).toEqual([21]);
    for (const sort of ['newest', 'oldest', 'name'] as const) {
      const half = await campaignPage(few, ListCampaignsInput.parse({ sort, limit: 22 }));
      const next = ListCampaignsInput.parse({ sort, limit: 5, cursor: half.cursorAt(21) });
      // Entries with the sort key of the cursor are examined again.
      const [most = 0] = await examined(() => campaignPage(few, next));
      expect(most).toBeLessThanOrEqual(5 + 1 + 3);
    }
  });

  it.skipIf(process.env['MONGODB_URI'])('examine only what they show below a record too', async () => {
    const [adSet] = await db.adSets.find({ userId: few.caller.userId }).limit(1).lean();
    const adSetRef = adSet?._id ?? '';
    const below = Array.from({ length: 200 }, (_, at) => ({ ...adDoc(few.caller.userId, at), adSetRef }));
    await db.ads.collection.insertMany(below as never[]);
    const ofMiddle = adsInAdSets.cursors(few, {}).of({ _id: below[100]?._id ?? '' });
    const page = (part: object) => adsInAdSets.page(few, [adSetRef], { part: { limit: 11, ...part }, filter: {} });
    expect((await page({ after: ofMiddle })).get(adSetRef)?.[0]?.name).toBe('Ad 99');
    expect(await examined(() => page({ after: ofMiddle }))).toEqual([11, 1]);
    const foreign = adSetsInCampaigns.cursors(few, {}).of({ _id: newId(), createdAt: new Date() });
    await expect(page({ after: foreign })).rejects.toMatchObject({ extras: { param: 'after' } });
    await db.ads.deleteMany({ _id: { $in: below.map(({ _id }) => _id) } });
  });

  it('are refused with another order, other filters or another list, naming the parameter', async () => {
    const { nextCursor } = (await campaigns({ limit: 1 })).pagination;
    const foreign = /belongs to a list with other filters or another order/;
    const cursor = nextCursor ?? '';
    for (const other of [{ sort: 'name' }, { sort: 'oldest' }, { status: 'active' }, { source: 'own' }]) {
      await expect(campaigns({ ...other, cursor })).rejects.toThrow(foreign);
      const input = ListCampaignsInput.parse(other);
      await expect(campaignPage(few, { ...input, after: cursor })).rejects.toMatchObject({
        extras: { param: 'after' },
      });
    }
    await expect(ads({ cursor })).rejects.toMatchObject({ extras: { param: 'cursor' } });
  });

  it.each([
    'nonsense',
    Buffer.from('at:5').toString('base64url'),
    Buffer.from('[1]').toString('base64url'),
    Buffer.from('{}').toString('base64url'),
    Buffer.from('["x",{"$gt":""}]').toString('base64url'),
  ])('are refused if they are none of this release: %s', async (cursor) => {
    await expect(campaigns({ cursor })).rejects.toThrow('must be the nextCursor of an earlier page');
  });

  it('are refused if their time was changed to none', async () => {
    const { nextCursor } = (await campaigns({ limit: 1 })).pagination;
    const [mark, id] = JSON.parse(Buffer.from(nextCursor ?? '', 'base64url').toString()) as string[];
    const cursor = Buffer.from(JSON.stringify([mark, id, 9e15])).toString('base64url');
    await expect(campaigns({ cursor })).rejects.toMatchObject({ extras: { param: 'cursor' } });
  });

  it('cannot be combined with a page number', async () => {
    const { nextCursor } = (await campaigns({ limit: 1 })).pagination;
    await expect(campaigns({ page: 1, cursor: nextCursor })).rejects.toMatchObject({
      code: 'mutually_exclusive_fields',
      extras: { param: 'cursor' },
    });
  });
});

describe('what a list reads', () => {
  it('is the fields that it shows: no order, event or token', async () => {
    const token = { encryptedToken: 'encrypted', encryptedRefreshToken: 'encrypted', encryptedAdsToken: 'encrypted' };
    const accountId = newId();
    const { userId } = few.caller;
    await db.accounts.collection.insertOne({
      _id: accountId,
      userId,
      profileId: newId(),
      platform: 'network-a',
      platformAccountId: newId(),
      ...token,
      disconnectedAt: null,
      createdAt: new Date(),
      adAccounts: [],
      scopes: null,
    } as never);
    replies.length = 0;
    await listAccounts(few, ListAccountsInput.parse({}));
    await listProfiles(few, ListProfilesInput.parse({}));
    await adTree(few, ListCampaignsInput.parse({}));
    await ads({ limit: 1 });
    const fields = (collection: string): string[] => [
      ...new Set(
        replies.flatMap((reply) => (reply.collection === collection ? reply.documents : [])).flatMap(Object.keys),
      ),
    ];
    expect(fields('accounts').toSorted()).toEqual(['_id', 'createdAt', 'platform', 'profileId', 'scopes']);
    expect(fields('campaigns')).not.toEqual(expect.arrayContaining(['aggregateVersion']));
    expect(fields('ads').filter((name) => /order|steps|pendingEvents|lease/.test(name))).toEqual([]);
    expect(fields('ads')).toContain('settings');
    expect(fields('profiles')).not.toContain('slot');
    await db.accounts.deleteOne({ _id: accountId });
  });
});
