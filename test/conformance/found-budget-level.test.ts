import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { platforms } from '../../src/contract/platforms.ts';
import { startTestApp, type Answer, type TestApp } from '../support/app.ts';
import { discovered, fixtureOf, subjects } from './platforms.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp();
});
afterAll(() => app.stop());

describe.each(subjects)('campaigns found on platform $platform', (subject) => {
  it('record the level that carries the budget with each ad set and ad', async () => {
    const fixture = await fixtureOf(app, subject);
    const made = await fetch(`${app.sandbox.url}/control/${subject.simulated}/found-campaigns`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ adAccountId: fixture.adAccountIds.usd }),
    });
    expect(made.status).toBe(200);
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
