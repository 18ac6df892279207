import { afterAll, beforeAll, expect, it } from 'vitest';
import { connectWithoutTimeouts } from '../support/redis.ts';
import { startTestApp, type TestApp } from '../support/app.ts';
import { startProcess, type ServiceProcess } from '../support/process.ts';
import { createUserFixture, goodAd, type UserFixture } from '../support/user-fixture.ts';

let app: TestApp;
let processes: ServiceProcess[];
let fixture: UserFixture;

beforeAll(async () => {
  app = await startTestApp({ ROLE: 'api' });
  processes = await Promise.all([startProcess(app.env), startProcess(app.env)]);
  fixture = await createUserFixture(app);
});
afterAll(async () => {
  await Promise.all(processes.map((process) => process.end('SIGTERM')));
  await app.stop();
});

/** What a restart of Redis without its data does to the locks. */
async function loseLocks(): Promise<void> {
  const redis = await connectWithoutTimeouts(app.env['REDIS_URL'] ?? '');
  const held = await redis.keys(`*${app.env['REDIS_PREFIX']}:limit:*:holder`);
  expect(held.length).toBeGreaterThan(0);
  await redis.del(held);
  redis.disconnect();
}

const reconcileAt = async (): Promise<Date | null | undefined> =>
  (await app.app.services.db.campaignDiscoveries.findOne({ _id: fixture.accountId }).lean())?.reconcileAt;

it('a change that loses its lock to another process has the account read again', async () => {
  const { key } = fixture;
  const { ad } = (await app.call('POST', '/v1/ads/create', { key, body: goodAd(fixture) })).body;
  const path = `/v1/ads/ad-sets/${ad.platformAdSetId}`;
  const change = (process: ServiceProcess | undefined, budgetAmount: number) =>
    process?.call('PUT', path, { key, body: { platform: 'network-a', budgetAmount } });
  const atPlatform = async (): Promise<string> => {
    const { objects } = (await (await fetch(`${app.sandbox.url}/control/network-a/objects?type=adset`)).json()) as {
      objects: { id: string; fields: { daily_budget: string } }[];
    };
    return objects.find(({ id }) => id === ad.platformAdSetId)?.fields.daily_budget ?? '';
  };
  expect((await change(processes[0], 70))?.status).toBe(200);
  expect(await reconcileAt()).toBeUndefined();

  // The platform makes the change at once and answers late.
  await fetch(`${app.sandbox.url}/control/faults`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ platform: 'network-a', fault: 'slow', match: { method: 'POST' }, times: 1 }),
  });
  const first = change(processes[0], 80);
  await expect.poll(atPlatform).toBe('8000');
  processes[0]?.process.kill('SIGSTOP');
  await loseLocks();
  expect((await change(processes[1], 90))?.status).toBe(200);
  expect(await atPlatform()).toBe('9000');
  processes[0]?.process.kill('SIGCONT');
  expect((await first)?.status).toBe(200);
  await expect.poll(reconcileAt).toEqual(expect.any(Date));
});
