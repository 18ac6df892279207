import { createHash } from 'node:crypto';
import type { Consent, Received, Reply } from '../platform.ts';
import type { Collection } from '../state.ts';
import { invalidRequest, notAuthenticated, PinError } from './errors.ts';
import {
  accessSeconds,
  addPerson,
  addTokens,
  allScopes,
  refreshSeconds,
  secretOf,
  seconds,
  type RefreshToken,
  type SandboxState,
} from './state.ts';

export interface Code {
  consent: Consent;
  userId: string;
  expiresAt: number;
  isUsed: boolean;
}

/** An authorization code of the consenting user, or of a new one. */
export function grant(sandbox: SandboxState, codes: Collection<Code>, consent: Consent): string {
  const known = consent.personId && sandbox.people.get(consent.personId);
  const person = known || addPerson(sandbox, { name: consent.name, currencies: ['USD'] });
  const code = secretOf('');
  codes.put(code, { consent, userId: person.id, expiresAt: seconds() + 600, isUsed: false });
  return code;
}

/** The client in the basic auth header; any non-empty secret is accepted. */
function clientOf({ headers }: Received): string {
  const [, basic = ''] = /^Basic (.+)$/.exec(headers['authorization'] ?? '') ?? [];
  const [, id, secret] = /^([^:]+):(.+)$/.exec(Buffer.from(basic, 'base64').toString()) ?? [];
  if (id === undefined || secret === undefined) throw notAuthenticated();
  return id;
}

// The documentation has no bodies for invalid codes and refresh tokens: code and message are unconfirmed.
const dead = (what: string): PinError => invalidRequest(`the ${what} is invalid, expired or already used`);

export function exchange(sandbox: SandboxState, codes: Collection<Code>, request: Received): Reply {
  const clientId = clientOf(request);
  const { form } = request;
  const { grant_type: type } = form;
  if (type !== 'authorization_code' && type !== 'refresh_token')
    throw invalidRequest("'grant_type' must be one of authorization_code, refresh_token");
  const grantOf = type === 'refresh_token' ? renewed(sandbox, form, clientId) : fromCode(codes, form, clientId);
  const { access, refresh } = addTokens(sandbox, { ...grantOf, clientId });
  const body = {
    response_type: type,
    access_token: access.token,
    token_type: 'bearer',
    expires_in: accessSeconds,
    scope: access.scopes.join(' '),
    refresh_token: refresh.token,
    refresh_token_expires_in: refreshSeconds,
    refresh_token_expires_at: refresh.expiresAt,
  };
  return { status: 200, body };
}

type Granted = Pick<RefreshToken, 'userId' | 'scopes' | 'isTrial'>;

function fromCode(codes: Collection<Code>, form: Record<string, string>, clientId: string): Granted {
  const { code = '', redirect_uri: redirectUri, code_verifier: verifier = '' } = form;
  if (!code || !redirectUri) throw invalidRequest("'code' and 'redirect_uri' are required properties");
  const known = codes.get(code);
  const { codeChallenge: challenge } = known?.consent ?? {};
  const isProven = challenge === undefined || createHash('sha256').update(verifier).digest('base64url') === challenge;
  const isGood =
    known?.consent.redirectUri === redirectUri && known.consent.clientId === clientId && known.expiresAt > seconds();
  if (!known || !isGood || !isProven || known.isUsed) throw dead('authorization code');
  codes.put(code, { ...known, isUsed: true });
  return { userId: known.userId, scopes: known.consent.scopes ?? allScopes, isTrial: false };
}

/** Refresh tokens are single-use; the response contains the next one. */
function renewed(
  sandbox: SandboxState,
  { refresh_token: token = '' }: Record<string, string>,
  clientId: string,
): Granted {
  if (!token) throw invalidRequest("'refresh_token' is a required property");
  const known = sandbox.refreshTokens.get(token);
  const isOwn = known?.clientId === undefined || known.clientId === clientId;
  if (!known || !isOwn || known.state !== 'good' || known.expiresAt <= seconds()) throw dead('refresh token');
  sandbox.refreshTokens.put(token, { ...known, state: 'invalid' });
  return known;
}
