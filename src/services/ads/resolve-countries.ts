import type { CreateAdInput } from '../../contract/ad-input.ts';
import type { AdPlatform } from '../../contract/platforms.ts';
import type { Services } from '../context.ts';

/** Adds the country of each city or region from earlier targeting searches; the EU rule needs it. */
export async function withCountries(
  { db }: Pick<Services, 'db'>,
  input: CreateAdInput,
  platform: AdPlatform,
): Promise<CreateAdInput> {
  const idOf = (type: 'city' | 'region', key: string): string => `${platform}:${type}:${key}`;
  const open = (list: { key: string; countryCode?: string }[] | undefined, type: 'city' | 'region'): string[] =>
    (list ?? []).filter(({ countryCode }) => !countryCode).map(({ key }) => idOf(type, key));
  const ids = [...open(input.cities, 'city'), ...open(input.regions, 'region')];
  if (ids.length === 0) return input;
  const places = await db.places.find({ _id: { $in: ids } }).lean();
  const countries = new Map(places.map(({ _id, countryCode }) => [_id, countryCode]));
  return {
    ...input,
    ...(input.cities && {
      cities: input.cities.map((city) => ({
        ...city,
        countryCode: city.countryCode ?? countries.get(idOf('city', city.key)),
      })),
    }),
    ...(input.regions && {
      regions: input.regions.map((region) => ({
        ...region,
        countryCode: region.countryCode ?? countries.get(idOf('region', region.key)),
      })),
    }),
  };
}
