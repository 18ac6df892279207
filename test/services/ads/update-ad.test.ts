import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { localPlatformLimits } from '../../../src/lib/platform-limits.ts';
import { onAdSet } from '../../../src/platforms/budget.ts';
import { PlatformError } from '../../../src/platforms/error.ts';
import type {
  Access,
  AdRef,
  AdSetRef,
  BudgetPlacement,
  CampaignRef,
  LevelChange,
} from '../../../src/platforms/platform.ts';
import { createAd } from '../../../src/services/ads/create-ad.ts';
import { updateAd } from '../../../src/services/ads/update-ad.ts';
import { attached, createUserFixture, openStore, type Store, type UserFixture } from './fixture.ts';

let store: Store;
beforeAll(async () => void (store = await openStore()));
afterAll(() => store.stop());

const pause = (ms: number): Promise<void> => new Promise((done) => setTimeout(done, ms));

/** Replaces what the platform does with a change of an ad, an ad set or a campaign. */
const answerChanges = ({ fake }: UserFixture, answer: (change: LevelChange) => void): void =>
  void Object.assign(fake.adapter, {
    renameAd: async (_access: Access, _ref: AdRef, name: string) => answer({ name }),
    updateCampaign: async (_access: Access, _ref: CampaignRef, change: LevelChange) => answer(change),
    updateAdSet: async (_access: Access, _ref: AdSetRef, change: LevelChange) => answer(change),
  });

/** A fixture with one ad, and the changes that were sent to its platform. */
async function withAd(extra: Parameters<UserFixture['input']>[0] = {}) {
  const fixture = await createUserFixture(store);
  const { ad } = await createAd(fixture.ctx, fixture.input(extra));
  const sent: LevelChange[] = [];
  answerChanges(fixture, (change) => void sent.push(change));
  return { fixture, sent, adId: ad?._id ?? '' };
}

const budgetOf = async (fixture: UserFixture) => (await fixture.ads())[0]?.settings.budget?.amount;

describe('updateAd', () => {
  it('records of two budgets at once the one that the platform has', async () => {
    const { fixture, sent, adId } = await withAd();
    const ctx = { ...fixture.ctx, withLock: localPlatformLimits().withLock };
    const { bulkWrite } = ctx.db.ads;
    // The first one's record is slower than the second one's.
    let waits = 60;
    ctx.db = { ...ctx.db, ads: Object.create(ctx.db.ads) as typeof ctx.db.ads };
    ctx.db.ads.bulkWrite = ((...args: Parameters<typeof bulkWrite>) => {
      const wait = pause(waits);
      waits = 0;
      return wait.then(() => bulkWrite.apply(fixture.ctx.db.ads, args));
    }) as never;
    await Promise.all([20, 30].map((budgetAmount) => updateAd(ctx, { adId, budgetAmount })));
    expect(await budgetOf(fixture)).toBe(sent.at(-1)?.budget?.amount);
  });

  it('changes no budget when the name is refused', async () => {
    const { fixture, sent, adId } = await withAd();
    answerChanges(fixture, (change) => {
      if (change.name) throw new PlatformError('A', 'rejected', 'no such name');
      sent.push(change);
    });
    await expect(updateAd(fixture.ctx, { adId, name: 'Odd', budgetAmount: 20 })).rejects.toMatchObject({ status: 400 });
    expect(sent).toEqual([]);
    expect((await fixture.ads())[0]).toMatchObject({ name: 'Winter', settings: { budget: { amount: 12.5 } } });
  });

  it('records the name that the platform has taken before it refused the budget', async () => {
    const { fixture, adId } = await withAd();
    answerChanges(fixture, (change) => {
      if (change.budget) throw new PlatformError('A', 'rejected', 'too little');
    });
    await expect(updateAd(fixture.ctx, { adId, name: 'New', budgetAmount: 20 })).rejects.toMatchObject({ status: 400 });
    expect((await fixture.ads())[0]).toMatchObject({ name: 'New', settings: { budget: { amount: 12.5 } } });
  });

  it('changes the budget of the whole run where the ad set has one, though the ad does not say so', async () => {
    const { fixture, sent, adId } = await withAd(attached);
    const adSet = { budget: { amount: 100, type: 'lifetime' as const } };
    await fixture.ctx.db.adSets.updateOne(
      { platformAdSetId: 'set-1', userId: fixture.ctx.caller.userId },
      { $set: adSet },
    );
    await updateAd(fixture.ctx, { adId, budgetAmount: 120 });
    expect(sent[0]?.budget).toEqual({ amount: 120, type: 'lifetime' });
    expect((await fixture.ads())[0]?.settings.budget).toEqual({ amount: 120, type: 'lifetime' });
  });

  const ofCampaign: BudgetPlacement = {
    level: 'campaign',
    endLevel: 'ad_set',
    hasOtherAdSets: true,
    budget: { amount: 500, type: 'daily' },
  };

  /** A platform where the budget moves to the campaign once it was read for the first time. */
  const movesOnce = (fixture: UserFixture): void => {
    let reads = 0;
    fixture.fake.adapter.readBudget = async () => {
      reads += 1;
      return reads === 1 ? onAdSet({ amount: 12.5, type: 'daily' }) : ofCampaign;
    };
  };
  const mismatch = {
    code: 'budget_level_mismatch',
    status: 409,
    extras: { details: { level: 'campaign', budget: { amount: 500, type: 'daily' } } },
  };

  it('verifies a budget if the platform ignores it at the wrong level, and records the actual one', async () => {
    const { fixture, sent, adId } = await withAd();
    movesOnce(fixture);
    Object.assign(fixture.fake.adapter, { ignoresForeignBudgets: true });
    await expect(updateAd(fixture.ctx, { adId, budgetAmount: 20 })).rejects.toMatchObject(mismatch);
    expect(sent).toHaveLength(1);
    expect(await budgetOf(fixture)).toBe(500);
  });

  it('reports a budget that the platform accepted but did not change', async () => {
    const { fixture, adId } = await withAd();
    fixture.fake.adapter.readBudget = async () => onAdSet({ amount: 12.5, type: 'daily' });
    Object.assign(fixture.fake.adapter, { ignoresForeignBudgets: true });
    await expect(updateAd(fixture.ctx, { adId, budgetAmount: 20 })).rejects.toMatchObject({
      code: 'budget_level_mismatch',
      extras: { details: { level: 'ad_set', budget: { amount: 12.5 } } },
    });
    expect(await budgetOf(fixture)).toBe(12.5);
  });

  it('records the end that went with a budget that the platform ignored', async () => {
    const { fixture, adId } = await withAd();
    movesOnce(fixture);
    Object.assign(fixture.fake.adapter, { ignoresForeignBudgets: true });
    const endDate = '2999-03-01T00:00:00Z';
    await expect(updateAd(fixture.ctx, { adId, budgetAmount: 20, endDate })).rejects.toMatchObject(mismatch);
    expect((await fixture.ads())[0]?.settings).toMatchObject({ budget: { amount: 500 }, endDate });
  });

  it('records the budget that a campaign was given before its ad set refused the end', async () => {
    const { fixture, adId } = await withAd();
    const { adapter } = fixture.fake;
    adapter.readBudget = async () => ({ ...ofCampaign, hasOtherAdSets: false });
    const sent: LevelChange[] = [];
    answerChanges(fixture, ({ budget, endDate }) => {
      if (budget) sent.push({ budget });
      if (endDate) throw new PlatformError('A', 'rejected', 'too late', { code: 100 });
    });
    const change = { adId, budgetAmount: 600, endDate: '2999-03-01T00:00:00Z' };
    await expect(updateAd(fixture.ctx, change)).rejects.toMatchObject({ code: 'platform_api_error' });
    expect(sent).toEqual([{ budget: { amount: 600, type: 'daily' } }]);
    const [ad] = await fixture.ads();
    expect(ad?.settings.budget).toEqual({ amount: 600, type: 'daily' });
    expect(ad?.settings.endDate).toBeUndefined();
  });

  it('changes budget and end in one request where one object carries both', async () => {
    const { fixture, sent, adId } = await withAd();
    await updateAd(fixture.ctx, { adId, budgetAmount: 20, endDate: '2999-03-01T00:00:00Z' });
    expect(sent).toMatchObject([{ budget: { amount: 20 }, endDate: '2999-03-01T00:00:00Z' }]);
  });

  it('keeps a lifetime budget on record that platform B has as one for each day', async () => {
    const { fixture, adId } = await withAd({
      budgetType: 'lifetime',
      budgetAmount: 300,
      endDate: '2999-03-01T00:00:00Z',
    });
    Object.assign(fixture.fake.adapter, { platform: 'B' });
    const budget = { amount: 10, type: 'daily' as const };
    fixture.fake.adapter.readBudget = async () => ({ ...ofCampaign, endLevel: 'campaign', budget });
    await expect(updateAd(fixture.ctx, { adId, budgetAmount: 400 })).rejects.toMatchObject({
      code: 'budget_level_mismatch',
    });
    expect((await fixture.ads())[0]?.settings.budget).toEqual({ amount: 300, type: 'lifetime' });
  });

  it('names the new level if it changed after it was read and the platform rejects the budget', async () => {
    const { fixture, adId } = await withAd();
    movesOnce(fixture);
    answerChanges(fixture, () => {
      throw new PlatformError('A', 'rejected', 'clashes', { code: 100 });
    });
    await expect(updateAd(fixture.ctx, { adId, budgetAmount: 20 })).rejects.toMatchObject(mismatch);
  });

  it('passes a rejection on if the level is the same', async () => {
    const { fixture, adId } = await withAd();
    answerChanges(fixture, () => {
      throw new PlatformError('A', 'rejected', 'too little', { code: 100 });
    });
    await expect(updateAd(fixture.ctx, { adId, budgetAmount: 20 })).rejects.toMatchObject({
      code: 'platform_api_error',
    });
  });

  it('sends nothing, not even the name, if another level carries the budget', async () => {
    const { fixture, sent, adId } = await withAd();
    fixture.fake.adapter.readBudget = async () => ofCampaign;
    await expect(updateAd(fixture.ctx, { adId, name: 'New', budgetAmount: 20 })).rejects.toMatchObject(mismatch);
    expect(sent).toEqual([]);
  });

  it('rejects an end date of a campaign that has other ad sets', async () => {
    const { fixture, sent, adId } = await withAd();
    fixture.fake.adapter.readBudget = async () => ({ ...ofCampaign, endLevel: 'campaign' });
    const endDate = '2999-03-01T00:00:00Z';
    await expect(updateAd(fixture.ctx, { adId, endDate })).rejects.toMatchObject({
      code: 'schedule_level_mismatch',
      extras: { param: 'endDate', details: { level: 'campaign' } },
    });
    expect(sent).toEqual([]);
  });

  it('uses the budget type of the platform, not of the record', async () => {
    const { fixture, sent, adId } = await withAd();
    fixture.fake.adapter.readBudget = async () => onAdSet({ amount: 300, type: 'lifetime' });
    await updateAd(fixture.ctx, { adId, budgetAmount: 320 });
    expect(sent[0]?.budget).toEqual({ amount: 320, type: 'lifetime' });
  });

  it('removes the end date, but not that of a lifetime budget', async () => {
    const { fixture, sent, adId } = await withAd({ endDate: '2999-03-01T00:00:00Z' });
    await updateAd(fixture.ctx, { adId, endDate: null });
    expect(sent).toMatchObject([{ endDate: null }]);
    const [ad] = await fixture.ads();
    expect(ad?.settings.endDate).toBeNull();
    expect((await fixture.ctx.db.adSets.findOne({ _id: ad?.adSetRef ?? '' }).lean())?.endDate).toBeNull();
    fixture.fake.adapter.readBudget = async () => onAdSet({ amount: 300, type: 'lifetime' });
    await expect(updateAd(fixture.ctx, { adId, endDate: null })).rejects.toMatchObject({
      status: 400,
      extras: { details: { fields: { endDate: ['cannot be removed: a lifetime budget needs an end'] } } },
    });
  });

  it('records a budget for all of the campaign on a platform where it belongs to it', async () => {
    const { fixture, adId } = await withAd();
    const { ads, campaigns, adSets } = fixture.ctx.db;
    const { userId } = fixture.ctx.caller;
    const { _id: _old, ...ad } = await ads.findOne({ _id: adId }).lean().orFail();
    const other = { platformAdSetId: 'other', platformAdId: 'other', adSetRef: 'other', orderId: 'other' };
    await ads.create({ ...ad, ...other });
    Object.assign(fixture.fake.adapter, { platform: 'B' });
    const budget = { amount: 12.5, type: 'daily' as const };
    const own = { level: 'campaign', endLevel: 'campaign', hasOtherAdSets: false, budget } as const;
    fixture.fake.adapter.readBudget = async () => own;
    await updateAd(fixture.ctx, { adId, budgetAmount: 20 });
    expect((await fixture.ads()).map(({ settings }) => settings.budget?.amount)).toEqual([20, 20]);
    expect((await campaigns.findOne({ userId }).lean())?.budget).toEqual({ amount: 20, type: 'daily' });
    expect((await adSets.findOne({ userId }).lean())?.budget).toBeNull();
  });
});
