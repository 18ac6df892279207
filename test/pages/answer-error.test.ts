import { Hono } from 'hono';
import { describe, expect, it } from 'vitest';
import { AppError } from '../../src/contract/error.ts';
import { createLog } from '../../src/telemetry/log.ts';
import { answerPageError } from '../../src/pages/answer-error.ts';

const app = new Hono<{ Bindings: never }>()
  .onError(answerPageError({ authenticator: { requestId: () => 'r1' }, log: createLog('silent') }) as never)
  .get('/', () => {
    throw new AppError('temporarily_unavailable', 'Not now', { retryAfterSeconds: 4.2 });
  });

describe('the error of a page', () => {
  it.each(['text/html', 'application/json'])(
    'says to %s when to come back, and is kept by no cache',
    async (Accept) => {
      const { status, headers } = await app.request('/', { headers: { Accept } }, { outgoing: {} } as never);
      expect([status, headers.get('retry-after'), headers.get('cache-control')]).toEqual([503, '5', 'no-store']);
      expect(headers.get('content-type')).toContain(Accept);
    },
  );
});
