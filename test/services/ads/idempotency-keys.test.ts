import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { PlatformError } from '../../../src/platforms/error.ts';
import { createAd } from '../../../src/services/ads/create-ad.ts';
import { setCampaignStatus } from '../../../src/services/ads/set-campaign-status.ts';
import { reconcileDueOrders } from '../../../src/services/ads/reconcile-orders.ts';
import { idempotent } from '../../../src/services/durable/idempotency.ts';
import { newLease } from '../../../src/services/durable/lease.ts';
import { createUserFixture, openStore, type Store, type UserFixture } from './fixture.ts';

let store: Store;
beforeAll(async () => void (store = await openStore()));
afterAll(() => store.stop());

const order = (fixture: UserFixture) => {
  const input = fixture.input();
  const ctx = { ...fixture.ctx, idempotencyKey: 'key-1' };
  return idempotent(ctx, { operation: 'createAd', input }, (id) => createAd(ctx, input, id));
};

const keyOf = ({ ctx }: UserFixture) => ctx.db.idempotency.findOne({ userId: ctx.caller.userId }).lean();
const campaignsOf = ({ fake }: UserFixture) => fake.objects.filter(({ step }) => step === 'campaign');

/** Lets the owner pause the campaign after the order has switched it on and before its end. */
const pauseBeforeEnd = ({ fake, ctx, account }: UserFixture): void => {
  const { createAds } = fake.adapter;
  fake.adapter.createAds = async (...args) => {
    const made = await createAds(...args);
    fake.adapter.createAds = createAds;
    const { userId, profileId, _id: accountId, platform } = account;
    const found = { userId, profileId, accountId, platform, adPlatform: 'A', platformAdAccountId: 'act_1' };
    await ctx.db.campaigns.collection.insertOne({ ...found, platformCampaignId: 'up-1' });
    await setCampaignStatus(ctx, { campaignId: 'up-1', platform: 'network-a', status: 'PAUSED' });
    return made;
  };
};

describe('the key of an order', () => {
  it('stays taken when the order stands and only its last pause failed', async () => {
    const fixture = await createUserFixture(store);
    const { fake } = fixture;
    pauseBeforeEnd(fixture);
    let asked = 0;
    fake.adapter.setCampaignStatus = async () => {
      asked += 1;
      if (asked === 2) throw new PlatformError('A', 'rate_limited', 'slower');
    };
    await expect(order(fixture)).rejects.toMatchObject({ status: 429 });
    expect((await order(fixture)).value.ad).toMatchObject({ status: 'paused' });
    expect(campaignsOf(fixture)).toHaveLength(1);
    expect(await fixture.ads()).toHaveLength(1);
  });

  it('stays reserved while the outcome is unknown, even for days', async () => {
    const fixture = await createUserFixture(store);
    fixture.fake.script('campaign', { fault: 'unknown_outcome', made: true });
    await expect(order(fixture)).rejects.toMatchObject({ status: 502 });
    await fixture.ctx.db.accounts.updateOne({ _id: fixture.account._id }, { needsReconnect: true });
    for (let hours = 0; hours < 60; hours += 12) {
      fixture.pass(12 * 3600);
      await reconcileDueOrders(fixture.ctx, 100);
    }
    await fixture.ctx.db.accounts.updateOne({ _id: fixture.account._id }, { needsReconnect: false });
    expect((await order(fixture)).value.ad).toMatchObject({ status: 'active' });
    expect(campaignsOf(fixture)).toHaveLength(1);
    expect(await fixture.ads()).toHaveLength(1);
  });

  it('is not freed by the reconciler while its caller resumes the order', async () => {
    const fixture = await createUserFixture(store);
    const { ctx } = fixture;
    fixture.fake.script('campaign', { fault: 'unknown_outcome' });
    await expect(order(fixture)).rejects.toMatchObject({ status: 502 });
    fixture.pass(31);
    await reconcileDueOrders(ctx, 100);
    fixture.pass(121);
    const keys = ctx.db.idempotency;
    const freeing = keys.deleteOne.bind(keys);
    // The caller repeats the call right between the end of the order and the end of its key.
    const during = { ...ctx, db: { ...ctx.db, idempotency: Object.create(keys) as typeof keys } };
    during.db.idempotency.deleteOne = ((filter: object) =>
      keys
        .updateOne(
          { userId: ctx.caller.userId },
          { $set: { state: 'running', lease: newLease(ctx.clock.now(), 60_000) } },
        )
        .then(() => freeing(filter))) as never;
    await reconcileDueOrders(during, 100);
    expect(await keyOf(fixture)).toMatchObject({ state: 'running' });
  });
});
