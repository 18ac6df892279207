import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestApp, type Answer, type TestApp } from '../support/app.ts';
import { type Held, heldBy, leaving, multiAd, type Received, receivedBy } from '../support/ads.ts';
import { goodAd, createUserFixture, type UserFixture } from '../support/user-fixture.ts';

let app: TestApp;
let fixture: UserFixture;

beforeAll(async () => {
  app = await startTestApp({ ROLE: 'api' });
  fixture = await createUserFixture(app);
});
afterAll(() => app.stop());

const post = (body: object, key = fixture.key, headers: Record<string, string> = {}): Promise<Answer> =>
  app.call('POST', '/v1/ads/create', { key, body, headers });
const without = (...names: string[]): Record<string, unknown> => leaving(goodAd(fixture), ...names);
const multi = (extra: object = {}): object => multiAd(fixture, extra);
const received = (run: () => Promise<unknown>): Promise<Received[]> => receivedBy(app, run);
const objectsAt = (type: string): Promise<Held[]> => heldBy(app, type);

describe('POST /v1/ads/create', () => {
  describe('201', () => {
    it('makes a legacy ad and answers {ad, message} with what the platform gave', async () => {
      const answer = await post(goodAd(fixture));
      expect(answer).toMatchObject({ status: 201, body: { message: expect.any(String) } });
      expect(Object.keys(answer.body).toSorted()).toEqual(['ad', 'message']);
      const { ad } = answer.body;
      expect(ad).toMatchObject({
        name: 'Spring sale',
        platform: 'network-a',
        status: 'active',
        goal: 'traffic',
        isExternal: false,
        adType: 'standalone',
        budget: { amount: 20, type: 'daily' },
        accountId: fixture.accountId,
        profileId: fixture.profileId,
        platformAdAccountId: fixture.adAccountIds.usd,
      });
      expect(ad.campaignName).toBe('Spring sale');
      const campaigns = await objectsAt('campaign');
      expect(campaigns.find(({ id }) => id === ad.platformCampaignId)?.fields).toMatchObject({
        name: `Spring sale ${String(ad._id).slice(-8)}`,
        status: 'ACTIVE',
      });
    });

    it('makes everything paused and switches the campaign on last', async () => {
      const entries = await received(() => post(goodAd(fixture)));
      const writes = entries.filter(({ method }) => method === 'POST');
      expect(writes.map(({ path }) => path.split('/').at(-1))).toEqual([
        'campaigns',
        'adsets',
        'adcreatives',
        'ads',
        expect.stringMatching(/^\d+$/),
      ]);
      expect(writes[0]?.body).toMatchObject({ status: 'PAUSED' });
      expect(writes[4]?.body).toEqual({ status: 'ACTIVE' });
    });

    it('leaves a PAUSED ad paused', async () => {
      const answer = await post({ ...goodAd(fixture), status: 'PAUSED' });
      expect(answer.body.ad).toMatchObject({ status: 'paused' });
    });

    it('makes one campaign with an ad for each creative and answers {ads, ids, message}', async () => {
      const answer = await post(multi());
      expect(answer.status).toBe(201);
      expect(Object.keys(answer.body).toSorted()).toEqual(['ads', 'message', 'platformAdSetId', 'platformCampaignId']);
      expect(answer.body.ads).toHaveLength(2);
      expect(new Set(answer.body.ads.map((ad: { platformAdId: string }) => ad.platformAdId)).size).toBe(2);
      expect(answer.body.ads[0].platformCampaignId).toBe(answer.body.platformCampaignId);
    });

    it('adds one ad to an existing ad set and inherits its goal', async () => {
      const { ad: first } = (await post(goodAd(fixture))).body;
      const attach = { ...without('goal', 'budgetAmount', 'budgetType'), adSetId: first.platformAdSetId };
      const entries = await received(async () => {
        const answer = await post(attach);
        expect(answer).toMatchObject({
          status: 201,
          body: { ad: { platformAdSetId: first.platformAdSetId, goal: 'traffic' } },
        });
      });
      expect(entries.some(({ path, method }) => method === 'POST' && /campaigns|adsets/.test(path))).toBe(false);
    });

    it.each(['ad_set', 'campaign'])('shows an attached ad with the terms of its %s', async (budgetLevel) => {
      const terms = { budgetLevel, bidStrategy: 'COST_CAP', bidAmount: 3, countries: ['US', 'CA'], ageMin: 25 };
      const endDate = new Date((Math.floor(Date.now() / 1000) + 10 * 86_400) * 1000).toISOString();
      const { ad: first } = (await post({ ...goodAd(fixture), ...terms, endDate })).body;
      const attach = { ...without('goal', 'budgetAmount', 'budgetType'), adSetId: first.platformAdSetId };
      // As if the ad set had been made elsewhere and not been discovered yet.
      const { campaigns, adSets } = app.app.services.db;
      await campaigns.deleteOne({ platformCampaignId: first.platformCampaignId });
      await adSets.deleteOne({ platformAdSetId: first.platformAdSetId });
      const { ad } = (await post(attach)).body;
      const { budget, schedule, declarations, targeting } = first;
      expect(ad).toMatchObject({ budget, budgetLevel, declarations, schedule: { endDate: schedule.endDate } });
      expect(ad.targeting).toMatchObject({ countries: targeting.countries, ageMin: 25 });
      if (budgetLevel === 'ad_set') expect(ad).toMatchObject({ bidStrategy: 'COST_CAP', bidAmount: 3 });
      const stored = (await app.call('GET', `/v1/ads/${ad._id}`, { key: fixture.key })).body.ad;
      for (const name of ['budget', 'budgetLevel', 'schedule', 'targeting', 'declarations', 'bidAmount'])
        expect(stored[name]).toEqual(ad[name]);
      const { amount, type } = budget;
      const levels = {
        campaign: await campaigns.findOne({ platformCampaignId: first.platformCampaignId }).lean(),
        ad_set: await adSets.findOne({ platformAdSetId: first.platformAdSetId }).lean(),
      };
      for (const [level, record] of Object.entries(levels))
        expect(record).toMatchObject(
          budgetLevel === 'campaign'
            ? { budgetLevel, budget: level === budgetLevel ? { amount, type } : null }
            : { budgetLevel: null, budget: null },
        );
    });

    it('makes a video ad once the platform has worked the video up', async () => {
      const video = { url: 'https://shop.example/film.mp4', thumbnailUrl: 'https://shop.example/film.png' };
      const answer = await post({ ...without('imageUrl'), goal: 'video_views', video });
      expect(answer).toMatchObject({ status: 201, body: { ad: { goal: 'video_views' } } });
    });

    it.each([
      ['usd', 12.34, '1234'],
      ['eur', 20, '2000'],
      ['jpy', 5000, '5000'],
    ] as const)(
      'sends a budget of %s %s in the smallest unit of its currency',
      async (currency, budgetAmount, wire) => {
        const entries = await received(() =>
          post({ ...goodAd(fixture), adAccountId: fixture.adAccountIds[currency], budgetAmount }),
        );
        expect(entries.find(({ path }) => path.endsWith('/adsets'))?.body).toMatchObject({ daily_budget: wire });
      },
    );

    it('names ignored fields in warnings', async () => {
      const attributionSpec = [{ eventType: 'CLICK_THROUGH', windowDays: 7 }];
      const answer = await post({ ...goodAd(fixture), attributionSpec });
      expect(answer.body.warnings).toEqual([
        { param: 'attributionSpec', message: expect.stringContaining('conversions') },
      ]);
      const both = await post(multi({ headline: 'Above' }));
      expect(both.body.warnings).toMatchObject([{ param: 'headline' }]);
    });

    it('reports an ad that the platform disapproved with its reason', async () => {
      const answer = await post({ ...goodAd(fixture), name: 'Sale [review:rejected]' });
      expect(answer.body.ad).toMatchObject({
        status: 'rejected',
        rejectionReason: expect.stringContaining('rejected'),
      });
    });

    it('takes an ad account with its prefix', async () => {
      expect((await post({ ...goodAd(fixture), adAccountId: `act_${fixture.adAccountIds.usd}` })).status).toBe(201);
    });
  });

  describe('200 with validateOnly', () => {
    it('shows the exact requests without secrets and makes nothing', async () => {
      const before = (await objectsAt('campaign')).length;
      const answer = await post({ ...goodAd(fixture), validateOnly: true });
      expect(answer).toMatchObject({ status: 200, body: { valid: true } });
      expect(answer.body.requests.map(({ url }: { url: string }) => url.split('/').at(-1))).toEqual([
        'campaigns',
        'adsets',
        'adcreatives',
        'ads',
        expect.any(String),
      ]);
      expect(JSON.stringify(answer.body)).not.toContain(fixture.token);
      expect((await objectsAt('campaign')).length).toBe(before);
      const list = await app.call('GET', '/v1/ads?limit=1', { key: fixture.key });
      expect(list.body.ads[0]?.name).not.toBe('dry');
    });

    it('refuses what a real request would refuse', async () => {
      expect((await post({ ...without('headline'), validateOnly: true })).status).toBe(400);
    });
  });
});
