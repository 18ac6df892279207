import type { CopyKind } from '../copies.ts';
import { PlatformError } from '../error.ts';
import { carriedFields, isUnset, type Raw } from './copy-fields.ts';

const words = (text: string): string[] => text.trim().split(/\s+/);

const ofEach = words(`advertiser_id campaign_id create_time modify_time operation_status secondary_status
  is_new_structure is_smart_performance_campaign campaign_automation_type campaign_system_origin campaign_name`);

/** Fields that belong to the source alone, follow from others, or are set for each copy. */
const ownFields: Record<CopyKind, ReadonlySet<string>> = {
  campaign: new Set([...ofEach, ...words('objective rf_campaign_type bid_align_type split_test_variable')]),
  adSet: new Set([
    ...ofEach,
    ...words(`adgroup_id adgroup_name app_type app_download_url schedule_type schedule_start_time schedule_end_time
      exclude_age_under_eighteen ios14_quota_type inventory_filter_enabled predict_impression topview_reach_range
      rf_purchased_type rf_estimated_cpr rf_estimated_frequency purchased_impression purchased_reach feed_type
      split_test_group_id split_test_status cpv_video_duration delivery_mode product_set_id`),
  ]),
  ad: new Set([
    ...ofEach,
    ...words(`ad_id ad_name adgroup_id adgroup_name is_aco creative_type optimization_event profile_image_url
      avatar_icon_web_url avatar_icon_web_uri display_name vast_moat_enabled branded_content_disabled`),
  ]),
};

const kinds: Record<CopyKind, string> = { campaign: 'campaign', adSet: 'ad group', ad: 'ad' };

/** A copy must not lose a setting silently: a field that this version does not know may change what is bought. */
export function requireCarried(kind: CopyKind, name: string, raw: Raw): void {
  const lost = Object.entries(raw).filter(
    ([field, value]) => !carriedFields[kind].has(field) && !ownFields[kind].has(field) && isSet(field, value),
  );
  if (lost.length === 0) return;
  const fields = lost.map(([field]) => field).join(', ');
  const message = `The ${kinds[kind]} ${name} sets ${fields}, which a copy would lose; copy it on the platform itself`;
  throw new PlatformError('D', 'rejected', message);
}

const isSet = (name: string, value: unknown): boolean =>
  !isUnset(name, value) && value !== false && value !== 0 && value !== 'OFF';
