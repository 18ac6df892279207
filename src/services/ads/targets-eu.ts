import type { CreateAdInput } from '../../contract/ad-input.ts';

const memberStates = new Set(
  'AT BE BG HR CY CZ DK EE FI FR DE GR HU IE IT LV LT LU MT NL PL PT RO SK SI ES SE'.split(' '),
);

/** Whether the targeting meets an EU member state, as far as countries are known here. */
export function targetsEu({ countries, cities, regions }: CreateAdInput): boolean {
  const places = [...(cities ?? []), ...(regions ?? [])].map(({ countryCode }) => countryCode);
  return [...(countries ?? []), ...places].some((code) => code !== undefined && memberStates.has(code));
}
