import { createHash } from 'node:crypto';
import type { Consent, Received, Reply } from '../platform.ts';
import { scopesOf } from '../oauth/scopes.ts';
import { RestError, tokenProblems } from './errors.ts';
import { secretText, type Person, type Token, type SandboxState } from './state.ts';

export const allScopes = scopesOf('professional');

const lifetime = { access: 60 * 24 * 60 * 60, refresh: 365 * 24 * 60 * 60 };

export interface Grant {
  accessToken: string;
  refreshToken: string;
  expiresIn: number;
}

export function newAccessToken(sandbox: SandboxState, token: Pick<Token, 'personId' | 'scopes'>): string {
  const accessToken = `AQV${secretText()}`;
  sandbox.tokens.put(accessToken, { ...token, state: 'good' });
  return accessToken;
}

export function newGrant(sandbox: SandboxState, token: Pick<Token, 'personId' | 'scopes'>): Grant {
  const refreshToken = `AQX${secretText()}`;
  sandbox.refreshTokens.put(refreshToken, { ...token, state: 'good' });
  return { accessToken: newAccessToken(sandbox, token), refreshToken, expiresIn: lifetime.access };
}

/** User and scopes of a bearer token. */
export function bearer(sandbox: SandboxState, token: string | undefined): { person: Person; scopes: string[] } {
  if (!token) throw new RestError(tokenProblems.missing);
  const known = sandbox.tokens.get(token);
  const person = known && sandbox.people.get(known.personId);
  if (!person) throw new RestError(tokenProblems.unknown);
  if (known.state !== 'good') throw new RestError(tokenProblems[known.state]);
  return { person, scopes: known.scopes };
}

/** The authorization code of a consent. */
export function newCode(sandbox: SandboxState, personId: string, consent: Consent): string {
  const code = `AQT${secretText()}`;
  const { clientId, redirectUri, codeChallenge, scopes } = consent;
  sandbox.codes.put(code, { personId, scopes, clientId, redirectUri, codeChallenge, isUsed: false });
  return code;
}

/** Messages are unconfirmed; the errors are those of OAuth. */
const refused = (error: string, error_description: string, status = 400): Reply => ({
  status,
  body: { error, error_description },
});

/**
 * `POST /oauth/v2/accessToken`: exchanges a code or refresh token for an access token. Refresh tokens do not rotate.
 */
export function exchange(sandbox: SandboxState, { method, form, headers }: Received): Reply {
  if (method !== 'POST' || !headers['content-type']?.includes('urlencoded'))
    return refused('invalid_request', 'The request must be a POST of a form');
  const missing = ['grant_type', 'client_id', 'client_secret'].find((name) => !form[name]);
  if (missing !== undefined) return refused('invalid_request', `A required parameter "${missing}" is missing`);
  if (form['grant_type'] === 'authorization_code') return fromCode(sandbox, form);
  if (form['grant_type'] === 'refresh_token') return fromRefresh(sandbox, form);
  return refused('unsupported_grant_type', 'The grant type is not supported');
}

function fromCode(sandbox: SandboxState, form: Record<string, string>): Reply {
  const { code = '', redirect_uri, client_id, code_verifier = '' } = form;
  const known = sandbox.codes.get(code);
  if (!known || known.isUsed) return refused('invalid_grant', 'The authorization code was not found or was used');
  if (known.clientId !== client_id) return refused('invalid_client', 'Client authentication failed', 401);
  if (known.redirectUri !== redirect_uri) return refused('invalid_grant', 'The redirect_uri does not match');
  const challenge = createHash('sha256').update(code_verifier).digest('base64url');
  if (known.codeChallenge !== undefined && known.codeChallenge !== challenge)
    return refused('invalid_grant', 'The code_verifier does not match');
  sandbox.codes.put(code, { ...known, isUsed: true });
  const { personId, scopes = allScopes } = known;
  return answered(newGrant(sandbox, { personId, scopes }), scopes);
}

function fromRefresh(sandbox: SandboxState, { refresh_token: refreshToken = '' }: Record<string, string>): Reply {
  const known = sandbox.refreshTokens.get(refreshToken);
  if (known?.state !== 'good') return refused('invalid_grant', 'The refresh token is invalid, expired or revoked');
  const accessToken = newAccessToken(sandbox, known);
  return answered({ accessToken, refreshToken, expiresIn: lifetime.access }, known.scopes);
}

const answered = ({ accessToken, refreshToken, expiresIn }: Grant, scopes: string[]): Reply => ({
  status: 200,
  body: {
    access_token: accessToken,
    expires_in: expiresIn,
    refresh_token: refreshToken,
    refresh_token_expires_in: lifetime.refresh,
    scope: scopes.join(','),
    token_type: 'Bearer',
  },
});
