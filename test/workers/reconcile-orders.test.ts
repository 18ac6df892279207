import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestApp, type TestApp } from '../support/app.ts';
import { goodAd, createUserFixture } from '../support/user-fixture.ts';

let app: TestApp;

beforeAll(async () => {
  app = await startTestApp({ RECONCILE_INTERVAL_SECONDS: '0.2', RECONCILE_AFTER_SECONDS: '0.2' });
});
afterAll(() => app.stop());

const reconciledAd = async (path: string): Promise<{ status: string }> => {
  const fixture = await createUserFixture(app);
  await fetch(`${app.sandbox.url}/control/faults`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ platform: 'network-a', fault: 'reset_after', match: { method: 'POST', path } }),
  });
  const answer = await app.call('POST', '/v1/ads/create', { key: fixture.key, body: goodAd(fixture) });
  expect(answer.status).toBe(502);
  const { adId } = answer.body.details;
  // The first look comes after half a minute.
  await app.app.services.db.ads.updateOne({ _id: adId }, { $set: { reconcileAt: new Date() } });
  const ad = async () => (await app.call('GET', `/v1/ads/${adId}`, { key: fixture.key })).body.ad;
  await expect.poll(async () => (await ad()).status).not.toBe('unconfirmed');
  return ad();
};

describe('the reconcile-orders worker', () => {
  it('finds an ad whose last answer was lost', async () => {
    expect(await reconciledAd('v26.0/\\d+$')).toMatchObject({ status: 'active', platformAdId: expect.any(String) });
  });

  it('gives an order up that stopped half-way, and keeps on record what exists', async () => {
    expect(await reconciledAd('campaigns$')).toMatchObject({
      status: 'error',
      platformCampaignId: expect.any(String),
      platformAdId: null,
    });
  });
});
