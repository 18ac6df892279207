import { z } from 'zod';
import { PlatformError, type PlatformFault } from '../error.ts';
import type { Answer, Upstream } from '../http.ts';
import type { FreshToken } from '../platform.ts';
import { Token } from './wire.ts';

export interface TokenConfig {
  tokenUrl: string;
  clientId?: string;
  clientSecret?: string;
}

const Refused = z.object({ error: z.string(), error_description: z.string().optional().catch(undefined) });

/** Refresh tokens do not rotate, so a repeated refresh is harmless. */
export async function refresh(
  upstream: Upstream,
  { tokenUrl, clientId, clientSecret }: TokenConfig,
  refreshToken: string,
): Promise<FreshToken> {
  if (!clientId || !clientSecret) {
    throw new PlatformError('B', 'unsupported', 'This installation has no client id and secret for the platform');
  }
  const form = {
    grant_type: 'refresh_token',
    client_id: clientId,
    client_secret: clientSecret,
    refresh_token: refreshToken,
  };
  const answer = await upstream.call({ method: 'POST', path: tokenUrl, form, isSafe: true });
  const fresh = Token.safeParse(answer.body);
  if (answer.status >= 300 || !fresh.success) throw refusalOf(answer);
  const { access_token: token, expires_in: expiresIn, refresh_token: rotated, scope: scopes } = fresh.data;
  return { token, expiresIn, scopes, ...(rotated && { refreshToken: rotated }) };
}

function refusalOf({ status, body }: Answer): PlatformError {
  const { error: code, error_description: said } = Refused.safeParse(body).data ?? { error: undefined };
  const message = said ?? 'The platform returned no new token';
  return new PlatformError('B', faultOf(status, code), message, {
    status,
    code,
    ...(status === 429 && { retryAfterSeconds: 60 }),
  });
}

function faultOf(status: number, code: string | undefined): PlatformFault {
  if (code === 'invalid_grant') return 'auth_expired';
  if (status === 429) return 'rate_limited';
  return status >= 400 && status < 500 ? 'rejected' : 'unavailable';
}
