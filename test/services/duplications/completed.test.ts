import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DuplicateCampaignInput } from '../../../src/contract/duplication.ts';
import { runDiscovery } from '../../../src/services/discovery/run-discovery.ts';
import { requestDiscovery } from '../../../src/services/discovery/request-discovery.ts';
import { duplicateCampaign } from '../../../src/services/duplications/duplicate-campaign.ts';
import { writeCopies } from '../../../src/services/duplications/write-copies.ts';
import { makeCopyUser, plant, startCopyFixture, workOn, type CopyPlatform, type CopyFixture } from './fixture.ts';

let fixture: CopyFixture;
beforeAll(async () => void (fixture = await startCopyFixture()));
afterAll(() => fixture.stop());

const both: CopyPlatform[] = ['network-a', 'network-c'];

describe.each(both)('a copy on %s that a discovery sees before it is recorded', (platform) => {
  it('ends with a complete record: copy and discovery add what the other does not know', async () => {
    const user = await makeCopyUser(fixture, platform);
    const source = await plant(fixture, user, {
      name: 'Spring',
      adSets: [{ name: 'Women', ads: [{ name: 'Coats' }] }],
    });
    const { services } = fixture;
    const { db } = services;
    const { accountId } = user;
    const discover = async (): Promise<void> => {
      const account = await db.accounts.findOne({ _id: accountId }).lean().orFail();
      await requestDiscovery(services, account);
      await runDiscovery(services, accountId);
    };
    await discover();
    const creative = { headline: 'Coats', longHeadline: 'Coats for every day' };
    const targeting = { countries: ['DE'] };
    // As if it had been made here: then a discovery leaves what it says.
    const facts = { isExternal: false, creative, goal: 'traffic', 'settings.targeting': targeting };
    await db.ads.updateMany({ accountId }, { $set: facts });
    const input = { campaignId: source, platform, syncAfter: false };
    const { duplicationId, copiedCampaignId } = await duplicateCampaign(user.ctx, DuplicateCampaignInput.parse(input));
    await workOn(fixture, duplicationId);

    const ofCopy = { accountId, platformCampaignId: copiedCampaignId };
    const [ad, adSet] = [await db.ads.findOne(ofCopy).lean().orFail(), await db.adSets.findOne(ofCopy).lean().orFail()];
    await Promise.all([db.ads.deleteMany(ofCopy), db.adSets.deleteMany(ofCopy), db.campaigns.deleteMany(ofCopy)]);
    await discover();
    // A discovery that reads less than ours leaves this behind.
    await db.ads.updateMany(ofCopy, { $set: { creative: null, goal: null }, $unset: { 'settings.startDate': 1 } });
    await db.adSets.updateMany(ofCopy, { $set: { goal: null, budget: null } });

    const doc = await db.duplications.findOne({ _id: duplicationId }).lean().orFail();
    const [sourceSet] = doc.tree.adSets;
    const copied = [
      { kind: 'campaign' as const, sourceId: source, copiedId: copiedCampaignId ?? '' },
      { kind: 'adSet' as const, sourceId: sourceSet?.id ?? '', copiedId: adSet.platformAdSetId },
      { kind: 'ad' as const, sourceId: sourceSet?.ads[0]?.id ?? '', copiedId: ad.platformAdId ?? '' },
    ];
    await writeCopies(services, doc, copied);
    const completed = await db.ads.findOne(ofCopy).lean().orFail();
    expect(completed).toMatchObject({ creative, goal: 'traffic', isExternal: false, settings: { targeting } });
    expect((await db.adSets.findOne(ofCopy).lean())?.budget).toEqual(adSet.budget);
    await writeCopies(services, doc, copied);
    expect(await db.ads.findOne(ofCopy).lean()).toMatchObject({ creative, settings: completed.settings });

    await discover();
    const whole = await db.ads.findOne(ofCopy).lean().orFail();
    expect(whole).toMatchObject({ creative, settings: { targeting, startDate: expect.any(String) } });
  });
});
