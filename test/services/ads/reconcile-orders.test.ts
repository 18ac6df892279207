import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { PlatformError } from '../../../src/platforms/error.ts';
import { createAd } from '../../../src/services/ads/create-ad.ts';
import { setCampaignStatus } from '../../../src/services/ads/set-campaign-status.ts';
import { reconcileDueOrders } from '../../../src/services/ads/reconcile-orders.ts';
import { idempotent } from '../../../src/services/durable/idempotency.ts';
import { createUserFixture, openStore, severalAds, type Store, type World } from './fixture.ts';

let store: Store;
beforeAll(async () => void (store = await openStore()));
afterAll(() => store.stop());

const order = (world: World) => {
  const input = world.input();
  const ctx = { ...world.ctx, idempotencyKey: 'key-1' };
  return idempotent(ctx, { operation: 'createAd', input }, (id) => createAd(ctx, input, id));
};

const keyOf = ({ ctx }: World) => ctx.db.idempotency.findOne({ userId: ctx.caller.userId }).lean();

/** Several look at the same time, as workers of several processes do. */
const look = ({ ctx }: World): Promise<number[]> => Promise.all([1, 2, 3].map(() => reconcileDueOrders(ctx, 100)));

describe('an order of unknown outcome', () => {
  it('becomes what it is when the platform made it after all', async () => {
    const world = await createUserFixture(store);
    world.fake.script('activate', { fault: 'unknown_outcome', made: true });
    await expect(order(world)).rejects.toMatchObject({ status: 502 });
    world.pass(31);
    await look(world);
    const [ad] = await world.ads();
    expect(ad).toMatchObject({ status: 'active', platformAdId: 'up-4' });
    expect(ad?.pendingEvents?.map(({ type }) => type)).toEqual(['ad.created']);
    const again = await order(world);
    expect(again.value.ad?._id).toBe(ad?._id);
    expect(world.fake.sent).toHaveLength(5);
  });

  it('is not activated by the reconciler after its owner has paused the campaign', async () => {
    const world = await createUserFixture(store);
    world.fake.script('activate', { fault: 'unknown_outcome' });
    await expect(order(world)).rejects.toMatchObject({ status: 502 });
    await setCampaignStatus(world.ctx, { campaignId: 'up-1', platform: 'network-a', status: 'PAUSED' });
    world.pass(31);
    await look(world);
    expect(world.fake.orders.at(-1)?.input.status).toBe('PAUSED');
    expect((await world.ads())[0]).toMatchObject({ status: 'paused', platformAdId: 'up-4' });
  });

  it('that goes on is paused at the end when its owner paused the campaign meanwhile', async () => {
    const world = await createUserFixture(store);
    const { fake, ctx } = world;
    const switched: string[] = [];
    fake.adapter.setCampaignStatus = async (_access, _campaign, status) => void switched.push(status);
    fake.script('adSet', { fault: 'unavailable' });
    await expect(order(world)).rejects.toMatchObject({ status: 502 });
    const { createAds } = fake.adapter;
    fake.adapter.createAds = async (...args) => {
      await setCampaignStatus(ctx, { campaignId: 'up-1', platform: 'network-a', status: 'PAUSED' });
      return createAds(...args);
    };
    expect((await order(world)).value.ad).toMatchObject({ status: 'paused' });
    expect(fake.sent).toContain('activate');
    expect(switched).toEqual(['PAUSED', 'PAUSED']);
    expect((await world.ads())[0]).toMatchObject({ status: 'paused' });
  });

  it('that is in its first run is paused at the end too, by what its steps tell of the campaign', async () => {
    const world = await createUserFixture(store);
    const { fake, ctx, account } = world;
    const switched: string[] = [];
    fake.adapter.setCampaignStatus = async (_access, _campaign, status) => void switched.push(status);
    const { createAds } = fake.adapter;
    fake.adapter.createAds = async (access, placed, journal) => {
      const pausing = {
        ...journal,
        run: async (step: Parameters<typeof journal.run>[0]) => {
          if (step.name === 'activate') {
            // A discovery has met the campaign by now, so its owner can pause it.
            const { userId, profileId, _id: accountId, platform } = account;
            const found = { userId, profileId, accountId, platform, adPlatform: 'A', platformAdAccountId: 'act_1' };
            await ctx.db.campaigns.collection.insertOne({ ...found, platformCampaignId: 'up-1' });
            await setCampaignStatus(ctx, { campaignId: 'up-1', platform: 'network-a', status: 'PAUSED' });
          }
          return journal.run(step);
        },
      };
      return createAds(access, placed, pausing);
    };
    expect((await order(world)).value.ad).toMatchObject({ status: 'paused' });
    expect(switched).toEqual(['PAUSED', 'PAUSED']);
  });

  it('is not looked for before its time', async () => {
    const world = await createUserFixture(store);
    world.fake.script('campaign', { fault: 'unknown_outcome', made: true });
    await expect(order(world)).rejects.toMatchObject({ status: 502 });
    world.pass(29);
    await look(world);
    expect(world.fake.orders).toHaveLength(1);
  });

  it('is given up only when two looks, two minutes apart, miss it; then its key is free', async () => {
    const world = await createUserFixture(store);
    world.fake.script('campaign', { fault: 'unknown_outcome' });
    await expect(order(world)).rejects.toMatchObject({ status: 502 });
    world.pass(31);
    await look(world);
    world.pass(60);
    await look(world);
    expect((await world.ads())[0]?.status).toBe('unconfirmed');
    world.pass(61);
    await look(world);
    expect((await world.ads())[0]).toMatchObject({ status: 'error', rejectionReason: 'The platform never created it' });
    expect((await world.ads())[0]?.pendingEvents?.map(({ type }) => type)).toEqual(['ad.failed']);
    expect(await keyOf(world)).toBeNull();
    expect((await order(world)).value.ad?.status).toBe('active');
    expect(await world.ads()).toHaveLength(2);
  });

  it('that appears late is found by the second look', async () => {
    const world = await createUserFixture(store);
    world.fake.script('activate', { fault: 'unknown_outcome', made: true });
    await expect(order(world)).rejects.toMatchObject({ status: 502 });
    world.fake.hidden = true;
    world.pass(31);
    await look(world);
    world.fake.hidden = false;
    world.pass(121);
    await look(world);
    expect((await world.ads())[0]?.status).toBe('active');
  });

  it('keeps its key when something exists, and the same call then goes on with it', async () => {
    const world = await createUserFixture(store);
    world.fake.script('adSet', { fault: 'unknown_outcome' });
    await expect(order(world)).rejects.toMatchObject({ status: 502 });
    for (const seconds of [31, 121, 121]) {
      world.pass(seconds);
      await look(world);
    }
    expect((await world.ads())[0]).toMatchObject({ status: 'error', platformCampaignId: 'up-1' });
    expect((await order(world)).value.ad).toMatchObject({ status: 'active', platformCampaignId: 'up-1' });
    expect(world.fake.objects.filter(({ step }) => step === 'campaign')).toHaveLength(1);
    expect(await world.ads()).toHaveLength(1);
  });

  it('is looked for in time however often its caller repeats the call', async () => {
    const world = await createUserFixture(store);
    world.fake.script('campaign', { fault: 'unknown_outcome' });
    for (let round = 0; round < 12; round += 1) {
      await order(world).catch(() => {});
      world.pass(20);
      await look(world);
    }
    expect(world.fake.sent.filter((step) => step === 'campaign')).toHaveLength(2);
    expect((await world.ads()).map(({ status }) => status)).toEqual(['error', 'active']);
  });

  it('takes two looks of its own when an earlier step was missed once and found later', async () => {
    const world = await createUserFixture(store);
    world.fake.script('campaign', { fault: 'unknown_outcome', made: true });
    world.fake.script('adSet', { fault: 'unknown_outcome', made: true });
    await expect(order(world)).rejects.toMatchObject({ status: 502 });
    world.fake.hidden = true;
    world.pass(31);
    await look(world);
    world.fake.hidden = false;
    await expect(order(world)).rejects.toMatchObject({ status: 502 });
    world.fake.hidden = true;
    world.pass(121);
    await look(world);
    expect((await world.ads())[0]?.status).toBe('unconfirmed');
  });

  it('waits while the platform cannot be asked', async () => {
    const world = await createUserFixture(store);
    world.fake.script('campaign', { fault: 'unknown_outcome', made: true });
    await expect(order(world)).rejects.toMatchObject({ status: 502 });
    await world.ctx.db.accounts.updateOne({ _id: world.account._id }, { needsReconnect: true });
    for (let round = 0; round < 5; round += 1) {
      world.pass(121);
      await look(world);
    }
    expect((await world.ads())[0]).toMatchObject({ status: 'unconfirmed' });
    expect((await world.ads())[0]?.reconcileAt).toBeInstanceOf(Date);
  });

  it.each(['rejected', 'not_found'] as const)(
    'ends as error when its process died and the rest is %s',
    async (fault) => {
      const world = await createUserFixture(store);
      world.fake.script('adSet', { crash: 'after' });
      const dead = world.killed();
      void order(world);
      await dead;
      const { createAds } = world.fake.adapter;
      world.fake.adapter.createAds = async (...args) => {
        await createAds(...args).catch(() => {});
        throw new PlatformError('A', fault, 'in words');
      };
      for (let round = 0; round < 4; round += 1) {
        world.pass(121);
        await look(world);
      }
      expect((await world.ads())[0]).toMatchObject({ status: 'error', platformAdSetId: 'up-2' });
    },
  );

  it.each([
    ['is over', true, 'error'],
    ['stays open while its ad account is suspended', false, 'unconfirmed'],
  ] as const)('%s when the platform finds nothing of it (active ad account: %s)', async (_title, isActive, status) => {
    const world = await createUserFixture(store);
    world.fake.script('adSet', { fault: 'unknown_outcome' });
    await expect(order(world)).rejects.toMatchObject({ status: 502 });
    world.fake.adapter.createAds = () => Promise.reject(new PlatformError('A', 'not_found', 'no such campaign'));
    world.fake.adapter.listAdAccounts = async () => [{ id: 'act_1', name: 'Main', currency: 'USD', isActive }];
    for (let round = 0; round < 4; round += 1) {
      world.pass(121);
      await look(world);
    }
    expect((await world.ads())[0]).toMatchObject({ status });
  });

  it('ends for all its ads when one who lost it has marked the others late', async () => {
    const world = await createUserFixture(store);
    const { createAds } = world.fake.adapter;
    world.fake.adapter.createAds = async (...args) => {
      const made = await createAds(...args);
      await world.ctx.db.ads.updateMany(
        { creativeIndex: { $gt: 0 } },
        { $set: { lease: { token: 'lost', until: new Date(0) } } },
      );
      return made;
    };
    await createAd(world.ctx, world.input(severalAds(3)));
    expect((await world.ads()).map(({ status }) => status)).toEqual(['active', 'active', 'active']);
  });

  it('is looked for by one of several workers at a time', async () => {
    const world = await createUserFixture(store);
    world.fake.script('ad.1', { fault: 'unknown_outcome', made: true });
    await expect(createAd(world.ctx, world.input(severalAds(2)))).rejects.toMatchObject({ status: 502 });
    world.pass(31);
    const before = world.fake.orders.length;
    await look(world);
    expect(world.fake.orders.length - before).toBe(1);
  });

  it('takes no more orders in one go than it is told', async () => {
    const worlds = await Promise.all([1, 2, 3].map(() => createUserFixture(store)));
    for (const world of worlds) {
      world.fake.script('campaign', { fault: 'unknown_outcome' });
      await expect(order(world)).rejects.toMatchObject({ status: 502 });
      world.pass(3600);
    }
    expect(await reconcileDueOrders(worlds[0]!.ctx, 2)).toBe(2);
  });
});
