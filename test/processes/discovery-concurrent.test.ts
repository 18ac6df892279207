import { Redis } from 'ioredis';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { noFaults } from '../conformance/platforms.ts';
import { control } from '../services/duplications/fixture.ts';
import { startTestApp, type TestApp } from '../support/app.ts';
import { startProcess, type ServiceProcess } from '../support/process.ts';
import { ownRedis, type TestRedis } from '../support/redis.ts';
import { createUserFixture, type UserFixture } from '../support/user-fixture.ts';

let redis: TestRedis;
let app: TestApp;
let fixture: UserFixture;
let workers: ServiceProcess[];
const [campaigns, adsEach] = [60, 10];

const worker = () => startProcess({ ...app.env, ROLE: 'worker' });

beforeAll(async () => {
  redis = await ownRedis();
  app = await startTestApp({ ROLE: 'api', REDIS_URL: redis.url, SWEEP_INTERVAL_SECONDS: '0.2' });
  workers = await Promise.all([worker(), worker()]);
});
beforeEach(async () => void (fixture = await createUserFixture(app)));
afterAll(async () => {
  await Promise.all(workers.map((one) => one.end('SIGTERM')));
  await app.stop();
  await redis.stop();
});

const path = () => `/v1/accounts/${fixture.accountId}/ads/sync`;
const ask = () => app.call('POST', path(), { key: fixture.key });
const state = async () => (await app.call('GET', path(), { key: fixture.key })).body.discovery;
const count = () => app.app.services.db.ads.countDocuments({ accountId: fixture.accountId });
/** Asks for a run whose pages take two seconds each, and waits until it has stored the first of them. */
async function begin(): Promise<void> {
  const match = { method: 'GET', path: '/(campaigns|adsets|ads)$' };
  await control(app.sandbox, 'faults', { platform: 'network-a', fault: 'slow', match, times: 1_000 });
  await ask();
  await expect.poll(count, { interval: 5 }).toBeGreaterThan(0);
}
const over = () =>
  expect.poll(async () => [(await state()).status, (await state()).runAgain]).toEqual(['completed', false]);
const published = async (type: string): Promise<number> =>
  app.app.services.db.webhookEvents.countDocuments({ userId: fixture.userId, type });

/** Answers the ids of the campaigns. */
async function seed(): Promise<string[]> {
  const tree = { adsets: [{ ads: Array.from({ length: adsEach }, () => ({})) }] };
  const answer = await fetch(`${app.sandbox.url}/control/network-a/campaigns`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({
      adAccountId: fixture.adAccountIds.usd,
      campaigns: Array.from({ length: campaigns }, () => tree),
    }),
  });
  return ((await answer.json()) as { campaigns: { id: string }[] }).campaigns.map(({ id }) => id);
}

async function pauseUpstream(id: string): Promise<void> {
  const form = new URLSearchParams({ status: 'PAUSED', access_token: fixture.token });
  const answer = await fetch(`${app.sandbox.url}/network-a/v26.0/${id}`, { method: 'POST', body: form });
  if (!answer.ok) throw new Error(await answer.text());
}

describe('two workers on one account', () => {
  it('answer whatever is asked for during a run by exactly one more', async () => {
    await seed();
    await begin();
    // The run must not end before it is asked again.
    for (const { process } of workers) process.kill('SIGSTOP');
    await noFaults(app);
    await Promise.all(Array.from({ length: 10 }, ask));
    expect((await state()).runAgain).toBe(true);
    for (const { process } of workers) process.kill('SIGCONT');
    await over();
    await expect.poll(() => published('campaign.discovery_completed')).toBe(1);
    expect(await published('account.ads.initial_sync_completed')).toBe(1);
    expect(await count()).toBe(campaigns * adsEach);
  });

  it('lose nothing when Redis forgets everything in the middle', async () => {
    await seed();
    await begin();
    const connection = new Redis(redis.url);
    await connection.flushall();
    connection.disconnect();
    await noFaults(app);
    await over();
    expect(await state()).toMatchObject({ ads: campaigns * adsEach, failures: [], error: null });
    await ask();
    await expect.poll(() => published('campaign.discovery_completed')).toBe(1);
    expect(await published('account.ads.initial_sync_completed')).toBe(1);
  });
});

describe('workers that are killed while they store changes', () => {
  it('have every change published of once by those that follow', async () => {
    const { db } = app.app.services;
    const ids = await seed();
    await ask();
    await over();
    for (const id of ids) await pauseUpstream(id);
    await ask();
    const moved = () => db.ads.countDocuments({ accountId: fixture.accountId, status: 'paused' });
    await expect.poll(moved, { interval: 5 }).toBeGreaterThan(0);
    await Promise.all(workers.map((one) => one.end('SIGKILL')));
    // A minute later.
    await db.campaignDiscoveries.updateOne({ _id: fixture.accountId }, { $set: { 'lease.until': new Date(0) } });
    workers = await Promise.all([worker(), worker()]);
    await over();
    await expect.poll(() => published('ad.status_changed')).toBe(campaigns * adsEach);
    await expect.poll(() => published('campaign.discovery_completed')).toBe(1);
    const events = await db.webhookEvents.find({ userId: fixture.userId, type: 'ad.status_changed' }).lean();
    const ads = new Set(events.map(({ body }) => JSON.parse(body).ad.platformAdId));
    expect(ads.size).toBe(campaigns * adsEach);
    expect(await db.ads.countDocuments({ accountId: fixture.accountId, 'pendingEvents.0': { $exists: true } })).toBe(0);
  });
});
