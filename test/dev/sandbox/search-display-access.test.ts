import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startSandbox, type Sandbox } from '../../../src/dev/sandbox/index.ts';
import { createSearchDisplay } from '../../../src/dev/sandbox/search-display/index.ts';
import { createState } from '../../../src/dev/sandbox/state.ts';
import { caller, codesOf, connect, control, token, type Call, type Connection } from './search-ads.ts';

let sandbox: Sandbox;
let person: Connection;
let cid: string;
let yen: string;
let managed: string;

beforeAll(async () => {
  sandbox = await startSandbox();
  person = await connect(sandbox.url);
  [cid = '', yen = '', managed = ''] = person.adAccounts.map(({ id }) => id);
});
afterAll(() => sandbox.stop());

const call: Call = (...args) => caller(sandbox.url, person.accessToken)(...args);

describe('access', () => {
  it('lists what needs no manager, and takes the manager as a header for the rest', async () => {
    const { body } = await call('customers:listAccessibleCustomers');
    expect(body.resourceNames).toEqual([cid, yen, person.managerId].map((id) => `customers/${id}`));
    const path = `customers/${managed}/googleAds:search`;
    const query = { query: 'SELECT customer.id, customer.currency_code FROM customer' };
    const direct = await call(path, { body: query });
    expect([direct.status, codesOf(direct)]).toEqual([403, ['authorizationError.USER_PERMISSION_DENIED']]);
    const through = await call(path, { body: query, headers: { 'login-customer-id': person.managerId ?? '' } });
    expect(through.body.results[0].customer).toMatchObject({ id: managed, currencyCode: 'EUR' });
    const odd = await call(path, { body: query, headers: { 'login-customer-id': cid } });
    expect(codesOf(odd)).toEqual(['authorizationError.INVALID_LOGIN_CUSTOMER_ID_SERVING_CUSTOMER_ID_COMBINATION']);
  });

  it('refuses a missing developer token, bad ids and other people', async () => {
    const query = { query: 'SELECT customer.id FROM customer' };
    const missing = await call('customers:listAccessibleCustomers', { headers: { 'developer-token': '' } });
    expect(codesOf(missing)).toEqual(['requestError.DEVELOPER_TOKEN_PARAMETER_MISSING']);
    expect(codesOf(await call('customers/12-3/googleAds:search', { body: query }))).toEqual([
      'requestError.INVALID_CUSTOMER_ID',
    ]);
    expect(codesOf(await call('customers/1234567890/googleAds:search', { body: query }))).toEqual([
      'authenticationError.CUSTOMER_NOT_FOUND',
    ]);
    const other = await connect(sandbox.url, ['USD']);
    const theirs = await call(`customers/${other.adAccounts[0]?.id}/googleAds:search`, { body: query });
    expect([theirs.status, codesOf(theirs)]).toEqual([403, ['authorizationError.USER_PERMISSION_DENIED']]);
  });

  it('refuses versions that have ended, and knows none to come', async () => {
    for (const version of ['v23', 'v24', 'v25', 'v26']) {
      expect((await call('customers:listAccessibleCustomers', { version })).status).toBe(200);
    }
    const old = await call('customers:listAccessibleCustomers', { version: 'v22' });
    expect([old.status, codesOf(old)]).toEqual([400, ['requestError.UNSUPPORTED_VERSION']]);
    expect((await call('customers:listAccessibleCustomers', { version: 'v27' })).status).toBe(404);
  });

  it('names the request in a header, and the version in the type of a failure', async () => {
    const { headers, body, status } = await call('customers:listAccessibleCustomers', { token: null, version: 'v24' });
    expect(status).toBe(401);
    expect(headers.get('request-id')).toBe(body.error.details[0].requestId);
    expect(body.error).toMatchObject({ code: 401, status: 'UNAUTHENTICATED' });
    expect(body.error.details[0]['@type']).toBe('type.googleapis.com/google.ads.googleads.v24.errors.GoogleAdsFailure');
  });
});

describe('tokens', () => {
  const client = { client_id: 'app', client_secret: 'secret' };

  it('expire, are revoked and are renewed', async () => {
    const own = await connect(sandbox.url, ['USD']);
    for (const [action, code] of [
      ['expire', 'OAUTH_TOKEN_EXPIRED'],
      ['invalidate', 'OAUTH_TOKEN_REVOKED'],
    ]) {
      await control(sandbox.url, `tokens/${action}`, { token: own.accessToken });
      const refused = await call('customers:listAccessibleCustomers', { token: own.accessToken });
      expect([refused.status, codesOf(refused)]).toEqual([401, [`authenticationError.${code}`]]);
    }
    const renewed = await token(sandbox.url, {
      ...client,
      grant_type: 'refresh_token',
      refresh_token: own.refreshToken,
    });
    expect(renewed.body).toMatchObject({
      expires_in: 3599,
      token_type: 'Bearer',
      scope: expect.stringContaining('adwords'),
    });
    expect((await call('customers:listAccessibleCustomers', { token: renewed.body.access_token })).status).toBe(200);
    await control(sandbox.url, 'refresh-tokens/invalidate', { token: own.refreshToken });
    const dead = await token(sandbox.url, { ...client, grant_type: 'refresh_token', refresh_token: own.refreshToken });
    expect([dead.status, dead.body.error]).toEqual([400, 'invalid_grant']);
  });

  it('come once for a code, with its own redirect and verifier', async () => {
    const platform = createSearchDisplay(createState());
    const codeChallenge = createHash('sha256').update('verifier').digest('base64url');
    const grant = (): string =>
      platform.grant?.({ clientId: 'app', redirectUri: 'https://app.example/cb', codeChallenge, name: 'Ann' }) ?? '';
    const exchange = async (extra: Record<string, string>): Promise<unknown> => {
      const form = { ...client, grant_type: 'authorization_code', redirect_uri: 'https://app.example/cb', ...extra };
      const request = {
        method: 'POST',
        path: '/token',
        query: {},
        rawQuery: '',
        body: {},
        form,
        bytes: Buffer.alloc(0),
        headers: {},
        url: '',
        token: undefined,
      };
      return (await platform.answer(request)).body;
    };
    const code = grant();
    expect(await exchange({ code })).toMatchObject({ error: 'invalid_grant' });
    expect(await exchange({ code, code_verifier: 'other' })).toMatchObject({ error: 'invalid_grant' });
    expect(await exchange({ code, code_verifier: 'verifier', redirect_uri: 'https://evil.example/' })).toMatchObject({
      error: 'redirect_uri_mismatch',
    });
    expect(await exchange({ code, code_verifier: 'verifier' })).toMatchObject({
      refresh_token: expect.stringMatching(/^1\/\/0/),
    });
    expect(await exchange({ code, code_verifier: 'verifier' })).toMatchObject({ error: 'invalid_grant' });
    expect(platform.people?.()).toMatchObject([{ name: 'Ann' }]);
  });
});
