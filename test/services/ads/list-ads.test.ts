import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ListAdsInput } from '../../../src/contract/ad-list.ts';
import { newId } from '../../../src/lib/id.ts';
import { createAd } from '../../../src/services/ads/create-ad.ts';
import { findAd } from '../../../src/services/ads/find-ad.ts';
import { listAds } from '../../../src/services/ads/list-ads.ts';
import { createUserFixture, openStore, type Store, type UserFixture } from './fixture.ts';

let store: Store;
let fixture: UserFixture;
const made: string[] = [];

beforeAll(async () => {
  store = await openStore();
  fixture = await createUserFixture(store);
  for (let index = 0; index < 5; index += 1) {
    const extra = {
      name: `Ad ${index}`,
      status: index < 2 ? ('PAUSED' as const) : ('ACTIVE' as const),
      adAccountId: index === 0 ? 'act_2' : 'act_1',
    };
    const { ad } = await createAd(fixture.ctx, fixture.input({ ...extra, budgetAmount: 100 }));
    made.push(ad?._id ?? '');
  }
});
afterAll(() => store.stop());

const list = (extra: Partial<ListAdsInput> = {}, ctx = fixture.ctx) => listAds(ctx, { page: 1, limit: 20, ...extra });
const scoped = (profileIds: string[]) => ({
  ...fixture.ctx,
  caller: { ...fixture.ctx.caller, scope: 'profiles' as const, profileIds },
});

describe('listAds', () => {
  it('answers newest first, page by page', async () => {
    const first = await list({ limit: 2 });
    expect(first.ads.map(({ name }) => name)).toEqual(['Ad 4', 'Ad 3']);
    expect(first.pagination).toMatchObject({ page: 1, limit: 2, total: 5, totalIsExact: true, pages: 3 });
    expect((await list({ limit: 2, page: 3 })).ads.map(({ name }) => name)).toEqual(['Ad 0']);
    expect((await list({ limit: 2, page: 4 })).ads).toEqual([]);
  });

  it.each([
    ['status', { status: 'paused' }, 2],
    ['platform', { platform: 'network-a' }, 5],
    ['another platform', { platform: 'network-b' }, 0],
    ['ad account', { adAccountId: 'act_2' }, 1],
    ['ad account without its prefix', { adAccountId: '2' }, 1],
    ['unknown account', { accountId: newId() }, 0],
    ['unknown profile', { profileId: newId() }, 0],
    ['two filters together', { adAccountId: 'act_1', status: 'paused' }, 1],
  ] as const)('filters by %s', async (_name, filter, count) => {
    expect((await list(filter)).pagination.total).toBe(count);
  });

  it('shows another user nothing', async () => {
    const other = await createUserFixture(store);
    expect((await list({}, other.ctx)).ads).toEqual([]);
    await expect(findAd(other.ctx, { adId: made[0] ?? '' })).rejects.toMatchObject({
      code: 'ad_not_found',
      status: 404,
    });
  });

  it('keeps a key of scope profiles to its profiles, also when it filters by another one', async () => {
    const { profileId } = fixture.account;
    expect((await list({}, scoped([profileId]))).ads).toHaveLength(5);
    expect((await list({}, scoped([newId()]))).ads).toEqual([]);
    expect((await list({ profileId }, scoped([newId()]))).ads).toEqual([]);
  });
});

describe('findAd', () => {
  it('answers the ad, and 404 where the key does not reach its profile', async () => {
    const adId = made[1] ?? '';
    expect((await findAd(fixture.ctx, { adId })).ad).toMatchObject({ _id: adId, name: 'Ad 1', status: 'paused' });
    await expect(findAd(scoped([newId()]), { adId })).rejects.toMatchObject({ code: 'ad_not_found' });
    await expect(findAd(fixture.ctx, { adId: newId() })).rejects.toMatchObject({ status: 404 });
  });
});
