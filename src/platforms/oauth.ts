import { z } from 'zod';
import type { Asking, Connector, Grant, Redeeming } from './connect.ts';
import { redact } from './response.ts';
import { PlatformError } from './error.ts';
import type { Answer, Upstream } from './http.ts';
import type { ScopeTable } from './scopes.ts';
import { GrantedScopes, tokenRefused, type TokenError } from './token-errors.ts';

/** The configured app of a platform and its OAuth parameters. */
export interface OAuthApp {
  /** Name in error messages. */
  platform: string;
  authUrl: string;
  tokenUrl: string;
  clientId?: string;
  clientSecret?: string;
  scopes: ScopeTable;
  /** Additional query parameters of the consent URL. */
  asks?: Record<string, string>;
  /** Where the client credentials are sent; the form by default. */
  credentialsIn?: 'form' | 'header';
  usesChallenge?: boolean;
  /** The platform supports `login_hint`. */
  supportsLoginHint?: boolean;
  /** Recognises an invalid refresh token, if the platform uses its own error codes. */
  isInvalidGrant?: (refusal: TokenError) => boolean;
  /** Additional parameters of the code exchange. */
  exchanges?: Record<string, string>;
}

/** A token is the last one if its refresh token ends no more than this after it. */
const toleranceSeconds = 60;

const Token = z.object({
  access_token: z.string().min(1),
  refresh_token: z.string().min(1).optional(),
  expires_in: z.coerce.number().positive().optional().catch(undefined),
  /** The remaining lifetime of the refresh token; null and 0 say nothing. */
  refresh_token_expires_in: z.coerce.number().positive().optional().catch(undefined),
  scope: GrantedScopes,
  id_token: z.string().optional().catch(undefined),
});

type CodeFlow = Required<
  Pick<Connector, 'scopes' | 'isReady' | 'usesChallenge' | 'authorizeUrl' | 'exchange' | 'refresh'>
>;

/** Authorization code flow with refresh tokens (RFC 6749). */
export function codeFlow(upstream: Upstream, app: OAuthApp): CodeFlow {
  const { clientId, clientSecret, usesChallenge = false } = app;
  return {
    scopes: app.scopes,
    isReady: Boolean(clientId && clientSecret),
    usesChallenge,
    authorizeUrl: (asking) => consentUrl(app, asking),
    exchange: ({ code, redirectUri, codeVerifier }: Redeeming) =>
      tokenFor(upstream, app, {
        grant_type: 'authorization_code',
        code,
        redirect_uri: redirectUri,
        ...(codeVerifier && { code_verifier: codeVerifier }),
        ...app.exchanges,
      }),
    refresh: (refreshToken) =>
      tokenFor(upstream, app, { grant_type: 'refresh_token', refresh_token: refreshToken }).then(
        ({ claims: _claims, ...fresh }) => fresh,
      ),
  };
}

export function consentUrl(app: OAuthApp, { redirectUri, state, codeChallenge, loginHint }: Asking): string {
  const url = new URL(app.authUrl);
  const params = {
    client_id: app.clientId ?? '',
    redirect_uri: redirectUri,
    response_type: 'code',
    scope: app.scopes.asked.join(app.scopes.separator ?? ' '),
    state,
    ...(codeChallenge && { code_challenge: codeChallenge, code_challenge_method: 'S256' }),
    ...(app.supportsLoginHint && loginHint && { login_hint: loginHint }),
    ...app.asks,
  };
  for (const [name, value] of Object.entries(params)) url.searchParams.set(name, value);
  return url.href;
}

async function tokenFor(upstream: Upstream, app: OAuthApp, form: Record<string, string>): Promise<Grant> {
  const { tokenUrl, clientId = '', clientSecret = '', credentialsIn = 'form' } = app;
  const basic = Buffer.from(`${encodeURIComponent(clientId)}:${encodeURIComponent(clientSecret)}`).toString('base64');
  const answer = await upstream.call({
    method: 'POST',
    path: tokenUrl,
    // A refresh creates nothing that could be duplicated: a missing response is a plain failure.
    isSafe: form['grant_type'] === 'refresh_token',
    form: credentialsIn === 'form' ? { ...form, client_id: clientId, client_secret: clientSecret } : form,
    ...(credentialsIn === 'header' && { headers: { authorization: `Basic ${basic}` } }),
  });
  const good = Token.safeParse(answer.body);
  if (answer.status >= 300 || !good.success) throw refusalOf(app, answer, form);
  const { access_token: token, refresh_token: refreshToken, expires_in: expiresIn, scope, id_token } = good.data;
  const { refresh_token_expires_in: refreshEndsIn = Infinity } = good.data;
  return {
    token,
    refreshToken,
    isLast: expiresIn !== undefined && refreshEndsIn <= expiresIn + toleranceSeconds,
    expiresIn,
    scopes: scope,
    claims: id_token === undefined ? undefined : claimsIn(id_token),
  };
}

/** A rejected code does not affect an existing connection. */
function refusalOf(
  { platform, isInvalidGrant }: OAuthApp,
  answer: Answer,
  form: Record<string, string>,
): PlatformError {
  const { grant_type: grantType, code: secret = '' } = form;
  const { status } = answer;
  if (grantType === 'refresh_token' || status === 429 || status >= 500)
    return tokenRefused(platform, answer, isInvalidGrant);
  const text = z.string().optional().catch(undefined);
  const code = z.union([z.string(), z.number()]).optional().catch(undefined);
  const said = z.object({ error: text, error_description: text, message: text, code }).safeParse(answer.body).data;
  const reason = said?.error_description ?? said?.message;
  const message = `${authorisationRejected}${reason ? ` (${redact(reason, secret)})` : ''}`;
  return new PlatformError(platform, 'rejected', message, { status, code: said?.error ?? said?.code });
}

export const authorisationRejected = 'The platform did not accept the authorisation; start the connection again';

/** The token came straight from the platform over TLS, so its signature adds nothing. */
function claimsIn(idToken: string): Record<string, unknown> | undefined {
  try {
    return JSON.parse(Buffer.from(idToken.split('.')[1] ?? '', 'base64url').toString()) as Record<string, unknown>;
  } catch {
    return undefined;
  }
}
