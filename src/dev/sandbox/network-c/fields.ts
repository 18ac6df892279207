import type { Body } from './checks.ts';
import { wrong } from './errors.ts';

type Level = 'campaign' | 'adgroup' | 'ad';

const words = (text: string): string[] => text.trim().split(/\s+/);

/** Writable fields; others are ignored, as upstream. */
export const writable: Record<Level, string[]> = {
  campaign: words(`
    campaign_name objective_type app_promotion_type virtual_objective_type sales_destination campaign_type app_id budget_mode
    budget budget_optimize_on bid_type deep_bid_type roas_bid optimization_goal special_industries campaign_product_source
    rta_id rta_bid_enabled rta_product_selection_enabled postback_window_mode disable_skan_campaign
    is_advanced_dedicated_campaign campaign_app_profile_page_state is_search_campaign catalog_enabled po_number
    operation_status`),
  adgroup: words(`
    campaign_id adgroup_name promotion_type promotion_target_type promotion_website_type placement_type placements
    tiktok_subplacements search_result_enabled comment_disabled video_download_disabled share_disabled blocked_pangle_app_ids
    location_ids zipcode_ids languages gender age_groups spending_power household_income audience_ids excluded_audience_ids
    smart_audience_enabled smart_interest_behavior_enabled interest_category_ids interest_keyword_ids
    purchase_intention_keyword_ids actions operating_systems min_android_version min_ios_version ios14_targeting
    device_model_ids device_price_ranges network_types carrier_ids isp_ids audience_type audience_rule saved_audience_id
    contextual_tag_ids brand_safety_type brand_safety_partner category_exclusion_ids vertical_sensitivity_id
    included_pangle_audience_package_ids excluded_pangle_audience_package_ids included_custom_actions
    excluded_custom_actions budget_mode budget schedule_type schedule_start_time schedule_end_time dayparting
    optimization_goal optimization_event secondary_optimization_event pixel_id app_id app_config
    deep_funnel_optimization_status deep_funnel_event_source deep_funnel_event_source_id deep_funnel_optimization_event
    frequency frequency_schedule bid_type bid_price conversion_bid_price deep_bid_type deep_cpa_bid roas_bid vbo_window
    bid_display_mode next_day_retention click_attribution_window view_attribution_window
    engaged_view_attribution_window attribution_event_count billing_event pacing statistic_type creative_material_mode
    identity_type identity_id identity_authorized_bc_id shopping_ads_type shopping_ads_retargeting_type product_source
    catalog_id catalog_authorized_bc_id store_id store_authorized_bc_id is_hfss is_lhf_compliance custom_conversion_id
    phone_number phone_region_code phone_region_calling_code messaging_app_type messaging_app_account_id
    message_event_set_id adgroup_app_profile_page_state search_keywords automated_keywords_enabled skip_learning_phase
    shopping_ads_retargeting_actions_days shopping_ads_retargeting_custom_audience_relation operation_status`),
  ad: words(`
    ad_name identity_type identity_id identity_authorized_bc_id ad_format video_id image_ids music_id carousel_image_index
    tiktok_item_id promotional_music_disabled item_duet_status item_stitch_status dark_post_status ad_text ad_texts
    call_to_action call_to_action_id card_id landing_page_url utm_params page_id cpp_url phone_number phone_region_code
    phone_region_calling_code deeplink deeplink_type fallback_type disclaimer_type disclaimer_text
    disclaimer_clickable_texts aigc_disclosure_type tracking_pixel_id tracking_app_id tracking_offline_event_set_ids
    viewability_postbid_partner viewability_vast_url brand_safety_postbid_partner brand_safety_vast_url
    impression_tracking_url click_tracking_url video_view_tracking_url playable_url catalog_id product_specific_type
    product_set_id sku_ids item_group_ids vertical_video_strategy dynamic_format display_name avatar_icon_web_uri
    app_name auto_disclaimer_types auto_message_id deeplink_format_type deeplink_utm_params dynamic_destination
    end_card_cta instant_product_page_used page_image_index product_display_field_list schedule_id
    shopping_ads_deeplink_type shopping_ads_fallback_type shopping_ads_video_package_id showcase_products
    tiktok_page_category tracking_message_event_set_id vehicle_ids creative_authorized operation_status`),
};

/** Additional read-only fields. */
const readOnly: Record<Level, string[]> = {
  campaign: words(`
    campaign_id advertiser_id objective secondary_status create_time modify_time is_new_structure
    is_smart_performance_campaign campaign_automation_type rf_campaign_type campaign_system_origin
    split_test_variable`),
  adgroup: words(`
    adgroup_id advertiser_id campaign_name secondary_status create_time modify_time is_new_structure app_type
    app_download_url is_smart_performance_campaign campaign_automation_type rf_purchased_type rf_estimated_cpr
    split_test_group_id split_test_status predict_impression`),
  ad: words(`
    ad_id advertiser_id campaign_id campaign_name adgroup_id adgroup_name secondary_status create_time modify_time
    is_new_structure is_aco campaign_automation_type profile_image_url avatar_icon_web_url optimization_event
    creative_type vast_moat_enabled`),
};

export const readable: Record<Level, string[]> = {
  campaign: [...readOnly.campaign, ...writable.campaign],
  adgroup: [...readOnly.adgroup, ...writable.adgroup],
  ad: [...readOnly.ad, ...writable.ad],
};

/** Values of unset fields that are not returned as null; the list is unconfirmed. */
export const unset: Record<Level, Body> = {
  campaign: {
    objective: 'LANDING_PAGE',
    app_promotion_type: 'UNSET',
    campaign_type: 'REGULAR_CAMPAIGN',
    budget: 0,
    roas_bid: 0,
    special_industries: [],
    is_new_structure: true,
    is_smart_performance_campaign: false,
    is_search_campaign: false,
    budget_optimize_on: false,
    rf_campaign_type: 'STANDARD',
  },
  adgroup: {
    is_new_structure: true,
    is_smart_performance_campaign: false,
    zipcode_ids: [],
    audience_ids: [],
    excluded_audience_ids: [],
    interest_category_ids: [],
    interest_keyword_ids: [],
    operating_systems: [],
    languages: [],
    network_types: [],
    age_groups: [],
    gender: 'GENDER_UNLIMITED',
    spending_power: 'ALL',
    ios14_targeting: 'UNSET',
    brand_safety_type: 'NO_BRAND_SAFETY',
    brand_safety_partner: 'UNSET',
    shopping_ads_type: 'UNSET',
    bid_price: 0,
    conversion_bid_price: 0,
    deep_cpa_bid: 0,
    roas_bid: 0,
    search_result_enabled: false,
    comment_disabled: false,
    video_download_disabled: false,
    share_disabled: false,
  },
  ad: {
    is_new_structure: true,
    is_aco: false,
    vast_moat_enabled: false,
    image_ids: [],
    ad_text: '',
    deeplink: '',
    deeplink_type: 'NORMAL',
    fallback_type: 'UNSET',
    playable_url: '',
    promotional_music_disabled: true,
  },
};

/** Keeps known fields without nulls. A value that reads as unset is no value to write, except for one field. */
export function taken(level: Level, body: Body): Body {
  const known = writable[level].filter((name) => body[name] !== undefined && body[name] !== null);
  const odd = known.find((name) => body[name] === 'UNSET' && name !== 'fallback_type');
  if (odd !== undefined) throw wrong(`${odd}: Invalid value UNSET.`);
  return Object.fromEntries(known.map((name) => [name, body[name]]));
}
