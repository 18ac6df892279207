import type { Grant } from '../oauth/tokens.ts';
import type { Received, Reply } from '../platform.ts';
import { RestError, tokenProblems } from './errors.ts';
import type { Person, SandboxState } from './state.ts';

/** User and scopes of a bearer token. */
export function bearer(sandbox: SandboxState, token: string | undefined): { person: Person; scopes: string[] } {
  if (!token) throw new RestError(tokenProblems.missing);
  const holder = sandbox.holderOf(token, 'access');
  if (!holder) throw new RestError(tokenProblems.unknown);
  if (holder.state !== 'good') throw new RestError(tokenProblems[holder.state]);
  return holder;
}

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

/** As in nvh95/react-linkedin-login-oauth2#58. */
const deadCode = refused(
  'invalid_request',
  'Unable to retrieve access token: appid/redirect uri/code verifier does not match authorization code. Or authorization code expired. Or external member binding exists',
);
const problems = {
  code: deadCode,
  client: refused('invalid_client', 'Client authentication failed', 401),
  redirect: deadCode,
  verifier: deadCode,
};

function fromCode(sandbox: SandboxState, form: Record<string, string>): Reply {
  const { code = '', redirect_uri: redirectUri, client_id: clientId = '', code_verifier: verifier } = form;
  const redeemed = sandbox.codes.redeem({ code, clientId, redirectUri, verifier });
  if ('problem' in redeemed) return problems[redeemed.problem];
  return granted(sandbox, redeemed, sandbox.tokens.issue('refresh', redeemed));
}

function fromRefresh(sandbox: SandboxState, form: Record<string, string>): Reply {
  const { refresh_token: refreshToken = '', client_id: clientId = '' } = form;
  const known = sandbox.tokens.findValid(refreshToken, 'refresh', clientId);
  // The platform's page on programmatic refresh tokens has this error.
  if (!known)
    return refused(
      'invalid_request',
      'The provided authorization grant or refresh token is invalid, expired or revoked',
    );
  return granted(sandbox, known, refreshToken);
}

/** The refresh token keeps its end, and no access token outlives it. */
function granted({ tokens }: SandboxState, grant: Grant, refreshToken: string): Reply {
  const body = tokens.respond('access', grant, refreshToken);
  const scope = String(body['scope']).replaceAll(' ', ',');
  const endsAt = tokens.find(refreshToken)?.expiresAt ?? Date.now();
  const refreshSeconds = Math.floor((endsAt - Date.now()) / 1000);
  const expiresIn = Math.min(Number(body['expires_in']), refreshSeconds);
  tokens.endIn(String(body['access_token']), expiresIn);
  return { status: 200, body: { ...body, expires_in: expiresIn, refresh_token_expires_in: refreshSeconds, scope } };
}
