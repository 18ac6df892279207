import { z } from 'zod';
import { isServerError, redact, serverErrorFault, unreadable, type Asked as Question } from '../response.ts';
import { PlatformError, type PlatformFault } from '../error.ts';
import type { Answer } from '../http.ts';
import { rejectedFields } from './field-errors.ts';

const Envelope = z.object({
  code: z.number(),
  message: z.string().catch('The platform rejected the request'),
  request_id: z.string().optional().catch(undefined),
  data: z.unknown(),
});

export const codes = { partial: 20_001, duplicate: 40_050, transcoding: 40_901, fileName: 40_911 } as const;

interface Asked extends Question {
  /** The write is atomic, so the response is never partial. */
  isWhole?: boolean;
}

/** The code also applies to other people's objects; only this text is about granted permissions. */
const noPermission = 40_001;
function grantMissing(text: string): string[] | undefined {
  const [, what] = /does not grant you (\S+)/i.exec(text) ?? [];
  return what === undefined ? undefined : [what];
}

const notFound = new Set([40_006, 40_007]);
const limits = new Set([40_016, 40_100, 40_132, 40_133]);
/** A concurrent write to the object: certainly not executed. */
const busy = new Set([40_200, 40_201, 40_202, 60_001]);
const serverErrorCodes = new Set([40_700, 41_000, 41_001]);
/** The code range of server errors. */
const isServer = (code: number): boolean => code >= 50_000 && code < 60_000;
const isToken = (code: number): boolean => code > 40_100 && code <= 40_110;
const perSecond = new Set([40_132, 40_133]);

/** Classifies by code; the HTTP status is 200 for nearly all errors. */
function faultOf(code: number, status: number, asked: Asked): PlatformFault {
  if (isToken(code)) return 'auth_expired';
  if (notFound.has(code)) return 'not_found';
  if (limits.has(code)) return 'rate_limited';
  if (busy.has(code)) return 'unavailable';
  // A duplicate request was executed before, so its object is searched.
  if (serverErrorCodes.has(code) || code === codes.duplicate || code === codes.partial) return serverErrorFault(asked);
  if (isServer(code) || isServerError(status)) return serverErrorFault(asked);
  return 'rejected';
}

/** Parses the data of a successful response; any other becomes a PlatformError. */
export function parseResponse<T>(schema: z.ZodType<T>, answer: Answer, asked: Asked): T {
  const read = Envelope.safeParse(answer.body);
  if (!read.success) throw unreadable('D', answer, asked);
  const { code, message, request_id: traceId, data } = read.data;
  if (code === 0 || (code === codes.partial && !asked.isWhole)) {
    const good = schema.safeParse(data);
    if (good.success) return good.data;
    throw new PlatformError('D', serverErrorFault(asked), 'The platform returned an unreadable response', {
      code,
      traceId,
    });
  }
  const fault = faultOf(code, answer.status, asked);
  const text = redact(message, asked.token);
  throw new PlatformError('D', fault, text, {
    status: answer.status,
    code,
    message: text,
    traceId,
    ...(code === noPermission && { missingScopes: grantMissing(text) }),
    ...(fault === 'rejected' && { fields: rejectedFields(text) }),
    // The platform sends no Retry-After: per-second limits recover at once, per-minute limits may take five minutes.
    ...(fault === 'rate_limited' && { retryAfterSeconds: perSecond.has(code) ? 1 : 60 }),
  });
}
