import type { Answer } from './http.ts';

/** In the order of preference; each platform sends one or two of them. */
const traceHeaders = [
  'x-fb-trace-id',
  'x-fb-request-id',
  'request-id',
  'x-pinterest-rid',
  'x-transaction-id',
  'x-li-uuid',
  'x-tt-logid',
  'x-request-id',
];

/** The id by which the support of a platform finds a request; null if the response has none. */
export function traceIdOf({ headers, body }: Answer): string | null {
  const { request_id: inBody, error } = (body ?? {}) as { request_id?: unknown; error?: { fbtrace_id?: unknown } };
  const found = [...traceHeaders.map((name) => headers[name]), inBody, error?.fbtrace_id];
  const id = found.find((value): value is string => typeof value === 'string' && value !== '');
  return id?.slice(0, 200) ?? null;
}
