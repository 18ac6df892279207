import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startProcess, type ServiceProcess } from '../support/process.ts';
import { startTestApp, type TestApp } from '../support/app.ts';
import { goodAd, createUserFixture, type UserFixture } from '../support/user-fixture.ts';

let app: TestApp;
/** A second process that serves only the APIs: what it shows comes from the workers of the first. */
let api: ServiceProcess;
let fixture: UserFixture;

beforeAll(async () => {
  app = await startTestApp({ SWEEP_INTERVAL_SECONDS: '0.2' });
  api = await startProcess({ ...app.env, ROLE: 'api' });
  fixture = await createUserFixture(app);
});
afterAll(async () => {
  await api.end('SIGTERM');
  await app.stop();
});

const path = (accountId = fixture.accountId) => `/v1/accounts/${accountId}/ads/sync`;
const gone = 'f'.repeat(24);
const state = async () => (await app.call('GET', path(), { key: fixture.key })).body.discovery;
const completed = () => expect.poll(async () => (await state()).status).toBe('completed');
const query = '{ campaignDiscovery(accountId: "ID") { accountId status ads error } }';

/** The events of a subscription until it ends. */
async function watch(
  url: string,
  accountId: string,
  key = fixture.key,
): Promise<{ status: number; events: unknown[] }> {
  const response = await fetch(`${url}/graphql`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json', Accept: 'text/event-stream' },
    body: JSON.stringify({
      query: 'subscription ($id: ID!) { discoveryProgress(accountId: $id) { status ads adAccounts } }',
      variables: { id: accountId },
    }),
  });
  const lines = (await response.text()).split('\n').filter((line) => line.startsWith('data: {'));
  return { status: response.status, events: lines.map((line) => JSON.parse(line.slice(6))) };
}

describe('the discovery of an account', () => {
  it('is null before the first through both APIs', async () => {
    expect(await app.call('GET', path(), { key: fixture.key })).toMatchObject({
      status: 200,
      body: { discovery: null },
    });
    const { body } = await app.graphql(query.replace('ID', fixture.accountId), {}, { key: fixture.key });
    expect(body).toEqual({ data: { campaignDiscovery: null } });
  });

  it('is queued by REST and read from the platform by a worker', async () => {
    await app.call('POST', '/v1/ads/create', { key: fixture.key, body: goodAd(fixture) });
    const answer = await api.call('POST', path(), { key: fixture.key });
    expect(answer).toMatchObject({
      status: 202,
      body: { discovery: { accountId: fixture.accountId, status: 'queued' } },
    });
    await completed();
    expect(await state()).toMatchObject({ adAccounts: 3, campaigns: 1, adSets: 1, ads: 1, failures: [], error: null });
  });

  it('is queued by GraphQL too', async () => {
    const mutation = `mutation { discoverCampaigns(accountId: "${fixture.accountId}") { message discovery { status runAgain } } }`;
    const { body } = await app.graphql(mutation, {}, { key: fixture.key });
    expect(body.data.discoverCampaigns).toMatchObject({ message: 'Discovery queued', discovery: { status: 'QUEUED' } });
    await completed();
  });

  it('brings in what another owner of the same ad account made, through both APIs', async () => {
    const other = await createUserFixture(app, { connection: { token: fixture.token, pageId: fixture.pageId } });
    await app.call('POST', path(other.accountId), { key: other.key });
    const tree = async () => (await app.call('GET', '/v1/ads/tree', { key: other.key })).body;
    await expect
      .poll(async () => {
        const [campaign] = (await tree()).campaigns;
        // The sums follow the ads.
        return [campaign?.adCount, campaign?.adSets[0]?.ads[0]?.status];
      })
      .toEqual([1, 'active']);
    const { campaigns } = await tree();
    expect(campaigns).toMatchObject([
      { isExternal: true, adCount: 1, adSets: [{ ads: [{ isExternal: true, accountId: other.accountId }] }] },
    ]);
    const answer = await app.graphql(
      '{ adTree(first: 5, status: ACTIVE) { totalCount nodes { id adSets { nodes { id ads { nodes { id status } } } } } } campaigns(source: OWN) { totalCount } }',
      {},
      { key: other.key },
    );
    expect(answer.body.data).toMatchObject({
      adTree: {
        totalCount: 1,
        nodes: [
          {
            id: campaigns[0]._id,
            adSets: { nodes: [{ ads: { nodes: [{ id: campaigns[0].adSets[0].ads[0]._id, status: 'ACTIVE' }] } }] },
          },
        ],
      },
      campaigns: { totalCount: 0 },
    });
  });

  it('lists an object that cannot be parsed and reads the others, through both APIs', async () => {
    const owner = await createUserFixture(app);
    const seed = (campaigns: object[]) =>
      fetch(`${app.sandbox.url}/control/network-a/campaigns`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ adAccountId: owner.adAccountIds.usd, campaigns }),
      }).then(async (response) => (await response.json()) as { campaigns: { adsets: { id: string }[] }[] });
    const made = await seed([
      { name: 'Good', adsets: [{ name: 'good', ads: [{ name: 'good' }] }] },
      { name: 'Odd', adsets: [{ name: 'odd', fields: { daily_budget: null }, ads: [{ name: 'odd' }] }] },
    ]);
    await app.call('POST', path(owner.accountId), { key: owner.key });
    const read = async () => (await app.call('GET', path(owner.accountId), { key: owner.key })).body.discovery;
    await expect.poll(async () => (await read()).status).toBe('completed');
    const problem = {
      adAccountId: owner.adAccountIds.usd,
      platformId: made.campaigns[1]?.adsets[0]?.id,
      field: 'daily_budget',
      message: expect.stringContaining('null'),
    };
    expect(await read()).toMatchObject({
      ads: 2,
      failures: [],
      problemCount: 1,
      problems: [{ objectType: 'ad_set', ...problem }],
    });
    const text =
      '{ campaignDiscovery(accountId: "ID") { problemCount problems { adAccountId objectType platformId field message } } }';
    const { body } = await app.graphql(text.replace('ID', owner.accountId), {}, { key: owner.key });
    expect(body.data.campaignDiscovery).toEqual({ problemCount: 1, problems: [{ objectType: 'AD_SET', ...problem }] });
  });

  it('reads the list of ad accounts first, which callers can also refresh', async () => {
    const owner = await createUserFixture(app);
    const { services } = app.app;
    const list = async (query: string): Promise<{ id: string; status: string }[]> =>
      (await app.call('GET', `/v1/ads/accounts?accountId=${owner.accountId}${query}`, { key: owner.key })).body
        .accounts;
    const [first] = await list('');
    expect(first).toMatchObject({ isActive: true, status: 'ACTIVE', statusReason: null });
    const close = (state: object) =>
      fetch(`${app.sandbox.url}/control/network-a/accounts/${first?.id}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(state),
      });
    const age = () =>
      services.db.accounts.updateOne(
        { _id: owner.accountId },
        { $set: { adAccountsAt: new Date(Date.now() - 60_000) } },
      );
    await close({ account_status: 2, disable_reason: 3 });
    await age();
    expect((await list('&refresh=false'))[0]).toMatchObject({ status: 'ACTIVE' });
    expect((await list('&refresh=true'))[0]).toMatchObject({
      isActive: false,
      status: 'DISABLED',
      statusReason: 'RISK_PAYMENT',
    });
    await close({ account_status: 1, disable_reason: 0 });
    expect((await list('&refresh=true'))[0]).toMatchObject({ status: 'DISABLED' });
    await age();
    const text = '{ adAccounts(accountId: "ID", refresh: true) { id isActive status statusReason } }';
    const { body } = await app.graphql(text.replace('ID', owner.accountId), {}, { key: owner.key });
    expect(body.data.adAccounts[0]).toEqual({ id: first?.id, isActive: true, status: 'ACTIVE', statusReason: null });
    expect(
      await app.call('GET', `/v1/ads/accounts?accountId=${owner.accountId}&refresh=maybe`, { key: owner.key }),
    ).toMatchObject({ status: 400, body: { code: 'invalid_field_value', param: 'refresh' } });
  });

  it.each([['POST'], ['GET']])('404: an account out of reach, by %s', async (method) => {
    const foreign = await createUserFixture(app);
    for (const accountId of [gone, foreign.accountId]) {
      expect(await app.call(method, path(accountId), { key: fixture.key })).toMatchObject({
        status: 404,
        body: { code: 'account_not_found', param: 'accountId' },
      });
    }
  });

  it('422: an account without ads', async () => {
    const listing = await createUserFixture(app, { platform: 'listing', connection: { adsConnected: false } });
    expect(await app.call('POST', path(listing.accountId), { key: listing.key })).toMatchObject({
      status: 422,
      body: { code: 'linked_account_required' },
    });
  });

  it('403: a key that may only read', async () => {
    const { key } = await fixture.keyWith({ permission: 'read' });
    expect((await app.call('POST', path(), { key })).status).toBe(403);
    expect((await app.call('GET', path(), { key })).status).toBe(200);
  });

  it('401: a connection that was cut off', async () => {
    const cut = await createUserFixture(app);
    await app.app.services.db.accounts.updateOne({ _id: cut.accountId }, { $set: { needsReconnect: true } });
    expect(await app.call('POST', path(cut.accountId), { key: cut.key })).toMatchObject({
      status: 401,
      body: { code: 'platform_token_expired' },
    });
  });
});

describe('watching a discovery', () => {
  it('shows in one process what a worker of another does, until it is over', async () => {
    await app.call('POST', path(), { key: fixture.key });
    const { events } = await watch(api.url, fixture.accountId);
    expect(events.at(-1)).toMatchObject({
      data: { discoveryProgress: { status: 'COMPLETED', adAccounts: 3, ads: 1 } },
    });
  });

  it('sends the result to a subscriber that connects late or reconnects', async () => {
    const { events } = await watch(api.url, fixture.accountId);
    expect(events).toMatchObject([{ data: { discoveryProgress: { status: 'COMPLETED' } } }]);
  });

  it('ends soon after its key was revoked in another process', async () => {
    const slow = await createUserFixture(app);
    const { db } = app.app.services;
    const { userId, profileId, accountId } = slow;
    const lease = { token: 'r', until: new Date(Date.now() + 600_000) };
    await db.campaignDiscoveries.create({ _id: accountId, userId, profileId, state: 'running', lease });
    const { id, key } = await slow.keyWith({ permission: 'read' });
    const stream = watch(api.url, accountId, key);
    await app.call('DELETE', `/v1/api-keys/${id}`, { key: slow.key });
    const { events } = await stream;
    expect(events.length).toBeLessThanOrEqual(1);
  });

  it('404: an account out of reach, and 400 for an id that is none', async () => {
    const foreign = await createUserFixture(app);
    for (const accountId of [gone, foreign.accountId]) {
      expect((await watch(app.url, accountId)).events).toMatchObject([
        { errors: [{ extensions: { code: 'account_not_found' } }] },
      ]);
    }
    expect((await watch(app.url, 'nope')).events).toMatchObject([
      { errors: [{ extensions: { code: 'invalid_field_value', param: 'accountId' } }] },
    ]);
  });
});

describe('the tree and the list of campaigns by REST', () => {
  const get = (query: string) => app.call('GET', query, { key: fixture.key });

  it('have the same campaigns, with and without what is below them', async () => {
    const [tree, list] = [await get('/v1/ads/tree'), await get('/v1/ads/campaigns')];
    expect(tree.body.campaigns[0]).toMatchObject(list.body.campaigns[0]);
    expect(list.body.campaigns[0]).not.toHaveProperty('adSets');
    expect(tree.body.pagination).toEqual({
      page: 1,
      limit: 20,
      total: 1,
      totalIsExact: true,
      pages: 1,
      nextCursor: null,
    });
  });

  it.each([
    ['limit=101', 'limit'],
    ['status=asleep', 'status'],
    ['fromDate=yesterday', 'fromDate'],
    ['source=mine', 'source'],
    ['sort=price', 'sort'],
    ['colour=red', 'colour'],
  ])('400: %s', async (filter, param) => {
    expect(await get(`/v1/ads/tree?${filter}`)).toMatchObject({ status: 400, body: { param } });
    expect(await get(`/v1/ads/campaigns?${filter}`)).toMatchObject({ status: 400, body: { param } });
  });
});
