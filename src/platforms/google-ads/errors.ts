import { z } from 'zod';
import { isServerError } from '../response.ts';
import { PlatformError, type PlatformFault } from '../error.ts';
import type { Answer } from '../http.ts';
import { scopeTables } from '../scopes.ts';
import { classOf, knownCode, waitAfter, type CodeClass } from './error-codes.ts';
import { rejectedField } from './field-errors.ts';
import type { Operation } from './wire.ts';

/** A field of an unexpected type counts as absent, so that it does not hide the fields next to it. */
const text = z.string().optional().catch(undefined);
const index = z
  .union([z.int(), z.string().regex(/^\d+$/).transform(Number)])
  .optional()
  .catch(undefined);
const Topics = z.array(z.object({ topic: z.string() })).catch([]);

const AdsError = z.object({
  errorCode: z.record(z.string(), z.unknown()).catch({}),
  message: z.string().catch(''),
  location: z
    .object({ fieldPathElements: z.array(z.object({ fieldName: z.string(), index })).catch([]) })
    .catch({ fieldPathElements: [] }),
  details: z
    .object({
      unpublishedErrorCode: text,
      quotaErrorDetails: z.object({ rateScope: text, retryDelay: text }).optional().catch(undefined),
      policyFindingDetails: z.object({ policyTopicEntries: Topics }).optional().catch(undefined),
    })
    .optional()
    .catch(undefined),
});
type AdsError = z.infer<typeof AdsError>;

const ScopeMissing = z.object({ reason: z.literal('ACCESS_TOKEN_SCOPE_INSUFFICIENT') });
const adsScope = scopeTables['search-display'].asked.slice(0, 1);
const Failure = z.object({ errors: z.array(AdsError).min(1), requestId: text });
const Status = z.object({
  code: z.number().optional().catch(undefined),
  message: z.string().catch('The platform rejected the request'),
  status: text,
  details: z.array(z.unknown()).catch([]),
});
const Envelope = z.object({ error: Status });
/** Streaming endpoints wrap an error in an array. */
const ErrorBody = z.union([Envelope, z.tuple([Envelope]).transform(([only]) => only)]);

export interface Asked {
  isWrite: boolean;
  /** Redacted from all texts. */
  secrets: string[];
  /** The operations of a mutate, to map a rejection to a field. */
  operations?: Operation[];
}

/** Parses a successful response; any other becomes a PlatformError. */
export function parseResponse<T>(schema: z.ZodType<T>, answer: Answer, asked: Asked): T {
  const bad = ErrorBody.safeParse(answer.body);
  if (bad.success) throw refusal(bad.data.error, answer, asked);
  const good = schema.safeParse(answer.body);
  if (answer.status < 300 && good.success) return good.data;
  const fault = unparsedFault(answer.status, asked);
  throw new PlatformError('B', fault, `The platform returned an unreadable response (${answer.status})`, {
    status: answer.status,
    ...(fault === 'rate_limited' && { retryAfterSeconds: waitAfter([]) }),
  });
}

/** Only a plain rejection is certain; any other response may hide a created object. */
function unparsedFault(status: number, { isWrite }: Asked): PlatformFault {
  if (status === 429) return 'rate_limited';
  if (status >= 400 && !isServerError(status)) return 'rejected';
  return isWrite ? 'unknown_outcome' : 'unavailable';
}

interface Problem {
  code: string;
  message: string;
  field?: string;
}

function refusal(status: z.infer<typeof Status>, answer: Answer, asked: Asked): PlatformError {
  const failure = status.details.map((detail) => Failure.safeParse(detail)).find(({ success }) => success)?.data;
  const problems = (failure?.errors ?? []).map((error): Problem => problemOf(error, asked));
  const code = problems[0]?.code ?? status.status;
  const hint = knownCode(code)?.hint;
  const said = [...new Set(problems.map(({ message }) => message).filter(Boolean))].join('; ');
  const message = cleanOf(said || status.message, asked);
  const fields = fieldsOf(problems, asked);
  const fault = faultOf(
    problems.map((problem) => problem.code),
    { answer, asked, hasRejectedField: fields !== undefined, status: status.status },
  );
  return new PlatformError('B', fault, hint ? `${hint} (${message})` : message, {
    status: answer.status,
    code,
    title: status.status,
    message,
    traceId: failure?.requestId ?? headerOf(answer),
    ...(status.details.some((detail) => ScopeMissing.safeParse(detail).success) && { missingScopes: adsScope }),
    fields,
    ...(fault === 'rate_limited' && { retryAfterSeconds: waitIn(failure?.errors, problems) }),
  });
}

interface Seen {
  answer: Answer;
  asked: Asked;
  hasRejectedField: boolean;
  status?: string;
}

function faultOf(codes: string[], { answer, asked, hasRejectedField, status }: Seen): PlatformFault {
  const is = (name: CodeClass): boolean => codes.some((code) => classOf(code) === name);
  if (is('token')) return 'auth_expired';
  if (is('throttled') || answer.status === 429) return 'rate_limited';
  if (is('lost') || isServerError(answer.status)) return asked.isWrite ? 'unknown_outcome' : 'unavailable';
  if (is('retryable')) return 'unavailable';
  // A malformed token is rejected before the request reaches the ads service.
  if (codes.length === 0 && (answer.status === 401 || status === 'UNAUTHENTICATED')) return 'auth_expired';
  if ((is('missing') || answer.status === 404) && !hasRejectedField) return 'not_found';
  return 'rejected';
}

function problemOf({ errorCode, message, location, details }: AdsError, { operations }: Asked): Problem {
  const [, value] = Object.entries(errorCode)[0] ?? [];
  // A code newer than our API version is reported as UNKNOWN.
  const code = details?.unpublishedErrorCode?.split('.').at(-1) ?? (typeof value === 'string' ? value : 'UNKNOWN');
  const topics = details?.policyFindingDetails?.policyTopicEntries.map(({ topic }) => topic).join(', ');
  return {
    code,
    message: topics ? `${message} (${topics})` : message,
    field: rejectedField(code, location.fieldPathElements, operations),
  };
}

function fieldsOf(problems: Problem[], asked: Asked): Record<string, string[]> | undefined {
  const fields: Record<string, string[]> = {};
  for (const { field, code, message } of problems) {
    if (field !== undefined) (fields[field] ??= []).push(cleanOf(message || code, asked));
  }
  return Object.keys(fields).length > 0 ? fields : undefined;
}

const cleanOf = (said: string, { secrets }: Asked): string =>
  secrets.filter(Boolean).reduce((kept, secret) => kept.replaceAll(secret, '***'), said);

export interface Limit {
  /** `ACCOUNT` or `DEVELOPER`. */
  scope?: string;
  seconds: number;
}

/** The limit of a response that names its own end. */
export function limitIn({ status, body }: Answer): Limit | undefined {
  if (status < 400) return undefined;
  const details = ErrorBody.safeParse(body).data?.error.details ?? [];
  const errors = details.flatMap((detail) => Failure.safeParse(detail).data?.errors ?? []);
  const named = errors.flatMap(({ details: { quotaErrorDetails: quota } = {} }) => (quota ? [quota] : []));
  const limits = named.map(({ rateScope, retryDelay }) => ({ scope: rateScope, seconds: secondsOf(retryDelay) }));
  return limits.find(({ seconds }) => seconds > 0);
}

/** Parses a duration such as `30s` or `1.5s`. */
const secondsOf = (duration: string | undefined): number => Number.parseFloat(duration ?? '') || 0;

function waitIn(errors: AdsError[] = [], problems: Problem[] = []): number {
  const seconds = Math.max(0, ...errors.map(({ details }) => secondsOf(details?.quotaErrorDetails?.retryDelay)));
  return seconds > 0 ? Math.ceil(seconds) : waitAfter(problems.map(({ code }) => code));
}

const headerOf = ({ headers }: Answer): string | undefined => {
  const id = headers['request-id'];
  return typeof id === 'string' ? id : undefined;
};
