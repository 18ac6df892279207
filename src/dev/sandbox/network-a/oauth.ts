import { clientName, isClient } from '../clients.ts';
import type { Received } from '../platform.ts';
import type { Body } from './checks.ts';
import { GraphError, invalid } from './errors.ts';
import type { Token, SandboxState } from './state.ts';
import { scopesOf } from '../scopes.ts';
import { issue, sixtyDays } from './people.ts';

const shortLived = 5_400;
const all = scopesOf('network-a');

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
  const known = sandbox.tokens.get(token);
  if (!known || stateOf(known) !== 'good')
    throw new GraphError({ code: 190, message: 'Invalid OAuth access token - Cannot parse access token' });
  return answerOf(issue(sandbox, { userId: known.userId, scopes: known.scopes }, sixtyDays), sixtyDays);
}

// Unconfirmed: messages and subcodes of rejected codes.
function byCode(sandbox: SandboxState, asked: Body): object {
  const [clientId, secret] = [String(asked['client_id']), String(asked['client_secret'])];
  if (!clientName(clientId)) throw new GraphError({ code: 101, message: 'Error validating application.' });
  if (!isClient(clientId, secret)) throw new GraphError({ code: 1, message: 'Error validating client secret.' });
  const redirectUri = String(asked['redirect_uri'] ?? '');
  const verifier = asked['code_verifier'] === undefined ? undefined : String(asked['code_verifier']);
  const redeemed = sandbox.codes.redeem({ code: String(asked['code']), clientId, redirectUri, verifier });
  if ('personId' in redeemed) {
    const { personId: userId, scopes } = redeemed;
    return answerOf(issue(sandbox, { userId, scopes }, shortLived), shortLived);
  }
  const problems = {
    code: { subcode: 36009, message: 'This authorization code has been used.' },
    redirect: {
      subcode: 36008,
      message:
        'Error validating verification code. Please make sure your redirect_uri is identical to the one you used in the OAuth dialog request',
    },
    verifier: { subcode: 36007, message: 'Invalid code_verifier.' },
  };
  throw new GraphError({ code: 100, ...problems[redeemed.problem] });
}

const answerOf = (token: string, seconds: number): object => ({
  access_token: token,
  token_type: 'bearer',
  expires_in: seconds,
});

/** A token is valid until it expires. */
export const stateOf = ({ state, expiresAt }: Token): Token['state'] =>
  state === 'good' && expiresAt !== undefined && expiresAt <= Date.now() ? 'expired' : state;

/** Token details, for the app itself or a user. */
export function debugToken(sandbox: SandboxState, { query, token = '' }: Received): object {
  const [id = '', secret = ''] = token.split('|');
  const asker = sandbox.tokens.get(token);
  if (!isClient(id, secret) && !(asker && stateOf(asker) === 'good'))
    throw new GraphError({ code: 190, message: 'Invalid OAuth access token - Cannot parse access token', status: 401 });
  if (!query['input_token']) throw invalid('input_token is required', { field: 'input_token' });
  const known = sandbox.tokens.get(query['input_token']);
  if (!known)
    return { data: { error: { code: 190, message: 'Invalid OAuth access token.' }, is_valid: false, scopes: [] } };
  return { data: about(known) };
}

function about(token: Token): object {
  const seconds = Math.floor((token.expiresAt ?? 0) / 1000);
  const isGood = stateOf(token) === 'good';
  const problem = { code: 190, message: 'Error validating access token', subcode: isGood ? 0 : 463 };
  return {
    app_id: 'sandbox-app',
    type: token.pageId === undefined ? 'USER' : 'PAGE',
    application: 'Sandbox',
    ...(token.pageId !== undefined && { profile_id: token.pageId }),
    ...(!isGood && { error: problem }),
    data_access_expires_at: Math.floor(Date.now() / 1000) + 90 * 86_400,
    expires_at: seconds,
    is_valid: isGood,
    scopes: token.scopes ?? all,
    granular_scopes: (token.scopes ?? all).map((scope) => ({ scope })),
    user_id: token.userId,
  };
}

/** The granted and declined scopes of a token. */
export const permissions = ({ scopes = all }: Pick<Token, 'scopes'>): object => ({
  data: all.map((permission) => ({ permission, status: scopes.includes(permission) ? 'granted' : 'declined' })),
});

/** Rejects a call for which none of these scopes was granted. */
export function requireScope({ scopes = all }: Pick<Token, 'scopes'>, ...anyOf: string[]): void {
  if (anyOf.some((scope) => scopes.includes(scope))) return;
  throw new GraphError({
    code: 200,
    message: `(#200) Requires ${anyOf[0]} permission to manage the object`,
    status: 403,
  });
}
