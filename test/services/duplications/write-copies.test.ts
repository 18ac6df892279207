import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DuplicateCampaignInput } from '../../../src/contract/duplication.ts';
import { ListCampaignsInput } from '../../../src/contract/campaign.ts';
import type { AdsAdapter } from '../../../src/platforms/platform.ts';
import { updateAdSet } from '../../../src/services/ads/update-level.ts';
import { setCampaignStatus } from '../../../src/services/ads/set-campaign-status.ts';
import { adTree } from '../../../src/services/campaigns/get-ad-tree.ts';
import type { Services } from '../../../src/services/context.ts';
import { duplicateCampaign } from '../../../src/services/duplications/duplicate-campaign.ts';
import { findDuplication } from '../../../src/services/duplications/find-duplication.ts';
import { runDiscovery } from '../../../src/services/discovery/run-discovery.ts';
import { requestDiscovery } from '../../../src/services/discovery/request-discovery.ts';
import {
  makeCopyUser,
  plant,
  startCopyFixture,
  workOn,
  type CopyPlatform,
  type CopyUser,
  type CopyFixture,
  type SourceTree,
} from './fixture.ts';

let fixture: CopyFixture;
beforeAll(async () => void (fixture = await startCopyFixture()));
afterAll(() => fixture.stop());

const both: CopyPlatform[] = ['network-a', 'network-c'];
const trees: [string, SourceTree][] = [
  ['small', { name: 'Spring', adSets: [{ name: 'Women', ads: [{ name: 'Coats' }] }] }],
  ['larger', { name: 'Autumn', adSets: [{ name: 'Women', ads: ['A', 'B', 'C', 'D'].map((name) => ({ name })) }] }],
];
const inDays = (days: number): string => new Date(Date.now() + days * 86_400_000).toISOString();

/** Copies without a discovery afterwards; answers what the tree shows of the copy. */
async function shownCopy(user: CopyUser, source: string, extra: object = {}) {
  const input = { campaignId: source, platform: user.platform, syncAfter: false, ...extra };
  const answer = await duplicateCampaign(user.ctx, DuplicateCampaignInput.parse(input));
  await workOn(fixture, answer.duplicationId);
  const { campaigns } = await adTree(user.ctx, ListCampaignsInput.parse({}));
  const copy = campaigns.find(({ platformCampaignId }) => platformCampaignId === answer.copiedCampaignId);
  if (!copy) throw new Error('The tree does not show the copy');
  return { answer, copy };
}

async function discoverAll({ accountId }: CopyUser, services: Services = fixture.services): Promise<void> {
  const account = await services.db.accounts.findOne({ _id: accountId }).lean().orFail();
  await requestDiscovery(services, account);
  await runDiscovery(services, accountId);
}

describe.each(both)('without a discovery the tree shows of a copy on %s', (platform) => {
  it.each(trees)('that is %s the asked times, not those of its source', async (_size, tree) => {
    const user = await makeCopyUser(fixture, platform);
    const source = await plant(fixture, user, tree);
    await discoverAll(user);
    const { db } = fixture.services;
    const past = new Date(Date.now() - 86_400_000);
    await db.adSets.updateMany({ accountId: user.accountId }, { $set: { endDate: past } });
    await db.ads.updateMany({ accountId: user.accountId }, { $set: { 'settings.endDate': past.toISOString() } });

    const [startTime, endTime] = [inDays(4), inDays(30)];
    const [moved] = (await shownCopy(user, source, { startTime, endTime })).copy.adSets;
    expect(moved?.endDate).toBe(endTime);
    for (const ad of moved?.ads ?? []) expect(ad.schedule).toEqual({ startDate: startTime, endDate: endTime });

    const [kept] = (await shownCopy(user, source)).copy.adSets;
    expect(kept?.endDate).toBeNull();
    for (const ad of kept?.ads ?? []) expect(ad.schedule).toEqual({ startDate: null, endDate: null });
  });

  it('that has no ads whether it runs', async () => {
    const user = await makeCopyUser(fixture, platform);
    const source = await plant(fixture, user, { name: 'Bare', adSets: [{ name: 'Empty', ads: [] }] });
    for (const [statusOption, status] of [
      ['ACTIVE', 'active'],
      ['PAUSED', 'paused'],
      ['INHERITED_FROM_SOURCE', 'active'],
    ]) {
      const { copy } = await shownCopy(user, source, { statusOption });
      expect(copy).toMatchObject({ status, adSets: [{ name: 'Empty', status }] });
      const alone = await shownCopy(user, source, { statusOption, deepCopy: false });
      expect(alone.copy).toMatchObject({ status, platformStatus: status, adSets: [] });
    }
  });

  it('which ads wait for their ad set, and a discovery publishes no update of what was copied', async () => {
    const user = await makeCopyUser(fixture, platform);
    const ads: SourceTree['adSets'][0]['ads'] = [{ name: 'Coats' }, { name: 'Hats', status: 'PAUSED' }];
    const source = await plant(fixture, user, { name: 'Half', adSets: [{ name: 'Women', status: 'PAUSED', ads }] });
    await discoverAll(user);
    const { copy } = await shownCopy(user, source, { statusOption: 'INHERITED_FROM_SOURCE' });
    const { db } = fixture.services;
    const [adSet] = copy.adSets;
    const adSetRef = adSet?._id ?? '';
    const found = await db.ads.find({ adSetRef }).sort({ name: 1 }).lean();
    expect(found.map(({ isPaused, isPausedByAdSet }) => [isPaused, isPausedByAdSet])).toEqual([
      [true, true],
      [true, false],
    ]);
    await discoverAll(user);
    const filter = { accountId: user.accountId };
    const records = [...(await db.campaigns.find(filter).lean()), ...(await db.adSets.find(filter).lean())];
    const events = [...records, ...(await db.ads.find(filter).lean())].flatMap(
      ({ pendingEvents = [] }) => pendingEvents,
    );
    expect(events.filter(({ type }) => type.endsWith('.updated'))).toEqual([]);
  });

  it('that its ad set activates the ads which are not paused themselves, before any discovery', async () => {
    const user = await makeCopyUser(fixture, platform);
    const ads: SourceTree['adSets'][0]['ads'] = [{ name: 'Coats' }, { name: 'Hats', status: 'PAUSED' }];
    const source = await plant(fixture, user, { name: 'Half', adSets: [{ name: 'Women', status: 'PAUSED', ads }] });
    const { copy } = await shownCopy(user, source, { statusOption: 'INHERITED_FROM_SOURCE' });
    const [adSet] = copy.adSets;
    const adSetId = adSet?.platformAdSetId ?? '';
    await updateAdSet(user.ctx, { platform, adSetId, status: 'ACTIVE', validateOnly: false });
    const after = await fixture.services.db.ads.find({ platformAdSetId: adSetId }).sort({ name: 1 }).lean();
    expect(after.map(({ status }) => status)).toEqual(['active', 'paused']);
  });

  it('each ad as it became active, and publishes that', async () => {
    const user = await makeCopyUser(fixture, platform);
    const source = await plant(fixture, user, trees[1]?.[1] as SourceTree);
    const { answer } = await shownCopy(user, source, { statusOption: 'ACTIVE' });
    const filter = { platformCampaignId: answer.copiedCampaignId };
    const ads = await fixture.services.db.ads.find(filter).lean();
    expect(ads.map(({ status }) => status)).toEqual(['active', 'active', 'active', 'active']);
    for (const { _id, createdAt, updatedAt, pendingEvents } of ads) {
      expect(pendingEvents).toMatchObject([
        { type: 'ad.status_changed', data: { ad: { _id, status: 'active', previousStatus: 'paused' } } },
      ]);
      expect(updatedAt.getTime()).toBeGreaterThan(createdAt.getTime());
    }
  });
});

describe.each(both)('a copy on %s', (platform) => {
  const small = trees[0]?.[1] as SourceTree;
  const requested = async ({ accountId }: CopyUser): Promise<boolean> =>
    (await fixture.services.db.campaignDiscoveries.findOne({ _id: accountId }).lean())?.isRequested ?? false;

  it.each([
    [true, 'triggered'],
    [false, 'skipped'],
  ])('with syncAfter %s answers %s, and that is what happens', async (syncAfter, discovery) => {
    const user = await makeCopyUser(fixture, platform);
    const { answer } = await shownCopy(user, await plant(fixture, user, small), { syncAfter });
    expect(answer.discovery).toBe(discovery);
    expect(await requested(user)).toBe(syncAfter);
  });

  it('is answered although its discovery could not be recorded', async () => {
    const user = await makeCopyUser(fixture, platform);
    const source = await plant(fixture, user, small);
    const campaignDiscoveries = {
      findOneAndUpdate: () => {
        throw new Error('The store is away');
      },
    };
    const ctx = { ...user.ctx, db: { ...user.ctx.db, campaignDiscoveries } as never };
    const input = DuplicateCampaignInput.parse({ campaignId: source, platform });
    const answer = await duplicateCampaign(ctx, input);
    expect(answer).toMatchObject({ discovery: 'failed', copiedCampaignId: expect.stringMatching(/^\d+$/) });
  });

  it.each(trees)('that is %s answers what the platform said', async (_size, tree) => {
    const user = await makeCopyUser(fixture, platform);
    const source = await plant(fixture, user, tree);
    const { answer } = await shownCopy(user, source);
    const { copiedCampaignId, raw } = answer;
    if (platform === 'network-c') {
      expect(raw).toMatchObject({ campaign_id: copiedCampaignId, campaign_name: tree.name });
      return;
    }
    expect(raw['copied_campaign_id']).toBe(copiedCampaignId);
    const kinds = (raw['ad_object_ids'] as { ad_object_type: string }[]).map((one) => one.ad_object_type);
    expect(kinds).toEqual(tree === small ? ['campaign', 'ad_set', 'ad'] : ['campaign']);
    const { duplication } = await findDuplication(user.ctx, answer);
    expect(duplication.objects.filter(({ type }) => type === 'ad')).toHaveLength(tree.adSets[0]?.ads.length ?? 0);
  });

  it.each([
    [{ renamePrefix: 'New ' }, 'New Spring', 'Women'],
    [{ renameSuffix: ' 2' }, 'Spring 2', 'Women'],
    [{ renameStrategy: 'DEEP_RENAME', renameSuffix: ' 2' }, 'Spring 2', 'Women 2'],
  ])('is shown as it is named: %j', async (options, campaignName, adSetName) => {
    const user = await makeCopyUser(fixture, platform);
    const { copy } = await shownCopy(user, await plant(fixture, user, small), options);
    await discoverAll(user);
    const { campaigns } = await adTree(user.ctx, ListCampaignsInput.parse({}));
    const found = campaigns.find(({ platformCampaignId }) => platformCampaignId === copy.platformCampaignId);
    for (const shown of [copy, found])
      expect(shown).toMatchObject({ name: campaignName, adSets: [{ name: adSetName }] });
  });
});

describe.each(both)('a switched campaign of %s', (platform) => {
  const switched = (user: CopyUser, campaignId: string, status: 'ACTIVE' | 'PAUSED') =>
    setCampaignStatus(user.ctx, { campaignId, platform, status });
  const shown = async (user: CopyUser) => (await adTree(user.ctx, ListCampaignsInput.parse({}))).campaigns[0];

  it('without ads is shown as it stands at once', async () => {
    const user = await makeCopyUser(fixture, platform);
    const id = await plant(fixture, user, { name: 'Bare', adSets: [] });
    await discoverAll(user);
    for (const [status, word] of [
      ['PAUSED', 'paused'],
      ['ACTIVE', 'active'],
    ] as const) {
      await switched(user, id, status);
      expect(await shown(user)).toMatchObject({ status: word, platformStatus: word });
    }
  });

  it('is not taken back by a page that was read before', async () => {
    const user = await makeCopyUser(fixture, platform);
    const id = await plant(fixture, user, trees[0]?.[1] as SourceTree);
    await discoverAll(user);
    const name = platform === 'network-a' ? 'A' : 'D';
    const adapter = fixture.services.platforms[name] as AdsAdapter;
    async function* discover(...asked: Parameters<AdsAdapter['discover']>): ReturnType<AdsAdapter['discover']> {
      for await (const page of adapter.discover(...asked)) {
        if (page.campaigns?.some((campaign) => campaign.id === id)) await switched(user, id, 'PAUSED');
        yield page;
      }
    }
    const platforms = { ...fixture.services.platforms, [name]: { ...adapter, discover } };
    await discoverAll(user, { ...fixture.services, platforms });
    expect(await shown(user)).toMatchObject({ platformStatus: 'paused' });
  });
});

describe('the account that a campaign is looked for with', () => {
  const tree = trees[0]?.[1] as SourceTree;

  it('may be of either of the two networks of A', async () => {
    for (const [as, platform] of [
      ['network-b', 'network-b'],
      ['network-b', 'network-a'],
      ['network-a', 'network-b'],
    ] as const) {
      const user = await makeCopyUser(fixture, 'network-a', as);
      const input = { campaignId: await plant(fixture, user, tree), platform, syncAfter: false };
      const answer = await duplicateCampaign(user.ctx, DuplicateCampaignInput.parse(input));
      const { duplication } = await findDuplication(user.ctx, answer);
      expect(duplication).toMatchObject({ platform: as, accountId: user.accountId, status: 'completed' });
    }
  });

  it('is asked to connect again where it is known to have the campaign, whatever others there are', async () => {
    const user = await makeCopyUser(fixture, 'network-a');
    const source = await plant(fixture, user, tree);
    await discoverAll(user);
    const { db } = fixture.services;
    const account = await db.accounts.findOne({ _id: user.accountId }).lean().orFail();
    const other = await makeCopyUser(fixture, 'network-a');
    const owner = { userId: account.userId, profileId: account.profileId };
    await db.accounts.updateOne({ _id: other.accountId }, { $set: owner });
    await db.accounts.updateOne({ _id: user.accountId }, { $set: { needsReconnect: true } });
    const input = DuplicateCampaignInput.parse({ campaignId: source, platform: 'network-a' });
    await expect(duplicateCampaign(user.ctx, input)).rejects.toMatchObject({ code: 'platform_token_expired' });
    await expect(duplicateCampaign(user.ctx, { ...input, campaignId: '1' })).rejects.toMatchObject({
      code: 'campaign_not_found',
    });
  });
});
