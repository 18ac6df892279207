import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { heldBy, receivedBy } from '../support/ads.ts';
import { startTestApp, type TestApp } from '../support/app.ts';
import { createUserFixture, goodAd, type UserFixture } from '../support/user-fixture.ts';

const page = readFileSync(join(resolve(import.meta.dirname, '../..'), 'docs/leaked-key.md'), 'utf8');
/** The command of each step by its number. */
const steps = new Map(
  [...page.matchAll(/^(\d+)\. [\s\S]*?```sh\n([\s\S]*?)```/gm)].map(([, step, command]) => [Number(step), command]),
);

let app: TestApp;
let fixture: UserFixture;
let variables: Record<string, string>;

beforeAll(async () => {
  app = await startTestApp({ SWEEP_INTERVAL_SECONDS: '0.2' });
  fixture = await createUserFixture(app);
  variables = {
    URL: app.url,
    ADMIN_KEY: fixture.key,
    ACCOUNT: fixture.accountId,
    AD_ACCOUNT: fixture.adAccountIds.usd,
    PROFILE: fixture.profileId,
  };
  await app.call('GET', `/v1/ads/accounts?accountId=${fixture.accountId}`, { key: fixture.key });
});
afterAll(() => app.stop());

/** Runs the command of a step as a person would, and returns its answer. */
async function follow(step: number): Promise<any> {
  const command = String(steps.get(step));
  const { stdout } = await promisify(execFile)('bash', ['-c', command], { env: { ...process.env, ...variables } });
  return JSON.parse(stdout) as unknown;
}

const order = (key: string, change: object = {}) =>
  app.call('POST', '/v1/ads/create', { key, body: { ...goodAd(fixture), ...change } });

it('the page about leaked keys leads from limits over stop and audit to rotation', async () => {
  expect([...steps.keys()]).toEqual([1, 2, 3, 4, 5, 6, 7, 8]);
  const { apiKey } = await follow(1);
  Object.assign(variables, { KEY_ID: apiKey.id, KEY: apiKey.key });
  expect(apiKey.budgetLimits).toMatchObject({ maxDailyBudget: 50, maxActiveBudget: 60 });
  expect((await follow(2)).adAccount.budgetLimits).toMatchObject({ maxActiveBudget: 200 });
  const received = await receivedBy(app, async () => {
    expect(await follow(3)).toMatchObject({ code: 'budget_limit_exceeded', details: { limit: 'maxDailyBudget' } });
  });
  expect(received).toEqual([]);

  // The key leaks: what it can spend is bounded.
  const orders = [await order(apiKey.key, { budgetAmount: 40 }), await order(apiKey.key), await order(apiKey.key)];
  expect(orders.map(({ status }) => status)).toEqual([201, 201, 403]);
  const own = orders.slice(0, 2).map(({ body }) => body.ad.platformCampaignId);
  const other = (await order(fixture.key)).body.ad.platformCampaignId;

  const { stop } = await follow(4);
  Object.assign(variables, { STOP: stop._id });
  await expect.poll(async () => (await follow(5)).stop.status).toBe('completed');
  expect((await follow(5)).stop).toMatchObject({ total: 2, paused: 2, failures: [] });
  const held = new Map((await heldBy(app, 'campaign')).map(({ id, fields }) => [id, fields['status']]));
  expect([...own, other].map((id) => held.get(id))).toEqual(['PAUSED', 'PAUSED', 'ACTIVE']);
  expect(await order(apiKey.key)).toMatchObject({ status: 409, body: { code: 'stop_in_force' } });

  const actions = async (): Promise<string[]> => {
    const { activity } = await follow(6);
    return activity.map(({ action, object }: { action: string; object: { id: string } }) => `${action} ${object.id}`);
  };
  const ads = orders.slice(0, 2).map(({ body }) => `ad.created ${body.ad._id}`);
  await expect.poll(async () => (await actions()).toSorted()).toEqual(ads.toSorted());

  expect(await follow(7)).toEqual({ success: true });
  expect((await order(apiKey.key)).status).toBe(401);
  expect((await follow(8)).stop.liftedAt).not.toBeNull();
});
