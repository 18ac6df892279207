import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Webhook as Standard } from 'standardwebhooks';
import { Webhook as Svix } from 'svix';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import type { Vector } from '../../src/generate-vectors.ts';
import { webhookFault } from '../../src/lib/verify-webhook.ts';

const docs = join(import.meta.dirname, '../../docs');
const { vectors } = JSON.parse(readFileSync(join(docs, 'webhook-vectors.json'), 'utf8')) as { vectors: Vector[] };
const copy = (await import(join(docs, 'verify-webhook.mjs'))) as { webhookFault: typeof webhookFault };

type Verdict = (vector: Vector, secret: string) => boolean;

const bytesOf = (secret: string): Uint8Array => new Uint8Array(Buffer.from(secret, 'utf8'));

const passes = (verify: () => unknown): boolean => {
  try {
    verify();
    return true;
  } catch {
    return false;
  }
};

/** The packages parse the body as JSON too, which an empty one is not: an error of that kind comes after the check. */
const isParsed = ({ body }: Vector): boolean => body !== '';

const verdicts: Record<string, Verdict> = {
  'the helper': ({ headers, body, now }, secret) =>
    webhookFault({ headers, body }, secret, { now: now * 1000 }) === undefined,
  'the helper on bytes': ({ headers, body, now }, secret) =>
    webhookFault({ headers, body: Buffer.from(body) }, secret, { now: now * 1000 }) === undefined,
  'the copy in the docs': ({ headers, body, now }, secret) =>
    copy.webhookFault({ headers, body }, secret, { now: now * 1000 }) === undefined,
  standardwebhooks: ({ headers, body }, secret) =>
    passes(() =>
      (secret.startsWith('whsec_') ? new Standard(secret) : new Standard(bytesOf(secret), { format: 'raw' })).verify(
        body,
        headers,
      ),
    ),
  svix: ({ headers, body }, secret) =>
    passes(() =>
      (secret.startsWith('whsec_') ? new Svix(secret) : new Svix(bytesOf(secret), { format: 'raw' })).verify(
        body,
        headers,
      ),
    ),
};

beforeAll(() => void vi.useFakeTimers({ toFake: ['Date'] }));
afterAll(() => void vi.useRealTimers());

describe.each(Object.entries(verdicts))('%s', (name, verdict) => {
  const isPackage = name === 'standardwebhooks' || name === 'svix';

  it.each(vectors.filter((vector) => !isPackage || isParsed(vector)))('judges $name as the vectors say', (vector) => {
    vi.setSystemTime(vector.now * 1000);
    for (const secret of vector.secrets) expect(verdict(vector, secret)).toBe(vector.genuine);
  });
});

describe('the helper', () => {
  const [vector] = vectors;
  const { headers, body, now, secrets } = vector!;
  const fault = (changed: Record<string, string | undefined>, options: object = {}): string | undefined =>
    webhookFault({ body, headers: { ...headers, ...changed } }, secrets[0] ?? '', { now: now * 1000, ...options });

  it('says what is wrong', () => {
    expect(fault({})).toBeUndefined();
    expect(fault({ 'webhook-id': undefined })).toBe('a header is missing');
    expect(fault({ 'webhook-timestamp': 'soon' })).toBe('the timestamp is no number');
    expect(fault({ 'webhook-timestamp': 'NaN' })).toBe('the timestamp is no number');
    expect(fault({}, { now: (now + 10) * 1000, toleranceSeconds: 5 })).toBe('the timestamp is too far from now');
    expect(fault({ 'webhook-signature': 'v1,' })).toBe('no signature fits');
    expect(fault({ 'webhook-signature': 'v1,AAAA v1' })).toBe('no signature fits');
    expect(webhookFault({ body, headers }, '', { now: now * 1000 })).toBe('no secret is set');
  });

  it('is the same text in the docs, types and a comment aside', () => {
    const plain = (path: string): string =>
      readFileSync(path, 'utf8')
        .slice(readFileSync(path, 'utf8').indexOf('=> '))
        .replace(/received\./g, '')
        .replace(/\s+/g, ' ');
    expect(plain(join(docs, 'verify-webhook.mjs'))).toContain('timingSafeEqual(given, expected)');
    expect(plain(join(docs, '../src/lib/verify-webhook.ts'))).toBe(plain(join(docs, 'verify-webhook.mjs')));
  });
});
