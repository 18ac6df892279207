import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { PlatformError, type PlatformFault } from '../../src/platforms/error.ts';
import type { Answer } from '../../src/platforms/http.ts';
import type { Asked } from '../../src/platforms/response.ts';
import { parseResponse } from '../../src/platforms/meta/errors.ts';
import { token } from './fixtures.ts';

const write: Asked = { isWrite: true, token };
const read: Asked = { isWrite: false, token };
const Made = z.object({ id: z.string() });

function refusal(answer: Partial<Answer>, asked = write): PlatformError {
  try {
    parseResponse(Made, { status: 400, headers: {}, body: undefined, ...answer }, asked);
  } catch (error) {
    if (error instanceof PlatformError) return error;
    throw error;
  }
  throw new Error('Was not refused');
}
const graph = (error: object, answer: Partial<Answer> = {}, asked = write): PlatformError =>
  refusal({ body: { error: { message: 'Invalid parameter', type: 'OAuthException', ...error } }, ...answer }, asked);

describe('a good answer', () => {
  it('is parsed, and members that were not requested are omitted', () => {
    const answer = { status: 200, headers: {}, body: { id: '120210000000000001', success: true } };
    expect(parseResponse(Made, answer, write)).toEqual({ id: '120210000000000001' });
  });
});

describe('the fault', () => {
  it.each<[PlatformFault, number, number | undefined]>([
    ['unknown_outcome', 1, undefined],
    ['unknown_outcome', 2, undefined],
    ['rate_limited', 4, undefined],
    ['rate_limited', 9, undefined],
    ['rate_limited', 341, undefined],
    ...Array.from({ length: 15 }, (_, at): [PlatformFault, number, undefined] => [
      'rate_limited',
      80_000 + at,
      undefined,
    ]),
    ['rate_limited', 4, 1504022],
    ['rate_limited', 17, 2446079],
    ['rate_limited', 17, 1885172],
    ['rate_limited', 32, undefined],
    ['rate_limited', 613, 1487742],
    ['rate_limited', 613, 5044001],
    ['rate_limited', 613, undefined],
    ['auth_expired', 190, undefined],
    ['auth_expired', 190, 463],
    ['auth_expired', 190, 460],
    ['auth_expired', 190, 467],
    ['auth_expired', 190, 458],
    ['auth_expired', 190, 492],
    ['auth_expired', 102, undefined],
    ['rejected', 190, 459],
    ['rejected', 190, 464],
    ['rejected', 3, undefined],
    ['rejected', 10, undefined],
    ['rejected', 101, undefined],
    ['rejected', 104, undefined],
    ['rejected', 506, undefined],
    ['rejected', 1609005, undefined],
    ['rejected', 200, undefined],
    ['rejected', 294, undefined],
    ['rejected', 100, undefined],
    ['rejected', 100, 1885272],
    ['rejected', 105, 1815630],
    ['rejected', 368, undefined],
    ['rejected', 2635, undefined],
    ['not_found', 100, 33],
    ['not_found', 803, undefined],
  ])('is %s for code %d, subcode %s', (fault, code, subcode) => {
    expect(graph({ code, error_subcode: subcode })).toMatchObject({ fault, upstream: { code, subcode, status: 400 } });
  });

  it.each<[number, number | undefined, string]>([
    [368, undefined, 'blocks this for a while'],
    [190, 459, 'pass a security check'],
    [190, 464, 'confirm their account'],
    [2635, undefined, 'PLATFORM_A_VERSION'],
    [12, undefined, 'PLATFORM_A_VERSION'],
    [5, undefined, 'IP address'],
    [101, undefined, 'PLATFORM_A_CLIENT_ID'],
    [900, undefined, 'PLATFORM_A_CLIENT_ID'],
    [104, undefined, 'PLATFORM_A_CLIENT_SECRET'],
    [294, undefined, 'Marketing API'],
    [415, undefined, 'two-factor'],
  ])('of code %d, subcode %s says in English what to do: %s', (code, subcode, hint) => {
    const error = graph({ code, error_subcode: subcode, error_user_msg: 'Sinngemäß' });
    expect(error.message).toMatch(new RegExp(`${hint}.*\\(Sinngemäß\\)$`));
    expect(error.upstream.fields).toBeUndefined();
  });

  it.each<[number, string]>([
    [352, 'video.url'],
    [382, 'video.url'],
    [389, 'video.url'],
    [6000, 'video.url'],
    [506, 'body'],
    [1500, 'linkUrl'],
    [1609005, 'linkUrl'],
    [2641, 'countries'],
  ])('of code %d is final and names %s', (code, field) => {
    const { fault, upstream } = graph({ code });
    expect([fault, Object.keys(upstream.fields ?? {})]).toEqual(['rejected', [field]]);
  });

  it('of an ad set without the audience flag is final and names no field of callers', () => {
    const { fault, message, upstream } = graph({ code: 100, error_subcode: 1870227 });
    expect([fault, upstream.fields]).toEqual(['rejected', undefined]);
    expect(message).toMatch(/must say whether Advantage audience is on.*\(Invalid parameter\)/);
  });

  it.each([3, 10, 200, 273, 294, 299])(
    'of code %d is a permission, and names the scope that the text names',
    (code) => {
      const { fault, upstream } = graph({ code, message: '(#200) Requires ads_management permission' });
      expect([fault, upstream.missingScopes]).toEqual(['rejected', ['ads_management']]);
    },
  );

  it('is the same when the error comes with status 200', () => {
    expect(graph({ code: 100, error_subcode: 33 }, { status: 200 }).fault).toBe('not_found');
    expect(graph({ code: 2 }, { status: 200 }).fault).toBe('unknown_outcome');
  });

  it.each([500, 502, 503, 504])('is unknown for a write and unavailable for a read after status %d', (status) => {
    expect(graph({ code: 99 }, { status }).fault).toBe('unknown_outcome');
    expect(graph({ code: 99 }, { status }, read).fault).toBe('unavailable');
  });

  it('goes by is_transient where the code says nothing', () => {
    expect(graph({ code: 100, is_transient: true }).fault).toBe('unknown_outcome');
    expect(graph({ code: 100, is_transient: true }, {}, read).fault).toBe('unavailable');
  });

  it('goes by the code although other members are not what they should be', () => {
    const odd = { code: 190, error_subcode: null, error_user_title: null, error_user_msg: 7, is_transient: 'no' };
    expect(graph(odd).fault).toBe('auth_expired');
    expect(refusal({ body: { error: { code: 190, message: null } } }).fault).toBe('auth_expired');
  });

  it('never goes by the text', () => {
    expect(graph({ code: 100, message: 'rate limit, token expired, temporarily unavailable' }).fault).toBe('rejected');
  });
});

describe('an unreadable answer', () => {
  it.each<[number, unknown, PlatformFault, PlatformFault]>([
    [200, undefined, 'unknown_outcome', 'unavailable'],
    [200, { success: true }, 'unknown_outcome', 'unavailable'],
    [200, { id: 1202 }, 'unknown_outcome', 'unavailable'],
    [200, [], 'unknown_outcome', 'unavailable'],
    [302, undefined, 'unknown_outcome', 'unavailable'],
    [502, undefined, 'unknown_outcome', 'unavailable'],
    [504, { message: 'gateway' }, 'unknown_outcome', 'unavailable'],
    [400, undefined, 'rejected', 'rejected'],
    [404, { error: 'no' }, 'rejected', 'rejected'],
    [429, undefined, 'rate_limited', 'rate_limited'],
  ])('of status %d with %j is %s for a write, %s for a read', (status, body, forWrite, forRead) => {
    expect(refusal({ status, body }, write)).toMatchObject({ fault: forWrite, upstream: { status } });
    expect(refusal({ status, body }, read)).toMatchObject({ fault: forRead, upstream: { status } });
  });

  it('with a good body but the status of an error is not taken for good', () => {
    expect(refusal({ status: 500, body: { id: '1' } }).fault).toBe('unknown_outcome');
  });
});

describe('the wait after a limit', () => {
  const usage = (...waits: number[]): string =>
    JSON.stringify({ 77: waits.map((wait) => ({ type: 'ads_management', estimated_time_to_regain_access: wait })) });

  it.each<[string, Record<string, string>, number]>([
    ['minutes of the business use case', { 'x-business-use-case-usage': usage(3, 5) }, 300],
    ['seconds of the ad account', { 'x-ad-account-usage': '{"acc_id_util_pct":100,"reset_time_duration":100}' }, 100],
    [
      'the ad account where the business use case has no wait',
      { 'x-business-use-case-usage': usage(0), 'x-ad-account-usage': '{"reset_time_duration":17}' },
      17,
    ],
    ['a minute, for the app usage contains no time', { 'x-app-usage': '{"call_count":100}' }, 60],
    ['a minute without headers', {}, 60],
    ['a minute with broken headers', { 'x-business-use-case-usage': '{', 'x-ad-account-usage': 'null' }, 60],
  ])('is %s', (_name, headers, retryAfterSeconds) => {
    expect(graph({ code: 17 }, { headers }).upstream).toMatchObject({ retryAfterSeconds });
  });

  it('is absent for other faults', () => {
    expect(graph({ code: 100 }).upstream.retryAfterSeconds).toBeUndefined();
  });

  it('is present too when a gateway limits without a readable answer', () => {
    expect(refusal({ status: 429 }).upstream.retryAfterSeconds).toBe(60);
  });
});

describe('the fields that the platform names', () => {
  const text = { code: 100, error_user_msg: 'Not so' };
  it.each<[string[], string[]]>([
    [['daily_budget'], ['budgetAmount']],
    [['lifetime_budget'], ['budgetAmount']],
    [['bid_constraints', 'roas_average_floor'], ['roasAverageFloor']],
    [['targeting', 'geo_locations', 'cities'], ['cities']],
    [['targeting', 'geo_locations', 'cities', '1', 'key'], ['cities.1']],
    [['targeting', 'geo_locations', 'regions'], ['regions']],
    [['targeting', 'flexible_spec', '0', 'interests', '2'], ['interests.2']],
    [['targeting', 'flexible_spec', '0', 'interests'], ['interests']],
    [['targeting', 'excluded_geo_locations', 'countries', '1'], ['excludedCountries.1']],
    [['targeting', 'excluded_geo_locations', 'regions', '0', 'key'], ['excludedRegions.0']],
    [['targeting', 'excluded_geo_locations', 'cities'], ['excludedCities']],
    [['targeting', 'excluded_geo_locations'], ['excludedCountries']],
    [['targeting', 'excluded_custom_audiences', '2'], ['excludedAudienceIds.2']],
    [['targeting', 'flexible_spec', '0'], ['countries']],
    [['targeting', 'something_new'], ['countries']],
    [['targeting', 'age_max'], ['ageMax']],
    [['promoted_object', 'pixel_id'], ['promotedObject.pixelId']],
    [['object_story_spec', 'link_data', 'name'], ['headline']],
    [['object_story_spec', 'link_data', 'picture'], ['imageUrl']],
    [['object_story_spec', 'video_data', 'image_url'], ['video.thumbnailUrl']],
    [['name'], ['name']],
    [['special_ad_categories'], ['specialAdCategories']],
    [['special_ad_category', '0'], ['specialAdCategories']],
    [['special_ad_category_country'], ['specialAdCategoryCountry']],
    [['regional_regulated_categories'], ['regionalRegulation']],
    [['regional_regulation_identities', 'taiwan_universal_payer'], ['regionalRegulation']],
    [['dsa_payor'], ['dsaBeneficiary', 'dsaPayor']],
    [['dsa_beneficiary'], ['dsaBeneficiary', 'dsaPayor']],
  ])('%j is ours as %j, whether error_data is an object or its text', (path, ours) => {
    const data = { blame_field_specs: [path] };
    const fields = Object.fromEntries(ours.map((name) => [name, ['Not so']]));
    expect(graph({ ...text, error_data: data }).upstream.fields).toEqual(fields);
    expect(graph({ ...text, error_data: JSON.stringify(data) }).upstream.fields).toEqual(fields);
  });

  it.each<[string, unknown]>([
    ['nothing', undefined],
    ['a field that callers have not', { blame_field_specs: [['spend_cap']] }],
    ['an empty path', { blame_field_specs: [[]] }],
    ['no path', { blame_field_specs: 'daily_budget' }],
    ['broken text', '{"blame_field_specs":'],
  ])('are none when it is %s', (_name, data) => {
    expect(graph({ ...text, error_data: data })).toMatchObject({ message: 'Not so', upstream: { fields: undefined } });
  });

  it.each<[object, string]>([
    [{ message: 'use the following value for regional_regulated_categories: TAIWAN_UNIVERSAL' }, 'TAIWAN_UNIVERSAL'],
    [{ error_user_msg: 'Utiliza SINGAPORE_UNIVERSAL.' }, 'SINGAPORE_UNIVERSAL'],
    [{ error_user_msg: 'Please use THAILAND_UNIVERSAL' }, 'THAILAND_UNIVERSAL'],
    [{ error_subcode: 3858498 }, 'TAIWAN_UNIVERSAL'],
    [{ error_subcode: 3858550, error_user_msg: 'Falta una declaración' }, 'SINGAPORE_UNIVERSAL'],
  ])('are the regional regulation for %j, with the missing category', (said, category) => {
    const message = expect.stringContaining(`needs an entry with the category ${category}`);
    expect(graph({ code: 100, ...said }).upstream.fields).toEqual({ regionalRegulation: [message] });
  });

  it.each([3858079, 3858081, 3858152])('are both EU fields for subcode %d, so that one round fixes both', (subcode) => {
    const error = graph({ code: 100, error_subcode: subcode, error_data: '{"blame_field_specs":[["dsa_payor"]]}' });
    const message = ['is required: the targeting meets an EU member state'];
    expect(error.upstream.fields).toEqual({ dsaBeneficiary: message, dsaPayor: message });
  });

  it.each([1487033, 1487007])('is the start for subcode %d if the platform names it', (subcode) => {
    const error = graph({ code: 100, error_subcode: subcode, error_data: '{"blame_field_specs":[["start_time"]]}' });
    expect(error.upstream.fields).toEqual({ startDate: ['must be in the future and before the end'] });
  });

  it.each<[number, string]>([
    [1885272, 'budgetAmount'],
    [1885650, 'budgetAmount'],
    [1487901, 'budgetAmount'],
    [1885621, 'budgetAmount'],
    [1487033, 'endDate'],
    [1885364, 'countries'],
    [1487694, 'interests'],
    [2490408, 'goal'],
    [1815715, 'goal'],
    [1885154, 'adSetId'],
    [1885553, 'adSetId'],
    [3858258, 'imageUrl'],
    [1443226, 'video.thumbnailUrl'],
  ])('of subcode %d are known although the platform names none: %s', (subcode, field) => {
    const { message, upstream } = graph({ code: 100, error_subcode: subcode, error_user_msg: 'Budget trop faible' });
    expect(Object.keys(upstream.fields ?? {})).toEqual([field]);
    expect(message).toMatch(new RegExp(`^${field} .+ \\(Budget trop faible\\)$`));
  });
});

describe('the text', () => {
  it("is the platform's own for people, with its title", () => {
    const error = graph({ code: 100, error_user_title: 'Too low', error_user_msg: 'Raise it', fbtrace_id: 'A1' });
    expect(error.message).toBe('Too low: Raise it');
    expect(error.upstream).toMatchObject({ title: 'Too low', message: 'Raise it', traceId: 'A1', status: 400 });
  });

  it('is the technical one where there is none for people', () => {
    expect(graph({ code: 100, message: '(#100) Invalid' }).message).toBe('(#100) Invalid');
    expect(refusal({ body: { error: {} } }).message).toBe('The platform rejected the request');
  });

  it('never shows the token, though the platform quotes one that it cannot read', () => {
    const said = `Malformed access token ${token}`;
    const error = graph({ code: 190, message: said, error_user_title: said });
    expect(JSON.stringify([error.message, error.upstream, error.stack])).not.toContain(token);
    expect(error.message).toContain('Malformed access token ***');
  });
});
