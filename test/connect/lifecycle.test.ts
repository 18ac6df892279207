import { randomBytes } from 'node:crypto';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { publishExpiringTokens } from '../../src/services/accounts/publish-expiring-tokens.ts';
import { refreshExpiringTokens } from '../../src/services/accounts/refresh-expiring-tokens.ts';
import { createEncrypter } from '../../src/lib/encryption.ts';
import { refreshTime } from '../../src/services/accounts/refresh-token.ts';
import { accountFields } from '../../src/services/encryption/bindings.ts';
import { tokenIn } from '../support/encrypted.ts';
import { startConnectApp, walk } from '../support/consent.ts';
import type { AccountPlatform } from '../../src/contract/platforms.ts';
import type { TestApp } from '../support/app.ts';
import { createUserFixture, type UserFixture } from '../support/user-fixture.ts';

let app: TestApp;

beforeAll(async () => {
  // The worker looks so seldom that only the tests do.
  app = await startConnectApp({ REFRESH_EVERY_SECONDS: '86400' });
});
afterAll(() => app.stop());
afterEach(() => fetch(`${app.sandbox.url}/control/faults`, { method: 'DELETE' }));

const accounts = () => app.app.services.db.accounts;
const stored = ({ accountId }: UserFixture) => accounts().findOne({ _id: accountId }).lean().orFail();
const health = async ({ accountId, key }: UserFixture) =>
  (await app.call('GET', `/v1/accounts/${accountId}/health`, { key })).body;
const endSoon = ({ accountId }: UserFixture, refreshAt = new Date(Date.now() - 1000)) =>
  accounts().updateOne({ _id: accountId }, { $set: { refreshAt, tokenExpiresAt: new Date(Date.now() + 50_000) } });
const fault = (platform: string, name: string, path: string) =>
  fetch(`${app.sandbox.url}/control/faults`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ platform, fault: name, match: { path }, times: 10 }),
  });
const control = (platform: string, what: string, token: string | undefined, more = {}) =>
  fetch(`${app.sandbox.url}/control/${platform}/${what}`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ token, ...more }),
  });

const renewable: [AccountPlatform, string][] = [
  ['search-display', '/token'],
  ['pin-board', '/oauth/token'],
  ['microblog', '/2/oauth2/token'],
  ['professional', '/accessToken'],
  ['listing', '/token'],
  ['ephemeral-messaging', '/access_token'],
];

describe.each(renewable)('a token of %s that ends soon', (platform, tokenPath) => {
  let fixture: UserFixture;
  const refreshToken = () => fixture.connection.posting?.refreshToken ?? fixture.connection.refreshToken;

  beforeEach(async () => {
    fixture = await createUserFixture(app, { platform });
    await endSoon(fixture);
  });

  it('is renewed ahead of its end', async () => {
    const before = await stored(fixture);
    await refreshExpiringTokens(app.app.services, 50);
    const { encrypter } = app.app.services;
    const after = await stored(fixture);
    expect(tokenIn(encrypter, after, 'encryptedToken')).not.toBe(tokenIn(encrypter, before, 'encryptedToken'));
    expect(after.tokenExpiresAt!.getTime() - Date.now()).toBeGreaterThan(3_000_000);
    expect(after.refreshAt!.getTime()).toBeGreaterThan(Date.now());
    expect(await health(fixture)).toMatchObject({ renewsItself: true, lastRefreshedAt: expect.any(String) });
  });

  it('survives a platform that cannot be reached, and the health says so', async () => {
    await fault(platform, 'http_500', tokenPath);
    await refreshExpiringTokens(app.app.services, 50);
    expect(await stored(fixture)).toMatchObject({ needsReconnect: false, isActive: true, sequence: 0 });
    expect(await health(fixture)).toMatchObject({ status: 'attention', needsReconnect: false });
    expect((await health(fixture)).issues.map(({ code }: { code: string }) => code)).toContain('refresh_failing');
    expect((await stored(fixture)).refreshAt!.getTime()).toBeGreaterThan(Date.now());
  });

  it('is cut off when the platform refuses to renew it, once, and the health says what to do', async () => {
    await control(platform, 'refresh-tokens/invalidate', refreshToken());
    await refreshExpiringTokens(app.app.services, 50);
    await refreshExpiringTokens(app.app.services, 50);
    expect(await stored(fixture)).toMatchObject({
      needsReconnect: true,
      isActive: false,
      sequence: 1,
      refreshAt: null,
    });
    expect(await health(fixture)).toMatchObject({
      status: 'broken',
      issues: [{ code: 'token_expired', action: expect.stringContaining(`accountId=${fixture.accountId}`) }],
    });
  });
});

// learn.microsoft.com, Programmatic Refresh Tokens: a renewal extends no refresh token, and the last access token ends with it.
it('the last token before the refresh token ends cannot renew itself, and its user gets notices', async () => {
  const fixture = await createUserFixture(app, { platform: 'professional' });
  const seconds = 47 * 86_400;
  await control('professional', 'refresh-tokens/end', fixture.connection.refreshToken, { seconds });
  await endSoon(fixture);
  await refreshExpiringTokens(app.app.services, 50);
  const last = await stored(fixture);
  expect(last).toMatchObject({ encryptedRefreshToken: null, refreshAt: null, needsReconnect: false });
  const { services } = app.app;
  const now = new Date(last.tokenExpiresAt!.getTime() - 13 * 86_400_000);
  expect(now.getTime() - Date.now()).toBeGreaterThan(33 * 86_400_000);
  expect(await health(fixture)).toMatchObject({ status: 'healthy', renewsItself: false });
  await publishExpiringTokens({ ...services, clock: { ...services.clock, now: () => now } });
  expect((await stored(fixture)).pendingEvents?.map(({ type }) => type)).toContain('account.token_expiring');
});

describe('tokens that can no longer be decrypted', () => {
  it('do not keep the others from being renewed', async () => {
    const encrypter = createEncrypter([`other:${randomBytes(32).toString('base64')}`]);
    const lost = await Promise.all(Array.from({ length: 11 }, () => createUserFixture(app, { platform: 'listing' })));
    await Promise.all(
      lost.map(async ({ accountId }) => {
        await endSoon({ accountId } as UserFixture, new Date(Date.now() - 60_000));
        await accounts().updateOne(
          { _id: accountId },
          { $set: { encryptedToken: encrypter.encrypt('gone', accountFields.encryptedToken(accountId)) } },
        );
      }),
    );
    const fixture = await createUserFixture(app, { platform: 'listing' });
    await endSoon(fixture);
    await refreshExpiringTokens(app.app.services, 50);
    expect((await stored(fixture)).tokenExpiresAt!.getTime() - Date.now()).toBeGreaterThan(3_000_000);
    for (const one of lost) expect((await stored(one)).refreshAt!.getTime()).toBeGreaterThan(Date.now());
  });
});

describe('pages', () => {
  it('keep their own token while that of the person is renewed', async () => {
    const fixture = await createUserFixture(app, { platform: 'listing' });
    const query = new URLSearchParams({ profileId: fixture.profileId, redirect_url: 'https://app.example/' });
    const { body } = await app.call('GET', `/v1/connect/social-network?${query}`, { key: fixture.key });
    const params = Object.fromEntries((await walk(body.authUrl)).url.searchParams);
    const asked = new URLSearchParams({ profileId: fixture.profileId, tempToken: params['tempToken']! });
    const path = '/v1/connect/social-network/select-page';
    const { pages } = (await app.call('GET', `${path}?${asked}`, { key: fixture.key })).body;
    const chosen = { ...Object.fromEntries(asked), pageId: pages[0].id, userProfile: { id: '1' } };
    const { account } = (await app.call('POST', path, { key: fixture.key, body: chosen })).body;
    const page = { ...fixture, accountId: account.accountId as string };
    const before = await stored(page);
    expect(before.refreshAt!.getTime()).toBeLessThan(before.tokenExpiresAt!.getTime() - 6 * 86_400_000);
    await endSoon(page);
    await refreshExpiringTokens(app.app.services, 50);
    const after = await stored(page);
    const { encrypter } = app.app.services;
    expect(tokenIn(encrypter, after, 'encryptedToken')).toBe(tokenIn(encrypter, before, 'encryptedToken'));
    expect(tokenIn(encrypter, after, 'encryptedAdsToken')).not.toBe(tokenIn(encrypter, before, 'encryptedAdsToken'));
    expect(tokenIn(encrypter, after, 'encryptedRefreshToken')).toBe(tokenIn(encrypter, after, 'encryptedAdsToken'));
    expect((await app.call('GET', `/v1/ads/accounts?accountId=${page.accountId}`, { key: fixture.key })).status).toBe(
      200,
    );
  });
});

describe('the time to renew', () => {
  const now = new Date('2027-01-01T00:00:00Z');
  const minutes = 60_000;
  it.each([
    ['an hour', 60 * minutes, 10 * minutes],
    ['two hours', 120 * minutes, 10 * minutes],
    ['thirty days', 30 * 1440 * minutes, 7 * 1440 * minutes],
    ['sixty days', 60 * 1440 * minutes, 7 * 1440 * minutes],
  ])('of a token that lives %s', (_what, life, lead) => {
    const end = new Date(now.getTime() + life);
    expect(refreshTime(end, now)).toEqual(new Date(end.getTime() - lead));
  });
});

describe('disconnecting', () => {
  let fixture: UserFixture;
  beforeEach(async () => {
    fixture = await createUserFixture(app, { platform: 'microblog' });
  });
  const disconnect = (key = fixture.key) => app.call('DELETE', `/v1/accounts/${fixture.accountId}`, { key });

  it('erases the tokens, removes the account and publishes that', async () => {
    expect(await disconnect()).toMatchObject({ status: 200, body: { success: true } });
    expect(await stored(fixture)).toMatchObject({
      isActive: false,
      encryptedToken: null,
      encryptedRefreshToken: null,
      encryptedAdsToken: null,
      encryptedAdsTokenSecret: null,
      sequence: 1,
    });
    const path = `/v1/accounts/${fixture.accountId}`;
    expect((await app.call('GET', path, { key: fixture.key })).status).toBe(404);
    expect((await app.call('GET', '/v1/accounts', { key: fixture.key })).body.accounts).toEqual([]);
    expect((await disconnect()).status).toBe(404);
    const graphql = await app.graphql(
      `mutation { disconnectAccount(accountId: "${fixture.accountId}") { success } }`,
      {},
      { key: fixture.key },
    );
    expect(graphql.body.errors[0].extensions.code).toBe('account_not_found');
  });

  it('lets the profile go', async () => {
    await disconnect();
    const gone = await app.call('DELETE', `/v1/profiles/${fixture.profileId}`, { key: fixture.key });
    expect(gone.status).toBe(200);
  });

  it('gives the tokens up at the platform, unless another user has the same person connected', async () => {
    const revoked = async (run: () => Promise<unknown>): Promise<number> => {
      await fetch(`${app.sandbox.url}/ledger`, { method: 'DELETE' });
      await run();
      const { entries } = (await (await fetch(`${app.sandbox.url}/ledger`)).json()) as { entries: { path: string }[] };
      return entries.filter(({ path }) => path.endsWith('/revoke')).length;
    };
    const { platformAccountId } = await stored(fixture);
    const other = await createUserFixture(app, { platform: 'microblog', connection: { platformAccountId } });
    expect(await revoked(() => disconnect())).toBe(0);
    const last = () => app.call('DELETE', `/v1/accounts/${other.accountId}`, { key: other.key });
    expect(await revoked(last)).toBeGreaterThan(0);
  });

  it('happens once of many at once', async () => {
    const answers = await Promise.all(Array.from({ length: 6 }, () => disconnect()));
    expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 404, 404, 404, 404, 404]);
    expect((await stored(fixture)).sequence).toBe(1);
  });

  it('404 and 403: of an account out of reach, and with a read-only key', async () => {
    const other = await createUserFixture(app);
    expect((await disconnect(other.key)).status).toBe(404);
    const { key } = await fixture.keyWith({ permission: 'read' });
    expect((await disconnect(key)).status).toBe(403);
    expect((await app.call('GET', `/v1/accounts/${fixture.accountId}/health`, { key })).status).toBe(200);
  });
});

describe('the health of an account', () => {
  it('says that a token which cannot renew itself ends soon', async () => {
    const fixture = await createUserFixture(app);
    const tokenExpiresAt = new Date(Date.now() + 3 * 86_400_000);
    await accounts().updateOne({ _id: fixture.accountId }, { $set: { tokenExpiresAt } });
    expect(await health(fixture)).toMatchObject({
      status: 'attention',
      renewsItself: false,
      tokenExpiresAt: tokenExpiresAt.toISOString(),
      issues: [{ code: 'token_expiring' }],
    });
  });

  it('is the same on the other API', async () => {
    const fixture = await createUserFixture(app);
    const query = `{ accountHealth(accountId: "${fixture.accountId}") { accountId platform status issues { code } scopes } }`;
    const { body } = await app.graphql(query, {}, { key: fixture.key });
    expect(body.data.accountHealth).toMatchObject({ platform: 'NETWORK_A', status: 'HEALTHY', issues: [] });
  });
});
