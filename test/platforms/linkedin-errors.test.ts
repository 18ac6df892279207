import { expect, it } from 'vitest';
import { PlatformError } from '../../src/platforms/error.ts';
import { requireGood } from '../../src/platforms/linkedin/errors.ts';

function refusal(status: number, body: unknown): PlatformError {
  try {
    requireGood({ status, headers: {}, body }, { isWrite: true, token: 'hush' });
  } catch (error) {
    if (error instanceof PlatformError) return error;
    throw error;
  }
  throw new Error('Was not refused');
}

it('a refusal that holds nothing but the status still says what is lacking', () => {
  const refused = refusal(403, { status: 403 });
  expect([refused.fault, refused.message]).toEqual(['rejected', expect.stringContaining('lacks a role')]);
  expect(refusal(401, { status: 401 }).fault).toBe('auth_expired');
  expect(refusal(500, { status: 500 }).fault).toBe('unknown_outcome');
});

it('what is not of the form of the platform is called unreadable', () => {
  expect(refusal(403, { status: 200 }).message).toContain('unreadable');
  expect(refusal(403, '<html>').message).toContain('unreadable');
});
