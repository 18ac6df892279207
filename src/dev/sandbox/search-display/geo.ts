import { countryNumbers } from '../../../lib/country-numbers.ts';
import { elements, refusal } from './errors.ts';
import { read, type Fields } from './shapes.ts';
import { suggestRequest } from './resources.ts';

interface Place {
  id: string;
  name: string;
  countryCode: string;
  targetType: 'Country' | 'State' | 'Region' | 'Province' | 'City';
  parentId?: string;
}

// Some ids of regions and cities are approximate.
const regionList =
  '21137 California US State|21167 New York US State|21176 Texas US State|21147 Illinois US State|20339 England GB Province|20228 Bavaria DE State|20226 Berlin DE State|20231 Hamburg DE State|20321 Ile-de-France FR Region|20636 Tokyo JP Region|20121 Ontario CA Province';
const cityList =
  '1023191 New York US 21167|1013962 Los Angeles US 21137|1014226 San Jose US 21137|1016367 Chicago US 21147|1026201 Austin US 21176|1006886 London GB 20339|1003854 Berlin DE 20226|1004234 Munich DE 20228|1004437 Hamburg DE 20231|1006094 Paris FR 20321|1009283 Tokyo JP 20636|1002451 Toronto CA 20121';

const names = new Intl.DisplayNames('en', { type: 'region' });
/** Country ids are 2000 plus the ISO number; that of Kosovo, which has none, is unconfirmed. */
const countries: Place[] = [...countryNumbers, ['XK', 900] as const].map(([countryCode, number]) => ({
  id: String(2000 + number),
  name: names.of(countryCode) ?? countryCode,
  countryCode,
  targetType: 'Country',
}));
const idOfCountry = new Map(countries.map(({ countryCode, id }) => [countryCode, id]));
const placed = (text: string, isCity: boolean): Place[] =>
  text.split('|').map((line) => {
    const [, id = '', name = '', countryCode = '', last = ''] = /^(\d+) (.+) ([A-Z]{2}) (\S+)$/.exec(line) ?? [];
    return isCity
      ? { id, name, countryCode, targetType: 'City', parentId: last }
      : { id, name, countryCode, targetType: last as Place['targetType'], parentId: idOfCountry.get(countryCode) };
  });

export const places: Place[] = [...countries, ...placed(regionList, false), ...placed(cityList, true)];
const byId = new Map(places.map((place) => [place.id, place]));
export const placeById = (id: string): Place | undefined => byId.get(id);

/** From the closest parent to the country. */
const parentsOf = ({ parentId }: Place): Place[] => {
  const parent = parentId === undefined ? undefined : byId.get(parentId);
  return parent ? [parent, ...parentsOf(parent)] : [];
};

export const showPlace = (place: Place): Fields => ({
  resourceName: `geoTargetConstants/${place.id}`,
  id: place.id,
  name: place.name,
  countryCode: place.countryCode,
  targetType: place.targetType,
  status: 'ENABLED',
  canonicalName: [place, ...parentsOf(place)].map(({ name }) => name).join(','),
  ...(place.parentId && { parentGeoTarget: `geoTargetConstants/${place.parentId}` }),
});

/** Suggests locations, with their parents, by name or resource name. */
export function suggest(body: unknown): Fields {
  const { locale = 'en', countryCode, locationNames, geoTargets } = read(suggestRequest, body);
  const names = ((locationNames as Fields | undefined)?.['names'] ?? []) as string[];
  const requested = ((geoTargets as Fields | undefined)?.['geoTargetConstants'] ?? []) as string[];
  const refuse = (code: string, field: string): Error =>
    refusal(`geoTargetConstantSuggestionError.${code}`, 400, { path: elements(field) });
  if (names.length > 25) throw refuse('LOCATION_NAME_LIMIT', 'location_names');
  if (names.length + requested.length === 0) throw refuse('REQUEST_PARAMETERS_UNSET', 'location_names');
  if (countryCode !== undefined && !idOfCountry.has(String(countryCode))) {
    throw refuse('INVALID_COUNTRY_CODE', 'country_code');
  }
  const isThere = (place: Place): boolean => countryCode === undefined || place.countryCode === countryCode;
  const found = [
    ...names.flatMap((searchTerm) =>
      places
        .filter(({ name }) => name.toLowerCase().startsWith(searchTerm.trim().toLowerCase()))
        .map((place) => ({ place, searchTerm })),
    ),
    ...requested.flatMap((name) => {
      const place = byId.get(name.split('/')[1] ?? '');
      return place ? [{ place, searchTerm: undefined }] : [];
    }),
  ].filter(({ place }) => isThere(place));
  if (found.length === 0) return {};
  return {
    geoTargetConstantSuggestions: found.map(({ place, searchTerm }) => ({
      locale,
      reach: place.targetType === 'City' ? '2400000' : '61000000',
      ...(searchTerm !== undefined && { searchTerm }),
      geoTargetConstant: showPlace(place),
      ...(place.parentId && { geoTargetConstantParents: parentsOf(place).map(showPlace) }),
    })),
  };
}

// Sample ids and names of interests.
const interestList =
  '80432 IN_MARKET Gardening Supplies|80546 IN_MARKET Fitness Products|80163 IN_MARKET Apparel|80530 IN_MARKET Consumer Electronics|92913 AFFINITY Football Fans|92507 AFFINITY Running Enthusiasts|92948 AFFINITY Home Decor Enthusiasts|92931 AFFINITY Cooking Enthusiasts|92958 AFFINITY Travel Buffs|92908 AFFINITY Photography Enthusiasts|60501 MOBILE_APP_INSTALL_USER Running App Installers|60502 NEW_SMART_PHONE_USER New Running Phones';
export const interests = interestList.split('|').map((line) => {
  const [id = '', taxonomyType = '', ...name] = line.split(' ');
  return { id, taxonomyType, name: name.join(' ') };
});
export const interestById = (id: string): (typeof interests)[number] | undefined =>
  interests.find((interest) => interest.id === id);

export const showInterest = (customerId: string, { id, taxonomyType, name }: (typeof interests)[number]): Fields => ({
  resourceName: `customers/${customerId}/userInterests/${id}`,
  userInterestId: id,
  name,
  taxonomyType,
  launchedToAll: true,
});
