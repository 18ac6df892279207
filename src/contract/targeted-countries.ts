import type { CreateAdInput } from './ad-input.ts';

const memberStates = new Set(
  'AT BE BG HR CY CZ DK EE FI FR DE GR HU IE IT LV LT LU MT NL PL PT RO SK SI ES SE'.split(' '),
);

type Places = Pick<CreateAdInput, 'countries' | 'cities' | 'regions'>;

/** The countries that the targeting meets, as far as those of its cities and regions are known. */
export function targetedCountries({ countries, cities, regions }: Places): string[] {
  const defaults = countries || cities || regions ? [] : ['US'];
  const places = [...(cities ?? []), ...(regions ?? [])].flatMap(({ countryCode }) => countryCode ?? []);
  return [...new Set([...(countries ?? defaults), ...places])];
}

/** Whether the country of a city or region is unknown. */
export const hasUnknownCountry = ({ cities = [], regions = [] }: Places): boolean =>
  [...cities, ...regions].some(({ countryCode }) => countryCode === undefined);

export const targetsEu = (input: Places): boolean => targetedCountries(input).some((code) => memberStates.has(code));
