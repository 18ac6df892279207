import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { reconcileDueOrders } from '../../src/services/ads/reconcile-orders.ts';
import { startTestApp, type Answer, type TestApp } from '../support/app.ts';
import type { UserFixture } from '../support/user-fixture.ts';
import {
  campaignNameAt,
  campaignSwitch,
  fault,
  fixtureOf,
  goodAdOf,
  noFaults,
  subjects,
  type Subject,
} from './platforms.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp({ PLATFORM_TIMEOUT_SECONDS: '4', ROLE: 'api' });
});
afterAll(() => app.stop());
afterEach(() => noFaults(app));

const running = /ACTIVE|ENABLE/;

interface Lost {
  fixture: UserFixture;
  adId: string;
  campaignId: string;
  campaignName: string;
}

/** An order whose activation took effect, but whose response was lost. */
async function lostActivation(subject: Subject): Promise<Lost> {
  const fixture = await fixtureOf(app, subject);
  const { skip = 0, ...match } = subject.activation;
  await fault(app, subject, { fault: 'reset_after', match, skip, times: 3 });
  const body = goodAdOf(app, subject, fixture);
  const made: Answer = await app.call('POST', '/v1/ads/create', { key: fixture.key, body });
  expect(made.status).toBe(502);
  await noFaults(app);
  const { adId, created } = made.body.details;
  const campaignName = campaignNameAt({ campaignName: body['name'], _id: adId });
  return { fixture, adId, campaignId: created.platformCampaignId, campaignName };
}

/** The platform rejects changes because of the user, such as code 368 of A: "temporarily blocked". */
const block = (subject: Subject): Promise<unknown> => {
  const { skip: _skip, ...match } = subject.activation;
  return fault(app, subject, { fault: 'policy_block', match, times: 50 });
};

async function reconcile(adId: string): Promise<void> {
  const { services } = app.app;
  for (let round = 0; round < 3; round += 1) {
    const due = { $set: { reconcileAt: new Date(0) }, $unset: { lease: 1 } } as const;
    await services.db.ads.updateOne({ _id: adId, reconcileAt: { $exists: true } }, due);
    await reconcileDueOrders(services, 10, { recheckMs: 1 });
  }
}

describe.each(subjects)('on platform $platform', (subject) => {
  const statusOf = async ({ fixture, adId }: Lost): Promise<string> =>
    (await app.call('GET', `/v1/ads/${adId}`, { key: fixture.key })).body.ad.status;
  const switchOf = ({ campaignName }: Lost): Promise<string | undefined> => campaignSwitch(app, subject, campaignName);

  it('an order whose campaign runs is not closed because the user is blocked for a while', async () => {
    const lost = await lostActivation(subject);
    await block(subject);
    await reconcile(lost.adId);
    expect([await statusOf(lost), await switchOf(lost)]).toEqual(['unconfirmed', expect.stringMatching(running)]);
    await noFaults(app);
    await reconcile(lost.adId);
    expect(await statusOf(lost)).toMatch(/^(active|pending_review)$/);
  });

  it('a pause that is rejected at the end of an order is not recorded, and tried again', async () => {
    const lost = await lostActivation(subject);
    await block(subject);
    const { key } = lost.fixture;
    const body = { platform: subject.account, status: 'PAUSED' };
    const path = `/v1/ads/campaigns/${lost.campaignId}/status`;
    const rejected = await app.call('PUT', path, { key, body });
    expect(rejected.body).toMatchObject({ platformError: expect.anything() });
    await reconcile(lost.adId);
    expect([await statusOf(lost), await switchOf(lost)]).toEqual(['unconfirmed', expect.stringMatching(running)]);
    await noFaults(app);
    await reconcile(lost.adId);
    expect(await statusOf(lost)).toBe('paused');
    expect(await switchOf(lost)).not.toMatch(running);
  });
});
