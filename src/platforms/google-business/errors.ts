import { retryAfterIn } from '../../lib/retry-after.ts';
import { z } from 'zod';
import { redact, serverErrorFault, unreadable, type Asked } from '../response.ts';
import { PlatformError, type PlatformFault } from '../error.ts';
import type { Answer } from '../http.ts';
import { scopeTables } from '../scopes.ts';
import { knownCode, noQuota } from './error-codes.ts';

export const platform = 'listing';

const Detail = z.looseObject({
  '@type': z.string().optional(),
  reason: z.string().optional().catch(undefined),
  metadata: z.record(z.string(), z.string().catch('')).optional().catch(undefined),
  fieldViolations: z
    .array(z.object({ field: z.string().catch(''), description: z.string().catch('is not accepted') }))
    .optional()
    .catch(undefined),
});
type Detail = z.infer<typeof Detail>;
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
/** The wait after too many changes of one field; the platform counts them over a day. */
const throttledWait = 3600;

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
  const reason = refusal.details.map((detail) => detail.reason).find((word) => word !== undefined);
  const violations = refusal.details.flatMap(violationsIn);
  const hint = hasNoQuota(refusal) ? noQuota : knownCode(reason)?.hint;
  const fault = faultOf(refusal, status, question);
  return new PlatformError(platform, fault, cleaned(hint ? `${hint} (${sayingOf(refusal)})` : sayingOf(refusal)), {
    status,
    code: reason ?? refusal.code,
    title: refusal.status,
    message: cleaned(refusal.message),
    details: JSON.parse(cleaned(JSON.stringify(refusal.details))) as unknown[],
    ...(refusal.details.some(({ reason }) => reason === 'ACCESS_TOKEN_SCOPE_INSUFFICIENT') && {
      missingScopes: scopeTables.listing.asked,
    }),
    fields: fieldsOf(violations, question),
    ...(fault === 'rate_limited' && {
      retryAfterSeconds: retryAfterIn(headers) ?? (reason === 'THROTTLED' ? throttledWait : defaultWait),
    }),
  });
}

interface Violation {
  field: string;
  description: string;
}

/** The fields that a detail concerns; an error code names them in its metadata, or implies one. */
function violationsIn({ fieldViolations = [], reason, metadata = {} }: Detail): Violation[] {
  // The documentation spells the key of one code wrong.
  const mask = metadata['field_mask'] ?? metadata['field_maks'] ?? metadata['attribute_names'];
  const fields = mask?.split(/[,\s]+/).filter(Boolean) ?? [knownCode(reason)?.field ?? ''].filter(Boolean);
  return [...fieldViolations, ...fields.map((field) => ({ field, description: descriptionOf(reason, metadata) }))];
}

/** What the metadata of a code say besides the fields: forbidden words, required fields, the value. */
function descriptionOf(reason: string | undefined, metadata: Record<string, string>): string {
  if (reason === undefined) return 'is not accepted';
  const more = Object.entries(metadata).filter(([name]) => !name.startsWith('field_ma'));
  return more.length > 0 ? `${reason} (${more.map(([name, value]) => `${name}: ${value}`).join(', ')})` : reason;
}

function sayingOf({ message, details }: Refusal): string {
  const violations = details.flatMap(violationsIn);
  const reasons = details.flatMap(({ reason }) => (reason !== undefined && violations.length === 0 ? [reason] : []));
  const said = [...violations.map(({ field, description }) => `${field}: ${description}`), ...reasons];
  return said.length > 0 ? `${message} (${said.join('; ')})` : message;
}

/** A quota of zero means that the platform has not granted access to its API, so waiting does not help. */
const hasNoQuota = ({ details }: Pick<Refusal, 'details'>): boolean =>
  details.some(({ metadata }) => metadata?.['quota_limit_value'] === '0');

function faultOf(
  { status: word, details }: Pick<Refusal, 'status' | 'details'>,
  status: number,
  question: Question,
): PlatformFault {
  if (hasNoQuota({ details })) return 'rejected';
  if (status === 401 || word === 'UNAUTHENTICATED') return 'auth_expired';
  if (details.some(({ reason }) => reason === 'THROTTLED')) return 'rate_limited';
  if (status === 429 || word === 'RESOURCE_EXHAUSTED') return 'rate_limited';
  if (status === 404) return 'not_found';
  if (status >= 500) return serverErrorFault(question);
  // A rejection with a reason concerns the app; one without concerns this location.
  const isHidden = status === 403 && question.isOfLocation && details.every(({ reason }) => reason === undefined);
  return isHidden ? 'not_found' : 'rejected';
}

function fieldsOf(violations: Violation[], { toPath, token }: Question): Record<string, string[]> | undefined {
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
