import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { PlatformError } from '../../../src/platforms/error.ts';
import type { Access, AdSetRef, Budget, CampaignRef, LevelChange } from '../../../src/platforms/platform.ts';
import { UpdateCampaignInput } from '../../../src/contract/level-update.ts';
import { createAd } from '../../../src/services/ads/create-ad.ts';
import { updateAdSet, updateCampaign } from '../../../src/services/ads/update-level.ts';
import { idempotent } from '../../../src/services/durable/idempotency.ts';
import { createUserFixture, openStore, type Store, type UserFixture } from './fixture.ts';

let store: Store;
beforeAll(async () => void (store = await openStore()));
afterAll(() => store.stop());

const inDays = (days: number): string => new Date(Date.parse('2999-01-31T09:00:00Z') + days * 86_400_000).toISOString();

/** A platform whose campaign carries the budget, and whose only ad set carries the end. */
async function withCampaignBudget() {
  const fixture = await createUserFixture(store);
  await createAd(fixture.ctx, fixture.input({}));
  const budget: Budget = { amount: 12.5, type: 'daily' };
  const refused = { end: true };
  const sent: LevelChange[] = [];
  Object.assign(fixture.fake.adapter, {
    readBudget: async () => ({
      level: 'campaign',
      endLevel: 'ad_set',
      budget: { ...budget },
      hasOtherAdSets: false,
      onlyAdSetId: 'up-2',
    }),
    updateCampaign: async (_access: Access, _ref: CampaignRef, change: LevelChange) => {
      sent.push(change);
      budget.amount = change.budget?.amount ?? budget.amount;
    },
    updateAdSet: async (_access: Access, _ref: AdSetRef, change: LevelChange) => {
      if (refused.end) throw new PlatformError('A', 'rejected', 'The end is too early');
      sent.push(change);
    },
  });
  return { fixture, budget, refused, sent };
}

const change = { budgetAmount: 30, expectedBudgetAmount: 12.5, endDate: inDays(9) };
const withKey = ({ ctx }: UserFixture, more: object = change) => {
  const input = UpdateCampaignInput.parse({ platform: 'network-a', campaignId: 'up-1', ...more });
  const once = { ...ctx, idempotencyKey: 'key-1' };
  return idempotent(once, { operation: 'updateCampaign', input }, (_id, isFirstAttempt) =>
    updateCampaign({ ...once, isFirstAttempt }, input),
  );
};

describe('updateCampaign whose end is refused after its budget was changed', () => {
  it('names the part that was changed, and its repetition goes on under the same key', async () => {
    const { fixture, refused, sent } = await withCampaignBudget();
    const refusal = { status: 400, extras: { holdsKey: true, details: { done: ['budgetAmount'] } } };
    await expect(withKey(fixture)).rejects.toMatchObject(refusal);
    await expect(withKey(fixture)).rejects.toMatchObject(refusal);
    refused.end = false;
    const { value } = await withKey(fixture);
    expect(value.campaign.budget).toMatchObject({ amount: 30 });
    expect(sent.map(({ budget }) => budget?.amount)).toEqual([30, 30, 30, undefined]);
  });

  it('is not repeated over a budget that was changed at the platform meanwhile', async () => {
    const { fixture, budget, sent } = await withCampaignBudget();
    await expect(withKey(fixture)).rejects.toMatchObject({ status: 400 });
    budget.amount = 5;
    await expect(withKey(fixture)).rejects.toMatchObject({
      code: 'budget_changed',
      extras: { details: { budget: { amount: 5 } } },
    });
    expect(sent).toHaveLength(1);
  });

  it('releases the key if nothing was changed', async () => {
    const { fixture } = await withCampaignBudget();
    const input = { endDate: inDays(9) };
    await expect(withKey(fixture, input)).rejects.toMatchObject({ status: 400 });
    await expect(withKey(fixture, { endDate: inDays(8) })).rejects.toMatchObject({ code: 'platform_api_error' });
  });
});

describe('a change of a level', () => {
  /** How often the records of ads are read in one of two ways. */
  function countReads(fixture: UserFixture): { findOne: number; find: number } {
    const reads = { findOne: 0, find: 0 };
    const { ads } = fixture.ctx.db;
    const counted = Object.create(ads) as typeof ads;
    for (const name of ['find', 'findOne'] as const)
      counted[name] = ((...args: never[]) => {
        reads[name] += 1;
        return (ads[name] as (...all: never[]) => unknown).apply(ads, args);
      }) as never;
    fixture.ctx.db = { ...fixture.ctx.db, ads: counted };
    return reads;
  }

  it('reads the recorded terms once', async () => {
    const { fixture, refused } = await withCampaignBudget();
    refused.end = false;
    const reads = countReads(fixture);
    const input = UpdateCampaignInput.parse({ platform: 'network-a', campaignId: 'up-1', ...change });
    await updateCampaign(fixture.ctx, input);
    expect(reads.findOne).toBe(1);
  });

  it('reads the ads of an ad set once to activate it', async () => {
    const fixture = await createUserFixture(store);
    await createAd(fixture.ctx, fixture.input({}));
    const status = (requested: 'ACTIVE' | 'PAUSED') =>
      updateAdSet(fixture.ctx, { platform: 'network-a', adSetId: 'up-2', status: requested, validateOnly: false });
    await status('PAUSED');
    expect((await fixture.ads()).map((ad) => ad.status)).toEqual(['paused']);
    const reads = countReads(fixture);
    await status('ACTIVE');
    expect(reads.find).toBe(1);
    expect((await fixture.ads()).map((ad) => ad.status)).toEqual(['active']);
  });
});
