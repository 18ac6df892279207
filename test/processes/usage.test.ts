import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { control, plant, type SourceTree } from '../services/duplications/fixture.ts';
import { startTestApp, type TestApp } from '../support/app.ts';
import { startProcess, type ServiceProcess } from '../support/process.ts';
import { goodAd, createUserFixture, type UserFixture } from '../support/user-fixture.ts';

let app: TestApp;
let one: ServiceProcess;
let two: ServiceProcess;

beforeAll(async () => {
  app = await startTestApp({ ROLE: 'api' });
  [one, two] = await Promise.all([startProcess(app.env), startProcess(app.env)]);
});
afterAll(async () => {
  await Promise.all([one, two].map((process) => process?.end('SIGTERM')));
  await app.stop();
});

const small: SourceTree = { name: 'Spring', adSets: [{ name: 'Women', ads: [{ name: 'Coats' }] }] };
const usage = (setting: object): Promise<unknown> => control(app.sandbox, 'network-a/usage', setting);

async function copyIn(process: ServiceProcess, fixture: UserFixture) {
  const source = await plant(app, { platform: 'network-a', adAccountId: fixture.adAccountIds.usd }, small);
  const body = { platform: 'network-a', syncAfter: false };
  return process.call('POST', `/v1/ads/campaigns/${source}/duplicate`, { key: fixture.key, body });
}

describe('a quota that is nearly used up', () => {
  it('is known to another process that has heard nothing of it, for this ad account alone, and so is its end', async () => {
    const [fixture, other] = [await createUserFixture(app), await createUserFixture(app)];
    await usage({ account: 96, seconds: 300 });
    expect((await copyIn(one, fixture)).status).toBe(200);
    await usage({});
    const refused = await copyIn(two, fixture);
    expect({ status: refused.status, code: refused.body.code }).toEqual({ status: 429, code: 'rate_limited' });
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(200);
    expect((await copyIn(two, other)).status).toBe(200);
    // What people wait for goes on, and its answer says that there is room again.
    await usage({ account: 10 });
    const body = { ...goodAd(fixture), adAccountId: fixture.adAccountIds.usd };
    expect((await two.call('POST', '/v1/ads/create', { key: fixture.key, body })).status).toBe(201);
    expect((await copyIn(one, fixture)).status).toBe(200);
  });
});
