import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { platforms } from '../../src/contract/platforms.ts';
import { startTestApp, type Answer, type TestApp } from '../support/app.ts';
import type { UserFixture } from '../support/user-fixture.ts';
import { idAt, levelSwitches, objectsAt } from './budgets-at-platform.ts';
import { discovered, fault, fixtureOf, goodAdOf, noFaults, subjects, type Subject } from './platforms.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp();
});
afterAll(() => app.stop());
afterEach(() => noFaults(app));

/** Adds campaigns past the service, as their owner makes them at the platform. */
async function addCampaigns({ simulated }: Subject, { adAccountIds }: UserFixture): Promise<void> {
  const made = await fetch(`${app.sandbox.url}/control/${simulated}/found-campaigns`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ adAccountId: adAccountIds.usd }),
  });
  expect(made.status).toBe(200);
}

describe.each(subjects)('campaigns found on platform $platform', (subject) => {
  it('record the level that carries the budget with each ad set and ad', async () => {
    const fixture = await fixtureOf(app, subject);
    await addCampaigns(subject, fixture);
    await discovered(app, fixture);
    const { campaigns } = (await app.call('GET', '/v1/ads/tree?limit=100', { key: fixture.key })).body;
    const levels = (campaigns as Answer['body'][]).map(({ budgetLevel, adSets }) => {
      for (const adSet of adSets) {
        expect(adSet.budgetLevel).toBe(budgetLevel);
        if (budgetLevel === 'campaign') expect(adSet.budget).toBeNull();
        for (const ad of adSet.ads) expect(ad.budgetLevel).toBe(budgetLevel);
      }
      return budgetLevel;
    });
    const { changeableBudgets } = platforms[subject.platform];
    expect([levels.length, new Set(levels)]).toEqual([changeableBudgets.length, new Set(changeableBudgets)]);
    for (const { adSets } of campaigns) {
      expect(adSets).toHaveLength(2);
      for (const adSet of adSets) expect(adSet.ads).toHaveLength(1);
    }
  });
});

describe.each(subjects)('a campaign and an ad set on platform $platform that are not recorded', (subject) => {
  it('are searched at the platform, changed and recorded', async () => {
    const fixture = await fixtureOf(app, subject);
    const idsOf = async (kind: string): Promise<string[]> => (await objectsAt(app, subject, kind)).map(idAt(subject));
    const { campaign, adSet } = subject.kinds;
    const before = new Set([...(await idsOf(campaign)), ...(await idsOf(adSet))]);
    await addCampaigns(subject, fixture);
    const added = async (kind: string) => (await idsOf(kind)).find((id) => !before.has(id));
    const [campaignId, adSetId] = [await added(campaign), await added(adSet)];
    const put = (path: string, change: object): Promise<Answer> =>
      app.call('PUT', `/v1/ads/${path}`, { key: fixture.key, body: { platform: subject.account, ...change } });
    expect(await put(`campaigns/${campaignId}`, { name: 'Renamed' })).toMatchObject({
      status: 200,
      body: { campaign: { name: 'Renamed', isExternal: true, platformCampaignId: campaignId } },
    });
    expect(await put(`ad-sets/${adSetId}`, { name: 'Renamed too' })).toMatchObject({
      status: 200,
      body: { adSet: { name: 'Renamed too', platformAdSetId: adSetId } },
    });
    const names = (await Promise.all([campaign, adSet].map((kind) => objectsAt(app, subject, kind)))).flat();
    expect(names.map(subject.nameOf)).toEqual(expect.arrayContaining(['Renamed', 'Renamed too']));
  });
});

describe.each(subjects.filter(({ platform }) => platform === 'D' || platform === 'F'))(
  'an order on platform $platform whose campaign has moved to another budget level',
  (subject) => {
    it.each([
      ['ad_set', 'campaign'],
      ['campaign', 'ad_set'],
    ] as const)('is rejected if it names %s and finds %s, and no ad set is created', async (ordered, found) => {
      const fixture = await fixtureOf(app, subject);
      const body = { ...goodAdOf(app, subject, fixture), budgetLevel: ordered, budgetAmount: 60 };
      const headers = { 'Idempotency-Key': randomUUID() };
      const place = (): Promise<Answer> => app.call('POST', '/v1/ads/create', { key: fixture.key, body, headers });
      await fault(app, subject, { fault: 'reset_after', match: { method: 'POST', path: subject.paths.campaign } });
      expect((await place()).status).toBeGreaterThanOrEqual(500);
      const mine = (await objectsAt(app, subject, subject.kinds.campaign)).filter((campaign) =>
        subject.nameOf(campaign).startsWith(`${String(body['name' as never])} `),
      );
      expect(mine).toHaveLength(1);
      const adSets = (await objectsAt(app, subject, subject.kinds.adSet)).length;
      const campaignId = mine.map(idAt(subject))[0] ?? '';
      await levelSwitches[subject.platform]?.(app, fixture, { campaignId, to: found, amount: 60 });
      expect(await place()).toMatchObject({
        status: 400,
        body: { details: { fields: { budgetLevel: [expect.stringContaining(`${found} instead of ${ordered}`)] } } },
      });
      expect(await objectsAt(app, subject, subject.kinds.adSet)).toHaveLength(adSets);
    });
  },
);
