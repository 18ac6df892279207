import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestApp, type Answer, type TestApp } from '../support/app.ts';
import type { UserFixture } from '../support/user-fixture.ts';
import { severalAds } from '../services/ads/fixture.ts';
import {
  adsIn,
  campaignNameAt,
  campaignSwitch,
  discovered,
  fault,
  fixtureOf,
  goodAdOf,
  namesAt,
  noFaults,
  subjects,
  type Subject,
} from './platforms.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp();
});
afterAll(() => app.stop());

const dayMs = 86_400_000;
const postAd = ({ key }: UserFixture, body: object, idempotencyKey: string): Promise<Answer> =>
  app.call('POST', '/v1/ads/create', { key, body, headers: { 'Idempotency-Key': idempotencyKey } });

/** What a backup that was made before these calls knows of them, restored so long ago. */
async function restore({ userId }: UserFixture, secondsAgo = 61): Promise<void> {
  const { db } = app.app.services;
  for (const collection of [db.ads, db.adSets, db.campaigns, db.idempotency])
    await (collection as typeof db.ads).deleteMany({ userId });
  await db.recordRestore(new Date(Date.now() - secondsAgo * 1000));
}

const takenOver = [expect.objectContaining({ message: expect.stringContaining('before the database was restored') })];

async function counts(subject: Subject): Promise<number[]> {
  const { campaign, adSet, ad } = subject.kinds;
  const names = await Promise.all([campaign, adSet, ad].map((kind) => namesAt(app, subject, kind)));
  return names.map(({ length }) => length);
}

describe.each(subjects)('platform $platform after a restore', (subject) => {
  let fixture: UserFixture;
  beforeAll(async () => {
    fixture = await fixtureOf(app, subject);
  });

  it('takes over the ad that the Idempotency-Key created since the backup, and leaves it paused', async () => {
    const body = goodAdOf(app, subject, fixture);
    const first = await postAd(fixture, body, 'whole');
    expect(first.status).toBe(201);
    const { platformAdId, platformCampaignId } = first.body.ad;
    const status = await app.call('PUT', `/v1/ads/campaigns/${platformCampaignId}/status`, {
      key: fixture.key,
      body: { platform: subject.account, status: 'PAUSED' },
    });
    expect(status.status).toBe(200);
    const before = await counts(subject);
    await restore(fixture);
    const again = await postAd(fixture, body, 'whole');
    expect(again).toMatchObject({ status: 201, body: { ad: { platformAdId, platformCampaignId } } });
    expect(again.body.warnings).toEqual(expect.arrayContaining(takenOver));
    expect(await counts(subject)).toEqual(before);
    expect(await campaignSwitch(app, subject, campaignNameAt(again.body.ad))).toMatch(/^(PAUSED|DISABLE)$/);
    expect(await postAd(fixture, body, 'whole')).toMatchObject({ status: 201, body: again.body });
  });

  it('completes the order that the Idempotency-Key began since the backup', async () => {
    const body = goodAdOf(app, subject, fixture);
    await fault(app, subject, { fault: 'reset_after', match: { method: 'POST', path: subject.paths.adSet } });
    expect((await postAd(fixture, body, 'half')).status).toBe(502);
    await noFaults(app);
    await restore(fixture);
    const again = await postAd(fixture, body, 'half');
    expect(again.status).toBe(201);
    for (const kind of [subject.kinds.campaign, subject.kinds.adSet]) {
      const names = await namesAt(app, subject, kind);
      expect(names.filter((name) => name.startsWith(`${String(body['name'])} `))).toHaveLength(1);
    }
    expect(await adsIn(app, subject, again.body.ad.platformAdSetId)).toBe(1);
  });

  it('creates an ad for an Idempotency-Key that is new', async () => {
    await restore(fixture);
    const answer = await postAd(fixture, goodAdOf(app, subject, fixture), 'new');
    expect(answer.status).toBe(201);
    expect(answer.body.warnings ?? []).not.toEqual(expect.arrayContaining(takenOver));
  });
});

describe('after a restore', () => {
  const subject = subjects[0] as Subject;
  let fixture: UserFixture;
  beforeAll(async () => {
    fixture = await fixtureOf(app, subject);
  });

  it('takes over each ad of an order of several, and creates the one that is missing', async () => {
    const {
      headline: _1,
      body: _2,
      callToAction: _3,
      linkUrl: _4,
      imageUrl: _5,
      ...rest
    } = goodAdOf(app, subject, fixture);
    const body = { ...rest, creatives: severalAds(3).creatives };
    await fault(app, subject, { fault: 'reset_after', match: { method: 'POST', path: subject.paths.ad }, skip: 1 });
    expect((await postAd(fixture, body, 'several')).status).toBe(502);
    await noFaults(app);
    const [, , existing = 0] = await counts(subject);
    await restore(fixture);
    const again = await postAd(fixture, body, 'several');
    expect(again).toMatchObject({ status: 201, body: { ads: [{}, {}, {}] } });
    expect((await counts(subject))[2]).toBe(existing + 1);
    await restore(fixture);
    const third = await postAd(fixture, body, 'several');
    const idsOf = ({ body: { ads } }: Answer): string[] => ads.map((ad: { platformAdId: string }) => ad.platformAdId);
    expect(idsOf(third)).toEqual(idsOf(again));
  });

  it('takes over an ad that a discovery has found since', async () => {
    const body = goodAdOf(app, subject, fixture);
    const { platformAdId } = (await postAd(fixture, body, 'found')).body.ad;
    await restore(fixture);
    await discovered(app, fixture);
    const listed = async (): Promise<object[]> =>
      (await app.call('GET', `/v1/ads?accountId=${fixture.accountId}`, { key: fixture.key })).body.ads.filter(
        (ad: { platformAdId: string }) => ad.platformAdId === platformAdId,
      );
    expect(await listed()).toMatchObject([{ isExternal: true }]);
    expect(await postAd(fixture, body, 'found')).toMatchObject({ status: 201, body: { ad: { platformAdId } } });
    expect(await listed()).toMatchObject([{ isExternal: false }]);
  });

  it('rejects calls with an Idempotency-Key with 503 while earlier requests can still arrive at a platform', async () => {
    await restore(fixture, 20);
    const before = await counts(subject);
    const refused = await postAd(fixture, goodAdOf(app, subject, fixture), 'early');
    expect(refused).toMatchObject({ status: 503, body: { code: 'temporarily_unavailable' } });
    expect(Number(refused.headers.get('Retry-After'))).toBeGreaterThan(30);
    expect(await counts(subject)).toEqual(before);
  });

  it('creates a second ad for an Idempotency-Key whose retention has ended, as without a restore', async () => {
    const body = goodAdOf(app, subject, fixture);
    await restore(fixture);
    await app.app.services.db.recordRestore(new Date(Date.now() - 2 * dayMs));
    const first = await postAd(fixture, body, 'old');
    const { db } = app.app.services;
    await db.idempotency.deleteMany({ userId: fixture.userId });
    await db.recordRestore(new Date(Date.now() - 61_000));
    const second = await postAd(fixture, body, 'old');
    expect(second.status).toBe(201);
    expect(second.body.ad.platformAdId).not.toBe(first.body.ad.platformAdId);
  });

  it('does not copy a campaign again under an Idempotency-Key that may have made a copy since the backup', async () => {
    const { platformCampaignId } = (await postAd(fixture, goodAdOf(app, subject, fixture), 'source')).body.ad;
    const { db } = app.app.services;
    const copy = (idempotencyKey?: string): Promise<Answer> =>
      app.call('POST', `/v1/ads/campaigns/${platformCampaignId}/duplicate`, {
        key: fixture.key,
        body: { platform: 'network-a', deepCopy: false },
        ...(idempotencyKey && { headers: { 'Idempotency-Key': idempotencyKey } }),
      });
    const { copiedCampaignId } = (await copy('copy')).body;
    const [campaigns = 0] = await counts(subject);
    await Promise.all([
      db.duplications.deleteMany({ userId: fixture.userId }),
      db.idempotency.deleteMany({ userId: fixture.userId, operation: 'duplicateCampaign' }),
      db.campaigns.deleteMany({ userId: fixture.userId, platformCampaignId: copiedCampaignId }),
      db.campaignDiscoveries.updateOne({ _id: fixture.accountId }, { $set: { startedAt: new Date(0) } }),
      db.recordRestore(new Date(Date.now() - 61_000)),
    ]);
    expect(await copy('copy')).toMatchObject({ status: 503, body: { code: 'temporarily_unavailable' } });
    await discovered(app, fixture);
    expect(await copy('copy')).toMatchObject({
      status: 409,
      body: { code: 'idempotency_in_progress', details: { campaignId: copiedCampaignId } },
    });
    expect((await counts(subject))[0]).toBe(campaigns);
    expect((await copy()).status).toBe(200);
    expect((await counts(subject))[0]).toBe(campaigns + 1);
  });

  it('forgets the restore when the retention of the keys has ended', async () => {
    const body = goodAdOf(app, subject, fixture);
    await postAd(fixture, body, 'late');
    await restore(fixture, dayMs / 1000);
    const [campaigns = 0] = await counts(subject);
    expect((await postAd(fixture, body, 'late')).status).toBe(201);
    expect((await counts(subject))[0]).toBe(campaigns + 1);
  });
});
