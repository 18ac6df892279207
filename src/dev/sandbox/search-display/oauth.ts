import type { Received, Reply } from '../platform.ts';
import { oauthError, revokedTokenMessage } from './errors.ts';
import type { SandboxState } from './state.ts';

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

function exchangeCode({ codes, tokens }: SandboxState, form: Record<string, string>, clientId: string): Reply {
  const { code = '', redirect_uri: redirectUri, code_verifier: verifier } = form;
  if (!code) return oauthError('invalid_request', 'Missing required parameter: code');
  const redeemed = codes.redeem({ code, clientId, redirectUri, verifier });
  if ('personId' in redeemed)
    return { status: 200, body: tokens.respond('access', redeemed, tokens.issue('refresh', redeemed)) };
  if (redeemed.problem === 'redirect') return oauthError('redirect_uri_mismatch', 'Bad Request');
  if (redeemed.problem !== 'verifier') return oauthError('invalid_grant', 'Malformed auth code.');
  return oauthError('invalid_grant', verifier ? 'Invalid code verifier.' : 'Missing code verifier.');
}

/** Refresh tokens do not rotate. */
function refresh({ tokens }: SandboxState, { refresh_token: token }: Record<string, string>, clientId: string): Reply {
  if (!token) return oauthError('invalid_request', 'Missing required parameter: refresh_token');
  if (tokens.find(token, 'refresh')?.state !== 'good') return oauthError('invalid_grant', revokedTokenMessage);
  const known = tokens.findValid(token, 'refresh', clientId);
  if (!known) return oauthError('unauthorized_client', 'Unauthorized', 401);
  return { status: 200, body: tokens.respond('access', known) };
}
