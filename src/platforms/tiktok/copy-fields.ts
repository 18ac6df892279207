import { PlatformError } from '../error.ts';
import { isCopyActive, type CopyKind, type CopyOptions, type CopySource } from '../copies.ts';
import type { Fields } from './client.ts';
import { fromTime, toTime } from './wire.ts';

/** An object with all fields that the platform reports. */
export type Raw = Record<string, unknown>;

const words = (text: string): string[] => text.trim().split(/\s+/);

// Fields that can be both read and written. Others would be rejected or belong to the source alone.
const campaignList =
  words(`objective_type app_promotion_type virtual_objective_type sales_destination campaign_type app_id
  budget_mode budget budget_optimize_on bid_type deep_bid_type roas_bid optimization_goal special_industries
  campaign_product_source rta_id rta_bid_enabled rta_product_selection_enabled postback_window_mode disable_skan_campaign
  is_advanced_dedicated_campaign campaign_app_profile_page_state is_search_campaign catalog_enabled po_number`);
const placeList = words('location_ids zipcode_ids');
const targetingList = words(`languages gender age_groups spending_power household_income
  audience_ids excluded_audience_ids smart_audience_enabled smart_interest_behavior_enabled interest_category_ids
  interest_keyword_ids purchase_intention_keyword_ids actions included_custom_actions excluded_custom_actions
  included_pangle_audience_package_ids excluded_pangle_audience_package_ids operating_systems min_android_version
  min_ios_version ios14_targeting device_model_ids device_price_ranges network_types carrier_ids isp_ids audience_type
  audience_rule contextual_tag_ids`);
/** What an app's ad group must name, even with a saved audience. */
const systemList = words('operating_systems ios14_targeting min_ios_version');
const adGroupList = words(`promotion_type promotion_target_type promotion_website_type placement_type placements
  tiktok_subplacements search_result_enabled comment_disabled video_download_disabled share_disabled
  blocked_pangle_app_ids saved_audience_id brand_safety_type brand_safety_partner category_exclusion_ids
  vertical_sensitivity_id budget_mode budget dayparting optimization_goal optimization_event secondary_optimization_event
  pixel_id custom_conversion_id app_id app_config adgroup_app_profile_page_state search_keywords
  automated_keywords_enabled skip_learning_phase deep_funnel_optimization_status deep_funnel_event_source deep_funnel_event_source_id
  deep_funnel_optimization_event frequency frequency_schedule bid_type bid_price conversion_bid_price deep_bid_type
  deep_cpa_bid roas_bid vbo_window bid_display_mode next_day_retention click_attribution_window view_attribution_window
  engaged_view_attribution_window attribution_event_count billing_event pacing statistic_type creative_material_mode
  identity_type identity_id identity_authorized_bc_id shopping_ads_type shopping_ads_retargeting_type
  shopping_ads_retargeting_actions_days shopping_ads_retargeting_custom_audience_relation product_source catalog_id
  catalog_authorized_bc_id store_id store_authorized_bc_id is_hfss is_lhf_compliance phone_number phone_region_code
  phone_region_calling_code messaging_app_type messaging_app_account_id message_event_set_id`);
const adList = words(`identity_type identity_id identity_authorized_bc_id ad_format video_id image_ids music_id
  carousel_image_index tiktok_item_id promotional_music_disabled item_duet_status item_stitch_status dark_post_status
  ad_text ad_texts call_to_action call_to_action_id card_id landing_page_url utm_params page_id cpp_url phone_number
  phone_region_code phone_region_calling_code deeplink deeplink_type fallback_type disclaimer_type disclaimer_text
  disclaimer_clickable_texts aigc_disclosure_type tracking_pixel_id tracking_app_id tracking_offline_event_set_ids
  viewability_postbid_partner viewability_vast_url brand_safety_postbid_partner brand_safety_vast_url
  impression_tracking_url click_tracking_url video_view_tracking_url playable_url catalog_id product_specific_type
  product_set_id sku_ids item_group_ids vertical_video_strategy dynamic_format app_name auto_disclaimer_types
  auto_message_id deeplink_format_type deeplink_utm_params dynamic_destination end_card_cta instant_product_page_used
  page_image_index product_display_field_list schedule_id shopping_ads_deeplink_type shopping_ads_fallback_type
  shopping_ads_video_package_id showcase_products tiktok_page_category tracking_message_event_set_id vehicle_ids
  creative_authorized`);
/** Every field that a copy carries. */
export const carriedFields: Record<CopyKind, ReadonlySet<string>> = {
  campaign: new Set(campaignList),
  adSet: new Set([...placeList, ...targetingList, ...adGroupList]),
  ad: new Set(adList),
};
const budgetOptimisation = words('bid_type deep_bid_type roas_bid optimization_goal');

/** Values by which the platform reports an unset field. */
export const isUnset = (name: string, value: unknown): boolean =>
  value === null ||
  value === undefined ||
  value === '' ||
  value === 'UNSET' ||
  value === 'NONE' ||
  (Array.isArray(value) && value.length === 0) ||
  (value === 0 && /bid|budget|frequency/.test(name));

const carried = (raw: Raw, list: readonly string[], without: readonly string[] = []): Fields =>
  Object.fromEntries(
    list.filter((name) => !without.includes(name) && !isUnset(name, raw[name])).map((name) => [name, raw[name]]),
  );

export const isEnabled = ({ operation_status: status }: Raw): boolean => status !== 'DISABLE';
/** Status at the time of the request: the source may change while it is copied. */
export const switchFor = (options: CopyOptions, source: CopySource): string =>
  isCopyActive(options, source) ? 'ENABLE' : 'DISABLE';

const hasOwnBudget = ({ budget_optimize_on: isOptimised }: Raw): boolean => isOptimised === true;

export function campaignCopy(raw: Raw): Fields {
  const isInfinite = raw['budget_mode'] === 'BUDGET_MODE_INFINITE';
  return carried(raw, campaignList, [
    ...(isInfinite ? ['budget'] : []),
    ...(hasOwnBudget(raw) ? [] : budgetOptimisation),
  ]);
}

interface Timed {
  options: CopyOptions;
  now: Date;
}

export function adGroupCopy(raw: Raw, campaign: Raw, { options, now }: Timed): Fields {
  // A saved audience replaces the targeting except locations and systems, which the platform still requires.
  const targeting = isUnset('', raw['saved_audience_id']) ? targetingList : systemList;
  return {
    ...carried(raw, placeList),
    ...carried(raw, adGroupList, hasOwnBudget(campaign) ? ['budget'] : []),
    ...carried(raw, targeting),
    ...scheduleOf(raw, { options, now }),
  };
}

/** A promoted post contains its own video. */
export const adCopy = (raw: Raw): Fields =>
  carried(raw, adList, isUnset('', raw['tiktok_item_id']) ? [] : ['video_id', 'image_ids']);

/** Future times are kept; a start in the past becomes now, and an end in the past is dropped if permitted. */
export function scheduleOf(raw: Raw, { options: { startTime, endTime }, now }: Timed): Fields {
  const old = (name: string): Date | undefined => fromTime(raw[name] as string | undefined);
  const requested = startTime ? new Date(startTime) : old('schedule_start_time');
  const start = requested && requested > now ? requested : now;
  const hadEnd = raw['schedule_type'] === 'SCHEDULE_START_END' ? old('schedule_end_time') : undefined;
  const end = endTime ? new Date(endTime) : hadEnd;
  if (end && end > start) {
    return {
      schedule_type: 'SCHEDULE_START_END',
      schedule_start_time: toTime(start),
      schedule_end_time: toTime(end),
    };
  }
  if (raw['budget_mode'] === 'BUDGET_MODE_TOTAL' || endTime) {
    const message = `The ad group ${raw['adgroup_name']} has a lifetime budget; set an endTime after its start`;
    throw new PlatformError('D', 'rejected', message, { fields: { endTime: [message] } });
  }
  return { schedule_type: 'SCHEDULE_FROM_NOW', schedule_start_time: toTime(start) };
}
