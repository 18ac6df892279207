import { z } from 'zod';
import { Device } from './ad-enums.ts';
import { field } from './ad-fields.ts';
import { AdInterestInput, CityTargetInput, RegionTargetInput } from './ad-input-parts.ts';
import { devices } from './capability.ts';
import { listOf, uniqueListOf } from './common.ts';
import { CountryCode } from './country-codes.ts';
import { LanguageCode } from './language-codes.ts';

const Age = z.int().min(13).max(65).optional();

/** Places, people and devices that createAd targets, in the order of its fields. */
export const targetingFields = {
  countries: field(
    listOf(CountryCode, 250).optional(),
    { level: 'targeting' },
    'ISO 3166-1 alpha-2; [US] without cities and regions',
  ),
  cities: field(listOf(CityTargetInput, 250).optional(), { level: 'targeting', platforms: 'A' }, 'A: cities to target'),
  regions: field(
    listOf(RegionTargetInput, 200).optional(),
    { level: 'targeting', platforms: 'A' },
    'A: states or provinces to target',
  ),
  ageMin: field(Age, { level: 'targeting' }, 'Age in years'),
  ageMax: field(Age, { level: 'targeting' }, 'Age in years; the highest includes everyone older'),
  interests: field(listOf(AdInterestInput, 200).optional(), { level: 'targeting' }, 'Interests to target'),
  languages: field(
    uniqueListOf(LanguageCode, 50).optional(),
    { level: 'targeting' },
    'Languages of the people who see the ad, ISO 639-1; all by default. F: the language of their interface',
  ),
  devices: field(
    uniqueListOf(Device, devices.length).optional(),
    { level: 'targeting', platforms: 'ABCE' },
    'A, B, C and E: the kinds of devices that show the ad; all by default',
  ),
};
