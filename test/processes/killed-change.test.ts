import { afterAll, beforeAll, expect, it } from 'vitest';
import { reconcileOpenChanges } from '../../src/services/ads/open-changes.ts';
import { runDiscovery } from '../../src/services/discovery/run-discovery.ts';
import { startTestApp, type TestApp } from '../support/app.ts';
import { startProcess, type ServiceProcess } from '../support/process.ts';
import { createUserFixture, goodAd, type UserFixture } from '../support/user-fixture.ts';

let app: TestApp;
let service: ServiceProcess;
let fixture: UserFixture;

beforeAll(async () => {
  app = await startTestApp({ ROLE: 'api' });
  service = await startProcess(app.env);
  fixture = await createUserFixture(app);
});
afterAll(async () => {
  await service.end('SIGKILL');
  await app.stop();
});

it('a pause whose process is killed before the platform answers is read back and in the activity trail', async () => {
  const { key, accountId } = fixture;
  const { ad } = (await app.call('POST', '/v1/ads/create', { key, body: goodAd(fixture) })).body;
  const id = ad.platformCampaignId as string;
  const atPlatform = async (): Promise<string | undefined> => {
    const { objects } = (await (await fetch(`${app.sandbox.url}/control/network-a/objects?type=campaign`)).json()) as {
      objects: { id: string; fields: { status: string } }[];
    };
    return objects.find((campaign) => campaign.id === id)?.fields.status;
  };
  const recorded = async (): Promise<string> =>
    (await app.call('GET', `/v1/ads/${ad._id}`, { key })).body.ad.status as string;
  // The platform makes the change at once and answers late.
  await fetch(`${app.sandbox.url}/control/faults`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ platform: 'network-a', fault: 'slow', match: { method: 'POST' }, times: 1 }),
  });
  const body = { platform: 'network-a', status: 'PAUSED' };
  const pause = service.call('PUT', `/v1/ads/campaigns/${id}/status`, { key, body }).catch(() => 'cut off');
  await expect.poll(atPlatform).toBe('PAUSED');
  await service.end('SIGKILL');
  expect(await pause).toBe('cut off');
  expect(await recorded()).toBe('active');

  const { services } = app.app;
  const aMinuteLater = { ...services, clock: { now: () => new Date(Date.now() + 61_000) } };
  await reconcileOpenChanges(aMinuteLater);
  expect(await runDiscovery(aMinuteLater, accountId)).toBe(true);
  expect(await recorded()).toBe('paused');
  const campaign = await services.db.campaigns.findOne({ accountId, platformCampaignId: id }).lean();
  const entries = campaign?.pendingEvents?.filter(({ data }) => data['action'] === 'campaign.change_failed');
  expect(entries).toMatchObject([{ data: { author: { keyId: fixture.keyId, source: 'rest' } } }]);
  expect(campaign?.openChanges).toEqual([]);
});
