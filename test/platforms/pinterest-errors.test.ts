import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { PlatformError, type PlatformFault } from '../../src/platforms/error.ts';
import { elementRefused, parseResponse } from '../../src/platforms/pinterest/errors.ts';

function refusal(status: number, body: unknown, headers = {}, isWrite = true): PlatformError {
  try {
    parseResponse(z.object({}), { status, headers, body }, { isWrite, token: 'hush' });
  } catch (error) {
    if (error instanceof PlatformError) return error;
    throw error;
  }
  throw new Error('Was not refused');
}

const spec = {
  scope: 'Your token does not have sufficient permissions to perform this operation.',
  limit: 'This request exceeded a rate limit.',
};

describe('an error of the published specification of Pinterest', () => {
  it.each<[fault: PlatformFault, status: number, code: number, message: string]>([
    ['rejected', 400, 1, 'Invalid request: ...'],
    ['rejected', 400, 400, 'Invalid ad account campaign parameters.'],
    ['rejected', 400, 4196, 'The request was invalid.'],
    ['rejected', 400, 6126, 'Invalid request parameter.'],
    ['rejected', 400, 2384, 'Campaign budget optimization requires a budget'],
    ['auth_expired', 400, 1104, 'The token you provided is not valid or has expired.'],
    ['auth_expired', 401, 2, 'Authentication failed.'],
    ['auth_expired', 401, 401, 'Unauthorized.'],
    ['rejected', 401, 3, spec.scope],
    ['rejected', 401, 7, 'Not authorized to access board or Pin.'],
    ['rejected', 403, 29, 'You are not permitted to access that resource.'],
    ['rejected', 403, 403, 'Not authorized to access board or Pin.'],
    ['rejected', 403, 2625, 'Sorry, you cannot perform this action as your account has been disapproved.'],
    ['rejected', 403, 2626, 'We are reviewing your account.'],
    ['not_found', 404, 2, 'AdAccount not found.'],
    ['not_found', 404, 40, 'Board not found.'],
    ['not_found', 404, 50, 'Pin not found.'],
    ['rejected', 405, 5, 'Method not allowed'],
    ['rejected', 409, 409, 'Board section conflict.'],
    ['rate_limited', 429, 8, spec.limit],
    ['rate_limited', 429, 30, spec.limit],
    ['unknown_outcome', 500, 500, 'Could not create a new board section.'],
    ['unknown_outcome', 503, 4197, 'The endpoint has been ramped down and is currently not accepting any traffic.'],
  ])('is %s for %d with code %d', (fault, status, code, message) => {
    expect(refusal(status, { code, message })).toMatchObject({ fault, upstream: { status, code } });
  });

  it('means an unavailable platform, not an unknown outcome, for a read', () => {
    for (const [status, code] of [
      [500, 500],
      [503, 4197],
    ] as const)
      expect(refusal(status, { code, message: 'later' }, {}, false).fault).toBe('unavailable');
  });

  it('waits as long as the platform says, else a minute', () => {
    const body = { code: 8, message: spec.limit };
    const waitOf = (headers: object): unknown => refusal(429, body, headers).upstream.retryAfterSeconds;
    expect(waitOf({ 'retry-after': '7', 'x-ratelimit-reset': '3' })).toBe(7);
    expect(waitOf({ 'x-ratelimit-reset': '3, 60' })).toBe(3);
    expect(waitOf({})).toBe(60);
  });

  it('names the missing scopes and the missing permission', () => {
    const message = `${spec.scope} It must be authorized with these scopes: ads:write`;
    expect(refusal(401, { code: 3, message }).upstream.missingScopes).toEqual(['ads:write']);
    expect(refusal(401, { code: 3, message: spec.scope }).upstream.missingScopes).toEqual([]);
    expect(refusal(403, { code: 29, message: 'no' }).message).toContain('lacks the permission');
  });

  it('is unreadable without a code, and certain only if it is a plain rejection', () => {
    expect(refusal(400, '<html>').fault).toBe('rejected');
    expect(refusal(502, '<html>').fault).toBe('unknown_outcome');
  });
});

describe('an exception of one element', () => {
  it.each<[fault: PlatformFault, code: number]>([
    ['rate_limited', 8],
    ['unknown_outcome', 500],
    ['unknown_outcome', 4197],
    ['rejected', 2384],
    ['rejected', 29],
    ['rejected', 6],
  ])('is %s with code %d', (fault, code) => {
    expect(elementRefused({ code, message: 'no' }, { isWrite: true, token: 'hush' })).toMatchObject({ fault });
  });

  it.each([
    ['bidAmount', 'bid_in_micro_currency is required for AWARENESS/IMPRESSION'],
    ['budgetAmount', 'lifetime_spend_cap is too low'],
    ['budgetAmount', 'daily_spend_cap must be greater than 0'],
    ['startDate', 'start_time must be in the future'],
    ['excludedAudienceIds', 'AUDIENCE_EXCLUDE has an unknown audience'],
    ['endDate', 'end_time must be in the future'],
    ['promotedObject.customEventType', 'conversion_event must be one of SIGNUP, LEAD'],
  ])('names %s where the platform says: %s', (field, message) => {
    const { upstream } = elementRefused({ code: 400, message }, { isWrite: true, token: 'hush' });
    expect(upstream.fields).toEqual({ [field]: [message] });
  });
});
