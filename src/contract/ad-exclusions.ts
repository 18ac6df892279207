import { field } from './ad-fields.ts';
import { CityTargetInput, RegionTargetInput } from './ad-input-parts.ts';
import { NegativeKeywords } from './ad-keywords.ts';
import { listOf, RemoteId } from './common.ts';
import { CountryCode } from './country-codes.ts';

/** The fields of createAd that keep an ad from people. */
export const exclusionFields = {
  negativeKeywords: field(
    NegativeKeywords.optional(),
    { level: 'targeting', platforms: 'B' },
    'B: keywords of searches, or for display ads of content, where the ad is not shown',
  ),
  excludedCountries: field(
    listOf(CountryCode, 250).optional(),
    { level: 'targeting', platforms: 'ABF' },
    'A, B and F: countries where the ad is not shown; requires included places',
  ),
  excludedRegions: field(
    listOf(RegionTargetInput, 200).optional(),
    { level: 'targeting', platforms: 'AB' },
    'A and B: states or provinces where the ad is not shown; requires included places',
  ),
  excludedCities: field(
    listOf(CityTargetInput, 250).optional(),
    { level: 'targeting', platforms: 'A' },
    'A: cities where the ad is not shown; requires included places',
  ),
  excludedAudienceIds: field(
    listOf(RemoteId, 50).optional(),
    { level: 'targeting', platforms: 'ABCDE' },
    'A to E: custom audiences whose members do not see the ad',
  ),
};

/** For each exclusion, the field that targets the same kind of thing. */
export const includedBy = {
  negativeKeywords: 'keywords',
  excludedCountries: 'countries',
  excludedRegions: 'regions',
  excludedCities: 'cities',
  excludedAudienceIds: 'audienceId',
} as const satisfies Record<keyof typeof exclusionFields, string>;
