import type { z } from 'zod';
import type { CreateAdInput } from '../../contract/ad-input.ts';
import type { DeviceName } from '../../contract/capability.ts';
import { PlatformError } from '../error.ts';
import { variantsOf, type LanguageVariant } from '../languages.ts';
import type { Access, OrderProblem } from '../platform.ts';
import type { Client, Params } from './client.ts';
import { Language, Location, pageOf } from './wire.ts';

export interface Criterion {
  targeting_type: string;
  targeting_value: string;
  /** NE excludes what the value stands for. */
  operator_type: 'EQ' | 'NE';
}

/** Age buckets; a line item supports exactly one. */
const endsOf: Record<number, number[]> = {
  13: [24, 34, 49, 54],
  18: [34, 49, 54],
  21: [34, 49, 54],
  25: [49, 54],
  35: [49, 54],
};
const openFrom = [13, 18, 21, 25, 35, 50];
const ageBuckets = new Map<string, string>([
  ...Object.entries(endsOf).flatMap(([from, ends]) =>
    ends.map((to) => [`${from}-${to}`, `AGE_${from}_TO_${to}`] as const),
  ),
  ...openFrom.map((from) => [`${from}-65`, `AGE_OVER_${from}`] as const),
]);

const agesOf = ({ ageMin = 13, ageMax = 65 }: CreateAdInput): string => `${ageMin}-${ageMax}`;

/** The bucket of an age range; undefined means all ages, and any other range is rejected. */
export function ageBucketOf(input: CreateAdInput): string | undefined {
  const isOpen = input.ageMin === undefined && input.ageMax === undefined;
  const [problem] = checkAges(input);
  if (problem) {
    const fields = { ageMin: [problem.message], ageMax: [problem.message] };
    throw new PlatformError('E', 'rejected', `ageMin, ageMax: ${problem.message}`, { fields });
  }
  return isOpen ? undefined : ageBuckets.get(agesOf(input));
}

const maxInterests = 100;

export const tooManyInterests = ({ interests = [] }: CreateAdInput): OrderProblem[] =>
  interests.length > maxInterests
    ? [{ path: 'interests', message: `must have at most ${maxInterests} entries on this platform` }]
    : [];

/** Checks that an age range is a bucket of the platform. */
export function checkAges(input: CreateAdInput): OrderProblem[] {
  const ages = agesOf(input);
  if (ageBuckets.has(ages)) return [];
  const known = [...ageBuckets.keys()].join(', ');
  const message = `the platform has no age range ${ages}; it has: ${known} (65 means and older)`;
  return ['ageMin', 'ageMax'].map((path) => ({ path, message }));
}

/** All criteria of a line item. Without a location it would be shown worldwide. */
export async function criteriaOf(client: Client, access: Access, input: CreateAdInput): Promise<Criterion[]> {
  const { countries = ['US'], interests = [], audienceId, excludedAudienceIds = [], devices = [] } = input;
  const age = ageBucketOf(input);
  const places = await placesOf(client, access, countries);
  const languages = await languagesOf(client, access, input);
  return [
    ...places.map((value) => criterion('LOCATION', value)),
    ...(age ? [criterion('AGE', age)] : []),
    ...interests.map(({ id }) => criterion('INTEREST', id)),
    ...languages.map((value) => criterion('LANGUAGE', value)),
    ...devices.flatMap((device) => (systems[device] ?? []).map((value) => criterion('PLATFORM', value))),
    ...(audienceId ? [criterion('CUSTOM_AUDIENCE', audienceId)] : []),
    ...excludedAudienceIds.map((id) => criterion('CUSTOM_AUDIENCE', id, 'NE')),
  ];
}

const criterion = (type: string, value: string, operator: Criterion['operator_type'] = 'EQ'): Criterion => ({
  targeting_type: type,
  targeting_value: value,
  operator_type: operator,
});

/** Keys of operating systems; the platform does not distinguish tablets from phones. */
const systems: Partial<Record<DeviceName, string[]>> = { mobile: ['0', '1', '2', '3'], desktop: ['4'] };

/** Keys of languages and countries can change: the platform advises to read them every week. */
const cacheMs = 7 * 86_400_000;

function cached<T extends Iterable<unknown>>(
  read: (client: Client, access: Access) => Promise<T>,
): (client: Client, access: Access) => Promise<T> {
  const last = new WeakMap<Client, { value: T; until: number }>();
  return async (client, access) => {
    const now = access.clock.now().getTime();
    const known = last.get(client);
    if (known && known.until > now) return known.value;
    const value = await read(client, access);
    // Orders would be refused for a week if the platform returned an empty list once.
    if ([...value].length > 0) last.set(client, { value, until: now + cacheMs });
    return value;
  };
}

const allLanguages = cached(async (client, access): Promise<LanguageVariant[]> => {
  const params = { count: 1000 };
  const { data } = await client.read(access, 'targeting_criteria/languages', { schema: pageOf(Language), params });
  return data.map(({ targeting_value: value }) => ({ code: value, key: value }));
});

const languagesOf = async (client: Client, access: Access, { languages }: CreateAdInput): Promise<string[]> =>
  languages ? variantsOf('E', languages, await allLanguages(client, access)) : [];

/** The keys of all countries by their codes, in one call: the platform permits few look-ups per quarter of an hour. */
const allCountries = cached(async (client, access): Promise<Map<string, string>> => {
  const countries = await lookUp(client, access, { count: 1000 });
  return new Map(countries.flatMap(({ country_code: code, targeting_value: key }) => (code ? [[code, key]] : [])));
});

async function placesOf(client: Client, access: Access, codes: string[]): Promise<string[]> {
  const known = await allCountries(client, access);
  return Promise.all(codes.map(async (code) => known.get(code) ?? (await placeOf(client, access, code))));
}

/** Looks up a country that the list of all countries does not name by its code. */
async function placeOf(client: Client, access: Access, code: string): Promise<string> {
  const found = (await lookUp(client, access, { country_code: code })).find(
    (place) => !place.country_code || place.country_code === code,
  );
  if (found) return found.targeting_value;
  const message = `The platform does not target ${code}`;
  throw new PlatformError('E', 'rejected', message, { fields: { countries: [message] } });
}

async function lookUp(client: Client, access: Access, query: Params): Promise<z.infer<typeof Location>[]> {
  const params = { location_type: 'COUNTRIES', ...query };
  return (await client.read(access, 'targeting_criteria/locations', { schema: pageOf(Location), params })).data;
}
