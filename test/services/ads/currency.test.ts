import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createAd } from '../../../src/services/ads/create-ad.ts';
import { findAd } from '../../../src/services/ads/find-ad.ts';
import { listAds } from '../../../src/services/ads/list-ads.ts';
import { setAdStatus } from '../../../src/services/ads/set-ad-status.ts';
import { updateAd } from '../../../src/services/ads/update-ad.ts';
import { createUserFixture, openStore, type Store, type UserFixture } from './fixture.ts';
import { eventsIn } from '../../support/outbox.ts';

let store: Store;
beforeAll(async () => void (store = await openStore()));
afterAll(() => store.stop());

const yen = { adAccountId: 'act_2', budgetAmount: 500 };
const inYen = { currency: 'JPY', budget: { amount: 500, currency: 'JPY', type: 'daily' } };

const eventsOf = async (fixture: UserFixture): Promise<unknown[]> =>
  (await fixture.ads()).flatMap((ad) => eventsIn(ad).map(({ data }) => data['ad']));

describe('the currency of an ad', () => {
  it('is that of its ad account, in answers and in events', async () => {
    const fixture = await createUserFixture(store);
    const { ad } = await createAd(fixture.ctx, fixture.input(yen));
    expect(ad).toMatchObject(inYen);
    expect(await eventsOf(fixture)).toMatchObject([inYen]);
  });

  it('of a record of an earlier version is read from the ad accounts of the account, everywhere', async () => {
    const fixture = await createUserFixture(store);
    const { ctx } = fixture;
    const { ad } = await createAd(ctx, fixture.input(yen));
    const adId = ad?._id ?? '';
    const forget = { $unset: { currency: 1 as const, pendingEvents: 1 as const }, $set: { metrics: { spend: 7 } } };
    await ctx.db.ads.updateOne({ _id: adId }, forget);
    const expected = { ...inYen, metrics: { spend: 7, currency: 'JPY' } };
    expect((await findAd(ctx, { adId })).ad).toMatchObject(expected);
    expect((await listAds(ctx, { page: 1, limit: 10 })).ads).toMatchObject([expected]);
    expect((await updateAd(ctx, { adId, name: 'New' })).ad).toMatchObject(expected);
    expect((await setAdStatus(ctx, { adId, status: 'PAUSED' })).ad).toMatchObject(expected);
    expect(await eventsOf(fixture)).toMatchObject([
      { ...expected, changed: ['name'] },
      { ...expected, previousStatus: 'active' },
    ]);
  });

  it('is null while the ad account is unknown', async () => {
    const fixture = await createUserFixture(store);
    const { ad } = await createAd(fixture.ctx, fixture.input(yen));
    await fixture.ctx.db.ads.updateOne({ _id: ad?._id ?? '' }, { $unset: { currency: 1 } });
    await fixture.ctx.db.accounts.updateOne({ _id: fixture.account._id }, { $set: { adAccounts: [] } });
    expect((await findAd(fixture.ctx, { adId: ad?._id ?? '' })).ad).toMatchObject({
      currency: null,
      budget: { amount: 500, currency: null },
    });
  });
});
