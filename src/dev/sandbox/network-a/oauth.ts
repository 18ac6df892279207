import { clientName, isClient } from '../oauth/clients.ts';
import type { Received } from '../platform.ts';
import type { Body } from './checks.ts';
import { GraphError, invalid } from './errors.ts';
import type { Grant } from '../oauth/tokens.ts';
import type { Holder, SandboxState } from './state.ts';
import { scopesOf } from '../oauth/scopes.ts';

const all = scopesOf('network-a');

type Scoped = Pick<Holder, 'scopes'>;

/** The token endpoint: exchanges a code for a short-lived token, and that for a long-lived one. */
export function accessToken(sandbox: SandboxState, { query, body }: Received): unknown {
  const asked: Body = { ...query, ...body };
  for (const name of ['client_id', 'client_secret'])
    if (!asked[name]) throw new GraphError({ code: 101, message: `Missing ${name} parameter.` });
  if (asked['grant_type'] === 'fb_exchange_token') return longLived(sandbox, String(asked['fb_exchange_token']));
  if (asked['code'] !== undefined) return byCode(sandbox, asked);
  throw invalid('grant_type is not valid', { field: 'grant_type' });
}

function longLived(sandbox: SandboxState, token: string): object {
  const known = sandbox.tokens.find(token);
  if (known?.state !== 'good')
    throw new GraphError({ code: 190, message: 'Invalid OAuth access token - Cannot parse access token' });
  return issued(sandbox, 'long', known);
}

// Unconfirmed: messages and subcodes of rejected codes.
function byCode(sandbox: SandboxState, asked: Body): object {
  const [clientId, secret] = [String(asked['client_id']), String(asked['client_secret'])];
  if (!clientName(clientId)) throw new GraphError({ code: 101, message: 'Error validating application.' });
  if (!isClient(clientId, secret)) throw new GraphError({ code: 1, message: 'Error validating client secret.' });
  const redirectUri = String(asked['redirect_uri'] ?? '');
  const verifier = asked['code_verifier'] === undefined ? undefined : String(asked['code_verifier']);
  const redeemed = sandbox.codes.redeem({ code: String(asked['code']), clientId, redirectUri, verifier });
  if ('personId' in redeemed) return issued(sandbox, 'short', redeemed);
  const used = { subcode: 36009, message: 'This authorization code has been used.' };
  const problems = {
    code: used,
    client: used,
    redirect: {
      subcode: 36008,
      message:
        'Error validating verification code. Please make sure your redirect_uri is identical to the one you used in the OAuth dialog request',
    },
    verifier: { subcode: 36007, message: 'Invalid code_verifier.' },
  };
  throw new GraphError({ code: 100, ...problems[redeemed.problem] });
}

const issued = ({ tokens }: SandboxState, kind: 'short' | 'long', { personId, scopes }: Grant): object => ({
  access_token: tokens.issue(kind, { personId, scopes }),
  token_type: 'bearer',
  expires_in: tokens.lifetimeSeconds(kind),
});

/** Token details, for the app itself or a user. */
export function debugToken(sandbox: SandboxState, { query, token = '' }: Received): object {
  const [id = '', secret = ''] = token.split('|');
  if (!isClient(id, secret) && sandbox.tokens.find(token)?.state !== 'good')
    throw new GraphError({ code: 190, message: 'Invalid OAuth access token - Cannot parse access token', status: 401 });
  if (!query['input_token']) throw invalid('input_token is required', { field: 'input_token' });
  const known = sandbox.tokens.find(query['input_token']);
  if (!known)
    return { data: { error: { code: 190, message: 'Invalid OAuth access token.' }, is_valid: false, scopes: [] } };
  return { data: about(known) };
}

function about({ personId, pageId, scopes, state, expiresAt = 0 }: Omit<Holder, 'person'>): object {
  const isGood = state === 'good';
  const problem = { code: 190, message: 'Error validating access token', subcode: isGood ? 0 : 463 };
  return {
    app_id: 'sandbox-app',
    type: pageId === undefined ? 'USER' : 'PAGE',
    application: 'Sandbox',
    ...(pageId !== undefined && { profile_id: pageId }),
    ...(!isGood && { error: problem }),
    data_access_expires_at: Math.floor(Date.now() / 1000) + 90 * 86_400,
    expires_at: Math.floor(expiresAt / 1000),
    is_valid: isGood,
    scopes,
    granular_scopes: scopes.map((scope) => ({ scope })),
    user_id: personId,
  };
}

/** The granted and declined scopes of a token. */
export const permissions = ({ scopes }: Scoped): object => ({
  data: all.map((permission) => ({ permission, status: scopes.includes(permission) ? 'granted' : 'declined' })),
});

/** Rejects a call for which none of these scopes was granted. */
export function requireScope({ scopes }: Scoped, ...anyOf: string[]): void {
  if (anyOf.some((scope) => scopes.includes(scope))) return;
  throw new GraphError({
    code: 200,
    message: `(#200) Requires ${anyOf[0]} permission to manage the object`,
    status: 403,
  });
}
