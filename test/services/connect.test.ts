import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { randomBytes } from 'node:crypto';
import { RedirectUrl } from '../../src/contract/connect.ts';
import { createEncrypter } from '../../src/lib/encryption.ts';
import type { Connector } from '../../src/platforms/connect.ts';
import { PlatformError } from '../../src/platforms/error.ts';
import { storeNewKey } from '../../src/services/api-keys/store-new-key.ts';
import { markTokenExpired } from '../../src/services/accounts/mark-token-expired.ts';
import { reencryptAll } from '../../src/services/encryption/re-encrypt-all.ts';
import { saveAccount, type Connection } from '../../src/services/accounts/save-account.ts';
import { accessFor } from '../../src/services/accounts/platform-access.ts';
import { authorOf } from '../../src/services/activity/author.ts';
import { connectAccount } from '../../src/services/connect/connect-account.ts';
import { handleCallback } from '../../src/services/connect/handle-callback.ts';
import { withParams } from '../../src/services/connect/with-params.ts';
import { selectSocialNetworkPage } from '../../src/services/connect/select-page.ts';
import { startConnect } from '../../src/services/connect/start-connect.ts';
import type { Ctx } from '../../src/services/context.ts';
import { newId } from '../../src/lib/id.ts';
import { tokenIn } from '../support/encrypted.ts';
import { makeCtx, makeServices, type TestServices } from '../support/services.ts';

let services: TestServices;
let ctx: Ctx;
let profileId: string;

const choice = {
  platformAccountId: 'page-1',
  username: 'shop',
  displayName: 'Shop',
  pageId: 'page-1',
  pageName: 'Shop',
};
const connector = (change: Partial<Connector> = {}): Connector => ({
  scopes: { asked: [], needs: {} },
  isReady: true,
  usesChallenge: true,
  authorizeUrl: ({ state, codeChallenge }) => `https://platform.example/?state=${state}&challenge=${codeChallenge}`,
  exchange: async () => ({ token: 'person-token', refreshToken: 'person-token', expiresIn: 5_184_000 }),
  prolong: async (token) => ({ token: `long-${token}`, refreshToken: `long-${token}`, expiresIn: 5_184_000 }),
  identify: async () => ({ platformAccountId: 'person-1', username: 'ada', displayName: 'Ada' }),
  choices: async () => ({ offered: [{ ...choice, token: 'page-token' }], refused: [] }),
  ...change,
});

beforeAll(async () => {
  services = await makeServices();
});
afterAll(() => services.stop());
beforeEach(async () => {
  const made = await makeCtx({ ...services, connectors: { 'network-a': connector() } });
  const { doc } = await storeNewKey(services, newId(), {
    userId: made.caller.userId,
    name: 'k',
    scope: 'full',
    profileIds: [],
    permission: 'read-write',
    expiresAt: null,
  });
  ctx = { ...made, caller: { ...made.caller, keyId: doc._id } };
  profileId = (await services.db.profiles.findOne({ userId: ctx.caller.userId }).lean().orFail())._id;
});

/** The same store, in which accounts can be read but not written. */
const withoutWrites = (): Ctx => {
  const accounts = Object.create(services.db.accounts) as typeof services.db.accounts;
  accounts.create = (() => Promise.reject(new Error('the store is gone'))) as never;
  return { ...ctx, db: { ...services.db, accounts } };
};
const handle = async (): Promise<string> => {
  const { authUrl } = await startConnect(ctx, { platform: 'social-network', profileId, redirect_url: 'app://done' });
  const state = new URL(authUrl).searchParams.get('state') ?? '';
  const { redirect } = await handleCallback(ctx, 'network-a', { state, code: 'c' });
  return new URL(redirect ?? '').searchParams.get('tempToken') ?? '';
};
const selection = (tempToken: string) => ({ profileId, pageId: 'page-1', tempToken, userProfile: { id: 'person-1' } });

describe('a selection that cannot be saved', () => {
  it('is a 500 that leaves nothing behind and the handle good', async () => {
    const tempToken = await handle();
    const failing = selectSocialNetworkPage(withoutWrites(), selection(tempToken));
    await expect(failing).rejects.toMatchObject({ code: 'connection_failed', status: 500 });
    await expect(failing).rejects.not.toThrow(/store is gone/);
    expect(await services.db.accounts.countDocuments({ userId: ctx.caller.userId })).toBe(0);
    const { account } = await selectSocialNetworkPage(ctx, selection(tempToken));
    expect(account).toMatchObject({ platform: 'network-a', selectedPageName: 'Shop' });
  });

  it('does not take the token of the person where the platform gave none for the page', async () => {
    const bare = connector({ choices: async () => ({ offered: [choice], refused: [] }) });
    const asked = selectSocialNetworkPage({ ...ctx, connectors: { 'network-a': bare } }, selection('raw'));
    await expect(asked).rejects.toMatchObject({ code: 'page_not_available' });
    expect(await services.db.accounts.countDocuments({ userId: ctx.caller.userId })).toBe(0);
  });
});

describe('the secrets of a flow', () => {
  it('are stored only hashed or encrypted', async () => {
    const { authUrl } = await startConnect(ctx, { platform: 'network-a', profileId, redirect_url: 'app://done' });
    const state = new URL(authUrl).searchParams.get('state') ?? '';
    expect(JSON.stringify(await services.db.connectStates.find().lean())).not.toContain(state);
    const { params } = await handleCallback(ctx, 'network-a', { state, code: 'c' });
    const kept = JSON.stringify(await services.db.connectGrants.find().lean());
    for (const secret of [params['tempToken'], params['connect_token'], 'person-token']) {
      expect(kept).not.toContain(secret);
    }
  });

  it('prove to the platform that the one who came back is the one who asked', async () => {
    let given: string | undefined;
    const proving = connector({
      exchange: async ({ codeVerifier }) => {
        given = codeVerifier;
        return { token: 't' };
      },
    });
    const asking = { ...ctx, connectors: { 'network-a': proving } };
    const { authUrl } = await startConnect(asking, { platform: 'network-a', profileId });
    const { state = '', challenge } = Object.fromEntries(new URL(authUrl).searchParams);
    await handleCallback(asking, 'network-a', { state, code: 'c' });
    const { createHash } = await import('node:crypto');
    expect(
      createHash('sha256')
        .update(given ?? '')
        .digest('base64url'),
    ).toBe(challenge);
  });
});

describe('a platform that fails in the middle', () => {
  it.each([
    ['rejected', 'platform_api_error'],
    ['unavailable', 'platform_api_error'],
    ['rate_limited', 'rate_limited'],
  ] as const)('says %s on the way back', async (fault, code) => {
    const failing = connector({
      exchange: () => Promise.reject(new PlatformError('A', fault, 'No')),
    });
    const asking = { ...ctx, connectors: { 'network-a': failing } };
    const { authUrl } = await startConnect(asking, { platform: 'network-a', profileId, redirect_url: 'app://done' });
    const state = new URL(authUrl).searchParams.get('state') ?? '';
    const { redirect, problem } = await handleCallback(asking, 'network-a', { state, code: 'c' });
    expect(problem?.code).toBe(code);
    expect(redirect).toContain(`error=${code}&error_description=No`);
  });
});

describe('connecting', () => {
  const connection = (change: Partial<Connection> = {}): Connection => ({
    userId: ctx.caller.userId,
    profileId,
    platform: 'network-a',
    platformAccountId: 'page-9',
    username: 'shop',
    displayName: 'Shop',
    token: 't1',
    ...change,
  });
  const connect = (change?: Partial<Connection>, requested?: string) =>
    connectAccount(ctx, connection(change), { author: authorOf(ctx), requested });

  it('publishes each time, numbered, in the same write', async () => {
    const saved = await Promise.all(Array.from({ length: 5 }, () => connect()));
    expect(new Set(saved.map(({ _id }) => _id)).size).toBe(1);
    const { pendingEvents = [], sequence } = await services.db.accounts.findOne({ _id: saved[0]!._id }).lean().orFail();
    const events = pendingEvents.filter(({ type }) => type === 'account.connected');
    const numbers = events.map(({ data }) => (data['account'] as { sequence: number }).sequence);
    expect(numbers).toEqual([1, 2, 3, 4, 5]);
    expect(sequence).toBe(5);
  });

  it('heals an account that was cut off', async () => {
    const account = await connect();
    const { _id } = account;
    await markTokenExpired(services, account);
    const again = await connect({ token: 't2' });
    expect(again).toMatchObject({ _id, needsReconnect: false, isActive: true, sequence: 3 });
  });

  it('refuses another account than the one that was meant', async () => {
    const { _id } = await connect();
    const other = connect({ platformAccountId: 'page-10' }, _id);
    await expect(other).rejects.toMatchObject({ code: 'reconnect_account_mismatch' });
    expect(await services.db.accounts.countDocuments({ platformAccountId: 'page-10' })).toBe(0);
  });
});

describe('new encryption keys', () => {
  const keys = ['old', 'new'].map((id) => `${id}:${randomBytes(32).toString('base64')}`);
  const [old, both] = [createEncrypter([keys[0]!]), createEncrypter([keys[1]!, keys[0]!])];
  const onlyNew = createEncrypter([keys[1]!]);
  const save = () =>
    saveAccount(
      { ...services, encrypter: old },
      {
        userId: newId(),
        profileId: newId(),
        platform: 'microblog',
        platformAccountId: newId(),
        username: 'a',
        displayName: 'A',
        token: 'token',
        refreshToken: 'refresh',
        adsToken: 'ads',
        adsTokenSecret: 'secret',
      },
    );
  const read = (_id: string) => services.db.accounts.findOne({ _id }).lean().orFail();

  it('re-encrypt values that are used', async () => {
    const account = await save();
    await accessFor({ ...services, encrypter: both }, account);
    const access = await accessFor({ ...services, encrypter: onlyNew }, await read(account._id));
    expect(access).toMatchObject({ token: 'ads', tokenSecret: 'secret' });
  });

  it('re-encrypt all values, once', async () => {
    const saved = await Promise.all(Array.from({ length: 5 }, save));
    const first = await reencryptAll({ ...services, encrypter: both });
    expect(first.reEncrypted).toBeGreaterThanOrEqual(5);
    const second = await reencryptAll({ ...services, encrypter: both });
    expect(second.reEncrypted).toBe(0);
    // Accounts of other tests are under a key of their own.
    expect(second.remaining.map(({ keyId }) => keyId)).not.toContain('old');
    for (const { _id } of saved) {
      const doc = await read(_id);
      const fields = ['encryptedToken', 'encryptedRefreshToken', 'encryptedAdsToken'] as const;
      const opened = fields.map((field) => tokenIn(onlyNew, doc, field));
      expect(opened).toEqual(['token', 'refresh', 'ads']);
    }
  });
});

describe('the address at the end', () => {
  it.each([
    ['https://a.example', 'https://a.example?x=1%262'],
    ['https://a.example/?q=a+b', 'https://a.example/?q=a+b&x=1%262'],
    ['https://a.example/p?', 'https://a.example/p?x=1%262'],
    ['app://p#f?g', 'app://p?x=1%262#f?g'],
    ['app://p?q=%20#f', 'app://p?q=%20&x=1%262#f'],
  ])('keeps all that is in %s', (address, expected) => {
    expect(withParams(address, { x: '1&2', y: undefined })).toBe(expected);
  });

  it.each([
    ['https://a.example/x', true],
    ['http://localhost:3000', true],
    ['com.example.app:/x', true],
    ['my-app://x', true],
    ['JavaScript:alert(1)', false],
    ['data:text/html,hi', false],
    ['view-source:https://a.example', false],
    ['https:a.example', false],
    ['https://a.example/\nx', false],
    ['https://user@a.example', false],
    ['//a.example', false],
    ['', false],
  ])('%j may be it: %s', (address, isGood) => {
    expect(RedirectUrl.safeParse(address).success).toBe(isGood);
  });
});
