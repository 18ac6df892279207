import { own } from '../../lib/own.ts';

/** Platform field → our field path. */
const ourFields: Record<string, string> = {
  budget: 'budgetAmount',
  budget_mode: 'budgetType',
  schedule_end_time: 'endDate',
  schedule_start_time: 'startDate',
  bid_price: 'bidAmount',
  conversion_bid_price: 'bidAmount',
  roas_bid: 'roasAverageFloor',
  location_ids: 'countries',
  age_groups: 'ageMin',
  languages: 'languages',
  interest_category_ids: 'interests',
  audience_ids: 'audienceId',
  excluded_audience_ids: 'excludedAudienceIds',
  pixel_id: 'promotedObject.pixelId',
  optimization_event: 'promotedObject.customEventType',
  app_id: 'promotedObject.applicationId',
  operating_systems: 'promotedObject.objectStoreUrl',
  ios14_targeting: 'promotedObject.objectStoreUrl',
  min_ios_version: 'promotedObject.objectStoreUrl',
  deep_bid_type: 'bidStrategy',
  page_id: 'promotedObject.leadFormId',
  special_industries: 'specialAdCategories',
  objective_type: 'goal',
  optimization_goal: 'goal',
  ad_text: 'body',
  landing_page_url: 'linkUrl',
  call_to_action: 'callToAction',
  video_id: 'video.url',
  video_url: 'video.url',
  image_ids: 'video.thumbnailUrl',
  image_url: 'video.thumbnailUrl',
  identity_id: 'identityType',
  identity_type: 'identityType',
  display_name: 'brandIdentity.displayName',
  image_uri: 'brandIdentity.imageUrl',
  campaign_name: 'name',
  adgroup_name: 'name',
  ad_name: 'name',
};

/** Rejections that name no field of theirs. */
const fieldsByCode: Record<number, string> = { 40_053: 'video.url', 40_065: 'ageMin' };

/** The fields that a rejection names, as our field paths. */
export function rejectedFields(text: string, code: number): Record<string, string[]> | undefined {
  const named = [...text.matchAll(/[a-z]+(?:_[a-z]+)*/g)].map(([word]) => own(ourFields, word));
  const [field] = [fieldsByCode[code], ...named].filter((path) => path !== undefined);
  return field === undefined ? undefined : { [field]: [text] };
}
