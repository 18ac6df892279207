import { enumsIn, flagIn, listIn, oneOfIn, type Body } from './checks.ts';
import { missing, VendorError, wrong } from './errors.ts';
import { countryOf, isAdultsOnly, isInterest, isLanguage, isRegion, overlapIn } from './places.ts';

const ages = ['AGE_13_17', 'AGE_18_24', 'AGE_25_34', 'AGE_35_44', 'AGE_45_54', 'AGE_55_100'];
const idLists = ['interest_keyword_ids', 'audience_ids', 'excluded_audience_ids', 'zipcode_ids'];
const flags = ['comment_disabled', 'video_download_disabled', 'share_disabled', 'search_result_enabled'];

export function checkTargeting(body: Body): void {
  const places = listIn(body, 'location_ids', 3000) ?? [];
  for (const name of idLists) {
    const odd = listIn(body, name)?.find((id) => !/^\d{1,20}$/.test(id));
    if (odd !== undefined) throw wrong(`${name}: ${odd} is not a valid id.`);
  }
  const excluded = listIn(body, 'excluded_audience_ids') ?? [];
  const both = listIn(body, 'audience_ids')?.find((id) => excluded.includes(id));
  if (both !== undefined) throw wrong(`excluded_audience_ids: ${both} is in audience_ids too.`);
  if (places.length === 0 && !listIn(body, 'zipcode_ids')?.length) throw missing('location_ids');
  refuse(places, 'location_ids', isRegion);
  const inside = overlapIn(places);
  if (inside) throw wrong(`location_ids: ${inside} lies inside another of the locations.`);
  oneOfIn(body, 'gender', ['GENDER_UNLIMITED', 'GENDER_MALE', 'GENDER_FEMALE']);
  checkMinors(body, places);
  if ((enumsIn(body, 'operating_systems', ['ANDROID', 'IOS'])?.length ?? 0) > 1) {
    throw wrong('operating_systems: Only one is allowed.');
  }
  refuse(listIn(body, 'interest_category_ids'), 'interest_category_ids', isInterest);
  refuse(listIn(body, 'languages'), 'languages', isLanguage);
  for (const name of flags) flagIn(body, name);
}

function checkMinors(body: Body, places: string[]): void {
  if (!enumsIn(body, 'age_groups', ages)?.includes('AGE_13_17')) return;
  const country = places.map(countryOf).find((code) => isAdultsOnly(code));
  if (country === undefined) return;
  const message = `Based on one or more of your choices, ad delivery to ${country} audiences will be subject to age targeting restrictions`;
  throw new VendorError(40065, message);
}

/** Ads about housing, jobs and credit reach adults of all genders; the messages are unconfirmed. */
export function checkIndustryTargeting(campaign: Body, body: Body): void {
  if (!listIn(campaign, 'special_industries')?.length) return;
  const { gender = 'GENDER_UNLIMITED' } = body;
  if (gender !== 'GENDER_UNLIMITED') throw wrong('gender: Not supported with special_industries.');
  if (enumsIn(body, 'age_groups', ages)?.includes('AGE_13_17'))
    throw wrong('age_groups: AGE_13_17 is not supported with special_industries.');
  if (listIn(body, 'zipcode_ids')?.length) throw wrong('zipcode_ids: Not supported with special_industries.');
}

function refuse(list: string[] | undefined, name: string, isKnown: (item: string) => boolean): void {
  const odd = list?.find((item) => !isKnown(item));
  if (odd !== undefined) throw wrong(`${name}: ${odd} does not exist or is not available.`);
}
