import { retryAfterIn } from '../lib/retry-after.ts';
import { z } from 'zod';
import { redact } from './response.ts';
import { PlatformError, type PlatformFault } from './error.ts';
import type { Answer } from './http.ts';

const text = z.string().optional().catch(undefined);
const code = z.union([z.string(), z.number()]).optional().catch(undefined);
/** Error formats of the read-only platforms. */
const Said = z.object({
  message: text,
  display_message: text,
  error_code: code,
  detail: text,
  title: text,
  error: z
    .union([z.string(), z.object({ message: text, status: code, code })])
    .optional()
    .catch(undefined),
  error_description: text,
});

/** Parses responses of read-only APIs, where the status alone classifies a rejection. */
export function readPlain<T>(schema: z.ZodType<T>, answer: Answer, asked: { platform: string; token: string }): T {
  const { status, body, headers } = answer;
  const good = schema.safeParse(body);
  if (status < 300 && good.success) return good.data;
  const fault = faultOf(status);
  const said = Said.safeParse(body).data ?? {};
  const inner = typeof said.error === 'object' ? said.error : undefined;
  const message = said.display_message ?? inner?.message ?? said.error_description ?? said.detail ?? said.message;
  const word =
    said.error_code ?? inner?.status ?? inner?.code ?? (typeof said.error === 'string' ? said.error : undefined);
  throw new PlatformError(
    asked.platform,
    fault,
    message
      ? redact(message, asked.token)
      : (defaultMessages[fault] ?? `The platform returned an unreadable response (${status})`),
    { status, code: word, ...(fault === 'rate_limited' && { retryAfterSeconds: retryAfterIn(headers) ?? 60 }) },
  );
}

const defaultMessages: Partial<Record<PlatformFault, string>> = {
  auth_expired: 'The platform does not accept the token',
  rejected: 'The app or the user lacks the permission',
};

function faultOf(status: number): PlatformFault {
  if (status === 401) return 'auth_expired';
  if (status === 429) return 'rate_limited';
  if (status === 404) return 'not_found';
  return status >= 400 && status < 500 ? 'rejected' : 'unavailable';
}
