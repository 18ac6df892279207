import type { Body } from './checks.ts';

interface Region {
  id: string;
  parentId: string;
  name: string;
  code: string;
  country: string;
  level: 'COUNTRY' | 'PROVINCE' | 'CITY';
}

/** `id name code`, indented by two spaces under its parent. */
const text = `
6252001 United States|US
  5332921 California|US-CA
    5368361 Los Angeles|
    5391959 San Francisco|
  5128638 New York State|US-NY
    5128581 New York|
  4736286 Texas|US-TX
    4699066 Houston|
2635167 United Kingdom|GB
  6269131 England|GB-ENG
    2643743 London|
2921044 Germany|DE
  2951839 Bavaria|DE-BY
    2867714 Munich|
  2950157 Berlin State|DE-BE
    2950159 Berlin|
3017382 France|FR
  3012874 Ile-de-France|FR-IDF
    2988507 Paris|
1861060 Japan|JP
  1850144 Tokyo Prefecture|JP-13
    1850147 Tokyo|
6251999 Canada|CA
  6093943 Ontario|CA-ON
    6167865 Toronto|
2077456 Australia|AU
3175395 Italy|IT
2510769 Spain|ES
2750405 Netherlands|NL
3469034 Brazil|BR
3996063 Mexico|MX
1835841 South Korea|KR`;

const levels = ['COUNTRY', 'PROVINCE', 'CITY'] as const;

export const regions: Region[] = [];
const above: Region[] = [];
for (const line of text.trim().split('\n')) {
  const depth = line.search(/\S/) / 2;
  const [, id = '', name = '', code = ''] = /^\s*(\d+) (.+)\|(.*)$/.exec(line) ?? [];
  const parent = depth > 0 ? above[depth - 1] : undefined;
  const level = levels[depth] ?? 'CITY';
  const region = { id, name, code, parentId: parent?.id ?? '0', country: parent?.country ?? code, level };
  above[depth] = region;
  regions.push(region);
}
const byId = new Map(regions.map((region) => [region.id, region]));

export const isRegion = (id: string): boolean => byId.has(id);

/** Unconfirmed: in which other settings minors are allowed there. */
const adultsOnly = new Set(
  `US CA GB CH AT BE BG HR CY CZ DK EE FI FR DE GR HU IS IE IT LI LV LT LU MT NL NO PL PT RO SK SI ES SE
  AR BO BR CL CO CR CU DO EC GT HN MX NI PA PE PR PY SV UY VE`.split(/\s+/),
);

export const isAdultsOnly = (country: string): boolean => adultsOnly.has(country);

export const countryOf = (id: string): string => byId.get(id)?.country ?? '';

/** A location may not be combined with one that contains it. */
export function overlapIn(ids: readonly string[]): string | undefined {
  const chosen = new Set(ids);
  return ids.find((id) => {
    for (let up = byId.get(id)?.parentId; up !== undefined; up = byId.get(up)?.parentId)
      if (chosen.has(up)) return true;
    return false;
  });
}

export const levelRanges = ['ALL', 'TO_COUNTRY', 'TO_PROVINCE', 'TO_CITY', 'TO_DISTRICT'];

/** Regions down to a level, as the look-up returns them. */
export function regionInfo(range: string): Body[] {
  const depth = { TO_COUNTRY: 1, TO_PROVINCE: 2 }[range] ?? levels.length;
  return regions
    .filter(({ level }) => levels.indexOf(level) < depth)
    .map(({ id, parentId, name, code, country, level }) => ({
      location_id: id,
      name,
      parent_id: parentId,
      region_code: code || null,
      country_code: country,
      next_level_ids: regions.filter((below) => below.parentId === id).map((below) => below.id),
      level,
      area_type: level === 'CITY' ? 'METRO' : 'ADMIN',
      support_below_18: !isAdultsOnly(country),
    }));
}

const interestNames: [string, string[]][] = [
  ['Education', ['Language Learning', 'Higher Education']],
  ['Vehicles & Transportation', ['Cars', 'Motorcycles']],
  ['Apparel & Accessories', ['Shoes', 'Jewellery']],
  ['Beauty & Personal Care', ['Skincare', 'Make-up']],
  ['Food & Beverage', ['Coffee', 'Baking']],
  ['Games', ['Puzzle Games', 'Sports Games']],
  ['Sports & Outdoor', ['Running', 'Hiking']],
  ['Travel', ['Hotels', 'Flights']],
];

export const interests: Body[] = interestNames.flatMap(([name, below], position) => {
  const id = String(10_000 + position * 1000);
  const ids = below.map((_name, place) => `${id}${place + 1}`);
  const top = { interest_category_id: id, interest_category_name: name, level: 1, sub_category_ids: ids };
  const rest = below.map((own, place) => ({
    interest_category_id: ids[place],
    interest_category_name: own,
    level: 2,
    sub_category_ids: [],
  }));
  return [top, ...rest];
});
const interestIds = new Set(interests.map(({ interest_category_id: id }) => id));

export const isInterest = (id: string): boolean => interestIds.has(id);

const languageNames = 'en English|de German|fr French|ja Japanese|es Spanish|it Italian|pt Portuguese|ko Korean';

export const languages: Body[] = languageNames.split('|').map((entry) => ({
  code: entry.slice(0, 2),
  name: entry.slice(3),
}));

export const isLanguage = (code: string): boolean => languages.some((language) => language['code'] === code);
