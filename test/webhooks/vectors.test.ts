import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Webhook as Standard } from 'standardwebhooks';
import { Webhook as Svix } from 'svix';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { isGenuine } from '../../docs/verify.mjs';
import type { Vector } from '../../src/dev/generate/webhook-vectors.ts';

const file = join(import.meta.dirname, '../../docs/webhook-vectors.json');
const { vectors } = JSON.parse(readFileSync(file, 'utf8')) as { vectors: Vector[] };

type Evaluation = (vector: Vector, secret: string) => boolean;

/** The packages take such secrets as bytes. */
const bytesOf = (secret: string): Uint8Array => new Uint8Array(Buffer.from(secret, 'utf8'));

const passes = (verify: () => unknown): boolean => {
  try {
    verify();
    return true;
  } catch {
    return false;
  }
};

const evaluations: Record<string, Evaluation> = {
  'the check to copy': ({ headers, body, now }, secret) => isGenuine(headers, body, secret, now * 1000),
  standardwebhooks: ({ headers, body }, secret) => {
    const verifier = secret.startsWith('whsec_')
      ? new Standard(secret)
      : new Standard(bytesOf(secret), { format: 'raw' });
    return passes(() => verifier.verify(body, headers));
  },
  svix: ({ headers, body }, secret) => {
    const verifier = secret.startsWith('whsec_') ? new Svix(secret) : new Svix(bytesOf(secret), { format: 'raw' });
    return passes(() => verifier.verify(body, headers));
  },
};

beforeAll(() => void vi.useFakeTimers({ toFake: ['Date'] }));
afterAll(() => void vi.useRealTimers());

describe.each(Object.entries(evaluations))('%s', (name, evaluation) => {
  // The packages go on to parse the body, which an empty one does not survive.
  const fit = vectors.filter(({ body }) => name === 'the check to copy' || body !== '');

  it.each(fit)('verifies $name as the vectors say', (vector) => {
    vi.setSystemTime(vector.now * 1000);
    for (const secret of vector.secrets) expect(evaluation(vector, secret)).toBe(vector.genuine);
  });
});
