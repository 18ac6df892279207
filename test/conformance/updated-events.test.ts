import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestApp, type Answer, type TestApp } from '../support/app.ts';
import type { UserFixture } from '../support/user-fixture.ts';
import { discovered, fixtureOf, goodAdOf, subjects } from './platforms.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp();
});
afterAll(() => app.stop());

const inDays = (days: number): string => new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 19) + 'Z';

interface Body {
  event: string;
  ad?: Answer['body'];
  adSet?: Answer['body'];
  campaign?: Answer['body'];
}

/** The updates of a user's objects that were published, oldest first. */
async function updatesOf({ userId }: UserFixture): Promise<Body[]> {
  const { db } = app.app.services;
  const waiting = { userId, 'pendingEvents.0': { $exists: true } };
  await expect
    .poll(async () => {
      const counts = [db.ads, db.adSets, db.campaigns].map((model) => (model as typeof db.ads).countDocuments(waiting));
      return (await Promise.all(counts)).reduce((sum, count) => sum + count, 0);
    })
    .toBe(0);
  const events = await db.webhookEvents.find({ userId }).sort({ occurredAt: 1 }).lean();
  return events.map(({ body }) => JSON.parse(body as string) as Body).filter(({ event }) => event.endsWith('.updated'));
}
const briefly = (bodies: Body[]): string[] =>
  bodies
    .map(({ event, ad, adSet, campaign }) => {
      const { changed, source } = ad ?? adSet ?? campaign;
      return `${event} ${(changed as string[]).join('+')} by ${source}`;
    })
    .toSorted();

describe.each(subjects)('changes through the API on platform $platform', (subject) => {
  it('are published with every object that they change, and not again by a discovery', async () => {
    const fixture = await fixtureOf(app, subject);
    const put = async (path: string, body: object): Promise<void> =>
      expect(await app.call('PUT', path, { key: fixture.key, body })).toMatchObject({ status: 200 });
    const body = { ...goodAdOf(app, subject, fixture), endDate: inDays(20) };
    const { ad } = (await app.call('POST', '/v1/ads/create', { key: fixture.key, body })).body;
    const endless = { ...goodAdOf(app, subject, fixture), name: 'Without an end' };
    expect(await app.call('POST', '/v1/ads/create', { key: fixture.key, body: endless })).toMatchObject({
      status: 201,
    });
    await discovered(app, fixture);
    expect(briefly(await updatesOf(fixture))).toEqual([]);

    const isOfCampaign = ['B', 'C'].includes(subject.platform);
    const keepsNames = subject.platform === 'E';
    const name = keepsNames ? {} : { name: 'Summer sale' };
    await put(`/v1/ads/${ad._id}`, { ...name, budgetAmount: 40, endDate: inDays(25) });
    const ofLevel = isOfCampaign ? 'campaign.updated budget by api' : 'ad_set.updated budget by api';
    const changed = [
      'ad.updated budget by api',
      ...(keepsNames ? [] : ['ad.updated name by api']),
      'ad.updated schedule by api',
      'ad_set.updated endDate by api',
      // An ad has the name of its ad group.
      ...(subject.platform === 'B' ? ['ad_set.updated name by api'] : []),
      ofLevel,
      ...(isOfCampaign ? ['campaign.updated endDate by api'] : []),
    ].toSorted();
    const published = await updatesOf(fixture);
    expect(briefly(published)).toEqual(changed);
    const money = { amount: 40, currency: ad.currency, type: 'daily' };
    for (const { ad: own, adSet, campaign } of published) {
      const block = own ?? adSet ?? campaign;
      expect(block).toMatchObject({ accountId: fixture.accountId, platformCampaignId: ad.platformCampaignId });
      if (block.changed.includes('budget')) expect(block.budget).toEqual(money);
      for (const name of block.changed) expect(Object.keys(block)).toContain(name);
    }
    await discovered(app, fixture);
    expect(briefly(await updatesOf(fixture))).toEqual(changed);

    const campaign = `/v1/ads/campaigns/${ad.platformCampaignId}`;
    const adSet = `/v1/ads/ad-sets/${ad.platformAdSetId}`;
    for (const status of ['PAUSED', 'ACTIVE']) {
      for (const path of [adSet, campaign])
        await put(path, { platform: subject.account, status, name: `Now ${status}` });
      const ofBoth = ['ad_set.updated', 'campaign.updated'];
      for (const event of ofBoth) changed.push(`${event} name by api`, `${event} platformStatus by api`);
      await discovered(app, fixture);
      expect([status, briefly(await updatesOf(fixture))]).toEqual([status, changed.toSorted()]);
    }
  });
});
