import { z } from 'zod';
import type { FoundTargeting } from '../platform.ts';
import { PlatformId } from '../tolerant.ts';

const text = z.string().optional();
const Geo = z
  .object({
    countries: z.array(z.string()).optional(),
    regions: z.array(z.object({ key: PlatformId, country: text })).optional(),
    cities: z
      .array(
        z.object({
          key: PlatformId,
          country: text,
          radius: z.number().optional(),
          distance_unit: z.enum(['mile', 'kilometer']).optional(),
        }),
      )
      .optional(),
  })
  .optional();
const Named = z.object({ id: PlatformId, name: z.string().default('') });
const Audiences = z.array(Named).optional();

export const TargetingWire = z.object({
  geo_locations: Geo,
  excluded_geo_locations: Geo,
  age_min: z.number().optional(),
  age_max: z.number().optional(),
  genders: z.array(z.number()).optional(),
  flexible_spec: z.array(z.object({ interests: z.array(Named).optional() })).optional(),
  custom_audiences: Audiences,
  excluded_custom_audiences: Audiences,
});
type TargetingWire = z.infer<typeof TargetingWire>;

/** The targeting of an ad set in the fields of createAd; what they cannot say is left out. */
export function foundTargeting(wire: TargetingWire | undefined): FoundTargeting | null {
  if (!wire) return null;
  const included = placesOf(wire.geo_locations);
  const excluded = placesOf(wire.excluded_geo_locations);
  const [audience, ...furtherAudiences] = wire.custom_audiences ?? [];
  const [spec, ...furtherSpecs] = wire.flexible_spec ?? [];
  const gender = (['male', 'female'] as const)[(wire.genders?.length === 1 ? (wire.genders[0] ?? 0) : 0) - 1];
  return {
    ...included,
    ...(excluded.countries && { excludedCountries: excluded.countries }),
    ...(excluded.regions && { excludedRegions: excluded.regions }),
    ...(excluded.cities && { excludedCities: excluded.cities }),
    ...(wire.age_min !== undefined && { ageMin: wire.age_min }),
    ...(wire.age_max !== undefined && { ageMax: wire.age_max }),
    ...(gender && { gender }),
    ...(spec?.interests && furtherSpecs.length === 0 && { interests: spec.interests }),
    ...(audience && furtherAudiences.length === 0 && { audienceId: audience.id }),
    ...(wire.excluded_custom_audiences && {
      excludedAudienceIds: wire.excluded_custom_audiences.map(({ id }) => id),
    }),
  };
}

const placesOf = ({ countries, regions, cities }: NonNullable<z.infer<typeof Geo>> = {}) => ({
  ...(countries && { countries }),
  ...(regions && { regions: regions.map(({ key, country }) => ({ key, countryCode: country })) }),
  ...(cities && { cities: cities.map(({ country, ...city }) => ({ ...city, countryCode: country })) }),
});
