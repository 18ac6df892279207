import type { FaultName } from '../faults.ts';
import type { Reply } from '../platform.ts';

export interface Violation {
  field: string;
  description: string;
}

interface ListingFault {
  code: number;
  status: string;
  message: string;
  details?: object[];
}

/** Thrown by any check; returned as the platform's error envelope. */
export class ListingError extends Error {
  readonly fault: ListingFault;

  constructor(fault: ListingFault) {
    super(fault.message);
    this.fault = fault;
  }
}

export const envelope = (fault: ListingFault): Reply => ({ status: fault.code, body: { error: fault } });

/** Field violations; fields are in the platform's internal snake case. */
export const invalid = (...fieldViolations: Violation[]): ListingError =>
  new ListingError({
    code: 400,
    message: 'Request contains an invalid argument.',
    status: 'INVALID_ARGUMENT',
    details: [{ '@type': 'type.googleapis.com/google.rpc.BadRequest', fieldViolations }],
  });

export const violation = (field: string, description: string): ListingError => invalid({ field, description });

/** A rejection with one of the platform's own error codes; their domain and the depth of the mask are unconfirmed. */
export const coded = (reason: string, fieldMask?: string, more: Record<string, string> = {}): ListingError =>
  new ListingError({
    code: 400,
    message: 'Request contains an invalid argument.',
    status: 'INVALID_ARGUMENT',
    details: [
      {
        '@type': 'type.googleapis.com/google.rpc.ErrorInfo',
        reason,
        domain: 'mybusinessbusinessinformation.googleapis.com',
        metadata: { ...(fieldMask !== undefined && { field_mask: fieldMask }), ...more },
      },
    ],
  });

export const notFound = (): ListingError =>
  new ListingError({ code: 404, message: 'Requested entity was not found.', status: 'NOT_FOUND' });

// The messages and the reasons in the details are unconfirmed.
const unauthenticated = (reason: string, message: string): ListingFault => ({
  code: 401,
  message,
  status: 'UNAUTHENTICATED',
  details: [{ '@type': 'type.googleapis.com/google.rpc.ErrorInfo', reason, domain: 'googleapis.com' }],
});
export const missingToken = unauthenticated(
  'CREDENTIALS_MISSING',
  'Request is missing required authentication credential. Expected OAuth 2 access token, login cookie or other valid authentication credential.',
);
const badToken =
  'Request had invalid authentication credentials. Expected OAuth 2 access token, login cookie or other valid authentication credential.';
export const expiredToken = unauthenticated('ACCESS_TOKEN_EXPIRED', badToken);
export const invalidToken = unauthenticated('ACCESS_TOKEN_TYPE_UNSUPPORTED', badToken);

export const scopeMissing: ListingFault = {
  code: 403,
  message: 'Request had insufficient authentication scopes.',
  status: 'PERMISSION_DENIED',
  details: [
    {
      '@type': 'type.googleapis.com/google.rpc.ErrorInfo',
      reason: 'ACCESS_TOKEN_SCOPE_INSUFFICIENT',
      domain: 'googleapis.com',
    },
  ],
};

/** A limit of 0 means that the platform has not granted access to its API. */
export const tooMany = (metric: string, limit: number): ListingFault => ({
  code: 429,
  message: `Quota exceeded for quota metric '${metric}' and limit '${metric} per minute' of service 'mybusinessbusinessinformation.googleapis.com' for consumer 'project_number:1'.`,
  status: 'RESOURCE_EXHAUSTED',
  details: [
    {
      '@type': 'type.googleapis.com/google.rpc.ErrorInfo',
      reason: 'RATE_LIMIT_EXCEEDED',
      domain: 'googleapis.com',
      metadata: {
        quota_metric: metric,
        quota_limit: 'defaultPerMinutePerProject',
        quota_limit_value: String(limit),
        quota_location: 'global',
        service: 'mybusinessbusinessinformation.googleapis.com',
        consumer: 'projects/1',
      },
    },
  ],
});

const internal = { code: 500, message: 'Internal error encountered.', status: 'INTERNAL' };
const faults: Partial<Record<FaultName, ListingFault>> = {
  http_500: internal,
  transient: { code: 503, message: 'The service is currently unavailable.', status: 'UNAVAILABLE' },
  token_expired: expiredToken,
  token_invalid: invalidToken,
  rate_limited: tooMany('Requests', 300),
  rate_limited_account: tooMany('Edits of a location', 10),
  policy_block: { code: 403, message: 'The caller does not have permission', status: 'PERMISSION_DENIED' },
};

/** The error response of an injected fault; the token endpoint has its own format. */
export function failWith(fault: FaultName, path: string): Reply {
  if (path === '/token' && fault.startsWith('token_'))
    return { status: 400, body: { error: 'invalid_grant', error_description: 'Token has been expired or revoked.' } };
  return envelope(faults[fault] ?? internal);
}
