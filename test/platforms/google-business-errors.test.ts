import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { knownCode } from '../../src/platforms/google-business/error-codes.ts';
import { createListingConnector } from '../../src/platforms/google-business/connect.ts';
import { createGoogleBusiness } from '../../src/platforms/google-business/index.ts';
import { asAccess, refusalOf, token } from './fixtures.ts';
import { startUpstream, type FakeUpstream } from './upstream.ts';

let upstream: FakeUpstream;
beforeAll(async () => {
  upstream = await startUpstream();
});
afterAll(() => upstream.stop());
beforeEach(() => {
  upstream.requests.length = 0;
});

const access = asAccess({ accountPlatform: 'listing', token });
const config = () => ({
  baseUrl: upstream.url,
  accountUrl: upstream.url,
  tokenUrl: upstream.url,
  authUrl: upstream.url,
});
const info = (
  reason: string,
  metadata: Record<string, string> = {},
  domain = 'mybusinessbusinessinformation.googleapis.com',
) => ({
  '@type': 'type.googleapis.com/google.rpc.ErrorInfo',
  reason,
  domain,
  metadata,
});
const refuse = (status: number, word: string, ...details: object[]): void => {
  upstream.respond = () => ({
    status,
    json: { error: { code: status, message: 'Request contains an invalid argument.', status: word, details } },
  });
};
const change = { paths: ['title'], fields: { title: 'Shop' } };
const update = () => refusalOf(createGoogleBusiness(config()).updateLocation(access, '7', change));

/** The error codes of the reference page of the Business Information API. */
const published = `INVALID_ATTRIBUTE_NAME ASSOCIATE_OPERATION_ON_VERIFIED_LOCATION ASSOCIATE_LOCATION_INVALID_PLACE_ID
  LAT_LNG_UPDATES_NOT_PERMITTED PO_BOX_IN_ADDRESS_NOT_ALLOWED BLOCKED_REGION MISSING_BOTH_PHONE_AND_WEBSITE
  MISSING_STOREFRONT_ADDRESS_OR_SAB LAT_LNG_TOO_FAR_FROM_ADDRESS LAT_LNG_REQUIRED INVALID_CHARACTERS FORBIDDEN_WORDS
  INVALID_INTERCHANGE_CHARACTERS FIELDS_REQUIRED_FOR_CATEGORY STOREFRONT_REQUIRED_FOR_CATEGORY ADDRESS_MISSING_REGION_CODE
  ADDRESS_EDIT_CHANGES_COUNTRY UNVERIFIED_LOCATION INVALID_LOCATION_CATEGORY INVALID_URL URL_PROVIDER_NOT_ALLOWED TOO_MANY_VALUES
  DELETED_LINK LINK_ALREADY_EXISTS SCALABLE_DEEP_LINK_INVALID_MULTIPLICITY LINK_DOES_NOT_EXIST
  SPECIAL_HOURS_SET_WITHOUT_REGULAR_HOURS INVALID_TIME_SCHEDULE INVALID_HOURS_VALUE OVERLAPPED_SPECIAL_HOURS
  INCOMPATIBLE_MORE_HOURS_TYPE_FOR_CATEGORY DUPLICATE_CHILDREN_LOCATIONS INCOMPATIBLE_SERVICE_AREA_AND_CATEGORY
  INVALID_SERVICE_AREA_PLACE_ID INVALID_AREA_TYPE_FOR_SERVICE_AREA OPENING_DATE_TOO_FAR_IN_THE_FUTURE
  OPENING_DATE_MISSING_YEAR_OR_MONTH OPENING_DATE_BEFORE_1AD TOO_MANY_ENTRIES INVALID_PHONE_NUMBER INVALID_PHONE_NUMBER_FOR_REGION
  MISSING_PRIMARY_PHONE_NUMBER UNSUPPORTED_POINT_RADIUS_SERVICE_AREA INVALID_CATEGORY CANNOT_REOPEN
  INVALID_BUSINESS_OPENING_DATE INVALID_LATLNG PROFILE_DESCRIPTION_CONTAINS_URL LODGING_CANNOT_EDIT_PROFILE_DESCRIPTION
  INVALID_ADDRESS PARENT_CHAIN_CANNOT_BE_THE_LOCATION_ITSELF RELATION_CANNOT_BE_THE_LOCATION_ITSELF MISSING_ADDRESS_COMPONENTS
  READ_ONLY_ADDRESS_COMPONENTS STRING_TOO_LONG STRING_TOO_SHORT REQUIRED_FIELD_MISSING_VALUE ATTRIBUTE_PROVIDER_URL_NOT_ALLOWED
  ATTRIBUTE_INVALID_ENUM_VALUE ATTRIBUTE_NOT_AVAILABLE ATTRIBUTE_CANNOT_BE_REPEATED ATTRIBUTE_TYPE_NOT_COMPATIBLE_FOR_CATEGORY
  ADDRESS_REMOVAL_NOT_ALLOWED AMBIGUOUS_TITLE INVALID_CATEGORY_FOR_SAB RELATION_ENDPOINTS_TOO_FAR INVALID_SERVICE_ITEM
  SERVICE_ITEM_LABEL_NO_DISPLAY_NAME SERVICE_ITEM_LABEL_DUPLICATE_DISPLAY_NAME SERVICE_ITEM_LABEL_INVALID_UTF8
  FREE_FORM_SERVICE_ITEM_WITH_NO_CATEGORY_ID FREE_FORM_SERVICE_ITEM_WITH_NO_LABEL SERVICE_ITEM_WITH_NO_SERVICE_TYPE_ID
  INVALID_LANGUAGE PRICE_CURRENCY_MISSING PRICE_CURRENCY_INVALID SERVICE_TYPE_ID_DUPLICATE PIN_DROP_REQUIRED STALE_DATA
  PHONE_NUMBER_EDITS_NOT_ALLOWED MULTIPLE_ORGANIZATIONALLY_PART_OF_RELATION`.split(/\s+/);

describe('an error code of the platform', () => {
  it.each(published)('%s is known, final and in the message, with its field', async (code) => {
    expect(knownCode(code)).toBeDefined();
    refuse(400, 'INVALID_ARGUMENT', info(code, { field_mask: 'phone_numbers.primary_phone' }));
    const { fault, message, upstream: said } = await update();
    expect([fault, said.code, said.fields]).toEqual(['rejected', code, { 'phoneNumbers.primaryPhone': [code] }]);
    expect(message).toContain(code);
  });

  it('says which words and values it concerns', async () => {
    const metadata = { field_mask: 'profile.description', forbidden_words: 'cheap' };
    refuse(400, 'INVALID_ARGUMENT', info('FORBIDDEN_WORDS', metadata));
    expect((await update()).message).toBe(
      'The text contains words that the platform does not accept (Request contains an invalid argument. (profile.description: FORBIDDEN_WORDS (forbidden_words: cheap)))',
    );
  });

  it('implies a field if the platform names none, and keeps one that is not published', async () => {
    refuse(400, 'INVALID_ARGUMENT', info('PROFILE_DESCRIPTION_CONTAINS_URL'));
    expect((await update()).upstream.fields).toEqual({ 'profile.description': ['PROFILE_DESCRIPTION_CONTAINS_URL'] });
    refuse(400, 'INVALID_ARGUMENT', info('BRAND_NEW'));
    expect(await update()).toMatchObject({
      fault: 'rejected',
      message: 'Request contains an invalid argument. (BRAND_NEW)',
      upstream: { code: 'BRAND_NEW', fields: undefined },
    });
  });

  it('names an attribute by the entry of the caller', async () => {
    refuse(400, 'INVALID_ARGUMENT', info('INVALID_ATTRIBUTE_NAME', { attribute_names: 'attributes/b' }));
    const changes = ['a', 'b'].map((name, at) => ({
      name: `attributes/${name}`,
      path: `attributes.${at}`,
      value: { values: [true] },
    }));
    const refusal = await refusalOf(createGoogleBusiness(config()).updateAttributes(access, '7', changes));
    expect(Object.keys(refusal.upstream.fields ?? {})).toEqual(['attributes.1']);
  });
});

const quota = (limit: string) =>
  info(
    'RATE_LIMIT_EXCEEDED',
    { quota_limit_value: limit, quota_metric: 'Requests', consumer: 'projects/1' },
    'googleapis.com',
  );

describe('the class of a refusal', () => {
  it.each<[string, number, string, object[], string, number?]>([
    [
      'too many changes of a field',
      400,
      'INVALID_ARGUMENT',
      [info('THROTTLED', { field_mask: 'title' })],
      'rate_limited',
      3600,
    ],
    ['too many requests', 429, 'RESOURCE_EXHAUSTED', [quota('300')], 'rate_limited', 60],
    ['a quota of zero', 429, 'RESOURCE_EXHAUSTED', [quota('0')], 'rejected'],
    [
      'an API that is not enabled',
      403,
      'PERMISSION_DENIED',
      [info('SERVICE_DISABLED', {}, 'googleapis.com')],
      'rejected',
    ],
    ['an API that is restricted', 403, 'PERMISSION_DENIED', [info('GBP_RESTRICTED_API')], 'rejected'],
    ['a suspended project', 403, 'PERMISSION_DENIED', [info('CONSUMER_SUSPENDED', {}, 'googleapis.com')], 'rejected'],
    ['a location of another user', 403, 'PERMISSION_DENIED', [], 'not_found'],
    ['an expired token', 401, 'UNAUTHENTICATED', [info('ACCESS_TOKEN_EXPIRED', {}, 'googleapis.com')], 'auth_expired'],
    ['a server error', 500, 'INTERNAL', [], 'unknown_outcome'],
    ['an outage', 503, 'UNAVAILABLE', [], 'unknown_outcome'],
  ])('of %s', async (_what, status, word, details, fault, wait) => {
    refuse(status, word, ...details);
    const refusal = await update();
    expect([refusal.fault, refusal.upstream.retryAfterSeconds]).toEqual([fault, wait]);
  });

  it('that follows from a quota of zero says to request access, when connecting too', async () => {
    refuse(429, 'RESOURCE_EXHAUSTED', quota('0'));
    const connecting = refusalOf(createListingConnector(config()).identify({ token }));
    for (const refusal of [await connecting, await update()]) {
      expect(refusal).toMatchObject({
        fault: 'rejected',
        message: expect.stringContaining('request it for the project'),
      });
    }
  });
});
