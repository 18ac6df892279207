import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { control } from '../services/duplications/fixture.ts';
import { startTestApp, type TestApp } from '../support/app.ts';
import { startProcess } from '../support/process.ts';
import { createUserFixture, type UserFixture } from '../support/user-fixture.ts';

let app: TestApp;
let fixture: UserFixture;

beforeAll(async () => {
  app = await startTestApp({ ROLE: 'api', SWEEP_INTERVAL_SECONDS: '0.2' });
  fixture = await createUserFixture(app);
});
afterAll(() => app.stop());

const path = () => `/v1/accounts/${fixture.accountId}/ads/sync`;
const state = async () => (await app.call('GET', path(), { key: fixture.key })).body.discovery;

async function seed(campaigns: number): Promise<void> {
  const tree = { adsets: [{ ads: Array.from({ length: 10 }, () => ({})) }] };
  await fetch(`${app.sandbox.url}/control/network-a/campaigns`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({
      adAccountId: fixture.adAccountIds.usd,
      campaigns: Array.from({ length: campaigns }, () => tree),
    }),
  });
}

describe('a worker that is killed amid a discovery', () => {
  it('is followed by another, which reads everything, publishes it once and creates nothing twice', async () => {
    const { db } = app.app.services;
    await seed(300);
    const first = await startProcess({ ...app.env, ROLE: 'worker' });
    // The second page of ads does not come before the worker is killed.
    const match = { method: 'GET', path: '/ads$' };
    await control(app.sandbox, 'faults', { platform: 'network-a', fault: 'timeout_before', match, skip: 1 });
    await app.call('POST', path(), { key: fixture.key });
    await expect
      .poll(async () => db.ads.countDocuments({ accountId: fixture.accountId }), { interval: 5 })
      .toBeGreaterThan(0);
    await first.end('SIGKILL');
    expect((await state()).status).toBe('running');
    // A minute later.
    await db.campaignDiscoveries.updateOne({ _id: fixture.accountId }, { $set: { 'lease.until': new Date(0) } });
    const second = await startProcess({ ...app.env, ROLE: 'worker' });
    await expect.poll(async () => (await state()).status).toBe('completed');
    expect(await state()).toMatchObject({ adAccounts: 3, campaigns: 300, adSets: 300, ads: 3000 });
    const count = async () =>
      Promise.all(
        [db.campaigns, db.adSets, db.ads].map((model) =>
          (model as typeof db.ads).countDocuments({ accountId: fixture.accountId }),
        ),
      );
    expect(await count()).toEqual([300, 300, 3000]);
    const sums = await db.campaigns.find({ accountId: fixture.accountId }).lean();
    expect(sums.every(({ adCount, adSetCount }) => adCount === 10 && adSetCount === 1)).toBe(true);
    const published = () =>
      db.webhookEvents.find({ userId: fixture.userId, type: 'account.ads.initial_sync_completed' }).lean();
    await expect.poll(async () => (await published()).length).toBe(1);
    await second.end('SIGTERM');
  });

  it('gives its run back at once when it is asked to end', async () => {
    const first = await startProcess({ ...app.env, ROLE: 'worker' });
    await app.call('POST', path(), { key: fixture.key });
    await expect.poll(async () => (await state()).campaigns, { interval: 5 }).toBeGreaterThan(0);
    await first.end('SIGTERM');
    expect(['queued', 'completed']).toContain((await state()).status);
  });
});
