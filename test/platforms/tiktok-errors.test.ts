import { expect, it } from 'vitest';
import { z } from 'zod';
import { PlatformError, type PlatformFault, type UpstreamFailure } from '../../src/platforms/error.ts';
import { parseResponse } from '../../src/platforms/tiktok/errors.ts';
import { token } from './fixtures.ts';

function refusal(code: number, message = 'Something is wrong.', isWrite = true): PlatformError {
  try {
    const body = { code, message, request_id: '20261128', data: {} };
    parseResponse(z.unknown(), { status: 200, headers: {}, body }, { isWrite, isWhole: true, token });
  } catch (error) {
    if (error instanceof PlatformError) return error;
    throw error;
  }
  throw new Error('Was not refused');
}

/** Every return code that the platform publishes. */
const classes: Record<PlatformFault, number[]> = {
  rejected: [
    40_000, 40_001, 40_002, 40_006, 40_008, 40_009, 40_010, 40_011, 40_013, 40_014, 40_051, 40_052, 40_053, 40_065,
    40_112, 40_113, 40_115, 40_116, 40_117, 40_118, 40_119, 40_121, 40_122, 40_124, 40_125, 40_502, 40_900, 40_901,
    40_902, 40_903, 40_904, 40_905, 40_906, 40_907, 40_908, 40_909, 40_910, 40_911, 40_912, 40_913, 40_914, 40_915,
    41_000, 41_001, 41_002,
  ],
  not_found: [40_007, 40_300, 40_301],
  auth_expired: [40_101, 40_102, 40_103, 40_104, 40_105, 40_106, 40_107, 40_108, 40_109, 40_110],
  rate_limited: [40_016, 40_100, 40_132, 40_133],
  unavailable: [40_200, 40_201, 40_202, 60_001],
  unknown_outcome: [20_001, 40_050, 40_700, 50_000, 50_002, 51_305],
  unsupported: [],
};
const codes = Object.entries(classes).flatMap(([fault, list]) => list.map((code) => [code, fault] as const));

it.each(codes)('code %i of a write is %s', (code, fault) => {
  expect(refusal(code)).toMatchObject({ platform: 'D', fault, upstream: { code } });
});

it.each(classes.unknown_outcome)('code %i of a read is unavailable: nothing can have been executed', (code) => {
  expect(refusal(code, 'Later', false).fault).toBe('unavailable');
});

it.each([
  [40_016, 300],
  [40_100, 300],
  [40_132, 1],
  [40_133, 1],
])('code %i is retried after %i seconds', (code, seconds) => {
  expect(refusal(code).upstream.retryAfterSeconds).toBe(seconds);
});

it.each<[number, string, UpstreamFailure['fields']]>([
  [40_065, 'ad delivery to US audiences will be subject to restrictions', { ageMin: [expect.any(String)] as never }],
  [
    40_002,
    'schedule_start_time: More than 12 hours in the past.',
    { startDate: ['schedule_start_time: More than 12 hours in the past.'] },
  ],
  [
    40_002,
    'excluded_audience_ids: 7 is in audience_ids too.',
    { excludedAudienceIds: ['excluded_audience_ids: 7 is in audience_ids too.'] },
  ],
  [40_053, 'Invalid', { 'video.url': ['Invalid'] }],
  [40_002, 'special_industries: Not', { specialAdCategories: ['special_industries: Not'] }],
  [40_002, 'operating_systems: Missing', { 'promotedObject.objectStoreUrl': ['operating_systems: Missing'] }],
])('code %i with "%s" names our field', (code, message, fields) => {
  expect(refusal(code, message).upstream.fields).toEqual(fields);
});

it.each([
  ['advertiser does not grant you /file/video/ad/search/:GET permission', ['/file/video/ad/search/:GET']],
  ['No permission to operate advertiser 7.', undefined],
])('code 40001 with "%s" names the permission that is missing: %j', (message, missingScopes) => {
  expect(refusal(40_001, message).upstream.missingScopes).toEqual(missingScopes);
});

it.each([
  [40_006, 'The old API version does not support DPA ad.', 'PLATFORM_D_VERSION'],
  [40_051, 'The version v1.2 is not supported.', 'PLATFORM_D_VERSION'],
  [40_010, 'The domain is not supported.', 'PLATFORM_D_BASE_URL'],
  [40_002, 'special_industries: Can not be added later.', 'must be created again'],
])('code %i with "%s" says what to do: %s', (code, message, hint) => {
  const error = refusal(code, message);
  expect(error.fault).toBe('rejected');
  expect(error.message).toContain(hint);
  expect(error.message).toContain(`(${message})`);
  expect(error.upstream.message).toBe(message);
});
