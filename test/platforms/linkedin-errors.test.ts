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

it('a refusal of the API version names the setting to change', () => {
  const { fault, message } = refusal(426, { status: 426, message: 'Requested version 20240101 is not active' });
  expect([fault, message]).toEqual(['rejected', expect.stringContaining('set PLATFORM_F_VERSION to a newer one')]);
});

it('what is not of the form of the platform is called unreadable', () => {
  expect(refusal(403, { status: 200 }).message).toContain('unreadable');
  expect(refusal(403, '<html>').message).toContain('unreadable');
});

const entry = (fieldPath: string, description: string, code = 'INVALID_VALUE_FOR_FIELD'): object => ({
  code,
  description,
  input: { inputPath: { fieldPath } },
});

it('names every field and reason of several faults, which only the details have', () => {
  const { message, upstream } = refusal(400, {
    status: 400,
    code: 'MULTIPLE_VALIDATIONS_FAILED',
    message: 'Multiple errors occurred during the input validation. Please see errorDetails for more information.',
    errorDetails: {
      inputErrors: [entry('/Campaign/dailyBudget/amount', "value 1 can't be lower than 10", 'FIELD_VALUE_TOO_LOW')],
      conditionalInputErrors: [
        {
          code: 'CONDITIONAL_INVALID_VALUE',
          description: 'cannot be used here',
          conditionalInput: { input: { inputPath: { fieldPath: 'Campaign.unitCost.amount' } } },
        },
        {
          ...entry(
            '/Campaign/politicalIntent',
            "can't be set to POLITICAL if /Campaign/targetingCriteria is in the EU",
          ),
          code: 'CONDITIONAL_INVALID_VALUE',
        },
        { code: 'CONDITIONAL_INVALID_VALUE', description: '/Campaign/runSchedule/end must be after the start' },
        { code: 'DATE_TOO_EARLY', description: '/Campaign/runSchedule/start value 1 must be no earlier than 2' },
      ],
    },
  });
  expect(upstream.fields).toEqual({
    budgetAmount: ["value 1 can't be lower than 10"],
    bidAmount: ['cannot be used here'],
    politicalAdvertising: ["can't be set to POLITICAL if /Campaign/targetingCriteria is in the EU"],
    endDate: ['/Campaign/runSchedule/end must be after the start'],
    startDate: ['/Campaign/runSchedule/start value 1 must be no earlier than 2'],
  });
  expect(message).toContain("can't be lower than 10; cannot be used here");
});

it('believes the details rather than the text, which may change at any time', () => {
  const body = {
    status: 400,
    message: 'Something about /name',
    errorDetails: { inputErrors: [entry('unitCost/amount', 'is too low')] },
  };
  expect(refusal(400, body).upstream.fields).toEqual({ bidAmount: ['is too low'] });
  const unknown = { ...body, errorDetails: { inputErrors: [entry('colour', 'is odd')] } };
  expect(refusal(400, unknown).upstream.fields).toEqual({ name: ['Something about /name'] });
  const malformed = { ...body, errorDetails: 'none' };
  expect(refusal(400, malformed).upstream.fields).toEqual({ name: ['Something about /name'] });
});

it('names what is excluded by its path, and by the code where no path is given', () => {
  const both = 'FIELD_CANNOT_BE_BOTH_IN_INCLUDED_AND_EXCLUDED_TARGETING';
  const errorDetails = { inputErrors: [entry('/Campaign/targetingCriteria/exclude', 'is included too', both)] };
  expect(refusal(400, { status: 400, message: 'no', errorDetails }).upstream.fields).toEqual({
    excludedCountries: ['is included too'],
  });
  expect(refusal(400, { status: 400, code: both, message: 'no' }).upstream.fields).toEqual({
    excludedCountries: ['no'],
  });
  const small = refusal(400, { status: 400, code: 'AUDIENCE_SIZE_TOO_SMALL', message: 'no' });
  expect(small.upstream.fields).toEqual({ countries: ['no'] });
  expect(small.message).toContain('at least 300 people');
});

it('names the button that a lead form refuses', () => {
  const message = 'ERROR :: /leadgenCallToAction/label :: "SHOP_NOW" is not an enum symbol\n';
  expect(refusal(422, { status: 422, message }).upstream.fields).toEqual({ callToAction: [message] });
});

/** The published registry of codes, by HTTP status. */
const published: Record<number, string> = {
  400: `ACTION_NOT_ALLOWED_FOR_CANCELLED_STATUS AUDIENCE_SIZE_TOO_SMALL BILLING_NOT_EDITABLE_FOR_LMS_ENTERPRISE
    CAMPAIGN_GROUP_CREATION_NOT_ALLOWED CANNOT_UPDATE_BACKFILLED_CAMPAIGN_GROUPS CONDITIONAL_FIELD_NOT_ALLOWED
    CONDITIONAL_INVALID_VALUE CONDITIONAL_MISSING_FIELD CONDITIONAL_VALUE_TOO_HIGH CONDITIONAL_VALUE_TOO_LOW
    CONVERSION_CAMPAIGN_MISSING_ASSOCIATED_CONVERSION CREATE_NOT_ALLOWED_WITH_FAILED_CREATIVES DATE_IMMUTABLE_WHEN_PASSED
    DATE_TOO_EARLY DELETE_ALLOWED_ONLY_FOR_DRAFT_STATUS ENTITY_WITH_SAME_KEY_ALREADY_EXISTS
    FAILED_TO_GET_VALID_CAMPAIGN_CONFIGURATION FAILED_TO_PROCESS_CAMPAIGN_FOR_AUDIENCE_SIZE_ESTIMATION
    FAILED_TO_PROCESS_TARGETING_CRITERIA FAILED_TO_VALIDATE_AGAINST_ALLOWED_CAMPAIGN_TYPES
    FIELD_CANNOT_BE_BOTH_IN_INCLUDED_AND_EXCLUDED_TARGETING FIELD_IMMUTABLE_FOR_NON_DRAFT_CAMPAIGNS FIELD_LENGTH_TOO_LONG
    FIELD_NOT_ALLOWED_FOR_ENTERPRISE_LMS_ACCOUNTS FIELD_NOT_ALLOWED FIELD_VALUE_DOES_NOT_EXIST FIELD_VALUE_NOT_ACTIVE
    FIELD_VALUE_NOT_ALLOWED_FOR_SEGMENT_STATUS FIELD_VALUE_TOO_HIGH FIELD_VALUE_TOO_LOW IMMUTABLE_ASSOCIATED_ENTITY
    IMMUTABLE_CAMPAIGN_FLOOR_PRICE IMMUTABLE_CAMPAIGN_OBJECTIVE_TYPE IMMUTABLE_CAMPAIGN_TARGETING_AD_ZONES
    INSUFFICIENT_CAMPAIGN_GROUP_BUDGET INVALID_CAMPAIGN_CONFIGURATION INVALID_ENTITLEMENT_FOR_TALENT_LEAD
    INVALID_OBJECTIVE_TYPE_WITH_MYNETWORK_DELIVERY INVALID_PAST_ATTRIBUTE_COMBINATION
    INVALID_SEGMENT_ID_AND_FACET_COMBINATION_PROVIDED INVALID_BILLING_REFERENCE INVALID_BILLING_PARENT_REFERENCE
    INVALID_VALUE_BLANK_FIELD INCOMPATIBLE_TARGETING_COMBINATION INVALID_VALUE_DUPLICATE_EXIST INVALID_VALUE_FOR_FIELD
    MISMATCH_FIELDS MISSING_CAMPAIGN_GROUP_ID MISSING_FIELD MISSING_POSITIVE_OPTION MULTIPLE_VALIDATIONS_FAILED
    MULTIPLE_VALUES_NOT_ALLOWED NONCHARGEABLE_NOT_ALLOWED_UNLESS_ACTIVE_ACCOUNT NO_DELETE_ON_LMS_ENTERPRISE_CAMPAIGN_GROUPS
    OBJECTIVE_CHANGE_NOT_ALLOWED ONLY_DRAFT_CAMPAIGNS_ALLOWED_IN_DRAFT_CAMPAIGN_GROUPS SPONSORING_LANDING_PAGE_NOT_ALLOWED
    START_DATE_AFTER_END_DATE STATUS_CHANGE_NOT_ALLOWED TARGETING_ADZONE_CHANGE_NOT_ALLOWED TARGETING_ADZONE_COMBINATION_INVALID
    TARGETING_FIELD_DEPRECATED BATCH_CREATE_TEST_ACCOUNT_LIMIT_REACHED BLANK_ACCOUNT_NAME CURRENCY_MISMATCH
    CURRENCY_NOT_SUPPORTED DELETE_NOT_ALLOWED INVALID_STATUS_TRANSITION MISSING_PRODUCT_TYPE_FOR_ENTERPRISE_ACCOUNT
    TEST_ACCOUNT_LIMIT_REACHED UPDATE_REFERENCE_NOT_ALLOWED ACCOUNT_ID_MISMATCH_IN_PARAM_AND_BODY MEMBER_HAD_UNCONFIRMED_EMAIL
    MULTIPLE_ACCOUNTS_UNSUPPORTED USER_MISMATCH_IN_PARAM_AND_BODY`,
  403: 'NO_PERMISSION_ON_ENTITY NO_PERMISSION_ON_FIELD NO_PERMISSION_TO_UPDATE',
  404: 'NOT_FOUND',
  408: 'TIMEOUT',
  409: 'CONFLICT',
  412: 'PRECONDITION_FAILED',
  500: `FAILED_TO_RETRIEVE_AUDIENCE_SIZE FAILED_TO_RETRIEVE_SEGMENTS FAILED_TO_SETUP_ACCOUNT_REPORTING INTERNAL_ERROR`,
  501: 'NOT_IMPLEMENTED',
  503: 'UNDER_MAINTENANCE',
};
const faultByStatus: Record<number, string> = {
  400: 'rejected',
  403: 'rejected',
  404: 'not_found',
  408: 'unknown_outcome',
  // Another write was first, so this one did not take place.
  409: 'unavailable',
  412: 'rejected',
  500: 'unknown_outcome',
  501: 'rejected',
  503: 'unknown_outcome',
};
const rows = Object.entries(published).flatMap(([status, codes]) =>
  codes
    .split(/\s+/)
    .map((code): [string, number, string] => [code, Number(status), faultByStatus[Number(status)] ?? '']),
);

it.each(rows)('the registered code %s with status %d is %s', (code, status, fault) => {
  expect(refusal(status, { status, code, message: 'no' })).toMatchObject({ fault, upstream: { status, code } });
});

it.each([
  [65_600, 'INVALID_ACCESS_TOKEN'],
  [65_601, 'REVOKED_ACCESS_TOKEN'],
  [65_602, 'EXPIRED_ACCESS_TOKEN'],
  [65_604, 'EMPTY_ACCESS_TOKEN'],
])('a 401 with the service code %d is a lost token', (serviceErrorCode, code) => {
  expect(refusal(401, { status: 401, serviceErrorCode, code, message: 'no' }).fault).toBe('auth_expired');
});

it('a reached quota ends when the platform says, else at midnight UTC', () => {
  const body = {
    status: 429,
    serviceErrorCode: 101,
    message: 'Resource level throttle APPLICATION DAY limit is reached.',
  };
  const { fault, upstream } = refusal(429, body);
  const left = 86_400 - (Math.floor(Date.now() / 1000) % 86_400);
  expect(fault).toBe('rate_limited');
  expect(Math.abs((upstream.retryAfterSeconds ?? 0) - left)).toBeLessThan(10);
});
