import { requireList, requireObject, wholeOf, type Body } from './checks.ts';
import { invalid, type GraphError } from './errors.ts';
import { interests as knownInterests, locales, places } from './places.ts';
import { checkRegulation } from './regulation.ts';

const memberStates = new Set(
  'AT BE BG HR CY CZ DK EE FI FR DE GR HU IE IT LV LT LU MT NL PL PT RO SK SI ES SE'.split(' '),
);
const interestIds = new Set(knownInterests.map(({ id }) => id));
const ranges: Record<string, [number, number]> = { mile: [10, 50], kilometer: [17, 80] };

/** Validates targeting; returns the countries it includes. */
function checkTargeting(value: unknown): Set<string> {
  const targeting = requireObject(value, 'targeting');
  checkAudiences(targeting);
  const audiences = targeting['custom_audiences'];
  const types = targeting['geo_locations'] && (targeting['geo_locations'] as Body)['location_types'];
  if (types !== undefined && !['home,recent', 'recent,home'].includes(String(types)))
    throw invalid('These location types are no longer available', { subcode: 1870199, field: 'targeting' });
  const countries = checkPlaces(targeting, Array.isArray(audiences) && audiences.length > 0);
  checkExcludedPlaces(targeting);
  checkPeople(targeting);
  checkAutomation(targeting);
  return countries;
}

/** Included and excluded audiences are disjoint (the code is unconfirmed). */
function checkAudiences(targeting: Body): void {
  const [included = [], excluded = []] = ['custom_audiences', 'excluded_custom_audiences'].map((name) =>
    targeting[name] === undefined
      ? []
      : requireList(targeting[name], name).map((audience) => String(requireObject(audience, name)['id'])),
  );
  const both = excluded.find((id) => included.includes(id));
  if (both !== undefined)
    throw invalid(`The audience ${both} is both included and excluded`, { field: 'excluded_custom_audiences' });
}

const placeKinds = ['countries', 'regions', 'cities'] as const;

/** Exclusions stand beside `geo_locations`; what is unknown, or included as well, is rejected. */
function checkExcludedPlaces({ geo_locations: included = {}, excluded_geo_locations: excluded = {} }: Body): void {
  const inside = requireObject(included, 'geo_locations')['excluded_geo_locations'];
  if (inside !== undefined)
    throw invalid('excluded_geo_locations is not a part of geo_locations', { subcode: 1487079, field: 'targeting' });
  const geo = requireObject(excluded, 'excluded_geo_locations');
  const listIn = (from: unknown, name: string): unknown[] => ((from as Body)[name] as unknown[] | undefined) ?? [];
  const idOf = (entry: unknown): string => (typeof entry === 'string' ? entry : String((entry as Body)['key']));
  for (const name of placeKinds) {
    const entries = geo[name] === undefined ? [] : requireList(geo[name], name);
    if (name === 'regions') entries.forEach((entry) => placeOf(entry, 'region'));
    if (name === 'cities') entries.forEach((entry) => cityOf(entry));
    const both = entries.map(idOf).find((id) => listIn(included, name).map(idOf).includes(id));
    if (both !== undefined)
      throw invalid(`The location ${both} is both included and excluded`, { field: 'excluded_geo_locations' });
  }
}

function checkPlaces(targeting: Body, hasAudience: boolean): Set<string> {
  const geo =
    targeting['geo_locations'] === undefined ? {} : requireObject(targeting['geo_locations'], 'geo_locations');
  const lists = ['countries', 'regions', 'cities', 'zips'].map((name) =>
    geo[name] === undefined ? [] : requireList(geo[name], name),
  );
  const [countries = [], regions = [], cities = [], zips = []] = lists;
  if (lists.every((list) => list.length === 0) && !hasAudience) {
    throw invalid('Add at least one location', { subcode: 1885364, field: 'targeting' });
  }
  if (regions.length > 200 || cities.length > 250) throw invalid('Too many locations', { field: 'targeting' });
  const codes = countries.map((code) => {
    if (typeof code !== 'string' || !/^[A-Z]{2}$/.test(code))
      throw invalid('countries must be ISO codes', { field: 'targeting' });
    return code;
  });
  const smaller = [
    ...regions.map((entry) => placeOf(entry, 'region')),
    ...cities.map((entry) => cityOf(entry)),
    ...zips.map((entry) => placeOf(entry, 'zip')),
  ];
  if (smaller.some((code) => codes.includes(code))) {
    throw invalid('Some of your locations overlap', { subcode: 1815946, field: 'targeting' });
  }
  return new Set([...codes, ...smaller]);
}

function placeOf(entry: unknown, type: 'region' | 'city' | 'zip'): string {
  const { key } = requireObject(entry, type);
  const place = places.find((known) => known.type === type && known.key === String(key));
  if (!place) throw invalid(`The ${type} key ${String(key)} is not valid`, { field: 'targeting' });
  return place.country_code;
}

function cityOf(entry: unknown): string {
  const { radius, distance_unit: unit } = requireObject(entry, 'city');
  if (radius !== undefined) {
    const [least, most] = ranges[String(unit)] ?? [];
    if (least === undefined || most === undefined)
      throw invalid('distance_unit must be mile or kilometer', { field: 'targeting' });
    if (Number(radius) < least || Number(radius) > most) {
      throw invalid(`The radius must be from ${least} to ${most} ${String(unit)}s`, { field: 'targeting' });
    }
  }
  return placeOf(entry, 'city');
}

function checkPeople(targeting: Body): void {
  wholeOf(targeting, 'age_min');
  wholeOf(targeting, 'age_max');
  const [min, max] = [Number(targeting['age_min'] ?? 18), Number(targeting['age_max'] ?? 65)];
  if (min < 13 || max > 65 || min > max) throw invalid('Ages go from 13 to 65', { field: 'targeting' });
  const genders = targeting['genders'];
  if (genders !== undefined && requireList(genders, 'genders').some((gender) => gender !== 1 && gender !== 2)) {
    throw invalid('genders must be 1 or 2', { field: 'targeting' });
  }
  checkReachable(targeting);
  for (const spec of (targeting['flexible_spec'] as unknown[] | undefined) ?? []) {
    const interests = requireObject(spec, 'flexible_spec')['interests'];
    for (const interest of interests === undefined ? [] : requireList(interests, 'interests')) {
      const id = String(requireObject(interest, 'interests')['id']);
      if (!interestIds.has(id)) throw invalid(`The interest ${id} is not valid`, { field: 'targeting' });
    }
  }
}

const localeKeys = new Set(locales.map(({ key }) => key));
const devicePlatforms = ['mobile', 'desktop', 'connected_tv'];

/** Languages by the numbers of their locales, and kinds of devices. */
function checkReachable({ locales: keys, device_platforms: devices }: Body): void {
  const numbers = keys === undefined ? [] : requireList(keys, 'locales');
  const odd = numbers.find((key) => typeof key !== 'number' || !localeKeys.has(key));
  if (odd !== undefined) throw invalid(`The locale ${String(odd)} is not valid`, { field: 'targeting' });
  if (numbers.length > 90) throw invalid('There are more than 90 locales', { field: 'targeting' });
  const named = devices === undefined ? undefined : requireList(devices, 'device_platforms');
  if (named?.length === 0 || named?.some((device) => !devicePlatforms.includes(String(device))))
    throw invalid('device_platforms must be mobile, desktop or connected_tv', { field: 'targeting' });
}

/** Audience expansion must be set explicitly; if enabled, ages are only suggestions. */
function checkAutomation(targeting: Body): void {
  const given = targeting['targeting_automation'];
  const automation = given === undefined ? {} : requireObject(given, 'targeting_automation');
  const flag = automation['advantage_audience'];
  const isNarrow = ['age_min', 'age_max', 'genders', 'custom_audiences', 'flexible_spec'].some(
    (name) => targeting[name] !== undefined,
  );
  if (flag === undefined && isNarrow) {
    throw flagMissing();
  }
  if (flag !== undefined && flag !== 0 && flag !== 1)
    throw invalid('advantage_audience is 0 or 1', { field: 'targeting' });
  if (flag === 1 && (Number(targeting['age_min'] ?? 18) > 25 || Number(targeting['age_max'] ?? 65) < 65)) {
    throw invalid('With advantage audience the age range is only a suggestion', {
      subcode: 1870189,
      field: 'targeting',
    });
  }
}

const flagMissing = (): GraphError =>
  invalid('Set the advantage audience flag to 0 or 1', { subcode: 1870227, field: 'targeting' });

/** Ads of apps must name the system that the app runs on. */
export function checkSystem(value: unknown): void {
  const { user_os: systems, user_device: devices } = requireObject(value, 'targeting');
  if (devices !== undefined && requireList(devices, 'user_device').length > 0) return;
  const named = systems === undefined ? [] : requireList(systems, 'user_os');
  if (named.length === 0) {
    throw invalid("Please include a value for 'user_os' or 'user_device' in ad targeting spec", {
      subcode: 1487504,
      field: 'targeting',
    });
  }
  if (named.some((one) => !/^(iOS|Android)(_|$)/.test(String(one))))
    throw invalid('user_os must be iOS or Android', { field: 'targeting' });
}

/** Validates changed targeting, and what the countries that it reaches require. */
export function checkReach(body: Body, targeting: unknown): void {
  const countries = checkTargeting(targeting);
  checkRegulation(body, countries);
  checkDisclosure(body, countries);
}

const restricted = new Set(['HOUSING', 'EMPLOYMENT', 'CREDIT', 'FINANCIAL_PRODUCTS_SERVICES']);

/** Ads in these categories may not be narrowed by age, gender or postcode, and set the audience flag, also as copies. */
export function checkCategory({ special_ad_categories: categories = [] }: Body, value: unknown): void {
  if (!(categories as unknown[]).some((category) => restricted.has(String(category)))) return;
  const targeting = requireObject(value, 'targeting');
  const { age_min: min = 18, age_max: max = 65, genders, geo_locations: geo } = targeting;
  const isNarrow =
    Number(min) !== 18 || Number(max) !== 65 || genders !== undefined || (geo as Body | undefined)?.['zips'];
  if (isNarrow) {
    throw invalid('Ads in a special ad category can not be targeted by age, gender or postcode', {
      field: 'targeting',
    });
  }
  if ((targeting['targeting_automation'] as Body | undefined)?.['advantage_audience'] === undefined)
    throw flagMissing();
}

/** Ads in the EU must name beneficiary and payer. */
function checkDisclosure(body: Body, countries: Set<string>): void {
  if (![...countries].some((code) => memberStates.has(code))) return;
  const demand = (name: string, subcode: number): void => {
    if (typeof body[name] === 'string' && body[name] !== '') return;
    throw invalid('Ads that reach the European Union must name the beneficiary and the payor', {
      subcode,
      field: name,
      errorDataAsText: true,
    });
  };
  demand('dsa_payor', 3858079);
  demand('dsa_beneficiary', 3858081);
}
