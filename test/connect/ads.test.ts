import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { TestApp } from '../support/app.ts';
import { personAt, press, startConnectApp, visit, walk } from '../support/consent.ts';
import { createUserFixture, type UserFixture } from '../support/user-fixture.ts';

let app: TestApp;
let fixture: UserFixture;
const back = 'https://app.example/done';

beforeAll(async () => {
  app = await startConnectApp();
  fixture = await createUserFixture(app);
});
afterAll(() => app.stop());

const begin = (platform: string, what: Record<string, string>, key = fixture.key) =>
  app.call('GET', `/v1/connect/${platform}?${new URLSearchParams(what)}`, { key });
const beginAds = (platform: string, accountId: string, key = fixture.key) =>
  begin(`${platform}/ads`, { accountId, redirect_url: back, state: 's' }, key);

describe.each(['network-c', 'microblog'])('the ads of %s', (platform) => {
  let accountId: string;
  let person: Record<string, string>;

  beforeAll(async () => {
    person = await personAt(app, platform, 'Ads Shop');
    const { body } = await begin(platform, { profileId: fixture.profileId, redirect_url: back });
    accountId = (await walk(body.authUrl, person)).url.searchParams.get('accountId') ?? '';
  });
  const adAccounts = () => app.call('GET', `/v1/ads/accounts?accountId=${accountId}`, { key: fixture.key });

  it('422: are not there before they are connected', async () => {
    expect(await adAccounts()).toMatchObject({ status: 422, body: { code: 'ads_connection_required' } });
    const health = await app.call('GET', `/v1/accounts/${accountId}/health`, { key: fixture.key });
    expect(health.body).toMatchObject({ status: 'attention', issues: [{ code: 'ads_not_connected' }] });
  });

  it('cannot be connected by another user', async () => {
    const { body } = await beginAds(platform, accountId);
    const { url } = await walk(body.authUrl, { name: 'Mallory' });
    expect(Object.fromEntries(url.searchParams)).toMatchObject({ error: 'reconnect_account_mismatch', state: 's' });
    expect((await adAccounts()).status).toBe(422);
  });

  it('say when the person refused', async () => {
    const { body } = await beginAds(platform, accountId);
    const { url } = await walk(body.authUrl, { decision: 'refuse' });
    expect(url.searchParams.get('error')).toBe('access_denied');
  });

  it('are there once the same person agreed, and keep the account', async () => {
    const { body } = await beginAds(platform, accountId);
    const { url } = await walk(body.authUrl, person);
    expect(Object.fromEntries(url.searchParams)).toMatchObject({ connected: platform, accountId, state: 's' });
    const answer = await adAccounts();
    expect(answer.status).toBe(200);
    expect(answer.body.accounts.length).toBeGreaterThan(0);
    const health = await app.call('GET', `/v1/accounts/${accountId}/health`, { key: fixture.key });
    expect(health.body).toMatchObject({ status: 'healthy', issues: [], adsConnected: true });
  });

  it('stay when the posting connection is renewed', async () => {
    const { body } = await begin(platform, { profileId: fixture.profileId, redirect_url: back });
    const { url } = await walk(body.authUrl, person);
    expect(url.searchParams.get('accountId')).toBe(accountId);
    expect((await adAccounts()).status).toBe(200);
  });

  it('404: of an account that the key does not reach', async () => {
    const other = await createUserFixture(app);
    expect(await beginAds(platform, accountId, other.key)).toMatchObject({
      status: 404,
      body: { code: 'account_not_found' },
    });
  });
});

it('the answer to one request token does not serve another', async () => {
  const person = await personAt(app, 'microblog', 'Two');
  const { body } = await begin('microblog', { profileId: fixture.profileId, redirect_url: back });
  const accountId = (await walk(body.authUrl, person)).url.searchParams.get('accountId') ?? '';
  const [one, two] = [await beginAds('microblog', accountId), await beginAds('microblog', accountId)];
  const agreed = new URL(await press(one.body.authUrl, person));
  const response = await fetch(agreed, { redirect: 'manual' });
  const callback = new URL(response.headers.get('location') ?? '');
  const [{ state }] = [{ state: await stateOf(two.body.authUrl, person) }];
  callback.searchParams.set('state', state);
  expect((await visit(callback.href)).url.searchParams.get('error')).toBe('platform_api_error');
});

/** The state of a sign-in in progress: it stands in the address that the platform was given. */
async function stateOf(authUrl: string, person: Record<string, string>): Promise<string> {
  const response = await fetch(await press(authUrl, person), { redirect: 'manual' });
  return new URL(response.headers.get('location') ?? '').searchParams.get('state') ?? '';
}

it.each(['pin-board', 'social-network', 'listing'])('501: %s has no ads connection of its own', async (platform) => {
  const accountPlatform = platform === 'social-network' ? 'network-a' : platform;
  const own = await createUserFixture(app, { platform: accountPlatform as 'listing' });
  const answer = await beginAds(platform, own.accountId, own.key);
  expect(answer).toMatchObject({ status: 501, body: { code: 'unsupported_platform_operation' } });
  const graphql = await app.graphql(
    'mutation ($input: StartAdsConnectInput!) { startAdsConnect(input: $input) { authUrl } }',
    { input: { platform: platform.replaceAll('-', '_').toUpperCase(), accountId: own.accountId } },
    { key: own.key },
  );
  expect(graphql.body.errors[0].extensions.code).toBe('unsupported_platform_operation');
});

it('403: a read-only key begins nothing, on neither API', async () => {
  const { key } = await fixture.keyWith({ permission: 'read' });
  expect(await begin('listing', { profileId: fixture.profileId }, key)).toMatchObject({
    status: 403,
    body: { code: 'insufficient_permissions' },
  });
  const answer = await app.graphql(
    'mutation ($input: StartConnectInput!) { startConnect(input: $input) { authUrl state } }',
    { input: { platform: 'LISTING', profileId: fixture.profileId } },
    { key },
  );
  expect(answer.body.errors[0].extensions.code).toBe('insufficient_permissions');
});

it('501: a platform where this installation has no app', async () => {
  const bare = await startConnectApp({ LISTING_CLIENT_ID: '' });
  const own = await createUserFixture(bare);
  const answer = await bare.call('GET', `/v1/connect/listing?profileId=${own.profileId}`, { key: own.key });
  await bare.stop();
  expect(answer).toMatchObject({ status: 501, body: { code: 'unsupported_platform_operation' } });
});
