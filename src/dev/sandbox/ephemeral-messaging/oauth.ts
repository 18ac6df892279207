import { isClient } from '../oauth/clients.ts';
import type { Received, Reply } from '../platform.ts';
import { refused } from './errors.ts';
import type { SandboxState } from './state.ts';

/**
 * The token endpoint: exchanges a code or refresh token for an access token and, with rotation, a new refresh token.
 */
export function token(sandbox: SandboxState, { method, form, headers }: Received): Reply {
  if (method !== 'POST' || !headers['content-type']?.includes('urlencoded'))
    return refused('invalid_request', 'The request must be a POST with a form');
  const { client_id: id = '', client_secret: secret = '', grant_type: type } = form;
  if (!isClient(id, secret)) return refused('invalid_client', 'Client authentication failed', 401);
  if (type === 'authorization_code') return byCode(sandbox, form);
  if (type === 'refresh_token') return byRefreshToken(sandbox, form);
  return refused('unsupported_grant_type', 'The grant type is not supported');
}

function byCode(sandbox: SandboxState, form: Record<string, string>): Reply {
  const { code = '', redirect_uri: redirectUri = '', client_id: clientId = '', code_verifier: verifier } = form;
  if (!code || !redirectUri) return refused('invalid_request', 'code and redirect_uri are required');
  const redeemed = sandbox.codes.redeem({ code, redirectUri, clientId, verifier });
  return 'problem' in redeemed
    ? refused('invalid_grant', 'The authorization code is invalid, expired or was issued to another client')
    : ok(sandbox.tokens.respond('access', redeemed, sandbox.tokens.issue('refresh', redeemed)));
}

function byRefreshToken({ tokens, settings }: SandboxState, form: Record<string, string>): Reply {
  const { refresh_token: refreshToken = '', client_id: clientId = '' } = form;
  const known = tokens.findValid(refreshToken, 'refresh', clientId);
  if (!known) return refused('invalid_grant', 'The refresh token is invalid');
  if (!settings().isRotating) return ok(tokens.respond('access', known, refreshToken));
  tokens.turn(refreshToken, 'invalid');
  return ok(tokens.respond('access', known, tokens.issue('refresh', known)));
}

const ok = (body: object): Reply => ({ status: 200, body });
