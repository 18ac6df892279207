import { basicClientIn } from '../oauth/auth-server.ts';
import type { Grant } from '../oauth/tokens.ts';
import type { Received, Reply } from '../platform.ts';
import { invalidGrant, invalidRequest, notAuthenticated } from './errors.ts';
import type { SandboxState, Trial } from './state.ts';

export function exchange(sandbox: SandboxState, request: Received): Reply {
  const { tokens } = sandbox;
  // Any non-empty secret is accepted.
  const clientId = basicClientIn(request);
  if (clientId === undefined) throw notAuthenticated();
  const { form } = request;
  const { grant_type: type } = form;
  if (type !== 'authorization_code' && type !== 'refresh_token')
    throw invalidRequest("'grant_type' must be one of authorization_code, refresh_token");
  const granted = type === 'refresh_token' ? renewed(sandbox, form, clientId) : fromCode(sandbox, form, clientId);
  const grant = { ...granted, clientId };
  const refreshToken = tokens.issue('refresh', grant);
  const lifetime = tokens.lifetimeSeconds('refresh');
  const body = {
    response_type: type,
    ...tokens.respond('access', grant, refreshToken),
    token_type: 'bearer',
    refresh_token_expires_in: lifetime,
    refresh_token_expires_at: Math.floor(Date.now() / 1000) + lifetime,
  };
  return { status: 200, body };
}

function fromCode({ codes }: SandboxState, form: Record<string, string>, clientId: string): Grant {
  const { code = '', redirect_uri: redirectUri, code_verifier: verifier } = form;
  if (!code || !redirectUri) throw invalidRequest("'code' and 'redirect_uri' are required properties");
  const redeemed = codes.redeem({ code, clientId, redirectUri, verifier });
  if ('problem' in redeemed) throw invalidGrant();
  return redeemed;
}

/** Refresh tokens are single-use; the response contains the next one. */
function renewed({ tokens }: SandboxState, form: Record<string, string>, clientId: string): Grant & Trial {
  const { refresh_token: token = '' } = form;
  if (!token) throw invalidRequest("'refresh_token' is a required property");
  const known = tokens.findValid(token, 'refresh', clientId);
  if (!known) throw invalidGrant();
  tokens.turn(token, 'invalid');
  return known;
}
