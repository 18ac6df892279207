import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { reconcileDueRemovals } from '../../src/services/removals/reconcile-removals.ts';
import { startTestApp, type Answer, type TestApp } from '../support/app.ts';
import type { UserFixture } from '../support/user-fixture.ts';
import { campaignNameAt, campaignSwitch, fault, fixtureOf, noFaults, subjects, type Subject } from './platforms.ts';
import { placedAd, removalPath, stateAt } from './removals-at-platform.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp({ SWEEP_INTERVAL_SECONDS: '0.2' });
});
afterAll(() => app.stop());
afterEach(() => noFaults(app));

type Ad = Answer['body'];

/**
 * The platforms that answer as if an object did not exist if the connection may not see it: A with code 100 and subcode
 * 33, "does not exist, cannot be loaded due to missing permissions", and E with 403 `ACCOUNT_NOT_FOUND`.
 */
const hiding = subjects.filter(({ platform }) => platform === 'A' || platform === 'E');

/** The owner takes the ad account from the connection. */
const loseAdAccount = (subject: Subject, fixture: UserFixture): Promise<void> =>
  changeAdAccount(subject, fixture, { userId: 'someone else' });

async function changeAdAccount(
  { simulated }: Subject,
  { adAccountIds }: UserFixture,
  change: Record<string, unknown>,
): Promise<void> {
  const id = adAccountIds.usd.replace('act_', '');
  const response = await fetch(`${app.sandbox.url}/control/${simulated}/accounts/${id}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(change),
  });
  expect(response.status).toBe(200);
}

async function stopped({ key, accountId }: UserFixture): Promise<Answer['body']> {
  const { body } = await app.call('POST', '/v1/stops', { key, body: { accountId } });
  const read = async () => (await app.call('GET', `/v1/stops/${body.stop._id}`, { key })).body.stop;
  await expect.poll(async () => (await read()).status, { interval: 150 }).toBe('completed');
  return read();
}

describe.each(hiding)('an ad account that the connection lost on platform $platform', (subject) => {
  let fixture: UserFixture;
  let ad: Ad;
  beforeAll(async () => {
    fixture = await fixtureOf(app, subject);
    ad = await placedAd(app, subject, fixture);
  });

  it('makes an emergency stop name its campaigns as failures, because they still run', async () => {
    await loseAdAccount(subject, fixture);
    expect(await stopped(fixture)).toMatchObject({
      total: 1,
      paused: 0,
      failed: 1,
      failures: [
        {
          campaignId: ad.platformCampaignId,
          isFinal: true,
          message: expect.stringContaining(`no longer reaches the ad account ${fixture.adAccountIds.usd}`),
        },
      ],
    });
    expect(await campaignSwitch(app, subject, campaignNameAt(ad))).toMatch(/ACTIVE/);
  });

  // A shows a deleted object, so its removal is certain.
  it.skipIf(subject.platform === 'A')(
    'leaves a removal of unknown outcome open if its ad account cannot be read',
    async () => {
      const other = await fixtureOf(app, subject);
      const { key } = other;
      const gone = await placedAd(app, subject, other);
      await fault(app, subject, { fault: 'reset_after', times: 99, match: { method: 'DELETE' } });
      await fault(app, subject, { fault: 'rate_limited', times: 99, match: { method: 'GET', path: '/accounts$' } });
      const answer = await app.call('DELETE', removalPath(subject, gone, 'ad', { mode: 'delete' }), { key });
      expect(answer).toMatchObject({
        status: 502,
        body: { error: expect.stringContaining('the removal is completed automatically') },
      });
      await noFaults(app);
      const { services } = app.app;
      const later = { ...services, clock: { now: () => new Date(Date.now() + 300_000) } };
      await reconcileDueRemovals(later);
      expect(await stateAt(app, subject, gone, 'ad')).toBe('deleted');
      expect((await app.call('GET', `/v1/ads/${gone._id}`, { key })).body.ad).toMatchObject({
        status: 'cancelled',
        removal: 'deleted',
      });
    },
  );

  it('does not make a removal of unknown outcome appear carried out', async () => {
    const other = await fixtureOf(app, subject);
    const { key } = other;
    const kept = await placedAd(app, subject, other);
    const match = subject.platform === 'A' ? { method: 'POST', path: '/#$' } : { method: 'DELETE' };
    await fault(app, subject, { fault: 'http_500', times: 3, match });
    const answer = await app.call('DELETE', removalPath(subject, kept, 'ad', { mode: 'delete' }), { key });
    expect(answer.status).toBe(502);
    await loseAdAccount(subject, other);
    const { services } = app.app;
    const later = { ...services, clock: { now: () => new Date(Date.now() + 300_000) } };
    await reconcileDueRemovals(later);
    expect(await stateAt(app, subject, kept, 'ad')).toBe('live');
    expect((await app.call('GET', `/v1/ads/${kept._id}`, { key })).body.ad).toMatchObject({
      status: expect.not.stringMatching('cancelled'),
      removal: null,
    });
  });
});

it('completes a removal of unknown outcome that platform A shows as deleted in an ad account that is suspended', async () => {
  const subject = subjects.find(({ platform }) => platform === 'A')!;
  const fixture = await fixtureOf(app, subject);
  const { key } = fixture;
  const gone = await placedAd(app, subject, fixture);
  const match = { method: 'POST', path: '/#$' };
  await fault(app, subject, { fault: 'reset_after', times: 99, match });
  await fault(app, subject, { fault: 'rate_limited', times: 99, skip: 1, match: { method: 'GET', path: '/#$' } });
  expect((await app.call('DELETE', removalPath(subject, gone, 'ad', { mode: 'delete' }), { key })).status).toBe(502);
  await noFaults(app);
  const unpaid = 3;
  await changeAdAccount(subject, fixture, { account_status: unpaid });
  const { services } = app.app;
  await reconcileDueRemovals({ ...services, clock: { now: () => new Date(Date.now() + 300_000) } });
  const { body } = await app.call('GET', `/v1/ads/${gone._id}`, { key });
  expect(body.ad).toMatchObject({ status: 'cancelled', removal: 'deleted' });
});

it.each(subjects)(
  'an emergency stop counts a campaign that was removed on platform $platform as paused',
  async (subject) => {
    const fixture = await fixtureOf(app, subject);
    const ad = await placedAd(app, subject, fixture);
    const { db } = app.app.services;
    const mode = subject.platform === 'C' ? 'archive' : 'delete';
    const path = removalPath(subject, ad, 'campaign', { mode, confirm: 1 });
    const campaign = { accountId: fixture.accountId, platformCampaignId: ad.platformCampaignId };
    const before = await db.campaigns.findOne(campaign).lean().orFail();
    expect((await app.call('DELETE', path, { key: fixture.key })).status).toBe(200);
    // As if it had been removed elsewhere.
    await db.campaigns.replaceOne(campaign, before);
    expect(await stopped(fixture)).toMatchObject({ total: 1, paused: 1, failures: [] });
  },
);
