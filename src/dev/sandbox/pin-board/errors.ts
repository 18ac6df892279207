import type { FaultName } from '../faults.ts';
import type { Reply } from '../platform.ts';

/** Thrown by any check of a whole request; returned as the platform's error body. */
export class PinError extends Error {
  readonly status: number;
  readonly code: number;

  constructor(status: number, code: number, message: string) {
    super(message);
    this.status = status;
    this.code = code;
  }
}

/** Thrown if one element of a list is invalid; the others proceed. */
export class ElementError extends Error {
  readonly code: number;

  // The documentation has no codes for elements: this one is unconfirmed.
  constructor(message: string, code = 400) {
    super(message);
    this.code = code;
  }
}

export const invalidRequest = (message: string): PinError => new PinError(400, 1, `Invalid request: ${message}`);
export const notAuthenticated = (): PinError => new PinError(401, 2, 'Authentication failed.');
/** The answer to a dead refresh token, as in pinterest/pinterest-python-sdk#114; to a dead code it is unconfirmed. */
export const invalidGrant = (): PinError => new PinError(401, 283, 'The authorization grant is invalid');
export const notPermitted = (): PinError => new PinError(403, 29, 'You are not permitted to access that resource.');
export const missingScope = (scope: string): PinError =>
  new PinError(
    401,
    3,
    `Your token does not have sufficient permissions to perform this operation. It must be authorized with these scopes: ${scope}`,
  );

/** Sent with every response; the platform has several windows, the first being the current one. */
export const rateHeaders = (remaining = 99): Record<string, string> => ({
  'X-RateLimit-Limit': '100, 100;w=1, 1000;w=60',
  'X-RateLimit-Remaining': String(remaining),
  'X-RateLimit-Reset': '1',
});

export const refusal = ({ status, code, message }: PinError): Reply => ({ status, body: { code, message } });

const tooMany = 'This request exceeded a rate limit within a short time window.';
const failures: Partial<Record<FaultName, [status: number, code: number, message: string]>> = {
  rate_limited: [429, 8, tooMany],
  rate_limited_account: [429, 8, tooMany],
  token_expired: [401, 2, 'Authentication failed.'],
  token_invalid: [401, 2, 'Authentication failed.'],
  policy_block: [403, 2625, 'Sorry, you cannot perform this action as your account has been disapproved.'],
  transient: [503, 4197, 'The endpoint has been ramped down and is currently not accepting any traffic.'],
};

/** The error response of an injected fault. */
export function failWith(fault: FaultName): Reply {
  const [status, code, message] = failures[fault] ?? [500, 500, 'Internal server error.'];
  return { ...refusal(new PinError(status, code, message)), headers: rateHeaders(status === 429 ? 0 : 99) };
}
