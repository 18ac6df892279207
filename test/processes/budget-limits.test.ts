import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { heldBy } from '../support/ads.ts';
import { startTestApp, type Answer, type TestApp } from '../support/app.ts';
import { startProcess, type ServiceProcess } from '../support/process.ts';
import { repeats } from '../support/sample.ts';
import { createUserFixture, goodAd, type UserFixture } from '../support/user-fixture.ts';

let app: TestApp;
let processes: ServiceProcess[];

beforeAll(async () => {
  app = await startTestApp({ ROLE: 'api' });
  processes = await Promise.all([startProcess(app.env), startProcess(app.env)]);
});
afterAll(async () => {
  await Promise.all(processes.map((process) => process.end('SIGTERM')));
  await app.stop();
});

const processOf = (at: number): ServiceProcess => processes[at % 2] as ServiceProcess;

const setLimit = async (fixture: UserFixture, of: 'key' | 'ad account', maxActiveBudget: number): Promise<void> => {
  const path =
    of === 'key'
      ? `/v1/api-keys/${fixture.keyId}/budget-limits`
      : `/v1/accounts/${fixture.accountId}/ad-accounts/${fixture.adAccountIds.usd}/budget-limits`;
  const body = { budgetLimits: { currency: 'USD', maxActiveBudget } };
  expect((await app.call('PUT', path, { key: fixture.key, body })).status).toBe(200);
};

/** The active campaigns of an ad account at the platform, with the budgets of their ad sets. */
async function activeAtPlatform({ adAccountIds }: UserFixture): Promise<number> {
  const [campaigns, adSets] = await Promise.all([heldBy(app, 'campaign'), heldBy(app, 'adset')]);
  const inAccount = campaigns.filter(({ accountId }) => accountId === adAccountIds.usd);
  const on = new Set(inAccount.filter(({ fields }) => fields['status'] === 'ACTIVE').map(({ id }) => id));
  const budgets = adSets.filter(({ fields }) => on.has(String(fields['campaign_id'])) && fields['status'] === 'ACTIVE');
  return budgets.reduce((sum, { fields }) => sum + Number(fields['daily_budget']), 0) / 100;
}

const codes = (answers: Answer[]): string[] =>
  answers.map(({ status, body }) => (status < 300 ? 'done' : String(body.code)));

describe('two processes', () => {
  it('never pass maxActiveBudget together, and use all of it that fits', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom('key' as const, 'ad account' as const),
        fc.array(fc.integer({ min: 100, max: 3000 }), { minLength: 3, maxLength: 7 }),
        fc.double({ min: 0.2, max: 0.9, noNaN: true }),
        async (of, cents, share) => {
          const fixture = await createUserFixture(app);
          const amounts = cents.map((amount) => amount / 100);
          const limit = Math.max(1, Math.round(cents.reduce((sum, one) => sum + one, 0) * share)) / 100;
          await setLimit(fixture, of, limit);
          const answers = await Promise.all(
            amounts.map((budgetAmount, at) =>
              processOf(at).call('POST', '/v1/ads/create', {
                key: fixture.key,
                body: { ...goodAd(fixture), budgetAmount, name: `Order ${at}` },
              }),
            ),
          );
          const outcomes = codes(answers);
          expect(new Set([...outcomes, 'done', 'budget_limit_exceeded']).size).toBe(2);
          const active = await activeAtPlatform(fixture);
          expect(active).toBeLessThanOrEqual(limit);
          const spent = cents.reduce((sum, amount, at) => sum + (outcomes[at] === 'done' ? amount : 0), 0);
          expect(Math.round(active * 100)).toBe(spent);
          // What was refused did not fit beside what was accepted.
          const refused = cents.filter((_, at) => outcomes[at] !== 'done');
          for (const amount of refused) expect(spent + amount).toBeGreaterThan(Math.round(limit * 100));
        },
      ),
      { numRuns: repeats(4, 15) },
    );
  });

  it('let one of several activations pass that fit only alone', async () => {
    const fixture = await createUserFixture(app);
    const body = { ...goodAd(fixture), status: 'PAUSED' };
    const ads = await Promise.all(
      [0, 1, 2, 3].map(() => app.call('POST', '/v1/ads/create', { key: fixture.key, body })),
    );
    await setLimit(fixture, 'ad account', 39);
    const answers = await Promise.all(
      ads.map(({ body: { ad } }, at) =>
        processOf(at).call('PUT', `/v1/ads/campaigns/${ad.platformCampaignId}/status`, {
          key: fixture.key,
          body: { platform: 'network-a', status: 'ACTIVE' },
        }),
      ),
    );
    expect(codes(answers).toSorted()).toEqual([...Array(3).fill('budget_limit_exceeded'), 'done']);
    expect(await activeAtPlatform(fixture)).toBe(20);
  });

  it('keep the reservation of an order whose process is killed', async () => {
    const fixture = await createUserFixture(app);
    await setLimit(fixture, 'key', 30);
    const victim = await startProcess(app.env);
    await fetch(`${app.sandbox.url}/control/faults`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({
        platform: 'network-a',
        fault: 'timeout_after',
        match: { method: 'POST', path: '/adsets$' },
      }),
    });
    const options = { key: fixture.key, body: goodAd(fixture) };
    const lost = victim.call('POST', '/v1/ads/create', options).catch(() => 'lost');
    const pending = async () =>
      ((await (await fetch(`${app.sandbox.url}/control/faults`)).json()) as { faults: [] }).faults.length;
    await expect.poll(pending).toBe(0);
    await victim.end('SIGKILL');
    expect(await lost).toBe('lost');
    const answer = await processOf(0).call('POST', '/v1/ads/create', options);
    expect(answer).toMatchObject({ status: 403, body: { code: 'budget_limit_exceeded', details: { used: 20 } } });
  });
});
