import { z } from 'zod';
import { PlatformError, type PlatformFault, type UpstreamFailure } from '../error.ts';
import type { Answer } from '../http.ts';

const ErrorEnvelope = z.object({
  error: z.object({
    message: z.string().default('The platform refused the request'),
    code: z.number().optional(),
    error_subcode: z.number().optional(),
    error_data: z.unknown().optional(),
    is_transient: z.boolean().optional(),
    error_user_title: z.string().optional(),
    error_user_msg: z.string().optional(),
    fbtrace_id: z.string().optional(),
  }),
});
type UpstreamError = z.infer<typeof ErrorEnvelope>['error'];

const limits = new Set([4, 17, 32, 341, 613]);
const businessUseCase = (code: number): boolean => code >= 80_000 && code <= 80_014;
/** A person must pass a check at the platform; the token is good again afterwards. */
const checkpoints = new Set([459, 464]);

/** The fault by code and subcode, never by the text. */
function faultOf(
  { code = 0, error_subcode: subcode = 0, is_transient: isTransient }: UpstreamError,
  status: number,
): PlatformFault {
  if (code === 190 && checkpoints.has(subcode)) return 'rejected';
  if (code === 190 || code === 102) return 'auth_expired';
  if (limits.has(code) || businessUseCase(code) || status === 429) return 'rate_limited';
  if (isTransient || code === 1 || code === 2 || status >= 500) return 'unknown_outcome';
  if ((code === 100 && subcode === 33) || code === 803) return 'not_found';
  return 'rejected';
}

/** What the platform calls a field, by what callers call it. */
const ourFields: Record<string, string[]> = {
  daily_budget: ['budgetAmount'],
  lifetime_budget: ['budgetAmount'],
  end_time: ['endDate'],
  bid_amount: ['bidAmount'],
  bid_strategy: ['bidStrategy'],
  bid_constraints: ['roasAverageFloor'],
  dsa_payor: ['dsaPayor'],
  dsa_beneficiary: ['dsaBeneficiary'],
  attribution_spec: ['attributionSpec'],
  promoted_object: ['promotedObject'],
  targeting: ['countries'],
  geo_locations: ['countries'],
  link: ['linkUrl'],
  picture: ['imageUrl'],
  image_url: ['video.thumbnailUrl'],
  image_hash: ['imageUrl'],
  video_id: ['video'],
  name: ['name'],
};

const dsaSubcodes = new Set([3858079, 3858081, 3858152]);

/** The fields that the platform blames, as ours. The two EU fields are named together, so that one round mends both. */
function fieldsOf(error: UpstreamError): Record<string, string[]> | undefined {
  if (dsaSubcodes.has(error.error_subcode ?? 0)) {
    const message = 'is required: the targeting meets an EU member state';
    return { dsaBeneficiary: [message], dsaPayor: [message] };
  }
  const blamed = blameSpecs(error.error_data).flatMap(
    (path) => ourFields[path.at(-1) ?? ''] ?? ourFields[path[0] ?? ''] ?? [],
  );
  const text = error.error_user_msg ?? error.message;
  return blamed.length > 0 ? Object.fromEntries(blamed.map((field) => [field, [text]])) : undefined;
}

/** `error_data` is an object or the text of one. */
function blameSpecs(data: unknown): string[][] {
  const value = typeof data === 'string' ? jsonOf(data) : data;
  const parsed = z.object({ blame_field_specs: z.array(z.array(z.string())) }).safeParse(value);
  return parsed.success ? parsed.data.blame_field_specs : [];
}

const jsonOf = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
};

/** Seconds until the platform lets calls through again, by the header that fits; a minute when it says nothing. */
function retryAfter(headers: Answer['headers']): number {
  const useCase = z
    .record(z.string(), z.array(z.object({ estimated_time_to_regain_access: z.number().default(0) })))
    .safeParse(jsonOf(String(headers['x-business-use-case-usage'] ?? '')));
  const minutes = useCase.success
    ? Math.max(
        0,
        ...Object.values(useCase.data).flatMap((entries) =>
          entries.map((entry) => entry.estimated_time_to_regain_access),
        ),
      )
    : 0;
  if (minutes > 0) return minutes * 60;
  const account = z
    .object({ reset_time_duration: z.number() })
    .safeParse(jsonOf(String(headers['x-ad-account-usage'] ?? '')));
  return account.success && account.data.reset_time_duration > 0 ? account.data.reset_time_duration : 60;
}

/** Guards an answer: a good one is parsed, any other becomes a PlatformError. An error can come with status 200. */
export function readAnswer<T>(schema: z.ZodType<T>, answer: Answer, isWrite: boolean): T {
  const bad = ErrorEnvelope.safeParse(answer.body);
  if (bad.success) throw refusal(bad.data.error, answer, isWrite);
  const good = schema.safeParse(answer.body);
  if (answer.status < 400 && good.success) return good.data;
  // Only a plain refusal is sure; anything else may hide an object that was made.
  const isRefused = answer.status >= 400 && answer.status < 500;
  const fault = isRefused ? 'rejected' : isWrite ? 'unknown_outcome' : 'unavailable';
  throw new PlatformError('A', fault, `The platform gave an unreadable answer (${answer.status})`, {
    status: answer.status,
  });
}

function refusal(error: UpstreamError, { status, headers }: Answer, isWrite: boolean): PlatformError {
  const fault = faultOf(error, status);
  const upstream: UpstreamFailure = {
    status,
    code: error.code,
    subcode: error.error_subcode,
    title: error.error_user_title,
    message: error.error_user_msg ?? error.message,
    traceId: error.fbtrace_id,
    fields: fieldsOf(error),
    ...(fault === 'rate_limited' && { retryAfterSeconds: retryAfter(headers) }),
  };
  const text = [error.error_user_title, error.error_user_msg ?? error.message].filter(Boolean).join(': ');
  return new PlatformError('A', fault === 'unknown_outcome' && !isWrite ? 'unavailable' : fault, text, upstream);
}
