import { isClient } from '../clients.ts';
import type { Received, Reply } from '../platform.ts';
import { scopesOf } from '../scopes.ts';
import { refused } from './errors.ts';
import { lifetime, type World } from './state.ts';

/**
 * The token endpoint: exchanges a code or refresh token for an access token and, with rotation, a new refresh token.
 */
export function token(world: World, { method, form, headers }: Received): Reply {
  if (method !== 'POST' || !headers['content-type']?.includes('urlencoded'))
    return refused('invalid_request', 'The request must be a POST with a form');
  const { client_id: id = '', client_secret: secret = '', grant_type: type } = form;
  if (!isClient(id, secret)) return refused('invalid_client', 'Client authentication failed', 401);
  if (type === 'authorization_code') return byCode(world, form);
  if (type === 'refresh_token') return byRefreshToken(world, form['refresh_token'] ?? '');
  return refused('unsupported_grant_type', 'The grant type is not supported');
}

function byCode(world: World, form: Record<string, string>): Reply {
  const { code = '', redirect_uri: redirectUri = '', client_id: clientId = '', code_verifier: verifier } = form;
  if (!code || !redirectUri) return refused('invalid_request', 'code and redirect_uri are required');
  const redeemed = world.codes.redeem({ code, redirectUri, clientId, verifier });
  return 'problem' in redeemed
    ? refused('invalid_grant', 'The authorization code is invalid, expired or was issued to another client')
    : issued(world, redeemed, world.tokens.refresh(redeemed.personId, redeemed.scopes));
}

function byRefreshToken(world: World, refreshToken: string): Reply {
  const holder = world.tokens.refreshes(refreshToken);
  if (holder === undefined) return refused('invalid_grant', 'The refresh token is invalid');
  if (!world.settings().isRotating) return issued(world, holder, refreshToken);
  world.tokens.turn(refreshToken, 'invalid');
  return issued(world, holder, world.tokens.refresh(holder.personId, holder.scopes));
}

const issued = (
  world: World,
  { personId, scopes = scopesOf('ephemeral-messaging') }: { personId: string; scopes?: string[] },
  refreshToken: string,
): Reply => ({
  status: 200,
  body: {
    access_token: world.tokens.access(personId, scopes),
    token_type: 'Bearer',
    expires_in: lifetime,
    refresh_token: refreshToken,
    scope: scopes.join(' '),
  },
});
