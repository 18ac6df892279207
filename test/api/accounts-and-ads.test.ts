import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestApp, type TestApp } from '../support/app.ts';
import { goodAd, createUserFixture, type UserFixture } from '../support/user-fixture.ts';

let app: TestApp;
let fixture: UserFixture;
let adIds: string[];

beforeAll(async () => {
  app = await startTestApp({ ROLE: 'api' });
  fixture = await createUserFixture(app);
  adIds = [];
  for (const name of ['First', 'Second', 'Third']) {
    const { body } = await app.call('POST', '/v1/ads/create', { key: fixture.key, body: { ...goodAd(fixture), name } });
    adIds.push(body.ad._id);
  }
});
afterAll(() => app.stop());

const get = (path: string, key = fixture.key) => app.call('GET', path, { key });

describe('GET /v1/accounts', () => {
  it('lists accounts without a token', async () => {
    const { body } = await get('/v1/accounts');
    expect(body).toMatchObject({
      accounts: [{ _id: fixture.accountId, platform: 'network-a', isActive: true, adsConnected: true }],
      pagination: { total: 1 },
    });
    expect(JSON.stringify(body)).not.toContain(fixture.token);
  });

  it.each([
    ['network-a', 1],
    ['listing', 0],
  ])('filters by platform %s', async (platform, count) => {
    expect((await get(`/v1/accounts?platform=${platform}`)).body.accounts).toHaveLength(count);
  });

  it('400: a mistyped filter never shows everything', async () => {
    expect(await get('/v1/accounts?profileid=abc')).toMatchObject({
      status: 400,
      body: { code: 'unknown_field', param: 'profileid' },
    });
    expect((await get('/v1/accounts?platform=network-z')).status).toBe(400);
  });

  it('shows a restricted key what hangs on its profiles', async () => {
    const { body } = await app.call('POST', '/v1/profiles', { key: fixture.key, body: { name: 'Empty' } });
    const { key } = await fixture.keyWith({ scope: 'profiles', profileIds: [body.profile._id] });
    expect((await get('/v1/accounts', key)).body.accounts).toEqual([]);
    expect((await get(`/v1/accounts/${fixture.accountId}`, key)).status).toBe(404);
    expect((await get(`/v1/accounts?profileId=${fixture.profileId}`, key)).body.accounts).toEqual([]);
  });
});

describe('GET /v1/accounts/{accountId}', () => {
  it('answers one', async () => {
    expect((await get(`/v1/accounts/${fixture.accountId}`)).body.account).toMatchObject({
      _id: fixture.accountId,
      needsReconnect: false,
    });
  });

  it('404: unknown and foreign look the same', async () => {
    const other = await createUserFixture(app);
    for (const id of ['f'.repeat(24), other.accountId])
      expect(await get(`/v1/accounts/${id}`)).toMatchObject({ status: 404, body: { code: 'account_not_found' } });
  });
});

describe('GET /v1/ads', () => {
  it('lists ads, newest first, with everything that is known', async () => {
    const { body } = await get('/v1/ads');
    expect(body.ads.map(({ name }: { name: string }) => name)).toEqual(['Third', 'Second', 'First']);
    expect(Object.keys(body.ads[0]).toSorted()).toEqual(
      '_id accountId adSetName adType bidAmount bidStrategy budget budgetLevel campaignName createdAt creative currency declarations goal isExternal metrics name platform platformAdAccountId platformAdId platformAdSetId platformCampaignId profileId promotedObject rejectionReason removal removedAt roasAverageFloor schedule status targeting updatedAt urlParameters'
        .split(' ')
        .toSorted(),
    );
  });

  it.each([
    ['status=active', 3],
    ['status=error', 0],
    ['platform=network-a', 3],
    ['platform=network-b', 0],
  ])('filters by %s', async (query, count) => {
    expect((await get(`/v1/ads?${query}`)).body.ads).toHaveLength(count);
  });

  it('pages', async () => {
    const { body } = await get('/v1/ads?page=2&limit=2');
    expect(body.ads.map(({ name }: { name: string }) => name)).toEqual(['First']);
    expect(body.pagination).toEqual({ page: 2, limit: 2, total: 3, totalIsExact: true, pages: 2, nextCursor: null });
  });

  it('pages by cursor, which GraphQL accepts too', async () => {
    const first = (await get('/v1/ads?limit=2')).body.pagination;
    expect(first).toMatchObject({ page: 1, total: 3 });
    const { body } = await get(`/v1/ads?limit=2&cursor=${first.nextCursor}`);
    expect(body.ads.map(({ name }: { name: string }) => name)).toEqual(['First']);
    expect(body.pagination).toEqual({ page: null, limit: 2, total: 3, totalIsExact: true, pages: 2, nextCursor: null });
    const query = `{ ads(after: "${first.nextCursor}") { totalCount totalIsExact nodes { name } pageInfo { hasPreviousPage } } }`;
    expect((await app.graphql(query, {}, { key: fixture.key })).body.data.ads).toEqual({
      totalCount: 3,
      totalIsExact: true,
      nodes: [{ name: 'First' }],
      pageInfo: { hasPreviousPage: true },
    });
  });

  it('400: a page number beside a cursor', async () => {
    const { nextCursor } = (await get('/v1/ads?limit=2')).body.pagination;
    expect(await get(`/v1/ads?page=1&cursor=${nextCursor}`)).toMatchObject({
      status: 400,
      body: { code: 'mutually_exclusive_fields', param: 'cursor' },
    });
  });

  it('shows other people nothing', async () => {
    const other = await createUserFixture(app);
    expect((await get('/v1/ads', other.key)).body.ads).toEqual([]);
    expect(await get(`/v1/ads/${adIds[0]}`, other.key)).toMatchObject({ status: 404, body: { code: 'ad_not_found' } });
  });

  it('pages by cursor through GraphQL', async () => {
    const query =
      'query ($after: String) { ads(first: 2, after: $after) { totalCount nodes { name } edges { cursor } pageInfo { hasNextPage endCursor } } }';
    const first = (await app.graphql(query, {}, { key: fixture.key })).body.data.ads;
    expect(first).toMatchObject({
      totalCount: 3,
      nodes: [{ name: 'Third' }, { name: 'Second' }],
      pageInfo: { hasNextPage: true },
    });
    const second = (await app.graphql(query, { after: first.pageInfo.endCursor }, { key: fixture.key })).body.data.ads;
    expect(second).toMatchObject({ nodes: [{ name: 'First' }], pageInfo: { hasNextPage: false } });
    const wrong = await app.graphql(query, { after: 'nonsense' }, { key: fixture.key });
    expect(wrong.body.errors[0].extensions).toMatchObject({ code: 'invalid_field_value', param: 'after' });
  });
});

describe('GET /v1/ads/{adId}', () => {
  it('answers one', async () => {
    expect((await get(`/v1/ads/${adIds[0]}`)).body.ad).toMatchObject({
      _id: adIds[0],
      name: 'First',
      budget: { amount: 20, type: 'daily' },
    });
  });

  it('has creative, targeting, promoted object and metrics with all their members, in both APIs', async () => {
    const targeting = {
      cities: [{ key: '2490299', radius: 20, distance_unit: 'kilometer', countryCode: 'US' }],
      ageMin: 21,
    };
    const promotedObject = { pixelId: '42', customEventType: 'PURCHASE' };
    const created = await app.call('POST', '/v1/ads/create', {
      key: fixture.key,
      body: { ...goodAd(fixture), ...targeting, goal: 'conversions', promotedObject },
    });
    const { _id } = created.body.ad;
    const { ad } = (await get(`/v1/ads/${_id}`)).body;
    expect(ad.creative).toEqual({
      headline: 'Spring is here',
      longHeadline: null,
      body: 'Everything for the garden.',
      callToAction: 'SHOP_NOW',
      linkUrl: 'https://shop.example/spring',
      imageUrl: 'https://shop.example/spring.jpg',
      images: null,
      video: null,
      businessName: null,
      additionalHeadlines: null,
      additionalDescriptions: null,
    });
    expect(ad.targeting).toMatchObject({
      cities: [{ key: '2490299', radius: 20, distanceUnit: 'kilometer', countryCode: 'US' }],
      ageMin: 21,
      ageMax: null,
      gender: null,
    });
    expect(ad.promotedObject).toMatchObject({ ...promotedObject, leadFormId: null });
    const query = `query ($id: ID!) { ad(adId: $id) {
      metrics { spend currency impressions clicks } promotedObject { pixelId customEventType leadFormId }
      creative { headline body linkUrl callToAction images { square } video { url } }
      targeting { countries cities { key radius distanceUnit countryCode } ageMin ageMax gender } } }`;
    const { data } = (await app.graphql(query, { id: _id }, { key: fixture.key })).body;
    expect(data.ad).toMatchObject({
      metrics: ad.metrics,
      promotedObject: { ...promotedObject, leadFormId: null },
      creative: { headline: 'Spring is here', callToAction: 'SHOP_NOW', images: null, video: null },
      targeting: { cities: [{ key: '2490299', distanceUnit: 'KILOMETER' }], ageMin: 21, ageMax: null, gender: null },
    });
  });

  it('has metrics as the platform reported them, beside their currency', async () => {
    const metrics = { spend: 12.5, impressions: 900, clicks: 30 };
    await app.app.services.db.ads.updateOne({ _id: adIds[0] }, { $set: { metrics } });
    expect((await get(`/v1/ads/${adIds[0]}`)).body.ad.metrics).toEqual({ ...metrics, currency: 'USD' });
  });
});
