import { createHash } from 'node:crypto';
import type { Received, Reply } from '../platform.ts';
import { scopesOf } from '../oauth/scopes.ts';
import { grantRefused, titled } from './errors.ts';
import { bearerSeconds, issueBearer } from './people.ts';
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
function clientIn({ headers, form }: Received): string | undefined {
  const basic = /^Basic (.+)$/.exec(headers['authorization'] ?? '')?.[1];
  if (basic === undefined) return form['client_id'];
  const [id = '', clientSecret] = Buffer.from(basic, 'base64').toString().split(':');
  return clientSecret ? decodeURIComponent(id) : undefined;
}

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

const challengeOf = (verifier: string): string => createHash('sha256').update(verifier).digest('base64url');

function byCode(sandbox: SandboxState, form: Record<string, string>, clientId: string): Reply {
  const { code = '', redirect_uri, code_verifier } = form;
  const known = sandbox.codes.get(code);
  if (known?.codeChallenge !== undefined && !code_verifier)
    return grantRefused('Missing required parameter [code_verifier].');
  if (!known || known.isUsed || known.clientId !== clientId)
    return grantRefused('Value passed for the authorization code was invalid.');
  if (known.redirectUri !== redirect_uri)
    return grantRefused('Value passed for the redirect uri did not match the uri of the authorization code.');
  if (known.codeChallenge !== undefined && challengeOf(code_verifier ?? '') !== known.codeChallenge)
    return grantRefused('Value passed for the code verifier did not match the code challenge.');
  sandbox.codes.put(code, { ...known, isUsed: true });
  return issue(sandbox, { userId: known.userId, clientId, scopes: known.scopes });
}

/** Refresh tokens are single-use; each response contains the next one. */
function byRefreshToken(sandbox: SandboxState, form: Record<string, string>, clientId: string): Reply {
  const known = sandbox.tokens.get(form['refresh_token'] ?? '');
  const isOwn = known?.clientId === undefined || known.clientId === clientId;
  if (known?.kind !== 'refresh' || known.state !== 'good' || !isOwn)
    return grantRefused('Value passed for the token was invalid.');
  sandbox.tokens.put(known.token, { ...known, state: 'invalid' });
  return issue(sandbox, { userId: known.userId, clientId, scopes: known.scopes });
}

function issue(sandbox: SandboxState, who: { userId: string; clientId: string; scopes?: string[] }): Reply {
  const { scopes = scopesOf('microblog') } = who;
  const { accessToken, refreshToken } = issueBearer(sandbox, who);
  return {
    status: 200,
    body: {
      token_type: 'bearer',
      expires_in: bearerSeconds,
      access_token: accessToken,
      scope: scopes.join(' '),
      refresh_token: refreshToken,
    },
  };
}

function me(sandbox: SandboxState, { headers }: Received): Reply {
  const token = /^Bearer (.+)$/.exec(headers['authorization'] ?? '')?.[1];
  const known = sandbox.tokens.get(token ?? '');
  const isLive = known?.kind === 'bearer' && known.state === 'good' && (known.expiresAt ?? 0) > Date.now();
  const person = isLive && sandbox.people.get(known.userId);
  if (!person) return titled(401, 'Unauthorized');
  if (known.scopes?.includes('users.read') === false) return titled(403, 'Forbidden');
  return { status: 200, body: { data: { id: person.id, name: person.name, username: person.username } } };
}
