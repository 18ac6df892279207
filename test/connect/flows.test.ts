import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { TestApp } from '../support/app.ts';
import { personAt, press, startConnectApp, visit, walk } from '../support/consent.ts';
import { createUserFixture, type UserFixture } from '../support/user-fixture.ts';

let app: TestApp;
let fixture: UserFixture;
const back = 'https://app.example/done?from=here#top';

beforeAll(async () => {
  app = await startConnectApp();
  fixture = await createUserFixture(app);
});
afterAll(() => app.stop());

const start = (platform: string, more: Record<string, string> = {}, key = fixture.key) =>
  app.call('GET', `/v1/connect/${platform}?${new URLSearchParams({ profileId: fixture.profileId, ...more })}`, { key });
const begin = async (platform: string, more: Record<string, string> = {}): Promise<string> => {
  const { status, body } = await start(platform, { redirect_url: back, ...more });
  expect({ status, body }).toMatchObject({ status: 200 });
  return body.authUrl;
};
const account = async (id: string | null) =>
  (await app.call('GET', `/v1/accounts/${id}`, { key: fixture.key })).body.account;
const stored = (id: string | null) => app.app.services.db.accounts.findOne({ _id: id }).lean().orFail();

describe.each([
  ['search-display', true],
  ['pin-board', true],
  ['network-c', false],
  ['microblog', false],
  ['professional', true],
  ['listing', false],
])('connecting %s', (platform, adsConnected) => {
  it('goes from the first click to an account that can be used', async () => {
    const { url } = await walk(await begin(platform, { state: 'mine&more' }));
    expect(url.href).toMatch(/^https:\/\/app\.example\/done\?from=here&connected=/);
    expect(url.hash).toBe('#top');
    const params = url.searchParams;
    expect(Object.fromEntries(params)).toMatchObject({
      connected: platform,
      profileId: fixture.profileId,
      state: 'mine&more',
      username: expect.any(String),
    });
    expect(await account(params.get('accountId'))).toMatchObject({
      platform,
      isActive: true,
      needsReconnect: false,
      adsConnected,
    });
  });

  it('keeps the id when the same person connects again', async () => {
    const person = await personAt(app, platform, 'Grace');
    const first = (await walk(await begin(platform), person)).url.searchParams.get('accountId');
    const second = (await walk(await begin(platform), person)).url.searchParams.get('accountId');
    expect(first).toMatch(/^[0-9a-f]{24}$/);
    expect(second).toBe(first);
    expect((await stored(first)).sequence).toBe(2);
  });

  it('says on the way back that the person refused', async () => {
    const { url } = await walk(await begin(platform, { state: 's' }), { decision: 'refuse' });
    expect(Object.fromEntries(url.searchParams)).toMatchObject({ error: 'access_denied', state: 's' });
    expect(url.searchParams.get('error_description')).toBeTruthy();
  });
});

describe('the state', () => {
  it('is the caller own one, or one that was made', async () => {
    expect((await start('listing', { state: 'mine' })).body.state).toBe('mine');
    const { body } = await start('listing');
    expect(body.state).toBe(new URL(body.authUrl).searchParams.get('state'));
  });

  it('redirects a repeated callback to the same address, and connects nothing again', async () => {
    const returned = await press(await begin('listing'));
    const [first, parallel] = await Promise.all([visit(returned), visit(returned)]);
    expect(first.url.searchParams.get('connected')).toBe('listing');
    expect(parallel.url.href).toBe(first.url.href);
    expect((await visit(returned)).url.href).toBe(first.url.href);
    expect((await stored(first.url.searchParams.get('accountId'))).sequence).toBe(1);
  });

  it('issues no new tokens for a repeated callback', async () => {
    const returned = await press(await begin('social-network'));
    const first = await visit(returned);
    expect(first.url.searchParams.get('tempToken')).toMatch(/^tt_/);
    const count = (): Promise<number> => app.app.services.db.connectGrants.countDocuments();
    const before = await count();
    expect((await visit(returned)).url.href).toBe(first.url.href);
    expect(await count()).toBe(before);
    const kept = JSON.stringify(await app.app.services.db.connectStates.find().lean());
    expect(kept).not.toContain(first.url.searchParams.get('tempToken'));
  });

  it('is valid for one callback: another code is rejected', async () => {
    const returned = await press(await begin('listing'));
    expect((await visit(returned)).url.searchParams.get('connected')).toBe('listing');
    const again = await visit(returned.replace(/code=[^&]+/, 'code=another'));
    expect(again.status).toBe(400);
    expect(again.text).toContain('invalid_state');
  });

  it('expires after ten minutes, whatever the outcome', async () => {
    const returned = await press(await begin('listing'));
    await visit(returned);
    await app.app.services.db.connectStates.updateMany({}, { $set: { expiresAt: new Date() } });
    expect((await visit(returned)).status).toBe(400);
  });

  it('counts for its platform only', async () => {
    const returned = await press(await begin('listing'));
    const other = await visit(returned.replace('/connect/listing/', '/connect/pin-board/'));
    expect(other).toMatchObject({ status: 400 });
  });

  it('is not believed when it was never given out', async () => {
    expect(await visit(`${app.url}/v1/connect/listing/callback?code=1&state=forged`)).toMatchObject({ status: 400 });
    expect(await visit(`${app.url}/v1/connect/listing/callback`)).toMatchObject({ status: 400 });
    expect(await visit(`${app.url}/v1/connect/nowhere/callback?state=a`)).toMatchObject({ status: 404 });
  });

  it('ends after ten minutes', async () => {
    const returned = await press(await begin('listing'));
    const now = new Date();
    await app.app.services.db.connectStates.updateMany({}, { $set: { expiresAt: now } });
    expect((await visit(returned)).status).toBe(400);
  });

  it('ends with the key that began', async () => {
    const { id, key } = await fixture.keyWith({});
    const { body } = await start('listing', { redirect_url: back }, key);
    const returned = await press(body.authUrl);
    await app.call('DELETE', `/v1/api-keys/${id}`, { key: fixture.key });
    expect((await visit(returned)).url.searchParams.get('error')).toBe('invalid_credentials');
  });
});

describe('an error that the platform sends instead of a code', () => {
  const callback = async (query: Record<string, string>): Promise<Record<string, string>> => {
    const state = new URL(await begin('listing', { state: 'mine' })).searchParams.get('state') ?? '';
    const { url } = await visit(`${app.url}/v1/connect/listing/callback?${new URLSearchParams({ ...query, state })}`);
    return Object.fromEntries(url.searchParams);
  };

  it.each([
    [{ error: 'access_denied', error_description: 'No thanks' }, 'access_denied', 'No thanks'],
    [{ error: 'user_cancelled_login', error_description: 'The user cancelled' }, 'access_denied', 'The user cancelled'],
    [{ error: 'access_denied', error_reason: 'user_denied' }, 'access_denied', 'user_denied'],
    [{ error: 'server_error' }, 'server_error', 'The platform rejected the connection without a reason'],
    [{ error: 'Something <b>odd</b>' }, 'platform_api_error', 'Something <b>odd</b>'],
    [
      { error_code: '1349187', error_message: 'Invalid Scopes: pages_manage_ads' },
      'platform_api_error',
      'Invalid Scopes: pages_manage_ads (1349187)',
    ],
    [{ error_reason: 'app_not_active' }, 'platform_api_error', 'app_not_active'],
    [{ 'errors[]': 'The app is in review' }, 'platform_api_error', 'The app is in review'],
    [{ 'errors[0][message]': 'One', 'errors[1][message]': 'Two' }, 'platform_api_error', 'One; Two'],
    [{ denied: 'request-token' }, 'access_denied', 'The person declined'],
  ])('reaches the address to go on to: %j', async (query, error, error_description) => {
    expect(await callback(query as Record<string, string>)).toMatchObject({ error, error_description, state: 'mine' });
  });

  it('is one line of at most 200 characters without control characters', async () => {
    const { error_description: said = '' } = await callback({
      error: 'invalid_scope',
      error_description: `a\r\nb\u0000\u202e\u0007 c${'\u{1f600}'.repeat(200)}`,
    });
    expect(said).toMatch(/^a b c/);
    expect(said.length).toBeLessThanOrEqual(200);
    expect(said).not.toMatch(/[\p{Cc}\p{Cs}\u202e]/u);
  });

  it('is escaped on the page that has no redirect_url', async () => {
    const state = new URL((await start('listing')).body.authUrl).searchParams.get('state') ?? '';
    const query = new URLSearchParams({ state, error: 'x', error_description: '<img src=x onerror=alert(1)>' });
    const { text, status } = await visit(`${app.url}/v1/connect/listing/callback?${query}`);
    expect(status).toBe(400);
    expect(text).toContain('&lt;img');
    expect(text).not.toContain('<img');
  });
});

describe('without an address to go on to', () => {
  it('answers the browser itself', async () => {
    const { body } = await start('listing');
    const { status, text } = await walk(body.authUrl, { name: 'A <b>' });
    expect(status).toBe(200);
    expect(text).toContain('A &lt;b&gt; is connected');
  });

  it('is the same for a repeated callback', async () => {
    const { body } = await start('listing');
    const returned = await press(body.authUrl, { name: 'Reloading' });
    const [first, second] = [await visit(returned), await visit(returned)];
    expect(first.text).toContain('Reloading is connected');
    expect(second).toEqual(first);
  });

  it('hands over what the next step takes', async () => {
    const { body } = await start('social-network');
    const { text } = await walk(body.authUrl);
    expect(text).toMatch(/tt_[0-9a-f]{64}/);
    expect(text).toMatch(/ct_[0-9a-f]{64}/);
  });
});

describe('an address to go on to', () => {
  it.each(['myapp://connected?x=1', 'com.example.app:/done', 'http://localhost:3000/'])(
    'may be %s',
    async (address) => {
      const { body } = await start('listing', { redirect_url: address });
      const returned = await press(body.authUrl);
      const response = await fetch(returned, { redirect: 'manual' });
      expect(response.headers.get('location')).toMatch(address);
    },
  );

  it.each([
    'javascript:alert(1)',
    'data:text/html,x',
    'file:///etc/passwd',
    '/done',
    'https://',
    'https://a:b@c.example',
    'my app://x',
    'VBScript:x',
  ])('400: %s is none', async (address) => {
    expect(await start('listing', { redirect_url: address })).toMatchObject({
      status: 400,
      body: { code: 'invalid_field_value', param: 'redirect_url' },
    });
  });
});

describe('a new account of a platform that fails', () => {
  const fault = (platform: string, path: string, name = 'http_500', times = 5) =>
    fetch(`${app.sandbox.url}/control/faults`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ platform, fault: name, match: { path }, times }),
    });

  it('is not there, and the way back says why', async () => {
    const before = await app.app.services.db.accounts.countDocuments({ userId: fixture.userId });
    await fault('pin-board', '/user_account');
    const { url } = await walk(await begin('pin-board', { state: 's' }));
    await fetch(`${app.sandbox.url}/control/faults`, { method: 'DELETE' });
    expect(Object.fromEntries(url.searchParams)).toMatchObject({ error: 'platform_api_error', state: 's' });
    expect(await app.app.services.db.accounts.countDocuments({ userId: fixture.userId })).toBe(before);
  });
});

describe('connecting one account again', () => {
  it('refuses another person', async () => {
    const person = await personAt(app, 'microblog', 'Linus');
    const id = (await walk(await begin('microblog'), person)).url.searchParams.get('accountId') ?? '';
    const same = await walk(await begin('microblog', { accountId: id }), person);
    expect(same.url.searchParams.get('accountId')).toBe(id);
    const other = await walk(await begin('microblog', { accountId: id }), { name: 'Another person' });
    expect(other.url.searchParams.get('error')).toBe('reconnect_account_mismatch');
  });

  it('409: is of the same platform and profile', async () => {
    expect(await start('listing', { accountId: fixture.accountId })).toMatchObject({
      status: 409,
      body: { code: 'reconnect_account_mismatch' },
    });
  });

  it('does not move an account to another profile', async () => {
    const person = await personAt(app, 'listing', 'Moving');
    await walk(await begin('listing'), person);
    const { body } = await app.call('POST', '/v1/profiles', { key: fixture.key, body: { name: 'Other' } });
    const { url } = await walk(await begin('listing', { profileId: body.profile._id }), person);
    expect(url.searchParams.get('error')).toBe('reconnect_account_mismatch');
  });
});

describe('an international redirect_url', () => {
  it.each([
    ['https://bücher.example/größe?ü=é#ñ', 'https://xn--bcher-kva.example/gr%C3%B6%C3%9Fe?%C3%BC=%C3%A9&', '#%C3%B1'],
    ['https://例え.テスト/完了#終', 'https://xn--r8jz45g.xn--zckzah/%E5%AE%8C%E4%BA%86?', '#%E7%B5%82'],
    ['https://💩.la/💩', 'https://xn--ls8h.la/%F0%9F%92%A9?', ''],
    ['myapp://zurück/ü', 'myapp://zur%C3%BCck/%C3%BC?', ''],
  ])('%s is left for in ASCII, however the flow ends', async (redirect_url, beginning, ending) => {
    for (const platform of ['listing', 'network-a']) {
      for (const decision of ['approve', 'refuse']) {
        const response = await fetch(await press(await begin(platform, { redirect_url }), { decision }), {
          redirect: 'manual',
        });
        const location = response.headers.get('location') ?? '';
        expect([response.status, location]).toEqual([302, expect.stringMatching(/^[\x21-\x7e]+$/)]);
        expect(location.startsWith(beginning)).toBe(true);
        expect(location.endsWith(ending)).toBe(true);
      }
    }
  });

  it.each([
    ['https://app.example/my page', 'contains white space at position 23; write %20'],
    ['https:/app.example', 'must have // and a host after the scheme, such as https://example.com'],
    ['https://me:secret@app.example/', 'must not contain credentials'],
    ['javascript:alert(1)', 'must be an http or https address or one of an app of yours, such as myapp://connected'],
  ])('400: %s is refused by both APIs, saying why', async (redirect_url, problem) => {
    const rest = await start('listing', { redirect_url });
    expect([rest.status, rest.body.details?.fields]).toEqual([
      400,
      { redirect_url: [expect.stringContaining(problem)] },
    ]);
    const query = 'mutation ($input: StartConnectInput!) { startConnect(input: $input) { authUrl } }';
    const input = { platform: 'LISTING', profileId: fixture.profileId, redirect_url };
    const graphql = (await app.graphql(query, { input }, { key: fixture.key })).body.errors[0];
    expect(Object.values(graphql.extensions.details.fields)).toEqual([[problem]]);
  });
});
