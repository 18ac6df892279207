import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { commands } from '../../src/cli/commands.ts';
import { operatorCommands } from '../../src/cli/operator-commands.ts';
import type { LocalServices } from '../../src/cli/services.ts';
import { startTestApp, type TestApp } from '../support/app.ts';
import { createUserFixture, goodAd, type UserFixture } from '../support/user-fixture.ts';
import { insertOldDeliveries, webhookFixture } from '../webhooks/fixture.ts';
import { imageCli } from './support.ts';

let app: TestApp;
let fixture: UserFixture;

beforeAll(async () => {
  app = await startTestApp({ RECONCILE_INTERVAL_SECONDS: '86400' });
  fixture = await createUserFixture(app);
});
afterAll(() => app.stop());

/** Runs a command as the image does, beside the running service. */
async function run(...args: string[]): Promise<Record<string, any>> {
  const { code, stdout, stderr } = await imageCli([...args, '--json'], app.env);
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  return JSON.parse(stdout) as Record<string, any>;
}

const ofOwner = Object.entries(commands).filter(([, { takes }]) => takes.includes('userId'));

it.each(ofOwner)('%s says that a user does not exist before it checks its other flags', async (_name, command) => {
  const userId = 'f'.repeat(24);
  const ran = command.run(app.app.services as LocalServices, { userId, limit: 'x', confirm: 'x' });
  await expect(ran).rejects.toThrow(`There is no user ${userId}`);
});

describe('the commands for operators', () => {
  it('find users, and change their plan for the running service', async () => {
    const { key, userId } = fixture;
    const { users, nextCursor } = await run('users', 'list', '--limit', '1');
    expect(users).toHaveLength(1);
    expect(nextCursor).toBe(users[0].id);
    const user = await run('users', 'find', '--email', users[0].email.toUpperCase());
    expect(user).toEqual(users[0]);
    expect(await run('users', 'change-plan', '--user', userId, '--plan', 'unlimited', '--addon', 'ads')).toMatchObject({
      id: userId,
      plan: 'unlimited',
    });
    await expect.poll(async () => (await app.call('GET', '/v1/me', { key })).body.user.plan).toBe('unlimited');
    const { code, stderr } = await imageCli(['users', 'find', '--email', 'no-one@example.com'], app.env);
    expect([code, stderr]).toEqual([1, 'There is no user with the email no-one@example.com\n']);
  });

  it('list the keys of a user and revoke one, which the running service then refuses', async () => {
    const { id, key } = await fixture.keyWith({ name: 'leaked' });
    const listed = await run('keys', 'list', '--user', fixture.userId);
    expect(listed['apiKeys'].map(({ name }: { name: string }) => name)).toContain('leaked');
    expect(JSON.stringify(listed)).not.toContain(key);
    expect(await run('keys', 'revoke', '--user', fixture.userId, '--key', id)).toMatchObject({ success: true });
    await expect.poll(async () => (await app.call('GET', '/v1/me', { key })).status).toBe(401);
  });

  it('stop an account, show the stop and lift it, while the running service pauses the campaigns', async () => {
    const user = await createUserFixture(app);
    await app.call('POST', '/v1/ads/create', { key: user.key, body: goodAd(user) });
    const owner = ['--user', user.userId];
    const stop = await run('stop', ...owner, '--account', user.accountId, '--external');
    expect(stop).toMatchObject({ accountId: user.accountId, includeExternal: true });
    const show = () => run('stop', 'show', ...owner, '--stop', String(stop['id']));
    await expect.poll(async () => (await show())['status']).toBe('completed');
    expect(await show()).toMatchObject({ total: 1, paused: 1, failed: 0 });
    expect((await run('stop', 'list', ...owner))['stops']).toHaveLength(1);
    expect((await app.call('POST', '/v1/ads/create', { key: user.key, body: goodAd(user) })).status).toBe(409);
    expect(await run('stop', 'lift', ...owner, '--stop', String(stop['id']))).toMatchObject({ status: 'lifted' });
    expect((await app.call('POST', '/v1/ads/create', { key: user.key, body: goodAd(user) })).status).toBe(201);
    const { code, stderr } = await imageCli(['stop', ...owner], app.env);
    expect([code, stderr]).toEqual([1, '--account: is required, or adAccountId or keyId\n']);
  });

  it('set, show and remove the budget limits of a key and of an ad account', async () => {
    const user = await createUserFixture(app);
    await app.call('GET', `/v1/ads/accounts?accountId=${user.accountId}`, { key: user.key });
    const order = (budgetAmount: number) =>
      app.call('POST', '/v1/ads/create', {
        key: user.key,
        body: { ...goodAd(user), budgetAmount, validateOnly: true },
      });
    const ofUser = ['--user', user.userId];
    const ofKey = [...ofUser, '--key', user.keyId];
    const limits = { currency: 'USD', maxDailyBudget: 15.5, maxLifetimeBudget: null, maxActiveBudget: null };
    const set = ['budget-limits', 'set'];
    const made = await run(...set, ...ofKey, '--currency', 'USD', '--max-daily', '15.5');
    expect(made).toEqual({ id: user.keyId, budgetLimits: limits });
    expect(await run('budget-limits', 'show', ...ofKey)).toEqual(made);
    await expect.poll(async () => (await order(16)).status).toBe(403);
    expect(await run('budget-limits', 'remove', ...ofKey)).toEqual({ id: user.keyId, budgetLimits: null });
    await expect.poll(async () => (await order(16)).status).toBe(200);
    const ofAdAccount = [...ofUser, '--account', user.accountId, '--ad-account', user.adAccountIds.usd];
    const byAccount = await run(...set, ...ofAdAccount, '--currency', 'USD', '--max-active', '15');
    expect(byAccount).toMatchObject({ id: user.adAccountIds.usd, budgetLimits: { maxActiveBudget: 15 } });
    const shown = await run('budget-limits', 'show', ...ofUser, '--account', user.accountId);
    expect(shown['budgetLimits']).toEqual({ [user.adAccountIds.usd]: byAccount['budgetLimits'] });
    expect(await order(16)).toMatchObject({ status: 403, body: { code: 'budget_limit_exceeded' } });
    await run('budget-limits', 'remove', ...ofAdAccount);
    expect((await order(16)).status).toBe(200);
    const wrong = async (...args: string[]) => {
      const { code, stderr } = await imageCli(args, app.env);
      return [code, stderr];
    };
    expect(await wrong(...set, ...ofKey, '--currency', 'USD')).toEqual([
      1,
      '--max-active: is required: give at least one of maxDailyBudget, maxLifetimeBudget, maxActiveBudget\n',
    ]);
    expect(await wrong('budget-limits', 'remove', ...ofUser)).toEqual([
      1,
      '--key: give either this or --account with --ad-account\n',
    ]);
    for (const flags of [[], ['--key', user.keyId, '--account', user.accountId]])
      expect(await wrong('budget-limits', 'show', ...ofUser, ...flags)).toEqual([
        1,
        '--key: give either this or --account\n',
      ]);
    expect(await wrong(...set, ...ofAdAccount, '--currency', 'EUR', '--max-daily', '5')).toEqual([
      1,
      '--budgetLimits.currency: must be USD, the currency of the ad account\n',
    ]);
  });

  it('list orders without a known outcome and show the steps of one', async () => {
    await fetch(`${app.sandbox.url}/control/faults`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({
        platform: 'network-a',
        fault: 'reset_after',
        match: { method: 'POST', path: 'campaigns$' },
      }),
    });
    const answer = await app.call('POST', '/v1/ads/create', { key: fixture.key, body: goodAd(fixture) });
    const { adId } = answer.body.details;
    expect(await run('orders', 'list')).toEqual({ id: 'orders', orders: [] });
    const { orders } = await run('orders', 'list', '--minutes', '0');
    expect(orders).toMatchObject([{ adId, userId: fixture.userId, platform: 'A', status: 'unconfirmed' }]);
    const order = await run('orders', 'inspect', '--ad', adId);
    expect(order['steps'].map(({ state }: { state: string }) => state)).toContain('unknown');
    expect(order).toMatchObject({ ads: [{ id: adId, status: 'unconfirmed' }], input: { name: goodAd(fixture).name } });
  });

  it('show the history of an ad and who changed what', async () => {
    const { key, userId } = fixture;
    const created = await app.call('POST', '/v1/ads/create', { key, body: goodAd(fixture) });
    const { _id: adId, platformAdId } = created.body.ad;
    const historyOf = async () => (await run('ads', 'history', '--ad', adId, '--limit', '5')).history;
    await expect.poll(async () => (await historyOf()).length).toBe(1);
    const [entry] = await historyOf();
    expect(entry).toMatchObject({ action: 'ad.created', actor: { keyId: fixture.keyId } });
    expect(entry.steps.map(({ platformId }: { platformId: string }) => platformId)).toContain(platformAdId);
    const { activity } = await run('activity', 'list', '--user', userId, '--object', adId);
    expect(activity.map(({ id }: { id: string }) => id)).toEqual([entry.id]);
    const { code, stderr } = await imageCli(['ads', 'history', '--ad', userId], app.env);
    expect([code, stderr]).toEqual([1, `There is no ad ${userId}\n`]);
  });

  it('list and show deliveries, and send a failed one again', async () => {
    const webhook = await webhookFixture(app);
    const { userId } = webhook.user;
    await insertOldDeliveries(app, webhook, { count: 1, state: 'failed' });
    const { logs } = await run('deliveries', 'list', '--user', userId, '--status', 'failed', '--limit', '10');
    expect(logs).toMatchObject([{ webhookId: webhook.webhookId, state: 'failed' }]);
    const shown = await run('deliveries', 'inspect', '--delivery', logs[0]._id);
    expect(shown).toMatchObject({ userId, state: 'failed' });
    const again = await run('deliveries', 'requeue', '--delivery', logs[0]._id);
    expect(again).toMatchObject({ userId, eventId: logs[0].eventId, state: 'pending' });
    await expect.poll(async () => (await webhook.logs('&status=delivered')).length).toBe(1);
    await webhook.receiver.stop();
  });

  it('have a problem with each wrong flag named, and a usage for each flag that they take', async () => {
    const { stderr } = await imageCli(['orders', 'list', '--minutes', 'x', '--limit', '0'], app.env);
    expect(stderr.split('\n').sort()).toEqual([
      '',
      '--limit: must be at least 1',
      expect.stringMatching(/^--minutes: /),
    ]);
    const unknown = randomBytes(12).toString('hex');
    expect((await imageCli(['deliveries', 'inspect', '--delivery', unknown], app.env)).stderr).toBe(
      `There is no delivery ${unknown}\n`,
    );
    for (const [name, { takes, usage }] of Object.entries(operatorCommands))
      expect([name, usage.match(/--/g)?.length]).toEqual([name, takes.length]);
  });
});
