import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { startTestApp, type Answer, type TestApp } from '../support/app.ts';
import type { UserFixture } from '../support/user-fixture.ts';
import {
  adsIn,
  campaignNameAt,
  campaignSwitch,
  fault,
  goodAdOf,
  namesAt,
  noFaults,
  received,
  subjects,
  fixtureOf,
  type FaultOrder,
} from './platforms.ts';
import { sampleOf } from '../support/sample.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp({ PLATFORM_TIMEOUT_SECONDS: '4' });
});
afterAll(() => app.stop());
afterEach(() => noFaults(app));

let keys = 0;
const newKey = (): string => `order-${(keys += 1)}`;

describe.each(subjects)('platform $platform', (subject) => {
  let fixture: UserFixture;
  beforeAll(async () => {
    fixture = await fixtureOf(app, subject);
  });
  const post = (body: object, idempotencyKey = newKey(), key = fixture.key): Promise<Answer> =>
    app.call('POST', '/v1/ads/create', { key, body, headers: { 'Idempotency-Key': idempotencyKey } });
  const ad = (of = fixture): Record<string, unknown> => goodAdOf(app, subject, of);
  const injectFault = (order: FaultOrder): Promise<void> => fault(app, subject, order);
  const control = (path: string, body: object): Promise<Response> =>
    fetch(`${app.sandbox.url}/control/${subject.simulated}/${path}`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify(body),
    });
  /** How many campaigns, ad sets and ads of an order stand at the platform. */
  const counts = async (body: Record<string, unknown>): Promise<Record<string, number>> => {
    const { campaign, adSet } = subject.kinds;
    const [campaigns, adSets] = await Promise.all([namesAt(app, subject, campaign), namesAt(app, subject, adSet)]);
    const ours = (names: string[]): number =>
      names.filter((name) => name.startsWith(`${String(body['name'])} `)).length;
    return { campaigns: ours(campaigns), adSets: ours(adSets) };
  };
  const needsReconnect = async (of: UserFixture): Promise<boolean> =>
    (await app.call('GET', `/v1/accounts/${of.accountId}`, { key: of.key })).body.account.needsReconnect;

  describe('a token that has ended', () => {
    // Five requests at once on a busy machine may take longer than the short time-out of the other tests.
    let withShortTimeout: TestApp;
    beforeAll(async () => {
      withShortTimeout = app;
      app = await startTestApp();
    });
    afterAll(async () => {
      await app.stop();
      app = withShortTimeout;
    });

    it('is renewed once for all requests where the platform renews, and else ends the connection', async () => {
      const own = await fixtureOf(app, subject);
      const [first] = [await post(ad(own), newKey(), own.key)];
      expect(first?.status).toBe(201);
      await control('tokens/expire', { token: own.connection.accessToken });
      const bodies = Array.from({ length: 5 }, () => ad(own));
      let answers: Answer[] = [];
      const entries = await received(app, subject, async () => {
        answers = await Promise.all(bodies.map((body) => post(body, newKey(), own.key)));
      });
      const renewals = entries.filter(({ method, path }) => method === 'POST' && /token$|accessToken$/.test(path));
      if (subject.refreshes) {
        expect(answers.map(({ status }) => status)).toEqual([201, 201, 201, 201, 201]);
        expect(renewals).toHaveLength(1);
        expect(await needsReconnect(own)).toBe(false);
        return;
      }
      expect(new Set(answers.map(({ body }) => body.code))).toEqual(new Set(['platform_token_expired']));
      expect(await needsReconnect(own)).toBe(true);
    });

    it('says 401 and asks to connect again when the platform no longer renews it', async () => {
      const own = await fixtureOf(app, subject);
      await control('tokens/invalidate', { token: own.connection.accessToken });
      if (own.connection.refreshToken)
        await control('refresh-tokens/invalidate', { token: own.connection.refreshToken });
      expect(await post(ad(own), newKey(), own.key)).toMatchObject({
        status: 401,
        body: { code: 'platform_token_expired', platform: subject.platform },
      });
      expect(await needsReconnect(own)).toBe(true);
    });
  });

  it('passes the rate limit of the platform on, with the wait that it names', async () => {
    const body = ad();
    const key = newKey();
    await injectFault({ fault: 'rate_limited', match: { method: 'POST', path: subject.paths.campaign } });
    const refused = await post(body, key);
    expect(refused).toMatchObject({ status: 429, body: { code: 'rate_limited', platform: subject.platform } });
    expect(Number(refused.headers.get('Retry-After'))).toSatisfy(subject.waits);
    expect((await post(body, key)).status).toBe(201);
    expect(await counts(body)).toEqual({ campaigns: 1, adSets: 1 });
  });

  it.each(['http_500', 'html_502', 'timeout_before'])(
    'makes nothing twice after %s, whose outcome is unknown',
    async (name) => {
      const body = ad();
      const key = newKey();
      await injectFault({ fault: name, match: { method: 'POST', path: subject.paths.campaign } });
      const unknown = await post(body, key);
      expect(unknown).toMatchObject({ status: 502, body: { code: 'platform_api_error', platform: subject.platform } });
      const again = await post(body, key);
      expect([201, 502]).toContain(again.status);
      expect((await counts(body))['campaigns']).toBeLessThanOrEqual(1);
    },
  );

  const steps = subject.platform === 'B' ? (['campaign'] as const) : (['campaign', 'adSet', 'ad'] as const);
  const lost = ['timeout_after', 'reset_after', 'malformed', 'huge', 'ok_with_error'];
  const losses = steps.flatMap((step) => lost.map((name) => [name, step] as const));
  it.each(sampleOf(losses, 4))(
    'finds what it made when the answer was lost (%s at %s), and goes on under the same key',
    async (name, step) => {
      const body = ad();
      const key = newKey();
      await injectFault({ fault: name, match: { method: 'POST', path: subject.paths[step] } });
      const unknown = await post(body, key);
      expect(unknown).toMatchObject({ status: 502, body: { code: 'platform_api_error' } });
      expect(unknown.body.error).toContain('may or may not exist');
      const again = await post(body, key);
      expect(again.body).toMatchObject({ ad: { name: body['name'] } });
      expect(again.status).toBe(201);
      expect(await counts(body)).toEqual({ campaigns: 1, adSets: 1 });
      expect(await adsIn(app, subject, again.body.ad.platformAdSetId)).toBe(1);
    },
  );

  it('calls no order failed whose campaign may run already', async () => {
    const body = ad();
    const key = newKey();
    const { skip = 0, ...match } = subject.activation;
    await injectFault({ fault: 'reset_after', match, skip, times: 3 });
    const unknown = await post(body, key);
    expect(unknown).toMatchObject({ status: 502, body: { code: 'platform_api_error' } });
    const { adId } = unknown.body.details;
    const stored = await app.call('GET', `/v1/ads/${adId}`, { key: fixture.key });
    expect(stored.body.ad.status).toBe('unconfirmed');
    expect(await campaignSwitch(app, subject, campaignNameAt(stored.body.ad))).toMatch(/^(ACTIVE|ENABLED?)$/);
    await noFaults(app);
    expect(await post(body, key)).toMatchObject({ status: 201, body: { ad: { _id: adId } } });
    expect(await counts(body)).toEqual({ campaigns: 1, adSets: 1 });
  });

  it('names what exists after a part of the steps, leaves it paused, and continues under the same key', async () => {
    if (subject.platform === 'B') return;
    const body = ad();
    const key = newKey();
    await injectFault({ fault: 'rate_limited', match: { method: 'POST', path: subject.paths.ad } });
    const refused = await post(body, key);
    expect(refused.status).toBe(429);
    expect(refused.body.details).toMatchObject({
      adId: expect.any(String),
      created: { platformCampaignId: expect.any(String), platformAdSetId: expect.any(String) },
    });
    const stored = await app.call('GET', `/v1/ads/${refused.body.details.adId}`, { key: fixture.key });
    const name = campaignNameAt(stored.body.ad);
    expect(await campaignSwitch(app, subject, name)).toMatch(/^(PAUSED|DISABLE|DRAFT)$/);
    const done = await post(body, key);
    expect(await campaignSwitch(app, subject, name)).toMatch(/^(ACTIVE|ENABLED?)$/);
    expect(done.body.ad).toMatchObject({ platformCampaignId: refused.body.details.created.platformCampaignId });
    expect(await adsIn(app, subject, done.body.ad.platformAdSetId)).toBe(1);
    expect(await counts(body)).toEqual({ campaigns: 1, adSets: 1 });
  });
});
