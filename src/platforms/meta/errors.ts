import { z } from 'zod';
import { isServerError, redact, unreadable, type Asked } from '../response.ts';
import { PlatformError, type PlatformFault } from '../error.ts';
import type { Answer } from '../http.ts';
import { namedScopes } from '../scopes.ts';
import { rejectedFields, hintOf, jsonOf } from './field-errors.ts';

/** A field of an unexpected type counts as absent, so that it does not hide the code. */
const text = z.string().optional().catch(undefined);
const number = z.number().optional().catch(undefined);
const ErrorEnvelope = z.object({
  error: z.object({
    message: z.string().catch('The platform rejected the request'),
    code: number,
    error_subcode: number,
    error_data: z.unknown().optional(),
    is_transient: z.boolean().optional().catch(undefined),
    error_user_title: text,
    error_user_msg: text,
    fbtrace_id: text,
  }),
});
type UpstreamError = z.infer<typeof ErrorEnvelope>['error'];

/** Permission error codes; without a scope name in the text the cause may also be a missing role. */
const isOfPermission = (code = 0): boolean => code === 3 || code === 10 || (code >= 200 && code <= 299);

const limits = new Set([4, 9, 17, 32, 341, 613]);
const businessUseCase = (code: number): boolean => code >= 80_000 && code <= 80_014;
/** The user must pass a security check on the platform; the token is valid again afterwards. */
const checkpoints = new Set([459, 464]);

/** Classifies by code and subcode, never by text. */
function faultOf(
  { code = 0, error_subcode: subcode = 0, is_transient: isTransient }: UpstreamError,
  status: number,
): PlatformFault {
  if (code === 190 && checkpoints.has(subcode)) return 'rejected';
  if (code === 190 || code === 102) return 'auth_expired';
  if (limits.has(code) || businessUseCase(code) || status === 429) return 'rate_limited';
  if (isTransient || code === 1 || code === 2 || isServerError(status)) return 'unknown_outcome';
  if ((code === 100 && subcode === 33) || code === 803) return 'not_found';
  return 'rejected';
}

/** Seconds until the quota recovers, from the applicable header; a minute without one. */
function retryAfter(headers: Answer['headers']): number {
  const useCase = z
    .record(z.string(), z.array(z.object({ estimated_time_to_regain_access: z.number().default(0) })))
    .safeParse(jsonOf(String(headers['x-business-use-case-usage'] ?? '')));
  const waits = useCase.success ? Object.values(useCase.data).flat() : [];
  const minutes = Math.max(0, ...waits.map((wait) => wait.estimated_time_to_regain_access));
  if (minutes > 0) return minutes * 60;
  const account = z
    .object({ reset_time_duration: z.number() })
    .safeParse(jsonOf(String(headers['x-ad-account-usage'] ?? '')));
  return account.success && account.data.reset_time_duration > 0 ? account.data.reset_time_duration : 60;
}

/** Parses a successful response; any other becomes a PlatformError. An error can have status 200. */
export function parseResponse<T>(schema: z.ZodType<T>, answer: Answer, asked: Asked): T {
  const bad = ErrorEnvelope.safeParse(answer.body);
  if (bad.success) throw refusal(bad.data.error, answer, asked);
  const good = schema.safeParse(answer.body);
  if (answer.status < 300 && good.success) return good.data;
  throw unreadable('A', answer, asked);
}

function refusal(error: UpstreamError, { status, headers }: Answer, { isWrite, token }: Asked): PlatformError {
  const clean = (said: string): string => redact(said, token);
  const fault = faultOf(error, status);
  const title = error.error_user_title && clean(error.error_user_title);
  const message = clean(error.error_user_msg ?? error.message);
  const words = [title, message].filter(Boolean).join(': ');
  const hint = hintOf(error);
  return new PlatformError(
    'A',
    fault === 'unknown_outcome' && !isWrite ? 'unavailable' : fault,
    hint ? `${hint} (${words})` : words,
    {
      status,
      code: error.code,
      subcode: error.error_subcode,
      title,
      message,
      traceId: error.fbtrace_id,
      fields: rejectedFields(error, message),
      ...(isOfPermission(error.code) && { missingScopes: namedScopes('network-a', error.message) }),
      ...(fault === 'rate_limited' && { retryAfterSeconds: retryAfter(headers) }),
    },
  );
}
