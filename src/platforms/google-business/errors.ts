import { z } from 'zod';
import { retryAfterIn, redact, serverErrorFault, unreadable, type Asked } from '../response.ts';
import { PlatformError, type PlatformFault } from '../error.ts';
import type { Answer } from '../http.ts';
import { scopeTables } from '../scopes.ts';

export const platform = 'listing';

const Detail = z.looseObject({
  '@type': z.string().optional(),
  reason: z.string().optional().catch(undefined),
  metadata: z
    .object({ field_mask: z.string().optional().catch(undefined) })
    .optional()
    .catch(undefined),
  fieldViolations: z
    .array(z.object({ field: z.string().catch(''), description: z.string().catch('is not accepted') }))
    .optional()
    .catch(undefined),
});
const ErrorBody = z.object({
  error: z.object({
    code: z.number().optional(),
    message: z.string().catch('The platform rejected the request'),
    status: z.string().optional().catch(undefined),
    details: z.array(Detail).catch([]),
  }),
});
type Refusal = z.infer<typeof ErrorBody>['error'];

/** Default wait when a 429 has no Retry-After. */
const defaultWait = 60;

export interface Question extends Asked {
  /** The call concerns one location, which the platform hides from users without access. */
  isOfLocation: boolean;
  /** Maps a platform field to the caller's path. */
  toPath: (field: string) => string | undefined;
}

/** Parses a successful response; any other becomes a PlatformError. */
export function parseResponse<T>(schema: z.ZodType<T>, answer: Answer, question: Question): T {
  const { status, body } = answer;
  if (status < 300) {
    const good = schema.safeParse(body);
    if (good.success) return good.data;
    throw new PlatformError(platform, serverErrorFault(question), 'The platform returned an unreadable response', {
      status,
    });
  }
  const bad = ErrorBody.safeParse(body);
  if (!bad.success) throw unreadable(platform, answer, question);
  throw refusalOf(bad.data.error, answer, question);
}

function refusalOf(refusal: Refusal, { status, headers }: Answer, question: Question): PlatformError {
  const cleaned = (text: string): string => redact(text, question.token);
  const violations = refusal.details.flatMap(({ fieldViolations = [], reason, metadata }) => [
    ...fieldViolations,
    // The platform's own error codes list the fields they concern.
    ...(metadata?.field_mask?.split(',') ?? []).map((field) => ({ field, description: reason ?? 'is not accepted' })),
  ]);
  const reasons = violations.map(({ field, description }) => `${field}: ${description}`).join('; ');
  const message = cleaned(reasons ? `${refusal.message} (${reasons})` : refusal.message);
  const fault = faultOf(refusal, status, question);
  return new PlatformError(platform, fault, message, {
    status,
    code: refusal.code,
    title: refusal.status,
    message: cleaned(refusal.message),
    details: JSON.parse(cleaned(JSON.stringify(refusal.details))) as unknown[],
    ...(refusal.details.some(({ reason }) => reason === 'ACCESS_TOKEN_SCOPE_INSUFFICIENT') && {
      missingScopes: scopeTables.listing.asked,
    }),
    fields: fieldsOf(violations, question),
    ...(fault === 'rate_limited' && { retryAfterSeconds: retryAfterIn(headers) ?? defaultWait }),
  });
}

function faultOf({ status: word, details }: Refusal, status: number, question: Question): PlatformFault {
  if (status === 401 || word === 'UNAUTHENTICATED') return 'auth_expired';
  if (status === 429 || word === 'RESOURCE_EXHAUSTED') return 'rate_limited';
  if (status === 404) return 'not_found';
  if (status >= 500) return serverErrorFault(question);
  // A rejection with a reason concerns the app; one without concerns this location.
  const isHidden = status === 403 && question.isOfLocation && details.every(({ reason }) => reason === undefined);
  return isHidden ? 'not_found' : 'rejected';
}

function fieldsOf(
  violations: { field: string; description: string }[],
  { toPath, token }: Question,
): Record<string, string[]> | undefined {
  const fields: Record<string, string[]> = {};
  for (const { field, description } of violations) {
    const path = toPath(field);
    if (path) (fields[path] ??= []).push(redact(description, token));
  }
  return Object.keys(fields).length > 0 ? fields : undefined;
}

/** Converts `service_items[0].free_form_service_item` to the caller's `serviceItems.0.freeFormServiceItem`. */
export const dotted = (field: string): string =>
  field
    .replaceAll(/\[(\d+)\]/g, '.$1')
    .replaceAll(/_([a-z])/g, (_, letter: string) => letter.toUpperCase())
    .replace(/^location\.?/, '');
