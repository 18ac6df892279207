import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DuplicateCampaignInput } from '../../../src/contract/duplication.ts';
import { PlatformError } from '../../../src/platforms/error.ts';
import { runDiscovery } from '../../../src/services/discovery/run-discovery.ts';
import { claimRun, completeRun, emptyProgress } from '../../../src/services/discovery/run-store.ts';
import { requestDiscovery } from '../../../src/services/discovery/request-discovery.ts';
import { duplicateCampaign } from '../../../src/services/duplications/duplicate-campaign.ts';
import { claimDuplication } from '../../../src/services/duplications/duplication-store.ts';
import { handleFailure } from '../../../src/services/duplications/handle-failure.ts';
import { runDuplication } from '../../../src/services/duplications/run-duplication.ts';
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
const small: SourceTree = { name: 'Spring', adSets: [{ name: 'Women', ads: [{ name: 'Coats' }] }] };
const large: SourceTree = {
  name: 'Autumn',
  adSets: [{ name: 'Women', ads: ['Coats', 'Hats', 'Gloves', 'Scarves'].map((name) => ({ name })) }],
};
const cases = both.flatMap((platform) => [
  [platform, 'small', small, {}] as const,
  [platform, 'larger', large, {}] as const,
  [platform, 'shallow', large, { deepCopy: false }] as const,
]);

const discoveryOf = ({ accountId }: CopyUser) =>
  fixture.services.db.campaignDiscoveries.findOne({ _id: accountId }).lean();
const injectFault = (platform: CopyPlatform, path: string): Promise<Response> =>
  fetch(`${fixture.sandbox.url}/control/faults`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ platform, fault: 'rate_limited', match: { method: 'POST', path }, times: 1, skip: 0 }),
  });

describe('the discovery after a copy', () => {
  const asked = (user: CopyUser, campaignId: string, extra: object = {}) => {
    const input = { campaignId, platform: user.platform, statusOption: 'ACTIVE', ...extra };
    return duplicateCampaign(user.ctx, DuplicateCampaignInput.parse(input));
  };

  it.each(cases)('is exactly one more when one of %s runs already (%s)', async (platform, _size, tree, extra) => {
    const { services } = fixture;
    const user = await makeCopyUser(fixture, platform);
    const campaignId = await plant(fixture, user, tree);
    const account = await services.db.accounts.findOne({ _id: user.accountId }).lean().orFail();
    await requestDiscovery(services, account);
    const run = await claimRun(services, account._id, 3_600_000);
    if (!run) throw new Error('It was not requested');
    const { discovery, duplicationId, copiedCampaignId } = await asked(user, campaignId, extra);
    expect(discovery).toBe('triggered');
    await workOn(fixture, duplicationId);
    expect(await runDiscovery(services, account._id)).toBe(false);
    expect(await discoveryOf(user)).toMatchObject({ state: 'running', isRequested: true });
    await completeRun(services, run, emptyProgress());
    expect(await runDiscovery(services, account._id)).toBe(true);
    expect(await runDiscovery(services, account._id)).toBe(false);
    const { startedAt } = (await discoveryOf(user)) ?? {};
    const campaign = await services.db.campaigns.findOne({ platformCampaignId: copiedCampaignId }).lean();
    expect(campaign).toMatchObject({ platformStatus: 'active', seenAt: startedAt });
    const ads = await services.db.ads.find({ platformCampaignId: copiedCampaignId }).lean();
    expect(ads).toHaveLength('deepCopy' in extra ? 0 : (tree.adSets[0]?.ads.length ?? 0));
    for (const ad of ads) expect(ad).toMatchObject({ isExternal: false, seenAt: startedAt });
    const events = (await discoveryOf(user))?.pendingEvents?.map(({ type }) => type);
    expect(events).toEqual(['account.ads.initial_sync_completed', 'campaign.discovery_completed']);
  });

  it.each(both)('of %s is requested once its copies are activated', async (platform) => {
    const user = await makeCopyUser(fixture, platform);
    const campaignId = await plant(fixture, user, large);
    const { db } = fixture.services;
    const seen: unknown[] = [];
    const withLock = async <T>(_key: string, run: () => Promise<T>): Promise<T> => {
      seen.push(await discoveryOf(user));
      return run();
    };
    Object.assign(user.ctx, { withLock });
    const { discovery, duplicationId } = await asked(user, campaignId, { deepCopy: false });
    expect([discovery, (await db.duplications.findOne({ _id: duplicationId }).lean())?.status]).toEqual([
      'triggered',
      'completed',
    ]);
    // When it is noted, when it is activated and when that is recorded.
    expect(seen).toEqual([null, null, null]);
    expect(await discoveryOf(user)).toMatchObject({ isRequested: true });
  });

  it.each(both)('of %s follows although the copy is not whole yet', async (platform) => {
    const user = await makeCopyUser(fixture, platform);
    const campaignId = await plant(fixture, user, large);
    await injectFault(platform, platform === 'network-a' ? '/\\d+$' : '/campaign/status/update/');
    const { discovery, duplicationId } = await asked(user, campaignId, { deepCopy: false });
    expect(discovery).toBe('triggered');
    const doc = await fixture.services.db.duplications.findOne({ _id: duplicationId }).lean();
    expect(doc?.status).toBe('running');
    await workOn(fixture, duplicationId);
  });
});

describe('a run that another process has taken over', () => {
  it('ends without a word, whatever it met', async () => {
    const { services } = fixture;
    const user = await makeCopyUser(fixture, 'network-a');
    const campaignId = await plant(fixture, user, large);
    const input = DuplicateCampaignInput.parse({ campaignId, platform: 'network-a', syncAfter: false });
    const { duplicationId: _id } = await duplicateCampaign(user.ctx, input);
    const run = await claimDuplication(services, _id);
    if (!run) throw new Error('It is not due');
    await services.db.duplications.updateOne({ _id }, { $set: { 'lease.token': 'another' } });
    for (const fault of ['unavailable', 'rejected'] as const)
      await expect(handleFailure(services, run, new PlatformError('A', fault, 'No'))).resolves.toBeUndefined();
    expect((await services.db.duplications.findOne({ _id }).lean())?.status).toBe('running');
    await services.db.duplications.updateOne({ _id }, { $set: { lease: null, runAt: services.clock.now() } });
    await runDuplication(services, _id);
    expect((await services.db.duplications.findOne({ _id }).lean())?.status).toBe('completed');
  });
});
