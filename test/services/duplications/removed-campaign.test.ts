import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DuplicateCampaignInput } from '../../../src/contract/duplication.ts';
import { DeleteCampaignInput } from '../../../src/contract/removal.ts';
import type { DuplicationDoc } from '../../../src/models/duplication.ts';
import type { DuplicationStepDoc } from '../../../src/models/duplication-step.ts';
import { removalOf } from '../../../src/services/duplications/campaign-removed.ts';
import { duplicateCampaign } from '../../../src/services/duplications/duplicate-campaign.ts';
import { endCopies } from '../../../src/services/duplications/duplication-store.ts';
import { runDuplication } from '../../../src/services/duplications/run-duplication.ts';
import { deleteCampaign } from '../../../src/services/removals/delete-level.ts';
import {
  adaptersAt,
  grown,
  makeCopyUser,
  plant,
  quickLimits,
  startCopyFixture,
  workOn,
  type CopyFixture,
  type CopyPlatform,
  type SourceTree,
} from './fixture.ts';
import { proxyTo } from './sandbox-proxy.ts';
import { eventsIn } from '../../support/outbox.ts';

let fixture: CopyFixture;
beforeAll(async () => void (fixture = await startCopyFixture()));
afterAll(() => fixture.stop());

const both: CopyPlatform[] = ['network-a', 'network-c'];
const tree: SourceTree = {
  name: 'Autumn',
  adSets: [
    { name: 'Women', ads: [{ name: 'Coats' }, { name: 'Hats' }] },
    { name: 'Men', ads: [{ name: 'Shoes' }, { name: 'Belts' }] },
  ],
};

describe.each(both)('a duplication on %s that is running', (platform) => {
  it.each(['source', 'copy'] as const)(
    'fails once its %s is deleted, with an error that names the removal, and is not resumed',
    async (which) => {
      const { db, clock } = fixture.services;
      const user = await makeCopyUser(fixture, platform);
      const sourceId = await plant(fixture, user, tree);
      const input = DuplicateCampaignInput.parse({ campaignId: sourceId, platform, syncAfter: false });
      const { duplicationId, copiedCampaignId } = await duplicateCampaign(user.ctx, input);
      // As it stands while a worker copies the rest.
      await db.duplications.updateOne(
        { _id: duplicationId },
        { $set: { status: 'running', runAt: clock.now(), finishedAt: null, pendingEvents: [] } },
      );
      const campaignId = which === 'source' ? sourceId : copiedCampaignId;
      const named = { campaignId, platform };
      const dryRun = await deleteCampaign(user.ctx, DeleteCampaignInput.parse({ ...named, validateOnly: true }));
      const confirm = dryRun.affected.ads;
      await deleteCampaign(user.ctx, DeleteCampaignInput.parse({ ...named, confirm }));
      const before = await grown(fixture, user);
      fixture.services.pass(100);
      await workOn(fixture, duplicationId);
      const doc = await db.duplications.findOne({ _id: duplicationId }).lean().orFail();
      const error = expect.stringMatching(`^Campaign ${campaignId} was deleted through this API at `) as string;
      expect(doc).toMatchObject({ status: 'failed', error });
      expect(eventsIn(doc)).toMatchObject([{ type: 'campaign.duplication_failed', data: { duplication: { error } } }]);
      await duplicateCampaign(user.ctx, input, duplicationId);
      const repeated = await db.duplications.findOne({ _id: duplicationId }).lean().orFail();
      expect(repeated).toMatchObject({ status: 'failed', error });
      if (which === 'source')
        await expect(duplicateCampaign(user.ctx, input)).rejects.toThrow(
          `Campaign ${campaignId} was deleted through this API at `,
        );
      expect(await grown(fixture, user)).toEqual(before);
    },
  );
});

describe.each(both)('an active copy on %s whose source is deleted before its end is recorded', (platform) => {
  const removedSource = async ({ syncAfter = true } = {}) => {
    const { db, clock } = fixture.services;
    const user = await makeCopyUser(fixture, platform);
    const sourceId = await plant(fixture, user, tree);
    const input = DuplicateCampaignInput.parse({ campaignId: sourceId, platform, statusOption: 'ACTIVE', syncAfter });
    const { duplicationId, copiedCampaignId } = await duplicateCampaign(user.ctx, input);
    await workOn(fixture, duplicationId);
    const statusOfCopy = async () => (await grown(fixture, user)).find(({ id }) => id === copiedCampaignId)?.status;
    expect(await statusOfCopy()).toBe('ACTIVE');
    // As a process leaves it that dies before it records the end.
    await db.duplications.updateOne(
      { _id: duplicationId },
      { $set: { status: 'running', runAt: clock.now(), finishedAt: null, pendingEvents: [] } },
    );
    const named = { campaignId: sourceId, platform };
    await deleteCampaign(user.ctx, DeleteCampaignInput.parse({ ...named, confirm: 4 }));
    fixture.services.pass(100);
    const stored = () => db.duplications.findOne({ _id: duplicationId }).lean().orFail();
    return { user, duplicationId, statusOfCopy, stored };
  };

  it('is paused, and the duplication fails', async () => {
    const { duplicationId, statusOfCopy, stored } = await removedSource();
    await workOn(fixture, duplicationId);
    const error = expect.stringContaining('was deleted through this API') as string;
    expect(await stored()).toMatchObject({ status: 'failed', error });
    expect(await statusOfCopy()).toBe('PAUSED');
  });

  it('is discovered again, also without syncAfter, because its record can say that it is active', async () => {
    const { duplicationId, stored } = await removedSource({ syncAfter: false });
    await workOn(fixture, duplicationId);
    expect(await stored()).toMatchObject({ status: 'failed', discovery: 'triggered' });
  });

  it('is not there to be paused if every step was refused', async () => {
    const { stored } = await removedSource();
    const doc = await stored();
    const [first] = doc.steps ?? [];
    const withStep = (state: DuplicationStepDoc['state']): DuplicationDoc => ({
      ...doc,
      copiedCampaignId: null,
      steps: [{ ...(first as DuplicationStepDoc), state }],
    });
    expect(await removalOf(fixture.services, withStep('refused'))).toMatchObject({ mayBeActive: false });
    expect(await removalOf(fixture.services, withStep('unknown'))).toMatchObject({ mayBeActive: true });
  });

  it('is paused once its account is connected again', async () => {
    const { user, duplicationId, statusOfCopy, stored } = await removedSource();
    const { accounts } = fixture.services.db;
    await accounts.updateOne({ _id: user.accountId }, { $set: { needsReconnect: true } });
    await runDuplication(fixture.services, duplicationId);
    const error = expect.stringContaining('The copy could not be paused and may still be active') as string;
    expect(await stored()).toMatchObject({ status: 'running', error });
    await accounts.updateOne({ _id: user.accountId }, { $set: { needsReconnect: false } });
    await workOn(fixture, duplicationId);
    expect(await stored()).toMatchObject({ status: 'failed' });
    expect(await statusOfCopy()).toBe('PAUSED');
  });
});

it('sends nothing more once its lease is revoked, although a write had just confirmed it', async () => {
  const user = await makeCopyUser(fixture, 'network-a');
  const campaignId = await plant(fixture, user, tree);
  const input = DuplicateCampaignInput.parse({ campaignId, platform: 'network-a', syncAfter: false });
  const { duplicationId } = await duplicateCampaign(user.ctx, input);
  let sent = 0;
  const way = await proxyTo(fixture.sandbox, {
    before: async () => {
      sent += 1;
      if (sent === 2) await endCopies(fixture.services, { accountId: user.accountId, campaignId });
    },
  });
  const platforms = adaptersAt({ ...fixture.sandbox, url: way.url }, quickLimits());
  try {
    await runDuplication({ ...fixture.services, platforms }, duplicationId);
  } finally {
    way.stop();
  }
  expect(sent).toBe(2);
  fixture.services.pass(100);
  await workOn(fixture, duplicationId);
  const copies = (await grown(fixture, user)).map(({ adSets }) => adSets.map(({ ads }) => ads.length));
  expect(copies).toEqual([
    [2, 2],
    [2, 2],
  ]);
});
