import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DuplicateCampaignInput } from '../../../src/contract/duplication.ts';
import { setCampaignStatus } from '../../../src/services/ads/set-campaign-status.ts';
import { setAdStatus } from '../../../src/services/ads/set-ad-status.ts';
import { duplicateCampaign } from '../../../src/services/duplications/duplicate-campaign.ts';
import { localPlatformLimits } from '../../../src/lib/platform-limits.ts';
import { runDuplication } from '../../../src/services/duplications/run-duplication.ts';
import {
  adaptersAt,
  grown,
  makeCopyUser,
  plant,
  quickLimits,
  startCopyFixture,
  workOn,
  type CopyPlatform,
  type CopyUser,
  type CopyFixture,
  type SourceTree,
} from './fixture.ts';
import { proxyTo } from './sandbox-proxy.ts';

let fixture: CopyFixture;
beforeAll(async () => void (fixture = await startCopyFixture()));
afterAll(() => fixture.stop());

const both: CopyPlatform[] = ['network-a', 'network-c'];
const tree: SourceTree = {
  name: 'Autumn',
  adSets: [
    { name: 'Women', ads: [{ name: 'Coats' }, { name: 'Hats', status: 'PAUSED' }] },
    { name: 'Men', ads: [{ name: 'Shoes' }, { name: 'Belts' }] },
  ],
};

/** The owner switches an ad at the platform itself. */
async function switchThere(user: CopyUser, id: string, status: 'ACTIVE' | 'PAUSED'): Promise<void> {
  const { url } = fixture.sandbox;
  const body = { advertiser_id: user.adAccountId, ad_ids: [id] };
  const answer =
    user.platform === 'network-a'
      ? await fetch(`${url}/network-a/v26.0/${id}`, {
          method: 'POST',
          body: new URLSearchParams({ access_token: user.token, status }),
        })
      : await fetch(`${url}/network-c/open_api/v1.3/ad/status/update/`, {
          method: 'POST',
          headers: { 'access-token': user.token, 'content-type': 'application/json' },
          body: JSON.stringify({ ...body, operation_status: status === 'ACTIVE' ? 'ENABLE' : 'DISABLE' }),
        });
  const said = (await answer.json()) as { success?: boolean; code?: number };
  expect(said.success ?? said.code === 0).toBe(true);
}

describe.each(both)('a copy on %s', (platform) => {
  const begun = async (statusOption: string) => {
    const user = await makeCopyUser(fixture, platform);
    const campaignId = await plant(fixture, user, tree);
    const input = DuplicateCampaignInput.parse({ campaignId, platform, syncAfter: false, statusOption });
    const answer = await duplicateCampaign(user.ctx, input);
    const there = async (id: string) => {
      const campaign = (await grown(fixture, user)).find((one) => one.id === id);
      const ads = campaign?.adSets.flatMap((set) => set.ads) ?? [];
      return {
        status: campaign?.status,
        ads: Object.fromEntries(ads.map(({ name, id: ad, status }) => [name, { id: ad, status }])),
      };
    };
    const records = async () => {
      const found = await fixture.services.db.ads.find({ platformCampaignId: answer.copiedCampaignId }).lean();
      return Object.fromEntries(found.map((ad) => [ad.name, ad]));
    };
    const states = async () =>
      Object.fromEntries(Object.values(await records()).map(({ name, status }) => [name, status]));
    const turn = (status: 'ACTIVE' | 'PAUSED') =>
      setCampaignStatus(user.ctx, { campaignId: answer.copiedCampaignId, platform, status });
    return { user, there, records, states, turn, sourceId: campaignId, ...answer };
  };

  it('whose ads are paused runs none of them when only its campaign is activated', async () => {
    const { there, records, states, turn, duplicationId, copiedCampaignId } = await begun('PAUSED');
    await workOn(fixture, duplicationId);
    await turn('ACTIVE');
    expect((await there(copiedCampaignId)).ads['Coats']?.status).toBe('PAUSED');
    expect(await states()).toEqual({ Coats: 'paused', Hats: 'paused', Shoes: 'paused', Belts: 'paused' });
    expect(Object.values(await records()).flatMap(({ pendingEvents = [] }) => pendingEvents)).toEqual([]);
  });

  it('that is paused runs no ad that alone is activated', async () => {
    const { user, records, states, duplicationId } = await begun('PAUSED');
    await workOn(fixture, duplicationId);
    await setAdStatus(user.ctx, { adId: (await records())['Coats']?._id ?? '', status: 'ACTIVE' });
    expect((await states())['Coats']).toBe('paused');
  });

  it('leaves an ad paused that its owner pauses while it grows', async () => {
    const { user, there, records, states, duplicationId, copiedCampaignId } = await begun('INHERITED_FROM_SOURCE');
    const { db, clock } = fixture.services;
    await workOn(fixture, duplicationId);
    // As it stands right before its end.
    await db.duplications.updateOne({ _id: duplicationId }, { $set: { status: 'running', runAt: clock.now() } });
    await db.ads.updateMany({ platformCampaignId: copiedCampaignId }, { $set: { status: 'paused' } });
    await setAdStatus(user.ctx, { adId: (await records())['Coats']?._id ?? '', status: 'PAUSED' });
    await workOn(fixture, duplicationId);
    expect((await there(copiedCampaignId)).ads['Coats']?.status).toBe('PAUSED');
    expect(await states()).toEqual({ Coats: 'paused', Hats: 'paused', Shoes: 'active', Belts: 'active' });
  });

  it('has the switches that its source had when it was asked for, whatever is switched there meanwhile', async () => {
    const { user, there, states, duplicationId, copiedCampaignId, sourceId } = await begun('INHERITED_FROM_SOURCE');
    const source = await there(sourceId);
    await switchThere(user, source.ads['Hats']?.id ?? '', 'ACTIVE');
    await switchThere(user, source.ads['Shoes']?.id ?? '', 'PAUSED');
    expect((await there(sourceId)).ads['Shoes']?.status).toBe('PAUSED');
    await workOn(fixture, duplicationId);
    const copy = await there(copiedCampaignId);
    const switches = Object.fromEntries(Object.entries(copy.ads).map(([name, { status }]) => [name, status]));
    expect(copy.status).toBe('ACTIVE');
    expect(switches).toEqual({ Coats: 'ACTIVE', Hats: 'PAUSED', Shoes: 'ACTIVE', Belts: 'ACTIVE' });
    expect(await states()).toEqual({ Coats: 'active', Hats: 'paused', Shoes: 'active', Belts: 'active' });
  });
});

describe.each(both)('a copy on %s that is activated at this moment', (platform) => {
  it('is paused in the end when its owner pauses it', async () => {
    const user = await makeCopyUser(fixture, platform);
    const campaignId = await plant(fixture, user, tree);
    const input = DuplicateCampaignInput.parse({ campaignId, platform, syncAfter: false, statusOption: 'ACTIVE' });
    const { duplicationId, copiedCampaignId } = await duplicateCampaign(user.ctx, input);
    let pausing: Promise<unknown> = Promise.resolve();
    const isMeant = (path: string, body: string): boolean =>
      platform === 'network-a'
        ? path.endsWith(`/${copiedCampaignId}`)
        : path.includes('/campaign/status/update/') && body.includes('ENABLE');
    let isInjected = false;
    const way = await proxyTo(fixture.sandbox, {
      before: async (path, body) => {
        if (isInjected || !isMeant(path, body)) return;
        isInjected = true;
        pausing = setCampaignStatus(user.ctx, { campaignId: copiedCampaignId, platform, status: 'PAUSED' });
        await Promise.race([pausing, new Promise((resolve) => setTimeout(resolve, 500))]);
      },
    });
    const { withLock } = localPlatformLimits();
    Object.assign(user.ctx, { withLock });
    const worker = {
      ...fixture.services,
      withLock,
      platforms: adaptersAt({ ...fixture.sandbox, url: way.url }, quickLimits()),
    };
    try {
      await runDuplication(worker, duplicationId);
      await pausing;
      fixture.services.pass(120);
      await workOn(fixture, duplicationId);
    } finally {
      way.stop();
    }
    const copy = (await grown(fixture, user)).find(({ id }) => id === copiedCampaignId);
    expect(copy?.status).toBe('PAUSED');
    const ads = await fixture.services.db.ads.find({ platformCampaignId: copiedCampaignId }).lean();
    expect(new Set(ads.map(({ status }) => status))).toEqual(new Set(['paused']));
  });
});
