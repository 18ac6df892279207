import { retryAfterIn } from '../../lib/retry-after.ts';
import { z } from 'zod';
import { isServerError, redact, serverErrorFault, unreadable, type Asked } from '../response.ts';
import { PlatformError, type PlatformFault } from '../error.ts';
import type { Answer } from '../http.ts';
import { own } from '../../lib/own.ts';

const text = z.string().optional().nullable().catch(undefined);
/** The ads API uses words, the gateway before it numbers. */
const code = z.union([z.string(), z.number().transform(String)]);
const Problem = z.object({ code, message: text, parameter: text, details: text });
type Said = z.infer<typeof Problem>;
/** A batch has a list of errors per operation and none of its own. */
const ErrorBody = z
  .object({ errors: z.array(Problem).default([]), operation_errors: z.array(z.array(Problem)).default([]) })
  .transform(({ errors, operation_errors: ofOperations }) => [...errors, ...ofOperations.flat()])
  .refine((all) => all.length > 0);

/** Invalid, missing or expired credentials. */
const tokenCodes = new Set(['UNAUTHORIZED_ACCESS', '32', '89', '215']);
const limitCodes = new Set(['TOO_MANY_REQUESTS', 'TWEET_RATE_LIMIT_EXCEEDED', '88']);
/** Missing objects; a missing route or product is a rejection. */
const isMissing = (code: string): boolean =>
  /(^|_)NOT_FOUND$/.test(code) && code !== 'ROUTE_NOT_FOUND' && !code.startsWith('INVALID_');

function faultOf({ code }: Said, status: number, asked: Asked): PlatformFault {
  if (tokenCodes.has(code) || (status === 401 && code !== 'UNAUTHORIZED_CLIENT_APPLICATION')) return 'auth_expired';
  if (status === 429 || limitCodes.has(code)) return 'rate_limited';
  // Another write holds the lock, so this one did not start.
  if (code === 'LOCK_ACQUISITION_TIMEOUT') return 'unavailable';
  // An error next to a success status leaves the outcome unknown.
  if (isServerError(status) || status < 300) return serverErrorFault(asked);
  return isMissing(code) ? 'not_found' : 'rejected';
}

const hints: Record<string, string> = {
  UNAUTHORIZED_CLIENT_APPLICATION: 'The app has no access to the ads API of the platform',
  DUPLICATE_TWEET: 'The same text was posted before; change the body',
  ACCOUNT_LOCKED_OUT: 'The user is locked at the platform and must unlock the account there',
  CURRENT_USER_SUSPENDED: 'The platform has suspended the user',
  ROUTE_NOT_FOUND: 'The platform does not serve this address in the configured API version: check PLATFORM_E_VERSION',
  READONLY_CLIENT_APPLICATION: 'The app may only read',
  '64': 'The platform has suspended the user',
  '326': 'The user is locked at the platform and must unlock the account there',
  FUNDING_INSTRUMENT_NOT_FOUND: 'The ad account has no means of payment that can be used',
};

/** Parses a successful response; any other becomes a PlatformError. */
export function parseResponse<T>(schema: z.ZodType<T>, answer: Answer, asked: Asked): T {
  const { status, headers, body } = answer;
  const bad = ErrorBody.safeParse(body);
  if (bad.success) throw refusal(bad.data, answer, asked);
  if (status >= 300) throw unreadable('E', answer, asked);
  const good = schema.safeParse(body);
  if (good.success) return good.data;
  throw new PlatformError('E', serverErrorFault(asked), 'The platform returned an unreadable response', {
    status,
    traceId: traceOf(headers),
  });
}

function refusal(errors: Said[], { status, headers }: Answer, asked: Asked): PlatformError {
  const [first] = errors;
  if (!first) throw new Error('A rejection has at least one error');
  const fault = faultOf(first, status, asked);
  const words = errors.map((said) => redact(said.message ?? said.code, asked.token)).join('; ');
  const hint = own(hints, first.code);
  return new PlatformError('E', fault, hint ? `${hint} (${words})` : words, {
    status,
    code: first.code,
    message: words,
    traceId: traceOf(headers),
    ...(fault === 'rejected' && { fields: rejectedFields(errors) }),
    ...(fault === 'rate_limited' && { retryAfterSeconds: retryAfterIn(headers) ?? resetIn(headers) }),
    ...(fault === 'unavailable' && { retryAfterSeconds: retryAfterIn(headers) }),
  });
}

const traceOf = (headers: Answer['headers']): string | undefined => {
  const id = headers['x-transaction-id'] ?? headers['x-request-id'];
  return typeof id === 'string' ? id : undefined;
};

/** The account's limit takes precedence over the general one; both reset at a Unix timestamp. */
function resetIn(headers: Answer['headers']): number {
  const reset = Number(headers['x-account-rate-limit-reset'] ?? headers['x-rate-limit-reset']);
  const seconds = Math.ceil(reset - Date.now() / 1000);
  return seconds > 0 ? seconds : 60;
}

/** Our field path by the platform's parameter name. */
const ourFields: Record<string, string> = {
  text: 'body',
  name: 'name',
  objective: 'goal',
  goal: 'goal',
  primary_web_event_tag: 'promotedObject.pixelId',
  daily_budget_amount_local_micro: 'budgetAmount',
  total_budget_amount_local_micro: 'budgetAmount',
  bid_amount_local_micro: 'bidAmount',
  end_time: 'endDate',
  start_time: 'startDate',
  targeting_value: 'countries',
  account_id: 'adAccountId',
};

const byCode: Record<string, string> = {
  DUPLICATE_TWEET: 'body',
  TWEET_IS_SPAM: 'body',
  TWEET_CANNOT_BE_BLANK: 'body',
  MALWARE_STATUS: 'linkUrl',
  FUNDING_INSTRUMENT_EXCEEDS_AVAILABLE_CREDIT_LIMIT: 'budgetAmount',
  SPEND_EXCEEDS_BUDGET: 'budgetAmount',
};

function rejectedFields(errors: Said[]): Record<string, string[]> | undefined {
  const named = errors.flatMap(({ code, parameter, message }) => {
    const field = own(byCode, code) ?? own(ourFields, parameter ?? '');
    return field ? [{ field, said: message ?? code }] : [];
  });
  return named.length > 0 ? Object.fromEntries(named.map(({ field, said }) => [field, [said]])) : undefined;
}
