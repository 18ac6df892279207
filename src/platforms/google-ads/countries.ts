import type { CreateAdInput } from '../../contract/ad-input.ts';
import { countryNumbers } from '../../lib/country-numbers.ts';
import type { Access } from '../platform.ts';
import type { Client } from './client.ts';

/** The platform's country ids are 2000 plus the ISO number; undefined for a country without one. */
export function geoTargetConstantOf(countryCode: string): string | undefined {
  const number = countryNumbers.get(countryCode);
  return number === undefined ? undefined : `geoTargetConstants/${2000 + number}`;
}

/** The ids of countries that ISO gives no number, such as Kosovo, as the platform suggests them. */
export async function suggestedCountries(
  client: Client,
  access: Access,
  { countries = [], excludedCountries = [] }: CreateAdInput,
): Promise<Record<string, string>> {
  const found: Record<string, string> = {};
  for (const countryCode of [...countries, ...excludedCountries].filter((code) => !geoTargetConstantOf(code))) {
    const names = [new Intl.DisplayNames('en', { type: 'region' }).of(countryCode) ?? countryCode];
    const { geoTargetConstantSuggestions: suggested } = await client.suggestPlaces(access, {
      locale: 'en',
      locationNames: { names },
    });
    const place = suggested.find(
      ({ geoTargetConstant: one }) => one.countryCode === countryCode && one.targetType === 'Country',
    );
    if (place) found[countryCode] = `geoTargetConstants/${place.geoTargetConstant.id}`;
  }
  return found;
}
