import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newId } from '../../../src/lib/id.ts';
import { PlatformError } from '../../../src/platforms/error.ts';
import type { SwitchStatus } from '../../../src/platforms/platform.ts';
import { accountFields } from '../../../src/services/encryption/bindings.ts';
import { createAd } from '../../../src/services/ads/create-ad.ts';
import { setCampaignStatus } from '../../../src/services/ads/set-campaign-status.ts';
import { reconcileDueOrders } from '../../../src/services/ads/reconcile-orders.ts';
import { setAdStatus } from '../../../src/services/ads/set-ad-status.ts';
import { idempotent } from '../../../src/services/durable/idempotency.ts';
import { attached, createUserFixture, openStore, severalAds, type Store, type UserFixture } from './fixture.ts';
import { eventsIn } from '../../support/outbox.ts';

let store: Store;
beforeAll(async () => void (store = await openStore()));
afterAll(() => store.stop());

const order = (fixture: UserFixture, extra: Parameters<UserFixture['input']>[0] = {}) => {
  const input = fixture.input(extra);
  const ctx = { ...fixture.ctx, idempotencyKey: 'key-1' };
  return idempotent(ctx, { operation: 'createAd', input }, (id) => createAd(ctx, input, id));
};

const campaign = ({ ctx }: UserFixture, status: SwitchStatus, campaignId = 'up-1') =>
  setCampaignStatus(ctx, { campaignId, platform: 'network-a', status });

const statuses = async (fixture: UserFixture) => (await fixture.ads()).map(({ status }) => status);

/** Goes on until nothing is looked for any more. */
async function reconcile(fixture: UserFixture): Promise<void> {
  for (const seconds of [31, 121, 121]) {
    fixture.pass(seconds);
    await reconcileDueOrders(fixture.ctx, 100);
  }
}

describe('a campaign that is activated while its order is in progress', () => {
  it('has a running ad in the end when the order was to stay paused', async () => {
    const fixture = await createUserFixture(store);
    fixture.fake.script('ad.0', { fault: 'unknown_outcome', made: true });
    await expect(order(fixture, { status: 'PAUSED' })).rejects.toMatchObject({ status: 502 });
    await campaign(fixture, 'ACTIVE');
    await reconcile(fixture);
    expect((await fixture.ads())[0]).toMatchObject({ status: 'active', platformAdId: 'up-4', rejectionReason: null });
  });

  it('keeps the requested pause when the platform rejects the change', async () => {
    const fixture = await createUserFixture(store);
    fixture.fake.script('adSet', { fault: 'unavailable' });
    await expect(order(fixture, { status: 'PAUSED' })).rejects.toMatchObject({ status: 502 });
    fixture.fake.adapter.setCampaignStatus = async () => {
      throw new PlatformError('A', 'rejected', 'not yet');
    };
    await expect(campaign(fixture, 'ACTIVE')).rejects.toMatchObject({ status: 400 });
    expect((await order(fixture, { status: 'PAUSED' })).value.ad).toMatchObject({ status: 'paused' });
    expect(fixture.fake.sent).not.toContain('activate');
  });

  it('runs in our record too when the order goes on at that moment', async () => {
    const fixture = await createUserFixture(store);
    const { fake } = fixture;
    fake.script('adSet', { fault: 'unavailable' });
    await expect(order(fixture, { status: 'PAUSED' })).rejects.toMatchObject({ status: 502 });
    const { createAds } = fake.adapter;
    fake.adapter.createAds = async (...args) => {
      await campaign(fixture, 'ACTIVE');
      return createAds(...args);
    };
    expect((await order(fixture, { status: 'PAUSED' })).value.ad).toMatchObject({ status: 'active' });
    expect(await statuses(fixture)).toEqual(['active']);
  });
});

describe('an order whose campaign was paused meanwhile', () => {
  it.each(['not_found', 'rejected'] as const)('ends if the last pause is %s', async (fault) => {
    const fixture = await createUserFixture(store);
    fixture.fake.script('activate', { fault: 'unknown_outcome', made: true });
    await expect(order(fixture)).rejects.toMatchObject({ status: 502 });
    await campaign(fixture, 'PAUSED');
    // Deleted at the platform since.
    fixture.fake.adapter.setCampaignStatus = async () => {
      throw new PlatformError('A', fault, 'no such campaign');
    };
    await reconcile(fixture);
    expect((await fixture.ads())[0]).toMatchObject({ status: 'paused', platformAdId: 'up-4' });
  });
});

describe('an order that died when all of it stood', () => {
  it.each<[string, Parameters<UserFixture['input']>[0]]>([
    ['with its campaign on', {}],
    ['in the ad set of another', attached],
  ])('is not reported as never created, %s, while its platform cannot be read', async (_name, extra) => {
    const fixture = await createUserFixture(store);
    const { fake } = fixture;
    fake.crashAt = 'end';
    const dead = fixture.killed();
    void order(fixture, extra);
    await dead;
    const { createAds } = fake.adapter;
    fake.adapter.createAds = async () => {
      throw new PlatformError('A', 'rejected', 'The connection has no access to this ad account');
    };
    await reconcile(fixture);
    await reconcile(fixture);
    expect(await statuses(fixture)).toEqual(['creating']);
    fake.adapter.createAds = createAds;
    await reconcile(fixture);
    expect(await statuses(fixture)).toEqual(['active']);
  });
});

describe('a campaign that two connections know', () => {
  it('is switched by the one that still stands', async () => {
    const fixture = await createUserFixture(store);
    const { ctx, account } = fixture;
    await createAd(ctx, fixture.input());
    const _id = newId();
    const encryptedToken = ctx.encrypter.encrypt('token', accountFields.encryptedToken(_id));
    const copy = { ...account, _id, encryptedToken, profileId: newId(), platformAccountId: 'page-2' };
    const other = await ctx.db.accounts.create(copy);
    const [ad] = await fixture.ads();
    const { profileId, _id: accountId } = other;
    await ctx.db.ads.create({ ...ad, _id: newId(), orderId: newId(), profileId, accountId, pendingEvents: [] });
    await ctx.db.accounts.updateOne({ _id: account._id }, { $set: { disconnectedAt: ctx.clock.now() } });
    const switched: string[] = [];
    fixture.fake.adapter.setCampaignStatus = async (_access, _campaign, status) => void switched.push(status);
    await campaign(fixture, 'PAUSED');
    expect(switched).toEqual(['PAUSED']);
    expect((await ctx.db.ads.findOne({ accountId }).lean())?.status).toBe('paused');
  });
});

describe('a campaign switched again', () => {
  it('repairs what a failing store left the first time', async () => {
    const fixture = await createUserFixture(store);
    const { ctx } = fixture;
    await createAd(ctx, fixture.input());
    const { campaigns } = ctx.db;
    const { userId } = ctx.caller;
    await campaign(fixture, 'PAUSED');
    await campaigns.updateMany({ userId }, { $set: { status: 'active' } });
    await campaign(fixture, 'PAUSED');
    expect((await campaigns.findOne({ userId }).lean())?.status).toBe('paused');
  });
});

describe('an ad that is activated', () => {
  it('stays paused under a campaign that was made paused', async () => {
    const fixture = await createUserFixture(store);
    const { ad } = await createAd(fixture.ctx, fixture.input({ status: 'PAUSED' }));
    const { ad: after } = await setAdStatus(fixture.ctx, { adId: ad?._id ?? '', status: 'ACTIVE' });
    expect(after.status).toBe('paused');
    await campaign(fixture, 'ACTIVE');
    expect(await statuses(fixture)).toEqual(['active']);
  });

  it('runs under a campaign that a discovery met before its order had switched it on', async () => {
    const fixture = await createUserFixture(store);
    fixture.fake.script('adSet', { fault: 'unavailable' });
    await expect(order(fixture)).rejects.toMatchObject({ status: 502 });
    await fixture.ctx.db.campaigns.updateMany(
      { userId: fixture.ctx.caller.userId },
      { $set: { platformStatus: 'paused' } },
    );
    const { ad } = (await order(fixture)).value;
    await setAdStatus(fixture.ctx, { adId: ad?._id ?? '', status: 'PAUSED' });
    await setAdStatus(fixture.ctx, { adId: ad?._id ?? '', status: 'ACTIVE' });
    expect(await statuses(fixture)).toEqual(['active']);
  });

  it('stays paused in an ad set that is off itself, also when its campaign is switched', async () => {
    const fixture = await createUserFixture(store);
    const { ad } = await createAd(fixture.ctx, fixture.input());
    const adId = ad?._id ?? '';
    await setAdStatus(fixture.ctx, { adId, status: 'PAUSED' });
    await fixture.ctx.db.adSets.updateMany(
      { userId: fixture.ctx.caller.userId },
      { $set: { platformStatus: 'paused' } },
    );
    const { ad: after } = await setAdStatus(fixture.ctx, { adId, status: 'ACTIVE' });
    expect(after.status).toBe('paused');
    await campaign(fixture, 'PAUSED');
    await campaign(fixture, 'ACTIVE');
    expect(await statuses(fixture)).toEqual(['paused']);
  });

  it.each(['by its order', 'by hand'])(
    'runs in an ad set that was read while its campaign, since put on %s, was off',
    async (how) => {
      const fixture = await createUserFixture(store);
      if (how === 'by its order') fixture.fake.script('creative.0', { fault: 'unavailable' });
      if (how === 'by its order') await expect(order(fixture)).rejects.toMatchObject({ status: 502 });
      else await order(fixture, { status: 'PAUSED' });
      const { adSets, campaigns } = fixture.ctx.db;
      const { userId } = fixture.ctx.caller;
      await adSets.updateMany({ userId }, { $set: { platformStatus: 'paused' } });
      await campaigns.updateMany({ userId }, { $set: { platformStatus: 'paused' } });
      if (how === 'by its order') await order(fixture);
      else await campaign(fixture, 'ACTIVE');
      const adId = (await fixture.ads())[0]?._id ?? '';
      await setAdStatus(fixture.ctx, { adId, status: 'PAUSED' });
      await setAdStatus(fixture.ctx, { adId, status: 'ACTIVE' });
      expect(await statuses(fixture)).toEqual(['active']);
    },
  );

  it('stays off with its campaign on when it was put paused into an ad set', async () => {
    const fixture = await createUserFixture(store);
    const { ad } = await createAd(fixture.ctx, fixture.input({ ...attached, status: 'PAUSED' }));
    await campaign(fixture, 'PAUSED', 'campaign-of-set');
    await campaign(fixture, 'ACTIVE', 'campaign-of-set');
    expect(await statuses(fixture)).toEqual(['paused']);
    await setAdStatus(fixture.ctx, { adId: ad?._id ?? '', status: 'ACTIVE' });
    expect(await statuses(fixture)).toEqual(['active']);
  });

  it.each(['rejected', 'pending_review', 'completed', 'cancelled'] as const)('stays %s', async (status) => {
    const fixture = await createUserFixture(store);
    const { ad } = await createAd(fixture.ctx, fixture.input());
    await fixture.ctx.db.ads.updateOne({ _id: ad?._id }, { $set: { status } });
    await setAdStatus(fixture.ctx, { adId: ad?._id ?? '', status: 'ACTIVE' });
    expect(await statuses(fixture)).toEqual([status]);
  });
});

describe('an ad of an order that is not over', () => {
  it('keeps its order open when it is switched, and is off in the end', async () => {
    const fixture = await createUserFixture(store);
    fixture.fake.script('creative.1', { fault: 'unavailable' });
    await expect(order(fixture, severalAds(2))).rejects.toMatchObject({ status: 502 });
    const [first] = await fixture.ads();
    await setAdStatus(fixture.ctx, { adId: first?._id ?? '', status: 'PAUSED' });
    expect(await statuses(fixture)).toEqual(['error', 'error']);
    expect((await order(fixture, severalAds(2))).value.ads?.map(({ status }) => status)).toEqual(['paused', 'active']);
    expect(fixture.fake.sent).toContain('activate');
  });
});

describe('a campaign with ads of an order that failed', () => {
  it('completes its failed ads on activation if they lacked only activation', async () => {
    const fixture = await createUserFixture(store);
    fixture.fake.script('activate', { fault: 'rejected' });
    await expect(order(fixture)).rejects.toMatchObject({ status: 400 });
    await campaign(fixture, 'ACTIVE');
    const [ad] = await fixture.ads();
    expect(ad).toMatchObject({ status: 'active', rejectionReason: null });
    expect(eventsIn(ad).map(({ type }) => type)).toEqual(['ad.failed', 'ad.status_changed']);
    expect((await order(fixture)).value.ad).toMatchObject({ status: 'active' });
    expect(fixture.fake.sent.filter((step) => step === 'activate')).toHaveLength(1);
  });

  it('is not activated while that would run ads of an incomplete order', async () => {
    const fixture = await createUserFixture(store);
    fixture.fake.script('creative.1', { fault: 'unavailable' });
    await expect(order(fixture, severalAds(2))).rejects.toMatchObject({ status: 502 });
    const switched: string[] = [];
    fixture.fake.adapter.setCampaignStatus = async (_access, _campaign, status) => void switched.push(status);
    const [first] = await fixture.ads();
    const adId = first?._id ?? '';
    const refused = { status: 400, message: expect.stringContaining(adId) };
    await expect(campaign(fixture, 'ACTIVE')).rejects.toMatchObject(refused);
    expect(switched).toEqual([]);
    await setAdStatus(fixture.ctx, { adId, status: 'PAUSED' });
    await campaign(fixture, 'ACTIVE');
    expect(switched).toEqual(['ACTIVE']);
    await expect(setAdStatus(fixture.ctx, { adId, status: 'ACTIVE' })).rejects.toMatchObject(refused);
    expect((await order(fixture, severalAds(2))).value.ads?.map(({ status }) => status)).toEqual(['paused', 'active']);
    await setAdStatus(fixture.ctx, { adId, status: 'ACTIVE' });
    expect(await statuses(fixture)).toEqual(['active', 'active']);
  });
});
