import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestApp, type Answer, type TestApp } from '../support/app.ts';
import { entry, type Held, heldBy, leaving, multiAd, type Received, receivedBy } from '../support/ads.ts';
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

describe('POST /v1/ads/create, refused', () => {
  describe('400', () => {
    const refused: [string, () => object, string, string][] = [
      ['a missing name', () => without('name'), 'name', 'missing_required_field'],
      ['a missing goal', () => without('goal'), 'goal', 'missing_required_field'],
      ['a missing budget', () => without('budgetAmount'), 'budgetAmount', 'missing_required_field'],
      ['a missing headline', () => without('headline'), 'headline', 'missing_required_field'],
      ['a missing callToAction', () => without('callToAction'), 'callToAction', 'missing_required_field'],
      ['a missing linkUrl', () => without('linkUrl'), 'linkUrl', 'missing_required_field'],
      ['neither image nor video', () => without('imageUrl'), 'imageUrl', 'missing_required_field'],
      ['a goal that is none', () => ({ ...goodAd(fixture), goal: 'fame' }), 'goal', 'invalid_field_value'],
      [
        'a headline beyond 255',
        () => ({ ...goodAd(fixture), headline: 'x'.repeat(256) }),
        'headline',
        'invalid_field_value',
      ],
      [
        'a call to action of another platform',
        () => ({ ...goodAd(fixture), callToAction: 'ATTEND' }),
        'callToAction',
        'invalid_field_value',
      ],
      [
        'both image and video',
        () => ({
          ...goodAd(fixture),
          video: { url: 'https://a.example/v.mp4', thumbnailUrl: 'https://a.example/t.png' },
        }),
        'video',
        'mutually_exclusive_fields',
      ],
      [
        'a video without thumbnail',
        () => ({ ...without('imageUrl'), video: { url: 'https://a.example/v.mp4' } }),
        'video.thumbnailUrl',
        'missing_required_field',
      ],
      [
        'a lifetime budget without end',
        () => ({ ...goodAd(fixture), budgetType: 'lifetime' }),
        'endDate',
        'missing_required_field',
      ],
      [
        'an end in the past',
        () => ({ ...goodAd(fixture), endDate: '2020-01-01T00:00:00Z' }),
        'endDate',
        'invalid_field_value',
      ],
      [
        'a start in the past',
        () => ({ ...goodAd(fixture), startDate: '2020-01-01T00:00:00Z' }),
        'startDate',
        'invalid_field_value',
      ],
      [
        'a start without offset',
        () => ({ ...goodAd(fixture), startDate: '2999-01-01T00:00:00' }),
        'startDate',
        'invalid_field_value',
      ],
      [
        'an end without offset',
        () => ({ ...goodAd(fixture), endDate: '2999-01-01T00:00:00' }),
        'endDate',
        'invalid_field_value',
      ],
      ['another currency', () => ({ ...goodAd(fixture), currency: 'EUR' }), 'currency', 'invalid_field_value'],
      [
        'fractions of a cent',
        () => ({ ...goodAd(fixture), budgetAmount: 10.005 }),
        'budgetAmount',
        'invalid_field_value',
      ],
      [
        'fractions of a yen',
        () => ({ ...goodAd(fixture), adAccountId: fixture.adAccountIds.jpy, budgetAmount: 500.5 }),
        'budgetAmount',
        'invalid_field_value',
      ],
      [
        'a budget below the minimum',
        () => ({ ...goodAd(fixture), budgetAmount: 0.5 }),
        'budgetAmount',
        'invalid_field_value',
      ],
      [
        'conversions without a pixel',
        () => ({ ...goodAd(fixture), goal: 'conversions' }),
        'promotedObject.pixelId',
        'missing_required_field',
      ],
      [
        'app promotion without an app',
        () => ({ ...goodAd(fixture), goal: 'app_promotion' }),
        'promotedObject.applicationId',
        'missing_required_field',
      ],
      [
        'a bid cap without amount',
        () => ({ ...goodAd(fixture), bidStrategy: 'LOWEST_COST_WITH_BID_CAP' }),
        'bidAmount',
        'missing_required_field',
      ],
      ['an amount without a cap', () => ({ ...goodAd(fixture), bidAmount: 2 }), 'bidAmount', 'invalid_field_value'],
      [
        'a minimum return for traffic',
        () => ({ ...goodAd(fixture), bidStrategy: 'LOWEST_COST_WITH_MIN_ROAS', roasAverageFloor: 2 }),
        'bidStrategy',
        'invalid_field_value',
      ],
      [
        'EU targeting without its two names',
        () => ({ ...goodAd(fixture), countries: ['US', 'DE'] }),
        'dsaBeneficiary',
        'missing_required_field',
      ],
      [
        'a city in the EU without its two names',
        () => ({ ...goodAd(fixture), cities: [{ key: '548540', countryCode: 'DE' }] }),
        'dsaPayor',
        'missing_required_field',
      ],
      [
        'ages the wrong way round',
        () => ({ ...goodAd(fixture), ageMin: 40, ageMax: 30 }),
        'ageMin',
        'invalid_field_value',
      ],
      [
        'a radius without unit',
        () => ({ ...goodAd(fixture), cities: [{ key: '1', radius: 20 }] }),
        'cities.0.distance_unit',
        'missing_required_field',
      ],
      ['a field of another platform', () => ({ ...goodAd(fixture), boardId: 'b' }), 'boardId', 'invalid_field_value'],
      [
        'a misspelt field, with the right one',
        () => ({ ...goodAd(fixture), headLine: 'x' }),
        'headLine',
        'unknown_field',
      ],
      ['creatives beside adSetId', () => multi({ adSetId: '1' }), 'creatives', 'mutually_exclusive_fields'],
      [
        'an inherited field beside adSetId',
        () => ({ ...without('goal', 'budgetType'), adSetId: '1' }),
        'budgetAmount',
        'mutually_exclusive_fields',
      ],
      [
        'more than fifty creatives',
        () => multi({ creatives: Array.from({ length: 51 }, () => entry) }),
        'creatives',
        'invalid_field_value',
      ],
    ];
    it.each(refused)('refuses %s', async (_what, body, path, code) => {
      const answer = await post(body());
      expect(answer.status).toBe(400);
      expect(answer.body.details.fields).toHaveProperty([path]);
      expect(answer.body).toMatchObject({
        type: 'invalid_request_error',
        error: expect.any(String),
        requestId: expect.any(String),
      });
      if (Object.keys(answer.body.details.fields).length === 1)
        expect(answer.body).toMatchObject({ code, param: path });
    });

    it('names every problem at once, the first by the order of the contract', async () => {
      const answer = await post({ ...without('name', 'headline'), goal: 'fame', boardId: 3, ageMin: 5 });
      expect(Object.keys(answer.body.details.fields)).toEqual(
        expect.arrayContaining(['name', 'goal', 'boardId', 'ageMin']),
      );
      expect(answer.body.param).toBe('name');
    });

    it('names all platform rules at once', async () => {
      const answer = await post({ ...without('headline', 'callToAction'), budgetAmount: 0.5, countries: ['FR'] });
      expect(Object.keys(answer.body.details.fields).toSorted()).toEqual([
        'budgetAmount',
        'callToAction',
        'dsaBeneficiary',
        'dsaPayor',
        'headline',
      ]);
    });

    it('asks nothing of the platform before every local check has passed', async () => {
      await post(goodAd(fixture));
      expect(await received(() => post({ ...goodAd(fixture), headline: 'x'.repeat(300) }))).toEqual([]);
    });

    it('hints at the nearest known name of an unknown field', async () => {
      const answer = await post({ ...goodAd(fixture), headLine: 'x' });
      expect(answer.body.details.fields['headLine'][0]).toContain('did you mean headline');
    });

    it('gives the EU rule of the platform the same 400 when only the platform knows the country', async () => {
      const answer = await post({ ...goodAd(fixture), cities: [{ key: '548540' }] });
      expect(answer.status).toBe(400);
      expect(Object.keys(answer.body.details.fields).toSorted()).toEqual(['dsaBeneficiary', 'dsaPayor']);
    });

    it('forwards what the platform refuses, with its codes and what exists by then', async () => {
      const answer = await post({ ...goodAd(fixture), interests: [{ id: '9876543210', name: 'Nothing' }] });
      expect(answer).toMatchObject({
        status: 400,
        body: {
          code: 'platform_api_error',
          type: 'platform_error',
          platform: 'A',
          platformError: { code: 100 },
          details: { adId: expect.any(String), created: { platformCampaignId: expect.any(String) } },
        },
      });
      const ad = await app.call('GET', `/v1/ads/${answer.body.details.adId}`, { key: fixture.key });
      expect(ad.body.ad).toMatchObject({
        status: 'error',
        rejectionReason: expect.stringContaining('9876543210'),
      });
    });

    it('names the field inside the creative that the platform refused', async () => {
      const broken = { url: 'https://shop.example/broken.mp4', thumbnailUrl: 'https://shop.example/t.png' };
      const { imageUrl: _image, ...withoutImage } = entry;
      const answer = await post(multi({ creatives: [entry, { ...withoutImage, video: broken }] }));
      expect(answer).toMatchObject({
        status: 400,
        body: { param: 'creatives.1.video', details: { creativeIndex: 1 } },
      });
      expect(Object.keys(answer.body.details.fields)).toEqual(['creatives.1.video']);
    });

    it('names the creative that failed', async () => {
      await fetch(`${app.sandbox.url}/control/faults`, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json' },
        body: JSON.stringify({
          platform: 'network-a',
          fault: 'policy_block',
          match: { method: 'POST', path: 'adcreatives' },
          skip: 1,
        }),
      });
      const answer = await post(multi());
      expect(answer).toMatchObject({
        status: 400,
        body: { details: { creativeIndex: 1, created: { platformAdIds: [expect.any(String)] } } },
      });
    });
  });

  describe('401', () => {
    it('refuses a missing key', async () => {
      const answer = await app.call('POST', '/v1/ads/create', { body: goodAd(fixture) });
      expect(answer).toMatchObject({
        status: 401,
        body: { code: 'missing_credentials', type: 'authentication_error' },
      });
    });

    it('says so when the platform no longer takes the token, and asks to reconnect', async () => {
      const other = await createUserFixture(app);
      await fetch(`${app.sandbox.url}/control/network-a/tokens/expire`, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json' },
        body: JSON.stringify({ token: other.token }),
      });
      const answer = await post(goodAd(other), other.key);
      expect(answer).toMatchObject({ status: 401, body: { code: 'platform_token_expired' } });
      const account = await app.call('GET', `/v1/accounts/${other.accountId}`, { key: other.key });
      expect(account.body.account.needsReconnect).toBe(true);
    });
  });

  describe('403', () => {
    it('refuses a read-only key before it looks at the body', async () => {
      const { key } = await fixture.keyWith({ permission: 'read' });
      expect(await post({ nonsense: true }, key)).toMatchObject({
        status: 403,
        body: { code: 'insufficient_permissions' },
      });
    });

    it.each(['free', 'build', 'accelerate', 'unlimited'] as const)(
      'asks for ads access on the plan %s',
      async (plan) => {
        const other = await createUserFixture(app, { plan });
        expect(await post(goodAd(other), other.key)).toMatchObject({
          status: 403,
          body: { code: 'ads_access_required' },
        });
      },
    );

    it('takes a legacy plan with the add-on', async () => {
      const other = await createUserFixture(app, { plan: 'free', addons: ['ads'] });
      expect((await post(goodAd(other), other.key)).status).toBe(201);
    });
  });

  describe('422', () => {
    it.each([
      ['an unknown account', () => ({ accountId: 'a'.repeat(24) })],
      ['an ad account that the connection does not reach', () => ({ adAccountId: '999' })],
    ])('refuses %s', async (_what, extra) => {
      expect(await post({ ...goodAd(fixture), ...extra() })).toMatchObject({
        status: 422,
        body: { code: 'linked_account_required' },
      });
    });

    it("refuses another user's account and one outside the key's profiles alike", async () => {
      const other = await createUserFixture(app);
      const foreign = await post(goodAd(other));
      const profile = await app.call('POST', '/v1/profiles', { key: fixture.key, body: { name: 'Elsewhere' } });
      const { key } = await fixture.keyWith({ scope: 'profiles', profileIds: [profile.body.profile._id] });
      const outside = await post(goodAd(fixture), key);
      for (const answer of [foreign, outside])
        expect(answer).toMatchObject({ status: 422, body: { code: 'linked_account_required' } });
    });
  });

  describe('429 and 502', () => {
    const fault = (name: string, path: string): Promise<unknown> =>
      fetch(`${app.sandbox.url}/control/faults`, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json' },
        body: JSON.stringify({ platform: 'network-a', fault: name, match: { method: 'POST', path } }),
      });

    it('passes a rate limit on with the time to wait', async () => {
      await fault('rate_limited', 'campaigns');
      const answer = await post(goodAd(fixture));
      expect(answer).toMatchObject({ status: 429, body: { code: 'rate_limited', platform: 'A' } });
      expect(answer.headers.get('retry-after')).toBe('120');
    });

    it.each(['http_500', 'html_502', 'reset_after', 'malformed', 'huge', 'ok_with_error', 'transient'])(
      'keeps an ad unconfirmed after %s and never sends it again',
      async (name) => {
        const before = (await objectsAt('campaign')).length;
        await fault(name, 'campaigns');
        const headers = { 'Idempotency-Key': `unknown-${name}` };
        const answer = await post(goodAd(fixture), fixture.key, headers);
        expect(answer).toMatchObject({
          status: 502,
          body: { code: 'platform_api_error', details: { adId: expect.any(String) } },
        });
        const ad = await app.call('GET', `/v1/ads/${answer.body.details.adId}`, { key: fixture.key });
        expect(ad.body.ad.status).toBe('unconfirmed');
        await post(goodAd(fixture), fixture.key, headers);
        expect((await objectsAt('campaign')).length - before).toBeLessThanOrEqual(1);
      },
    );
  });
});
