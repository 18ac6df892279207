import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { startSandbox, type Sandbox } from '../../../src/dev/sandbox/index.ts';

interface Connection {
  userId: string;
  accessToken: string;
  refreshToken: string;
  user: { id: string; username: string };
  organizations: { id: string }[];
  publicProfiles: { id: string; organization_id: string }[];
}

let sandbox: Sandbox;
let shop: Connection;

const control = async (path: string, body: object = {}) => {
  const url = `${sandbox.url}/control/ephemeral-messaging/${path}`;
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify(body),
  });
  return (await response.json()) as Connection;
};
const get = async (path: string, token: string | null = shop.accessToken, headers: Record<string, string> = {}) => {
  const response = await fetch(`${sandbox.url}/ephemeral-messaging/${path}`, {
    headers: { ...(token && { Authorization: `Bearer ${token}` }), ...headers },
  });
  const text = await response.text();
  // eslint-disable-next-line typescript/no-explicit-any -- answers are read freely
  return { status: response.status, text, body: (text ? JSON.parse(text) : undefined) as any };
};
const exchange = async (fields: Record<string, string>) => {
  const app = { client_id: 'sandbox-app', client_secret: 'sandbox-app-secret' };
  const response = await fetch(`${sandbox.url}/ephemeral-messaging/login/oauth2/access_token`, {
    method: 'POST',
    body: new URLSearchParams({ ...app, ...fields }),
  });
  return { status: response.status, body: (await response.json()) as Record<string, string> };
};
const refresh = (token: string) => exchange({ grant_type: 'refresh_token', refresh_token: token });
const error = (status: number): object => ({
  status,
  body: {
    request_status: 'ERROR',
    request_id: expect.any(String),
    error_code: expect.stringMatching(/^(?:E\d+|AUTHORIZATION_PERMISSION_DENIED)$/),
  },
});

beforeAll(async () => {
  sandbox = await startSandbox();
});
beforeEach(async () => {
  shop = await control('connections', { name: 'Shop' });
});
afterAll(() => sandbox.stop());

describe('profiles', () => {
  it('are three with one connection, over two organizations', async () => {
    expect(shop.publicProfiles).toHaveLength(3);
    expect(shop.user).toMatchObject({ id: shop.userId, username: expect.any(String) });
    const { body } = await get('adsapi/v1/me/organizations');
    const ids = body.organizations.map((entry: { organization: { id: string } }) => entry.organization.id);
    expect(ids).toEqual(shop.organizations.map(({ id }) => id));
  });

  it('count their subscribers in text', async () => {
    const { body } = await get('v1/public_profiles/my_profile');
    expect(body).toMatchObject({
      request_status: 'SUCCESS',
      public_profile: {
        id: shop.publicProfiles[0]?.id,
        display_name: 'Shop',
        subscriber_count: '1200',
        logo_urls: { original_logo_url: expect.stringMatching(/^https:/) },
      },
    });
  });

  it('of an organization come page by page', async () => {
    const path = `v1/organizations/${shop.organizations[0]?.id}/public_profiles`;
    const first = (await get(`${path}?limit=1`)).body;
    expect(first.public_profiles).toMatchObject([
      { sub_request_status: 'SUCCESS', public_profile: { id: shop.publicProfiles[0]?.id } },
    ]);
    expect(first.paging.next_link).toContain(`cursor=${first.paging.next_page_id}`);
    const second = (await get(`${path}?limit=1&cursor=${first.paging.next_page_id}`)).body;
    expect(second.public_profiles[0].public_profile.id).toBe(shop.publicProfiles[1]?.id);
    expect(second.paging.next_page_id).toBeUndefined();
    expect(await get(`${path}?limit=0`)).toMatchObject(error(400));
    expect(await get(`${path}?cursor=nonsense`)).toMatchObject(error(400));
  });

  it('come one by one in the form of a list', async () => {
    const id = shop.publicProfiles[2]?.id;
    expect((await get(`v1/public_profiles/${id}`)).body.public_profiles[0].public_profile.id).toBe(id);
    expect(await get('v1/public_profiles/1')).toMatchObject(error(404));
    const other = await control('connections', { name: 'Other' });
    expect(await get(`v1/public_profiles/${other.publicProfiles[0]?.id}`)).toMatchObject(error(403));
    expect(await get(`v1/organizations/${other.organizations[0]?.id}/public_profiles`)).toMatchObject(error(403));
  });

  it('that cannot be read make a list partial under status 200', async () => {
    await control('profiles/fail', { id: shop.publicProfiles[0]?.id, reason: 'Not available' });
    const { status, body } = await get(`v1/organizations/${shop.organizations[0]?.id}/public_profiles`);
    expect([status, body.request_status]).toEqual([200, 'PARTIAL']);
    expect(body.public_profiles).toMatchObject([
      { sub_request_status: 'ERROR', sub_request_error_reason: 'Not available' },
      { sub_request_status: 'SUCCESS' },
    ]);
  });
});

describe('access', () => {
  it('of a client that is not on the list ends in an empty 403', async () => {
    await control('allow-list', { allowed: false });
    expect(await get('v1/public_profiles/my_profile')).toMatchObject({ status: 403, text: '' });
    expect(await get('adsapi/v1/me/organizations')).toMatchObject({ status: 403, text: '' });
    await control('allow-list', { allowed: true });
    expect((await get('v1/public_profiles/my_profile')).status).toBe(200);
  });

  it('needs a token that counts, in the header', async () => {
    expect(await get('v1/public_profiles/my_profile', null)).toMatchObject(error(401));
    expect(await get('v1/public_profiles/my_profile', 'nonsense')).toMatchObject(error(401));
    expect(await get(`v1/public_profiles/my_profile?access_token=${shop.accessToken}`, null)).toMatchObject(error(401));
    await control('tokens/expire', { token: shop.accessToken });
    expect(await get('v1/public_profiles/my_profile')).toMatchObject(error(401));
  });

  it.each([
    ['rate_limited', 429],
    ['http_500', 500],
    ['token_expired', 401],
  ])('%s answers %i in the envelope', async (fault, status) => {
    expect(await get('v1/public_profiles/my_profile', shop.accessToken, { 'X-Sandbox-Fault': fault })).toMatchObject(
      error(status),
    );
  });
});

describe('tokens', () => {
  it('are renewed with a new refresh token, after which the old one is dead', async () => {
    const { body } = await refresh(shop.refreshToken);
    expect(body).toMatchObject({ token_type: 'Bearer', expires_in: 3600 });
    expect((await get('v1/public_profiles/my_profile', body['access_token'])).status).toBe(200);
    expect(await refresh(shop.refreshToken)).toMatchObject({ status: 400, body: { error: 'invalid_grant' } });
    expect((await refresh(body['refresh_token'] ?? '')).status).toBe(200);
  });

  it('keep the refresh token where rotation is off', async () => {
    await control('rotation', { on: false });
    expect((await refresh(shop.refreshToken)).body['refresh_token']).toBe(shop.refreshToken);
    await control('rotation', { on: true });
  });

  it('refuse dead refresh tokens, strange codes and strange applications', async () => {
    await control('refresh-tokens/invalidate', { token: shop.refreshToken });
    expect(await refresh(shop.refreshToken)).toMatchObject({ status: 400, body: { error: 'invalid_grant' } });
    const code = { grant_type: 'authorization_code', code: 'guessed', redirect_uri: 'https://a.example/' };
    expect(await exchange(code)).toMatchObject({ status: 400, body: { error: 'invalid_grant' } });
    expect(await exchange({ ...code, client_secret: 'guessed' })).toMatchObject({
      status: 401,
      body: { error: 'invalid_client' },
    });
  });
});
