import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DuplicateCampaignInput } from '../../../src/contract/duplication.ts';
import { newId } from '../../../src/lib/id.ts';
import { closeRestored } from '../../../src/services/backup/close-restored.ts';
import { duplicateCampaign } from '../../../src/services/duplications/duplicate-campaign.ts';
import { claimDuplication, withDuplicationLease } from '../../../src/services/duplications/duplication-store.ts';
import { runDuplication } from '../../../src/services/duplications/run-duplication.ts';
import {
  control,
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
const tree: SourceTree = {
  name: 'Autumn',
  adSets: [
    { name: 'Women', ads: [{ name: 'Coats' }, { name: 'Hats' }] },
    { name: 'Men', ads: [{ name: 'Coats' }, { name: 'Shoes' }] },
  ],
};
const input = (user: CopyUser, campaignId: string, extra: object = {}): DuplicateCampaignInput =>
  DuplicateCampaignInput.parse({ campaignId, platform: user.platform, syncAfter: false, ...extra });
const docOf = (_id: string) => fixture.services.db.duplications.findOne({ _id }).lean().orFail();

/** The owner deletes an object at the platform. */
async function remove(user: CopyUser, kind: 'campaign' | 'adset' | 'ad', id: string): Promise<void> {
  const { url } = fixture.sandbox;
  const answer =
    user.platform === 'network-a'
      ? await fetch(`${url}/network-a/v26.0/${id}?access_token=${user.token}`, { method: 'DELETE' })
      : await switchTo(user, kind === 'adset' ? 'adgroup' : kind, id);
  const body = (await answer.json()) as { success?: boolean; code?: number };
  expect(body.success ?? body.code === 0).toBe(true);
}

const switchTo = (user: CopyUser, level: string, id: string): Promise<Response> =>
  fetch(`${fixture.sandbox.url}/network-c/open_api/v1.3/${level}/status/update/`, {
    method: 'POST',
    headers: { 'access-token': user.token, 'content-type': 'application/json' },
    body: JSON.stringify({ advertiser_id: user.adAccountId, [`${level}_ids`]: [id], operation_status: 'DELETE' }),
  });

describe.each(both)('amid a copy on %s', (platform) => {
  const begun = async (extra: object = {}) => {
    const user = await makeCopyUser(fixture, platform);
    const source = await plant(fixture, user, tree);
    const answer = await duplicateCampaign(user.ctx, input(user, source, extra));
    const there = (await grown(fixture, user)).find(({ id }) => id === source);
    if (!there) throw new Error('The source is not there');
    const copy = async () => (await grown(fixture, user)).find(({ id }) => id === answer.copiedCampaignId);
    return { user, there, copy, ...answer };
  };

  it('an ad set and an ad may be deleted: the rest is copied', async () => {
    const { user, there, copy, duplicationId } = await begun();
    const [women, men] = there.adSets;
    await remove(user, 'ad', women?.ads[0]?.id ?? '');
    await remove(user, 'adset', men?.id ?? '');
    await workOn(fixture, duplicationId);
    expect(await docOf(duplicationId)).toMatchObject({ status: 'completed', copied: { adSets: 1, ads: 1 } });
    const made = await copy();
    expect(made && shapeOf(made)).toBe(`Autumn(Women[${women?.ads[1]?.name}])`);
  });

  it('the source campaign may be deleted: the copy ends and says what it has', async () => {
    const { user, there, copy, duplicationId } = await begun();
    await remove(user, 'campaign', there.id);
    await workOn(fixture, duplicationId);
    const doc = await docOf(duplicationId);
    expect(['completed', 'failed']).toContain(doc.status);
    expect(eventsIn(doc)).toHaveLength(1);
    expect((await copy())?.adSets).toHaveLength(doc.copied.adSets);
  });

  it('a dead token ends it, and the same call goes on when the account is connected again', async () => {
    const { user, there, copy, duplicationId, copiedCampaignId } = await begun();
    await control(fixture.sandbox, `${platform}/tokens/invalidate`, { token: user.token });
    await workOn(fixture, duplicationId);
    expect(await docOf(duplicationId)).toMatchObject({ status: 'failed', error: expect.any(String) });
    expect(await fixture.services.db.accounts.findOne({ _id: user.accountId }).lean()).toMatchObject({
      needsReconnect: true,
    });
    const again = () => duplicateCampaign(user.ctx, input(user, there.id), duplicationId);
    await expect(again()).resolves.toMatchObject({ copiedCampaignId });
    expect(await docOf(duplicationId)).toMatchObject({ status: 'failed' });
    await control(fixture.sandbox, `${platform}/tokens/restore`, { token: user.token });
    await fixture.services.db.accounts.updateOne({ _id: user.accountId }, { $set: { needsReconnect: false } });
    await again();
    await workOn(fixture, duplicationId);
    expect(await docOf(duplicationId)).toMatchObject({ status: 'completed', error: null });
    const made = await copy();
    expect(made && shapeOf(made)).toBe(shapeOf(tree));
  });

  it('two workers that come at once make nothing twice', async () => {
    const { user, duplicationId } = await begun();
    await Promise.all([1, 2, 3].map(() => runDuplication(fixture.services, duplicationId)));
    await workOn(fixture, duplicationId);
    expect((await grown(fixture, user)).map(shapeOf)).toEqual([shapeOf(tree), shapeOf(tree)]);
  });

  it('the same call at once makes it once, other calls make their own', async () => {
    const user = await makeCopyUser(fixture, platform);
    const source = await plant(fixture, user, tree);
    const [id, other] = [newId(), newId()];
    const calls = await Promise.allSettled(
      [id, id, other, id].map((one) => duplicateCampaign(user.ctx, input(user, source), one)),
    );
    expect(calls.filter(({ status }) => status === 'fulfilled').length).toBeGreaterThanOrEqual(2);
    for (const one of [id, other]) {
      await duplicateCampaign(user.ctx, input(user, source), one);
      await workOn(fixture, one);
    }
    expect((await grown(fixture, user)).map(shapeOf)).toEqual(Array(3).fill(shapeOf(tree)));
  });

  it.each(['DEEP_RENAME', 'ONLY_TOP_LEVEL_RENAME'])('names at the limit under %s', async (renameStrategy) => {
    const user = await makeCopyUser(fixture, platform);
    const limit = platform === 'network-a' ? 400 : 512;
    const long = (letter: string): string => letter.repeat(limit);
    const source = await plant(fixture, user, {
      name: long('C'),
      adSets: [{ name: long('S'), ads: [{ name: long('A') }, { name: long('B') }, { name: long('D') }] }],
    });
    const affixes = { renameStrategy, renamePrefix: 'New ', renameSuffix: ' 2' };
    const asked = duplicateCampaign(user.ctx, input(user, source, affixes));
    if (platform === 'network-a') {
      // There the platform puts the names together: it is refused before anything is made.
      const fields = { renameSuffix: [expect.stringContaining('400')] };
      await expect(asked).rejects.toMatchObject({ status: 400, extras: { details: { fields } } });
      expect(await grown(fixture, user)).toHaveLength(1);
      return;
    }
    const { duplicationId, copiedCampaignId } = await asked;
    await workOn(fixture, duplicationId);
    expect(await docOf(duplicationId)).toMatchObject({ status: 'completed', error: null });
    const copy = (await grown(fixture, user)).find(({ id }) => id === copiedCampaignId);
    const names = [copy, ...(copy?.adSets ?? []), ...(copy?.adSets[0]?.ads ?? [])].map((one) => one?.name ?? '');
    expect(names.every(({ length }) => length === limit)).toBe(true);
    expect(copy?.name).toBe(`New ${'C'.repeat(limit - 6)} 2`);
    const campaign = await fixture.services.db.campaigns.findOne({ platformCampaignId: copiedCampaignId }).lean();
    expect(campaign?.name).toBe(copy?.name);
  });

  it('what is counted while the lease is renewed stays counted', async () => {
    const { duplicationId } = await begun();
    const run = await claimDuplication(fixture.services, duplicationId);
    if (!run) throw new Error('It is not due');
    await withDuplicationLease(fixture.services, run, async (requireHeld) => {
      const renewal = requireHeld();
      run.doc = { ...run.doc, copied: { adSets: 2, ads: 3 } };
      await renewal;
    });
    expect(run.doc.copied).toEqual({ adSets: 2, ads: 3 });
  });
});

describe('a copy that was unfinished in a restored backup', () => {
  it('is not resumed by workers or by a repeated call: it went on after the backup was made', async () => {
    const user = await makeCopyUser(fixture, 'network-a');
    const source = await plant(fixture, user, tree);
    const id = newId();
    await duplicateCampaign(user.ctx, input(user, source), id);
    await workOn(fixture, id);
    const before = await grown(fixture, user);
    const { duplications, duplicationSteps } = fixture.services.db;
    // As the backup has it: begun, and nothing of the copy known yet.
    const begun = {
      status: 'running',
      copiedCampaignId: null,
      finishedAt: null,
      runAt: fixture.services.clock.now(),
    } as const;
    await duplications.updateOne({ _id: id }, { $set: begun });
    await duplicationSteps.deleteMany({ duplicationId: id });
    const unfinished = await duplications.countDocuments({ status: { $in: ['running', 'failed'] } });
    expect(await closeRestored(fixture.services)).toMatchObject({ duplications: unfinished });
    fixture.services.pass(3_600);
    await workOn(fixture, id);
    await expect(duplicateCampaign(user.ctx, input(user, source), id)).rejects.toMatchObject({ status: 409 });
    expect(await grown(fixture, user)).toEqual(before);
    expect(await docOf(id)).toMatchObject({
      status: 'failed',
      error: expect.stringContaining('restored from a backup'),
    });
  });
});
