import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { PlatformError, type PlatformFault } from '../../src/platforms/error.ts';
import { parseResponse } from '../../src/platforms/x-ads/errors.ts';

function refusal(status: number, body: unknown, { headers = {}, isWrite = true } = {}): PlatformError {
  try {
    parseResponse(z.object({}), { status, headers, body }, { isWrite, token: 'hush' });
  } catch (error) {
    if (error instanceof PlatformError) return error;
    throw error;
  }
  throw new Error('Was not refused');
}

const coded = (code: string | number, extra: object = {}): object => ({ errors: [{ code, message: 'no', ...extra }] });

/** The published table of HTTP statuses and codes. */
const published: Partial<Record<PlatformFault, Record<number, string>>> = {
  rejected: {
    400: `DUPLICATE_TWEET EXCLUSIVE_PARAMETERS FEATURE_NOT_AVAILABLE ILLEGAL_CHARACTERS INCLUSIVE_PARAMETERS INVALID_DENOMINATION
      INVALID_FUNDING_INSTRUMENT INVALID_IMAGE INVALID_MEDIA INVALID_MEDIA_ID INVALID_PARAMETER INVALID_PLACEMENT_TYPE
      INVALID_TAILORED_AUDIENCE_TYPE INVALID_TARGETING_TYPE INVALID_TIME_WINDOW INVALID_TV_SHOW_LOCATIONS INVALID_TWEET
      INVALID_USER INVALID_USER_ID MISSING_PARAMETER REQUEST_TOO_COMPLEX SPEND_EXCEEDS_BUDGET TOO_MANY_CAMPAIGNS
      TOO_MANY_LINE_ITEMS TV_SHOW_OUTSIDE_MARKET TWEET_CANNOT_BE_BLANK UNKNOWN_CARD_TYPE UNKNOWN_CRITERIA_TYPE`,
    403: `ACCOUNT_LOCKED_OUT ACTION_NOT_ALLOWED CURRENT_USER_SUSPENDED FUNDING_INSTRUMENT_ACCESS_NOT_ALLOWED
      FUNDING_INSTRUMENT_EXCEEDS_AVAILABLE_CREDIT_LIMIT GENERIC_TWEET_ERROR MALWARE_STATUS READONLY_CLIENT_APPLICATION
      TWEET_IS_SPAM UNAUTHORIZED_CLIENT_APPLICATION`,
    404: `INVALID_APP_ID INVALID_APP_STORE INVALID_IAB_CATEGORY INVALID_ID_ILLEGAL_CHARACTERS
      NO_PROVIDER_AVAILABLE_FOR_THIS_CLIENT_APPLICATION ROUTE_NOT_FOUND`,
    405: 'METHOD_NOT_ALLOWED',
  },
  not_found: {
    403: 'ACCOUNT_NOT_FOUND USER_NOT_FOUND',
    404: `ACCOUNT_MEDIA_NOT_FOUND APP_EVENT_PROVIDER_CONFIGURATION_NOT_FOUND APP_EVENT_TAG_NOT_FOUND
      BEHAVIOR_OR_BEHAVIOR_EXPANDED_NOT_FOUND CAMPAIGN_NOT_FOUND CARD_NOT_FOUND FUNDING_INSTRUMENT_NOT_FOUND
      LINE_ITEM_APP_NOT_FOUND LINE_ITEM_NOT_FOUND MACT_APP_NOT_FOUND MEDIA_CREATIVE_NOT_FOUND MEDIA_NOT_FOUND NOT_FOUND
      PROMOTABLE_USER_NOT_FOUND PROMOTED_ACCOUNT_NOT_FOUND PROMOTED_TWEET_NOT_FOUND
      TAILORED_AUDIENCE_CHANGE_FILE_NOT_FOUND TAILORED_AUDIENCE_NOT_FOUND
      TAILORED_AUDIENCE_OR_TAILORED_AUDIENCE_EXPANDED_NOT_FOUND TARGETING_CRITERION_NOT_FOUND TWEET_NOT_FOUND
      WEB_EVENT_TAG_NOT_FOUND`,
  },
  auth_expired: { 401: 'UNAUTHORIZED_ACCESS' },
  rate_limited: { 429: 'TOO_MANY_REQUESTS TWEET_RATE_LIMIT_EXCEEDED' },
  unavailable: { 423: 'LOCK_ACQUISITION_TIMEOUT' },
  unknown_outcome: { 408: 'CANCELLED_REQUEST', 500: 'INTERNAL_ERROR', 503: 'SERVICE_UNAVAILABLE OVER_CAPACITY' },
};
const rows = Object.entries(published).flatMap(([fault, byStatus]) =>
  Object.entries(byStatus).flatMap(([status, codes]) =>
    codes
      .trim()
      .split(/\s+/)
      .map((code): [string, string, number] => [code, fault, Number(status)]),
  ),
);

describe('an error of the published table of X', () => {
  it.each(rows)('%s is %s with status %d', (code, fault, status) => {
    expect(refusal(status, coded(code))).toMatchObject({ fault, upstream: { status, code } });
  });

  it('about the address names the setting of the API version', () => {
    expect(refusal(404, coded('ROUTE_NOT_FOUND')).message).toContain('PLATFORM_E_VERSION');
  });

  it('means an unavailable platform for a read, with the time to wait that the platform names', () => {
    const headers = { 'retry-after': '9' };
    for (const [status, code] of [
      [408, 'CANCELLED_REQUEST'],
      [500, 'INTERNAL_ERROR'],
      [503, 'OVER_CAPACITY'],
    ] as const)
      expect(refusal(status, coded(code), { headers, isWrite: false })).toMatchObject({
        fault: 'unavailable',
        upstream: { retryAfterSeconds: 9 },
      });
  });

  it('waits until the limit of the account ends, else until that of the user, else a minute', () => {
    const now = Math.floor(Date.now() / 1000);
    const waitOf = (headers: Record<string, string>): number =>
      refusal(429, coded('TOO_MANY_REQUESTS'), { headers }).upstream.retryAfterSeconds ?? 0;
    const [account, user] = [String(now + 500), String(now + 100)];
    expect(waitOf({ 'x-account-rate-limit-reset': account, 'x-rate-limit-reset': user })).toBeGreaterThan(480);
    expect(waitOf({ 'x-rate-limit-reset': user })).toBeLessThanOrEqual(100);
    expect(waitOf({})).toBe(60);
  });

  it.each([
    ['text', 'INVALID_PARAMETER', 'body'],
    ['start_time', 'INVALID_TIME_WINDOW', 'startDate'],
    ['daily_budget_amount_local_micro', 'INVALID_PARAMETER', 'budgetAmount'],
    [undefined, 'TWEET_CANNOT_BE_BLANK', 'body'],
    [undefined, 'MALWARE_STATUS', 'linkUrl'],
    [undefined, 'FUNDING_INSTRUMENT_EXCEEDS_AVAILABLE_CREDIT_LIMIT', 'budgetAmount'],
  ])('about %s with code %s names %s', (parameter, code, field) => {
    expect(refusal(400, coded(code, { parameter })).upstream.fields).toEqual({ [field]: ['no'] });
  });
});

describe('a numeric code of the gateway of X', () => {
  it.each<[code: number, fault: PlatformFault, status: number]>([
    [32, 'auth_expired', 401],
    [89, 'auth_expired', 401],
    [215, 'auth_expired', 400],
    [64, 'rejected', 403],
    [326, 'rejected', 403],
    [88, 'rate_limited', 429],
    [130, 'unknown_outcome', 503],
    [131, 'unknown_outcome', 500],
  ])('%d is %s with status %d', (code, fault, status) => {
    expect(refusal(status, coded(code))).toMatchObject({ fault, upstream: { status, code: String(code) } });
  });

  it('keeps the text of a locked user', () => {
    const message = 'To protect our users from spam, this account is temporarily locked.';
    expect(refusal(403, coded(326, { message })).message).toMatch(/unlock the account there \(To protect/);
  });

  it('is unreadable without any code', () => {
    expect(refusal(401, { errors: [] })).toMatchObject({ fault: 'rejected' });
  });
});
