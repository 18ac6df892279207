import { isClient } from '../oauth/clients.ts';
import type { Received, Reply } from '../platform.ts';
import type { SandboxState } from './state.ts';

const refuse = (error: string, description: string, status = 400): Reply => ({
  status,
  body: { error, error_description: description },
});

/** The token endpoint: exchanges a code or refresh token for an access token. */
export function token(sandbox: SandboxState, { method, form, headers }: Received): Reply {
  if (method !== 'POST' || !headers['content-type']?.includes('urlencoded'))
    return refuse('invalid_request', 'The request must be a POST with a form.');
  const { client_id: id = '', client_secret: secret = '', grant_type: type } = form;
  if (!id) return refuse('invalid_request', 'Could not determine client ID from request.');
  if (!isClient(id, secret)) return refuse('invalid_client', 'The OAuth client was not found.', 401);
  if (type === 'authorization_code') return byCode(sandbox, form);
  if (type === 'refresh_token') return byRefreshToken(sandbox, form);
  return refuse('unsupported_grant_type', `Invalid grant_type: ${type ?? ''}`);
}

function byCode(sandbox: SandboxState, form: Record<string, string>): Reply {
  const { code, redirect_uri: redirectUri = '', client_id: clientId = '', code_verifier: verifier } = form;
  if (!code) return refuse('invalid_request', 'Missing required parameter: code');
  const redeemed = sandbox.codes.redeem({ code, redirectUri, clientId, verifier });
  if ('problem' in redeemed) {
    if (redeemed.problem === 'redirect') return refuse('redirect_uri_mismatch', 'Bad Request');
    return refuse('invalid_grant', redeemed.problem === 'verifier' ? 'Invalid code verifier.' : 'Bad Request');
  }
  return ok(sandbox.tokens.respond('access', redeemed, sandbox.tokens.issue('refresh', redeemed)));
}

/** The refresh token does not rotate and is not repeated. */
function byRefreshToken(sandbox: SandboxState, form: Record<string, string>): Reply {
  const { refresh_token: refreshToken, client_id: clientId = '' } = form;
  if (!refreshToken) return refuse('invalid_request', 'Missing required parameter: refresh_token');
  const known = sandbox.tokens.findValid(refreshToken, 'refresh', clientId);
  return known
    ? ok(sandbox.tokens.respond('access', known))
    : refuse('invalid_grant', 'Token has been expired or revoked.');
}

const ok = (body: object): Reply => ({ status: 200, body });
