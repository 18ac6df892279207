const words = (text: string): string[] => text.trim().split(/\s+/);

/** Parameters of a create, as the platform's SDK lists them. The platform ignores others; the sandbox rejects them. */
export const parameters = {
  campaign: words(`
    adlabels bid_strategy budget_schedule_specs buying_type daily_budget is_adset_budget_sharing_enabled
    is_budget_schedule_enabled is_direct_send_campaign is_message_campaign is_skadnetwork_attribution
    iterative_split_test_configs lifetime_budget name objective pacing_type promoted_object smart_promotion_type
    source_campaign_id special_ad_categories special_ad_category_country spend_cap start_time status stop_time
    topline_id`),
  adset: words(`
    adlabels adset_schedule attribution_spec automatic_manual_state bid_adjustments bid_amount bid_constraints
    bid_strategy billing_event budget_schedule_specs budget_source budget_split_set_id campaign_attribution
    campaign_id campaign_spec creative_sequence creative_sequence_repetition_pattern daily_budget daily_imps
    daily_min_spend_target daily_spend_cap date_format destination_type dsa_beneficiary dsa_payor end_time
    existing_customer_budget_percentage frequency_control_specs full_funnel_exploration_mode
    is_ba_skip_delayed_eligible is_budget_schedule_enabled is_dynamic_creative
    is_incremental_attribution_enabled is_sac_cfca_terms_certified lifetime_budget lifetime_imps
    lifetime_min_spend_target lifetime_spend_cap line_number max_budget_spend_percentage
    min_budget_spend_percentage multi_event_conversion_attribution_window_seconds multi_optimization_goal_weight
    name optimization_goal optimization_sub_event pacing_type placement_soft_opt_out promoted_object
    rb_prediction_id regional_regulated_categories regional_regulation_identities rf_prediction_id
    source_adset_id start_time status targeting time_based_ad_rotation_id_blocks
    time_based_ad_rotation_intervals time_start time_stop topline_id trending_topics_spec tune_for_category
    value_rule_set_id value_rules_applied`),
  adcreative: words(`
    actor_id ad_disclaimer_spec adlabels applink_treatment asset_feed_spec authorization_category body
    branded_content branded_content_sponsor_page_id bundle_folder_id call_to_action categorization_criteria
    category_media_source contextual_multi_ads creative_sourcing_spec degrees_of_freedom_spec destination_set_id
    destination_spec dynamic_ad_voice enable_launch_instant_app existing_post_title facebook_branded_content
    format_transformation_spec image_crops image_file image_hash image_url instagram_branded_content
    instagram_permalink_url instagram_user_id interactive_components_spec is_dco_internal link_og_id link_url
    marketing_message_structured_spec media_sourcing_spec name object_id object_story_id object_story_spec
    object_type object_url omnichannel_link_spec page_welcome_message place_page_set_id platform_customizations
    playable_asset_id portrait_customizations product_set_id product_suggestion_settings recommender_settings
    regional_regulation_disclaimer_spec source_facebook_post_id source_instagram_media_id template_url
    template_url_spec thumbnail_url title url_tags use_page_actor_override`),
  ad: words(`
    ad_schedule_end_time ad_schedule_start_time adlabels adset_id adset_spec audience_id bid_amount
    conversion_domain creative creative_asset_groups_spec date_format display_sequence draft_adgroup_id
    engagement_audience include_demolink_hashes name priority source_ad_id status tracking_specs`),
};
