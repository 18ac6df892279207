import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestApp, type TestApp } from '../support/app.ts';
import { startProcess, type ServiceProcess } from '../support/process.ts';
import { goodAd, createUserFixture, type UserFixture } from '../support/user-fixture.ts';

let app: TestApp;
let processes: ServiceProcess[];
let fixture: UserFixture;
let ad: { _id: string; platformAdId: string; platformCampaignId: string };

beforeAll(async () => {
  app = await startTestApp({ ROLE: 'api' });
  processes = await Promise.all([startProcess(app.env), startProcess(app.env)]);
  fixture = await createUserFixture(app);
  ad = (await app.call('POST', '/v1/ads/create', { key: fixture.key, body: goodAd(fixture) })).body.ad;
});
afterAll(async () => {
  await Promise.all(processes.map((process) => process.end('SIGTERM')));
  await app.stop();
});

const switchAtPlatform = async (id: string): Promise<unknown> => {
  const answer = await fetch(`${app.sandbox.url}/control/network-a/objects`);
  const { objects } = (await answer.json()) as { objects: { id: string; fields: { status: string } }[] };
  return objects.find((object) => object.id === id)?.fields.status;
};

describe('opposite switches in two processes at once', () => {
  it.each([
    ['a campaign', () => `campaigns/${ad.platformCampaignId}`, () => ad.platformCampaignId],
    ['an ad', () => ad._id, () => ad.platformAdId],
  ])('leave the record of %s as the platform has it', async (_what, path, id) => {
    for (let round = 0; round < 25; round += 1) {
      // Under a paused campaign no ad runs, whatever its own switch says.
      await app.call('PUT', `/v1/ads/campaigns/${ad.platformCampaignId}/status`, {
        key: fixture.key,
        body: { platform: 'network-a', status: 'ACTIVE' },
      });
      const statuses = round % 2 ? ['PAUSED', 'ACTIVE'] : ['ACTIVE', 'PAUSED'];
      const answers = await Promise.all(
        statuses.map(async (status, at) =>
          processes[at]?.call('PUT', `/v1/ads/${path()}/status`, {
            key: fixture.key,
            body: path().startsWith('campaigns') ? { platform: 'network-a', status } : { status },
          }),
        ),
      );
      expect(answers.map((answer) => answer?.status)).toEqual([200, 200]);
      const there = await switchAtPlatform(id());
      const here = (await app.call('GET', `/v1/ads/${ad._id}`, { key: fixture.key })).body.ad.status;
      expect(here).toBe(there === 'ACTIVE' ? 'active' : 'paused');
    }
  });
});
