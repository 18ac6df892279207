import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createAd } from '../../../src/services/ads/create-ad.ts';
import { settleDueAds } from '../../../src/services/ads/settle-ad.ts';
import type { Ctx } from '../../../src/services/context.ts';
import { createUserFixture, openStore, type Store } from './fixture.ts';

let store: Store;
beforeAll(async () => void (store = await openStore()));
afterAll(() => store.stop());

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

describe('an order whose process lives', () => {
  it('is left to it however long it waits for its turn, or for an upload within a step', async () => {
    const world = await createUserFixture(store);
    const { fake, input } = world;
    const ctx: Ctx = { ...world.ctx, clock: { now: () => new Date() }, orderLeaseMs: 600 };
    const { createAds } = fake.adapter;
    fake.adapter.createAds = async (access, order, journal) => {
      await pause(2000);
      await journal.run({
        name: 'video.0',
        request: { method: 'POST', url: 'https://platform.example/video' },
        send: () => pause(2000).then(() => 'video-1'),
      });
      return createAds(access, order, journal);
    };
    let isOver = false;
    const order = createAd(ctx, input()).finally(() => (isOver = true));
    let looked = 0;
    while (!isOver) {
      looked += await settleDueAds(ctx, 10);
      await pause(50);
    }
    expect(await order).toMatchObject({ ad: { status: 'active' } });
    expect(looked).toBe(0);
    expect(fake.orders).toHaveLength(1);
    expect((await world.ads())[0]?.settleAfter).toBeUndefined();
  });

  it('is not renewed any more once its run is over', async () => {
    const world = await createUserFixture(store);
    const ctx: Ctx = { ...world.ctx, clock: { now: () => new Date() }, orderLeaseMs: 300 };
    world.fake.script('adSet', { fault: 'unknown_outcome', made: true });
    await expect(createAd(ctx, world.input())).rejects.toMatchObject({ status: 502 });
    const [ad] = await world.ads();
    // Nothing renews it after its run: the look comes when it was set for.
    await pause(700);
    expect((await world.ads())[0]?.settleAfter).toEqual(ad?.settleAfter);
  });
});
