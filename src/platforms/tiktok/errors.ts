import { own } from '../../lib/own.ts';
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

export const codes = {
  partial: 20_001,
  noPermission: 40_001,
  duplicate: 40_050,
  transcoding: 40_901,
  fileName: 40_911,
} as const;

interface Asked extends Question {
  /** The write is atomic, so the response is never partial. */
  isWhole?: boolean;
}

/** Also returned for objects and advertisers of others; only this text is about granted permissions. */
function grantMissing(text: string): string[] | undefined {
  const [, what] = /does not grant you (\S+)/i.exec(text) ?? [];
  return what === undefined ? undefined : [what];
}

/** Codes by class, after the platform's list of return codes; any other code from 40000 on is a rejection. */
const faults: [PlatformFault, readonly number[]][] = [
  // The object, the advertiser.
  ['not_found', [40_007, 40_300, 40_301]],
  ['rate_limited', [40_016, 40_100, 40_132, 40_133]],
  ['auth_expired', [40_101, 40_102, 40_103, 40_104, 40_105, 40_106, 40_107, 40_108, 40_109, 40_110]],
  // A concurrent write to the object, or maintenance: certainly not executed.
  ['unavailable', [40_200, 40_201, 40_202, 60_001]],
];
const faultByCode = new Map(faults.flatMap(([fault, codes]) => codes.map((code) => [code, fault] as const)));
/** A duplicate request was executed before, and a partial one in part: their objects are searched. */
const doubtful = new Set<number>([40_700, codes.duplicate, codes.partial]);
const isServer = (code: number): boolean => code >= 50_000 && code < 60_000;

/** Limits of the developer app recover after five minutes, those per second at once. */
const waits: Record<number, number> = { 40_016: 300, 40_100: 300, 40_132: 1, 40_133: 1 };
const defaultWait = 60;

/** Classifies by code; the HTTP status is 200 for nearly all errors. */
function faultOf(code: number, status: number, asked: Asked): PlatformFault {
  if (doubtful.has(code) || isServer(code) || isServerError(status)) return serverErrorFault(asked);
  return faultByCode.get(code) ?? 'rejected';
}

const wrongVersion =
  'The platform does not support the configured API version: set PLATFORM_D_VERSION to one that it does';
const hints: Record<number, string> = {
  40_006: wrongVersion,
  40_010: 'The platform does not serve this address: check PLATFORM_D_BASE_URL',
  40_051: wrongVersion,
};

/** The field of a declaration. */
const declaration = /\bspecial_industries\b/;
const declarationHint =
  'The declaration of a special industry (specialAdCategories) cannot be added to a campaign or changed later: a campaign with a wrong one must be created again';

const hintOf = (code: number, text: string): string | undefined =>
  own(hints, String(code)) ?? (declaration.test(text) ? declarationHint : undefined);

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
  const hint = hintOf(code, text);
  throw new PlatformError('D', fault, hint ? `${hint} (${text})` : text, {
    status: answer.status,
    code,
    message: text,
    traceId,
    ...(code === codes.noPermission && { missingScopes: grantMissing(text) }),
    ...(fault === 'rejected' && { fields: rejectedFields(text, code) }),
    // The platform sends no Retry-After.
    ...(fault === 'rate_limited' && { retryAfterSeconds: waits[code] ?? defaultWait }),
  });
}
