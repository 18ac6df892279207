import { retryAfterIn } from '../../lib/retry-after.ts';
import { z } from 'zod';
import { isServerError, redact, serverErrorFault, unreadable, type Asked } from '../response.ts';
import { PlatformError, type PlatformFault } from '../error.ts';
import type { Answer } from '../http.ts';
import { namedScopes } from '../scopes.ts';
import { own } from '../../lib/own.ts';

const ErrorBody = z.object({ code: z.number(), message: z.string().catch('The platform rejected the request') });

/** A trial app may write only to the platform's own sandbox. */
const notPermitted = 29;
const scopeMissing = 3;
/** A 401 about what the user may do, not about the token. */
const permissionCodes = new Set([scopeMissing, 7]);
/** The code of an expired token in some 400 responses. */
const tokenExpired = 1104;
export const unknownBoard = 40;
const missingBudget = 2384;

function faultOf(status: number, code: number, asked: Asked): PlatformFault {
  if (code === tokenExpired || (status === 401 && !permissionCodes.has(code))) return 'auth_expired';
  if (status === 429 || code === 8) return 'rate_limited';
  if (isServerError(status)) return serverErrorFault(asked);
  return status === 404 ? 'not_found' : 'rejected';
}

/** Parses a successful response; any other becomes a PlatformError. */
export function parseResponse<T>(schema: z.ZodType<T>, answer: Answer, asked: Asked): T {
  const { status, headers, body } = answer;
  if (status < 300) {
    const good = schema.safeParse(body);
    if (good.success) return good.data;
    throw new PlatformError('C', serverErrorFault(asked), 'The platform returned an unreadable response', { status });
  }
  const bad = ErrorBody.safeParse(body);
  if (!bad.success) throw unreadable('C', answer, asked);
  const fault = faultOf(status, bad.data.code, asked);
  throw refusal(fault, bad.data, {
    asked,
    status,
    retryAfterSeconds: fault === 'rate_limited' ? (retryAfterIn(headers) ?? resetIn(headers) ?? 60) : undefined,
  });
}

/** Codes that mean a server error, in any response. */
const serverErrorCodes = new Set([500, 4197]);

/** Bulk responses have status 200 although an element failed; its error is treated like that of a whole request. */
export function elementRefused(
  { code = 0, message }: { code?: number; message?: string },
  asked: Asked,
): PlatformError {
  const fault = code === 8 ? 'rate_limited' : serverErrorCodes.has(code) ? serverErrorFault(asked) : 'rejected';
  return refusal(
    fault,
    { code, message: message ?? 'The platform rejected the element' },
    { asked, status: 200, retryAfterSeconds: fault === 'rate_limited' ? 60 : undefined },
  );
}

function refusal(
  fault: PlatformFault,
  { code, message }: z.infer<typeof ErrorBody>,
  { asked, status, retryAfterSeconds }: { asked: Asked; status: number; retryAfterSeconds?: number },
): PlatformError {
  const text = redact(message, asked.token);
  const hint = code === notPermitted ? `The app or the user lacks the permission (${text})` : text;
  return new PlatformError('C', fault, hint, {
    status,
    code,
    message: text,
    retryAfterSeconds,
    ...(code === scopeMissing && { missingScopes: namedScopes('pin-board', text) ?? [] }),
    ...(fault === 'rejected' && { fields: code === missingBudget ? { budgetAmount: [text] } : rejectedFields(text) }),
  });
}

function resetIn(headers: Answer['headers']): number | undefined {
  const seconds = Number.parseInt(String(headers['x-ratelimit-reset'] ?? ''), 10);
  return seconds > 0 ? seconds : undefined;
}

/** Platform field → our field path. */
const ourFields: Record<string, string> = {
  title: 'headline',
  description: 'body',
  link: 'linkUrl',
  destination_url: 'linkUrl',
  media_source: 'imageUrl',
  url: 'imageUrl',
  board_id: 'boardId',
  objective_type: 'goal',
  budget_in_micro_currency: 'budgetAmount',
  daily_spend_cap: 'budgetAmount',
  lifetime_spend_cap: 'budgetAmount',
  bid_in_micro_currency: 'bidAmount',
  start_time: 'startDate',
  end_time: 'endDate',
  location: 'countries',
  minimum_age: 'ageMin',
  maximum_age: 'ageMax',
  interest: 'interests',
  audience_include: 'audienceId',
  audience_exclude: 'excludedAudienceIds',
  conversion_tag_id: 'promotedObject.pixelId',
  conversion_event: 'promotedObject.customEventType',
  name: 'name',
};

/** The first field that a rejection names, as our field path. */
function rejectedFields(text: string): Record<string, string[]> | undefined {
  const words = text.toLowerCase().match(/[a-z]+(?:_[a-z]+)*/g) ?? [];
  const field = words.map((word) => own(ourFields, word)).find((path) => path !== undefined);
  return field === undefined ? undefined : { [field]: [text] };
}
