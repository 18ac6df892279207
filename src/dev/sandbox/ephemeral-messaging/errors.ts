import { randomUUID } from 'node:crypto';
import type { FaultName } from '../faults.ts';
import type { Reply } from '../platform.ts';

/** The platform's wrapped error; the codes of `E` and digits are unconfirmed. */
export const wrapped = (status: number, code: string, message: string): Reply => ({
  status,
  body: {
    request_status: 'ERROR',
    request_id: randomUUID(),
    error_code: code,
    display_message: message,
    debug_message: message,
  },
});

export const notFound = (): Reply => wrapped(404, 'E3002', 'Resource can not be found');
export const forbidden = (): Reply =>
  wrapped(403, 'AUTHORIZATION_PERMISSION_DENIED', 'User does not have permission to access this resource');
export const invalid = (message: string): Reply => wrapped(400, 'E1001', message);
export const unauthorized = (message: string): Reply => wrapped(401, 'E1008', message);

/** The response for clients that are not on the platform's allowlist. */
export const notListed: Reply = { status: 403, body: undefined };

export const refused = (error: string, description: string, status = 400): Reply => ({
  status,
  body: { error, error_description: description },
});

const faults: Partial<Record<FaultName, () => Reply>> = {
  transient: () => wrapped(503, 'E2003', 'The service is temporarily unavailable'),
  token_expired: () => unauthorized('The access token expired'),
  token_invalid: () => unauthorized('The access token is invalid'),
  rate_limited: () => wrapped(429, 'E2004', 'Too many requests'),
  rate_limited_account: () => wrapped(429, 'E2004', 'Too many requests of this token'),
  policy_block: () => notListed,
};

/** The error response of an injected fault; the token endpoint has its own format. */
export function failWith(fault: FaultName, path: string): Reply {
  if (path.startsWith('/login/') && fault.startsWith('token_'))
    return refused('invalid_grant', 'The refresh token is invalid');
  return faults[fault]?.() ?? wrapped(500, 'E2001', 'Unexpected error');
}
