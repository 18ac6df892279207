import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { PlatformError, type PlatformFault } from '../../src/platforms/error.ts';
import { parseResponse, type Asked } from '../../src/platforms/google-ads/errors.ts';
import { knownCodes } from '../../src/platforms/google-ads/error-codes.ts';
import type { Answer } from '../../src/platforms/http.ts';
import { factsOf } from '../upstream/facts.ts';
import { access, adapterOf, developerToken, dollars, failure, inputs, problem, token } from './google-ads-fixtures.ts';
import { memoryJournal, orderOf, refusalOf } from './fixtures.ts';
import { startUpstream, type FakeUpstream } from './upstream.ts';

const write: Asked = { isWrite: true, secrets: [token, developerToken] };
const read: Asked = { ...write, isWrite: false };

function refusal(answer: Partial<Answer>, asked = write): PlatformError {
  try {
    parseResponse(
      z.object({ results: z.array(z.unknown()) }),
      { status: 400, headers: {}, body: undefined, ...answer },
      asked,
    );
  } catch (error) {
    if (error instanceof PlatformError) return error;
    throw error;
  }
  throw new Error('Was not refused');
}
const said = (
  reply: { status: number; json: unknown },
  asked = write,
  headers: Answer['headers'] = {},
): PlatformError => refusal({ status: reply.status, body: reply.json, headers }, asked);

describe('the fault', () => {
  it.each<[PlatformFault, number, string, string]>([
    ['auth_expired', 401, 'authenticationError', 'OAUTH_TOKEN_EXPIRED'],
    ['auth_expired', 401, 'authenticationError', 'OAUTH_TOKEN_REVOKED'],
    ['auth_expired', 401, 'authenticationError', 'OAUTH_TOKEN_INVALID'],
    ['rejected', 401, 'authenticationError', 'CUSTOMER_NOT_FOUND'],
    ['rejected', 401, 'authenticationError', 'NOT_ADS_USER'],
    ['rejected', 403, 'authorizationError', 'USER_PERMISSION_DENIED'],
    ['rejected', 403, 'authorizationError', 'DEVELOPER_TOKEN_NOT_APPROVED'],
    ['rejected', 403, 'authorizationError', 'CUSTOMER_NOT_ENABLED'],
    ['rejected', 400, 'fieldError', 'REQUIRED'],
    ['rejected', 400, 'policyFindingError', 'POLICY_FINDING'],
    ['rejected', 400, 'resourceCountLimitExceededError', 'CAMPAIGN_LIMIT'],
    ['rate_limited', 429, 'quotaError', 'RESOURCE_TEMPORARILY_EXHAUSTED'],
    ['rate_limited', 429, 'quotaError', 'RESOURCE_EXHAUSTED'],
    ['rate_limited', 400, 'quotaError', 'RESOURCE_EXHAUSTED'],
    ['unknown_outcome', 500, 'internalError', 'INTERNAL_ERROR'],
    ['unknown_outcome', 503, 'internalError', 'TRANSIENT_ERROR'],
    ['unknown_outcome', 504, 'internalError', 'DEADLINE_EXCEEDED'],
    ['unavailable', 409, 'databaseError', 'CONCURRENT_MODIFICATION'],
    ['not_found', 404, 'mutateError', 'RESOURCE_NOT_FOUND'],
  ])('is %s for status %d with %s.%s', (fault, status, kind, code) => {
    expect(said(failure(status, [problem({ [kind]: code })]))).toMatchObject({ fault, upstream: { code, status } });
  });

  it.each([500, 502, 503, 504])('is unknown for a write and unavailable for a read after status %d', (status) => {
    const reply = failure(status, [problem({ internalError: 'INTERNAL_ERROR' })]);
    expect([said(reply).fault, said(reply, read).fault]).toEqual(['unknown_outcome', 'unavailable']);
  });

  it.each<[PlatformFault, PlatformFault, number]>([
    ['unknown_outcome', 'unavailable', 200],
    ['unknown_outcome', 'unavailable', 302],
    ['rejected', 'rejected', 401],
    ['rejected', 'rejected', 404],
    ['rate_limited', 'rate_limited', 429],
    ['unknown_outcome', 'unavailable', 502],
  ])('is %s for a write, %s for a read, when status %d comes without a readable body', (onWrite, onRead, status) => {
    expect([refusal({ status }).fault, refusal({ status }, read).fault]).toEqual([onWrite, onRead]);
  });

  it('is an expired token when the request is refused before the ads service is asked', () => {
    const body = {
      error: { code: 401, message: 'Request had invalid authentication credentials.', status: 'UNAUTHENTICATED' },
    };
    expect(refusal({ status: 401, body })).toMatchObject({
      fault: 'auth_expired',
      upstream: { code: 'UNAUTHENTICATED' },
    });
  });
});

const published = Object.entries(factsOf('google-ads').errors ?? {}).flatMap(([family, codes]) =>
  codes.map((code): [string, string] => [family, String(code)]),
);
/** All that is no final refusal of a write. */
const notFinal: Partial<Record<PlatformFault, string[]>> = {
  auth_expired:
    `AUTHENTICATION_ERROR GOOGLE_ACCOUNT_AUTHENTICATION_FAILED GOOGLE_ACCOUNT_COOKIE_INVALID GOOGLE_ACCOUNT_DELETED
    LOGIN_COOKIE_INVALID LOGIN_COOKIE_REQUIRED OAUTH_TOKEN_DISABLED OAUTH_TOKEN_EXPIRED OAUTH_TOKEN_HEADER_INVALID
    OAUTH_TOKEN_INVALID OAUTH_TOKEN_REVOKED`.split(/\s+/),
  rate_limited: `RESOURCE_EXHAUSTED RESOURCE_TEMPORARILY_EXHAUSTED EXCESSIVE_SHORT_TERM_QUERY_RESOURCE_CONSUMPTION
    EXCESSIVE_LONG_TERM_QUERY_RESOURCE_CONSUMPTION PAYMENTS_PROFILE_ACTIVATION_RATE_LIMIT_EXCEEDED`.split(/\s+/),
  unknown_outcome: ['INTERNAL_ERROR', 'TRANSIENT_ERROR', 'DEADLINE_EXCEEDED'],
  unavailable: `CONCURRENT_MODIFICATION RPC_DEADLINE_TOO_SHORT EXPIRED_PAGE_TOKEN STORAGE_ERROR SERVER_ERROR
    ERROR_STORING_IMAGE`.split(/\s+/),
  not_found: ['RESOURCE_NOT_FOUND'],
};

describe('the published error codes', () => {
  it('cover every code that is classed or explained here', () => {
    const codes = new Set(published.map(([, code]) => code));
    const here = [...knownCodes, ...Object.values(notFinal).flat()];
    expect(here.filter((code) => !codes.has(code))).toEqual([]);
  });

  it.each(published)('of %s: %s has its class, and its wait if it is a limit', (family, code) => {
    const expected = Object.entries(notFinal).find(([, codes]) => codes.includes(code))?.[0] ?? 'rejected';
    const { fault, upstream } = said(failure(400, [problem({ [family]: code })]));
    expect([fault, upstream.code]).toEqual([expected, code]);
    const details = { quotaErrorDetails: { rateName: 'x', retryDelay: '7s' } };
    const waiting = said(failure(400, [problem({ [family]: code }, '', { details })])).upstream.retryAfterSeconds;
    expect(waiting).toBe(expected === 'rate_limited' ? 7 : undefined);
    if (expected === 'rate_limited')
      expect(upstream.retryAfterSeconds).toBe(/LONG_TERM|PAYMENTS/.test(code) ? 3600 : 60);
  });
});

describe('what a refusal says', () => {
  it('is the message inside, with the request id, not the envelope', () => {
    expect(said(failure(400, [problem({ fieldError: 'REQUIRED' })]))).toMatchObject({
      message: 'It will not do.',
      upstream: { title: 'INVALID_ARGUMENT', traceId: 'Rq1a2B3c4D5e6F7g8H9i0J' },
    });
  });

  it('is the envelope where nothing is inside, with the request id of the header', () => {
    const body = { error: { code: 403, message: 'The caller does not have permission', status: 'PERMISSION_DENIED' } };
    expect(refusal({ status: 403, body, headers: { 'request-id': 'r1' } })).toMatchObject({
      message: 'The caller does not have permission',
      upstream: { code: 'PERMISSION_DENIED', traceId: 'r1' },
    });
  });

  it('names all problems once', () => {
    const errors = [{ message: 'Too long.' }, { message: 'Too long.' }, { message: 'Too short.' }];
    expect(said(failure(400, errors)).message).toBe('Too long.; Too short.');
  });

  it('is read out of the list that streams wrap it in', () => {
    const { status, json } = failure(400, [problem({ queryError: 'UNRECOGNIZED_FIELD' })]);
    expect(refusal({ status, body: [json] }, read).upstream.code).toBe('UNRECOGNIZED_FIELD');
  });

  it('has the code that is newer than our version', () => {
    const details = { unpublishedErrorCode: 'CampaignError.NEW_RULE' };
    expect(said(failure(400, [problem({ campaignError: 'UNKNOWN' }, '', { details })])).upstream.code).toBe('NEW_RULE');
  });

  it('names the policies that were broken', () => {
    const details = { policyFindingDetails: { policyTopicEntries: [{ topic: 'ALCOHOL', type: 'PROHIBITED' }] } };
    const reply = failure(400, [problem({ policyFindingError: 'POLICY_FINDING' }, '', { details })]);
    expect(said(reply).message).toContain('ALCOHOL');
  });

  it.each([
    ['mutateError', 'EU_POLITICAL_ADVERTISING_DECLARATION_REQUIRED', /political advertising/],
    ['campaignError', 'HEC_AGREEMENT_REQUIRED', /accept the policy .* housing, employment and credit/],
    ['authorizationError', 'INVALID_LOGIN_CUSTOMER_ID_SERVING_CUSTOMER_ID_COMBINATION', /manager/],
    ['resourceCountLimitExceededError', 'CAMPAIGN_LIMIT', /maximum number of objects/],
    ['resourceCountLimitExceededError', 'ACCOUNT_LIMIT', /maximum number of objects/],
    ['requestError', 'UNSUPPORTED_VERSION', /PLATFORM_B_VERSION/],
    ['authorizationError', 'ACTION_NOT_PERMITTED', /may not change this ad account/],
    ['authenticationError', 'TWO_STEP_VERIFICATION_NOT_ENROLLED', /2-Step Verification/],
    ['quotaError', 'ACCESS_PROHIBITED', /developer token/],
    ['campaignError', 'DURATION_TOO_LONG_FOR_TOTAL_BUDGET', /90 days/],
    ['dateError', 'DATE_RANGE_ERROR_END_TIME_MUST_BE_THE_END_OF_A_DAY', /23:59:59/],
  ])('says what to do about %s.%s', (kind, code, words) => {
    expect(said(failure(400, [problem({ [kind]: code })])).message).toMatch(words);
  });

  it.each([
    ['30s', 30],
    ['1.2s', 2],
    [undefined, 60],
    ['soon', 60],
  ])('asks to wait %s as %d seconds', (retryDelay, seconds) => {
    const details = { quotaErrorDetails: { rateName: 'x', retryDelay } };
    const reply = failure(429, [problem({ quotaError: 'RESOURCE_TEMPORARILY_EXHAUSTED' }, '', { details })]);
    expect(said(reply).upstream.retryAfterSeconds).toBe(seconds);
  });

  it('holds no secret', () => {
    const error = said(
      failure(400, [problem({ fieldError: 'REQUIRED' }, '', { message: `Bad ${token} and ${developerToken}` })]),
    );
    expect(JSON.stringify([error.message, error.upstream])).not.toMatch(/secretToken|devSecret/);
  });

  it('bears members of other types than expected', () => {
    const errors = [{ errorCode: 7, message: 8, location: 'x', details: { quotaErrorDetails: 9 } }];
    expect(said(failure(400, errors))).toMatchObject({
      fault: 'rejected',
      message: 'Request contains an invalid argument.',
    });
  });
});

describe('the field that a refusal names', () => {
  let upstream: FakeUpstream;
  beforeEach(async () => {
    upstream = await startUpstream();
  });
  afterEach(() => upstream.stop());

  /** Search: 0 budget, 1 campaign, 2 country, 3 ad group, 4 and 5 keywords, 6 age, 7 ad. */
  const searchAd = 'mutate_operations[7].ad_group_ad_operation.create.ad.responsive_search_ad';
  const campaign = 'mutate_operations[1].campaign_operation.create';
  it.each<[string, string, Record<string, string>]>([
    [
      'budgetAmount',
      'mutate_operations[0].campaign_budget_operation.create.amount_micros',
      { campaignBudgetError: 'NON_MULTIPLE_OF_MINIMUM_CURRENCY_UNIT' },
    ],
    ['budgetAmount', 'mutate_operations[0]', { campaignBudgetError: 'BUDGET_BELOW_PER_DAY_MINIMUM' }],
    ['name', `${campaign}.name`, { stringLengthError: 'TOO_LONG' }],
    ['startDate', `${campaign}.start_date_time`, { campaignError: 'CANNOT_SET_DATE_TO_PAST' }],
    ['endDate', `${campaign}.end_date_time`, { campaignError: 'END_DATE_TIME_REQUIRED_FOR_TOTAL_BUDGET' }],
    ['politicalAdvertising', `${campaign}.contains_eu_political_advertising`, { fieldError: 'REQUIRED' }],
    ['politicalAdvertising', campaign, { criterionError: 'MISSING_EU_POLITICAL_ADVERTISING_SELF_DECLARATION' }],
    ['bidAmount', `${campaign}.target_spend.cpc_bid_ceiling_micros`, { biddingError: 'BID_TOO_LOW' }],
    ['goal', `${campaign}.maximize_conversions`, { biddingError: 'CONVERSION_TRACKING_NOT_ENABLED' }],
    ['countries.0', 'mutate_operations[2].campaign_criterion_operation.create.location', { criterionError: 'INVALID' }],
    [
      'keywords.1',
      'mutate_operations[5].ad_group_criterion_operation.create.keyword.text',
      { criterionError: 'INVALID_KEYWORD_TEXT' },
    ],
    ['ageMin', 'mutate_operations[6].ad_group_criterion_operation.create', { criterionError: 'INVALID' }],
    ['headline', `${searchAd}.headlines[0].text`, { stringLengthError: 'TOO_LONG' }],
    ['additionalHeadlines.1', `${searchAd}.headlines[2].text`, { stringLengthError: 'TOO_LONG' }],
    ['body', `${searchAd}.descriptions`, { stringLengthError: 'TOO_LONG' }],
    ['additionalDescriptions.0', `${searchAd}.descriptions[1].text`, { stringLengthError: 'TOO_LONG' }],
    [
      'linkUrl',
      'mutate_operations[7].ad_group_ad_operation.create.ad.final_urls[0]',
      { urlFieldError: 'MALFORMED_URL' },
    ],
  ])('of a search ad is %s for %s', async (field, path, code) => {
    upstream.next(failure(400, [problem(code, path)]));
    const input = inputs.search({ ageMin: 65 });
    const error = await refusalOf(adapterOf(upstream).createAds(access, orderOf(input, dollars), memoryJournal()));
    expect(error.upstream.fields).toEqual({ [field]: ['It will not do.'] });
  });

  it('of a negative criterion is the exclusion that it stands for', async () => {
    // 0 budget, 1 campaign, 2 country, 3 and 4 excluded places, 5 ad group, 6 keyword, 7 negative keyword, 8 user list.
    const input = inputs.search({
      keywords: ['pruners'],
      excludedCountries: ['MX'],
      excludedRegions: [{ key: '21137' }],
      negativeKeywords: [{ text: 'free', matchType: 'BROAD' }],
      excludedAudienceIds: ['12'],
    });
    const refusals: [string, number, string][] = [
      ['excludedCountries.0', 3, 'CANNOT_EXCLUDE_CRITERION'],
      ['excludedRegions.0', 4, 'INVALID_CRITERION_ID'],
      ['negativeKeywords.0', 7, 'KEYWORD_HAS_INVALID_CHARS'],
      ['excludedAudienceIds.0', 8, 'CANNOT_EXCLUDE_SIMILAR_USER_LIST'],
    ];
    for (const [field, at, code] of refusals) {
      upstream.next(failure(400, [problem({ criterionError: code }, `mutate_operations[${at}]`)]));
      const error = await refusalOf(adapterOf(upstream).createAds(access, orderOf(input, dollars), memoryJournal()));
      expect(Object.keys(error.upstream.fields ?? {})).toEqual([field]);
    }
  });

  const displayAd = 'mutate_operations[6].ad_group_ad_operation.create.ad.responsive_display_ad';
  it.each([
    ['images.landscape', 'mutate_operations[4].asset_operation.create.image_asset'],
    ['images.square', 'mutate_operations[5].asset_operation.create.image_asset.data'],
    ['images.landscape', `${displayAd}.marketing_images[0].asset`],
    ['images.square', `${displayAd}.square_marketing_images[0].asset`],
    ['businessName', `${displayAd}.business_name`],
    ['longHeadline', `${displayAd}.long_headline.text`],
  ])('of a display ad is %s for %s', async (field, path) => {
    upstream.next(failure(400, [problem({ imageError: 'ASPECT_RATIO_NOT_ALLOWED' }, path)]));
    const error = await refusalOf(
      adapterOf(upstream).createAds(access, orderOf(inputs.display(), dollars), memoryJournal()),
    );
    expect(Object.keys(error.upstream.fields ?? {})).toEqual([field]);
  });
});
