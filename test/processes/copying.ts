import { expect } from 'vitest';
import type { FaultName } from '../../src/dev/sandbox/faults.ts';
import {
  control,
  grown,
  plant,
  shapeOf,
  type CopyPlatform,
  type SourceTree,
} from '../services/duplications/fixture.ts';
import type { TestApp } from '../support/app.ts';
import { startProcess, type ServiceProcess } from '../support/process.ts';
import { createUserFixture, type UserFixture } from '../support/user-fixture.ts';

/** Too large for one call, and more than one call of ads an ad group on D. */
const trees: Record<CopyPlatform, SourceTree> = {
  'network-a': treeOf({ adSets: 3, ads: 2 }),
  'network-c': treeOf({ adSets: 8, ads: 21 }),
};

/** Siblings share their names by twos, so that names alone do not distinguish them. */
function treeOf({ adSets, ads }: { adSets: number; ads: number }): SourceTree {
  const adNames = Array.from({ length: ads }, (_, at) => ({ name: `Ad ${Math.floor(at / 2)}` }));
  return {
    name: 'Source',
    adSets: Array.from({ length: adSets }, (_, at) => ({ name: `Set ${at >> 1}`, ads: adNames })),
  };
}

export interface Copying {
  app: TestApp;
  platform: CopyPlatform;
  fixture: UserFixture;
  source: string;
  duplicationId: string;
  copiedCampaignId: string;
}

/** A user of their own whose campaign is being copied: the campaign itself is there, the rest waits for a worker. */
export async function beginCopy(app: TestApp, platform: CopyPlatform): Promise<Copying> {
  const fixture = await createUserFixture(app, { platform });
  const source = await plant(app, { platform, adAccountId: fixture.adAccountIds.usd }, trees[platform]);
  const { status, body } = await app.call('POST', `/v1/ads/campaigns/${source}/duplicate`, {
    key: fixture.key,
    body: { platform, statusOption: 'INHERITED_FROM_SOURCE', syncAfter: false },
  });
  expect({ status, body }).toMatchObject({ status: 200 });
  const { duplicationId, copiedCampaignId } = body;
  return { app, platform, fixture, source, duplicationId, copiedCampaignId };
}

export const startWorker = ({ env }: TestApp): Promise<ServiceProcess> => startProcess({ ...env, ROLE: 'worker' });

export const stateOf = async ({ app, fixture, duplicationId }: Copying): Promise<Record<string, unknown>> =>
  (await app.call('GET', `/v1/ads/campaigns/duplications/${duplicationId}`, { key: fixture.key })).body.duplication;

/** Arms a fault at a later write of the copy. */
export async function injectFault({ app, platform, fixture }: Copying, fault: FaultName, skip: number): Promise<void> {
  const match = { method: 'POST', path: '/\\d+/copies$|adgroup/create/$|ad/create/$' };
  await control(app.sandbox, 'faults', { platform, fault, match, skip, token: fixture.token });
}

export async function untilInjected({ app }: Pick<Copying, 'app'>): Promise<void> {
  const armed = async (): Promise<number> =>
    ((await (await fetch(`${app.sandbox.url}/control/faults`)).json()) as { faults: [] }).faults.length;
  await expect.poll(armed, { interval: 5 }).toBe(0);
}

/** Waits for the end; then the platform has source and copy, each object once, and our records show the same. */
export async function requireWhole(copying: Copying): Promise<void> {
  const { app, platform, fixture, copiedCampaignId } = copying;
  await expect.poll(async () => (await stateOf(copying))['status']).not.toBe('running');
  const tree = trees[platform];
  const ads = tree.adSets.reduce((sum, adSet) => sum + adSet.ads.length, 0);
  expect(await stateOf(copying)).toMatchObject({
    status: 'completed',
    error: null,
    adSets: { copied: tree.adSets.length, total: tree.adSets.length },
    ads: { copied: ads, total: ads },
  });
  await requireAsPlanted(copying);
  const { db } = app.app.services;
  const copy = (await grown(app, { platform, adAccountId: fixture.adAccountIds.usd })).find(
    ({ id }) => id === copiedCampaignId,
  );
  // A discovery, which a lost lock requests, finds the source as well.
  const ofCopy = { accountId: fixture.accountId, platformCampaignId: copiedCampaignId };
  const [campaigns, adSetDocs, adDocs] = await Promise.all([
    db.campaigns.find(ofCopy).lean(),
    db.adSets.find(ofCopy).lean(),
    db.ads.find(ofCopy).lean(),
  ]);
  const { accountId } = fixture;
  const others = await db.campaigns.distinct('platformCampaignId', { accountId, isExternal: { $ne: true } });
  expect(others).toEqual([copiedCampaignId]);
  expect(campaigns).toMatchObject([{ platformCampaignId: copiedCampaignId, adCount: ads }]);
  expect(adSetDocs.map(({ platformAdSetId }) => platformAdSetId).toSorted()).toEqual(
    copy?.adSets.map(({ id }) => id).toSorted(),
  );
  expect(adDocs.map(({ platformAdId }) => String(platformAdId)).toSorted()).toEqual(
    copy?.adSets.flatMap((adSet) => adSet.ads.map(({ id }) => id)).toSorted(),
  );
}

/** Source and copy stand at the platform, whole, and nothing besides. */
export async function requireAsPlanted({ app, platform, fixture }: Copying): Promise<void> {
  const there = await grown(app, { platform, adAccountId: fixture.adAccountIds.usd });
  expect(there.map(shapeOf)).toEqual([shapeOf(trees[platform]), shapeOf(trees[platform])]);
}
