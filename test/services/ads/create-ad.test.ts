import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newId } from '../../../src/lib/id.ts';
import { newOutboxEvent } from '../../../src/services/durable/outbox.ts';
import { createAd } from '../../../src/services/ads/create-ad.ts';
import { attached, createUserFixture, openStore, severalAds, type Store, type FixtureOptions } from './fixture.ts';
import { eventsIn } from '../../support/outbox.ts';

let store: Store;
beforeAll(async () => void (store = await openStore()));
afterAll(() => store.stop());

const fixture = (options?: FixtureOptions) => createUserFixture(store, options);

describe('createAd', () => {
  it('makes one ad and answers its record', async () => {
    const { ctx, input, fake, ads } = await fixture();
    const orderId = newId();
    const { ad, message, warnings } = await createAd(
      ctx,
      input({ endDate: '2999-03-01T00:00:00+02:00', countries: ['US'] }),
      orderId,
    );
    expect(message).toBe('Ad created');
    expect(warnings).toBeUndefined();
    expect(ad).toEqual({
      _id: orderId,
      name: 'Winter',
      platform: 'network-a',
      status: 'active',
      adType: 'standalone',
      goal: 'traffic',
      isExternal: false,
      currency: 'USD',
      budget: { amount: 12.5, currency: 'USD', type: 'daily' },
      budgetLevel: 'ad_set',
      metrics: null,
      accountId: ctx.caller.userId && (await ads())[0]?.accountId,
      profileId: (await ads())[0]?.profileId,
      platformAdId: 'up-4',
      platformAdAccountId: 'act_1',
      platformCampaignId: 'up-1',
      platformAdSetId: 'up-2',
      campaignName: 'Winter',
      adSetName: 'Winter',
      bidStrategy: null,
      bidAmount: null,
      roasAverageFloor: null,
      promotedObject: null,
      creative: expect.objectContaining({
        headline: 'Coats',
        body: 'Warm coats',
        callToAction: 'SHOP_NOW',
        linkUrl: 'https://shop.example/coats',
        imageUrl: 'https://shop.example/coat.png',
      }),
      urlParameters: null,
      targeting: expect.objectContaining({ countries: ['US'] }),
      declarations: {
        specialAdCategories: [],
        specialAdCategoryCountry: [],
        politicalAdvertising: null,
        regionalRegulation: [],
      },
      schedule: { startDate: '2999-01-31T09:00:00.000Z', endDate: '2999-02-28T22:00:00.000Z' },
      rejectionReason: null,
      removal: null,
      removedAt: null,
      createdAt: '2999-01-31T09:00:00.000Z',
      updatedAt: '2999-01-31T09:00:00.000Z',
    });
    expect(fake.sent).toEqual(['campaign', 'adSet', 'creative.0', 'ad.0', 'activate']);
  });

  it('publishes the ad in the write that stores its outcome, and leaves nothing due', async () => {
    const { ctx, input, ads } = await fixture();
    const { ad } = await createAd(ctx, input());
    const [stored] = await ads();
    expect(eventsIn(stored)).toMatchObject([{ type: 'ad.created', data: { ad } }]);
    expect(stored?.reconcileAt).toBeUndefined();
    expect(stored?.steps?.map(({ state }) => state)).toEqual(Array(5).fill('done'));
  });

  it('leaves a paused ad paused', async () => {
    const { ctx, input, fake } = await fixture();
    const { ad } = await createAd(ctx, input({ status: 'PAUSED' }));
    expect(ad?.status).toBe('paused');
    expect(fake.sent).not.toContain('activate');
  });

  it('makes an ad for each creative in one campaign and ad set', async () => {
    const { ctx, input, fake, ads } = await fixture();
    const result = await createAd(ctx, input(severalAds(3)));
    expect(result).toMatchObject({ platformCampaignId: 'up-1', platformAdSetId: 'up-2', message: '3 ads created' });
    expect(result.ad).toBeUndefined();
    expect(result.ads?.map(({ creative }) => creative?.['headline'])).toEqual(['Coat 0', 'Coat 1', 'Coat 2']);
    expect(result.ads?.map(({ platformAdId }) => platformAdId)).toEqual(['up-4', 'up-6', 'up-8']);
    expect(new Set(fake.orders[0]?.names.ads).size).toBe(3);
    const stored = await ads();
    expect(stored.map((ad) => eventsIn(ad).length)).toEqual([1, 1, 1]);
    expect(stored.map(({ order }) => order !== undefined)).toEqual([true, false, false]);
  });

  it('attaches an ad to an ad set, with the names and the goal of its parents', async () => {
    const { ctx, input, fake } = await fixture();
    const { ad } = await createAd(ctx, input(attached));
    expect(ad).toMatchObject({
      platformAdSetId: 'set-1',
      platformCampaignId: 'campaign-of-set',
      campaignName: 'Parent campaign',
      adSetName: 'Parent ad set',
      goal: 'traffic',
      budget: null,
      schedule: { startDate: null, endDate: null },
    });
    expect(fake.sent).toEqual(['creative.0', 'ad.0']);
  });

  it('uses the decrypted token of the account and takes an ad account with or without its prefix', async () => {
    const { ctx, input, fake } = await fixture();
    await createAd(ctx, input({ adAccountId: '1' }));
    expect(fake.accesses[0]).toMatchObject({ token: 'token-1', pageId: 'page-1', accountPlatform: 'network-a' });
    expect(fake.orders[0]?.adAccount).toMatchObject({ id: 'act_1', currency: 'USD' });
  });

  it('answers a finished order again without a request when it is repeated under its id', async () => {
    const { ctx, input, fake } = await fixture();
    const orderId = newId();
    const first = await createAd(ctx, input(severalAds(2)), orderId);
    const sent = fake.sent.length;
    expect(await createAd(ctx, input(severalAds(2)), orderId)).toEqual(first);
    expect(fake.sent).toHaveLength(sent);
  });
});

describe('a dry run', () => {
  it.each([
    ['one ad', {}, ['campaign', 'adSet', 'creative.0', 'ad.0', 'activate']],
    ['an attached ad', attached, ['creative.0', 'ad.0']],
  ] as const)(
    'shows the requests of %s, asks the platform to validate and makes nothing',
    async (_name, extra, steps) => {
      const { ctx, input, fake, ads } = await fixture();
      const result = await createAd(ctx, input({ ...extra, validateOnly: true }));
      expect(result).toMatchObject({ valid: true });
      expect(result.requests?.map(({ url }) => url)).toEqual(steps.map((step) => `https://platform.example/${step}`));
      expect(fake.validated).toBe(1);
      expect(fake.sent).toEqual([]);
      expect(await ads()).toEqual([]);
    },
  );

  it('is refused by the same local rules', async () => {
    const { ctx, input } = await fixture();
    await expect(createAd(ctx, input({ currency: 'EUR', validateOnly: true }))).rejects.toMatchObject({ status: 400 });
  });
});

describe('what is refused before the platform is asked to make anything', () => {
  it.each([
    ['without ads access', { caller: { plan: 'free' } }, {}, 403, 'ads_access_required'],
    ['for an account that does not exist', {}, { accountId: newId() }, 422, 'linked_account_required'],
    [
      'for an account beyond the key',
      { caller: { scope: 'profiles', profileIds: [newId()] } },
      {},
      422,
      'linked_account_required',
    ],
    ['for an account without ads', { connection: { platform: 'listing' } }, {}, 422, 'linked_account_required'],
    ['without an ads connection on D', { connection: { platform: 'network-c' } }, {}, 422, 'ads_connection_required'],
    ['without an ads connection on E', { connection: { platform: 'microblog' } }, {}, 422, 'ads_connection_required'],
    [
      'for a platform that is not spoken',
      { connection: { platform: 'network-c', adsConnected: true } },
      {},
      501,
      'unsupported_platform_operation',
    ],
    [
      'for a network-b account without the network-a account that it belongs to',
      { connection: { platform: 'network-b', pageId: null } },
      {},
      422,
      'linked_account_required',
    ],
    ['for an ad account out of reach', {}, { adAccountId: 'act_9' }, 422, 'linked_account_required'],
    ['in another currency', {}, { currency: 'EUR' }, 400, 'invalid_field_value'],
    ['for the EU without its two fields', {}, { countries: ['DE'] }, 400, 'missing_required_field'],
  ] as const)('%s', async (_name, options, extra, status, code) => {
    const { ctx, input, fake, ads } = await fixture(options as FixtureOptions);
    await expect(createAd(ctx, input(extra as object))).rejects.toMatchObject({ status, code });
    expect(fake.sent).toEqual([]);
    expect(await ads()).toEqual([]);
  });

  it('names both fields of the EU at once', async () => {
    const { ctx, input } = await fixture();
    await expect(createAd(ctx, input({ countries: ['FR'] }))).rejects.toMatchObject({
      extras: { details: { fields: { dsaBeneficiary: [expect.any(String)], dsaPayor: [expect.any(String)] } } },
    });
  });

  it('asks for the ad accounts once an hour', async () => {
    const { ctx, input, fake, pass } = await fixture();
    let asked = 0;
    const { listAdAccounts } = fake.adapter;
    fake.adapter.listAdAccounts = (access) => ((asked += 1), listAdAccounts(access));
    await createAd(ctx, input());
    pass(3599);
    await createAd(ctx, input());
    expect(asked).toBe(1);
    pass(2);
    await createAd(ctx, input());
    expect(asked).toBe(2);
  });
});

describe('an ad that discovery has stored before its order is recorded', () => {
  /** Changes the copy once more just before it is removed. */
  const changing = (model: Store['db']['ads'], change: () => Promise<unknown>): Store['db']['ads'] => {
    let isChanged = false;
    const bulkWrite = async (operations: object[]): Promise<unknown> => {
      const isRemoval = operations.some((operation) => 'deleteMany' in operation);
      if (isRemoval && !isChanged) await change().then(() => (isChanged = true));
      return model.bulkWrite(operations as never);
    };
    return new Proxy(model, {
      get: (target, name) => (name === 'bulkWrite' ? bulkWrite : (Reflect.get(target, name) as unknown)),
    });
  };

  it.each([
    { count: 1, isChangedAgain: false },
    { count: 3, isChangedAgain: false },
    { count: 3, isChangedAgain: true },
  ])('is one record, and loses no event of the copy: %j', async ({ count, isChangedAgain }) => {
    const made = await fixture();
    const { input, fake, ads } = made;
    const later = newOutboxEvent('ad.updated', { ad: {} }, made.ctx.clock.now());
    const addLater = (): Promise<unknown> =>
      store.db.ads.updateOne(
        { accountId: made.account._id, isExternal: true, platformAdId: { $gt: '' } },
        { $push: { pendingEvents: later } },
      );
    const db = isChangedAgain ? { ...store.db, ads: changing(store.db.ads, addLater) } : store.db;
    const ctx = { ...made.ctx, db };
    const { createAds } = fake.adapter;
    const published = newOutboxEvent('ad.status_changed', { ad: { status: 'paused' } }, ctx.clock.now());
    fake.adapter.createAds = async (...args) => {
      const created = await createAds(...args);
      const [firstAd] = await ads();
      if (!firstAd) throw new Error('The order is not recorded');
      const { _id, order: _order, steps: _steps, lease: _lease, ...fields } = firstAd;
      const copies = created.ads.map(({ platformAdId }, at) => ({
        ...fields,
        _id: newId(),
        orderId: newId(),
        isExternal: true,
        status: 'active',
        platformAdId,
        pendingEvents: at === 0 ? [published] : [],
      }));
      await store.db.ads.insertMany(copies);
      return created;
    };
    await createAd(ctx, input(count > 1 ? severalAds(count) : {}));
    const stored = await ads();
    expect(stored.map(({ isExternal, status }) => [isExternal ?? false, status])).toEqual(
      Array.from({ length: count }, () => [false, 'active']),
    );
    expect(stored.flatMap(({ pendingEvents = [] }) => pendingEvents.map(({ type }) => type))).toEqual(
      expect.arrayContaining(['ad.status_changed', ...Array.from({ length: count }, () => 'ad.created')]),
    );
    const ids = stored.flatMap(({ pendingEvents = [] }) => pendingEvents.map(({ eventId }) => eventId));
    for (const { eventId } of isChangedAgain ? [published, later] : [published]) {
      expect(ids.filter((id) => id === eventId)).toHaveLength(1);
    }
  });
});
