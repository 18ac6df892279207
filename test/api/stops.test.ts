import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { markTarget } from '../../src/services/stops/marks.ts';
import { heldBy, receivedBy } from '../support/ads.ts';
import { startTestApp, type TestApp } from '../support/app.ts';
import { bothApis, type CallOperation } from '../support/both-apis.ts';
import { createUserFixture, goodAd, type UserFixture } from '../support/user-fixture.ts';

let app: TestApp;
let fixture: UserFixture;

beforeAll(async () => {
  app = await startTestApp({ SWEEP_INTERVAL_SECONDS: '0.2' });
});
afterAll(() => app.stop());
beforeEach(async () => {
  fixture = await createUserFixture(app);
});

type Ad = Record<'_id' | 'platformCampaignId' | 'platformAdSetId', string>;

const rest: CallOperation = (name, key, values) => bothApis[0]![1](app)(name, key, values);
const ordered = async (change: object = {}, key = fixture.key): Promise<Ad> => {
  const { status, body } = await rest('createAd', key, { ...goodAd(fixture), ...change });
  expect(status).toBe(201);
  return body.ad;
};
/** The status of a campaign at the platform. */
const atPlatform = async (campaignId: string): Promise<unknown> =>
  (await heldBy(app, 'campaign')).find(({ id }) => id === campaignId)?.fields['status'];
const injectFault = (fault: string, path: string, times = 1): Promise<unknown> =>
  fetch(`${app.sandbox.url}/control/faults`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ platform: 'network-a', fault, match: { method: 'POST', path }, times }),
  });
const untilCompleted = async (stopId: string, key = fixture.key): Promise<any> => {
  let stop: any;
  const read = async () => (stop = (await rest('stop', key, { stopId })).body.stop).status;
  await expect.poll(read, { interval: 150 }).toBe('completed');
  return stop;
};
const inForce = (stopId: string) => ({
  status: 409,
  body: { code: 'stop_in_force', type: 'invalid_request_error', details: { stopId } },
});

describe.each(bothApis)('%s', (_api, via) => {
  const call: CallOperation = (name, key, values) => via(app)(name, key, values);
  const idOf = (stop: { _id?: string; id?: string }): string => String(stop._id ?? stop.id);

  describe('pauseEverything', () => {
    it('202: pauses every running campaign of an account that the service knows, and leaves others', async () => {
      const ads = [await ordered(), await ordered(), await ordered({ adAccountId: fixture.adAccountIds.eur })];
      const paused = await ordered({ status: 'PAUSED' });
      const stranger = await createUserFixture(app);
      const other = (await rest('createAd', stranger.key, goodAd(stranger))).body.ad;
      const { status, body } = await call('pauseEverything', fixture.key, { accountId: fixture.accountId });
      expect(status).toBeLessThan(300);
      expect(body.stop).toMatchObject({ accountId: fixture.accountId, adAccountId: null, includeExternal: false });
      const stop = await untilCompleted(idOf(body.stop));
      expect(stop).toMatchObject({ total: 3, paused: 3, failed: 0, failures: [], liftedAt: null });
      for (const { platformCampaignId } of [...ads, paused])
        expect(await atPlatform(platformCampaignId)).toBe('PAUSED');
      expect(await atPlatform(other.platformCampaignId)).toBe('ACTIVE');
      for (const { _id } of ads) expect((await rest('ad', fixture.key, { adId: _id })).body.ad.status).toBe('paused');
    });

    it('202: pauses an ad account, and returns the stop that is in force if it is called again', async () => {
      const [usd, eur] = [await ordered(), await ordered({ adAccountId: fixture.adAccountIds.eur })];
      const target = { adAccountId: fixture.adAccountIds.usd };
      const first = idOf((await call('pauseEverything', fixture.key, target)).body.stop);
      await untilCompleted(first);
      expect(await atPlatform(usd.platformCampaignId)).toBe('PAUSED');
      expect(await atPlatform(eur.platformCampaignId)).toBe('ACTIVE');
      // A discovery finds that it was activated at the platform.
      const { db } = app.app.services;
      const activated = { platformCampaignId: usd.platformCampaignId };
      await db.campaigns.updateOne(activated, { $set: { platformStatus: 'active' } });
      const again = await call('pauseEverything', fixture.key, { ...target, includeExternal: true });
      expect(again.body.stop).toMatchObject({ includeExternal: true, total: 1 });
      expect(idOf(again.body.stop)).toBe(first);
      expect(await untilCompleted(first)).toMatchObject({ total: 1, paused: 1 });
      expect((await db.campaigns.findOne(activated).lean())?.platformStatus).toBe('paused');
    });

    it('202: pauses what a key ordered', async () => {
      const leaked = await fixture.keyWith({ name: 'leaked' });
      const [own, others] = [await ordered({}, leaked.key), await ordered()];
      const { body } = await call('pauseEverything', fixture.key, { keyId: leaked.id });
      const stopId = idOf(body.stop);
      expect(await untilCompleted(stopId)).toMatchObject({ keyId: leaked.id, total: 1, paused: 1 });
      expect(await atPlatform(own.platformCampaignId)).toBe('PAUSED');
      expect(await atPlatform(others.platformCampaignId)).toBe('ACTIVE');
      expect(await rest('createAd', leaked.key, goodAd(fixture))).toMatchObject(inForce(stopId));
      const { body: rotated } = await rest('rotateApiKey', leaked.key, { keyId: leaked.id });
      expect(await rest('createAd', rotated.apiKey.key, goodAd(fixture))).toMatchObject(inForce(stopId));
      // Another key does not activate them either.
      const campaign = { campaignId: own.platformCampaignId, platform: 'network-a', status: 'ACTIVE' };
      expect(await call('setCampaignStatus', fixture.key, campaign)).toMatchObject(inForce(stopId));
      await ordered();
    });

    it('202: pauses campaigns that were made elsewhere only if asked', async () => {
      const answer = await fetch(`${app.sandbox.url}/control/network-a/campaigns`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({
          adAccountId: fixture.adAccountIds.usd,
          campaigns: [{ name: 'Elsewhere', adsets: [{ name: 'Set', ads: [{ name: 'A' }] }] }],
        }),
      });
      const [{ id }] = ((await answer.json()) as { campaigns: [{ id: string }] }).campaigns;
      await rest('discoverCampaigns', fixture.key, { accountId: fixture.accountId });
      const known = () => app.app.services.db.campaigns.countDocuments({ platformCampaignId: id });
      await expect.poll(known).toBe(1);
      const target = { accountId: fixture.accountId };
      const first = await call('pauseEverything', fixture.key, target);
      expect(await untilCompleted(idOf(first.body.stop))).toMatchObject({ total: 0 });
      expect(await atPlatform(id)).toBe('ACTIVE');
      await call('pauseEverything', fixture.key, { ...target, includeExternal: true });
      expect(await untilCompleted(idOf(first.body.stop))).toMatchObject({ total: 1, paused: 1 });
      expect(await atPlatform(id)).toBe('PAUSED');
    });

    it('202: names what the platform refuses to pause, and tries again what it could not reach', async () => {
      const ads = [await ordered(), await ordered(), await ordered()];
      const [refused, unreached, lost] = ads.map(({ platformCampaignId }) => platformCampaignId);
      await injectFault('policy_block', `/${refused}$`);
      await injectFault('rate_limited', `/${unreached}$`);
      await injectFault('reset_after', `/${lost}$`);
      const { body } = await call('pauseEverything', fixture.key, { accountId: fixture.accountId });
      const stop = await untilCompleted(idOf(body.stop));
      expect(stop).toMatchObject({ total: 3, paused: 2, failed: 1 });
      expect(stop.failures).toEqual([
        {
          campaignId: refused,
          name: 'Spring sale',
          platform: 'network-a',
          accountId: fixture.accountId,
          message: expect.stringMatching(/./),
          isFinal: true,
        },
      ]);
      expect(await atPlatform(String(unreached))).toBe('PAUSED');
      expect(await atPlatform(String(lost))).toBe('PAUSED');
    });

    it('400: takes exactly one target', async () => {
      const { key, keyId, accountId } = fixture;
      expect(await call('pauseEverything', key, {})).toMatchObject({
        status: 400,
        body: { code: 'missing_required_field', param: 'accountId' },
      });
      expect(await call('pauseEverything', key, { accountId, keyId })).toMatchObject({
        status: 400,
        body: { code: 'mutually_exclusive_fields', param: 'keyId' },
      });
    });

    it('403: a key of scope profiles stops itself and no other key', async () => {
      const ofProfile = await fixture.keyWith({ scope: 'profiles', profileIds: [fixture.profileId] });
      expect(await call('pauseEverything', ofProfile.key, { keyId: fixture.keyId })).toMatchObject({
        status: 403,
        body: { code: 'insufficient_permissions' },
      });
      expect((await call('pauseEverything', ofProfile.key, { keyId: ofProfile.id })).status).toBeLessThan(300);
    });

    it('404: does not find the account, the ad account or the key of another user', async () => {
      const stranger = await createUserFixture(app);
      await rest('adAccounts', fixture.key, { accountId: fixture.accountId });
      const targets = { accountId: 'account_not_found', adAccountId: 'account_not_found', keyId: 'api_key_not_found' };
      const ids = { accountId: fixture.accountId, adAccountId: fixture.adAccountIds.usd, keyId: fixture.keyId };
      for (const [name, code] of Object.entries(targets))
        expect(await call('pauseEverything', stranger.key, { [name]: ids[name as 'keyId'] })).toMatchObject({
          status: 404,
          body: { code, param: name },
        });
    });
  });

  describe('a stop in force', () => {
    it('409: refuses every activation until it is lifted, without a call to the platform', async () => {
      const ad = await ordered();
      const { body } = await call('pauseEverything', fixture.key, { accountId: fixture.accountId });
      const stopId = idOf(body.stop);
      await untilCompleted(stopId);
      const refused = inForce(stopId);
      const on = { platform: 'network-a', status: 'ACTIVE' };
      const campaign = { campaignId: ad.platformCampaignId, ...on };
      const copy = { campaignId: ad.platformCampaignId, platform: 'network-a', statusOption: 'ACTIVE' };
      const received = await receivedBy(app, async () => {
        expect(await call('createAd', fixture.key, goodAd(fixture))).toMatchObject(refused);
        expect(await call('createAd', fixture.key, { ...goodAd(fixture), validateOnly: true })).toMatchObject(refused);
        expect(await call('setAdStatus', fixture.key, { adId: ad._id, status: 'ACTIVE' })).toMatchObject(refused);
        expect(await call('setCampaignStatus', fixture.key, campaign)).toMatchObject(refused);
        expect(await call('updateCampaign', fixture.key, campaign)).toMatchObject(refused);
        expect(await call('updateCampaign', fixture.key, { ...campaign, validateOnly: true })).toMatchObject(refused);
        expect(await call('updateAdSet', fixture.key, { adSetId: ad.platformAdSetId, ...on })).toMatchObject(refused);
        expect(await call('duplicateCampaign', fixture.key, copy)).toMatchObject(refused);
      });
      expect(received).toEqual([]);
      expect((await rest('createAd', fixture.key, { ...goodAd(fixture), status: 'PAUSED' })).status).toBe(201);
      expect((await call('liftStop', fixture.key, { stopId })).body.stop).toMatchObject({
        liftedAt: expect.any(String),
      });
      expect(await atPlatform(ad.platformCampaignId)).toBe('PAUSED');
      expect((await call('setCampaignStatus', fixture.key, campaign)).status).toBe(200);
      await ordered();
      expect((await rest('stop', fixture.key, { stopId })).body.stop.status).toBe('lifted');
    });
  });

  describe('liftStop, stop and stops', () => {
    it('200: list the stops in force, and on request those that are lifted', async () => {
      const { body } = await call('pauseEverything', fixture.key, { accountId: fixture.accountId });
      const stopId = idOf(body.stop);
      const listed = async (values: object = {}): Promise<string[]> => {
        const { body: list } = await call('stops', fixture.key, { ...values });
        return (list.stops ?? list).map(idOf);
      };
      expect(await listed()).toEqual([stopId]);
      await call('liftStop', fixture.key, { stopId });
      expect((await call('liftStop', fixture.key, { stopId })).status).toBe(200);
      expect(await listed()).toEqual([]);
      expect(await listed({ inForce: false })).toEqual([stopId]);
    });

    it('403: a key of scope profiles, with limits or stopped itself lifts no stop', async () => {
      const { body } = await call('pauseEverything', fixture.key, { accountId: fixture.accountId });
      const stopId = idOf(body.stop);
      const [ofProfile, limited, stopped] = [
        await fixture.keyWith({ scope: 'profiles', profileIds: [fixture.profileId] }),
        await fixture.keyWith({}),
        await fixture.keyWith({}),
      ];
      await rest('setApiKeyBudgetLimits', fixture.key, {
        keyId: limited.id,
        budgetLimits: { currency: 'USD', maxDailyBudget: 5 },
      });
      await rest('pauseEverything', fixture.key, { keyId: stopped.id });
      for (const { key } of [ofProfile, limited, stopped])
        expect(await call('liftStop', key, { stopId })).toMatchObject({
          status: 403,
          body: { code: 'insufficient_permissions' },
        });
      expect(await call('createApiKey', stopped.key, { name: 'free' })).toMatchObject({ status: 403 });
    });

    it('404: do not find the stop of another user', async () => {
      const stranger = await createUserFixture(app);
      const { body } = await call('pauseEverything', fixture.key, { accountId: fixture.accountId });
      for (const name of ['stop', 'liftStop'])
        expect(await call(name, stranger.key, { stopId: idOf(body.stop) })).toMatchObject({
          status: 404,
          body: { code: 'job_not_found' },
        });
    });
  });
});

describe('a later end', () => {
  it('is refused in a stop if what has ended would run again', async () => {
    const ad = await ordered();
    const { body } = await rest('pauseEverything', fixture.key, { accountId: fixture.accountId });
    await untilCompleted(body.stop._id);
    const endDate = new Date(Date.now() + 30 * 86_400_000).toISOString();
    const { db } = app.app.services;
    const later = { adSetId: ad.platformAdSetId, platform: 'network-a', endDate };
    expect((await rest('updateAdSet', fixture.key, later)).status).toBe(200);
    const adSet = { platformAdSetId: ad.platformAdSetId };
    await db.adSets.updateOne(adSet, { $set: { status: 'completed', platformStatus: 'completed' } });
    const received = await receivedBy(app, async () => {
      expect(await rest('updateAdSet', fixture.key, later)).toMatchObject(inForce(body.stop._id));
      expect(await rest('updateAd', fixture.key, { adId: ad._id, endDate })).toMatchObject(inForce(body.stop._id));
    });
    expect(received).toEqual([]);
  });
});

describe('the marks of a stop', () => {
  const adAccountStop = async (): Promise<string> => {
    await rest('adAccounts', fixture.key, { accountId: fixture.accountId });
    const target = { adAccountId: fixture.adAccountIds.usd };
    const { body } = await rest('pauseEverything', fixture.key, target);
    await untilCompleted(body.stop._id);
    return body.stop._id;
  };
  const marks = async (): Promise<object> =>
    (await app.app.services.db.accounts.findById(fixture.accountId).lean().orFail()).stops ?? {};

  it('go when it is lifted, also from an account that no longer reaches its ad account', async () => {
    const stopId = await adAccountStop();
    expect(await marks()).toEqual({ [fixture.adAccountIds.usd]: stopId });
    await app.app.services.db.accounts.updateOne(
      { _id: fixture.accountId },
      { $set: { adAccounts: [], adAccountsAt: null } },
    );
    await rest('liftStop', fixture.key, { stopId });
    expect(await marks()).toEqual({});
    await ordered();
  });

  it('do not come back if a worker sets them after it was lifted', async () => {
    const stopId = await adAccountStop();
    const { services } = app.app;
    const seen = await services.db.stops.findById(stopId).lean().orFail();
    await rest('liftStop', fixture.key, { stopId });
    await markTarget(services, seen);
    expect(await marks()).toEqual({});
  });

  it('and the stop itself are hidden from a key of profiles that do not reach the ad account', async () => {
    const stopId = await adAccountStop();
    const profile = await rest('createProfile', fixture.key, { name: 'Elsewhere' });
    const elsewhere = await fixture.keyWith({ scope: 'profiles', profileIds: [profile.body.profile._id] });
    const own = await fixture.keyWith({ scope: 'profiles', profileIds: [fixture.profileId] });
    expect((await rest('stop', own.key, { stopId })).status).toBe(200);
    expect(await rest('stop', elsewhere.key, { stopId })).toMatchObject({ status: 404 });
    expect((await rest('stops', elsewhere.key, {})).body.stops).toEqual([]);
  });
});

describe('orders and copies that are under way', () => {
  it('end paused if a stop comes into force meanwhile', async () => {
    await injectFault('reset_after', '/ads$');
    const lost = await rest('createAd', fixture.key, goodAd(fixture));
    expect(lost.status).toBe(502);
    const { body } = await rest('pauseEverything', fixture.key, { accountId: fixture.accountId });
    await untilCompleted(body.stop._id);
    const { adId } = lost.body.details;
    const { db } = app.app.services;
    await expect.poll(async () => (await db.ads.findById(adId).lean())?.order?.input.status).toBe('PAUSED');
    await db.ads.updateOne({ _id: adId }, { $set: { reconcileAt: new Date(0) } });
    const status = async () => (await db.ads.findById(adId).lean())?.status;
    await expect.poll(status).toBe('paused');
    const { platformCampaignId } = await db.ads.findById(adId).lean().orFail();
    expect(await atPlatform(String(platformCampaignId))).toBe('PAUSED');
  });

  it('are paused soon after they were stored behind the stop', async () => {
    const { body } = await rest('pauseEverything', fixture.key, { accountId: fixture.accountId });
    await untilCompleted(body.stop._id);
    const { db } = app.app.services;
    // An order that read its account before the stop marked it.
    await db.accounts.updateOne({ _id: fixture.accountId }, { $unset: { stops: 1 } });
    const answer = await rest('createAd', fixture.key, goodAd(fixture));
    const campaignId = answer.body.ad?.platformCampaignId;
    if (campaignId) await expect.poll(() => atPlatform(campaignId)).toBe('PAUSED');
    else expect(answer).toMatchObject(inForce(body.stop._id));
  });
});

describe('the events of a stop', () => {
  it('say that it is completed, once, and that it is lifted', async () => {
    await ordered();
    const { body } = await rest('pauseEverything', fixture.key, { accountId: fixture.accountId });
    const stopId = body.stop._id;
    await untilCompleted(stopId);
    await rest('liftStop', fixture.key, { stopId });
    const bodies = async () =>
      (await app.app.services.db.webhookEvents.find({ userId: fixture.userId, type: /^stop\./ }).lean()).map(
        ({ type, body: text }) => [type, JSON.parse(text).stop],
      );
    await expect.poll(async () => (await bodies()).length).toBe(2);
    expect(Object.fromEntries(await bodies())).toMatchObject({
      'stop.completed': { stopId, status: 'completed', total: 1, paused: 1, failed: 0, failures: [] },
      'stop.lifted': { stopId, status: 'lifted' },
    });
  });
});
