import type { FaultName } from '../faults.ts';
import type { Received, Reply } from '../platform.ts';

export interface Problem {
  code: string;
  message: string;
  parameter?: string;
  value?: string;
  details?: string;
}

/** Thrown by any check of the ads API; returned as its error envelope. */
export class AdsError extends Error {
  readonly status: number;
  readonly problem: Problem;

  constructor(status: number, problem: Problem) {
    super(problem.message);
    this.status = status;
    this.problem = problem;
  }
}

export const missing = (parameter: string): AdsError =>
  new AdsError(400, { code: 'MISSING_PARAMETER', message: `"${parameter}" is a required parameter`, parameter });

export const invalid = (parameter: string, message: string, value?: string): AdsError =>
  new AdsError(400, { code: 'INVALID_PARAMETER', message, parameter, ...(value !== undefined && { value }) });

export const refused = (code: string, message: string, parameter?: string): AdsError =>
  new AdsError(400, { code, message, ...(parameter && { parameter }) });

export const notFound = (what: string, id: string, parameter?: string): AdsError =>
  new AdsError(404, {
    code: `${what}_NOT_FOUND`,
    message: `${what.toLowerCase().replaceAll('_', ' ')} ${id} was not found`,
    ...(parameter && { parameter }),
  });

export const forbidden = (code: string, message: string): AdsError => new AdsError(403, { code, message });

export const unauthorized = (): AdsError =>
  new AdsError(401, { code: 'UNAUTHORIZED_ACCESS', message: 'This request is not properly authenticated' });

export const methodNotAllowed = (): AdsError =>
  new AdsError(405, { code: 'METHOD_NOT_ALLOWED', message: 'The method is not allowed here' });

/** The legacy token endpoints use numeric codes. */
export const numbered = (code: number, message: string, status = 401): Reply => ({
  status,
  body: { errors: [{ code, message }] },
});

/** The posting API returns a single problem object. */
export const titled = (status: number, title: string, detail = title): Reply => ({
  status,
  body: { title, type: 'about:blank', status, detail },
});

export const envelope = ({ status, problem }: AdsError, params: Record<string, unknown>): Reply => ({
  status,
  body: { errors: [problem], request: { params } },
});

const tooMany = new AdsError(429, { code: 'TOO_MANY_REQUESTS', message: 'Too many requests' });
const internal = new AdsError(500, { code: 'INTERNAL_ERROR', message: 'An internal error occurred' });
const faults: Partial<Record<FaultName, AdsError>> = {
  http_500: internal,
  transient: new AdsError(503, { code: 'OVER_CAPACITY', message: 'The service is over capacity' }),
  token_expired: unauthorized(),
  token_invalid: unauthorized(),
  rate_limited: tooMany,
  rate_limited_account: tooMany,
};
const blockedTweet = forbidden('TWEET_IS_SPAM', 'The text looks automated and was not published');
const blocked = forbidden('ACTION_NOT_ALLOWED', 'This action is not allowed');

/** Seconds until an injected rate limit resets. */
const waitSeconds = 2;

const headersOf: Partial<Record<FaultName, () => Record<string, string>>> = {
  transient: () => ({ 'retry-after': '2' }),
  rate_limited: () => spent('x-rate-limit'),
  rate_limited_account: () => ({ ...spent('x-rate-limit'), ...spent('x-account-rate-limit') }),
};

const spent = (prefix: string): Record<string, string> => ({
  [`${prefix}-limit`]: '450',
  [`${prefix}-remaining`]: '0',
  [`${prefix}-reset`]: String(Math.floor(Date.now() / 1000) + waitSeconds),
});

/** The error response of an injected fault, in the format of the called API. */
export function failWith(fault: FaultName, request: Received): Reply {
  const policy = request.path.endsWith('/tweet') ? blockedTweet : blocked;
  const error = fault === 'policy_block' ? policy : (faults[fault] ?? internal);
  const headers = headersOf[fault]?.();
  return { ...inFormOf(request, error), ...(headers && { headers }) };
}

function inFormOf({ path, query }: Received, error: AdsError): Reply {
  const { status, problem } = error;
  // 131 and 88 are the legacy codes of an internal error and of a rate limit.
  if (path.startsWith('/oauth/'))
    return numbered(status === 401 ? 89 : status === 429 ? 88 : 131, problem.message, status);
  if (path === '/2/oauth2/token' && status === 401) return grantRefused('Value passed for the token was invalid.');
  if (path.startsWith('/2/')) return titled(status, problem.message);
  return envelope(error, query);
}

/** The token endpoint returns `invalid_request` instead of the standard `invalid_grant`. */
export const grantRefused = (description: string): Reply => ({
  status: 400,
  body: { error: 'invalid_request', error_description: description },
});
