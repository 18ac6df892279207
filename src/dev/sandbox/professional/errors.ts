import type { FaultName } from '../faults.ts';
import type { Reply } from '../platform.ts';

export interface Problem {
  status: number;
  message?: string;
  code?: string;
  serviceErrorCode?: number;
  /** Path of the invalid field. */
  field?: string;
  /** Several faults of one request. */
  faults?: Problem[];
}

/** Thrown by any check; returned as the platform's error envelope. */
export class RestError extends Error {
  readonly problem: Problem;

  constructor(problem: Problem) {
    super(problem.message ?? String(problem.status));
    this.problem = problem;
  }
}

/** Each invalid field is one entry; the entries of conditions are listed apart. Their format is unconfirmed. */
export function bodyOf({ field, faults, ...problem }: Problem): Record<string, unknown> {
  const all = faults ?? (field === undefined ? [] : [{ ...problem, field }]);
  if (all.length === 0) return { ...problem };
  const entries = all.map(({ message: description, code = 'INVALID_VALUE_FOR_FIELD', field: fieldPath }) => ({
    description,
    code,
    input: { inputPath: { fieldPath } },
  }));
  const isConditional = ({ code }: { code: string }): boolean => code.startsWith('CONDITIONAL_');
  const errorDetails = {
    inputErrors: entries.filter((entry) => !isConditional(entry)),
    conditionalInputErrors: entries.filter(isConditional),
  };
  return { ...problem, errorDetailType: 'com.linkedin.common.error.BadRequest', errorDetails };
}

export const envelope = (problem: Problem): Reply => ({
  status: problem.status,
  body: bodyOf(problem),
  headers: { 'x-restli-error-response': 'true' },
});

export const syntaxError = (where: string): RestError =>
  new RestError({ status: 400, code: 'ILLEGAL_ARGUMENT', message: `Syntax exception in ${where}` });

/** The code of an unsupported parameter is unconfirmed. */
export const badParam = (name: string, message = 'Invalid param'): RestError =>
  new RestError({ status: 400, code: 'PARAM_INVALID', message: `${message}: ${name}`, field: name });

export const badRequest = (message: string, code = 'BAD_REQUEST'): RestError =>
  new RestError({ status: 400, code, message });

/** An invalid field of an account, group or campaign, with a code of the platform's registry. */
export const invalid = (field: string, message: string, code = 'INVALID_VALUE_FOR_FIELD'): RestError =>
  new RestError({ status: 400, code, message: `/${field} ${message}`, field });

/** Runs all checks; several faults are reported at once, in a text that names none of them. */
export function together(...checks: (() => void)[]): void {
  const faults = checks.flatMap((check) => {
    try {
      check();
      return [];
    } catch (error) {
      if (error instanceof RestError && error.problem.status === 400) return [error];
      throw error;
    }
  });
  const [first] = faults;
  if (first && faults.length === 1) throw first;
  if (first)
    throw new RestError({
      status: 400,
      code: 'MULTIPLE_VALIDATIONS_FAILED',
      message: 'Multiple errors occurred during the input validation. Please see errorDetails for more information.',
      faults: faults.map(({ problem }) => problem),
    });
}

/** An invalid field of a post or creative; the codes are unconfirmed. */
export const unprocessable = (field: string, message: string, code = 'INVALID_VALUE_FOR_FIELD'): RestError =>
  new RestError({ status: 422, code, message: `ERROR :: /${field} :: ${message}`, field });

/** All schema violations of a body, one line each. */
export const misshapen = (problems: string[]): RestError =>
  new RestError({ status: 422, code: 'UNPROCESSABLE_ENTITY', message: `${problems.join('\n')}\n` });

export const forbidden = (what: string): RestError =>
  new RestError({
    status: 403,
    code: 'ACCESS_DENIED',
    serviceErrorCode: 100,
    message: `Not enough permissions to access: ${what}`,
  });

export const forbiddenField = (field: string): RestError =>
  new RestError({
    status: 403,
    code: 'ACCESS_DENIED',
    serviceErrorCode: 100,
    message: `Unpermitted fields present in REQUEST_BODY: Data Processing Exception while processing fields [/${field}]`,
  });

export const notFound = (what: string): RestError =>
  new RestError({ status: 404, code: 'NOT_FOUND', message: `Could not find entity ${what}` });

export const noResource = (): RestError =>
  new RestError({ status: 404, code: 'RESOURCE_NOT_FOUND', message: 'No virtual resource found' });

const tokenProblem = (serviceErrorCode: number, code: string, message: string): Problem => ({
  status: 401,
  serviceErrorCode,
  code,
  message,
});

export const tokenProblems = {
  missing: tokenProblem(65_604, 'EMPTY_ACCESS_TOKEN', 'Empty oauth2 access token'),
  unknown: tokenProblem(65_600, 'INVALID_ACCESS_TOKEN', 'Invalid access token'),
  invalid: tokenProblem(65_601, 'REVOKED_ACCESS_TOKEN', 'The token used in the request has been revoked by the user'),
  expired: tokenProblem(65_602, 'EXPIRED_ACCESS_TOKEN', 'The token used in the request has expired'),
};

const throttled = (quota: string): Problem => ({
  status: 429,
  serviceErrorCode: 101,
  code: 'TOO_MANY_REQUESTS',
  message: `Resource level throttle ${quota} DAY limit for calls to this resource is reached.`,
});

const broken: Problem = { status: 500, code: 'INTERNAL_SERVER_ERROR', message: 'Internal Server Error' };

/** Codes other than the statuses are unconfirmed. */
const faults: Partial<Record<FaultName, Problem>> = {
  http_500: broken,
  transient: { status: 503, code: 'SERVICE_UNAVAILABLE', message: 'Service Unavailable' },
  token_expired: tokenProblems.expired,
  token_invalid: tokenProblems.invalid,
  policy_block: { status: 403, code: 'MEMBER_RESTRICTED', serviceErrorCode: 100, message: 'Member is restricted' },
  rate_limited: throttled('APPLICATION'),
  rate_limited_account: throttled('MEMBER'),
};

/** The error response of an injected fault, without a Retry-After header. */
export const failWith = (fault: FaultName): Reply => envelope(faults[fault] ?? broken);
