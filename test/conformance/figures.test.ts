import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestApp, type Answer, type TestApp } from '../support/app.ts';
import type { UserFixture } from '../support/user-fixture.ts';
import { discovered, goodAdOf, subjects, fixtureOf, type Subject } from './platforms.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp();
});
afterAll(() => app.stop());

type Body = Record<string, unknown>;

async function send(method: string, path: string, headers: Record<string, string>, json?: unknown): Promise<void> {
  const response = await fetch(`${app.sandbox.url}/${path}`, {
    method,
    headers: { ...(json !== undefined && { 'content-type': 'application/json' }), ...headers },
    ...(json !== undefined && { body: JSON.stringify(json) }),
  });
  if (!response.ok) throw new Error(`${response.status} ${await response.text()}`);
}
const bearer = ({ connection }: UserFixture) => ({ authorization: `Bearer ${connection.accessToken}` });

/** How the owner of an ad deletes or archives it at the platform. */
const removeAd: Partial<Record<Subject['platform'], (fixture: UserFixture, ad: Answer['body']) => Promise<void>>> = {
  A: (fixture, { platformAdId }) => send('DELETE', `network-a/v26.0/${platformAdId}`, bearer(fixture)),
  B: (fixture, { platformAdId }) => {
    const customer = fixture.adAccountIds.usd;
    const headers = { ...bearer(fixture), 'developer-token': 'sandbox-developer-token', 'login-customer-id': customer };
    const operation = { adGroupAdOperation: { remove: `customers/${customer}/adGroupAds/${platformAdId}` } };
    return send('POST', `search-display/v25/customers/${customer}/googleAds:mutate`, headers, {
      mutateOperations: [operation],
    });
  },
  C: (fixture, { platformAdId }) =>
    send('PATCH', `pin-board/v5/ad_accounts/${fixture.adAccountIds.usd}/ads`, bearer(fixture), [
      { id: platformAdId, status: 'ARCHIVED' },
    ]),
  D: (fixture, { platformAdId }) =>
    send(
      'POST',
      'network-c/open_api/v1.3/ad/status/update/',
      { 'access-token': fixture.connection.accessToken },
      {
        advertiser_id: fixture.adAccountIds.usd,
        ad_ids: [platformAdId],
        operation_status: 'DELETE',
      },
    ),
  F: (fixture, { platformAdId }) =>
    send(
      'POST',
      `professional/rest/adAccounts/${fixture.adAccountIds.usd}/creatives/${encodeURIComponent(String(platformAdId))}`,
      {
        ...bearer(fixture),
        'linkedin-version': '202606',
        'x-restli-protocol-version': '2.0.0',
        'x-restli-method': 'PARTIAL_UPDATE',
      },
      { patch: { $set: { intendedStatus: 'ARCHIVED' } } },
    ),
};

/** Figures that an ad keeps when it is deleted, where the platform in miniature gives them to running ads only. */
const fixFigures: Partial<Record<Subject['platform'], (fixture: UserFixture, ad: Answer['body']) => Promise<void>>> = {
  D: (_user, { platformAdId }) =>
    send('POST', 'control/network-c/metrics', {}, { adId: platformAdId, impressions: 1000, clicks: 100, spend: 10 }),
};

const treeOf = async ({ key }: UserFixture): Promise<Answer['body']> =>
  (await app.call('GET', '/v1/ads/tree', { key })).body.campaigns;

describe.each(subjects.filter(({ platform }) => removeAd[platform]))('platform $platform', (subject) => {
  it('returns metrics of campaigns and ad sets that include deleted ads', async () => {
    const owner = await fixtureOf(app, subject);
    const { ad } = (await app.call('POST', '/v1/ads/create', { key: owner.key, body: goodAdOf(app, subject, owner) }))
      .body;
    expect((await treeOf(owner))[0]).toMatchObject({ metrics: null, adSets: [{ metrics: null }] });
    await fixFigures[subject.platform]?.(owner, ad);
    await discovered(app, owner);
    const [before] = await treeOf(owner);
    expect(before.metrics.spend).toBeGreaterThan(0);
    expect(before.adSets[0].metrics).toEqual(before.metrics);
    expect(before.adSets[0].ads[0].metrics).toEqual(before.metrics);
    await removeAd[subject.platform]?.(owner, ad);
    await discovered(app, owner);
    const [after] = await treeOf(owner);
    expect(after.adSets[0].ads[0].status).toBe('cancelled');
    expect(after.metrics).toEqual(before.metrics);
    expect(after.adSets[0].metrics).toEqual(before.metrics);
  });
});

it('returns metrics of campaigns and ad sets of platform A that include archived ads and deleted ad sets', async () => {
  const subject = subjects.find(({ platform }) => platform === 'A');
  if (!subject) throw new Error('There is no platform A');
  const owner = await fixtureOf(app, subject);
  await send(
    'POST',
    'control/network-a/campaigns',
    {},
    {
      adAccountId: owner.adAccountIds.usd,
      campaigns: [
        {
          name: 'Spend',
          adsets: [
            {
              name: 'living',
              ads: [
                { name: 'live', figures: { impressions: 1000, clicks: 10, spend: 10 } },
                { name: 'deleted', status: 'DELETED', figures: { impressions: 1000, clicks: 100, spend: 100 } },
                { name: 'archived', status: 'ARCHIVED', figures: { impressions: 1000, clicks: 100, spend: 1000 } },
              ],
            },
            {
              name: 'gone',
              status: 'DELETED',
              ads: [{ name: 'in gone', status: 'DELETED', figures: { impressions: 1, clicks: 1, spend: 5000 } }],
            },
          ],
        },
      ],
    },
  );
  await discovered(app, owner);
  const spent = (await treeOf(owner)).find(({ name }: Body) => name === 'Spend');
  expect(spent).toMatchObject({ metrics: { spend: 6110 }, adSets: [{ metrics: { spend: 1110 } }] });
  expect(spent.adSets).toHaveLength(1);
  const { body } = await app.graphql('{ campaigns { nodes { name metrics { spend } } } }', {}, { key: owner.key });
  expect(body.data.campaigns.nodes).toContainEqual({ name: 'Spend', metrics: { spend: 6110 } });
});

/** How a platform suspends an ad account: what its control takes. */
const suspend: Partial<Record<Subject['platform'], (id: string) => [path: string, body: Body]>> = {
  A: (id) => [`network-a/accounts/${id}`, { account_status: 2, disable_reason: 1 }],
  B: (id) => [`search-display/accounts/${id}`, { status: 'SUSPENDED' }],
  D: (id) => ['network-c/advertisers', { advertiserId: id, status: 'STATUS_LIMIT', rejectionReason: 'Review' }],
  E: (id) => [`microblog/accounts/${id}`, { approvalStatus: 'REJECTED' }],
  F: (id) => [`professional/accounts/${id}`, { servingStatuses: ['RESTRICTED_HOLD'] }],
};

describe.each(subjects.filter(({ platform }) => suspend[platform]))(
  'a suspended ad account of $platform',
  (subject) => {
    it('is shown, named and refused at once, and the others are read', async () => {
      const owner = await fixtureOf(app, subject);
      const { key, accountId } = owner;
      const id = owner.adAccountIds.usd;
      const list = async (query = ''): Promise<Answer['body']> =>
        (await app.call('GET', `/v1/ads/accounts?accountId=${accountId}${query}`, { key })).body.accounts;
      const isOpen = async (): Promise<unknown> => (await list()).find((one: Body) => one['id'] === id).isActive;
      expect(await isOpen()).toBe(true);
      const [path, body] = suspend[subject.platform]?.(id) ?? ['', {}];
      await send('POST', `control/${path}`, {}, body);

      const run = await discovered(app, owner);
      expect(run).toMatchObject({ status: 'completed', adAccounts: 2, failures: [{ adAccountId: id }] });
      const shown = (await list()).find((one: Body) => one['id'] === id);
      expect(shown).toMatchObject({ isActive: false });
      expect(`${shown.status} ${shown.statusReason}`).toMatch(/DISABLED|NOT_ENABLED|STATUS_LIMIT|REJECTED|RESTRICTED/);
      expect(shown.name).not.toBe('');
      const health = (await app.call('GET', `/v1/accounts/${accountId}/health`, { key })).body;
      expect(health).toMatchObject({ status: 'attention', issues: [{ code: 'ad_account_suspended' }] });
      expect(health.issues[0].message).toContain(id);
      for (const validateOnly of [true, false]) {
        const again = await app.call('POST', '/v1/ads/create', {
          key,
          body: { ...goodAdOf(app, subject, owner), validateOnly },
        });
        expect(again).toMatchObject({ status: 422, body: { code: 'linked_account_required', param: 'adAccountId' } });
      }
    });
  },
);
