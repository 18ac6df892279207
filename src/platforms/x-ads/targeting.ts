import type { CreateAdInput } from '../../contract/ad-input.ts';
import { PlatformError } from '../error.ts';
import type { Access, OrderProblem } from '../platform.ts';
import type { Client } from './client.ts';
import { Location, pageOf } from './wire.ts';

export interface Criterion {
  targeting_type: string;
  targeting_value: string;
}

/** A line item takes one age bucket; these are all that there are, from and to. */
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

/** The bucket for the wanted ages; undefined is everybody, and what is no bucket is refused. */
export function ageBucketOf(input: CreateAdInput): string | undefined {
  const isOpen = input.ageMin === undefined && input.ageMax === undefined;
  const [problem] = checkAges(input);
  if (problem) {
    const fields = { ageMin: [problem.message], ageMax: [problem.message] };
    throw new PlatformError('E', 'rejected', `ageMin, ageMax: ${problem.message}`, { fields });
  }
  return isOpen ? undefined : ageBuckets.get(agesOf(input));
}

/** Ages that are no bucket of the platform. */
export function checkAges(input: CreateAdInput): OrderProblem[] {
  const ages = agesOf(input);
  if (ageBuckets.has(ages)) return [];
  const known = [...ageBuckets.keys()].join(', ');
  const message = `the platform has no age range ${ages}; it has: ${known} (65 means and older)`;
  return ['ageMin', 'ageMax'].map((path) => ({ path, message }));
}

/** All criteria of a line item. Without a place it would be shown all over the world. */
export async function criteriaOf(client: Client, access: Access, input: CreateAdInput): Promise<Criterion[]> {
  const { countries = ['US'], interests = [], audienceId } = input;
  const age = ageBucketOf(input);
  const places = await Promise.all(countries.map((code) => placeOf(client, access, code)));
  return [
    ...places.map((value) => ({ targeting_type: 'LOCATION', targeting_value: value })),
    ...(age ? [{ targeting_type: 'AGE', targeting_value: age }] : []),
    ...interests.map(({ id }) => ({ targeting_type: 'INTEREST', targeting_value: id })),
    ...(audienceId ? [{ targeting_type: 'CUSTOM_AUDIENCE', targeting_value: audienceId }] : []),
  ];
}

/** Places change their keys never, and the platform answers five such questions in a quarter of an hour. */
const places = new Map<string, string>();

async function placeOf(client: Client, access: Access, code: string): Promise<string> {
  const known = places.get(code);
  if (known) return known;
  const { data } = await client.read(access, 'targeting_criteria/locations', {
    schema: pageOf(Location),
    params: { location_type: 'COUNTRIES', country_code: code },
  });
  const found = data.find((place) => !place.country_code || place.country_code === code);
  if (!found) {
    const message = `The platform does not target ${code}`;
    throw new PlatformError('E', 'rejected', message, { fields: { countries: [message] } });
  }
  places.set(code, found.targeting_value);
  return found.targeting_value;
}
