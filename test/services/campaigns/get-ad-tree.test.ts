import { graphql } from 'graphql';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { AdStatus } from '../../../src/contract/ad.ts';
import { ListCampaignsInput } from '../../../src/contract/campaign.ts';
import { schema } from '../../../src/graphql/schema.ts';
import { newId } from '../../../src/lib/id.ts';
import { createLog } from '../../../src/telemetry/log.ts';
import { connectDb, type Db } from '../../../src/models/db.ts';
import { adTree } from '../../../src/services/campaigns/get-ad-tree.ts';
import { listCampaigns } from '../../../src/services/campaigns/list-campaigns.ts';
import type { Ctx } from '../../../src/services/context.ts';
import { isWork } from '../../support/round-trips.ts';
import { monitored, testDatabase, type TestDatabase } from '../../support/db.ts';
import { seedCampaignTrees, type Owner, type Shape } from '../../support/campaign-trees.ts';
import { fakePlatform } from '../ads/fake-platform.ts';
import { makeCtx, makeServices, type TestServices } from '../../support/services.ts';

let services: TestServices;
let database: TestDatabase;
let db: Db;
let ctx: Ctx;
let owner: Owner;
const commands: string[] = [];

beforeAll(async () => {
  services = await makeServices();
  database = await testDatabase();
  db = await connectDb(monitored(database.uri), createLog('silent'));
  db.ads.db
    .getClient()
    .on(
      'commandStarted',
      ({ commandName }: { commandName: string }) => isWork(commandName) && commands.push(commandName),
    );
});
beforeEach(async () => {
  const platforms = { A: fakePlatform({ now: () => services.clock.now().getTime() }).adapter };
  ctx = { ...(await makeCtx(services)), db, platforms };
  owner = { userId: ctx.caller.userId, profileId: newId(), accountId: newId() };
});
afterAll(async () => {
  await db.close();
  await database.stop();
  await services.stop();
});

const plant = (shape: Partial<Shape> = {}) =>
  seedCampaignTrees(db, owner, { campaigns: 5, adSets: 2, ads: 3, ...shape });
const ask = (input: object = {}) => ListCampaignsInput.parse(input);
const names = async (input: object = {}): Promise<string[]> =>
  (await listCampaigns(ctx, ask(input))).campaigns.map(({ platformCampaignId }) => platformCampaignId);
async function commandsOf<T>(run: () => Promise<T>): Promise<{ value: T; sent: string[] }> {
  commands.length = 0;
  const value = await run();
  return { value, sent: [...commands] };
}

describe('the tree', () => {
  it('shows campaigns with their ad sets and ads, newest first, with counts', async () => {
    await plant();
    const { campaigns, pagination } = await adTree(ctx, ask({ limit: 2 }));
    expect(pagination).toMatchObject({ page: 1, limit: 2, total: 5, totalIsExact: true, pages: 3 });
    expect(campaigns.map(({ name }) => name)).toEqual(['Campaign 00004', 'Campaign 00003']);
    expect(campaigns[0]).toMatchObject({
      status: 'active',
      adSetCount: 2,
      adCount: 6,
      // Figures are those of the campaign itself, which were never read.
      metrics: null,
      adSets: [
        { platformAdSetId: 's4-1', adCount: 3, hasMoreAds: false, ads: [{ name: 'Ad 4-1-2' }, {}, {}] },
        { platformAdSetId: 's4-0' },
      ],
    });
  });

  it('shows at most 100 ads of an ad set and says when there are more', async () => {
    await plant({ campaigns: 1, adSets: 1, ads: 101 });
    const [set] = (await adTree(ctx, ask())).campaigns[0]?.adSets ?? [];
    expect([set?.ads.length, set?.hasMoreAds, set?.adCount]).toEqual([100, true, 101]);
  });

  it('takes as many commands for a hundred campaigns as for one', async () => {
    await plant({ campaigns: 101, adSets: 2, ads: 2 });
    const small = await commandsOf(() => adTree(ctx, ask({ limit: 1 })));
    const large = await commandsOf(() => adTree(ctx, ask({ limit: 100 })));
    expect(large.value.campaigns).toHaveLength(100);
    expect(small.sent.toSorted()).toEqual(['aggregate', 'aggregate', 'aggregate', 'find']);
    expect(large.sent.toSorted()).toEqual(small.sent.toSorted());
  });

  it('reads the currency of older records from the ad accounts, one command a level however many there are', async () => {
    await plant({ campaigns: 20, adSets: 2, ads: 2 });
    const old = { userId: owner.userId };
    for (const model of [db.campaigns, db.adSets, db.ads])
      await (model as Db['ads']).updateMany(old, { $unset: { currency: 1 } });
    await db.campaigns.updateMany(old, { $set: { metrics: { spend: 7, impressions: 600, clicks: 18 } } });
    await db.accounts.create({
      _id: owner.accountId,
      ...owner,
      platform: 'network-a',
      platformAccountId: newId(),
      adAccounts: [{ id: 'act_1', name: 'Main', currency: 'JPY', isActive: true }],
    });
    const small = await commandsOf(() => adTree(ctx, ask({ limit: 1 })));
    const large = await commandsOf(() => adTree(ctx, ask({ limit: 19 })));
    expect(large.sent).toHaveLength(small.sent.length);
    const [campaign] = large.value.campaigns;
    expect(campaign).toMatchObject({
      currency: 'JPY',
      metrics: { currency: 'JPY' },
      adSets: [
        { currency: 'JPY', ads: [{ currency: 'JPY', budget: { currency: 'JPY' }, metrics: { currency: 'JPY' } }, {}] },
        {},
      ],
    });
  });

  it('shows the budgets of each level, and pages of one tree and one list alike', async () => {
    await plant({ adSets: 1 });
    const [shared, own] = [
      { amount: 50, type: 'daily' },
      { amount: 300.5, type: 'lifetime' },
    ];
    await db.campaigns.updateOne({ userId: owner.userId, platformCampaignId: 'c4' }, { $set: { budget: shared } });
    await db.adSets.updateOne({ userId: owner.userId, platformCampaignId: 'c3' }, { $set: { budget: own } });
    const { campaigns } = await adTree(ctx, ask({ limit: 2 }));
    expect(campaigns).toMatchObject([
      { budget: shared, adSets: [{ budget: null }] },
      { budget: null, adSets: [{ budget: own, ads: [{ budget: { amount: 10, type: 'daily' } }, {}, {}] }] },
    ]);
    for (const page of [1, 2, 3, 4]) {
      const tree = await adTree(ctx, ask({ limit: 2, page, sort: 'oldest' }));
      const list = await listCampaigns(ctx, ask({ limit: 2, page, sort: 'oldest' }));
      expect(tree.pagination).toMatchObject({ page, limit: 2, total: 5, pages: 3 });
      expect(tree.pagination).toEqual(list.pagination);
      expect(tree.campaigns.map(({ adSets: _adSets, ...campaign }) => campaign)).toEqual(list.campaigns);
      expect(list.campaigns).toHaveLength([2, 2, 1, 0][page - 1] ?? 0);
    }
  });

  it('is empty for who has nothing, and for a key of other profiles', async () => {
    expect(await adTree(ctx, ask())).toMatchObject({ campaigns: [], pagination: { total: 0 } });
    await plant();
    const restricted = { ...ctx, caller: { ...ctx.caller, scope: 'profiles' as const, profileIds: [newId()] } };
    expect((await adTree(restricted, ask())).campaigns).toEqual([]);
    expect((await adTree(restricted, ask({ profileId: owner.profileId }))).campaigns).toEqual([]);
  });
});

describe('the filters', () => {
  const statusOf = (at: number): AdStatus =>
    (['active', 'paused', 'rejected', 'paused', 'pending_review'] as const)[at] ?? 'active';

  it.each<[object, string[]]>([
    [{}, ['c4', 'c3', 'c2', 'c1', 'c0']],
    [{ sort: 'oldest' }, ['c0', 'c1', 'c2', 'c3', 'c4']],
    [{ sort: 'name', limit: 2, page: 2 }, ['c2', 'c3']],
    [{ status: 'paused' }, ['c3', 'c1']],
    [{ status: 'completed' }, []],
    [{ source: 'own' }, ['c3', 'c1']],
    [{ platform: 'network-a', limit: 1 }, ['c4']],
    [{ platform: 'network-c' }, []],
    [{ adAccountId: '1', limit: 1 }, ['c4']],
    [{ adAccountId: 'act_2' }, []],
    [{ fromDate: '2026-01-01T00:03:00Z' }, ['c4', 'c3']],
    [{ toDate: '2026-01-01T01:01:00+01:00' }, ['c1', 'c0']],
    [{ accountId: 'f'.repeat(24) }, []],
  ])('%j', async (input, expected) => {
    await plant({ statusOf });
    expect(await names(input)).toEqual(expected);
  });

  it('keep to the account and profile that are named', async () => {
    await plant();
    const { accountId, profileId } = owner;
    owner = { ...owner, accountId: newId(), profileId: newId() };
    await plant({ campaigns: 1 });
    expect([await names({ accountId }), await names({ profileId })].map(({ length }) => length)).toEqual([5, 5]);
    expect(await names()).toHaveLength(6);
  });
});

describe('the tree through GraphQL', () => {
  const run = async (query: string) => {
    const contextValue = { ...ctx, maxCost: 100_000, setHeader: () => {} };
    const { data, errors } = await graphql({ schema, source: query, contextValue });
    expect(errors).toBeUndefined();
    // biome-ignore lint: answers are read freely in expectations
    return JSON.parse(JSON.stringify(data)) as any;
  };
  const wholeTree = (first: number) =>
    `{ adTree(first: ${first}) { totalCount nodes { platformCampaignId adSets(first: 2) { totalCount nodes { id ads(first: 2) { totalCount pageInfo { hasNextPage } nodes { id name } } } } } } }`;

  it('asks the store once for each level, whatever the page', async () => {
    await plant({ campaigns: 61 });
    const small = await commandsOf(() => run(wholeTree(1)));
    const large = await commandsOf(() => run(wholeTree(60)));
    expect(large.value.adTree.nodes).toHaveLength(60);
    expect(large.value.adTree.nodes[59].adSets).toMatchObject({
      totalCount: 2,
      nodes: [{ ads: { totalCount: 3, pageInfo: { hasNextPage: true }, nodes: [{ name: 'Ad 1-1-2' }, {}] } }, {}],
    });
    expect(small.sent).toHaveLength(4);
    expect(large.sent).toEqual(small.sent);
  });

  it('asks no more for the edges of each level beside its nodes', async () => {
    await plant({ campaigns: 30 });
    const part = (inner: string) => `edges { cursor node { ${inner} } } nodes { ${inner} }`;
    const query = (first: number) =>
      `{ adTree(first: ${first}) { ${part(`adSets { ${part('ads { edges { node { id } } }')} }`)} } }`;
    const small = await commandsOf(() => run(query(1)));
    const large = await commandsOf(() => run(query(30)));
    expect(large.value.adTree.edges).toHaveLength(30);
    expect(small.sent).toHaveLength(3);
    expect(large.sent).toEqual(small.sent);
  });

  it('pages through campaigns and their ad sets by cursor, with filters and the order that was asked for', async () => {
    await plant({ campaigns: 3, adSets: 3, ads: 0 });
    const [sets, seen]: [string[], string[]] = [[], []];
    let after = '';
    for (let more = true; more;) {
      const { adTree: page } = await run(
        `{ adTree(first: 2, sort: OLDEST, accountId: "${owner.accountId}"${after}) { nodes { name adSets(first: 2) { nodes { name } pageInfo { endCursor hasNextPage } } } pageInfo { endCursor hasNextPage hasPreviousPage } } }`,
      );
      expect(page.pageInfo.hasPreviousPage).toBe(after !== '');
      seen.push(...page.nodes.map(({ name }: { name: string }) => name));
      sets.push(...page.nodes[0].adSets.nodes.map(({ name }: { name: string }) => name));
      expect(page.nodes[0].adSets.pageInfo.hasNextPage).toBe(true);
      after = `, after: "${page.pageInfo.endCursor}"`;
      more = page.pageInfo.hasNextPage;
    }
    expect(seen).toEqual(['Campaign 00000', 'Campaign 00001', 'Campaign 00002']);
    expect(sets).toEqual(['Set 2', 'Set 1', 'Set 2', 'Set 1']);
    const setsAfter = async (cursor?: string) =>
      (
        await run(
          `{ adTree(first: 1) { nodes { adSets(first: 2${cursor ? `, after: "${cursor}"` : ''}) { nodes { name } pageInfo { endCursor hasNextPage hasPreviousPage } } } } }`,
        )
      ).adTree.nodes[0].adSets;
    const { pageInfo } = await setsAfter();
    expect(await setsAfter(pageInfo.endCursor)).toMatchObject({
      nodes: [{ name: 'Set 0' }],
      pageInfo: { hasNextPage: false, hasPreviousPage: true },
    });
  });

  it('pages through each level by cursor', async () => {
    await plant({ campaigns: 1, adSets: 1, ads: 3 });
    const page = (after: string) =>
      run(
        `{ campaigns { nodes { adSets { nodes { ads(first: 2${after}) { nodes { name } pageInfo { endCursor hasNextPage } } } } } } }`,
      );
    const adsIn = (data: Awaited<ReturnType<typeof run>>) => data.campaigns.nodes[0].adSets.nodes[0].ads;
    const first = adsIn(await page(''));
    await db.ads.create({
      ...(await db.ads.findOne({ userId: owner.userId }).lean()),
      _id: 'f'.repeat(24),
      orderId: newId(),
      platformAdId: newId(),
    });
    const second = adsIn(await page(`, after: "${first.pageInfo.endCursor}"`));
    expect([...first.nodes, ...second.nodes].map(({ name }) => name)).toEqual(['Ad 0-0-2', 'Ad 0-0-1', 'Ad 0-0-0']);
    expect([first.pageInfo.hasNextPage, second.pageInfo.hasNextPage]).toEqual([true, false]);
  });
});
