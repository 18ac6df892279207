import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createAuthServer } from '../../../src/dev/sandbox/oauth/auth-server.ts';
import { challengeOf } from '../../../src/dev/sandbox/oauth/codes.ts';
import { scopesOf } from '../../../src/dev/sandbox/oauth/scopes.ts';
import { createState } from '../../../src/dev/sandbox/state.ts';

const platform = 'professional';
const serverOf = (codes: { lifetimeSeconds?: number; isBound?: boolean } = {}) => {
  const server = createAuthServer<{ id: string; name: string }, 'access' | 'refresh' | 'page'>(createState(), {
    platform,
    collections: 'any',
    tokens: {
      access: { prefix: 'A-', lifetimeSeconds: 3600 },
      refresh: { prefix: (personId) => `${personId}-` },
      page: { prefix: '' },
    },
    codes,
  });
  server.people.put('1', { id: '1', name: 'Ada' });
  return server;
};
const consent = { clientId: 'app', redirectUri: 'https://app.example/', name: 'Ada' };
const asked = { clientId: 'app', redirectUri: 'https://app.example/' };

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date'] });
});
afterEach(() => {
  vi.useRealTimers();
});
const passSeconds = (seconds: number): void => void vi.setSystemTime(Date.now() + seconds * 1000);

describe('an authorization code', () => {
  it('is redeemed once, by its client, with its redirect URI and verifier', () => {
    const { codes } = serverOf();
    const code = codes.issue({ ...consent, codeChallenge: challengeOf('verifier'), scopes: ['r_ads'] }, '1');
    const redeem = (change: object) => codes.redeem({ ...asked, code, verifier: 'verifier', ...change });
    expect(redeem({ code: 'another' })).toEqual({ problem: 'code' });
    expect(redeem({ clientId: 'other' })).toEqual({ problem: 'client' });
    expect(redeem({ redirectUri: 'https://app.example/other' })).toEqual({ problem: 'redirect' });
    expect(redeem({ verifier: undefined })).toEqual({ problem: 'verifier' });
    expect(redeem({})).toEqual({ personId: '1', scopes: ['r_ads'], clientId: 'app' });
    expect(redeem({})).toEqual({ problem: 'code' });
  });

  it.each([
    [600, {}],
    [3600, { lifetimeSeconds: 3600 }],
  ])('expires after %i seconds', (seconds, options) => {
    const { codes } = serverOf(options);
    const [first, second] = [codes.issue(consent, '1'), codes.issue(consent, '1')];
    passSeconds(seconds);
    expect(codes.redeem({ ...asked, code: first })).toMatchObject({ personId: '1' });
    passSeconds(1);
    expect(codes.redeem({ ...asked, code: second })).toEqual({ problem: 'code' });
  });

  it('is bound only to its client where the platform compares nothing else', () => {
    const { codes } = serverOf({ isBound: false });
    const code = codes.issue({ ...consent, codeChallenge: challengeOf('verifier') }, '1');
    expect(codes.redeem({ code, clientId: 'other' })).toEqual({ problem: 'client' });
    expect(codes.redeem({ code, clientId: 'app' })).toMatchObject({ personId: '1' });
  });
});

describe('a token', () => {
  it('has the prefix of its kind and by default all scopes of the platform', () => {
    const { tokens, holderOf } = serverOf();
    const access = tokens.issue('access', { personId: '1' });
    expect(access).toMatch(/^A-[0-9a-f]{60}$/);
    expect(tokens.issue('refresh', { personId: '1' })).toMatch(/^1-[0-9a-f]{60}$/);
    expect(holderOf(access)).toMatchObject({ person: { name: 'Ada' }, state: 'good', scopes: scopesOf(platform) });
    const limited = tokens.issue('access', { personId: '1', scopes: ['r_ads'] });
    expect(holderOf(limited, 'access')?.scopes).toEqual(['r_ads']);
  });

  it('has a holder only if it is known, of the kind that is asked for and of a known user', () => {
    const { tokens, holderOf } = serverOf();
    const [access, stray] = [tokens.issue('access', { personId: '1' }), tokens.issue('access', { personId: '2' })];
    for (const token of [undefined, '', 'unknown', stray]) expect(holderOf(token)).toBeUndefined();
    expect(holderOf(access, 'refresh')).toBeUndefined();
    expect(holderOf(access, 'access')).toBeDefined();
  });

  it('expires after the lifetime of its kind, and is valid for another one after it is restored', () => {
    const { tokens, holderOf } = serverOf();
    const [access, page] = [tokens.issue('access', { personId: '1' }), tokens.issue('page', { personId: '1' })];
    passSeconds(3599);
    expect(holderOf(access)?.state).toBe('good');
    passSeconds(1);
    expect([holderOf(access)?.state, holderOf(page)?.state]).toEqual(['expired', 'good']);
    expect(tokens.turn(access, 'good')).toBe(true);
    passSeconds(3599);
    expect(holderOf(access)?.state).toBe('good');
    tokens.turn(access, 'invalid');
    passSeconds(3600);
    expect(holderOf(access)?.state).toBe('invalid');
    expect(tokens.turn('unknown', 'good')).toBe(false);
  });

  it('is renewed for its own client, and for any if it has none', () => {
    const { tokens } = serverOf();
    const own = tokens.issue('refresh', { personId: '1', clientId: 'app' });
    const free = tokens.issue('refresh', { personId: '1' });
    expect(tokens.findValid(own, 'refresh', 'app')).toMatchObject({ personId: '1' });
    expect(tokens.findValid(own, 'refresh', 'other')).toBeUndefined();
    expect(tokens.findValid(free, 'refresh', 'other')).toMatchObject({ personId: '1' });
    tokens.turn(free, 'invalid');
    expect(tokens.findValid(free, 'refresh', 'other')).toBeUndefined();
  });

  it('comes in the standard response with its lifetime, its scopes and the refresh token', () => {
    const { tokens } = serverOf();
    const body = tokens.respond('access', { personId: '1', scopes: ['a', 'b'] }, 'next');
    expect(body).toEqual({
      access_token: expect.stringMatching(/^A-/),
      token_type: 'Bearer',
      expires_in: 3600,
      refresh_token: 'next',
      scope: 'a b',
    });
    expect(tokens.respond('access', { personId: '1' })).not.toHaveProperty('refresh_token');
  });
});
