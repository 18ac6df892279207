import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { reporting } from '../../src/contract/reporting/index.ts';
import { breakdowns, reportLevels, type ReportLevel } from '../../src/contract/reporting/metrics.ts';
import { dayOf } from '../../src/lib/account-time.ts';
import { startTestApp, type Answer, type TestApp } from '../support/app.ts';
import type { UserFixture } from '../support/user-fixture.ts';
import { fixtureOf, goodAdOf, subjects, type Subject } from './platforms.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp();
});
afterAll(() => app.stop());

const dayMs = 86_400_000;

/** An ad of its own campaign that has been delivered for ten days at this platform. */
async function deliveredAd(subject: Subject): Promise<{ fixture: UserFixture; ad: Answer['body'] }> {
  const fixture = await fixtureOf(app, subject);
  const { body } = await app.call('POST', '/v1/ads/create', {
    key: fixture.key,
    body: goodAdOf(app, subject, fixture),
  });
  const { platformAdId, platformAdAccountId } = body.ad;
  const adId =
    subject.platform === 'B'
      ? `customers/${platformAdAccountId}/adGroupAds/${platformAdId}`
      : String(platformAdId).split(':').at(-1);
  const response = await fetch(`${app.sandbox.url}/control/${subject.simulated}/figures`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ adId, spans: [{ from: Date.now() - 10 * dayMs, dailyBudget: 20_000_000 }] }),
  });
  expect(response.status).toBeLessThan(300);
  return { fixture, ad: body.ad };
}

describe.each(subjects)('a report on platform $platform', (subject) => {
  let fixture: UserFixture;
  let ad: Answer['body'];
  beforeAll(async () => {
    ({ fixture, ad } = await deliveredAd(subject));
  });

  /** A finished report; figures that the platform prepares are read in the background. */
  async function report(input: Record<string, string>): Promise<Answer['body']> {
    const { accountId, adAccountIds } = fixture;
    const query = new URLSearchParams({
      accountId,
      adAccountId: adAccountIds.usd,
      ...(input['fromDate'] === undefined && { datePreset: 'last_7_days' }),
      ...input,
    });
    let answer: Answer | undefined;
    const status = async (): Promise<number> => {
      answer = await app.call('GET', `/v1/ads/report?${query}`, { key: fixture.key });
      return answer.status;
    };
    await expect.poll(status).toBe(200);
    return answer?.body;
  }

  it('has the same spend at every level of one ad, and its name', async () => {
    const spends: Partial<Record<ReportLevel, number>> = {};
    for (const level of reportLevels) {
      const { rows, totals, currency } = await report({ level });
      expect(currency).toBe('USD');
      expect(rows).toHaveLength(1);
      if (level === 'campaign') expect(rows[0].platformId).toBe(ad.platformCampaignId);
      if (level === 'ad') expect(rows[0]).toMatchObject({ objectId: ad._id, name: ad.name });
      spends[level] = totals.spend;
    }
    expect(spends.campaign).toBeGreaterThan(0);
    expect(new Set(Object.values(spends)).size).toBe(1);
  });

  it('has days that add up to the whole range, each as the platform counts them', async () => {
    const { rows, totals, timeZone } = await report({ granularity: 'day' });
    const whole = await report({});
    expect(timeZone).toBe(reporting[subject.platform].timeZone === 'utc' ? 'UTC' : whole.timeZone);
    expect(rows).toHaveLength(7);
    const sum = rows.reduce((all: number, { metrics }: Answer['body']) => all + Math.round(metrics.spend * 1e6), 0);
    expect(sum).toBe(Math.round(totals.spend * 1e6));
    expect(totals).toEqual(whole.totals);
  });

  it('has the ads of a campaign', async () => {
    const { rows, warnings = [] } = await report({ level: 'ad', campaignIds: ad.platformCampaignId });
    expect(rows).toMatchObject([{ platformId: ad.platformAdId }]);
    const notes = warnings.filter(({ param }: Answer['body']) => param === 'level');
    expect(notes).toHaveLength(subject.platform === 'E' ? 1 : 0);
  });

  const facts = reporting[subject.platform];
  it.each(breakdowns)('has a breakdown by %s, or is refused if the platform has none', async (name) => {
    const breakdown = facts.breakdowns[name];
    if (!breakdown?.levels.includes('campaign')) {
      const { accountId, adAccountIds, key } = fixture;
      const query = new URLSearchParams({ accountId, adAccountId: adAccountIds.usd, breakdowns: name });
      const { status, body } = await app.call('GET', `/v1/ads/report?${query}`, { key });
      expect({ status, code: body.code }).toEqual({ status: 400, code: 'invalid_field_value' });
      return;
    }
    // Some breakdowns of the last day are still to come.
    const [fromDate = '', toDate = ''] = [8, 3].map((ago) => dayOf(new Date(Date.now() - ago * dayMs), 'UTC'));
    const whole = await report({ fromDate, toDate });
    const split = await report({ fromDate, toDate, breakdowns: name });
    const delayMinutes = (Date.parse(split.fetchedAt) - Date.parse(split.dataAsOf)) / 60_000;
    expect(delayMinutes).toBe(breakdown.delayMinutes ?? facts.delayMinutes);
    expect(split.rows.length).toBeGreaterThan(0);
    // On E they add up to less; by country on F they are approximate.
    expect(split.totals.impressions).toBeGreaterThan(whole.totals.impressions * 0.9);
    expect(split.totals.impressions).toBeLessThan(whole.totals.impressions * 1.1);
    const lacking = breakdown.lacks.filter((metric) => metric in facts.metrics);
    for (const { metrics } of split.rows) for (const metric of lacking) expect(metrics[metric] ?? null).toBeNull();
  });

  it('has reach if it is named', async () => {
    const reached = await report({ metrics: 'impressions,reach,frequency' });
    const [{ metrics }] = reached.rows;
    expect(metrics.reach).toBeGreaterThan(0);
    expect(metrics.reach).toBeLessThanOrEqual(metrics.impressions);
    expect(metrics.frequency).toBeGreaterThanOrEqual(1);
    expect(reached.totals.reach).toBe(metrics.reach);
  });
});

it('names the permission that a user lacks who may not read figures on F', async () => {
  const subject = subjects.find(({ platform }) => platform === 'F') as Subject;
  const scopes = ['r_ads', 'rw_ads', 'rw_organization_admin'];
  const { accountId, adAccountIds, key } = await fixtureOf(app, subject, { connection: { scopes } });
  const query = new URLSearchParams({ accountId, adAccountId: adAccountIds.usd });
  const { status, body } = await app.call('GET', `/v1/ads/report?${query}`, { key });
  expect({ status, ...body }).toMatchObject({
    status: 422,
    code: 'missing_platform_permission',
    details: { scopes: ['r_ads_reporting'], reconnect: true },
  });
});
