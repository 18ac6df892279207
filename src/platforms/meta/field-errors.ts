import { own } from '../../lib/own.ts';
import { z } from 'zod';

/** Platform field → our field path. A qualified name takes precedence over its last part. */
const ourFields: Record<string, string[]> = {
  daily_budget: ['budgetAmount'],
  lifetime_budget: ['budgetAmount'],
  start_time: ['startDate'],
  end_time: ['endDate'],
  bid_amount: ['bidAmount'],
  bid_strategy: ['bidStrategy'],
  bid_constraints: ['roasAverageFloor'],
  roas_average_floor: ['roasAverageFloor'],
  // Both EU fields are reported together, so that one correction fixes both.
  dsa_payor: ['dsaBeneficiary', 'dsaPayor'],
  dsa_beneficiary: ['dsaBeneficiary', 'dsaPayor'],
  special_ad_category: ['specialAdCategories'],
  special_ad_categories: ['specialAdCategories'],
  special_ad_category_country: ['specialAdCategoryCountry'],
  regional_regulated_categories: ['regionalRegulation'],
  regional_regulation_identities: ['regionalRegulation'],
  attribution_spec: ['attributionSpec'],
  promoted_object: ['promotedObject'],
  pixel_id: ['promotedObject.pixelId'],
  custom_event_type: ['promotedObject.customEventType'],
  page_id: ['promotedObject.pageId'],
  application_id: ['promotedObject.applicationId'],
  object_store_url: ['promotedObject.objectStoreUrl'],
  lead_gen_form_id: ['promotedObject.leadFormId'],
  targeting: ['countries'],
  geo_locations: ['countries'],
  excluded_geo_locations: ['excludedCountries'],
  'excluded_geo_locations.regions': ['excludedRegions'],
  'excluded_geo_locations.cities': ['excludedCities'],
  excluded_custom_audiences: ['excludedAudienceIds'],
  'excluded_geo_locations.countries': ['excludedCountries'],
  countries: ['countries'],
  cities: ['cities'],
  regions: ['regions'],
  age_min: ['ageMin'],
  age_max: ['ageMax'],
  genders: ['gender'],
  interests: ['interests'],
  locales: ['languages'],
  device_platforms: ['devices'],
  custom_audiences: ['audienceId'],
  advantage_audience: ['advantageAudience'],
  link: ['linkUrl'],
  url_tags: ['urlParameters'],
  picture: ['imageUrl'],
  image_hash: ['imageUrl'],
  image_url: ['video.thumbnailUrl'],
  video_id: ['video'],
  file_url: ['video.url'],
  message: ['body'],
  title: ['headline'],
  'link_data.name': ['headline'],
  call_to_action: ['callToAction'],
  adset_id: ['adSetId'],
  name: ['name'],
};

interface Known {
  /** Empty if no field is the cause. */
  fields: string[];
  /** In English: the platform's own message is in the language of the account's owner. */
  hint: string;
}

const euFields = {
  fields: ['dsaBeneficiary', 'dsaPayor'],
  hint: 'is required: the targeting meets an EU member state',
};
const tooLow = { fields: ['budgetAmount'], hint: 'is below the minimum of the platform for this ad account' };
const startDate = { fields: ['startDate'], hint: 'must be in the future and before the end' };
const endDate = { fields: ['endDate'], hint: 'must be in the future, and at least a day away for daily budgets' };

const endedVersion = {
  fields: [],
  hint: 'The platform has ended the configured API version: set PLATFORM_A_VERSION to a newer one',
};
const unknownApp = { fields: [], hint: 'The platform does not know the app: check PLATFORM_A_CLIENT_ID' };
const badVideo = { fields: ['video.url'], hint: 'is no video that the platform can use' };

/** Common rejections by subcode (or by code if there is none). */
const known: Record<number, Known> = {
  3858079: euFields,
  3858081: euFields,
  3858152: euFields,
  1885272: tooLow,
  1885650: tooLow,
  1487901: tooLow,
  1487033: endDate,
  1487007: endDate,
  1487694: { fields: ['interests'], hint: 'contains an interest that no longer exists' },
  1885364: { fields: ['countries'], hint: 'requires at least one location' },
  1815946: { fields: ['countries'], hint: 'overlaps with a city or region inside it' },
  1885621: { fields: ['budgetAmount'], hint: 'conflicts with a budget of the campaign' },
  2490408: { fields: ['goal'], hint: 'cannot be optimised for with this objective' },
  1815715: { fields: ['goal'], hint: 'is incompatible with this destination' },
  1885154: { fields: ['adSetId'], hint: 'is an ad set for posts without a page, so it cannot contain ads' },
  1885553: { fields: ['adSetId'], hint: 'creates its own variants, so it can contain only one ad' },
  3858258: { fields: ['imageUrl'], hint: 'cannot be downloaded by the platform' },
  1487504: {
    fields: ['promotedObject.objectStoreUrl'],
    hint: 'must be a store address from which the system of the app follows',
  },
  1870227: {
    fields: [],
    hint: 'An ad set in a special ad category must say whether Advantage audience is on, also to be copied; set it at the platform',
  },
  1443226: { fields: ['video.thumbnailUrl'], hint: 'is required with a video' },
  459: { fields: [], hint: 'The person must log in to the platform and pass a security check there' },
  464: { fields: [], hint: 'The person must confirm their account on the platform' },
  368: { fields: [], hint: 'The platform blocks this for a while because of its policies; wait before trying again' },
  2635: endedVersion,
  5: { fields: [], hint: 'The app at the platform does not allow the IP address of this installation' },
  12: endedVersion,
  101: unknownApp,
  104: { fields: [], hint: 'The platform rejects the proof of the app: check PLATFORM_A_CLIENT_SECRET' },
  294: { fields: [], hint: 'The app lacks access to the Marketing API' },
  352: badVideo,
  382: badVideo,
  389: { fields: ['video.url'], hint: 'cannot be downloaded by the platform' },
  415: { fields: [], hint: 'The person must pass the two-factor authentication of the platform' },
  506: { fields: ['body'], hint: 'repeats the previous post of the page' },
  900: unknownApp,
  1500: { fields: ['linkUrl'], hint: 'is not accepted by the platform' },
  2641: { fields: ['countries'], hint: 'contains a place that the platform currently restricts' },
  6000: badVideo,
  1609005: { fields: ['linkUrl'], hint: 'cannot be read by the platform' },
};

export interface Refusal {
  code?: number;
  error_subcode?: number;
  error_data?: unknown;
  message?: string;
  error_user_msg?: string;
}

const knownRejection = (error: Refusal): Known | undefined => {
  const cause = known[error.error_subcode ?? 0] ?? known[error.code ?? 0] ?? undeclared(error);
  return cause === endDate && namesStart(error) ? startDate : cause;
};

/** The codes of a wrong schedule are the same for both times. */
const namesStart = ({ error_data: data }: Refusal): boolean =>
  errorDataPaths(data).some(([name]) => name === 'start_time');

const regulation = /\b[A-Z]+_(UNIVERSAL|REGULATION|FINSERV)\b/;
const regulations: Record<number, string> = { 3858498: 'TAIWAN_UNIVERSAL', 3858550: 'SINGAPORE_UNIVERSAL' };

/** Some countries require a declaration; the platform names one missing value at a time. */
function undeclared({ message = '', error_user_msg: text = '', error_subcode: code = 0 }: Refusal): Known | undefined {
  const value = regulation.exec(`${text} ${message}`)?.[0] ?? regulations[code];
  if (value === undefined) return undefined;
  const hint = `needs an entry with the category ${value} and the ids of the verified advertiser; the platform names one missing declaration at a time`;
  return { fields: ['regionalRegulation'], hint };
}

/** Our explanation of the cause, if it is known. */
export function hintOf(error: Refusal): string | undefined {
  const cause = knownRejection(error);
  return cause && [cause.fields.join(' and '), cause.hint].filter(Boolean).join(' ');
}

/** Maps a rejection to our field paths; `text` is the message for fields without a hint. */
export function rejectedFields(error: Refusal, text: string): Record<string, string[]> | undefined {
  const cause = knownRejection(error);
  const names = cause?.fields ?? errorDataPaths(error.error_data).flatMap(ourNames);
  const message = cause?.hint ?? text;
  return names.length > 0 ? Object.fromEntries(names.map((name) => [name, [message]])) : undefined;
}

/** The deepest known part is the most specific. */
function ourNames(path: string[]): string[] {
  for (let at = path.length; at > 0; at -= 1) {
    const deeper = path.slice(Math.max(0, at - 2), at).join('.');
    const names = own(ourFields, deeper) ?? own(ourFields, path[at - 1] ?? '');
    if (names) return names.map((name) => (lists.has(name) && isIndex(path[at]) ? `${name}.${path[at]}` : name));
  }
  return [];
}

/** Lists whose entries callers can distinguish. */
const lists = new Set([
  'countries',
  'cities',
  'regions',
  'interests',
  'excludedCountries',
  'excludedCities',
  'excludedRegions',
  'excludedAudienceIds',
]);
const isIndex = (part: string | undefined): part is string => /^\d+$/.test(part ?? '');

/** `error_data` is an object or its JSON text. */
function errorDataPaths(data: unknown): string[][] {
  const value = typeof data === 'string' ? jsonOf(data) : data;
  const part = z.union([z.string(), z.number().transform(String)]);
  const parsed = z.object({ blame_field_specs: z.array(z.array(part)) }).safeParse(value);
  return parsed.success ? parsed.data.blame_field_specs : [];
}

export const jsonOf = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
};
