import { afterAll, beforeAll, expect, it } from 'vitest';
import { heldBy } from '../support/ads.ts';
import { startTestApp, type TestApp } from '../support/app.ts';
import { createUserFixture, goodAd, type UserFixture } from '../support/user-fixture.ts';
import { fault, goodAdOf, noFaults, subjects } from '../conformance/platforms.ts';

const [slow, quick] = ['A', 'C'].map((platform) => subjects.find((subject) => subject.platform === platform)!);
/** More than a stop reads at once. */
const manyCampaigns = 510;

let app: TestApp;
let fixture: UserFixture;
let other: UserFixture;
let leaked: { id: string; key: string };
const campaigns: Record<'slow' | 'quick', string[]> = { slow: [], quick: [] };

beforeAll(async () => {
  app = await startTestApp({ SWEEP_INTERVAL_SECONDS: '0.2', PLATFORM_TIMEOUT_SECONDS: '4' });
  fixture = await createUserFixture(app);
  other = await createUserFixture(app, { platform: 'pin-board' });
  const { userId, profileId } = fixture;
  const { db } = app.app.services;
  await db.accounts.updateOne({ _id: other.accountId }, { $set: { userId, profileId } });
  leaked = await fixture.keyWith({ name: 'leaked' });
  const order = async (body: object): Promise<string> => {
    const answer = await app.call('POST', '/v1/ads/create', { key: leaked.key, body });
    expect(answer.status, JSON.stringify(answer.body)).toBe(201);
    return answer.body.ad.platformCampaignId;
  };
  for (let made = 0; made < 2; made += 1) {
    campaigns.slow.push(await order(goodAd(fixture)));
    campaigns.quick.push(await order(goodAdOf(app, quick!, other)));
  }
  const campaign = await db.campaigns.findOne({ platformCampaignId: campaigns.slow[0] }).lean().orFail();
  // Their steps come before all others.
  const copies = Array.from({ length: manyCampaigns }, (_, at) => ({
    ...campaign,
    _id: `00000000000000000000${String(at).padStart(4, '0')}`,
    platformCampaignId: `9${at}`,
    pendingEvents: undefined,
  }));
  await db.campaigns.insertMany(copies as never);
});
afterAll(() => app.stop());

const statusAt = async (kind: 'slow' | 'quick'): Promise<unknown[]> => {
  if (kind === 'slow')
    return (await heldBy(app, 'campaign'))
      .filter(({ id }) => campaigns.slow.includes(id))
      .map(({ fields }) => fields['status']);
  const answer = await fetch(`${app.sandbox.url}/control/pin-board/objects?type=campaigns`);
  const { objects } = (await answer.json()) as { objects: { id: string; status: string }[] };
  return objects.filter(({ id }) => campaigns.quick.includes(id)).map(({ status }) => status);
};

it('a stop over two platforms pauses one at once, names what the other does not answer for, and pauses that later', async () => {
  await fault(app, slow!, { fault: 'timeout_before', match: { method: 'POST', path: '/\\d+$' }, times: 100_000 });
  const { body } = await app.call('POST', '/v1/stops', { key: fixture.key, body: { keyId: leaked.id } });
  const stop = async () => (await app.call('GET', `/v1/stops/${body.stop._id}`, { key: fixture.key })).body.stop;
  await expect.poll(() => statusAt('quick')).toEqual(['PAUSED', 'PAUSED']);
  expect(await statusAt('slow')).toEqual(['ACTIVE', 'ACTIVE']);
  // A run ends although the platform does not answer: it asks for a few campaigns and not for each in turn.
  const unreached = manyCampaigns + campaigns.slow.length;
  await expect.poll(async () => (await stop()).failed).toBe(unreached);
  const named = await stop();
  expect(named).toMatchObject({ status: 'running', total: unreached + 2, paused: 2 });
  expect(named.failures).toHaveLength(100);
  for (const failure of named.failures)
    expect(failure).toMatchObject({ platform: 'network-a', message: expect.stringMatching(/./), isFinal: false });
  await noFaults(app);
  await expect.poll(async () => (await stop()).status).toBe('completed');
  expect(await stop()).toMatchObject({ paused: unreached + 2, failed: 0, failures: [] });
  expect(await statusAt('slow')).toEqual(['PAUSED', 'PAUSED']);
});
