import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startSandbox, type Sandbox } from '../../../src/dev/sandbox/index.ts';
import { createPinBoard } from '../../../src/dev/sandbox/pin-board/index.ts';
import { createState } from '../../../src/dev/sandbox/state.ts';
import type { Received, SimulatedPlatform } from '../../../src/dev/sandbox/platform.ts';
import { askToken, caller, campaign, connect, pin, refused, type Call, type Connection, type Fields } from './pins.ts';

let sandbox: Sandbox;
let person: Connection;
let call: Call;

beforeAll(async () => {
  sandbox = await startSandbox();
  person = await connect(sandbox.url);
  call = caller(sandbox.url, person.accessToken);
});
afterAll(() => sandbox.stop());

const control = (path: string, body: Fields): Promise<Response> =>
  fetch(`${sandbox.url}/control/${path}`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify(body),
  });

describe('access tokens', () => {
  it('are refused alike when missing, unknown, expired or invalid, and work again once restored', async () => {
    const { accessToken: token } = await connect(sandbox.url);
    expect(await call('GET', 'user_account', undefined, '')).toMatchObject(refused(401, 2, /Authentication failed/));
    expect(await call('GET', 'user_account', undefined, 'pina_sandbox')).toMatchObject(refused(401, 2));
    for (const action of ['expire', 'invalidate']) {
      await control(`pin-board/tokens/${action}`, { token });
      expect(await call('GET', 'user_account', undefined, token)).toMatchObject(refused(401, 2));
    }
    await control('pin-board/tokens/restore', { token });
    expect((await call('GET', 'user_account', undefined, token)).status).toBe(200);
  });

  it('need the scope of what they ask', async () => {
    const { accessToken, adAccounts } = await connect(sandbox.url, { scopes: ['ads:read'] });
    const own = caller(sandbox.url, accessToken);
    const id = adAccounts[0]?.id;
    expect((await own('GET', `ad_accounts/${id}/campaigns`)).status).toBe(200);
    expect(await own('POST', `ad_accounts/${id}/campaigns`, [campaign(id)])).toMatchObject(
      refused(401, 3, /ads:write/),
    );
    expect(await own('GET', 'boards')).toMatchObject(refused(401, 3));
  });

  it('make no pins under trial access, but ads', async () => {
    const { accessToken, boards, adAccounts } = await connect(sandbox.url, { trial: true });
    const own = caller(sandbox.url, accessToken);
    expect(await own('POST', 'pins', pin(boards[0]?.id))).toMatchObject(refused(403, 29));
    const id = adAccounts[0]?.id;
    expect((await own('POST', `ad_accounts/${id}/campaigns`, [campaign(id)])).status).toBe(200);
  });
});

describe('the token address', () => {
  it('renews with a refresh token that works once', async () => {
    const { refreshToken } = await connect(sandbox.url);
    const form = { grant_type: 'refresh_token', refresh_token: refreshToken };
    const { status, body } = await askToken(sandbox.url, form);
    expect(status).toBe(200);
    expect(body).toMatchObject({ response_type: 'refresh_token', token_type: 'bearer', expires_in: 2_592_000 });
    expect(body.refresh_token_expires_in).toBe(5_184_000);
    expect((await call('GET', 'user_account', undefined, body.access_token)).status).toBe(200);
    expect(await askToken(sandbox.url, form)).toMatchObject(refused(401, 283, /grant is invalid/));
    expect((await askToken(sandbox.url, { ...form, refresh_token: body.refresh_token })).status).toBe(200);
  });

  it('refuses invalidated refresh tokens, missing credentials and unknown grants', async () => {
    const { refreshToken: token } = await connect(sandbox.url);
    const form = { grant_type: 'refresh_token', refresh_token: token };
    expect(await askToken(sandbox.url, form, '')).toMatchObject(refused(401, 2));
    expect(await askToken(sandbox.url, form, 'app:')).toMatchObject(refused(401, 2));
    expect(await askToken(sandbox.url, { ...form, grant_type: 'password' })).toMatchObject(
      refused(400, 1, /grant_type/),
    );
    await control('pin-board/refresh-tokens/invalidate', { token });
    expect(await askToken(sandbox.url, form)).toMatchObject(refused(401, 283));
  });
});

describe('consent', () => {
  const redirectUri = 'https://api.example/callback';
  const exchanged = (platform: SimulatedPlatform, form: Record<string, string>): number => {
    const authorization = `Basic ${Buffer.from('app:secret').toString('base64')}`;
    const request: Received = {
      method: 'POST',
      path: '/v5/oauth/token',
      query: {},
      rawQuery: '',
      body: form,
      form,
      bytes: Buffer.alloc(0),
      headers: { authorization },
      url: '',
      token: undefined,
    };
    return (platform.answer(request) as { status: number }).status;
  };

  it('gives a code that works once, for its address and its app only', () => {
    const platform = createPinBoard(createState());
    const code = platform.grant?.({ clientId: 'app', redirectUri, name: 'New' }) ?? '';
    const form = { grant_type: 'authorization_code', code, redirect_uri: redirectUri };
    expect(exchanged(platform, { ...form, redirect_uri: 'https://elsewhere.example/' })).toBe(401);
    expect(exchanged(platform, form)).toBe(200);
    expect(exchanged(platform, form)).toBe(401);
    const other = platform.grant?.({ clientId: 'other', redirectUri, name: 'New' }) ?? '';
    expect(exchanged(platform, { ...form, code: other })).toBe(401);
    expect(platform.people?.()).toMatchObject([{ name: 'New' }, { name: 'New' }]);
  });

  it('wants the verifier where a challenge was given', () => {
    const platform = createPinBoard(createState());
    const challenge = 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM';
    const code = platform.grant?.({ clientId: 'app', redirectUri, name: 'New', codeChallenge: challenge }) ?? '';
    const form = { grant_type: 'authorization_code', code, redirect_uri: redirectUri };
    expect(exchanged(platform, form)).toBe(401);
    expect(exchanged(platform, { ...form, code_verifier: 'dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk' })).toBe(200);
  });
});

describe('boards and pins', () => {
  const board = (): string | undefined => person.boards[0]?.id;

  it('make a board, and force the name of one for ads only', async () => {
    const made = await call('POST', 'boards', { name: 'Ads', description: 'd', privacy: 'PUBLIC' });
    expect(made).toMatchObject({ status: 201, body: { id: expect.stringMatching(/^\d+$/), name: 'Ads' } });
    const forced = await call('POST', 'boards', { name: 'Mine', is_ads_only: true });
    expect(forced.body).toMatchObject({ name: 'Ad-only Pins', privacy: 'PROTECTED', is_ads_only: true });
    expect((await call('GET', 'boards?page_size=250')).body.items).toHaveLength(3);
    expect((await call('GET', `boards/${made.body.id}`)).body).toEqual(made.body);
  });

  it.each([
    ['a title over 100 characters', { title: 'x'.repeat(101) }, 400, 1],
    ['a description over 800 characters', { description: 'x'.repeat(801) }, 400, 1],
    ['a link over 2048 characters', { link: `https://a.example/${'x'.repeat(2048)}` }, 400, 1],
    ['a link that is no address', { link: 'shop' }, 400, 1],
    ['an image that is no address', { media_source: { source_type: 'image_url', url: 'ftp://a.example/p' } }, 400, 1],
    ['no image', { media_source: undefined }, 400, 1],
    ['another source', { media_source: { source_type: 'url' } }, 400, 1],
    ['a video', { media_source: { source_type: 'video_id', media_id: '1' } }, 400, 1],
    [
      'bytes of another type',
      { media_source: { source_type: 'image_base64', content_type: 'image/jpeg', data: 'iVBORw0KGgo=' } },
      400,
      1,
    ],
    ['an unknown board', { board_id: '1' }, 404, 40],
  ])('refuse a pin with %s', async (_, extra, status, code) => {
    expect(await call('POST', 'pins', pin(board(), extra))).toMatchObject(refused(status, code));
  });

  it('take the bytes of an image, and show the pin again', async () => {
    const media = { source_type: 'image_base64', content_type: 'image/png', data: 'iVBORw0KGgo=' };
    const made = await call('POST', 'pins', pin(board(), { media_source: media }));
    expect(made.status).toBe(201);
    expect((await call('GET', `pins/${made.body.id}`)).body).toEqual(made.body);
    expect(await call('GET', 'pins/1')).toMatchObject(refused(404, 50));
  });

  it('find the boards of a shared account through the query, not through the body', async () => {
    const agency = await connect(sandbox.url, { shared: true });
    const own = caller(sandbox.url, agency.accessToken);
    const [id, shared] = [agency.adAccounts[0]?.id, agency.boards[0]?.id];
    expect(await own('POST', 'pins', pin(shared, { ad_account_id: id }))).toMatchObject(refused(404, 40));
    expect((await own('POST', `pins?ad_account_id=${id}`, pin(shared))).status).toBe(201);
    const all = (await own('GET', 'ad_accounts?include_shared_accounts=true')).body.items;
    expect(all).toMatchObject([{ id, currency: 'USD', permissions: ['CAMPAIGN_MANAGER'] }, { currency: 'JPY' }]);
    expect((await own('GET', 'ad_accounts?include_shared_accounts=false')).body.items).toEqual([]);
  });
});

describe('look-ups', () => {
  it('name the person, the accounts and the places', async () => {
    expect((await call('GET', 'user_account')).body).toMatchObject({ id: person.userId, username: person.username });
    const { body } = await call('GET', 'ad_accounts');
    expect(body.items.map(({ currency }: Fields) => currency)).toEqual(['USD', 'JPY']);
    const places = (await call('GET', 'resources/targeting/LOCATION')).body[0];
    expect(Object.keys(places)).toEqual(expect.arrayContaining(['US', 'GB', 'DE', 'FR', 'JP', 'CA']));
    const interests = Object.entries((await call('GET', 'resources/targeting/INTEREST')).body[0]);
    expect(interests.length).toBeGreaterThanOrEqual(8);
    const [id, name] = interests[0] ?? [];
    expect((await call('GET', `resources/targeting/interests/${id}`)).body).toMatchObject({ id, name });
    expect(await call('GET', 'resources/targeting/CITY')).toMatchObject(refused(400, 1));
  });

  it('keep to the own accounts', async () => {
    const other = await connect(sandbox.url);
    expect(await call('GET', `ad_accounts/${other.adAccounts[0]?.id}`)).toMatchObject(refused(403, 29));
    expect(await call('GET', 'ad_accounts/549000000000')).toMatchObject(refused(404, 2));
    expect(await call('GET', 'ad_accounts/act_1')).toMatchObject(refused(400, 400));
  });
});

describe('limits and faults', () => {
  it('say with every answer what is left', async () => {
    const { headers } = await call('GET', 'user_account');
    expect(headers.get('x-ratelimit-limit')).toMatch(/^100, /);
    expect(headers.get('x-ratelimit-remaining')).toBe('99');
  });

  it.each([
    ['rate_limited', 429, 8],
    ['token_expired', 401, 2],
    ['token_invalid', 401, 2],
    ['policy_block', 403, 2625],
    ['transient', 503, 4197],
    ['http_500', 500, 500],
  ])('answer the fault %s with its envelope', async (fault, status, code) => {
    await control('faults', { platform: 'pin-board', fault, match: { path: 'user_account' } });
    const answer = await call('GET', 'user_account');
    expect(answer).toMatchObject(refused(status, code));
    if (status !== 429) return;
    expect(answer.headers.get('x-ratelimit-remaining')).toBe('0');
    expect(Number(answer.headers.get('x-ratelimit-reset'))).toBeGreaterThan(0);
    expect(answer.headers.get('x-ratelimit-limit')).toMatch(/^\d+, \d+;w=1/);
  });

  it('apply once by the name inside a list', async () => {
    const id = person.adAccounts[0]?.id;
    const elements = [campaign(id), campaign(id, { name: 'Sale [fault:http_500@campaigns]' })];
    expect((await call('POST', `ad_accounts/${id}/campaigns`, elements)).status).toBe(500);
    expect((await call('POST', `ad_accounts/${id}/campaigns`, elements)).status).toBe(200);
  });
});

describe('state', () => {
  it('survives a restart, oldest first', async () => {
    const dataDir = await mkdtemp(join(tmpdir(), 'pin-board-'));
    const first = await startSandbox({ dataDir });
    const { accessToken, adAccounts } = await connect(first.url);
    const list = `ad_accounts/${adAccounts[0]?.id}/campaigns`;
    await caller(first.url, accessToken)('POST', list, [campaign(adAccounts[0]?.id, { name: 'Kept' })]);
    await first.stop();
    const second = await startSandbox({ dataDir });
    const own = caller(second.url, accessToken);
    await own('POST', list, [campaign(adAccounts[0]?.id, { name: 'Next' })]);
    expect((await own('GET', list)).body.items).toMatchObject([{ name: 'Kept' }, { name: 'Next' }]);
    const held = await fetch(`${second.url}/control/pin-board/objects?type=campaigns`);
    expect(((await held.json()) as { objects: unknown[] }).objects).toHaveLength(2);
    await second.stop();
    await rm(dataDir, { recursive: true });
  });
});
