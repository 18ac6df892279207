import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Webhook as Verifier } from 'standardwebhooks';
import { attemptsFor, nextWait, probeWait, type DeliveryTimes } from '../../src/services/webhooks/schedule.ts';
import { signatureHeaders } from '../../src/services/webhooks/sign.ts';
import { afterFailure } from '../../src/services/webhooks/failure-count.ts';

const times: DeliveryTimes = {
  retrySchedule: [0, 5, 300, 1800, 7200, 18_000, 36_000, 50_400, 72_000, 86_400],
  breakerSchedule: [30, 120, 600, 1800, 3600, 7200, 14_400],
  failureLimit: 10,
  timeoutMs: 15_000,
};
const failed = { status: 500, errorClass: 'http_5xx' };

describe('the retry schedule (R23)', () => {
  it.each([1, 2, 3, 4, 5, 6, 7, 8, 9])('waits by its step after %i failures, within the jitter', (failures) => {
    const step = times.retrySchedule[failures] ?? 0;
    const spread = step < 300 ? 0.2 : 0.3;
    for (let at = 0; at < 1000; at++) {
      const wait = nextWait(failures, failed, times) ?? -1;
      expect(wait).toBeGreaterThanOrEqual(step * (1 - spread));
      expect(wait).toBeLessThanOrEqual(step * (1 + spread));
    }
  });

  it('ends after the tenth attempt, and after the fifth where asking again seldom helps', () => {
    expect(nextWait(10, failed, times)).toBeUndefined();
    for (const status of [400, 401, 403, 404, 405, 422])
      expect(attemptsFor({ status, errorClass: null }, times)).toBe(5);
    for (const status of [408, 409, 429, 500, 503]) expect(attemptsFor({ status, errorClass: null }, times)).toBe(10);
  });

  it.each([
    [60, 60],
    [1, 4],
    [999_999, 86_400],
  ])('heeds Retry-After of %i s, never earlier than the step, never beyond a day', (retryAfter, least) => {
    expect(nextWait(1, { ...failed, retryAfter }, times, () => 0)).toBe(least);
  });
});

describe('counted failures', () => {
  const webhook = (consecutiveFailures: number) => ({ consecutiveFailures, isActive: true, exhaustedNotified: false });
  const now = new Date('2027-03-14T01:59:00Z');

  it.each([
    [0, 1, true, []],
    [4, 5, true, ['webhook.failing']],
    [7, 8, true, ['webhook.failing']],
    [8, 9, true, []],
    [9, 10, false, ['webhook.disabled']],
    [25, 26, false, ['webhook.disabled']],
  ])('after %i the next is %i, still on: %s', (before, count, isOn, notices) => {
    const evaluation = afterFailure(webhook(before), now, times);
    expect(evaluation).toMatchObject({ change: { consecutiveFailures: count }, notices });
    expect(evaluation.change.isActive ?? true).toBe(isOn);
  });

  it('open the circuit from the third on, longer each time', () => {
    expect([1, 2, 3, 4, 9, 99].map((failures) => probeWait(failures, times))).toEqual([
      undefined,
      undefined,
      30,
      120,
      14_400,
      14_400,
    ]);
    expect(probeWait(5, { ...times, breakerSchedule: [] })).toBeUndefined();
  });
});

describe('signatures (R37)', () => {
  const texts = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.constantFrom('🎉', '\u2028', '{"__proto__":1}', '9007199254740993'),
  );

  it('verify with the standard library, whatever the body and the secret', () => {
    fc.assert(
      fc.property(texts, fc.uint8Array({ minLength: 16, maxLength: 64 }), (text, bytes) => {
        const body = JSON.stringify({ text });
        const secret = `whsec_${Buffer.from(bytes).toString('base64')}`;
        const headers = signatureHeaders(
          { id: 'evt_1', timestamp: Math.floor(Date.now() / 1000), body },
          [secret],
          true,
        );
        expect(() => new Verifier(secret).verify(body, headers)).not.toThrow();
        expect(() => new Verifier(secret).verify(`${body.slice(0, -1)} }`, headers)).toThrow();
      }),
      { numRuns: 300 },
    );
  });

  it('take any other secret as its own bytes', () => {
    const headers = signatureHeaders(
      { id: 'evt_1', timestamp: Math.floor(Date.now() / 1000), body: '{}' },
      ['plain words'],
      false,
    );
    expect(() => new Verifier('plain words', { format: 'raw' }).verify('{}', headers)).not.toThrow();
    expect(headers['x-webhook-signature']).toBeUndefined();
  });
});
