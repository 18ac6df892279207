import { describe, expect, it } from 'vitest';
import { targetingOf } from '../../src/platforms/meta/targeting.ts';
import { inputs } from './fixtures.ts';

const target = (extra: Record<string, unknown>, platform: 'network-a' | 'network-b' = 'network-a') =>
  targetingOf(inputs.legacy(extra), platform);
const plain = { geo_locations: { countries: ['US'] }, targeting_automation: { advantage_audience: 0 } };
const city = { key: '2421836' };
const region = { key: '3847', countryCode: 'US' };

describe('places', () => {
  it('are the United States when nothing is given', () => expect(target({})).toEqual(plain));

  it.each<[string, object, object]>([
    ['countries', { countries: ['DE', 'FR'], ...eu() }, { countries: ['DE', 'FR'] }],
    ['cities alone, without the default country', { cities: [city] }, { cities: [city] }],
    ['regions alone, without the default country', { regions: [region] }, { regions: [{ key: '3847' }] }],
    [
      'cities with a radius',
      { cities: [{ ...city, radius: 17, distance_unit: 'kilometer', countryCode: 'US' }] },
      { cities: [{ ...city, radius: 17, distance_unit: 'kilometer' }] },
    ],
    [
      'all three together',
      { countries: ['CA'], cities: [city], regions: [region] },
      { countries: ['CA'], cities: [city], regions: [{ key: '3847' }] },
    ],
  ])('are %s', (_name, extra, places) => expect(target({ ...extra })['geo_locations']).toEqual(places));
});

describe('exclusions', () => {
  it('of places stand beside the included ones', () => {
    const excluded = {
      excludedCountries: ['MX'],
      excludedRegions: [region],
      excludedCities: [{ ...city, radius: 17, distance_unit: 'kilometer', countryCode: 'US' }],
    };
    expect(target({ countries: ['US', 'CA'], ...excluded })).toEqual({
      ...plain,
      geo_locations: { countries: ['US', 'CA'] },
      excluded_geo_locations: {
        countries: ['MX'],
        regions: [{ key: '3847' }],
        cities: [{ ...city, radius: 17, distance_unit: 'kilometer' }],
      },
    });
  });

  it('of audiences stand beside the included one', () => {
    expect(target({ audienceId: '7', excludedAudienceIds: ['8', '9'] })).toEqual({
      ...plain,
      custom_audiences: [{ id: '7' }],
      excluded_custom_audiences: [{ id: '8' }, { id: '9' }],
    });
  });
});

describe('people', () => {
  it('are everybody by default', () => {
    expect(target({ gender: 'all' })).toEqual(plain);
  });

  it.each([
    ['male', [1]],
    ['female', [2]],
  ])('of gender %s are %j', (gender, genders) => expect(target({ gender })).toEqual({ ...plain, genders }));

  it('with any of several interests share one entry, for entries are joined by "and"', () => {
    const interests = [
      { id: '6003107902433', name: 'Football' },
      { id: '6003', name: 'Golf' },
    ];
    expect(target({ interests })).toEqual({ ...plain, flexible_spec: [{ interests }] });
  });

  it('of an audience are named by its id', () => {
    expect(target({ audienceId: '2384' })).toEqual({ ...plain, custom_audiences: [{ id: '2384' }] });
  });
});

describe('ages', () => {
  it.each<[object, object]>([
    [
      { ageMin: 30, ageMax: 45 },
      { age_min: 30, age_max: 45 },
    ],
    [{ ageMin: 13 }, { age_min: 13 }],
    [{ ageMax: 65 }, { age_max: 65 }],
    [
      { ageMin: 21, ageMax: 65, advantageAudience: 1 },
      { age_min: 21, age_max: 65 },
    ],
    [{ ageMin: 25, advantageAudience: 1 }, { age_min: 25 }],
    [
      { ageMin: 30, ageMax: 45, advantageAudience: 1 },
      { age_min: 18, age_max: 65, age_range: [30, 45] },
    ],
    [
      { ageMin: 26, advantageAudience: 1 },
      { age_min: 18, age_max: 65, age_range: [26, 65] },
    ],
    [
      { ageMax: 64, advantageAudience: 1 },
      { age_min: 18, age_max: 65, age_range: [18, 64] },
    ],
    [{ advantageAudience: 1 }, {}],
  ])('%j are sent as %j: a widened audience takes narrow ones as a suggestion', (extra, ages) => {
    const { targeting_automation, geo_locations: _places, ...sent } = target({ ...extra });
    expect(sent).toEqual(ages);
    const { advantageAudience = 0 } = extra as { advantageAudience?: number };
    expect(targeting_automation).toEqual({ advantage_audience: advantageAudience });
  });
});

describe('placements', () => {
  it('are left to the platform on network-a', () => expect(target({})).not.toHaveProperty('publisher_platforms'));

  it('are the photo network alone on network-b', () => {
    expect(target({}, 'network-b')).toEqual({ ...plain, publisher_platforms: ['instagram'] });
  });
});

function eu(): object {
  return { dsaBeneficiary: 'Shop Ltd', dsaPayor: 'Shop Ltd' };
}
