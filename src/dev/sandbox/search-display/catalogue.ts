/** Queryable fields: s string, i integer, b boolean, e enum, m display only. */
export interface FieldType {
  type: 's' | 'i' | 'b' | 'e' | 'm';
  values?: string[];
}

const status = 'status e ENABLED PAUSED REMOVED';
const lines: Record<string, string> = {
  campaign: `resource_name s|id i|name s|${status}|serving_status e SERVING NONE ENDED PENDING SUSPENDED|primary_status e ELIGIBLE PAUSED REMOVED ENDED PENDING LIMITED NOT_ELIGIBLE|advertising_channel_type e SEARCH DISPLAY SHOPPING VIDEO PERFORMANCE_MAX DEMAND_GEN|campaign_budget s|bidding_strategy_type e TARGET_SPEND MAXIMIZE_CONVERSIONS MAXIMIZE_CONVERSION_VALUE MANUAL_CPC MANUAL_CPM TARGET_CPA TARGET_IMPRESSION_SHARE|start_date_time s|end_date_time s|contains_eu_political_advertising e CONTAINS_EU_POLITICAL_ADVERTISING DOES_NOT_CONTAIN_EU_POLITICAL_ADVERTISING|missing_eu_political_advertising_declaration b|geo_target_type_setting.positive_geo_target_type e PRESENCE PRESENCE_OR_INTEREST SEARCH_INTEREST|network_settings.target_google_search b|network_settings.target_search_network b|network_settings.target_content_network b|target_spend.cpc_bid_ceiling_micros i|maximize_conversions.target_cpa_micros i|target_impression_share.cpc_bid_ceiling_micros i|tracking_url_template s|final_url_suffix s`,
  campaign_budget:
    'resource_name s|id i|name s|amount_micros i|total_amount_micros i|status e ENABLED REMOVED|period e DAILY CUSTOM_PERIOD|delivery_method e STANDARD ACCELERATED|explicitly_shared b|reference_count i',
  ad_group: `resource_name s|id i|name s|${status}|type e SEARCH_STANDARD DISPLAY_STANDARD|campaign s|cpc_bid_micros i|cpm_bid_micros i|target_cpa_micros i`,
  ad_group_ad: `resource_name s|${status}|ad_group s|ad.id i|ad.name s|ad.resource_name s|ad.type e RESPONSIVE_SEARCH_AD RESPONSIVE_DISPLAY_AD TEXT_AD IMAGE_AD|ad.final_urls m|ad.final_url_suffix s|ad.responsive_search_ad.headlines m|ad.responsive_search_ad.descriptions m|ad.responsive_search_ad.path1 s|ad.responsive_search_ad.path2 s|ad.responsive_display_ad.headlines m|ad.responsive_display_ad.long_headline m|ad.responsive_display_ad.descriptions m|ad.responsive_display_ad.business_name s|ad.responsive_display_ad.marketing_images m|ad.responsive_display_ad.square_marketing_images m|policy_summary.approval_status e UNKNOWN DISAPPROVED APPROVED_LIMITED APPROVED AREA_OF_INTEREST_ONLY|policy_summary.review_status e UNKNOWN REVIEW_IN_PROGRESS REVIEWED UNDER_APPEAL ELIGIBLE_MAY_SERVE|policy_summary.policy_topic_entries m`,
  campaign_criterion: `resource_name s|criterion_id i|campaign s|${status}|bid_modifier s|device.type e MOBILE TABLET DESKTOP|type e LOCATION LANGUAGE DEVICE AGE_RANGE USER_LIST USER_INTEREST KEYWORD|negative b|location.geo_target_constant s|language.language_constant s|keyword.text s|keyword.match_type e EXACT PHRASE BROAD`,
  ad_group_criterion: `resource_name s|criterion_id i|ad_group s|${status}|type e AGE_RANGE USER_LIST USER_INTEREST KEYWORD|negative b|keyword.text s|keyword.match_type e EXACT PHRASE BROAD|age_range.type e AGE_RANGE_18_24 AGE_RANGE_25_34 AGE_RANGE_35_44 AGE_RANGE_45_54 AGE_RANGE_55_64 AGE_RANGE_65_UP AGE_RANGE_UNDETERMINED|gender.type e MALE FEMALE UNDETERMINED|user_list.user_list s|user_interest.user_interest_category s`,
  asset:
    'resource_name s|id i|name s|type e IMAGE TEXT|image_asset.file_size i|image_asset.mime_type e IMAGE_JPEG IMAGE_GIF IMAGE_PNG|image_asset.full_size.width_pixels i|image_asset.full_size.height_pixels i|text_asset.text s',
  customer:
    'resource_name s|id i|descriptive_name s|currency_code s|time_zone s|manager b|test_account b|status e ENABLED CANCELED SUSPENDED CLOSED',
  customer_client:
    'resource_name s|client_customer s|level i|id i|descriptive_name s|currency_code s|time_zone s|manager b|test_account b|hidden b|status e ENABLED CANCELED SUSPENDED CLOSED',
  geo_target_constant:
    'resource_name s|id i|name s|country_code s|target_type s|canonical_name s|parent_geo_target s|status e ENABLED REMOVAL_PLANNED',
  language_constant: 'resource_name s|id i|code s|name s|targetable b',
  user_interest:
    'resource_name s|user_interest_id i|name s|taxonomy_type e AFFINITY IN_MARKET MOBILE_APP_INSTALL_USER VERTICAL_GEO NEW_SMART_PHONE_USER|launched_to_all b',
  user_list: 'resource_name s|id i|name s|membership_status e OPEN CLOSED|size_for_display i|size_for_search i',
  age_range_view: 'resource_name s',
  gender_view: 'resource_name s',
  geographic_view: 'resource_name s|location_type e AREA_OF_INTEREST LOCATION_OF_PRESENCE|country_criterion_id i',
  metrics:
    'impressions i|clicks i|cost_micros i|interactions i|engagements i|conversions m|conversions_value m|all_conversions m|video_trueview_views i|video_quartile_p25_rate m|video_quartile_p50_rate m|video_quartile_p75_rate m|video_quartile_p100_rate m|unique_users i|average_impression_frequency_per_user m',
  segments:
    'date s|device e MOBILE TABLET DESKTOP CONNECTED_TV OTHER|ad_network_type e SEARCH SEARCH_PARTNERS CONTENT YOUTUBE MIXED DISCOVER GMAIL MAPS GOOGLE_TV|conversion_action s|conversion_action_name s',
};

const parse = (line: string): [string, FieldType] => {
  const [name = '', type = 's', ...values] = line.split(' ');
  return [
    name,
    { type: type as FieldType['type'], ...(type === 'e' && { values: [...values, 'UNSPECIFIED', 'UNKNOWN'] }) },
  ];
};

export const catalogue = new Map<string, FieldType>(
  Object.entries(lines).flatMap(([resource, line]) =>
    line.split('|').map((entry): [string, FieldType] => {
      const [name, type] = parse(entry);
      return [`${resource}.${name}`, type];
    }),
  ),
);

const above = ['campaign', 'campaign_budget', 'customer', 'metrics', 'segments'];
/** Resources that a query can join. */
export const sources: Record<string, string[]> = {
  campaign: above,
  ad_group: ['ad_group', ...above],
  ad_group_ad: ['ad_group_ad', 'ad_group', ...above],
  age_range_view: ['age_range_view', 'ad_group_criterion', 'ad_group', ...above],
  gender_view: ['gender_view', 'ad_group_criterion', 'ad_group', ...above],
  geographic_view: ['geographic_view', 'ad_group', ...above],
  campaign_budget: ['campaign_budget', 'customer'],
  campaign_criterion: ['campaign_criterion', 'campaign', 'customer'],
  ad_group_criterion: ['ad_group_criterion', 'ad_group', 'campaign', 'customer'],
  asset: ['asset', 'customer'],
  customer: ['customer', 'metrics', 'segments'],
  customer_client: ['customer_client', 'customer'],
  geo_target_constant: ['geo_target_constant'],
  language_constant: ['language_constant'],
  user_interest: ['user_interest'],
  user_list: ['user_list', 'customer'],
};
