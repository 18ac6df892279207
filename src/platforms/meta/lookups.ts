import { z } from 'zod';
import type { Access, InterestOption, TargetingOption, TargetingQuery, TargetingType } from '../platform.ts';
import type { Client } from './client.ts';

const Place = z.object({
  key: z.coerce.string(),
  name: z.string(),
  type: z.string(),
  country_code: z.string().optional(),
  country_name: z.string().optional(),
  region: z.string().optional(),
});
const Locale = z.object({ key: z.coerce.string(), name: z.string() });
const Interest = z.object({
  id: z.string(),
  name: z.string(),
  audience_size_lower_bound: z.number().optional(),
  audience_size_upper_bound: z.number().optional(),
  path: z.array(z.string()).optional(),
});
const answerOf = <T extends z.ZodType>(item: T) => z.object({ data: z.array(item) });

const kinds: Record<Exclude<TargetingType, 'language'>, string> = {
  country: 'country',
  region: 'region',
  city: 'city',
  zip: 'zip',
};

export async function searchTargeting(
  client: Client,
  access: Access,
  { type, q, countryCode, limit }: TargetingQuery,
): Promise<TargetingOption[]> {
  const common = { q, limit: String(limit) };
  if (type === 'language') {
    const { data } = await client.read(access, 'search', {
      schema: answerOf(Locale),
      query: { ...common, type: 'adlocale' },
    });
    return data.map(({ key, name }) => ({ key, name, type }));
  }
  const { data } = await client.read(access, 'search', {
    schema: answerOf(Place),
    query: {
      ...common,
      type: 'adgeolocation',
      location_types: JSON.stringify([kinds[type]]),
      ...(countryCode && { country_code: countryCode }),
    },
  });
  // Some results have a more specific type than requested.
  return data
    .filter((place) => place.type === kinds[type])
    .map((place) => ({
      key: place.key,
      name: place.name,
      type,
      countryCode: place.country_code,
      countryName: place.country_name,
      region: place.region,
    }));
}

export async function searchInterests(
  client: Client,
  access: Access,
  { q, limit }: Omit<TargetingQuery, 'type'>,
): Promise<InterestOption[]> {
  const query = { type: 'adinterest', q, limit: String(limit) };
  const { data } = await client.read(access, 'search', { schema: answerOf(Interest), query });
  return data.map((interest) => ({
    id: interest.id,
    name: interest.name,
    audienceSizeMin: interest.audience_size_lower_bound,
    audienceSizeMax: interest.audience_size_upper_bound,
    path: interest.path,
  }));
}
