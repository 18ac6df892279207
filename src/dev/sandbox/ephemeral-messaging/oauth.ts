import { isClient } from '../clients.ts';
import type { Received, Reply } from '../platform.ts';
import { scopesOf } from '../scopes.ts';
import { refused } from './errors.ts';
import { lifetime, type SandboxState } from './state.ts';

/**
 * The token endpoint: exchanges a code or refresh token for an access token and, with rotation, a new refresh token.
 */
export function token(sandbox: SandboxState, { method, form, headers }: Received): Reply {
  if (method !== 'POST' || !headers['content-type']?.includes('urlencoded'))
    return refused('invalid_request', 'The request must be a POST with a form');
  const { client_id: id = '', client_secret: secret = '', grant_type: type } = form;
  if (!isClient(id, secret)) return refused('invalid_client', 'Client authentication failed', 401);
  if (type === 'authorization_code') return byCode(sandbox, form);
  if (type === 'refresh_token') return byRefreshToken(sandbox, form['refresh_token'] ?? '');
  return refused('unsupported_grant_type', 'The grant type is not supported');
}

function byCode(sandbox: SandboxState, form: Record<string, string>): Reply {
  const { code = '', redirect_uri: redirectUri = '', client_id: clientId = '', code_verifier: verifier } = form;
  if (!code || !redirectUri) return refused('invalid_request', 'code and redirect_uri are required');
  const redeemed = sandbox.codes.redeem({ code, redirectUri, clientId, verifier });
  return 'problem' in redeemed
    ? refused('invalid_grant', 'The authorization code is invalid, expired or was issued to another client')
    : issued(sandbox, redeemed, sandbox.tokens.refresh(redeemed.personId, redeemed.scopes));
}

function byRefreshToken(sandbox: SandboxState, refreshToken: string): Reply {
  const holder = sandbox.tokens.refreshes(refreshToken);
  if (holder === undefined) return refused('invalid_grant', 'The refresh token is invalid');
  if (!sandbox.settings().isRotating) return issued(sandbox, holder, refreshToken);
  sandbox.tokens.turn(refreshToken, 'invalid');
  return issued(sandbox, holder, sandbox.tokens.refresh(holder.personId, holder.scopes));
}

const issued = (
  sandbox: SandboxState,
  { personId, scopes = scopesOf('ephemeral-messaging') }: { personId: string; scopes?: string[] },
  refreshToken: string,
): Reply => ({
  status: 200,
  body: {
    access_token: sandbox.tokens.access(personId, scopes),
    token_type: 'Bearer',
    expires_in: lifetime,
    refresh_token: refreshToken,
    scope: scopes.join(' '),
  },
});
