import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { DuplicateCampaignInput } from '../../../src/contract/duplication.ts';
import { newId } from '../../../src/lib/id.ts';
import { campaignRefOf } from '../../../src/services/campaigns/ids.ts';
import { setCampaignStatus } from '../../../src/services/ads/set-campaign-status.ts';
import type { AdsAdapter, CopyAdapter } from '../../../src/platforms/platform.ts';
import { duplicateCampaign } from '../../../src/services/duplications/duplicate-campaign.ts';
import { runDuplication } from '../../../src/services/duplications/run-duplication.ts';
import { findDuplication } from '../../../src/services/duplications/find-duplication.ts';
import { proxyTo } from './sandbox-proxy.ts';
import {
  adaptersAt,
  quickLimits,
  grown,
  makeCopyUser,
  plant,
  shapeOf,
  startCopyFixture,
  workOn,
  type CopyFixture,
  type SourceTree,
} from './fixture.ts';

let fixture: CopyFixture;
beforeAll(async () => void (fixture = await startCopyFixture()));
afterAll(() => fixture.stop());
afterEach(() => fetch(`${fixture.sandbox.url}/control/faults`, { method: 'DELETE' }));

const small: SourceTree = { name: 'Spring', adSets: [{ name: 'Women', ads: [{ name: 'Coats' }] }] };
const large: SourceTree = {
  name: 'Autumn',
  adSets: [{ name: 'Women', ads: [{ name: 'Coats' }, { name: 'Hats' }, { name: 'Gloves' }] }],
};
const injectFault = (fault: object): Promise<Response> =>
  fetch(`${fixture.sandbox.url}/control/faults`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ platform: 'network-a', ...fault }),
  });

describe('a copy of unknown outcome', () => {
  it.each(['rate_limited', 'policy_block'])('is not called failed because looking for it meets %s', async (failure) => {
    const user = await makeCopyUser(fixture, 'network-a');
    const campaignId = await plant(fixture, user, small);
    const input = DuplicateCampaignInput.parse({ campaignId, platform: 'network-a', statusOption: 'ACTIVE' });
    const duplicationId = newId();
    const call = () => duplicateCampaign(user.ctx, input, duplicationId);
    const path = '/\\d+/copies$';
    await injectFault({ fault: 'reset_after', match: { method: 'POST', path }, times: 1, skip: 0 });
    // The first look is for what stood before the copy.
    await injectFault({ fault: failure, match: { method: 'GET', path }, times: 9, skip: 1 });
    await expect(call()).rejects.toMatchObject({ extras: { holdsKey: true } });
    fixture.services.pass(2);
    await expect(call()).rejects.toMatchObject({ extras: { holdsKey: true } });
    expect((await findDuplication(user.ctx, { duplicationId })).duplication.status).toBe('running');
    await fetch(`${fixture.sandbox.url}/control/faults`, { method: 'DELETE' });
    fixture.services.pass(60);
    await workOn(fixture, duplicationId);
    expect((await findDuplication(user.ctx, { duplicationId })).duplication.status).toBe('completed');
    expect((await grown(fixture, user)).map(shapeOf)).toHaveLength(2);
  });
});

describe('a copy whose answer names the campaign alone', () => {
  it('has none of its parts made a second time', async () => {
    const user = await makeCopyUser(fixture, 'network-a');
    const campaignId = await plant(fixture, user, small);
    const way = await proxyTo(fixture.sandbox, {
      after: (path, answer) => {
        if (!path.includes('/copies')) return answer;
        const { ad_object_ids: _parts, ...rest } = JSON.parse(answer) as Record<string, unknown>;
        return JSON.stringify(rest);
      },
    });
    const platforms = adaptersAt({ ...fixture.sandbox, url: way.url }, quickLimits());
    const input = DuplicateCampaignInput.parse({ campaignId, platform: 'network-a', syncAfter: false });
    const { duplicationId } = await duplicateCampaign({ ...user.ctx, platforms }, input);
    await runDuplication({ ...fixture.services, platforms }, duplicationId);
    way.stop();
    expect((await grown(fixture, user)).map(shapeOf)).toEqual([shapeOf(small), shapeOf(small)]);
    expect((await findDuplication(user.ctx, { duplicationId })).duplication).toMatchObject({
      status: 'completed',
      adSets: { copied: 1 },
      ads: { copied: 1 },
    });
  });
});

describe('a copy that grows', () => {
  it('is not activated at its end if its owner has paused it meanwhile', async () => {
    const user = await makeCopyUser(fixture, 'network-a');
    const campaignId = await plant(fixture, user, large);
    const input = DuplicateCampaignInput.parse({ campaignId, platform: 'network-a', statusOption: 'ACTIVE' });
    const { duplicationId, copiedCampaignId } = await duplicateCampaign(user.ctx, input);
    await injectFault({
      fault: 'rate_limited',
      match: { method: 'POST', path: `/${copiedCampaignId}$` },
      times: 1,
      skip: 0,
    });
    await runDuplication(fixture.services, duplicationId);
    await setCampaignStatus(user.ctx, { campaignId: copiedCampaignId, platform: 'network-a', status: 'PAUSED' });
    fixture.services.pass(120);
    await workOn(fixture, duplicationId);
    const copy = (await grown(fixture, user)).find(({ id }) => id === copiedCampaignId);
    expect(copy).toMatchObject({ status: 'PAUSED' });
    expect((await findDuplication(user.ctx, { duplicationId })).duplication.status).toBe('completed');
    const ads = await fixture.services.db.ads.find({ platformCampaignId: copiedCampaignId }).lean();
    expect(new Set(ads.map(({ status }) => status))).toEqual(new Set(['paused']));
  });

  it('is not activated when its owner finds and pauses it before we know that it is there', async () => {
    const user = await makeCopyUser(fixture, 'network-a');
    const campaignId = await plant(fixture, user, large);
    const input = DuplicateCampaignInput.parse({ campaignId, platform: 'network-a', statusOption: 'ACTIVE' });
    const duplicationId = newId();
    const path = '/\\d+/copies$';
    await injectFault({ fault: 'reset_after', match: { method: 'POST', path }, times: 1, skip: 0 });
    await injectFault({ fault: 'rate_limited', match: { method: 'GET', path }, times: 9, skip: 1 });
    await expect(duplicateCampaign(user.ctx, input, duplicationId)).rejects.toMatchObject({
      extras: { holdsKey: true },
    });
    await fetch(`${fixture.sandbox.url}/control/faults`, { method: 'DELETE' });
    const made = (await grown(fixture, user)).find(({ id }) => id !== campaignId)?.id ?? '';
    const { db, clock } = fixture.services;
    // What a discovery writes of it.
    const doc = await db.duplications.findById(duplicationId).lean().orFail();
    const { userId, profileId, accountId, platform, adPlatform, adAccount } = doc;
    const owner = { userId, profileId, accountId, platform, adPlatform, platformAdAccountId: adAccount.id };
    const at = clock.now();
    const stands = { platformStatus: 'paused', status: 'paused', seenAt: at, createdAt: at, updatedAt: at } as const;
    await db.campaigns.create({ ...owner, ...stands, _id: campaignRefOf(accountId, made), platformCampaignId: made });
    await setCampaignStatus(user.ctx, { campaignId: made, platform: 'network-a', status: 'PAUSED' });
    fixture.services.pass(120);
    await workOn(fixture, duplicationId);
    expect((await findDuplication(user.ctx, { duplicationId })).duplication).toMatchObject({
      status: 'completed',
      copiedCampaignId: made,
    });
    expect((await grown(fixture, user)).find(({ id }) => id === made)).toMatchObject({ status: 'PAUSED' });
    expect(await db.campaigns.findOne({ platformCampaignId: made }).lean()).toMatchObject({ platformStatus: 'paused' });
  });

  it('is not shown running when its owner pauses it the moment it was activated', async () => {
    const user = await makeCopyUser(fixture, 'network-a');
    const campaignId = await plant(fixture, user, large);
    const input = DuplicateCampaignInput.parse({ campaignId, platform: 'network-a', statusOption: 'ACTIVE' });
    const { duplicationId, copiedCampaignId } = await duplicateCampaign(user.ctx, input);
    const { A } = fixture.services.platforms;
    const copies: CopyAdapter = {
      ...(A?.copies as CopyAdapter),
      copyRest: async (...asked) => {
        await A?.copies?.copyRest(...asked);
        await setCampaignStatus(user.ctx, { campaignId: copiedCampaignId, platform: 'network-a', status: 'PAUSED' });
      },
    };
    const platforms = { ...fixture.services.platforms, A: { ...A, copies } as AdsAdapter };
    await runDuplication({ ...fixture.services, platforms }, duplicationId);
    fixture.services.pass(120);
    await workOn(fixture, duplicationId);
    expect((await grown(fixture, user)).find(({ id }) => id === copiedCampaignId)).toMatchObject({ status: 'PAUSED' });
    const { db } = fixture.services;
    const campaign = await db.campaigns.findOne({ platformCampaignId: copiedCampaignId }).lean();
    expect(campaign).toMatchObject({ platformStatus: 'paused', status: 'paused' });
    const ads = await db.ads.find({ platformCampaignId: copiedCampaignId }).lean();
    expect(new Set(ads.map(({ status }) => status))).toEqual(new Set(['paused']));
  });
});
