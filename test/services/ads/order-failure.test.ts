import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newId } from '../../../src/lib/id.ts';
import { createAd } from '../../../src/services/ads/create-ad.ts';
import { createUserFixture, openStore, severalAds, type Store } from './fixture.ts';
import { eventsIn } from '../../support/outbox.ts';

let store: Store;
beforeAll(async () => void (store = await openStore()));
afterAll(() => store.stop());

describe('an order that fails at the platform', () => {
  it.each([
    { fault: 'rejected', code: 'platform_api_error', status: 400, stored: 'error', holdsKey: true },
    { fault: 'not_found', code: 'platform_api_error', status: 404, stored: 'error', holdsKey: true },
    { fault: 'auth_expired', code: 'platform_token_expired', status: 401, stored: 'error', holdsKey: true },
    { fault: 'rate_limited', code: 'rate_limited', status: 429, stored: 'error', holdsKey: true },
    { fault: 'unavailable', code: 'platform_api_error', status: 502, stored: 'error', holdsKey: true },
    { fault: 'unsupported', code: 'unsupported_platform_operation', status: 501, stored: 'error', holdsKey: true },
    { fault: 'unknown_outcome', code: 'platform_api_error', status: 502, stored: 'unconfirmed', holdsKey: true },
  ] as const)('answers $status after $fault half-way, says what exists and keeps it as $stored', async (row) => {
    const { ctx, input, fake, ads } = await createUserFixture(store);
    fake.script('adSet', { fault: row.fault, retryAfterSeconds: 30 });
    const orderId = newId();
    await expect(createAd(ctx, input(), orderId)).rejects.toMatchObject({
      code: row.code,
      status: row.status,
      extras: {
        platform: 'A',
        platformError: { code: 100, subcode: 33, title: 'Title', message: 'Upstream words', traceId: 'trace-1' },
        details: { adId: orderId, created: { platformCampaignId: 'up-1' } },
        retryAfterSeconds: 30,
        holdsKey: row.holdsKey,
      },
    });
    const [ad] = await ads();
    expect(ad?.status).toBe(row.stored);
    expect(ad?.platformCampaignId).toBe('up-1');
    expect(ad?.rejectionReason === null).toBe(row.stored === 'unconfirmed');
    expect(eventsIn(ad).map(({ type }) => type)).toEqual(row.stored === 'error' ? ['ad.failed'] : []);
    expect(ad?.reconcileAt !== undefined).toBe(row.stored === 'unconfirmed');
  });

  it.each([
    ['rejected', false],
    ['not_found', false],
    ['rate_limited', true],
    ['unavailable', true],
    ['auth_expired', true],
    ['unknown_outcome', true],
  ] as const)('that left nothing behind holds its key after %s: %s', async (fault, holdsKey) => {
    const { ctx, input, fake } = await createUserFixture(store);
    fake.script('campaign', { fault });
    await expect(createAd(ctx, input())).rejects.toMatchObject({ extras: { holdsKey } });
  });

  it('reports that a request of unknown outcome is reconciled and not resent', async () => {
    const { ctx, input, fake } = await createUserFixture(store);
    fake.script('campaign', { fault: 'unknown_outcome', made: true });
    const orderId = newId();
    await expect(createAd(ctx, input(), orderId)).rejects.toThrow(
      new RegExp(`${orderId} may or may not exist.*not be resent.*reconciled`),
    );
  });

  it('asks the owner to connect again when the token is refused', async () => {
    const { ctx, input, fake, account } = await createUserFixture(store);
    fake.script('campaign', { fault: 'auth_expired' });
    await expect(createAd(ctx, input())).rejects.toMatchObject({ status: 401 });
    expect((await ctx.db.accounts.findById(account._id).lean())?.needsReconnect).toBe(true);
    await expect(createAd(ctx, input())).rejects.toMatchObject({ code: 'platform_token_expired', status: 401 });
  });

  it.each(['creative.2', 'ad.2'])('names the entry of creatives that failed at %s', async (step) => {
    const { ctx, input, fake, ads } = await createUserFixture(store);
    fake.script(step, { fault: 'rejected' });
    const orderId = newId();
    const error = await createAd(ctx, input(severalAds(3)), orderId).catch((caught: unknown) => caught);
    const stored = await ads();
    expect(error).toMatchObject({
      extras: {
        details: {
          adId: stored[2]?._id,
          adIds: stored.map(({ _id }) => _id),
          creativeIndex: 2,
          created: { platformCampaignId: 'up-1', platformAdSetId: 'up-2', platformAdIds: ['up-4', 'up-6'] },
        },
      },
    });
    expect(stored.map(({ status, platformAdId }) => [status, platformAdId])).toEqual([
      ['error', 'up-4'],
      ['error', 'up-6'],
      ['error', null],
    ]);
  });

  it('carries the fields that the platform named', async () => {
    const { ctx, input, fake } = await createUserFixture(store);
    fake.script('adSet', { fault: 'rejected', fields: { budgetAmount: ['is too low'] } });
    await expect(createAd(ctx, input())).rejects.toMatchObject({
      code: 'platform_api_error',
      extras: { param: 'budgetAmount', details: { fields: { budgetAmount: ['is too low'] }, created: {} } },
    });
  });

  it("turns the platform's EU refusal into the local rule's answer", async () => {
    const { ctx, input, fake } = await createUserFixture(store);
    fake.script('adSet', { fault: 'rejected', fields: { dsaPayor: ['is missing'] } });
    await expect(createAd(ctx, input())).rejects.toMatchObject({
      code: 'missing_required_field',
      status: 400,
      extras: {
        param: 'dsaBeneficiary',
        platform: 'A',
        details: { fields: { dsaBeneficiary: [expect.any(String)], dsaPayor: [expect.any(String)] } },
      },
    });
  });

  it('stays in the log and not in the answer when the adapter itself is wrong', async () => {
    const { ctx, input, fake, ads } = await createUserFixture(store);
    fake.adapter.createAds = async () => {
      throw new TypeError('cannot read x of undefined');
    };
    await expect(createAd(ctx, input())).rejects.toBeInstanceOf(TypeError);
    expect((await ads())[0]).toMatchObject({ status: 'error', rejectionReason: 'Internal error' });
  });
});

describe('the same call again', () => {
  it.each(['rejected', 'rate_limited', 'unavailable'] as const)(
    'goes on after %s and repeats nothing',
    async (fault) => {
      const { ctx, input, fake, ads } = await createUserFixture(store);
      fake.script('ad.1', { fault });
      const orderId = newId();
      await expect(createAd(ctx, input(severalAds(3)), orderId)).rejects.toBeDefined();
      const result = await createAd(ctx, input(severalAds(3)), orderId);
      expect(result.ads?.map(({ status }) => status)).toEqual(['active', 'active', 'active']);
      expect(fake.objects.map(({ step }) => step)).toEqual([...new Set(fake.objects.map(({ step }) => step))]);
      expect((await ads()).map(({ rejectionReason }) => rejectionReason)).toEqual([null, null, null]);
    },
  );

  it('finds what an unanswered request made and goes on from there', async () => {
    const { ctx, input, fake, ads } = await createUserFixture(store);
    fake.script('campaign', { fault: 'unknown_outcome', made: true });
    const orderId = newId();
    await expect(createAd(ctx, input(), orderId)).rejects.toMatchObject({ status: 502 });
    expect((await createAd(ctx, input(), orderId)).ad).toMatchObject({ status: 'active', platformCampaignId: 'up-1' });
    expect(fake.sent).toEqual(['campaign', 'adSet', 'creative.0', 'ad.0', 'activate']);
    expect((await ads())[0]?.reconcileAt).toBeUndefined();
  });

  it('never sends an unanswered request again, however late', async () => {
    const { ctx, input, fake, ads, pass } = await createUserFixture(store);
    fake.script('campaign', { fault: 'unknown_outcome' });
    const orderId = newId();
    for (let round = 0; round < 3; round += 1) {
      await expect(createAd(ctx, input(), orderId)).rejects.toMatchObject({ status: 502 });
      pass(3600);
    }
    expect(fake.sent).toEqual(['campaign']);
    expect((await ads())[0]?.status).toBe('unconfirmed');
  });

  it.each([
    ['the plan lost its ads', { plan: 'free' as const }, 403],
    ['the key no longer reaches the profile', { scope: 'profiles' as const, profileIds: [newId()] }, 422],
  ])('keeps the key of an open order when %s', async (_name, caller, status) => {
    const { ctx, input, fake } = await createUserFixture(store);
    fake.script('campaign', { fault: 'unknown_outcome' });
    const orderId = newId();
    await expect(createAd(ctx, input(), orderId)).rejects.toMatchObject({ status: 502 });
    const changed = { ...ctx, caller: { ...ctx.caller, ...caller } };
    await expect(createAd(changed, input(), orderId)).rejects.toMatchObject({ status, extras: { holdsKey: true } });
  });

  it('keeps the key of an open order when its connection has expired meanwhile', async () => {
    const { ctx, input, fake, account, ads } = await createUserFixture(store);
    fake.script('campaign', { fault: 'unknown_outcome' });
    const orderId = newId();
    await expect(createAd(ctx, input(), orderId)).rejects.toMatchObject({ status: 502 });
    await ctx.db.accounts.updateOne({ _id: account._id }, { needsReconnect: true });
    await expect(createAd(ctx, input(), orderId)).rejects.toMatchObject({ status: 401, extras: { holdsKey: true } });
    expect((await ads())[0]?.status).toBe('unconfirmed');
  });
});
