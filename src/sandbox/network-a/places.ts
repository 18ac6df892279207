export interface Place {
  key: string;
  name: string;
  type: 'country' | 'region' | 'city';
  country_code: string;
  country_name: string;
  region?: string;
  region_id?: number;
  supports_region: boolean;
  supports_city: boolean;
}

const names: Record<string, string> = {
  US: 'United States',
  DE: 'Germany',
  FR: 'France',
  GB: 'United Kingdom',
  JP: 'Japan',
  BR: 'Brazil',
  IN: 'India',
  ES: 'Spain',
};
const regionList: [string, string, string][] = [
  ['3847', 'California', 'US'],
  ['3875', 'New York', 'US'],
  ['3886', 'Texas', 'US'],
  ['1067', 'Bavaria', 'DE'],
  ['1068', 'Berlin', 'DE'],
  ['1073', 'Île-de-France', 'FR'],
  ['4079', 'England', 'GB'],
  ['1841', 'Tokyo', 'JP'],
];
const cityList: [string, string, string, string][] = [
  ['2421836', 'San Jose', 'US', '3847'],
  ['2420379', 'Los Angeles', 'US', '3847'],
  ['2490299', 'New York', 'US', '3875'],
  ['2525223', 'Austin', 'US', '3886'],
  ['548540', 'Munich', 'DE', '1067'],
  ['548541', 'Berlin', 'DE', '1068'],
  ['777934', 'Paris', 'FR', '1073'],
  ['816730', 'London', 'GB', '4079'],
  ['1118370', 'Tokyo', 'JP', '1841'],
];

const country = (code: string): Pick<Place, 'country_code' | 'country_name' | 'supports_region' | 'supports_city'> => ({
  country_code: code,
  country_name: names[code] ?? code,
  supports_region: true,
  supports_city: true,
});

/** A small atlas: the keys that targeting takes and search finds. */
export const places: Place[] = [
  ...Object.entries(names).map(([code, name]): Place => ({ key: code, name, type: 'country', ...country(code) })),
  ...regionList.map(([key, name, code]): Place => ({ key, name, type: 'region', ...country(code) })),
  ...cityList.map(([key, name, code, regionId]): Place => ({
    key,
    name,
    type: 'city',
    ...country(code),
    region: regionList.find(([id]) => id === regionId)?.[1],
    region_id: Number(regionId),
  })),
];

export const interests = [
  { id: '6003107902433', name: 'Football', topic: 'Sports' },
  { id: '6003277229371', name: 'Gardening', topic: 'Hobbies' },
  { id: '6003012461997', name: 'Photography', topic: 'Hobbies' },
  { id: '6003384248805', name: 'Fitness', topic: 'Sports' },
  { id: '6003266061909', name: 'Food', topic: 'Food and drink' },
  { id: '6003629266583', name: 'Travel', topic: 'Travel' },
].map((entry) => ({
  ...entry,
  audience_size_lower_bound: 1_000_000,
  audience_size_upper_bound: 2_000_000,
  path: ['Interests', entry.topic, entry.name],
  description: null,
}));
