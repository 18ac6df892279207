// Checks that a webhook is genuine. Copy this file; it needs nothing but Node.
import { createHmac, timingSafeEqual } from 'node:crypto';

/**
 * Why a request is not to be trusted; undefined when it is genuine. `body` is the bytes or text exactly as they came,
 * before any parsing; `headers` have names in lower case, as Node gives them.
 */
export function webhookFault({ body, headers }, secret, { toleranceSeconds = 300, now = Date.now() } = {}) {
  const [id, timestamp, signatures] = ['webhook-id', 'webhook-timestamp', 'webhook-signature'].map((name) =>
    String(headers[name] ?? ''),
  );
  if (!secret) return 'no secret is set';
  if (!id || !timestamp || !signatures) return 'a header is missing';
  if (!/^\d{1,12}$/.test(timestamp)) return 'the timestamp is no number';
  if (Math.abs(now / 1000 - Number(timestamp)) > toleranceSeconds) return 'the timestamp is too far from now';
  const key = secret.startsWith('whsec_') ? Buffer.from(secret.slice(6), 'base64') : Buffer.from(secret, 'utf8');
  const expected = createHmac('sha256', key).update(`${id}.${timestamp}.`).update(body).digest();
  // While a secret is being changed there are several signatures; one good one is enough.
  const isGenuine = signatures.split(' ').some((entry) => {
    const given = Buffer.from(entry.startsWith('v1,') ? entry.slice(3) : '', 'base64');
    return given.length === expected.length && timingSafeEqual(given, expected);
  });
  return isGenuine ? undefined : 'no signature fits';
}
