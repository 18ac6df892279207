import { isNonNullType, isObjectType, getNamedType, type GraphQLOutputType } from 'graphql';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { schema } from '../../src/graphql/schema.ts';
import { newId } from '../../src/lib/id.ts';
import { operations } from '../../src/operations/index.ts';
import { saveAccount } from '../../src/services/accounts/save-account.ts';
import { isWork } from '../support/round-trips.ts';
import { startTestApp, type TestApp } from '../support/app.ts';
import { seedCampaignTrees } from '../support/campaign-trees.ts';
import { monitored, testDatabase, type TestDatabase } from '../support/db.ts';
import { fieldsOf } from '../support/graphql-requests.ts';
import { inOneMinute } from '../support/one-minute.ts';
import { createUserFixture, goodAd, type UserFixture } from '../support/user-fixture.ts';

interface Command {
  commandName: string;
  command: Record<string, unknown>;
}

let app: TestApp;
let database: TestDatabase;
const commands: string[] = [];

beforeAll(async () => {
  database = await testDatabase();
  app = await startTestApp({ ROLE: 'api', MONGODB_URI: monitored(database.uri) });
  app.app.services.db.users.db.getClient().on('commandStarted', ({ commandName, command }: Command) => {
    if (isWork(commandName)) commands.push(`${commandName} ${String(command[commandName])}`);
  });
});
afterAll(async () => {
  await app.stop();
  await database.stop();
});

/** A user with profiles of one account, campaign, ad set and ad each. */
async function userWithProfiles(count: number): Promise<UserFixture> {
  const fixture = await createUserFixture(app);
  const { db } = app.app.services;
  const { userId } = fixture;
  await db.accounts.deleteMany({ userId });
  await db.profiles.deleteMany({ userId });
  for (let slot = 0; slot < count; slot += 1) {
    const profile = await db.profiles.create({ userId, name: `Profile ${slot}`, slot });
    const connection = { platformAccountId: `p${slot}`, username: 'a', displayName: 'A', token: 't' };
    const account = await saveAccount(app.app.services, {
      userId,
      profileId: profile._id,
      platform: 'network-a',
      ...connection,
    } as never);
    const adAccounts = [{ id: 'act_1', name: 'Main', currency: 'EUR', timezone: 'Europe/Oslo', isActive: true }];
    await db.accounts.updateOne({ _id: account._id }, { $set: { adAccounts, adAccountsAt: new Date() } });
    const owner = { userId, profileId: profile._id, accountId: account._id };
    await seedCampaignTrees(db, owner, { campaigns: 1, adSets: 1, ads: 1 });
  }
  return fixture;
}

/** The answer of a query and the commands that it sent to the collections of the graph. */
async function counted(query: string, key: string): Promise<{ data: any; sent: string[] }> {
  await app.graphql('{ viewer { user { id } } }', {}, { key });
  commands.length = 0;
  const { body } = await app.graphql(query, {}, { key });
  expect(body.errors).toBeUndefined();
  const own = /^(find|aggregate) (profiles|accounts|campaigns|ad_sets|ads|campaign_discoveries)$/;
  return { data: body.data, sent: commands.filter((command) => own.test(command)).toSorted() };
}

describe('a query of five levels with 50 records on each', () => {
  let fixture: UserFixture;
  beforeAll(async () => {
    fixture = await userWithProfiles(50);
  });

  it('sends one database command for each level, and fits into the default depth and cost', async () => {
    const { data, sent } = await counted(
      `{ profiles(first: 50) { nodes { accounts(first: 1) { nodes { campaigns(first: 1) { nodes {
        adSets(first: 1) { nodes { ads(first: 1) { nodes { name } } } } } } } } } } }`,
      fixture.key,
    );
    const ads = data.profiles.nodes.flatMap(({ accounts }: any) =>
      accounts.nodes.flatMap(({ campaigns }: any) =>
        campaigns.nodes.flatMap(({ adSets }: any) => adSets.nodes.flatMap((adSet: any) => adSet.ads.nodes)),
      ),
    );
    expect(ads).toHaveLength(50);
    const lists = ['aggregate accounts', 'aggregate ad_sets', 'aggregate campaigns', 'aggregate profiles'];
    expect(sent).toEqual([...lists, 'find profiles'].toSorted());
  });

  it('sends one database command for each type of record that the records of a level belong to', async () => {
    const { data, sent } = await counted(
      `{ ads(first: 50) { nodes { account { health { status } discovery { status } linkedAccounts { id } }
        profile { name } campaign { name account { id } } adSet { campaign { name } } adAccount { timeZone } } } }`,
      fixture.key,
    );
    expect(data.ads.nodes).toHaveLength(50);
    for (const ad of data.ads.nodes) {
      expect(ad).toMatchObject({
        account: { health: { status: expect.any(String) }, linkedAccounts: [] },
        profile: { name: expect.stringMatching(/^Profile/) },
        campaign: { account: { id: expect.any(String) } },
        adSet: { campaign: { name: expect.any(String) } },
        adAccount: { timeZone: 'Europe/Oslo' },
      });
    }
    const ofAds = ['find ads', 'find ad_sets', 'find campaigns', 'find profiles'];
    const accounts = Array<string>(5).fill('find accounts');
    expect(sent).toEqual([...ofAds, 'find campaigns', ...accounts, 'find campaign_discoveries'].toSorted());
  });

  it('counts the entries of lists below records with one command, and only if they are asked for', async () => {
    const { data, sent } = await counted(
      '{ profiles(first: 50) { nodes { ads(first: 1) { totalCount pageInfo { hasNextPage } } } } }',
      fixture.key,
    );
    expect(data.profiles.nodes[7].ads).toEqual({ totalCount: 1, pageInfo: { hasNextPage: false } });
    expect(sent.filter((command) => command === 'aggregate profiles')).toHaveLength(2);
  });

  it('is rejected if it calls a platform for each of them', async () => {
    const query = '{ profiles(first: 50) { nodes { accounts(first: 1) { nodes { adAccounts { id } } } } } }';
    const { body } = await app.graphql(query, {}, { key: fixture.key });
    expect(body.errors[0].extensions.code).toBe('query_too_costly');
  });
});

describe('a relation', () => {
  let fixture: UserFixture;
  let ad: Record<string, string>;
  beforeEach(async () => {
    fixture = await createUserFixture(app);
    ad = (await app.call('POST', '/v1/ads/create', { key: fixture.key, body: goodAd(fixture) })).body.ad;
  });
  const ask = async (query: string, key = fixture.key) => (await app.graphql(query, {}, { key })).body;

  it('is null without an error if the key cannot access the record', async () => {
    const { db } = app.app.services;
    const other = await db.profiles.create({ userId: fixture.userId, name: 'Other', slot: 7 });
    await db.accounts.updateOne({ _id: fixture.accountId }, { $set: { profileId: other._id } });
    const query = `{ ad(adId: "${ad['_id']}") { profile { id } account { id } adAccount { id } campaign { name account { id } } } }`;
    const { key } = await fixture.keyWith({ scope: 'profiles', profileIds: [fixture.profileId] });
    const hidden = { account: null, adAccount: null, campaign: { name: 'Spring sale', account: null } };
    expect(await ask(query, key)).toEqual({ data: { ad: { profile: { id: fixture.profileId }, ...hidden } } });
    expect((await ask(query)).data.ad.account).toEqual({ id: fixture.accountId });
  });

  it('leaves out of a list what the key cannot access', async () => {
    const { db } = app.app.services;
    const { key } = await fixture.keyWith({ scope: 'profiles', profileIds: [fixture.profileId, newId()] });
    expect((await ask('{ viewer { key { profiles { id } } } }', key)).data.viewer.key.profiles).toEqual([
      { id: fixture.profileId },
    ]);
    const other = await db.profiles.create({ userId: fixture.userId, name: 'Other', slot: 7 });
    await db.ads.updateOne({ _id: ad['_id'] }, { $set: { profileId: other._id } });
    const query = `{ account(accountId: "${fixture.accountId}") {
      ads { totalCount nodes { id } } campaigns { nodes { ads { totalCount nodes { id } } } } } }`;
    const none = { totalCount: 0, nodes: [] };
    const one = { totalCount: 1, nodes: [{ id: ad['_id'] }] };
    expect((await ask(query, key)).data.account).toEqual({ ads: none, campaigns: { nodes: [{ ads: none }] } });
    expect((await ask(query)).data.account).toEqual({ ads: one, campaigns: { nodes: [{ ads: one }] } });
  });

  it('pages and filters lists below a record', async () => {
    const names = ['Second', 'Third'];
    for (const name of names)
      await app.call('POST', '/v1/ads/create', { key: fixture.key, body: { ...goodAd(fixture), name } });
    const page = (args: string) =>
      `{ profiles { nodes { campaigns(${args}) { totalCount nodes { name } pageInfo { hasNextPage hasPreviousPage endCursor } } } } }`;
    const first = (await ask(page('first: 2'))).data.profiles.nodes[0].campaigns;
    expect(first).toMatchObject({
      totalCount: 3,
      nodes: [{ name: 'Third' }, { name: 'Second' }],
      pageInfo: { hasNextPage: true, hasPreviousPage: false },
    });
    const second = (await ask(page(`first: 2, after: "${first.pageInfo.endCursor}"`))).data.profiles.nodes[0].campaigns;
    expect(second).toMatchObject({ nodes: [{ name: 'Spring sale' }], pageInfo: { hasNextPage: false } });
    const paused = (await ask(page('status: PAUSED'))).data.profiles.nodes[0].campaigns;
    expect(paused).toMatchObject({ totalCount: 0, nodes: [] });
    expect((await ask(page('first: 0'))).errors[0].extensions).toMatchObject({ param: 'first' });
  });

  it('lists the campaigns of an ad account and the copies of a campaign', async () => {
    const [campaign] = (await app.call('GET', '/v1/ads/campaigns', { key: fixture.key })).body.campaigns;
    const mutation = `mutation { duplicateCampaign(campaignId: "${campaign.platformCampaignId}", input: { platform: NETWORK_A, syncAfter: false }) {
      copiedCampaignId campaign { platformCampaignId } duplication { source { id } copy { platformCampaignId } } } }`;
    const { duplicateCampaign: made } = (await ask(mutation)).data;
    const copy = { platformCampaignId: made.copiedCampaignId };
    expect(made).toMatchObject({ campaign: copy, duplication: { source: { id: campaign._id }, copy } });
    const query = `{ campaigns(sort: OLDEST) { nodes { duplications { totalCount nodes { copy { platformCampaignId } } } } }
      account(accountId: "${fixture.accountId}") { adAccounts { currency campaigns { totalCount nodes { platformCampaignId } } } } }`;
    const { campaigns, account } = (await ask(query)).data;
    const lists = campaigns.nodes.map(({ duplications }: any) => duplications);
    expect(lists).toContainEqual({ totalCount: 1, nodes: [{ copy }] });
    expect(lists).toContainEqual({ totalCount: 0, nodes: [] });
    const [usd, eur] = account.adAccounts;
    expect(usd).toMatchObject({ currency: 'USD', campaigns: { totalCount: 2 } });
    expect(usd.campaigns.nodes).toContainEqual(copy);
    expect(eur.campaigns).toEqual({ totalCount: 0, nodes: [] });
  });

  it('counts the units of a platform call, and nulls only its own field if the call fails', async () => {
    const query = `{ account(accountId: "${fixture.accountId}") { username adAccounts { id } listingLocations { id } } }`;
    const works = await app.graphql(query, {}, { key: fixture.key });
    expect(works.body.data.account).toMatchObject({ adAccounts: [{}, {}, {}], listingLocations: null });
    const stale = { $set: { needsReconnect: true, adAccountsAt: null } };
    await app.app.services.db.accounts.updateOne({ _id: fixture.accountId }, stale);
    const fails = await app.graphql(query, {}, { key: fixture.key });
    expect(fails.body.data.account).toMatchObject({ username: expect.any(String), adAccounts: null });
    expect(fails.body.errors).toHaveLength(1);
    expect(fails.body.errors[0]).toMatchObject({
      path: ['account', 'adAccounts'],
      extensions: { code: 'platform_token_expired' },
    });
    const remaining = async (text: string): Promise<number> =>
      Number((await app.graphql(text, {}, { key: fixture.key })).headers.get('x-ratelimit-remaining'));
    const viewer = '{ viewer { user { id } } }';
    const [before, , after] = await inOneMinute(async (): Promise<[number, number, number]> => [
      await remaining(viewer),
      await remaining(query),
      await remaining(viewer),
    ]);
    expect(after).toBe(before - 1 - 2 - 1);
  });

  it('gives the campaign whose status a mutation sets', async () => {
    const mutation = `mutation { setCampaignStatus(campaignId: "${ad['platformCampaignId']}", input: { platform: NETWORK_A, status: PAUSED }) {
      account { id } campaign { status account { profile { id } } } } }`;
    expect((await ask(mutation)).data.setCampaignStatus).toEqual({
      account: { id: fixture.accountId },
      campaign: { status: 'PAUSED', account: { profile: { id: fixture.profileId } } },
    });
  });

  it('is not below anything that a connect token can select', () => {
    const seen = new Set<string>();
    const walk = (type: GraphQLOutputType): void => {
      const object = getNamedType(type);
      if (!isObjectType(object) || seen.has(object.name)) return;
      seen.add(object.name);
      for (const field of Object.values(object.getFields())) walk(field.type);
    };
    const connecting = operations.filter(({ connects }) => connects).map(({ name }) => name);
    const roots = [...fieldsOf(schema.getQueryType()), ...fieldsOf(schema.getMutationType())];
    for (const field of roots.filter(({ name }) => connecting.includes(name))) walk(field.type);
    expect(seen).toContain('ConnectedAccount');
    expect([...seen].filter((name) => ['Account', 'Profile', 'Campaign', 'Ad', 'Webhook'].includes(name))).toEqual([]);
  });
});

describe('null for an optional argument', () => {
  const withoutRequired = fieldsOf(schema.getQueryType()).filter(
    ({ args }) => args.length > 0 && !args.some(({ type }) => isNonNullType(type)),
  );

  it.each(withoutRequired)('is the same as leaving it out: $name', async ({ name, args }) => {
    const { key } = await createUserFixture(app);
    const nulls = args.map((argument) => `${argument.name}: null`).join(', ');
    const answer = await app.graphql(`{ ${name}(${nulls}) { __typename } }`, {}, { key });
    expect(answer.body.errors).toBeUndefined();
  });

  it('means the default for a variable that is null', async () => {
    const { key } = await createUserFixture(app);
    const query = 'query ($first: Int, $after: String) { ads(first: $first, after: $after) { totalCount } }';
    expect((await app.graphql(query, { first: null, after: null }, { key })).body).toEqual({
      data: { ads: { totalCount: 0 } },
    });
  });
});
