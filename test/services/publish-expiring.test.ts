import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { publishExpiringKeys } from '../../src/services/api-keys/publish-expiring.ts';
import { publishExpiringTokens } from '../../src/services/accounts/publish-expiring-tokens.ts';
import { startTestApp, type TestApp } from '../support/app.ts';
import { createUserFixture } from '../support/user-fixture.ts';

let app: TestApp;

beforeAll(async () => {
  app = await startTestApp({ ROLE: 'api' });
});
afterAll(() => app.stop());

const day = 86_400_000;
const after = (ms: number): Date => new Date(Date.now() + ms);

describe('api_key.expiring', () => {
  it.each([
    ['in six days', after(6 * day), 1],
    ['in eight days', after(8 * day), 0],
    ['never', null, 0],
    ['already', after(-day), 0],
  ])('a key that ends %s is reported as often as expected: %#', async (_when, expiresAt, count) => {
    const { services } = app.app;
    const fixture = await createUserFixture(app);
    const { id } = await fixture.keyWith({ expiresAt });
    await publishExpiringKeys(services);
    await publishExpiringKeys(services);
    const key = await services.db.apiKeys.findOne({ _id: id }).lean();
    expect(key?.pendingEvents?.filter(({ type }) => type === 'api_key.expiring')).toHaveLength(count);
  });
});

describe('account.token_expiring', () => {
  const noticesOf = async (accountId: string) => {
    const account = await app.app.services.db.accounts.findOne({ _id: accountId }).lean();
    const events = account?.pendingEvents?.filter(({ type }) => type === 'account.token_expiring') ?? [];
    return events.map(({ data }) => data['account'] as Record<string, unknown>);
  };
  const ending = async (tokenExpiresAt: Date | null, fields: object = {}): Promise<string> => {
    const { accountId } = await createUserFixture(app);
    const change = { tokenExpiresAt, encryptedRefreshToken: null, ...fields };
    await app.app.services.db.accounts.updateOne({ _id: accountId }, { $set: change });
    return accountId;
  };

  it('is sent once for each of 14, 7 and 1 days before the end, and again for a new token', async () => {
    const end = after(20 * day);
    const accountId = await ending(end);
    const { services } = app.app;
    for (const left of [15, 14, 13, 7, 6, 2, 1, 0.5, -1]) {
      const now = new Date(end.getTime() - left * day);
      await publishExpiringTokens({ ...services, clock: { ...services.clock, now: () => now } });
    }
    const notices = await noticesOf(accountId);
    expect(notices.map(({ daysLeft }) => daysLeft)).toEqual([14, 7, 1]);
    expect(notices.map(({ sequence }) => sequence)).toEqual([1, 2, 3]);
    expect(notices[0]).toMatchObject({ accountId, platform: 'network-a', tokenExpiresAt: end.toISOString() });
    await services.db.accounts.updateOne({ _id: accountId }, { $set: { expiryNoticeDays: null } });
    await publishExpiringTokens({
      ...services,
      clock: { ...services.clock, now: () => new Date(end.getTime() - day) },
    });
    expect(await noticesOf(accountId)).toHaveLength(4);
  });

  it.each([
    ['that is found late gets the most urgent notice only', after(0.5 * day), {}, [1]],
    ['that does not expire gets none', null, {}, []],
    ['that has ended gets none', after(-day), {}, []],
    ['of an account that has to be connected again gets none', after(3 * day), { needsReconnect: true }, []],
    ['that renews itself gets none', after(3 * day), { platform: 'pin-board', encryptedRefreshToken: 'a' }, []],
  ])('a token %s', async (_what, tokenExpiresAt, fields, days) => {
    const accountId = await ending(tokenExpiresAt, fields);
    await publishExpiringTokens(app.app.services);
    await publishExpiringTokens(app.app.services);
    expect((await noticesOf(accountId)).map(({ daysLeft }) => daysLeft)).toEqual(days);
  });

  it('is preceded by the health issue from 14 days ahead', async () => {
    const fixture = await createUserFixture(app);
    const health = async (days: number): Promise<string[]> => {
      const change = { tokenExpiresAt: after(days * day), encryptedRefreshToken: null };
      await app.app.services.db.accounts.updateOne({ _id: fixture.accountId }, { $set: change });
      const { body } = await app.call('GET', `/v1/accounts/${fixture.accountId}/health`, { key: fixture.key });
      return body.issues.map(({ code }: { code: string }) => code);
    };
    expect(await health(15)).not.toContain('token_expiring');
    expect(await health(13)).toContain('token_expiring');
  });
});
