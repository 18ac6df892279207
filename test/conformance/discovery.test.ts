import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { connectionFacts } from '../../src/dev/connect-sandbox.ts';
import { startTestApp, type Answer, type TestApp } from '../support/app.ts';
import { discovered, goodAdOf, namesAt, subjects, fixtureOf } from './platforms.ts';
import type { UserFixture } from '../support/user-fixture.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp();
});
afterAll(() => app.stop());

describe.each(subjects)('platform $platform', (subject) => {
  let owner: UserFixture;
  let ad: Answer['body'];
  beforeAll(async () => {
    owner = await fixtureOf(app, subject);
    const body = goodAdOf(app, subject, owner);
    ad = (await app.call('POST', '/v1/ads/create', { key: owner.key, body })).body.ad;
  });
  const discover = (fixture: UserFixture): Promise<Answer['body']> => discovered(app, fixture);
  const tree = async (of: UserFixture): Promise<Answer['body']> =>
    (await app.call('GET', '/v1/ads/tree', { key: of.key })).body.campaigns;

  it('finds what was made here again, as it is and once', async () => {
    expect(await discover(owner)).toMatchObject({ status: 'completed', failures: [], campaigns: 1, adSets: 1, ads: 1 });
    const [campaign, ...others] = await tree(owner);
    expect(others).toEqual([]);
    expect(campaign).toMatchObject({
      platformCampaignId: ad.platformCampaignId,
      isExternal: false,
      adSets: [{ ads: [{ _id: ad._id, name: ad.name, goal: 'traffic', budget: { amount: 25, type: 'daily' } }] }],
    });
  });

  it('brings in what another made in the same ad account, with names, budgets and states', async () => {
    const other = await fixtureOf(app, subject, {
      connection: connectionFacts(subject.account, owner.connection, new Date()),
    });
    expect(await discover(other)).toMatchObject({ status: 'completed', failures: [], ads: 1 });
    const [campaign] = await tree(other);
    expect(await namesAt(app, subject, subject.kinds.campaign)).toContain(campaign.name);
    expect(campaign.isExternal).toBe(true);
    const [adSet] = campaign.adSets;
    expect(await namesAt(app, subject, subject.kinds.adSet)).toContain(adSet.name);
    expect(adSet).toMatchObject({ ads: [{ platformAdId: ad.platformAdId, isExternal: true }] });
    // The platform decides which level carries the budget.
    expect(campaign.budget ?? adSet.budget).toEqual({ amount: 25, currency: 'USD', type: 'daily' });
    expect([campaign.currency, adSet.currency, adSet.ads[0].currency]).toEqual(['USD', 'USD', 'USD']);
    expect(adSet.ads[0].status).toMatch(/^(active|pending_review)$/);
  });

  it('sees what was paused at the platform meanwhile', async () => {
    const path = `/v1/ads/campaigns/${ad.platformCampaignId}/status`;
    await app.call('PUT', path, { key: owner.key, body: { platform: subject.account, status: 'PAUSED' } });
    await discover(owner);
    const [campaign] = await tree(owner);
    expect(campaign.platformStatus).toBe('paused');
  });

  const setStatus = (path: string, status: string): Promise<Answer> =>
    app.call('PUT', path, {
      key: owner.key,
      body: path.includes('/campaigns/') ? { platform: subject.account, status } : { status },
    });
  const campaignPath = (): string => `/v1/ads/campaigns/${ad.platformCampaignId}/status`;
  const statusFor = async (of: UserFixture): Promise<string> => {
    await discover(of);
    const [campaign] = await tree(of);
    const [adSet] = campaign.adSets;
    expect(adSet.status).toBe(adSet.ads[0].status);
    return adSet.ads[0].status;
  };

  it('calls no ad active whose campaign is paused, and calls it so again once that runs', async () => {
    const other = await fixtureOf(app, subject, {
      connection: connectionFacts(subject.account, owner.connection, new Date()),
    });
    await setStatus(campaignPath(), 'PAUSED');
    expect(await statusFor(owner)).toBe('paused');
    expect(await statusFor(other)).toBe('paused');
    expect((await setStatus(campaignPath(), 'ACTIVE')).status).toBe(200);
    const [campaign] = await tree(owner);
    expect(campaign.adSets[0].ads[0].status).toBe('active');
    expect(await statusFor(other)).toMatch(/^(active|pending_review)$/);
  });

  it('reports no ad as active that is activated under a paused campaign', async () => {
    if (subject.platform === 'E') return;
    const adPath = `/v1/ads/${ad._id}/status`;
    await setStatus(campaignPath(), 'PAUSED');
    await setStatus(adPath, 'PAUSED');
    expect((await setStatus(adPath, 'ACTIVE')).body.ad.status).toBe('paused');
    await setStatus(campaignPath(), 'ACTIVE');
    expect((await app.call('GET', `/v1/ads/${ad._id}`, { key: owner.key })).body.ad.status).toBe('active');
  });

  it('leaves an ad paused that was paused itself when its campaign runs again', async () => {
    // E switches campaigns only.
    if (subject.platform === 'E') return;
    const adPath = `/v1/ads/${ad._id}/status`;
    expect((await setStatus(adPath, 'PAUSED')).status).toBe(200);
    await setStatus(campaignPath(), 'PAUSED');
    await discover(owner);
    await setStatus(campaignPath(), 'ACTIVE');
    const read = async (): Promise<string> =>
      (await app.call('GET', `/v1/ads/${ad._id}`, { key: owner.key })).body.ad.status;
    expect(await read()).toBe('paused');
    await discover(owner);
    expect(await read()).toBe('paused');
    await setStatus(adPath, 'ACTIVE');
    expect(await read()).toBe('active');
  });
});
