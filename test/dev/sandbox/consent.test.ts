import { Hono } from 'hono';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { challengeOf } from '../../../src/dev/sandbox/oauth/codes.ts';
import { consentPages } from '../../../src/dev/sandbox/oauth/consent.ts';
import { startSandbox, type Sandbox } from '../../../src/dev/sandbox/index.ts';

type Params = Record<string, string>;

let sandbox: Sandbox;
const redirectUri = 'https://app.example/back?from=here';
const usual = { client_id: 'sandbox-app', redirect_uri: redirectUri, state: 'st&te', response_type: 'code' };
const app = { client_id: 'sandbox-app', client_secret: 'sandbox-app-secret' };

const look = (platform: string, params: Params) =>
  fetch(`${sandbox.url}/consent/${platform}?${new URLSearchParams(params)}`, { redirect: 'manual' });
/** What the page's form sends when one of its buttons is pressed. */
async function press(platform: string, params: Params, answers: Params): Promise<URL> {
  const text = await (await look(platform, params)).text();
  const hidden = [...text.matchAll(/type="hidden" name="([^"]+)" value="([^"]*)"/g)].map(([, name, value]) => [
    name,
    value?.replaceAll('&amp;', '&'),
  ]);
  const action = /action="([^"]+)"/.exec(text)?.[1];
  const body = new URLSearchParams({ ...(Object.fromEntries(hidden) as Params), ...answers });
  const response = await fetch(`${sandbox.url}${action}`, { method: 'POST', body, redirect: 'manual' });
  expect(response.status).toBe(303);
  return new URL(response.headers.get('location') ?? '');
}
const approve = async (platform: string, more: Params = {}, answers: Params = {}): Promise<string> => {
  const chosen = { decision: 'approve', person: 'new', name: 'Ada', ...answers };
  const back = await press(platform, { ...usual, ...more }, chosen);
  return back.searchParams.get('code') ?? '';
};
async function exchange(path: string, fields: Params): Promise<{ status: number; body: Record<string, unknown> }> {
  const response = await fetch(`${sandbox.url}/${path}`, { method: 'POST', body: new URLSearchParams(fields) });
  return { status: response.status, body: (await response.json()) as Record<string, unknown> };
}
const tokenPaths: [string, string][] = [
  ['listing', 'listing/token'],
  ['ephemeral-messaging', 'ephemeral-messaging/login/oauth2/access_token'],
];

beforeAll(async () => {
  sandbox = await startSandbox();
});
afterAll(() => sandbox.stop());

describe('the page', () => {
  const connections = async (...names: string[]): Promise<void> => {
    for (const name of names)
      await fetch(`${sandbox.url}/control/listing/connections`, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json' },
        body: JSON.stringify({ name }),
      });
  };
  /** The people that the page lists, in order, with a star if chosen. */
  const listed = async (params: Params): Promise<string[]> => {
    const text = await (await look('listing', { ...usual, ...params })).text();
    const radios = [...text.matchAll(/name="person" value="([^"]+)" (checked)?[^>]*\/>\s*<span\s*>([^<]*)/g)];
    return radios.map(([, , isChosen, name = '']) => `${name.trim()}${isChosen ? '*' : ''}`);
  };

  it('lists the people whom the login hint names first and selected, and ignores an unknown hint', async () => {
    await connections('Edith', 'Barbara');
    const usually = await listed({});
    expect(usually).toEqual(expect.arrayContaining(['Edith', 'Barbara', 'Someone new:*']));
    const hinted = await listed({ login_hint: 'Barbara' });
    expect([hinted[0], hinted.at(-1)]).toEqual(['Barbara*', 'Someone new:']);
    expect(hinted.toSorted()).toEqual(
      usually.map((one) => ({ Barbara: 'Barbara*', 'Someone new:*': 'Someone new:' })[one] ?? one).toSorted(),
    );
    expect(await listed({ login_hint: 'Unknown' })).toEqual(usually);
  });

  it('shows the id of each person, which distinguishes two of the same name', async () => {
    await connections('Twin', 'Twin');
    const text = await (await look('listing', usual)).text();
    const twins = [...text.matchAll(/value="([^"]+)"[^>]*\/>\s*<span\s*>Twin <span class="quiet">([^<]*)</g)];
    expect(twins).toHaveLength(2);
    expect(new Set(twins.map(([, id]) => id)).size).toBe(2);
    for (const [, id = '', shown] of twins) expect(shown).toContain(id);
  });

  it('lists fifty people at most', async () => {
    await connections(...Array.from({ length: 55 }, (_, at) => `Person ${at}`));
    expect(await listed({})).toHaveLength(50 + 1);
    expect((await listed({ login_hint: 'Person 54' }))[0]).toBe('Person 54*');
  });

  it('says who asks and for what, and lets one choose who one is', async () => {
    await fetch(`${sandbox.url}/control/listing/connections`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: '{"name":"Grace <i>"}',
    });
    const response = await look('listing', { ...usual, scope: 'business.manage,openid profile' });
    const text = await response.text();
    expect(response.status).toBe(200);
    expect(response.headers.get('content-security-policy')).toContain("frame-ancestors 'none'");
    for (const part of [
      'Your social publishing service',
      'business.manage',
      'openid',
      'Grace &lt;i&gt;',
      'Approve',
      'Refuse',
    ])
      expect(text).toContain(part);
    expect(text).not.toContain('<script');
  });

  it('escapes what it was given', async () => {
    const text = await (await look('listing', { ...usual, state: '"><b>', scope: '<script>' })).text();
    expect(text).toContain('&lt;script&gt;');
    expect(text).not.toContain('"><b>');
  });

  it.each([
    ['a strange application', { client_id: 'stranger' }],
    ['no application', { client_id: '' }],
    ['no way back', { redirect_uri: '' }],
    ['a way back without a host', { redirect_uri: '/back' }],
    ['a way back into a script', { redirect_uri: 'javascript:alert(1)' }],
  ])('400: %s ends there, in words', async (_what, change) => {
    const response = await look('listing', { ...usual, ...change });
    expect(response.status).toBe(400);
    expect(response.headers.get('content-type')).toContain('text/html');
    expect(await response.text()).toContain('Nothing was granted');
  });

  it('404: there is none of a platform that is not here', async () => {
    expect((await look('nowhere', usual)).status).toBe(404);
  });

  it.each([
    [{ response_type: 'token' }, 'unsupported_response_type'],
    [{ code_challenge: 'x', code_challenge_method: 'S1' }, 'invalid_request'],
  ])('sends %j back as %s', async (change, error) => {
    const response = await look('listing', { ...usual, ...change });
    const back = new URL(response.headers.get('location') ?? '');
    expect([back.searchParams.get('error'), back.searchParams.get('state')]).toEqual([error, 'st&te']);
  });
});

describe('an answer', () => {
  it('goes back with the code and the state, beside what the address had', async () => {
    const back = await press('listing', usual, { decision: 'approve', person: 'new', name: 'Ada' });
    expect(back.origin + back.pathname).toBe('https://app.example/back');
    expect(Object.fromEntries(back.searchParams)).toEqual({ from: 'here', code: expect.any(String), state: 'st&te' });
  });

  it('that refuses says so', async () => {
    const back = await press('listing', usual, { decision: 'refuse' });
    expect(Object.fromEntries(back.searchParams)).toEqual({
      from: 'here',
      error: 'access_denied',
      error_description: expect.any(String),
      state: 'st&te',
    });
  });

  it('of neither kind, or of a person who is not there, grants nothing', async () => {
    for (const answers of [{}, { decision: 'approve', person: 'unknown' }] as Params[]) {
      const body = new URLSearchParams({ ...usual, ...answers });
      const response = await fetch(`${sandbox.url}/consent/listing`, { method: 'POST', body, redirect: 'manual' });
      expect(response.status).toBe(400);
    }
  });

  it('of a known person is theirs, of a new one their first', async () => {
    const headers = { 'Content-Type': 'application/json' };
    const control = { method: 'POST', headers, body: '{"name":"Grace"}' };
    const known = (await (await fetch(`${sandbox.url}/control/ephemeral-messaging/connections`, control)).json()) as {
      userId: string;
      publicProfiles: { id: string }[];
    };
    const own = async (answers: Params): Promise<string> => {
      const code = await approve('ephemeral-messaging', {}, answers);
      const fields = { ...app, grant_type: 'authorization_code', code, redirect_uri: redirectUri };
      const { body } = await exchange('ephemeral-messaging/login/oauth2/access_token', fields);
      const headers = { Authorization: `Bearer ${String(body['access_token'])}` };
      const mine = await fetch(`${sandbox.url}/ephemeral-messaging/v1/public_profiles/my_profile`, { headers });
      return ((await mine.json()) as { public_profile: { id: string } }).public_profile.id;
    };
    expect(await own({ person: known.userId })).toBe(known.publicProfiles[0]?.id);
    expect(await own({ person: 'new', name: '' })).not.toBe(known.publicProfiles[0]?.id);
  });
});

describe.each(tokenPaths)('a code of %s', (platform, path) => {
  const redeem = (code: string, more: Params = {}) =>
    exchange(path, { ...app, grant_type: 'authorization_code', code, redirect_uri: redirectUri, ...more });

  it('becomes tokens once', async () => {
    const code = await approve(platform);
    expect((await redeem(code)).body).toMatchObject({
      access_token: expect.any(String),
      refresh_token: expect.any(String),
    });
    expect(await redeem(code)).toMatchObject({ status: 400, body: { error: 'invalid_grant' } });
  });

  it('counts only where it was given', async () => {
    const elsewhere = await redeem(await approve(platform), { redirect_uri: 'https://app.example/other' });
    expect(elsewhere).toMatchObject({ status: 400, body: { error: expect.any(String) } });
  });

  it.each(['S256', 'plain'])('with a challenge by %s needs its verifier', async (method) => {
    const verifier = 'v'.repeat(43);
    const challenge = {
      code_challenge: method === 'S256' ? challengeOf(verifier) : verifier,
      code_challenge_method: method,
    };
    const code = await approve(platform, challenge);
    expect(await redeem(code)).toMatchObject({ status: 400, body: { error: 'invalid_grant' } });
    expect(await redeem(code, { code_verifier: 'w'.repeat(43) })).toMatchObject({ status: 400 });
    expect((await redeem(code, { code_verifier: verifier })).status).toBe(200);
  });
});

describe('a code of network-a', () => {
  const redeem = async (fields: Params) => {
    const query = new URLSearchParams({ ...app, redirect_uri: redirectUri, ...fields });
    const response = await fetch(`${sandbox.url}/network-a/v26.0/oauth/access_token?${query}`);
    // eslint-disable-next-line typescript/no-explicit-any -- answers are read freely
    return { status: response.status, body: (await response.json()) as any };
  };

  it('becomes a short-lived token, and that one of sixty days', async () => {
    const code = await approve('network-a');
    const elsewhere = await redeem({ code, redirect_uri: 'https://app.example/other' });
    expect(elsewhere.body.error).toMatchObject({ code: 100, error_subcode: 36008 });
    const short = (await redeem({ code })).body;
    expect(short).toMatchObject({ token_type: 'bearer', expires_in: 5400 });
    expect((await redeem({ code })).body.error).toMatchObject({ code: 100, error_subcode: 36009 });
    const long = (await redeem({ grant_type: 'fb_exchange_token', fb_exchange_token: short.access_token })).body;
    expect(long.expires_in).toBe(5_184_000);
    const headers = { Authorization: `Bearer ${long.access_token}` };
    const pages = await fetch(`${sandbox.url}/network-a/v26.0/me/accounts`, { headers });
    expect(((await pages.json()) as { data: { name: string }[] }).data[0]?.name).toBe('Ada');
  });
});

describe('every platform with people', () => {
  it('gives its code by the name that it uses: auth_code on network-c, for an app_id', async () => {
    const platform = {
      name: 'network-c',
      answer: () => ({ status: 200, body: {} }),
      failWith: () => ({ status: 500, body: {} }),
      grant: () => 'the-code',
      control: new Hono(),
      holds: () => [],
    };
    const body = new URLSearchParams({ app_id: 'sandbox-app', redirect_uri: redirectUri, decision: 'approve' });
    const response = await consentPages([platform]).request('/network-c', { method: 'POST', body });
    const back = new URL(response.headers.get('location') ?? '');
    expect(Object.fromEntries(back.searchParams)).toMatchObject({ code: 'the-code', auth_code: 'the-code' });
  });

  it.each(['network-a', 'microblog', 'listing', 'ephemeral-messaging'])('asks them: %s', async (platform) => {
    expect(await approve(platform)).not.toBe('');
  });

  it('keeps codes and verifiers out of the ledger', async () => {
    const code = await approve('listing');
    const fields = {
      ...app,
      grant_type: 'authorization_code',
      code,
      redirect_uri: redirectUri,
      code_verifier: 'v'.repeat(43),
    };
    const { body } = await exchange('listing/token', fields);
    const ledger = await (await fetch(`${sandbox.url}/ledger`)).text();
    for (const secret of [code, String(body['access_token']), String(body['refresh_token'])])
      expect(ledger).not.toContain(secret);
  });
});
