import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { AdStatus } from '../../../src/contract/ad.ts';
import { newId } from '../../../src/lib/id.ts';
import { derivedStatus } from '../../../src/services/campaigns/derived-status.ts';
import { recomputeAggregates } from '../../../src/services/campaigns/recompute-aggregates.ts';
import { campaignRefOf } from '../../../src/services/campaigns/ids.ts';
import { seedCampaignTrees } from '../../support/campaign-trees.ts';
import { makeServices, type TestServices } from '../../support/services.ts';

let services: TestServices;
beforeAll(async () => void (services = await makeServices()));
afterAll(() => services.stop());

const inOrder: AdStatus[] = [
  'active',
  'pending_review',
  'creating',
  'unconfirmed',
  'paused',
  'error',
  'completed',
  'cancelled',
  'rejected',
];

describe('the derived status', () => {
  it('is the first of the order that any ad has', () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...inOrder), { minLength: 1 }), (statuses) => {
        expect(derivedStatus(statuses, 'active')).toBe(inOrder.find((status) => statuses.includes(status)));
      }),
    );
  });

  it('is the own one without ads', () => {
    expect(derivedStatus([], 'completed')).toBe('completed');
  });
});

describe('sums of several who change ads of one campaign at once', () => {
  it('end up as the ads are', async () => {
    const { db } = services;
    await fc.assert(
      fc.asyncProperty(fc.array(fc.constantFrom(...inOrder), { minLength: 2, maxLength: 8 }), async (statuses) => {
        const owner = { userId: newId(), profileId: newId(), accountId: newId() };
        await seedCampaignTrees(db, owner, { campaigns: 1, adSets: 2, ads: 4 });
        const ref = campaignRefOf(owner.accountId, 'c0');
        const change = async (status: AdStatus, at: number): Promise<void> => {
          const platformAdId = `a0-${at % 2}-${Math.floor(at / 2)}`;
          await db.ads.updateOne({ accountId: owner.accountId, platformAdId }, { $set: { status } });
          await recomputeAggregates(db, [ref]);
        };
        await Promise.all(statuses.map(change));
        const ads = await db.ads.find({ campaignRef: ref }).lean();
        const adSets = await db.adSets.find({ campaignRef: ref }).lean();
        const campaign = await db.campaigns.findOne({ _id: ref }).lean();
        const statusOf = (among: typeof ads): AdStatus =>
          derivedStatus(new Set(among.map(({ status }) => status)), null);
        expect(campaign).toMatchObject({ status: statusOf(ads), adCount: 8, adSetCount: 2 });
        for (const adSet of adSets) {
          expect(adSet.status).toBe(statusOf(ads.filter(({ adSetRef }) => adSetRef === adSet._id)));
        }
      }),
      { numRuns: 25 },
    );
  });
});
