import { z } from 'zod';
import { PlatformError } from './error.ts';
import type { Answer } from './http.ts';

/** Granted scopes in any format of the platforms: a string separated by spaces or commas, or a list of strings or numbers. */
export const GrantedScopes = z
  .union([z.string(), z.array(z.union([z.string(), z.number()]))])
  .transform((said) => (typeof said === 'string' ? said.split(/[\s,]+/) : said.map(String)).filter(Boolean))
  // A response without scopes means that the requested or stored scopes apply.
  .transform((scopes) => (scopes.length > 0 ? scopes : undefined))
  .optional()
  .catch(undefined);

const TokenErrorBody = z.object({
  error: z.string().optional(),
  error_description: z.string().optional().catch(undefined),
  code: z.unknown().optional(),
});

/**
 * Only these codes mean that a refresh token is invalid; any other error may be temporary and disconnects no account.
 */
const invalidGrantCodes = new Set(['invalid_grant', 'invalid_token', 'invalid_refresh_token', 'access_denied']);

/** The error of a token endpoint: `error` and `error_description` as in RFC 6749, or a code of the platform. */
export interface TokenError {
  error: string | undefined;
  description: string | undefined;
  code: unknown;
  status: number;
}

const hasInvalidGrantCode = ({ error }: TokenError): boolean => error !== undefined && invalidGrantCodes.has(error);

/** Describes why the token endpoint returned no token. */
export function tokenRefused(
  platform: string,
  { status, body }: Answer,
  isInvalidGrant = hasInvalidGrantCode,
): PlatformError {
  const { error, error_description: description, code } = TokenErrorBody.safeParse(body).data ?? {};
  return status >= 400 && status < 500 && isInvalidGrant({ error, description, code, status })
    ? new PlatformError(platform, 'auth_expired', 'The platform no longer accepts this connection', {
        status,
        code: error,
      })
    : new PlatformError(platform, 'unavailable', `The platform returned no new token (${status})`, {
        status,
        code: error,
      });
}
