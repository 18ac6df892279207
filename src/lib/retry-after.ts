/**
 * Seconds of a `Retry-After` header: a number, or a date, which counts from the response's own `Date` because clocks differ
 * (RFC 9110, 10.2.3). Undefined if there is nothing to wait for.
 */
export function retryAfterIn(
  headers: Readonly<Record<string, string | string[] | undefined>>,
  now = Date.now(),
): number | undefined {
  const { 'retry-after': wait, date } = headers;
  if (typeof wait !== 'string') return undefined;
  const sent = typeof date === 'string' ? Date.parse(date) : Number.NaN;
  const from = Number.isNaN(sent) ? now : sent;
  const seconds = /^\d+$/.test(wait) ? Number(wait) : Math.ceil((Date.parse(wait) - from) / 1000);
  return Number.isFinite(seconds) && seconds > 0 ? seconds : undefined;
}
