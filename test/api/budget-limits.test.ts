import { runDiscovery } from '../../src/services/discovery/run-discovery.ts';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { receivedBy } from '../support/ads.ts';
import { startTestApp, type TestApp } from '../support/app.ts';
import { bothApis, type CallOperation, type Outcome } from '../support/both-apis.ts';
import { createUserFixture, goodAd, type UserFixture } from '../support/user-fixture.ts';

let app: TestApp;
let fixture: UserFixture;
/** A further key of the user. */
let other: { id: string; key: string };

beforeAll(async () => {
  app = await startTestApp({ ROLE: 'api' });
});
afterAll(() => app.stop());
beforeEach(async () => {
  fixture = await createUserFixture(app);
  other = await fixture.keyWith({ name: 'other' });
});

const rest: CallOperation = (name, key, values) => bothApis[0]![1](app)(name, key, values);
const usd = (limits: object) => ({ currency: 'USD', ...limits });
const limitKey = (limits: object | null, keyId = other.id): Promise<Outcome> =>
  rest('setApiKeyBudgetLimits', fixture.key, { keyId, budgetLimits: limits && usd(limits) });
const onAdAccount = () => ({ accountId: fixture.accountId, adAccountId: fixture.adAccountIds.usd });
const limitAdAccount = (limits: object | null): Promise<Outcome> =>
  rest('setBudgetLimits', fixture.key, { ...onAdAccount(), budgetLimits: limits && usd(limits) });
const ordered = async (change: object = {}, key = other.key): Promise<Record<string, string>> => {
  const { status, body } = await rest('createAd', key, { ...goodAd(fixture), ...change });
  expect(status).toBe(201);
  return body.ad;
};
const exceeded = (details: object) => ({
  status: 403,
  body: { code: 'budget_limit_exceeded', type: 'permission_error', details },
});
/** The requests that the platform received meanwhile. */
const requestsOf = async (run: () => Promise<unknown>): Promise<string[]> =>
  (await receivedBy(app, run)).map(({ method, path }) => `${method} ${path}`);

describe.each(bothApis)('%s', (_api, via) => {
  const call: CallOperation = (name, key, values) => via(app)(name, key, values);

  describe('setApiKeyBudgetLimits', () => {
    const set = (key: string, budgetLimits: unknown, keyId = other.id) =>
      call('setApiKeyBudgetLimits', key, { keyId, budgetLimits });

    it('200: replaces the limits of a key, and null removes them', async () => {
      const { body } = await set(fixture.key, usd({ maxDailyBudget: 10.5, maxActiveBudget: 50 }));
      const limits = { currency: 'USD', maxDailyBudget: 10.5, maxLifetimeBudget: null, maxActiveBudget: 50 };
      expect(body.apiKey.budgetLimits).toMatchObject(limits);
      expect((await rest('viewer', other.key, {})).body.key.budgetLimits).toEqual(limits);
      expect((await set(fixture.key, null)).body.apiKey.budgetLimits).toBeNull();
      expect((await rest('viewer', other.key, {})).body.key.budgetLimits).toBeNull();
    });

    it.each([
      ['no limit', { currency: 'USD' }, 'budgetLimits.maxActiveBudget'],
      ['a currency in lower case', { currency: 'usd', maxDailyBudget: 1 }, 'budgetLimits.currency'],
      ['a limit of zero', { currency: 'USD', maxDailyBudget: 0 }, 'budgetLimits.maxDailyBudget'],
    ])('400: rejects %s', async (_what, budgetLimits, param) => {
      expect(await set(fixture.key, budgetLimits)).toMatchObject({
        status: 400,
        body: { param: expect.stringContaining(param) },
      });
    });

    it('403: a key with limits lowers its own limits and raises none', async () => {
      await limitKey({ maxActiveBudget: 50 });
      expect((await set(other.key, usd({ maxActiveBudget: 40 }))).status).toBe(200);
      for (const raised of [usd({ maxActiveBudget: 41 }), usd({ maxDailyBudget: 5 }), null])
        expect(await set(other.key, raised)).toMatchObject({ status: 403, body: { code: 'insufficient_permissions' } });
      expect((await set(fixture.key, usd({ maxActiveBudget: 60 }))).status).toBe(200);
    });

    it('404: does not find the key of another user', async () => {
      const stranger = await createUserFixture(app);
      expect(await set(stranger.key, usd({ maxDailyBudget: 1 }))).toMatchObject({
        status: 404,
        body: { code: 'api_key_not_found' },
      });
    });
  });

  describe('keys of a key with limits', () => {
    it('403: it creates no key that can write and rotates no other key, and rotating itself keeps its limits', async () => {
      await limitKey({ maxActiveBudget: 50 });
      await ordered({ budgetAmount: 40 });
      const refused = { status: 403, body: { code: 'insufficient_permissions' } };
      expect(await call('createApiKey', other.key, { name: 'free' })).toMatchObject(refused);
      expect(await call('rotateApiKey', other.key, { keyId: fixture.keyId })).toMatchObject(refused);
      expect((await rest('createApiKey', other.key, { name: 'reader', permission: 'read' })).status).toBe(201);
      const { body } = await rest('rotateApiKey', other.key, { keyId: other.id });
      const again = await rest('createAd', body.apiKey.key, goodAd(fixture));
      expect(again).toMatchObject(exceeded({ used: 40, requested: 20, allowed: 50 }));
    });

    it('201: createApiKey sets the limits of a new key', async () => {
      const budgetLimits = usd({ maxDailyBudget: 10 });
      const { body } = await call('createApiKey', fixture.key, { name: 'small', budgetLimits });
      expect(await rest('createAd', body.apiKey.key, goodAd(fixture))).toMatchObject(
        exceeded({ limit: 'maxDailyBudget', allowed: 10, requested: 20, limitOf: 'api_key' }),
      );
    });
  });

  describe('setBudgetLimits', () => {
    const set = (key: string, budgetLimits: unknown, more: object = {}) =>
      call('setBudgetLimits', key, { ...onAdAccount(), budgetLimits, ...more });

    it('200: replaces the limits of an ad account, which adAccounts shows', async () => {
      const limits = { currency: 'USD', maxDailyBudget: null, maxLifetimeBudget: 300, maxActiveBudget: null };
      expect((await set(fixture.key, usd({ maxLifetimeBudget: 300 }))).body.adAccount.budgetLimits).toMatchObject(
        limits,
      );
      const listed = await rest('adAccounts', fixture.key, { accountId: fixture.accountId });
      const shown = listed.body.accounts.map((one: { id: string; budgetLimits: unknown }) => [
        one.id,
        one.budgetLimits,
      ]);
      expect(Object.fromEntries(shown)).toMatchObject({
        [fixture.adAccountIds.usd]: limits,
        [fixture.adAccountIds.eur]: null,
      });
      expect((await set(fixture.key, null)).body.adAccount.budgetLimits).toBeNull();
    });

    it('400: rejects a currency that is not that of the ad account', async () => {
      const answer = await set(fixture.key, { currency: 'EUR', maxDailyBudget: 5 });
      expect(answer).toMatchObject({ status: 400, body: { param: 'budgetLimits.currency' } });
    });

    it('403: a key of scope profiles sets and lowers a limit and does not raise it', async () => {
      const ofProfile = await fixture.keyWith({ scope: 'profiles', profileIds: [fixture.profileId] });
      expect((await set(ofProfile.key, usd({ maxDailyBudget: 9 }))).status).toBe(200);
      expect((await set(ofProfile.key, usd({ maxDailyBudget: 8 }))).status).toBe(200);
      expect(await set(ofProfile.key, usd({ maxDailyBudget: 9 }))).toMatchObject({
        status: 403,
        body: { code: 'insufficient_permissions' },
      });
      expect((await set(fixture.key, usd({ maxDailyBudget: 9 }))).status).toBe(200);
    });

    it('404: does not find the account of another user', async () => {
      const stranger = await createUserFixture(app);
      expect(await set(stranger.key, usd({ maxDailyBudget: 1 }))).toMatchObject({
        status: 404,
        body: { code: 'account_not_found' },
      });
    });

    it('422: names the ad accounts that the connection reaches', async () => {
      const answer = await set(fixture.key, usd({ maxDailyBudget: 1 }), { adAccountId: '404' });
      expect(answer).toMatchObject({ status: 422, body: { code: 'linked_account_required', param: 'adAccountId' } });
    });
  });

  describe('createAd', () => {
    const create = (change: object = {}) => call('createAd', other.key, { ...goodAd(fixture), ...change });
    const inAYear = new Date(Date.now() + 300 * 86_400_000).toISOString();

    it.each([
      ['maxDailyBudget', { maxDailyBudget: 19.99 }, {}, { allowed: 19.99, used: 0, requested: 20 }],
      [
        'maxLifetimeBudget',
        { maxLifetimeBudget: 999 },
        { budgetType: 'lifetime', budgetAmount: 1000, endDate: inAYear },
        { allowed: 999, used: 0, requested: 1000 },
      ],
      ['maxActiveBudget', { maxActiveBudget: 19 }, {}, { allowed: 19, used: 0, requested: 20 }],
    ])(
      '403: refuses a budget above %s of the key without a call to the platform',
      async (limit, limits, change, sums) => {
        await rest('adAccounts', fixture.key, { accountId: fixture.accountId });
        await limitKey(limits);
        const received = await requestsOf(async () => {
          const details = { limit, ...sums, currency: 'USD', limitOf: 'api_key', limitedId: other.id };
          expect(await create(change)).toMatchObject(exceeded(details));
          expect(await create({ ...change, validateOnly: true })).toMatchObject(exceeded(details));
        });
        expect(received).toEqual([]);
        expect((await rest('ads', fixture.key, {})).body.ads).toEqual([]);
      },
    );

    it('403: refuses a budget above the limits of the ad account, whichever key asks', async () => {
      await ordered({ budgetAmount: 30 }, fixture.key);
      await limitAdAccount({ maxActiveBudget: 50 });
      expect(await create({ budgetAmount: 20.01 })).toMatchObject(
        exceeded({
          used: 30,
          requested: 20.01,
          allowed: 50,
          limitOf: 'ad_account',
          limitedId: fixture.adAccountIds.usd,
        }),
      );
      expect((await create({ budgetAmount: 20 })).status).toBeLessThan(300);
    });

    it('403: says that amounts are not converted if the limit is in another currency', async () => {
      await rest('setApiKeyBudgetLimits', fixture.key, {
        keyId: other.id,
        budgetLimits: { currency: 'EUR', maxDailyBudget: 500 },
      });
      const answer = await create();
      expect(answer).toMatchObject({ status: 403, body: { code: 'budget_limit_exceeded' } });
      expect(answer.body.error).toContain('are in EUR, but the ad account uses USD; amounts are not converted');
    });

    it('201: adds amounts exactly, up to the limit itself', async () => {
      await limitKey({ maxActiveBudget: 60.3 });
      for (const budgetAmount of [20.1, 20.1]) await ordered({ budgetAmount });
      expect(await create({ budgetAmount: 20.11 })).toMatchObject(exceeded({ used: 40.2, requested: 20.11 }));
      expect((await create({ budgetAmount: 20.1 })).status).toBeLessThan(300);
    });

    it('201: a paused order is only limited by its own amount, a paused or removed campaign counts no longer', async () => {
      await limitKey({ maxActiveBudget: 20, maxDailyBudget: 20 });
      expect(await create({ status: 'PAUSED', budgetAmount: 21 })).toMatchObject(exceeded({ limit: 'maxDailyBudget' }));
      await ordered({ status: 'PAUSED' });
      const first = await ordered();
      expect(await create()).toMatchObject(exceeded({ used: 20, requested: 20 }));
      await rest('setAdStatus', fixture.key, { adId: first['_id'], status: 'PAUSED' });
      const second = await ordered();
      const campaign = { campaignId: second['platformCampaignId'], platform: 'network-a' };
      await rest('setCampaignStatus', fixture.key, { ...campaign, status: 'PAUSED' });
      const third = await ordered();
      await rest('deleteCampaign', fixture.key, {
        campaignId: third['platformCampaignId'],
        platform: 'network-a',
        confirm: 1,
      });
      await ordered();
      expect(await create()).toMatchObject(exceeded({ used: 20, requested: 20 }));
    });
  });

  describe('setCampaignStatus, setAdStatus, updateCampaign and updateAdSet', () => {
    it('403: refuse to activate what does not fit, without a call to the platform', async () => {
      const ad = await ordered({ status: 'PAUSED', budgetAmount: 30 }, fixture.key);
      const running = await ordered({ budgetAmount: 30 }, fixture.key);
      await rest('setAdStatus', fixture.key, { adId: running['_id'], status: 'PAUSED' });
      await limitKey({ maxActiveBudget: 29 });
      const campaign = { campaignId: ad['platformCampaignId'], platform: 'network-a', status: 'ACTIVE' };
      const received = await requestsOf(async () => {
        const details = exceeded({ limit: 'maxActiveBudget', used: 0, requested: 30, allowed: 29 });
        expect(await call('setCampaignStatus', other.key, campaign)).toMatchObject(details);
        expect(await call('updateCampaign', other.key, campaign)).toMatchObject(details);
        expect(await call('updateCampaign', other.key, { ...campaign, validateOnly: true })).toMatchObject(details);
        expect(await call('setAdStatus', other.key, { adId: running['_id'], status: 'ACTIVE' })).toMatchObject(details);
      });
      expect(received).toEqual([]);
      await limitKey({ maxActiveBudget: 30 });
      expect((await call('setCampaignStatus', other.key, campaign)).status).toBe(200);
      // It counts for the key that activated it.
      expect(await rest('createAd', other.key, goodAd(fixture))).toMatchObject(exceeded({ used: 30, requested: 20 }));
    });

    it('403: refuse to activate an ad set that does not fit', async () => {
      const ad = await ordered({ budgetAmount: 30 }, fixture.key);
      const adSet = { adSetId: ad['platformAdSetId'], platform: 'network-a' };
      await rest('updateAdSet', fixture.key, { ...adSet, status: 'PAUSED' });
      await limitAdAccount({ maxActiveBudget: 29 });
      expect(await call('updateAdSet', other.key, { ...adSet, status: 'ACTIVE' })).toMatchObject(
        exceeded({ used: 0, requested: 30 }),
      );
      await limitAdAccount({ maxActiveBudget: 30 });
      expect((await call('updateAdSet', other.key, { ...adSet, status: 'ACTIVE' })).status).toBe(200);
    });
  });

  describe('updateAd, updateAdSet and updateCampaign', () => {
    it('403: refuse a higher budget that does not fit and allow a lower one, without a call to the platform', async () => {
      const ad = await ordered({ budgetAmount: 30 });
      await limitKey({ maxActiveBudget: 25, maxDailyBudget: 40 });
      const adSet = { adSetId: ad['platformAdSetId'], platform: 'network-a' };
      const received = await requestsOf(async () => {
        const details = exceeded({ limit: 'maxActiveBudget', used: 30, requested: 5, allowed: 25 });
        expect(await call('updateAd', other.key, { adId: ad['_id'], budgetAmount: 35 })).toMatchObject(details);
        expect(await call('updateAdSet', other.key, { ...adSet, budgetAmount: 35 })).toMatchObject(details);
        expect(await call('updateAdSet', other.key, { ...adSet, budgetAmount: 35, validateOnly: true })).toMatchObject(
          details,
        );
        expect(await call('updateAd', other.key, { adId: ad['_id'], budgetAmount: 41 })).toMatchObject(
          exceeded({ limit: 'maxDailyBudget', requested: 41, allowed: 40 }),
        );
      });
      expect(received).toEqual([]);
      expect((await call('updateAd', other.key, { adId: ad['_id'], budgetAmount: 28 })).status).toBe(200);
      const ofCampaign = await ordered({ budgetAmount: 30, budgetLevel: 'campaign' }, fixture.key);
      const change = { campaignId: ofCampaign['platformCampaignId'], platform: 'network-a', budgetAmount: 31 };
      expect(await call('updateCampaign', other.key, change)).toMatchObject(exceeded({ used: 28, requested: 31 }));
    });
  });

  describe('duplicateCampaign', () => {
    const copy = (campaignId: string | undefined, change: object = {}) =>
      call('duplicateCampaign', other.key, {
        campaignId,
        platform: 'network-a',
        statusOption: 'ACTIVE',
        syncAfter: false,
        ...change,
      });

    it('403: refuses an active copy that does not fit without a call to the platform, and allows a paused one', async () => {
      const { platformCampaignId } = await ordered();
      await limitKey({ maxActiveBudget: 39 });
      const received = await requestsOf(async () => {
        expect(await copy(platformCampaignId)).toMatchObject(exceeded({ used: 20, requested: 20, allowed: 39 }));
        const inherited = await copy(platformCampaignId, { statusOption: 'INHERITED_FROM_SOURCE' });
        expect(inherited).toMatchObject(exceeded({ used: 20, requested: 20, allowed: 39 }));
      });
      expect(received).toEqual([]);
      expect((await copy(platformCampaignId, { statusOption: 'PAUSED' })).status).toBe(200);
      await limitKey({ maxActiveBudget: 40 });
      expect((await copy(platformCampaignId)).status).toBe(200);
      expect(await copy(platformCampaignId)).toMatchObject(exceeded({ used: 40, requested: 20, allowed: 40 }));
    });
  });
});

describe('an order without a known outcome', () => {
  it('keeps its reservation until it is reconciled', async () => {
    await limitKey({ maxActiveBudget: 30 });
    await fetch(`${app.sandbox.url}/control/faults`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({
        platform: 'network-a',
        fault: 'reset_after',
        match: { method: 'POST', path: '/adsets$' },
      }),
    });
    expect((await rest('createAd', other.key, goodAd(fixture))).status).toBe(502);
    expect(await rest('createAd', other.key, goodAd(fixture))).toMatchObject(exceeded({ used: 20, requested: 20 }));
    expect((await rest('createAd', other.key, { ...goodAd(fixture), budgetAmount: 10 })).status).toBe(201);
  });
});

const fail = (fault: string, path: string, times = 1): Promise<unknown> =>
  fetch(`${app.sandbox.url}/control/faults`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ platform: 'network-a', fault, match: { method: 'POST', path }, times }),
  });
const adSetOf = (ad: Record<string, string>) => ({ adSetId: ad['platformAdSetId'], platform: 'network-a' });
/** An order of an ad in an existing ad set. */
const attached = (ad: Record<string, string>, change: object = {}): Record<string, unknown> => {
  const { goal: _goal, budgetAmount: _amount, budgetType: _type, ...rest } = goodAd(fixture) as Record<string, unknown>;
  return { ...rest, adSetId: ad['platformAdSetId'], ...change };
};

const ago = (minutes: number): Date => new Date(Date.now() - minutes * 60_000);
/** Lets the reservation be older than any request in flight. */
const aged = (): Promise<unknown> =>
  app.app.services.db.budgetLedgers.updateMany({ userId: fixture.userId }, { $set: { 'reservations.0.at': ago(2) } });
/** Changes what the platform holds of an object. */
const atPlatform = (id: string | undefined, fields: object): Promise<unknown> =>
  fetch(`${app.sandbox.url}/control/network-a/objects/${id}`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify(fields),
  });
const discovered = async (): Promise<void> => {
  expect((await rest('discoverCampaigns', fixture.key, { accountId: fixture.accountId })).status).toBe(202);
  expect(await runDiscovery(app.app.services, fixture.accountId)).toBe(true);
};

describe('a higher budget without a known outcome', () => {
  const raisedTo90 = async (): Promise<Record<string, string>> => {
    const ad = await ordered({ budgetAmount: 30 });
    await limitAdAccount({ maxActiveBudget: 100 });
    // It is sent several times.
    await fail('reset_after', `/${ad['platformAdSetId']}$`, 100);
    expect((await rest('updateAdSet', other.key, { ...adSetOf(ad), budgetAmount: 90 })).status).toBe(502);
    await fetch(`${app.sandbox.url}/control/faults`, { method: 'DELETE' });
    return ad;
  };
  const counts90 = async (): Promise<void> =>
    expect(await rest('createAd', other.key, goodAd(fixture))).toMatchObject(exceeded({ used: 90, requested: 20 }));

  it('counts although a later change of the campaign is refused by the platform', async () => {
    const ad = await raisedTo90();
    await fail('policy_block', `/${ad['platformAdSetId']}$`);
    const refused = await rest('updateAdSet', other.key, { ...adSetOf(ad), budgetAmount: 50 });
    expect(refused.status).toBeGreaterThanOrEqual(400);
    expect(refused.status).toBeLessThan(500);
    await counts90();
  });

  it('counts although the platform refuses to pause the campaign', async () => {
    const { platformCampaignId: campaignId } = await raisedTo90();
    await fail('policy_block', `/${campaignId}$`);
    const refused = await rest('setCampaignStatus', other.key, { campaignId, platform: 'network-a', status: 'PAUSED' });
    expect(refused.status).toBeGreaterThanOrEqual(400);
    await counts90();
  });

  it('counts not while the campaign is paused, and again if it is resumed', async () => {
    const { platformCampaignId: campaignId } = await raisedTo90();
    const set = (status: string) => rest('setCampaignStatus', other.key, { campaignId, platform: 'network-a', status });
    expect((await set('PAUSED')).status).toBe(200);
    await ordered({ budgetAmount: 20 });
    expect(await set('ACTIVE')).toMatchObject(exceeded({ used: 20, requested: 90 }));
    await limitAdAccount({ maxActiveBudget: 110 });
    expect((await set('ACTIVE')).status).toBe(200);
    expect(await rest('createAd', other.key, goodAd(fixture))).toMatchObject(exceeded({ used: 110, requested: 20 }));
  });

  it('counts although another part of the campaign is changed later', async () => {
    const ad = await raisedTo90();
    expect((await rest('setAdStatus', other.key, { adId: ad['_id'], status: 'ACTIVE' })).status).toBe(200);
    await counts90();
  });

  it('counts no longer once the budget is set again', async () => {
    const ad = await raisedTo90();
    expect((await rest('updateAdSet', other.key, { ...adSetOf(ad), budgetAmount: 80 })).status).toBe(200);
    expect((await rest('createAd', other.key, goodAd(fixture))).status).toBe(201);
  });

  it('counts although a discovery cannot read the budget, until one can', async () => {
    const ad = await raisedTo90();
    await aged();
    await atPlatform(ad['platformAdSetId'], { daily_budget: null });
    await discovered();
    await counts90();
    await atPlatform(ad['platformAdSetId'], { daily_budget: '9000' });
    await discovered();
    await counts90();
    await atPlatform(ad['platformAdSetId'], { daily_budget: '3000' });
    await discovered();
    expect((await rest('createAd', other.key, goodAd(fixture))).status).toBe(201);
  });

  it('counts although a discovery skips the ad set', async () => {
    const ad = await raisedTo90();
    await aged();
    await atPlatform(ad['platformAdSetId'], { name: null, campaign_id: null });
    await discovered();
    await counts90();
  });

  it('counts although a discovery reads the campaign while it changes here', async () => {
    const ad = await raisedTo90();
    await aged();
    const { db } = app.app.services;
    await db.adSets.updateOne({ platformAdSetId: ad['platformAdSetId'] }, { $set: { updatedAt: ago(-1) } });
    await discovered();
    await counts90();
  });

  it('counts no longer once a discovery finds that the campaign is gone', async () => {
    const ad = await raisedTo90();
    await aged();
    await atPlatform(ad['platformCampaignId'], { status: 'DELETED' });
    await discovered();
    expect((await rest('createAd', other.key, goodAd(fixture))).status).toBe(201);
  });

  it('counts although an ad is added to the ad set', async () => {
    const ad = await raisedTo90();
    const { db } = app.app.services;
    await aged();
    await db.campaigns.updateMany({ userId: fixture.userId }, { $set: { seenAt: ago(10) } });
    expect((await rest('createAd', fixture.key, attached(ad, { status: 'PAUSED' }))).status).toBe(201);
    await counts90();
  });
});

describe('an activation without a known outcome', () => {
  it('counts although the platform refuses to pause the campaign, until it is paused', async () => {
    const { platformCampaignId: campaignId } = await ordered({ budgetAmount: 30, status: 'PAUSED' }, fixture.key);
    await limitAdAccount({ maxActiveBudget: 40 });
    const set = (status: string) => rest('setCampaignStatus', other.key, { campaignId, platform: 'network-a', status });
    await fail('reset_after', `/${campaignId}$`, 100);
    expect((await set('ACTIVE')).status).toBe(502);
    await fetch(`${app.sandbox.url}/control/faults`, { method: 'DELETE' });
    await fail('policy_block', `/${campaignId}$`);
    expect((await set('PAUSED')).status).toBeGreaterThanOrEqual(400);
    expect(await rest('createAd', other.key, goodAd(fixture))).toMatchObject(exceeded({ used: 30, requested: 20 }));
    expect((await set('PAUSED')).status).toBe(200);
    expect((await rest('createAd', other.key, goodAd(fixture))).status).toBe(201);
  });
});

describe('an ad in an existing ad set', () => {
  it('lets the budget that it activates count for the key that ordered it', async () => {
    const ad = await ordered({ budgetAmount: 30 }, fixture.key);
    await rest('setAdStatus', fixture.key, { adId: ad['_id'], status: 'PAUSED' });
    await limitKey({ maxActiveBudget: 40 });
    expect((await rest('createAd', other.key, attached(ad))).status).toBe(201);
    expect(await rest('createAd', other.key, goodAd(fixture))).toMatchObject(exceeded({ used: 30, requested: 20 }));
  });
});

describe('a budget beside one that is not known', () => {
  it('is raised within the sum only', async () => {
    const ad = await ordered({ budgetAmount: 30 }, fixture.key);
    const { db } = app.app.services;
    const adSet = await db.adSets.findOne({ platformAdSetId: ad['platformAdSetId'] }).lean().orFail();
    const sibling = { ...adSet, _id: `${adSet._id}9`, platformAdSetId: `${adSet.platformAdSetId}9`, budget: null };
    await db.adSets.insertOne(sibling as never);
    await limitKey({ maxActiveBudget: 40 });
    expect(await rest('updateAdSet', other.key, { ...adSetOf(ad), budgetAmount: 41 })).toMatchObject(
      exceeded({ limit: 'maxActiveBudget', used: 0, requested: 41, allowed: 40 }),
    );
    expect((await rest('updateAdSet', other.key, { ...adSetOf(ad), budgetAmount: 40 })).status).toBe(200);
  });
});

describe('a later end', () => {
  it('is limited if what has ended runs again', async () => {
    const ad = await ordered({ budgetAmount: 30 }, fixture.key);
    const { db } = app.app.services;
    const ended = { $set: { status: 'completed', platformStatus: 'completed' } };
    await db.adSets.updateOne({ platformAdSetId: ad['platformAdSetId'] }, ended);
    await db.campaigns.updateOne({ platformCampaignId: ad['platformCampaignId'] }, { $set: { status: 'completed' } });
    await db.ads.updateOne({ _id: ad['_id'] }, { $set: { status: 'completed' } });
    await limitAdAccount({ maxActiveBudget: 29 });
    const endDate = new Date(Date.now() + 30 * 86_400_000).toISOString();
    const refused = exceeded({ limit: 'maxActiveBudget', used: 0, requested: 30, allowed: 29 });
    const later = { ...adSetOf(ad), endDate };
    expect(await rest('updateAdSet', other.key, later)).toMatchObject(refused);
    expect(await rest('updateAdSet', other.key, { ...later, validateOnly: true })).toMatchObject(refused);
    expect(await rest('updateAd', other.key, { adId: ad['_id'], endDate })).toMatchObject(refused);
    await limitAdAccount({ maxActiveBudget: 30 });
    expect((await rest('updateAdSet', other.key, later)).status).toBe(200);
  });
});

describe('a repeated order', () => {
  it('writes its reservation again, so that no process drops it that read the ledger before', async () => {
    await limitKey({ maxActiveBudget: 30 });
    const repeat = () =>
      app.call('POST', '/v1/ads/create', {
        key: other.key,
        body: goodAd(fixture),
        headers: { 'Idempotency-Key': 'again' },
      });
    await fail('reset_after', '/adsets$');
    expect((await repeat()).status).toBe(502);
    const ledger = async () => app.app.services.db.budgetLedgers.findOne({ userId: fixture.userId }).lean().orFail();
    const seen = await ledger();
    await repeat();
    const now = await ledger();
    expect(now.reservations.map(({ id }) => id)).toEqual(seen.reservations.map(({ id }) => id));
    expect(now.version).toBeGreaterThan(seen.version);
  });
});

describe('a failed order', () => {
  it('reserves nothing, and its repetition is refused once the budget is used otherwise', async () => {
    await limitKey({ maxActiveBudget: 30 });
    const repeat = () =>
      app.call('POST', '/v1/ads/create', {
        key: other.key,
        body: goodAd(fixture),
        headers: { 'Idempotency-Key': 'again' },
      });
    await fetch(`${app.sandbox.url}/control/faults`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({
        platform: 'network-a',
        fault: 'rate_limited',
        match: { method: 'POST', path: '/adsets$' },
      }),
    });
    expect((await repeat()).status).toBe(429);
    const ad = await ordered();
    expect(await repeat()).toMatchObject(exceeded({ used: 20, requested: 20 }));
    await rest('setAdStatus', other.key, { adId: ad['_id'], status: 'PAUSED' });
    expect((await repeat()).status).toBe(201);
  });
});

describe('a limit that is lowered', () => {
  it('leaves running ads as they are and refuses the next order', async () => {
    const ad = await ordered();
    expect(await requestsOf(() => limitAdAccount({ maxActiveBudget: 5 }))).toEqual([]);
    expect((await rest('ad', fixture.key, { adId: ad['_id'] })).body.ad.status).toBe('active');
    expect(await rest('createAd', fixture.key, goodAd(fixture))).toMatchObject(exceeded({ used: 20, allowed: 5 }));
  });
});
