import { basicClientIn, bearerIn } from '../oauth/auth-server.ts';
import type { Grant } from '../oauth/tokens.ts';
import type { Received, Reply } from '../platform.ts';
import { grantRefused, titled } from './errors.ts';
import type { SandboxState } from './state.ts';

/** The part of the posting API that connecting needs. */
export function posting(sandbox: SandboxState, request: Received): Reply {
  switch (`${request.method} ${request.path}`) {
    case 'POST /2/oauth2/token':
      return exchange(sandbox, request);
    case 'GET /2/users/me':
      return me(sandbox, request);
    default:
      return titled(404, 'Not Found');
  }
}

/** A confidential client authenticates in the header; a public one sends its id in the form. */
const clientIn = (request: Received): string | undefined =>
  request.headers['authorization']?.startsWith('Basic ') ? basicClientIn(request) : request.form['client_id'];

function exchange(sandbox: SandboxState, request: Received): Reply {
  const clientId = clientIn(request);
  if (!clientId)
    return {
      status: 401,
      body: { error: 'unauthorized_client', error_description: 'Missing valid authorization header' },
    };
  const { grant_type } = request.form;
  if (grant_type === 'authorization_code') return byCode(sandbox, request.form, clientId);
  if (grant_type === 'refresh_token') return byRefreshToken(sandbox, request.form, clientId);
  return grantRefused('Value passed for the grant type was invalid.');
}

function byCode(sandbox: SandboxState, form: Record<string, string>, clientId: string): Reply {
  const { code = '', redirect_uri: redirectUri, code_verifier: verifier } = form;
  const redeemed = sandbox.codes.redeem({ code, clientId, redirectUri, verifier });
  if ('personId' in redeemed) return issued(sandbox, redeemed);
  if (redeemed.problem === 'redirect')
    return grantRefused('Value passed for the redirect uri did not match the uri of the authorization code.');
  if (redeemed.problem !== 'verifier') return grantRefused('Value passed for the authorization code was invalid.');
  return grantRefused(
    verifier
      ? 'Value passed for the code verifier did not match the code challenge.'
      : 'Missing required parameter [code_verifier].',
  );
}

/** Refresh tokens are single-use; each response contains the next one. */
function byRefreshToken(sandbox: SandboxState, form: Record<string, string>, clientId: string): Reply {
  const { refresh_token: token = '' } = form;
  const known = sandbox.tokens.findValid(token, 'refresh', clientId);
  if (!known) return grantRefused('Value passed for the token was invalid.');
  sandbox.tokens.turn(token, 'invalid');
  return issued(sandbox, { ...known, clientId });
}

const issued = ({ tokens }: SandboxState, grant: Grant): Reply => ({
  status: 200,
  body: { ...tokens.respond('access', grant, tokens.issue('refresh', grant)), token_type: 'bearer' },
});

function me(sandbox: SandboxState, request: Received): Reply {
  const holder = sandbox.holderOf(bearerIn(request), 'access');
  if (holder?.state !== 'good') return titled(401, 'Unauthorized');
  if (!holder.scopes.includes('users.read')) return titled(403, 'Forbidden');
  const { id, name, username } = holder.person;
  return { status: 200, body: { data: { id, name, username } } };
}
