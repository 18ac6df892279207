import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { limitsOfOneProcess } from '../../../src/lib/limits.ts';
import { PlatformError } from '../../../src/platforms/error.ts';
import type { AdChange } from '../../../src/platforms/platform.ts';
import { createAd } from '../../../src/services/ads/create-ad.ts';
import { updateAd } from '../../../src/services/ads/steer-ad.ts';
import { attached, makeWorld, openStore, type Store, type World } from './world.ts';

let store: Store;
beforeAll(async () => void (store = await openStore()));
afterAll(() => store.stop());

const pause = (ms: number): Promise<void> => new Promise((done) => setTimeout(done, ms));

/** A world with one ad, and what the platform was told of it, change by change. */
async function withAd(extra: Parameters<World['input']>[0] = {}) {
  const world = await makeWorld(store);
  const { ad } = await createAd(world.ctx, world.input(extra));
  const told: AdChange[] = [];
  world.fake.adapter.updateAd = async (_access, _ad, change) => void told.push(change);
  return { world, told, adId: ad?._id ?? '' };
}

const budgetOf = async (world: World) => (await world.ads())[0]?.terms.budget?.amount;

describe('updateAd', () => {
  it('records of two budgets at once the one that the platform has', async () => {
    const { world, told, adId } = await withAd();
    const ctx = { ...world.ctx, alone: limitsOfOneProcess().alone };
    const { updateMany } = ctx.db.ads;
    // The first one's record is slower than the second one's.
    let waits = 60;
    ctx.db = { ...ctx.db, ads: Object.create(ctx.db.ads) as typeof ctx.db.ads };
    ctx.db.ads.updateMany = ((...args: Parameters<typeof updateMany>) => {
      const wait = pause(waits);
      waits = 0;
      return wait.then(() => updateMany.apply(world.ctx.db.ads, args));
    }) as never;
    await Promise.all([20, 30].map((budgetAmount) => updateAd(ctx, { adId, budgetAmount })));
    expect(await budgetOf(world)).toBe(told.at(-1)?.budget?.amount);
  });

  it('changes no budget when the name is refused', async () => {
    const { world, told, adId } = await withAd();
    world.fake.adapter.updateAd = async (_access, _ad, change) => {
      if (change.name) throw new PlatformError('A', 'rejected', 'no such name');
      told.push(change);
    };
    await expect(updateAd(world.ctx, { adId, name: 'Odd', budgetAmount: 20 })).rejects.toMatchObject({ status: 400 });
    expect(told).toEqual([]);
    expect((await world.ads())[0]).toMatchObject({ name: 'Winter', terms: { budget: { amount: 12.5 } } });
  });

  it('records the name that the platform has taken before it refused the budget', async () => {
    const { world, adId } = await withAd();
    world.fake.adapter.updateAd = async (_access, _ad, change) => {
      if (change.budget) throw new PlatformError('A', 'rejected', 'too little');
    };
    await expect(updateAd(world.ctx, { adId, name: 'New', budgetAmount: 20 })).rejects.toMatchObject({ status: 400 });
    expect((await world.ads())[0]).toMatchObject({ name: 'New', terms: { budget: { amount: 12.5 } } });
  });

  it('changes the budget of the whole run where the ad set has one, though the ad does not say so', async () => {
    const { world, told, adId } = await withAd(attached);
    const adSet = { budget: { amount: 100, type: 'lifetime' as const } };
    await world.ctx.db.adSets.updateOne({ platformAdSetId: 'set-1', userId: world.ctx.caller.userId }, { $set: adSet });
    await updateAd(world.ctx, { adId, budgetAmount: 120 });
    expect(told[0]?.budget).toEqual({ amount: 120, type: 'lifetime' });
    expect((await world.ads())[0]?.terms.budget).toEqual({ amount: 120, type: 'lifetime' });
  });

  it('records a budget for all of the campaign on a platform where it belongs to it', async () => {
    const { world, adId } = await withAd();
    const { ads, campaigns, adSets } = world.ctx.db;
    const { userId } = world.ctx.caller;
    const { _id: _old, ...ad } = await ads.findOne({ _id: adId }).lean().orFail();
    const other = { platformAdSetId: 'other', platformAdId: 'other', adSetRef: 'other', batchId: 'other' };
    await ads.create({ ...ad, ...other });
    Object.assign(world.fake.adapter, { platform: 'B' });
    await updateAd(world.ctx, { adId, budgetAmount: 20 });
    expect((await world.ads()).map(({ terms }) => terms.budget?.amount)).toEqual([20, 20]);
    expect((await campaigns.findOne({ userId }).lean())?.budget).toEqual({ amount: 20, type: 'daily' });
    expect((await adSets.findOne({ userId }).lean())?.budget).toBeNull();
  });
});
