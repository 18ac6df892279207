import { describe, expect, it } from 'vitest';
import { PlatformError } from '../../src/platforms/error.ts';
import { appErrorFromPlatform } from '../../src/services/platform-error.ts';

describe('a platform error on its way to the caller', () => {
  it.each([
    ['auth_expired', 'platform_token_expired', 401],
    ['rejected', 'platform_api_error', 400],
    ['rate_limited', 'rate_limited', 429],
    ['unavailable', 'platform_api_error', 502],
    ['unknown_outcome', 'platform_api_error', 502],
    ['not_found', 'platform_api_error', 404],
    ['unsupported', 'unsupported_platform_operation', 501],
  ] as const)('of fault %s is %s with %i', (fault, code, status) => {
    const error = new PlatformError('A', fault, 'in words');
    expect(appErrorFromPlatform(error)).toMatchObject({
      code,
      status,
      message: 'in words',
      cause: error,
      extras: { platform: 'A' },
    });
  });

  it('takes the code of what was looked for when that is not there', () => {
    const error = appErrorFromPlatform(new PlatformError('A', 'not_found', 'gone'), 'campaign_not_found');
    expect(error).toMatchObject({ code: 'campaign_not_found', status: 404 });
    expect(appErrorFromPlatform(new PlatformError('A', 'rejected', 'no'), 'campaign_not_found').code).toBe(
      'platform_api_error',
    );
  });

  it("shows the platform's own words and nothing that it did not say", () => {
    const { extras } = appErrorFromPlatform(
      new PlatformError('A', 'rejected', 'no', { status: 400, code: 100, traceId: 't' }),
    );
    expect(extras.platformError).toEqual({ code: 100, traceId: 't' });
    expect(appErrorFromPlatform(new PlatformError('A', 'unavailable', 'down')).extras.platformError).toBeUndefined();
  });

  it('names the fields in our paths and passes the waiting time on', () => {
    const fields = { budgetAmount: ['is too low'], endDate: ['is too early'] };
    const { extras } = appErrorFromPlatform(new PlatformError('A', 'rejected', 'no', { fields, retryAfterSeconds: 7 }));
    expect(extras).toMatchObject({ param: 'budgetAmount', details: { fields }, retryAfterSeconds: 7 });
  });

  it.each(['dsaBeneficiary', 'dsaPayor'])('asks for both EU fields when the platform misses %s', (field) => {
    const error = appErrorFromPlatform(
      new PlatformError('A', 'rejected', 'no', { code: 100, fields: { [field]: ['missing'] } }),
    );
    expect(error).toMatchObject({ code: 'missing_required_field', status: 400 });
    expect(Object.keys((error.extras.details?.['fields'] ?? {}) as object)).toEqual(['dsaBeneficiary', 'dsaPayor']);
    expect(error.extras.platformError).toEqual({ code: 100 });
  });
});
