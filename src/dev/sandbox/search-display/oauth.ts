import { createHash, randomBytes } from 'node:crypto';
import type { Consent, Received, Reply } from '../platform.ts';
import { scopesOf } from '../oauth/scopes.ts';
import { revokedTokenMessage, oauthError } from './errors.ts';
import { addPerson } from './people.ts';
import type { Code, Person, SandboxState } from './state.ts';

const lifetime = 3599;
const secret = (prefix: string): string => `${prefix}${randomBytes(36).toString('base64url')}`;

/** Issues an access token that is valid for an hour. */
export function issueToken(
  sandbox: SandboxState,
  personId: string,
  scopes?: string[],
): { access_token: string; expires_in: number } {
  const token = secret('ya29.a0');
  sandbox.tokens.put(token, { token, personId, scopes, state: 'good', expiresAt: Date.now() + lifetime * 1000 });
  return { access_token: token, expires_in: lifetime };
}

export function issueRefreshToken(
  sandbox: SandboxState,
  personId: string,
  { clientId, scopes }: { clientId?: string; scopes?: string[] } = {},
): string {
  const token = secret('1//0');
  sandbox.refreshTokens.put(token, { token, personId, isDead: false, clientId, scopes });
  return token;
}

/** The authorization code of a consent. */
export function grantCode(sandbox: SandboxState, consent: Consent): string {
  const known = consent.personId === undefined ? undefined : sandbox.people.get(consent.personId);
  const person: Person = known ?? addPerson(sandbox, { name: consent.name }).person;
  const code = secret('4/0A');
  const { clientId, redirectUri, codeChallenge, scopes } = consent;
  const expiresAt = Date.now() + 600_000;
  sandbox.codes.put(code, {
    personId: person.id,
    scopes,
    clientId,
    redirectUri,
    codeChallenge,
    expiresAt,
    isUsed: false,
  });
  return code;
}

/** `POST /token`, a form. */
export function exchange(sandbox: SandboxState, { form }: Received): Reply {
  const { grant_type: kind, client_id: clientId, client_secret: clientSecret } = form;
  if (!clientId) return oauthError('invalid_request', 'Could not determine client ID from request.');
  if (!clientSecret) return oauthError('invalid_request', 'client_secret is missing.');
  if (!kind) return oauthError('invalid_request', 'Missing required parameter: grant_type');
  if (kind === 'authorization_code') return exchangeCode(sandbox, form, clientId);
  if (kind === 'refresh_token') return refresh(sandbox, form, clientId);
  return oauthError('unsupported_grant_type', `Invalid grant_type: ${kind}`);
}

function exchangeCode(sandbox: SandboxState, form: Record<string, string>, clientId: string): Reply {
  const { code = '', redirect_uri: redirectUri } = form;
  if (!code) return oauthError('invalid_request', 'Missing required parameter: code');
  const known = sandbox.codes.get(code);
  const isDead = !known || known.isUsed || known.expiresAt < Date.now() || known.clientId !== clientId;
  if (isDead) return oauthError('invalid_grant', 'Malformed auth code.');
  if (known.redirectUri !== redirectUri) return oauthError('redirect_uri_mismatch', 'Bad Request');
  const doubt = doubtOf(known, form['code_verifier']);
  if (doubt) return oauthError('invalid_grant', doubt);
  sandbox.codes.put(code, { ...known, isUsed: true });
  const refreshToken = issueRefreshToken(sandbox, known.personId, { clientId, scopes: known.scopes });
  const body = {
    ...issueToken(sandbox, known.personId, known.scopes),
    ...bearerOf(known),
    refresh_token: refreshToken,
  };
  return { status: 200, body };
}

const bearerOf = ({ scopes = scopesOf('search-display') }: { scopes?: string[] }): object => ({
  scope: scopes.join(' '),
  token_type: 'Bearer',
});

function doubtOf({ codeChallenge }: Code, verifier: string | undefined): string | undefined {
  if (codeChallenge === undefined) return undefined;
  if (!verifier) return 'Missing code verifier.';
  const digest = createHash('sha256').update(verifier).digest('base64url');
  return digest === codeChallenge ? undefined : 'Invalid code verifier.';
}

/** Refresh tokens do not rotate. */
function refresh(sandbox: SandboxState, { refresh_token: token }: Record<string, string>, clientId: string): Reply {
  if (!token) return oauthError('invalid_request', 'Missing required parameter: refresh_token');
  const known = sandbox.refreshTokens.get(token);
  if (!known || known.isDead) return oauthError('invalid_grant', revokedTokenMessage);
  if (known.clientId !== undefined && known.clientId !== clientId)
    return oauthError('unauthorized_client', 'Unauthorized', 401);
  return { status: 200, body: { ...issueToken(sandbox, known.personId, known.scopes), ...bearerOf(known) } };
}
