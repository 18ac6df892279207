import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { PlatformError } from '../../../src/platforms/error.ts';
import { createAd } from '../../../src/services/ads/create-ad.ts';
import { setCampaignStatus } from '../../../src/services/ads/set-campaign-status.ts';
import { idempotent } from '../../../src/services/idempotency.ts';
import { makeWorld, openStore, type Store, type World } from './world.ts';

let store: Store;
beforeAll(async () => void (store = await openStore()));
afterAll(() => store.stop());

const order = (world: World) => {
  const input = world.input();
  const ctx = { ...world.ctx, idempotencyKey: 'key-1' };
  return idempotent(ctx, { operation: 'createAd', input }, (id) => createAd(ctx, input, id));
};

const keyOf = ({ ctx }: World) => ctx.db.idempotency.findOne({ userId: ctx.caller.userId }).lean();
const campaignsOf = ({ fake }: World) => fake.objects.filter(({ step }) => step === 'campaign');

/** Lets the owner pause the campaign after the order has switched it on and before its end. */
const pauseBeforeEnd = ({ fake, ctx, account }: World): void => {
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
    const world = await makeWorld(store);
    const { fake } = world;
    pauseBeforeEnd(world);
    let asked = 0;
    fake.adapter.setCampaignStatus = async () => {
      asked += 1;
      if (asked === 2) throw new PlatformError('A', 'rate_limited', 'slower');
    };
    await expect(order(world)).rejects.toMatchObject({ status: 429 });
    expect((await order(world)).value.ad).toMatchObject({ status: 'paused' });
    expect(campaignsOf(world)).toHaveLength(1);
    expect(await world.ads()).toHaveLength(1);
  });
});
