import { createHash } from 'node:crypto';

export type LocationType = 'COUNTRIES' | 'REGIONS' | 'CITIES';

export interface Location {
  name: string;
  country_code: string;
  location_type: LocationType;
  targeting_type: 'LOCATION';
  targeting_value: string;
}

/** Well-known upstream keys; the others are invented in the same format. */
const seen: Record<string, string> = {
  US: '96683cc9126741d1',
  GB: '6416b8512febefc9',
  DE: 'fdcd221ac44fa326',
  FR: 'f3bfc7dcc928977f',
  JP: '06ef846bfc783874',
  CA: '3376992a082d67c7',
};
const countries =
  'US GB DE FR JP CA AT AU BE BG BR CH CY CZ DK EE EG ES FI GR HK HR HU ID IE IL IN IS IT KR LT LU LV MT MX MY NG NL NO NZ PH PL PT RO SA SE SG SI SK TH TR TW UA AE VN ZA AR CL CO PE';
const regions: Record<string, string[]> = {
  US: ['California', 'Florida', 'Illinois', 'New York', 'Texas', 'Washington'],
  GB: ['England', 'Scotland', 'Wales'],
  DE: ['Bayern', 'Berlin', 'Hamburg', 'Hessen'],
  FR: ['Bretagne', 'Île-de-France', "Provence-Alpes-Côte d'Azur"],
  JP: ['Hokkaido', 'Osaka', 'Tokyo'],
  CA: ['British Columbia', 'Ontario', 'Quebec'],
};
const cities: Record<string, string[]> = {
  US: ['Austin, TX', 'Chicago, IL', 'Los Angeles, CA', 'New York, NY', 'San Francisco, CA', 'Seattle, WA'],
  GB: ['London, England', 'Manchester, England'],
  DE: ['Berlin, Berlin', 'Hamburg, Hamburg', 'München, Bayern'],
  FR: ['Lyon, Auvergne-Rhône-Alpes', 'Paris, Île-de-France'],
  JP: ['Osaka, Osaka', 'Tokyo, Tokyo'],
  CA: ['Montreal, Quebec', 'Toronto, Ontario', 'Vancouver, British Columbia'],
};

const idOf = (text: string): string => createHash('sha256').update(text).digest('hex').slice(0, 16);
const countryName = new Intl.DisplayNames(['en'], { type: 'region' });

const place = (location_type: LocationType, country_code: string, name: string): Location => ({
  name,
  country_code,
  location_type,
  targeting_type: 'LOCATION',
  targeting_value:
    (location_type === 'COUNTRIES' ? seen[country_code] : undefined) ??
    idOf(`${location_type} ${country_code} ${name}`),
});

const placesOf = (type: LocationType, names: Record<string, string[]>): Location[] =>
  Object.entries(names).flatMap(([country, list]) => list.map((name) => place(type, country, name)));

export const locations: Location[] = [
  ...countries.split(' ').map((code) => place('COUNTRIES', code, countryName.of(code) ?? code)),
  ...placesOf('REGIONS', regions),
  ...placesOf('CITIES', cities),
];
export const locationsByValue = new Map(locations.map((location) => [location.targeting_value, location]));

const languageCodes = 'ar da de el en es fi fr he hi hu id it ja ko nl no pl pt ru sv th tr uk ur vi zh-cn zh-tw'.split(
  ' ',
);
const languageName = new Intl.DisplayNames(['en'], { type: 'language' });
export const languages = languageCodes.map((targeting_value) => ({
  name: languageName.of(targeting_value) ?? targeting_value,
  targeting_type: 'LANGUAGE' as const,
  targeting_value,
}));

const interestNames: [string, string][] = [
  ['1001', 'Books and literature/Biographies and memoirs'],
  ['2003', 'Business/Entrepreneurship'],
  ['2005', 'Business/Marketing'],
  ['3011', 'Careers/Job search'],
  ['5003', 'Events/Music festivals and concerts'],
  ['6011', 'Food and drink/Cooking'],
  ['8013', 'Hobbies and interests/Photography'],
  ['9002', 'Home and garden/Gardening'],
  ['13004', 'Pets/Dogs'],
  ['15011', 'Sports/Running and jogging'],
  ['17010', 'Technology and computing/Programming'],
  ['18001', 'Travel/Adventure travel'],
];

export const interests = interestNames.map(([targeting_value, name]) => ({
  name,
  targeting_type: 'INTEREST' as const,
  targeting_value,
}));
export const interestsByValue = new Map(interests.map((interest) => [interest.targeting_value, interest]));
