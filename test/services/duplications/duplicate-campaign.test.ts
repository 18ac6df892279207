import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DuplicateCampaignInput } from '../../../src/contract/duplication.ts';
import { newId } from '../../../src/lib/id.ts';
import { duplicateCampaign } from '../../../src/services/duplications/duplicate-campaign.ts';
import { findDuplication } from '../../../src/services/duplications/find-duplication.ts';
import {
  grown,
  makeCopyUser,
  plant,
  shapeOf,
  startCopyFixture,
  workOn,
  type CopyPlatform,
  type CopyUser,
  type CopyFixture,
  type SourceTree,
} from './fixture.ts';
import { eventsIn } from '../../support/outbox.ts';

let fixture: CopyFixture;
beforeAll(async () => void (fixture = await startCopyFixture()));
afterAll(() => fixture.stop());

const both: CopyPlatform[] = ['network-a', 'network-c'];
const small: SourceTree = { name: 'Spring', adSets: [{ name: 'Women', ads: [{ name: 'Coats' }, { name: 'Hats' }] }] };
const large: SourceTree = {
  name: 'Autumn',
  adSets: [
    { name: 'Women', ads: [{ name: 'Coats' }, { name: 'Hats', status: 'PAUSED' }] },
    { name: 'Women', ads: [{ name: 'Coats' }, { name: 'Coats' }] },
    { name: 'Men', status: 'PAUSED', ads: [] },
  ],
};

const input = (user: CopyUser, campaignId: string, extra: object = {}): DuplicateCampaignInput =>
  DuplicateCampaignInput.parse({ campaignId, platform: user.platform, ...extra });

/** Copies a tree to the end; answers the copy as the platform has it. */
async function copied(user: CopyUser, tree: SourceTree, extra: object = {}) {
  const source = await plant(fixture, user, tree);
  const answer = await duplicateCampaign(user.ctx, input(user, source, extra));
  await workOn(fixture, answer.duplicationId);
  const copy = (await grown(fixture, user)).find(({ id }) => id === answer.copiedCampaignId);
  if (!copy) throw new Error('The platform does not have the copy');
  return { source, answer, copy };
}

describe.each(both)('a campaign of %s', (platform) => {
  it.each([
    ['small', small],
    ['larger', large],
  ])('that is %s is copied whole, paused, under its names', async (_size, tree) => {
    const user = await makeCopyUser(fixture, platform);
    const { copy, answer } = await copied(user, tree);
    expect(shapeOf(copy)).toBe(shapeOf(tree));
    const statuses = [copy, ...copy.adSets, ...copy.adSets.flatMap(({ ads }) => ads)].map(({ status }) => status);
    expect(new Set(statuses)).toEqual(new Set(['PAUSED']));
    expect(answer).toMatchObject({ discovery: 'triggered', raw: expect.any(Object) });
    const { duplication } = await findDuplication(user.ctx, answer);
    const ads = tree.adSets.reduce((sum, set) => sum + set.ads.length, 0);
    expect(duplication).toMatchObject({
      status: 'completed',
      adSets: { copied: tree.adSets.length, total: tree.adSets.length },
      ads: { copied: ads, total: ads },
      error: null,
    });
    expect(duplication.objects).toHaveLength(1 + tree.adSets.length + ads);
  });

  it('keeps the switches of its parts when they are to be inherited', async () => {
    const user = await makeCopyUser(fixture, platform);
    const { copy } = await copied(user, large, { statusOption: 'INHERITED_FROM_SOURCE' });
    expect(copy.status).toBe('ACTIVE');
    expect(copy.adSets.map(({ status }) => status).toSorted()).toEqual(['ACTIVE', 'ACTIVE', 'PAUSED']);
    const ads = copy.adSets.flatMap((set) => set.ads.map(({ status }) => status));
    expect(ads.toSorted()).toEqual(['ACTIVE', 'ACTIVE', 'ACTIVE', 'PAUSED']);
  });

  it('runs at once when it is to be active', async () => {
    const user = await makeCopyUser(fixture, platform);
    const { copy } = await copied(user, { ...large, status: 'PAUSED' }, { statusOption: 'ACTIVE' });
    expect([copy, ...copy.adSets].map(({ status }) => status)).toEqual(['ACTIVE', 'ACTIVE', 'ACTIVE', 'ACTIVE']);
  });

  it('is copied alone without deepCopy', async () => {
    const user = await makeCopyUser(fixture, platform);
    const { copy, answer } = await copied(user, large, { deepCopy: false });
    expect(shapeOf(copy)).toBe('Autumn()');
    expect((await findDuplication(user.ctx, answer)).duplication.status).toBe('completed');
  });

  it.each([
    [
      'DEEP_RENAME',
      'New Autumn 2(New Men 2[] New Women 2[New Coats 2,New Coats 2] New Women 2[New Coats 2,New Hats 2])',
    ],
    ['ONLY_TOP_LEVEL_RENAME', 'New Autumn 2(Men[] Women[Coats,Coats] Women[Coats,Hats])'],
    ['NO_RENAME', 'Autumn(Men[] Women[Coats,Coats] Women[Coats,Hats])'],
    [undefined, 'New Autumn 2(Men[] Women[Coats,Coats] Women[Coats,Hats])'],
  ])('is named by %s', async (renameStrategy, names) => {
    const user = await makeCopyUser(fixture, platform);
    const affixes = { renamePrefix: 'New ', renameSuffix: ' 2' };
    const { copy, answer } = await copied(user, large, { renameStrategy, ...affixes });
    expect(shapeOf(copy)).toBe(names);
    expect(answer.warnings?.map(({ param }) => param)).toEqual(
      renameStrategy === 'NO_RENAME' ? ['renamePrefix'] : undefined,
    );
  });

  it('shows in the records as it grows, as ads that were made here', async () => {
    const user = await makeCopyUser(fixture, platform);
    const { copy, answer } = await copied(user, large, { statusOption: 'INHERITED_FROM_SOURCE' });
    const { db } = fixture.services;
    const ads = await db.ads.find({ platformCampaignId: answer.copiedCampaignId }).lean();
    const ids = copy.adSets.flatMap((set) => set.ads.map(({ id }) => id));
    expect(new Set(ads.map(({ platformAdId }) => platformAdId))).toEqual(new Set(ids));
    expect(ads).toHaveLength(ids.length);
    expect(ads.every(({ isExternal }) => !isExternal)).toBe(true);
    expect(ads.map(({ status }) => status).toSorted()).toEqual(['active', 'active', 'active', 'paused']);
    const campaign = await db.campaigns.findOne({ platformCampaignId: answer.copiedCampaignId }).lean().orFail();
    expect(campaign).toMatchObject({ status: 'active', adCount: 4, adSetCount: 3, isExternal: false });
  });

  it('is reported once, with its outcome', async () => {
    const user = await makeCopyUser(fixture, platform);
    const { answer, source } = await copied(user, large, { syncAfter: false });
    expect(answer.discovery).toBe('skipped');
    const doc = await fixture.services.db.duplications.findOne({ _id: answer.duplicationId }).lean().orFail();
    expect(eventsIn(doc)).toMatchObject([
      {
        type: 'campaign.duplicated',
        data: {
          duplication: { duplicationId: answer.duplicationId, sourceCampaignId: source, ads: { copied: 4, total: 4 } },
        },
      },
    ]);
  });

  it('is copied once under one id, however often the call comes', async () => {
    const user = await makeCopyUser(fixture, platform);
    const source = await plant(fixture, user, small);
    const id = newId();
    const first = await duplicateCampaign(user.ctx, input(user, source), id);
    const second = await duplicateCampaign(user.ctx, input(user, source), id);
    expect(second).toEqual(first);
    expect(await grown(fixture, user)).toHaveLength(2);
  });

  it('is copied as often as it is asked for at once', async () => {
    const user = await makeCopyUser(fixture, platform);
    const source = await plant(fixture, user, small);
    const answers = await Promise.all([1, 2, 3].map(() => duplicateCampaign(user.ctx, input(user, source))));
    expect(new Set(answers.map(({ copiedCampaignId }) => copiedCampaignId)).size).toBe(3);
    for (const { duplicationId } of answers) await workOn(fixture, duplicationId);
    expect((await grown(fixture, user)).map(shapeOf)).toEqual(Array(4).fill(shapeOf(small)));
  });

  it('that is not there is 404, and so is one of another user', async () => {
    const [user, other] = [await makeCopyUser(fixture, platform), await makeCopyUser(fixture, platform)];
    const foreign = await plant(fixture, other, small);
    for (const id of ['1', 'nonsense', foreign]) {
      await expect(duplicateCampaign(user.ctx, input(user, id))).rejects.toMatchObject({ code: 'campaign_not_found' });
    }
    expect(await grown(fixture, user)).toHaveLength(0);
  });

  it('whose children the platform refuses says so, and keeps what exists', async () => {
    const user = await makeCopyUser(fixture, platform);
    const source = await plant(fixture, user, large);
    const answer = await duplicateCampaign(user.ctx, input(user, source));
    const path = platform === 'network-a' ? '/\\d+/copies$' : 'ad/create';
    await fault('policy_block', path, platform);
    await workOn(fixture, answer.duplicationId);
    await clearFaults();
    const { duplication } = await findDuplication(user.ctx, answer);
    expect(duplication).toMatchObject({ status: 'failed', copiedCampaignId: answer.copiedCampaignId });
    expect(duplication.error).toEqual(expect.any(String));
    const doc = await fixture.services.db.duplications.findOne({ _id: answer.duplicationId }).lean().orFail();
    expect(eventsIn(doc).map(({ type }) => type)).toEqual(['campaign.duplication_failed']);
  });
});

describe('siblings of one name', () => {
  const similar: SourceTree = {
    name: 'Similar',
    adSets: [
      { name: 'Same', ads: [{ name: 'Left' }] },
      { name: 'Same', ads: [{ name: 'Right' }, { name: 'Right' }] },
      { name: 'Same', ads: [] },
    ],
  };

  it.each(both.flatMap((platform) => [0, 1, 2].map((skip) => [platform, skip] as const)))(
    'on %s are distinguished when the response of number %i is lost',
    async (platform, skip) => {
      const user = await makeCopyUser(fixture, platform);
      const source = await plant(fixture, user, similar);
      const answer = await duplicateCampaign(user.ctx, input(user, source));
      await fault('reset_after', platform === 'network-a' ? '/\\d+/copies$' : 'adgroup/create', platform, skip);
      await workOn(fixture, answer.duplicationId);
      await clearFaults();
      expect((await grown(fixture, user)).map(shapeOf)).toEqual([shapeOf(similar), shapeOf(similar)]);
    },
  );
});

describe('a duplication', () => {
  it.each(['search-display', 'pin-board', 'microblog', 'professional', 'listing'] as const)(
    'of %s is 501',
    async (platform) => {
      const { ctx } = await makeCopyUser(fixture, 'network-a');
      const asked = DuplicateCampaignInput.parse({ campaignId: '1', platform });
      await expect(duplicateCampaign(ctx, asked)).rejects.toMatchObject({ code: 'unsupported_platform_operation' });
    },
  );

  it('needs ads access', async () => {
    const user = await makeCopyUser(fixture, 'network-a');
    const caller = { ...user.ctx.caller, plan: 'free' as const };
    const source = await plant(fixture, user, small);
    const asked = duplicateCampaign({ ...user.ctx, caller }, input(user, source));
    await expect(asked).rejects.toMatchObject({ code: 'ads_access_required' });
  });

  it('ends after it begins, and in the future', async () => {
    const user = await makeCopyUser(fixture, 'network-a');
    for (const times of [
      { endTime: '2020-01-01T00:00:00Z' },
      { startTime: '2990-01-02T00:00:00Z', endTime: '2990-01-01T00:00:00Z' },
    ]) {
      const asked = duplicateCampaign(user.ctx, input(user, '1', times));
      await expect(asked).rejects.toMatchObject({ code: 'invalid_field_value', extras: { param: 'endTime' } });
    }
  });

  it('with an account of another platform is 400, with an unknown one 404', async () => {
    const user = await makeCopyUser(fixture, 'network-a');
    const asked = (platform: string, accountId: string) =>
      duplicateCampaign(user.ctx, DuplicateCampaignInput.parse({ campaignId: '1', platform, accountId }));
    await expect(asked('network-c', user.accountId)).rejects.toMatchObject({ status: 400 });
    await expect(asked('network-a', newId())).rejects.toMatchObject({ code: 'account_not_found' });
  });
});

const fault = (name: string, path: string, platform: string, skip = 0): Promise<Response> =>
  fetch(`${fixture.sandbox.url}/control/faults`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ platform, fault: name, match: { method: 'POST', path }, times: 1, skip }),
  });
const clearFaults = (): Promise<Response> => fetch(`${fixture.sandbox.url}/control/faults`, { method: 'DELETE' });
