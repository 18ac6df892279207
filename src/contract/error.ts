/** Every public error code with its HTTP status. */
export const errorStatus = {
  missing_required_field: 400,
  invalid_field_value: 400,
  unknown_field: 400,
  malformed_request: 400,
  mutually_exclusive_fields: 400,
  invalid_json_body: 400,
  webhook_limit_reached: 400,
  api_key_limit_reached: 400,
  unsafe_url: 400,
  invalid_graphql_request: 400,
  query_too_deep: 400,
  query_too_long: 400,
  query_too_costly: 400,
  too_many_aliases: 400,
  too_many_directives: 400,
  missing_credentials: 401,
  invalid_credentials: 401,
  platform_token_expired: 401,
  ads_access_required: 403,
  insufficient_permissions: 403,
  profile_forbidden: 403,
  profile_limit_exceeded: 403,
  budget_limit_exceeded: 403,
  api_key_not_found: 404,
  profile_not_found: 404,
  account_not_found: 404,
  campaign_not_found: 404,
  ad_not_found: 404,
  ad_set_not_found: 404,
  webhook_not_found: 404,
  delivery_not_found: 404,
  job_not_found: 404,
  page_not_available: 404,
  location_not_found: 404,
  route_not_found: 404,
  method_not_allowed: 405,
  not_acceptable: 406,
  budget_level_mismatch: 409,
  schedule_level_mismatch: 409,
  budget_changed: 409,
  affected_changed: 409,
  order_in_progress: 409,
  stop_in_force: 409,
  idempotency_in_progress: 409,
  profile_name_conflict: 409,
  profile_not_empty: 409,
  webhook_secret_damaged: 409,
  reconnect_account_mismatch: 409,
  body_too_large: 413,
  unsupported_media_type: 415,
  ads_connection_required: 422,
  linked_account_required: 422,
  missing_platform_permission: 422,
  idempotency_key_reused: 422,
  location_required: 422,
  rate_limited: 429,
  too_many_subscriptions: 429,
  connection_failed: 500,
  internal_error: 500,
  unsupported_platform_operation: 501,
  platform_api_error: 502,
  temporarily_unavailable: 503,
} as const satisfies Record<string, number>;

export type ErrorCode = keyof typeof errorStatus;

/** All statuses that a code is returned with; a platform error keeps its class of status. */
export const statusesOf = (code: ErrorCode): number[] =>
  code === 'platform_api_error' ? [400, 404, 502] : [errorStatus[code]];

export const errorTypes = [
  'invalid_request_error',
  'authentication_error',
  'permission_error',
  'not_found',
  'rate_limit_error',
  'platform_error',
  'api_error',
] as const;
export type ErrorType = (typeof errorTypes)[number];

/** All problems found, by dotted field path. */
export type FieldProblems = Record<string, string[]>;

export interface ErrorExtras {
  param?: string;
  details?: Record<string, unknown>;
  platform?: string;
  platformError?: Record<string, unknown>;
  /** Overrides the table where one code has two statuses (platform_api_error). */
  status?: number;
  /** Something may already have been created: keep the Idempotency-Key so that a retry resumes. */
  holdsKey?: boolean;
  retryAfterSeconds?: number;
  /** The methods that a path supports: the header `Allow` of a 405. */
  allow?: string;
}

/** An error for the caller: its message may be shown, its cause is only logged. */
export class AppError extends Error {
  override readonly name = 'AppError';
  readonly code: ErrorCode;
  readonly extras: ErrorExtras;

  constructor(code: ErrorCode, message: string, extras: ErrorExtras = {}, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
    this.extras = extras;
  }

  get status(): number {
    return this.extras.status ?? errorStatus[this.code];
  }
}

/** The `type` of an error body: the category a client branches on first. */
export const errorType = (code: ErrorCode, status: number = errorStatus[code]): ErrorType => {
  if (code === 'platform_api_error' || code === 'platform_token_expired') return 'platform_error';
  if (status === 401) return 'authentication_error';
  if (status === 403) return 'permission_error';
  if (status === 404) return 'not_found';
  if (status === 429) return 'rate_limit_error';
  return status >= 500 && status !== 501 ? 'api_error' : 'invalid_request_error';
};

export const methodNotAllowed = (path: string, allow: string): AppError =>
  new AppError('method_not_allowed', `${shortened(path, maxPathLength)} supports ${allow}`, { allow });

export const routeNotFound = (path: string, hint: string): AppError =>
  new AppError('route_not_found', `No route ${shortened(path, maxPathLength)}; ${hint}`);

/** One problem found in an input, before problems are combined into the response. */
export interface Problem {
  code: ErrorCode;
  path: string;
  message: string;
}

/** Enough for any genuine request. */
export const maxProblems = 100;
const maxPathLength = 200;
const maxMessageLength = 500;

/** Truncates a string and marks the truncation. */
export const shortened = (text: string, most: number): string =>
  text.length <= most ? text : `${text.slice(0, most).replace(/[\uD800-\uDBFF]$/, '')}...`;

/** A value that is not right, by the path of its field. */
export const invalidValue = (path: string, message: string): Problem => ({
  code: 'invalid_field_value',
  path,
  message,
});

/** A 400 that names one field and says what would be right. */
export const invalidField = (path: string, message: string): AppError => invalidInput([invalidValue(path, message)]);

/** Combines at most a hundred problems into one 400; the first one determines `code` and `param`. */
export function invalidInput(problems: Problem[]): AppError {
  // A map, because a caller may send a field named like an inherited property.
  const fields = new Map<string, string[]>();
  for (const { path, message } of problems.slice(0, maxProblems)) {
    const key = shortened(path, maxPathLength);
    fields.set(key, [...(fields.get(key) ?? []), shortened(message, maxMessageLength)]);
  }
  const first = problems[0] ?? { code: 'invalid_field_value', path: '', message: 'Invalid input' };
  const [param, message] = [shortened(first.path, maxPathLength), shortened(first.message, maxMessageLength)];
  const isTruncated = problems.length > maxProblems;
  const details = { fields: Object.fromEntries(fields) satisfies FieldProblems, ...(isTruncated && { isTruncated }) };
  const text = (param === '' ? message : `${param}: ${message}`) + moreThan(problems.length);
  return new AppError(first.code, text, { param: param || undefined, details });
}

const moreThan = (count: number): string => {
  if (count > maxProblems) return ` (and more, details.fields lists the first ${maxProblems} problems)`;
  return count > 1 ? ` (and ${count - 1} more, see details.fields)` : '';
};

/** The flat body of every error: REST returns it directly, GraphQL under `extensions`. */
export interface ErrorBody {
  error: string;
  type: ErrorType;
  code: ErrorCode;
  param?: string;
  details?: Record<string, unknown>;
  platform?: string;
  platformError?: Record<string, unknown>;
  requestId: string;
}

/** A detailed error always has `details`. */
export function errorBody(error: AppError, requestId: string, isDetailed = false): ErrorBody {
  const { param, platform, platformError } = error.extras;
  const details = error.extras.details ?? (isDetailed ? {} : undefined);
  const type = errorType(error.code, error.status);
  return { error: error.message, type, code: error.code, param, details, platform, platformError, requestId };
}

/** Generic 500 body with the request id. */
export const unexpected = (cause: unknown): AppError =>
  new AppError('internal_error', 'Internal error. Quote the request id when you report it.', {}, { cause });
