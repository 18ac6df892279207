import type { Breakdown, ConversionEvent, ReportLevel } from '../../contract/reporting/metrics.ts';
import type { ReportQuery } from '../report.ts';

/** The platform's name of each level. */
export const levelNames = {
  account: 'account',
  campaign: 'campaign',
  ad_set: 'adset',
  ad: 'ad',
} as const satisfies Record<ReportLevel, string>;

const counted = [
  'spend',
  'impressions',
  'clicks',
  'inline_link_clicks',
  'inline_post_engagement',
  'actions',
  'action_values',
  'conversions',
  'conversion_values',
  'video_play_actions',
  'video_p25_watched_actions',
  'video_p50_watched_actions',
  'video_p75_watched_actions',
  'video_p100_watched_actions',
];

const ids: Record<ReportLevel, string[]> = {
  account: ['account_id'],
  campaign: ['campaign_id'],
  ad_set: ['adset_id', 'campaign_id'],
  ad: ['ad_id', 'adset_id', 'campaign_id'],
};

export const fieldsOf = ({ level, withReach }: ReportQuery): string =>
  [...ids[level], ...counted, ...(withReach ? ['reach', 'frequency'] : [])].join(',');

export const breakdownColumns: Record<Breakdown, string[]> = {
  age: ['age'],
  gender: ['gender'],
  country: ['country'],
  placement: ['publisher_platform', 'platform_position'],
  device: ['impression_device'],
};

/** The only order in which the platform documents combined breakdowns. */
const inOrder = Object.values(breakdownColumns).flat();

export const columnsOf = ({ breakdowns }: ReportQuery): string[] =>
  breakdowns
    .flatMap((breakdown) => breakdownColumns[breakdown])
    .toSorted((one, other) => inOrder.indexOf(one) - inOrder.indexOf(other));

/**
 * Action types of an event, the widest first: they overlap, so the first that is present counts alone. Some events are
 * in `conversions` instead of `actions`.
 */
export const actionTypes: Record<Exclude<ConversionEvent, 'all'>, string[]> = {
  purchase: ['omni_purchase', 'purchase', 'offsite_conversion.fb_pixel_purchase'],
  lead: ['lead', 'offsite_conversion.fb_pixel_lead', 'onsite_conversion.lead_grouped'],
  complete_registration: [
    'omni_complete_registration',
    'complete_registration',
    'offsite_conversion.fb_pixel_complete_registration',
  ],
  add_to_cart: ['omni_add_to_cart', 'add_to_cart', 'offsite_conversion.fb_pixel_add_to_cart'],
  initiate_checkout: ['omni_initiated_checkout', 'initiate_checkout', 'offsite_conversion.fb_pixel_initiate_checkout'],
  view_content: ['omni_view_content', 'view_content', 'offsite_conversion.fb_pixel_view_content'],
  add_payment_info: ['add_payment_info', 'offsite_conversion.fb_pixel_add_payment_info'],
  search: ['omni_search', 'search', 'offsite_conversion.fb_pixel_search'],
  contact: ['contact_total'],
  schedule: ['schedule_total'],
  subscribe: ['subscribe_total'],
  start_trial: ['start_trial_total'],
  app_install: ['omni_app_install', 'mobile_app_install', 'app_install'],
};

/** The event of an ad set by its goal, and by its promoted object. */
export const eventOfGoal: Record<string, ConversionEvent> = {
  LEAD_GENERATION: 'lead',
  QUALITY_LEAD: 'lead',
  APP_INSTALLS: 'app_install',
};
export const eventOfObject: Record<string, ConversionEvent> = {
  PURCHASE: 'purchase',
  LEAD: 'lead',
  COMPLETE_REGISTRATION: 'complete_registration',
  ADD_TO_CART: 'add_to_cart',
  INITIATED_CHECKOUT: 'initiate_checkout',
  CONTENT_VIEW: 'view_content',
  ADD_PAYMENT_INFO: 'add_payment_info',
  SEARCH: 'search',
  CONTACT: 'contact',
  SCHEDULE: 'schedule',
  SUBSCRIBE: 'subscribe',
  START_TRIAL: 'start_trial',
};

/** Without this filter, deleted and archived objects have no rows. */
export const everyStatus: Record<Exclude<ReportLevel, 'account'>, string[]> = {
  campaign: ['ACTIVE', 'PAUSED', 'DELETED', 'ARCHIVED', 'IN_PROCESS', 'WITH_ISSUES'],
  ad_set: ['ACTIVE', 'PAUSED', 'DELETED', 'ARCHIVED', 'IN_PROCESS', 'WITH_ISSUES', 'CAMPAIGN_PAUSED'],
  ad: [
    'ACTIVE',
    'PAUSED',
    'DELETED',
    'ARCHIVED',
    'IN_PROCESS',
    'WITH_ISSUES',
    'CAMPAIGN_PAUSED',
    'ADSET_PAUSED',
    'PENDING_REVIEW',
    'DISAPPROVED',
    'PREAPPROVED',
    'PENDING_BILLING_INFO',
  ],
};
