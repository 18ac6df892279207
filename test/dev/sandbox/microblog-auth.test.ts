import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startSandbox, type Sandbox } from '../../../src/dev/sandbox/index.ts';
import { createMicroblog } from '../../../src/dev/sandbox/microblog/index.ts';
import { baseString, sign } from '../../../src/dev/sandbox/microblog/signature.ts';
import { createState } from '../../../src/dev/sandbox/state.ts';
import {
  answerOf,
  caller,
  connect,
  control,
  failed,
  signed,
  type Answer,
  type Call,
  type Fields,
  type Person,
} from './microblog-client.ts';
import { received } from './microblog-request.ts';

let sandbox: Sandbox;
let person: Person;
let call: Call;

beforeAll(async () => {
  sandbox = await startSandbox();
  person = await connect(sandbox.url);
  call = caller(sandbox.url, person);
});
afterAll(() => sandbox.stop());

const unauthorized = failed(401, 'UNAUTHORIZED_ACCESS');

describe('signatures', () => {
  const url = 'https://api.x.com/1.1/statuses/update.json';
  const pairs = (): [string, string][] => [
    ['include_entities', 'true'],
    ['status', 'Hello Ladies + Gentlemen, a signed OAuth request!'],
    ['oauth_consumer_key', 'xvz1evFS4wEEPTGEFPHBog'],
    ['oauth_nonce', 'kYjzVBB8Y0ZFabxSWbWovY3uYSQ2pTgmZeNu2VS4cg'],
    ['oauth_signature_method', 'HMAC-SHA1'],
    ['oauth_timestamp', '1318622958'],
    ['oauth_token', '370773112-GmHxMAgYyLbNEtIKZeRNFsMKPR9EyMZeS9weJAEb'],
    ['oauth_version', '1.0'],
  ];
  const keys = ['kAcSOqF21Fu85e7zjz7ZN2U4ZRhfV3WpwPAoE3Z7kBw', 'LswwdoUaIvS8ltyTt5jkRh4J50vUPVVHtR2YPi5kE'] as const;

  it.each([
    [url, 'Ls93hJiZbQ3akF3HF3x1Bz8/zU4='],
    [url.replace('x.com', 'twitter.com'), 'hCtSmYh+iHYCEqBWrE7C7hYmtUk='],
  ])('match the published example for %s', (address, expected) => {
    expect(sign(baseString('POST', address, pairs()), ...keys)).toBe(expected);
  });

  it('cover the query, with commas, colons and letters beyond ASCII', async () => {
    const query = { q: "Zürich, 50 %: (it's) *new*!", account_ids: 'a,b' };
    expect(await call('GET', 'accounts', { query })).toMatchObject({ status: 200 });
  });

  it.each([
    ['another app key', { appKey: 'other' }],
    ['another app secret', { appSecret: 'other' }],
    ['another token secret', { tokenSecret: 'other' }],
    ['an unknown token', { token: 'other' }],
    ['a clock six minutes behind', { timestamp: Math.floor(Date.now() / 1000) - 360 }],
    ['a clock six minutes ahead', { timestamp: Math.floor(Date.now() / 1000) + 360 }],
    ['another method of signing', { header: { oauth_signature_method: 'PLAINTEXT' } }],
  ])('are refused with %s', async (_what, signing) => {
    expect(await call('GET', 'accounts', { signing })).toMatchObject(unauthorized);
  });

  it('are good once', async () => {
    const signing = { nonce: 'once-only' };
    expect((await call('GET', 'accounts', { signing })).status).toBe(200);
    expect(await call('GET', 'accounts', { signing })).toMatchObject(unauthorized);
  });

  it('are needed: neither nothing nor a bearer will do, nor one over other parameters', async () => {
    const address = `${sandbox.url}/microblog/12/accounts`;
    const bearer = { Authorization: `Bearer ${person.posting.accessToken}` };
    for (const headers of [{}, bearer])
      expect(await answerOf(await fetch(address, { headers }))).toMatchObject(unauthorized);
    const own = { token: person.accessToken, tokenSecret: person.accessTokenSecret };
    expect(await signed('GET', `${address}?count=5`, { signing: own })).toMatchObject(unauthorized);
  });

  it('end with their token, and come back with it', async () => {
    const other = await connect(sandbox.url);
    const ask = caller(sandbox.url, other);
    for (const action of ['expire', 'invalidate']) {
      await control(sandbox.url, `tokens/${action}`, { token: other.accessToken });
      expect(await ask('GET', 'accounts')).toMatchObject(unauthorized);
      await control(sandbox.url, 'tokens/restore', { token: other.accessToken });
      expect((await ask('GET', 'accounts')).status).toBe(200);
    }
  });
});

describe('access to the ads API', () => {
  it('is refused to an app without it', async () => {
    await control(sandbox.url, 'settings', { hasAdsAccess: false });
    expect(await call('GET', 'accounts')).toMatchObject(failed(403, 'UNAUTHORIZED_CLIENT_APPLICATION'));
    await control(sandbox.url, 'settings', { hasAdsAccess: true });
    expect((await call('GET', 'accounts')).status).toBe(200);
  });

  it('returns its version, and warns of the one before', async () => {
    const { headers } = await call('GET', 'accounts');
    expect([headers.get('x-current-api-version'), headers.get('x-api-warn')]).toEqual(['12', null]);
    const old = await caller(sandbox.url, person, '11')('GET', 'accounts');
    expect(old.headers.get('x-api-warn')).toContain('deprecated');
    const unknown = await caller(sandbox.url, person, '10')('GET', 'accounts');
    expect([unknown.status, unknown.headers.get('content-type')]).toEqual([404, 'text/html; charset=UTF-8']);
  });
});

describe('the three steps to a pair of tokens', () => {
  const at = (path: string): string => `${sandbox.url}/microblog/oauth/${path}`;
  const ask = (callback = 'https://shop.example/back?state=7'): Promise<Answer> =>
    signed('POST', at('request_token'), { signing: { header: { oauth_callback: callback } } });
  const first = async (): Promise<{ token: string; tokenSecret: string }> => {
    const pairs = Object.fromEntries(new URLSearchParams((await ask()).text));
    expect(pairs).toMatchObject({ oauth_callback_confirmed: 'true' });
    return { token: pairs['oauth_token'] ?? '', tokenSecret: pairs['oauth_token_secret'] ?? '' };
  };
  const last = (pair: { token: string; tokenSecret: string }, oauth_verifier: string): Promise<Answer> =>
    signed('POST', at('access_token'), { signing: pair, form: { oauth_verifier } });

  it('end with one that signs', async () => {
    const pair = await first();
    const agreed = await control(sandbox.url, 'verifiers', { requestToken: pair.token, personId: person.userId });
    expect(agreed.callback).toBe(
      `https://shop.example/back?state=7&oauth_token=${pair.token}&oauth_verifier=${agreed.verifier}`,
    );
    const answer = Object.fromEntries(new URLSearchParams((await last(pair, agreed.verifier)).text));
    expect(answer).toMatchObject({ user_id: person.userId, screen_name: person.username });
    const own = {
      ...person,
      accessToken: answer['oauth_token'] ?? '',
      accessTokenSecret: answer['oauth_token_secret'] ?? '',
    };
    expect((await caller(sandbox.url, own)('GET', 'accounts')).body.data).toHaveLength(2);
    expect(await last(pair, agreed.verifier)).toMatchObject({ status: 401, body: { errors: [{ code: 89 }] } });
  });

  it('refuse a wrong verifier, an unsigned start and a callback that is no address', async () => {
    const pair = await first();
    expect(await last(pair, '')).toMatchObject({ status: 401, body: { errors: [{ code: 89 }] } });
    await control(sandbox.url, 'verifiers', { requestToken: pair.token, name: 'New' });
    expect(await last(pair, 'wrong')).toMatchObject({ status: 401, body: { errors: [{ code: 89 }] } });
    const unsigned = await answerOf(await fetch(at('request_token'), { method: 'POST' }));
    expect(unsigned).toMatchObject({ status: 401, body: { errors: [{ code: 32 }] } });
    expect(await ask('nowhere')).toMatchObject({ status: 403, body: { errors: [{ code: 417 }] } });
  });

  it('go through the consent page, and back with a refusal too', async () => {
    const { token } = await first();
    const page = await fetch(`${at('authenticate')}?oauth_token=${token}`, { redirect: 'manual' });
    const consent = new URL(page.headers.get('location') ?? '');
    expect([page.status, consent.pathname]).toEqual([302, '/consent/microblog']);
    const back = new URL(consent.searchParams.get('redirect_uri') ?? '');
    back.searchParams.set('error', 'access_denied');
    const refused = await fetch(back, { redirect: 'manual' });
    expect(refused.headers.get('location')).toBe(`https://shop.example/back?state=7&denied=${token}`);
    expect((await fetch(`${at('authenticate')}?oauth_token=none`)).status).toBe(400);
  });

  it('leave no secret in the ledger', async () => {
    const { tokenSecret } = await first();
    expect(await (await fetch(`${sandbox.url}/ledger?platform=microblog`)).text()).not.toContain(tokenSecret);
  });
});

describe('tokens of the posting API', () => {
  const verifier = 'a'.repeat(50);
  const redirectUri = 'https://shop.example/back';
  const token = async (form: Fields, headers: Fields = {}): Promise<Answer> =>
    answerOf(
      await fetch(`${sandbox.url}/microblog/2/oauth2/token`, {
        method: 'POST',
        body: new URLSearchParams(form),
        headers,
      }),
    );
  const me = async (bearer: string): Promise<Answer> =>
    answerOf(await fetch(`${sandbox.url}/microblog/2/users/me`, { headers: { Authorization: `Bearer ${bearer}` } }));
  const refresh = (refresh_token: string): Promise<Answer> =>
    token({ grant_type: 'refresh_token', refresh_token, client_id: 'app' });
  const wrong = { status: 400, body: { error: 'invalid_request', error_description: expect.any(String) } };

  it('rotate: a refresh token works once and the answer brings the next', async () => {
    const answer = await refresh(person.posting.refreshToken);
    expect(answer).toMatchObject({ status: 200, body: { token_type: 'bearer', expires_in: 7200 } });
    expect((await me(answer.body.access_token)).body.data).toEqual({
      id: person.userId,
      name: 'Shop',
      username: person.username,
    });
    expect(await refresh(person.posting.refreshToken)).toMatchObject(wrong);
    await control(sandbox.url, 'refresh-tokens/invalidate', { token: answer.body.refresh_token });
    expect(await refresh(answer.body.refresh_token)).toMatchObject(wrong);
  });

  it('are refused without an app, with an unknown grant and where they ended', async () => {
    expect(await token({ grant_type: 'refresh_token' })).toMatchObject({
      status: 401,
      body: { error: 'unauthorized_client' },
    });
    expect(await token({ grant_type: 'password', client_id: 'app' })).toMatchObject(wrong);
    await control(sandbox.url, 'tokens/expire', { token: person.posting.accessToken });
    expect(await me(person.posting.accessToken)).toMatchObject({ status: 401, body: { title: 'Unauthorized' } });
  });

  it('come from a code that fits its app, address and challenge, once', async () => {
    const platform = createMicroblog(createState());
    const codeChallenge = createHash('sha256').update(verifier).digest('base64url');
    const consent = { clientId: 'app', redirectUri, codeChallenge, name: 'New' };
    const good = { grant_type: 'authorization_code', redirect_uri: redirectUri, code_verifier: verifier };
    const code = platform.grant?.(consent) ?? '';
    const basic = { authorization: `Basic ${Buffer.from('app:secret').toString('base64')}` };
    const ask = (form: Fields, headers: Fields = basic): unknown =>
      platform.answer(received('POST', '/2/oauth2/token', { form, headers }));
    for (const bad of [
      { ...good, code: 'other' },
      { ...good, code, redirect_uri: 'https://other.example/' },
      { ...good, code, code_verifier: 'b'.repeat(50) },
      { grant_type: good.grant_type, redirect_uri: redirectUri, code },
    ])
      expect(ask(bad)).toMatchObject(wrong);
    expect(ask({ ...good, code, client_id: 'other' }, {})).toMatchObject(wrong);
    expect(ask({ ...good, code })).toMatchObject({ status: 200, body: { refresh_token: expect.any(String) } });
    expect(ask({ ...good, code })).toMatchObject(wrong);
    expect(platform.people?.()).toEqual([{ id: expect.any(String), name: 'New' }]);
  });
});
