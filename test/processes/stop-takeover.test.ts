import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { heldBy } from '../support/ads.ts';
import { startTestApp, type TestApp } from '../support/app.ts';
import { startProcess, type ServiceProcess } from '../support/process.ts';
import { createUserFixture, goodAd, type UserFixture } from '../support/user-fixture.ts';

/** `STOP_KILLS=20 npm test -- test/processes/stop-takeover.test.ts` for a long look. */
const kills = Number(process.env['STOP_KILLS'] ?? 3);
const campaigns = 12;

let app: TestApp;
let fixture: UserFixture;
let alive: ServiceProcess[] = [];

beforeAll(async () => {
  app = await startTestApp({ ROLE: 'api', SWEEP_INTERVAL_SECONDS: '0.2' });
});
afterEach(async () => {
  await Promise.all(alive.map((one) => one.end('SIGKILL')));
  alive = [];
  await fetch(`${app.sandbox.url}/control/faults`, { method: 'DELETE' });
});
afterAll(() => app.stop());

async function worker(): Promise<ServiceProcess> {
  const started = await startProcess({ ...app.env, ROLE: 'worker' });
  alive.push(started);
  return started;
}
const injectFault = (fault: string, match: object, times = 1): Promise<unknown> =>
  fetch(`${app.sandbox.url}/control/faults`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ platform: 'network-a', fault, match, times }),
  });
const armed = async (): Promise<number> =>
  ((await (await fetch(`${app.sandbox.url}/control/faults`)).json()) as { faults: [] }).faults.length;

async function order(count: number): Promise<string[]> {
  fixture = await createUserFixture(app);
  const answers = await Promise.all(
    Array.from({ length: count }, () =>
      app.call('POST', '/v1/ads/create', { key: fixture.key, body: goodAd(fixture) }),
    ),
  );
  return answers.map(({ body }) => String(body.ad.platformCampaignId));
}
async function beginStop(): Promise<string> {
  const body = { accountId: fixture.accountId };
  const answer = await app.call('POST', '/v1/stops', { key: fixture.key, body });
  expect(answer.status).toBe(202);
  return answer.body.stop._id;
}
const stateOf = async (stopId: string): Promise<Record<string, any>> =>
  (await app.call('GET', `/v1/stops/${stopId}`, { key: fixture.key })).body.stop;
/** Half a minute later the lease of the dead process has expired. */
const expireLease = (stopId: string): Promise<unknown> =>
  app.app.services.db.stops.updateOne({ _id: stopId }, { $set: { lease: null } });
const running = async (ids: string[]): Promise<string[]> =>
  (await heldBy(app, 'campaign'))
    .filter(({ id, fields }) => ids.includes(id) && fields['status'] !== 'PAUSED')
    .map(({ id }) => id);

describe('a worker that is killed amid a stop', () => {
  it('is followed by others until every campaign is paused', async () => {
    const ids = await order(campaigns);
    const stopId = await beginStop();
    for (let kill = 0; kill < kills; kill += 1) {
      const before = (await running(ids)).length;
      // The write is carried out or not, and its outcome stays unknown.
      await injectFault(kill % 2 ? 'timeout_before' : 'timeout_after', { method: 'POST', path: '/\\d+$' });
      const doomed = await worker();
      await expect.poll(armed, { interval: 10 }).toBe(0);
      await doomed.end('SIGKILL');
      await expireLease(stopId);
      expect((await running(ids)).length).toBeLessThanOrEqual(before);
      expect(await stateOf(stopId)).toMatchObject({ liftedAt: null });
    }
    await worker();
    await expect.poll(async () => (await stateOf(stopId))['status']).toBe('completed');
    expect(await stateOf(stopId)).toMatchObject({ total: campaigns, paused: campaigns, failed: 0, failures: [] });
    expect(await running(ids)).toEqual([]);
    const events = await app.app.services.db.webhookEvents.countDocuments({
      userId: fixture.userId,
      type: 'stop.completed',
    });
    const pending = (await app.app.services.db.stops.findById(stopId).lean())?.pendingEvents?.length ?? 0;
    expect(events + pending).toBe(1);
  });

  it('leaves activations refused, and pauses the other accounts while a platform does not answer', async () => {
    const slow = await order(4);
    // Every change of these campaigns waits for its time-out.
    for (const id of slow) await injectFault('timeout_before', { method: 'POST', path: `/${id}$` }, 100);
    const stopId = await beginStop();
    const doomed = await worker();
    await expect.poll(armed, { interval: 10 }).toBeGreaterThan(0);
    const first = fixture;
    const others = await order(2);
    const other = await beginStop();
    await expect.poll(async () => (await stateOf(other))['status']).toBe('completed');
    expect(await running(others)).toEqual([]);
    fixture = first;
    expect(await stateOf(stopId)).toMatchObject({ status: 'running', total: 4 });
    await doomed.end('SIGKILL');
    const answer = await app.call('POST', '/v1/ads/create', { key: fixture.key, body: goodAd(fixture) });
    expect(answer).toMatchObject({ status: 409, body: { code: 'stop_in_force', details: { stopId } } });
    await fetch(`${app.sandbox.url}/control/faults`, { method: 'DELETE' });
    await expireLease(stopId);
    await worker();
    await expect.poll(async () => (await stateOf(stopId))['status']).toBe('completed');
    expect(await running(slow)).toEqual([]);
  });
});
