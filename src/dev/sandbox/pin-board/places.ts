/** Targetable locations: country codes, and metropolitan area codes of one country. */
export const locations: Record<string, string> = {
  US: 'United States',
  CA: 'Canada',
  GB: 'United Kingdom',
  IE: 'Ireland',
  AU: 'Australia',
  NZ: 'New Zealand',
  FR: 'France',
  DE: 'Germany',
  AT: 'Austria',
  CH: 'Switzerland',
  IT: 'Italy',
  ES: 'Spain',
  PT: 'Portugal',
  NL: 'Netherlands',
  BE: 'Belgium',
  SE: 'Sweden',
  DK: 'Denmark',
  NO: 'Norway',
  FI: 'Finland',
  PL: 'Poland',
  CZ: 'Czech Republic',
  RO: 'Romania',
  HU: 'Hungary',
  GR: 'Greece',
  BR: 'Brazil',
  MX: 'Mexico',
  AR: 'Argentina',
  CL: 'Chile',
  CO: 'Colombia',
  JP: 'Japan',
  '501': 'U.S.: New York',
  '602': 'U.S.: Chicago',
  '618': 'U.S.: Houston',
  '623': 'U.S.: Dallas-Ft. Worth',
  '716': 'U.S.: Baton Rouge',
  '753': 'U.S.: Phoenix',
  '803': 'U.S.: Los Angeles',
  '807': 'U.S.: San Francisco-Oakland-San Jose',
  '811': 'U.S.: Reno',
  '819': 'U.S.: Seattle-Tacoma',
};

export const regions: Record<string, string> = {
  'BE-VOV': 'Belgium: East Flanders',
  'BE-BRU': 'Belgium: Brussels',
  'CA-ON': 'Canada: Ontario',
  'CA-QC': 'Canada: Quebec',
  'DE-BE': 'Germany: Berlin',
  'DE-BY': 'Germany: Bavaria',
  'FR-IDF': 'France: Île-de-France',
  'GB-ENG': 'United Kingdom: England',
  'JP-13': 'Japan: Tokyo',
  'US-CA': 'United States: California',
  'US-NY': 'United States: New York',
  'US-TX': 'United States: Texas',
};

export const isPostalCode = (code: string): boolean => /^US-\d{5}$/.test(code);

interface Interest {
  name: string;
  level: number;
  children: string[];
}

export const interests: Record<string, Interest> = {
  '925056443165': { name: 'Gardening', level: 1, children: ['947894302218'] },
  '947894302218': { name: 'Garden Tools', level: 2, children: [] },
  '935541271955': { name: 'Home Decor', level: 1, children: ['940987602301'] },
  '940987602301': { name: 'Interior Design', level: 2, children: [] },
  '918530398158': { name: 'Food and Drinks', level: 1, children: [] },
  '948192800438': { name: "Women's Fashion", level: 1, children: ['945391946569'] },
  '945391946569': { name: 'Dress', level: 2, children: [] },
  '908182459161': { name: 'Travel', level: 1, children: [] },
  '919812032692': { name: 'Beauty', level: 1, children: [] },
  '909983286710': { name: 'DIY and Crafts', level: 1, children: [] },
};

const named = (names: string[]): Record<string, string> => Object.fromEntries(names.map((name) => [name, name]));
export const genders = ['unknown', 'male', 'female'];
export const ageBuckets = ['18-24', '21+', '25-34', '35-44', '45-49', '50-54', '55-64', '65+'];

/** Targeting options by kind: key to name. */
export const targetingOptions: Record<string, Record<string, string>> = {
  LOCATION: locations,
  GEO: regions,
  // Only the format of locations is documented; that of interests is unconfirmed.
  INTEREST: Object.fromEntries(Object.entries(interests).map(([id, { name }]) => [id, name])),
  GENDER: named(genders),
  AGE_BUCKET: named(ageBuckets),
  APPTYPE: {
    android_mobile: 'Android Mobile',
    android_tablet: 'Android Tablet',
    iphone: 'iPhone',
    ipad: 'iPad',
    web: 'Web',
    web_mobile: 'Mobile Web',
  },
  LOCALE: { 'en-US': 'English (US)', 'en-GB': 'English (UK)', de: 'German', fr: 'French', ja: 'Japanese' },
};
