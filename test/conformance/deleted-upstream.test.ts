import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { reconcileDueOrders } from '../../src/services/ads/reconcile-orders.ts';
import { authorization } from '../../src/platforms/x-ads/signature.ts';
import { startTestApp, type Answer, type TestApp } from '../support/app.ts';
import type { UserFixture } from '../support/user-fixture.ts';
import { fault, goodAdOf, noFaults, subjects, fixtureOf, type Subject } from './platforms.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp({ PLATFORM_TIMEOUT_SECONDS: '4', ROLE: 'api' });
});
afterAll(() => app.stop());
afterEach(() => noFaults(app));

interface Where {
  fixture: UserFixture;
  campaignId: string;
}
type Body = Record<string, unknown>;

const send = async (method: string, path: string, init: { headers?: Record<string, string>; json?: Body | Body[] }) => {
  const response = await fetch(`${app.sandbox.url}/${path}`, {
    method,
    headers: { ...(init.json && { 'content-type': 'application/json' }), ...init.headers },
    ...(init.json && { body: JSON.stringify(init.json) }),
  });
  if (!response.ok) throw new Error(`${response.status} ${await response.text()}`);
};
const bearer = ({ connection }: UserFixture) => ({ authorization: `Bearer ${connection.accessToken}` });

/** How the owner of a campaign takes it away, in the words of each platform. */
const remove: Record<string, (where: Where) => Promise<void>> = {
  A: ({ fixture, campaignId }) => send('DELETE', `network-a/v26.0/${campaignId}`, { headers: bearer(fixture) }),
  B: ({ fixture, campaignId }) => {
    const customer = fixture.adAccountIds.usd;
    const operation = { campaignOperation: { remove: `customers/${customer}/campaigns/${campaignId}` } };
    const headers = { ...bearer(fixture), 'developer-token': 'sandbox-developer-token', 'login-customer-id': customer };
    const path = `search-display/v25/customers/${customer}/googleAds:mutate`;
    return send('POST', path, { headers, json: { mutateOperations: [operation] } });
  },
  C: ({ fixture, campaignId }) =>
    send('PATCH', `pin-board/v5/ad_accounts/${fixture.adAccountIds.usd}/campaigns`, {
      headers: bearer(fixture),
      json: [{ ad_account_id: fixture.adAccountIds.usd, id: campaignId, status: 'ARCHIVED' }],
    }),
  D: ({ fixture, campaignId }) =>
    send('POST', 'network-c/open_api/v1.3/campaign/status/update/', {
      headers: { 'access-token': fixture.connection.accessToken },
      json: { advertiser_id: fixture.adAccountIds.usd, campaign_ids: [campaignId], operation_status: 'DELETE' },
    }),
  E: ({ fixture, campaignId }) => {
    const path = `microblog/12/accounts/${fixture.adAccountIds.usd}/campaigns/${campaignId}`;
    const keys = {
      consumerKey: 'sandbox-consumer-key',
      consumerSecret: 'sandbox-consumer-secret',
      token: fixture.connection.accessToken,
      tokenSecret: fixture.connection.accessTokenSecret ?? '',
    };
    const header = authorization({ method: 'DELETE', url: `${app.sandbox.url}/${path}`, params: {} }, keys);
    return send('DELETE', path, { headers: { authorization: header } });
  },
  F: ({ fixture, campaignId }) =>
    send('POST', `professional/rest/adAccounts/${fixture.adAccountIds.usd}/adCampaignGroups/${campaignId}`, {
      headers: {
        ...bearer(fixture),
        'linkedin-version': '202606',
        'x-restli-protocol-version': '2.0.0',
        'x-restli-method': 'PARTIAL_UPDATE',
      },
      json: { patch: { $set: { status: 'PENDING_DELETION' } } },
    }),
};

describe.each(subjects)('platform $platform', (subject) => {
  it.each(['reset_after', 'timeout_before'])(
    'an order whose activation was lost (%s) ends once its campaign is deleted there',
    async (name) => {
      const { services } = app.app;
      const fixture = await fixtureOf(app, subject);
      const { skip = 0, ...match } = subject.activation;
      await fault(app, subject, { fault: name, match, skip, times: 3 });
      const body = goodAdOf(app, subject, fixture);
      const made: Answer = await app.call('POST', '/v1/ads/create', { key: fixture.key, body });
      expect(made.status).toBe(502);
      await noFaults(app);
      const { adId, created } = { created: undefined, ...made.body.details };
      await remove[subject.platform]?.({ fixture, campaignId: created.platformCampaignId });
      const read = async () => (await app.call('GET', `/v1/ads/${adId}`, { key: fixture.key })).body.ad;
      expect((await read()).status).toBe('unconfirmed');
      for (let round = 0; round < 3; round += 1) {
        await services.db.ads.updateOne({ _id: adId, reconcileAt: { $exists: true } }, { reconcileAt: new Date(0) });
        await reconcileDueOrders(services, 10, { recheckMs: 1 });
      }
      const ad = await read();
      expect(ad).toMatchObject({ status: 'error', platformCampaignId: created.platformCampaignId });
      expect(ad.rejectionReason).toMatch(/^(It is no longer at the platform|The platform does not let it run)/);
      expect(await services.db.ads.countDocuments({ _id: adId, reconcileAt: { $exists: true } })).toBe(0);
      expect(await reconcileDueOrders(services, 10)).toBe(0);
    },
  );
});

describe('an order that puts an ad into an ad set of A', () => {
  const subject = subjects.find(({ platform }) => platform === 'A') as Subject;
  const ways = ['ended', 'deleted'].flatMap((what) => ['reset_after', 'html_502'].map((name) => [name, what] as const));

  it.each(ways)('ends when its answer was lost (%s) and the ad set is %s since', async (name, what) => {
    const { services } = app.app;
    const fixture = await fixtureOf(app, subject);
    const post = (body: object): Promise<Answer> => app.call('POST', '/v1/ads/create', { key: fixture.key, body });
    const whole = goodAdOf(app, subject, fixture);
    const { platformAdSetId: adSetId } = (await post(whole)).body.ad;
    const { goal: _goal, budgetAmount: _amount, budgetType: _type, ...rest } = whole;
    await fault(app, subject, { fault: name, match: { method: 'POST', path: '/ads$' } });
    const { status, body } = await post({ ...rest, name: `${String(whole['name'])} attached`, adSetId });
    expect(status).toBe(502);
    await noFaults(app);
    const token = { access_token: fixture.connection.accessToken };
    if (what === 'deleted') await send('DELETE', `network-a/v26.0/${adSetId}`, { json: token });
    else {
      await send('POST', `network-a/v26.0/${adSetId}`, { json: { ...token, end_time: soon() } });
      await new Promise((resolve) => setTimeout(resolve, 6_500));
    }
    for (let round = 0; round < 3; round += 1) {
      await services.db.ads.updateOne(
        { _id: body.details.adId, reconcileAt: { $exists: true } },
        { reconcileAt: new Date(0) },
      );
      await reconcileDueOrders(services, 10, { recheckMs: 1 });
    }
    const { ad } = (await app.call('GET', `/v1/ads/${body.details.adId}`, { key: fixture.key })).body;
    expect(ad.status).toMatch(
      name === 'reset_after' && what === 'ended' ? /^(active|pending_review|completed)$/ : /^(error|cancelled)$/,
    );
    expect(await reconcileDueOrders(services, 10)).toBe(0);
  });
});

const soon = (): string => new Date(Date.now() + 6_000).toISOString();
