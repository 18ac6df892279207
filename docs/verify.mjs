// Verifies the signature of a webhook request: isGenuine(headers, body, secret). Copy this file; it has no dependencies.
import { createHmac, timingSafeEqual } from 'node:crypto';

const toleranceSeconds = 300;
const entryOf = /^v1,([A-Za-z0-9+/]{43}=)$/;

/** `body` is the raw request body, before parsing; `headers` have lower-case names. */
export function isGenuine(headers, body, secret, now = Date.now()) {
  const { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': signatures } = headers;
  if (![id, timestamp, signatures].every((value) => typeof value === 'string' && value !== '')) return false;
  if (!/^\d+$/.test(timestamp) || Math.abs(now / 1000 - Number(timestamp)) > toleranceSeconds) return false;
  const entries = signatures.split(' ');
  if (secret === '' || new Set(entries).size !== entries.length) return false;
  const key = secret.startsWith('whsec_') ? Buffer.from(secret.slice(6), 'base64') : Buffer.from(secret, 'utf8');
  const expected = createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest();
  // Entries of other versions are skipped. One valid entry is enough: during a rotation two secrets sign.
  return entries.some((entry) => {
    const given = entryOf.exec(entry)?.[1];
    return given !== undefined && timingSafeEqual(Buffer.from(given, 'base64'), expected);
  });
}
