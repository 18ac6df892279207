export interface Place {
  key: string;
  name: string;
  type: 'country' | 'region' | 'city' | 'zip';
  country_code: string;
  country_name: string;
  region?: string;
  region_id?: number;
  primary_city?: string;
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
  IT: 'Italy',
  NL: 'Netherlands',
  BE: 'Belgium',
  AT: 'Austria',
  PL: 'Poland',
  PT: 'Portugal',
  SE: 'Sweden',
  DK: 'Denmark',
  FI: 'Finland',
  IE: 'Ireland',
  CZ: 'Czechia',
  GR: 'Greece',
  CH: 'Switzerland',
  NO: 'Norway',
  CA: 'Canada',
  MX: 'Mexico',
  AU: 'Australia',
  KR: 'South Korea',
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
  ['3852', 'Florida', 'US'],
  ['3857', 'Illinois', 'US'],
  ['1075', 'Hamburg', 'DE'],
  ['1070', 'Hesse', 'DE'],
  ['3263', 'Community of Madrid', 'ES'],
  ['3265', 'Catalonia', 'ES'],
  ['1612', 'Lazio', 'IT'],
  ['1614', 'Lombardy', 'IT'],
  ['2651', 'North Holland', 'NL'],
  ['213', 'Brussels', 'BE'],
  ['122', 'Vienna', 'AT'],
  ['2781', 'Masovian Voivodeship', 'PL'],
  ['2865', 'Lisbon District', 'PT'],
  ['3423', 'Stockholm County', 'SE'],
  ['1528', 'Leinster', 'IE'],
  ['528', 'Ontario', 'CA'],
  ['127', 'New South Wales', 'AU'],
  ['460', 'São Paulo', 'BR'],
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
  ['2421178', 'San Francisco', 'US', '3847'],
  ['2421215', 'San Diego', 'US', '3847'],
  ['2428886', 'Miami', 'US', '3852'],
  ['2438177', 'Chicago', 'US', '3857'],
  ['2525527', 'Houston', 'US', '3886'],
  ['557045', 'Hamburg', 'DE', '1075'],
  ['553112', 'Frankfurt am Main', 'DE', '1070'],
  ['674700', 'Madrid', 'ES', '3263'],
  ['662305', 'Barcelona', 'ES', '3265'],
  ['1103905', 'Rome', 'IT', '1612'],
  ['1087926', 'Milan', 'IT', '1614'],
  ['1648850', 'Amsterdam', 'NL', '2651'],
  ['173395', 'Brussels', 'BE', '213'],
  ['116406', 'Vienna', 'AT', '122'],
  ['1939082', 'Warsaw', 'PL', '2781'],
  ['2016394', 'Lisbon', 'PT', '2865'],
  ['2104882', 'Stockholm', 'SE', '3423'],
  ['1020866', 'Dublin', 'IE', '1528'],
  ['296875', 'Toronto', 'CA', '528'],
  ['116811', 'Sydney', 'AU', '127'],
  ['269969', 'São Paulo', 'BR', '460'],
];

/** Postcodes with the key of their city. */
const zipList: [string, string][] = [
  ['94304', '2421178'],
  ['94103', '2421178'],
  ['90001', '2420379'],
  ['10001', '2490299'],
  ['10115', '548541'],
  ['80331', '548540'],
  ['75001', '777934'],
  ['SW1A', '816730'],
  ['M5H', '296875'],
  ['100-0001', '1118370'],
];

const country = (code: string): Pick<Place, 'country_code' | 'country_name' | 'supports_region' | 'supports_city'> => ({
  country_code: code,
  country_name: names[code] ?? code,
  supports_region: true,
  supports_city: true,
});

function zipOf(code: string, cityKey: string): Place {
  const [, city, countryCode = '', regionId] = cityList.find(([key]) => key === cityKey) ?? [];
  return {
    key: `${countryCode}:${code}`,
    name: code,
    type: 'zip',
    ...country(countryCode),
    primary_city: city,
    region: regionList.find(([id]) => id === regionId)?.[1],
    region_id: Number(regionId),
  };
}

/** Sample locations that targeting accepts and search finds. */
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
  ...zipList.map(([code, cityKey]) => zipOf(code, cityKey)),
];

export const locales = [
  { key: 6, name: 'English (US)' },
  { key: 24, name: 'English (UK)' },
  { key: 1001, name: 'English (All)' },
  { key: 5, name: 'German' },
  { key: 9, name: 'French (France)' },
  { key: 1003, name: 'French (All)' },
  { key: 23, name: 'Spanish (Spain)' },
  { key: 10, name: 'Italian' },
  { key: 11, name: 'Japanese' },
  { key: 12, name: 'Korean' },
  { key: 14, name: 'Dutch' },
  { key: 15, name: 'Polish' },
  { key: 16, name: 'Portuguese (Brazil)' },
  { key: 18, name: 'Swedish' },
];

export const interests = [
  { id: '6003107902433', name: 'Football', topic: 'Sports' },
  { id: '6003277229371', name: 'Gardening', topic: 'Hobbies' },
  { id: '6003012461997', name: 'Photography', topic: 'Hobbies' },
  { id: '6003384248805', name: 'Fitness', topic: 'Sports' },
  { id: '6003266061909', name: 'Food', topic: 'Food and drink' },
  { id: '6003629266583', name: 'Travel', topic: 'Travel' },
  { id: '6003397496347', name: 'Running', topic: 'Sports' },
  { id: '6003020834693', name: 'Music', topic: 'News and entertainment' },
  { id: '6003139266461', name: 'Movies', topic: 'News and entertainment' },
  { id: '6003346592981', name: 'Online shopping', topic: 'Shopping and fashion' },
  { id: '6002991239659', name: 'Motherhood', topic: 'ProcessGroup and relationships' },
  { id: '6003626773307', name: 'Coffee', topic: 'Food and drink' },
].map((entry) => ({
  ...entry,
  audience_size_lower_bound: 1_000_000,
  audience_size_upper_bound: 2_000_000,
  path: ['Interests', entry.topic, entry.name],
  description: null,
}));
