import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestApp, type Answer, type TestApp } from '../support/app.ts';
import { leaving } from '../support/ads.ts';
import { goodAd, createUserFixture, type UserFixture } from '../support/user-fixture.ts';

let app: TestApp;
let fixture: UserFixture;
let listing: UserFixture;
beforeAll(async () => {
  app = await startTestApp();
  [fixture, listing] = await Promise.all([createUserFixture(app), createUserFixture(app, { platform: 'listing' })]);
});
afterAll(() => app.stop());

const get = (path: string, key = fixture.key): Promise<Answer> => app.call('GET', path, { key });
const gone = 'f'.repeat(24);

describe('GET /v1/ads/targeting/search', () => {
  it('finds cities with their country, under both spellings of the filter', async () => {
    for (const name of ['country_code', 'countryCode']) {
      const answer = await get(`/v1/ads/targeting/search?type=city&q=berlin&${name}=de`);
      expect(answer).toMatchObject({
        status: 200,
        body: { results: [{ name: 'Berlin', type: 'city', countryCode: 'DE' }] },
      });
      expect(answer.body.results[0].key).toMatch(/^\d+$/);
    }
  });

  it('finds regions and countries', async () => {
    expect((await get('/v1/ads/targeting/search?type=region&q=california')).body.results[0]).toMatchObject({
      countryCode: 'US',
    });
    expect((await get('/v1/ads/targeting/search?type=country&q=germany')).body.results[0]).toMatchObject({ key: 'DE' });
  });

  it('finds languages by their name on search and display', async () => {
    const own = await createUserFixture(app, { platform: 'search-display' });
    const path = `/v1/ads/targeting/search?type=language&q=Germ&accountId=${own.accountId}`;
    expect(await get(path, own.key)).toMatchObject({
      status: 200,
      body: { results: [{ key: '1001', name: 'German', type: 'language' }] },
    });
  });

  it.each([
    ['q', '/v1/ads/targeting/search?type=city'],
    ['type', '/v1/ads/targeting/search?q=berlin'],
    ['countryCode', '/v1/ads/targeting/search?type=city&q=berlin&countryCode=Germany'],
    ['limit', '/v1/ads/targeting/search?type=city&q=berlin&limit=101'],
  ])('says 400 for a missing or wrong %s', async (param, path) => {
    expect(await get(path)).toMatchObject({ status: 400, body: { param } });
  });

  it('says 404 for an account of a platform without ads, and for an unknown one', async () => {
    const path = '/v1/ads/targeting/search?type=city&q=berlin&accountId=';
    expect(await get(path + listing.accountId, listing.key)).toMatchObject({
      status: 404,
      body: { code: 'account_not_found' },
    });
    expect(await get(path + gone)).toMatchObject({
      status: 404,
      body: { code: 'account_not_found', param: 'accountId' },
    });
    expect((await get(path + fixture.accountId, listing.key)).status).toBe(404);
  });

  it('says 422 without an account when the key reaches none of platform A', async () => {
    const answer = await get('/v1/ads/targeting/search?type=city&q=berlin', listing.key);
    expect(answer).toMatchObject({ status: 422, body: { code: 'linked_account_required', param: 'accountId' } });
  });

  it('applies the EU rule to a city whose country the caller omits', async () => {
    const [city] = (await get('/v1/ads/targeting/search?type=city&q=berlin&country_code=DE')).body.results;
    const body = { ...goodAd(fixture), cities: [{ key: city.key }] };
    const answer = await app.call('POST', '/v1/ads/create', { key: fixture.key, body });
    expect(answer).toMatchObject({ status: 400, body: { code: 'missing_required_field', param: 'dsaBeneficiary' } });
    const declared = { ...body, dsaBeneficiary: 'Shop', dsaPayor: 'Shop' };
    expect((await app.call('POST', '/v1/ads/create', { key: fixture.key, body: declared })).status).toBe(201);
  });
});

describe('the other look-ups', () => {
  it('find interests that createAd takes', async () => {
    const { interests } = (await get('/v1/ads/interests?q=foot')).body;
    expect(interests[0]).toMatchObject({ id: expect.any(String), name: expect.any(String) });
    const body = {
      ...goodAd(fixture),
      interests: interests.map(({ id, name }: { id: string; name: string }) => ({ id, name })),
    };
    expect((await app.call('POST', '/v1/ads/create', { key: fixture.key, body })).status).toBe(201);
  });

  it('answer the same through GraphQL', async () => {
    const query = `{
      targetingSearch(type: CITY, q: "berlin", countryCode: "DE") { key name countryCode }
      interests(q: "foot") { id name }
      adAccounts(accountId: "${fixture.accountId}") { id currency isActive }
      platforms { platform goals canDuplicate }
    }`;
    const { body } = await app.graphql(query, {}, { key: fixture.key });
    expect(body.errors).toBeUndefined();
    expect(body.data.targetingSearch).toEqual(
      (await get('/v1/ads/targeting/search?type=city&q=berlin&countryCode=DE')).body.results.map(
        ({ key, name, countryCode }: Record<string, string>) => ({ key, name, countryCode }),
      ),
    );
    expect(body.data.adAccounts.map(({ currency }: { currency: string }) => currency)).toEqual(['USD', 'EUR', 'JPY']);
    expect(body.data.platforms.map(({ platform }: { platform: string }) => platform)).toEqual([
      'A',
      'B',
      'C',
      'D',
      'E',
      'F',
    ]);
  });

  it('ask the platform for ad accounts once an hour', async () => {
    const own = await createUserFixture(app);
    const path = `/v1/ads/accounts?accountId=${own.accountId}`;
    await fetch(`${app.sandbox.url}/ledger`, { method: 'DELETE' });
    await get(path, own.key);
    await get(path, own.key);
    const { entries } = (await (await fetch(`${app.sandbox.url}/ledger?path=adaccounts`)).json()) as {
      entries: unknown[];
    };
    expect(entries).toHaveLength(1);
  });
});

describe('PUT /v1/ads/{adId}', () => {
  const make = async (of = fixture, extra: object = {}): Promise<Answer['body']> =>
    (await app.call('POST', '/v1/ads/create', { key: of.key, body: { ...goodAd(of), ...extra } })).body.ad;
  const put = (path: string, body: object, key = fixture.key): Promise<Answer> =>
    app.call('PUT', `/v1/ads/${path}`, { key, body });

  it.each([
    [{}, 'name'],
    [{ budgetAmount: 0.5 }, 'budgetAmount'],
    [{ budgetAmount: 10.005 }, 'budgetAmount'],
    [{ endDate: '2020-01-01T00:00:00Z' }, 'endDate'],
    [{ endDate: 'tomorrow' }, 'endDate'],
    [{ name: '' }, 'name'],
  ])('says 400 for %j, before anything is sent', async (body, param) => {
    const ad = await make();
    expect(await put(ad._id, body)).toMatchObject({ status: 400, body: { param } });
  });

  it('says 400 for an ad that is not at its platform', async () => {
    const body = { ...leaving(goodAd(fixture), 'name'), name: 'Fails [fault:http_500]' };
    const failed = await app.call('POST', '/v1/ads/create', { key: fixture.key, body });
    expect(await put(failed.body.details.adId, { name: 'x' })).toMatchObject({ status: 400, body: { param: 'adId' } });
  });

  it('says 403 without ads access or with a key that may only read, and 404 for an ad of another', async () => {
    const ad = await make();
    const reader = (await fixture.keyWith({ permission: 'read' })).key;
    expect(await put(ad._id, { name: 'x' }, reader)).toMatchObject({
      status: 403,
      body: { code: 'insufficient_permissions' },
    });
    expect(await put(ad._id, { name: 'x' }, listing.key)).toMatchObject({
      status: 404,
      body: { code: 'ad_not_found' },
    });
    expect((await put(`${gone}/status`, { status: 'PAUSED' })).status).toBe(404);
  });

  it('publishes one event for an ad whose status was changed', async () => {
    const ad = await make();
    await put(`${ad._id}/status`, { status: 'PAUSED' });
    await put(`${ad._id}/status`, { status: 'PAUSED' });
    const published = async (): Promise<unknown[]> => {
      const events = await app.app.services.db.webhookEvents.find({ type: 'ad.status_changed' }).lean();
      return events
        .map(({ body }) => (JSON.parse(body) as { ad: Record<string, unknown> }).ad)
        .filter(({ _id }) => _id === ad._id);
    };
    await expect.poll(published).toMatchObject([{ status: 'paused', previousStatus: 'active' }]);
  });

  it('gives its new budget to the other ads of its ad set', async () => {
    const first = await make();
    const attach = {
      ...leaving(goodAd(fixture), 'goal', 'budgetAmount', 'budgetType'),
      adSetId: first.platformAdSetId,
    };
    const second = (await app.call('POST', '/v1/ads/create', { key: fixture.key, body: attach })).body.ad;
    await put(first._id, { budgetAmount: 33 });
    expect((await get(`/v1/ads/${second._id}`)).body.ad.budget).toEqual({ amount: 33, currency: 'USD', type: 'daily' });
  });
});
