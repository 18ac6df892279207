import { randomBytes } from 'node:crypto';
import type { FaultName } from '../faults.ts';
import type { Received, Reply } from '../platform.ts';

export interface PathElement {
  fieldName: string;
  index?: number;
}

/** One error of a failure: `family.CODE`, location and message. */
export interface Problem {
  code: string;
  message?: string;
  path?: PathElement[];
  trigger?: string;
  details?: Record<string, unknown>;
}

const statuses = {
  400: ['INVALID_ARGUMENT', 'Request contains an invalid argument.'],
  401: ['UNAUTHENTICATED', 'Request had invalid authentication credentials. Expected OAuth 2 access token.'],
  403: ['PERMISSION_DENIED', 'The caller does not have permission'],
  429: ['RESOURCE_EXHAUSTED', 'Resource has been exhausted (e.g. check quota).'],
  500: ['INTERNAL', 'Internal error encountered.'],
  503: ['UNAVAILABLE', 'The service is currently unavailable.'],
} as const;
export type Status = keyof typeof statuses;

/** Thrown by any check; returned as a failure with all its errors. */
export class AdsError extends Error {
  readonly problems: Problem[];
  readonly status: Status;

  constructor(problems: Problem[], status: Status = 400) {
    super(problems.map(({ code }) => code).join(', '));
    this.problems = problems;
    this.status = status;
  }
}

/** A malformed body; rejected before the service runs. */
export class JsonError extends Error {
  readonly field: string;

  constructor(message: string, field: string) {
    super(message);
    this.field = field;
  }
}

export const refusal = (code: string, status: Status = 400, options: Partial<Problem> = {}): AdsError =>
  new AdsError([{ code, ...options }], status);

/** Path elements of `ad.final_urls[0]`. */
export const elements = (path: string): PathElement[] =>
  path
    .split('.')
    .filter((part) => part !== '')
    .map((part) => {
      const [, fieldName = part, index] = /^(\w+)\[(\d+)\]$/.exec(part) ?? [];
      return { fieldName, ...(index !== undefined && { index: Number(index) }) };
    });

// Only the first message is confirmed; the others paraphrase the codes.
const texts: Record<string, string> = {
  'fieldError.REQUIRED': 'The required field was not present.',
  'authorizationError.USER_PERMISSION_DENIED':
    "User doesn't have permission to access customer. Note: If you're accessing a client customer, the manager's customer id must be set in the 'login-customer-id' header.",
  'operationAccessDeniedError.CREATE_OPERATION_NOT_PERMITTED': 'Unauthorized CREATE operation in invoking a service.',
  'requestError.UNKNOWN': 'The error code is not in this version.',
};

const textOf = (code: string): string => {
  const words = code.split('.').at(-1)?.toLowerCase().replaceAll('_', ' ') ?? code;
  return texts[code] ?? `${words.charAt(0).toUpperCase()}${words.slice(1)}.`;
};

/** A token without the scope is rejected before the ads service runs, in the format of the platform's API gateway. */
export const scopeMissing = 'ACCESS_TOKEN_SCOPE_INSUFFICIENT';

export const newRequestId = (): string => randomBytes(16).toString('base64url');

export function failureOf(problems: Problem[], version: string, requestId: string): Record<string, unknown> {
  return {
    '@type': `type.googleapis.com/google.ads.googleads.${version}.errors.GoogleAdsFailure`,
    errors: problems.map(({ code, message = textOf(code), path, trigger, details }) => {
      const [family = '', name = ''] = code.split('.');
      return {
        errorCode: { [family]: name },
        message,
        ...(trigger !== undefined && { trigger: { stringValue: trigger } }),
        ...(path && { location: { fieldPathElements: path } }),
        ...(details && { details }),
      };
    }),
    requestId,
  };
}

export function envelope({ problems, status }: AdsError, version: string): Reply {
  const requestId = newRequestId();
  const [name, message] = statuses[status];
  const details = problems.some(({ code }) => code === scopeMissing)
    ? [{ '@type': 'type.googleapis.com/google.rpc.ErrorInfo', reason: scopeMissing, domain: 'googleapis.com' }]
    : [failureOf(problems, version, requestId)];
  const error = { code: status, message, status: name, details };
  return { status, body: { error }, headers: { 'request-id': requestId } };
}

export function badJson({ message, field }: JsonError): Reply {
  const fieldViolations = [{ ...(field && { field }), description: message }];
  const details = [{ '@type': 'type.googleapis.com/google.rpc.BadRequest', fieldViolations }];
  return { status: 400, body: { error: { code: 400, message, status: 'INVALID_ARGUMENT', details } } };
}

export const oauthError = (error: string, description: string, status = 400): Reply => ({
  status,
  body: { error, error_description: description },
});

const quota = (rateScope: string, retryDelay: string): AdsError =>
  refusal('quotaError.RESOURCE_TEMPORARILY_EXHAUSTED', 429, {
    details: { quotaErrorDetails: { rateScope, rateName: 'Requests per minute', retryDelay } },
  });

const policy = refusal('policyFindingError.POLICY_FINDING', 400, {
  path: elements('mutate_operations[0].ad_group_ad_operation.create.ad'),
  details: { policyFindingDetails: { policyTopicEntries: [{ topic: 'MISLEADING_CONTENT', type: 'PROHIBITED' }] } },
});

const faults: Partial<Record<FaultName, AdsError>> = {
  transient: refusal('internalError.TRANSIENT_ERROR', 503),
  token_expired: refusal('authenticationError.OAUTH_TOKEN_EXPIRED', 401),
  token_invalid: refusal('authenticationError.OAUTH_TOKEN_REVOKED', 401),
  policy_block: policy,
  rate_limited: quota('DEVELOPER', '2s'),
  rate_limited_account: quota('ACCOUNT', '30s'),
};

/** The error response of an injected fault; streaming errors are wrapped in a list. */
export function failWith(fault: FaultName, { path }: Received): Reply {
  if (path === '/token' && fault.startsWith('token_')) return oauthError('invalid_grant', revokedTokenMessage);
  const version = /^\/(v\d+)\//.exec(path)?.[1] ?? 'v25';
  const reply = envelope(faults[fault] ?? refusal('internalError.INTERNAL_ERROR', 500), version);
  return path.endsWith(':searchStream') ? { ...reply, body: [reply.body] } : reply;
}

export const revokedTokenMessage = 'Token has been expired or revoked.';
