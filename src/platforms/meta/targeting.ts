import type { CreateAdInput } from '../../contract/ad-input.ts';
import type { AccountPlatform } from '../../contract/platforms.ts';
import { isAppStore } from '../app-store.ts';

const genders = { male: [1], female: [2] } as const;

/** The ad set's targeting. The audience flag is always sent, because its default varies or is an error. */
export function targetingOf(
  input: CreateAdInput,
  accountPlatform: AccountPlatform,
  locales?: number[],
): Record<string, unknown> {
  const { gender = 'all', interests, audienceId, excludedAudienceIds, devices, advantageAudience = 0 } = input;
  return {
    geo_locations: placesOf(input),
    // Beside the included places: within them the platform rejects it.
    ...excludedPlacesOf(input),
    ...agesOf(input),
    ...(gender !== 'all' && { genders: genders[gender] }),
    ...(interests && { flexible_spec: [{ interests: interests.map(({ id, name }) => ({ id, name })) }] }),
    ...(audienceId && { custom_audiences: [{ id: audienceId }] }),
    ...(excludedAudienceIds && { excluded_custom_audiences: excludedAudienceIds.map((id) => ({ id })) }),
    ...(locales && { locales }),
    ...(devices && { device_platforms: devices }),
    ...userOsOf(input),
    ...(accountPlatform === 'network-b' && { publisher_platforms: ['instagram'] }),
    targeting_automation: { advantage_audience: advantageAudience },
  };
}

/** An app is advertised on devices that can install it. */
function userOsOf({ goal, promotedObject }: CreateAdInput): Record<string, unknown> {
  const storeUrl = promotedObject?.objectStoreUrl;
  return goal === 'app_promotion' && storeUrl ? { user_os: [isAppStore(storeUrl) ? 'iOS' : 'Android'] } : {};
}

/** The default country is added only if nothing else is given: a country and a city inside it overlap. */
function placesOf({ countries, cities, regions }: CreateAdInput): Record<string, unknown> {
  const defaults = cities || regions ? undefined : ['US'];
  return geoOf({ countries: countries ?? defaults, cities, regions });
}

function excludedPlacesOf(input: CreateAdInput): Record<string, unknown> {
  const { excludedCountries: countries, excludedCities: cities, excludedRegions: regions } = input;
  const places = geoOf({ countries, cities, regions });
  return Object.keys(places).length > 0 ? { excluded_geo_locations: places } : {};
}

type Places = Pick<CreateAdInput, 'countries' | 'cities' | 'regions'>;

function geoOf({ countries, cities, regions }: Places): Record<string, unknown> {
  return {
    ...(countries && { countries }),
    ...(regions && { regions: regions.map(({ key }) => ({ key })) }),
    ...(cities && {
      cities: cities.map(({ key, radius, distance_unit }) => ({
        key,
        ...(radius !== undefined && { radius, distance_unit }),
      })),
    }),
  };
}

/** With an expanded audience, narrower ages are sent as a suggestion. */
function agesOf({ ageMin, ageMax, advantageAudience }: CreateAdInput): Record<string, unknown> {
  const narrowed = (ageMin ?? 18) > 25 || (ageMax ?? 65) < 65;
  if (advantageAudience === 1 && narrowed) return { age_min: 18, age_max: 65, age_range: [ageMin ?? 18, ageMax ?? 65] };
  return { ...(ageMin !== undefined && { age_min: ageMin }), ...(ageMax !== undefined && { age_max: ageMax }) };
}
