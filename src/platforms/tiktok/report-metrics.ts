import type { Breakdown, ConversionEvent, CountedMetric, ReportLevel } from '../../contract/reporting/metrics.ts';

/** The platform's metrics; several are added. Those of websites, apps and shops never count the same event. */
export const counted = {
  spend: ['spend'],
  impressions: ['impressions'],
  clicks: ['clicks'],
  linkClicks: ['clicks'],
  purchases: ['complete_payment', 'total_purchase', 'onsite_shopping'],
  // A value, whatever its name says.
  purchaseValue: ['total_complete_payment_rate', 'total_purchase_value', 'total_onsite_shopping_value'],
  leads: ['form', 'onsite_form'],
  engagement: ['engagements'],
  videoViews: ['video_watched_2s'],
  videoPlays: ['video_play_actions'],
  videoP25: ['video_views_p25'],
  videoP50: ['video_views_p50'],
  videoP75: ['video_views_p75'],
  videoP100: ['video_views_p100'],
} as const satisfies Record<CountedMetric, readonly string[]>;

interface EventMetrics {
  count: readonly string[];
  value?: readonly string[];
}

export const events: Partial<Record<ConversionEvent, EventMetrics>> = {
  purchase: { count: counted.purchases, value: counted.purchaseValue },
  lead: { count: counted.leads, value: ['total_form_value', 'total_onsite_form_value'] },
  complete_registration: { count: ['user_registration', 'total_registration'] },
  add_to_cart: {
    count: ['web_event_add_to_cart', 'total_app_event_add_to_cart'],
    value: ['total_web_event_add_to_cart_value', 'total_app_event_add_to_cart_value'],
  },
  initiate_checkout: {
    count: ['initiate_checkout', 'total_checkout'],
    value: ['total_initiate_checkout_value', 'total_checkout_value'],
  },
  view_content: {
    count: ['page_content_view_events', 'total_view_content'],
    value: ['total_page_view_content_events_value', 'total_view_content_value'],
  },
  add_payment_info: { count: ['add_billing', 'total_add_payment_info'] },
  search: { count: ['page_event_search', 'total_search'] },
  contact: { count: ['online_consult'], value: ['total_online_consult_value'] },
  subscribe: {
    count: ['on_web_subscribe', 'total_subscribe'],
    value: ['total_on_web_subscribe_value', 'total_subscribe_value'],
  },
  start_trial: { count: ['total_start_trial'] },
  app_install: { count: ['app_install'] },
};

/** Conversions of the event that each ad group optimises for. */
export const optimised = 'conversion';
const unique = ['reach', 'frequency'];
/** The parents of an object come as metrics. */
const parents: Record<ReportLevel, string[]> = {
  account: [],
  campaign: [],
  ad_set: ['campaign_id'],
  ad: ['campaign_id', 'adgroup_id'],
};

export const basicMetrics = (level: ReportLevel, withReach: boolean): string[] => [
  ...new Set([
    ...parents[level],
    ...Object.values(counted).flat(),
    ...Object.values(events).flatMap(({ count, value = [] }) => [...count, ...value]),
    optimised,
    ...(withReach ? unique : []),
  ]),
];

/** Reports on the audience have delivery, and conversions of the event that each ad group optimises for. */
export const audienceMetrics = (level: ReportLevel): string[] => [
  ...parents[level],
  ...counted.spend,
  ...counted.impressions,
  ...counted.clicks,
  optimised,
];

/** The platform's name of each breakdown. The country is one of the basic report too, which has all metrics. */
export const dimensions: Record<Breakdown, string> = {
  age: 'age',
  gender: 'gender',
  country: 'country_code',
  placement: 'placement',
  device: 'platform',
};

/** Words of levels in parameters. */
export const levels: Record<ReportLevel, 'advertiser' | 'campaign' | 'adgroup' | 'ad'> = {
  account: 'advertiser',
  campaign: 'campaign',
  ad_set: 'adgroup',
  ad: 'ad',
};

/** Events that an ad group can optimise for, and goals that are events themselves. */
export const eventOfGroup: Record<string, ConversionEvent> = {
  SHOPPING: 'purchase',
  ACTIVE_PAY: 'purchase',
  FORM: 'lead',
  ON_WEB_REGISTER: 'complete_registration',
  ACTIVE_REGISTER: 'complete_registration',
  ON_WEB_CART: 'add_to_cart',
  IN_APP_CART: 'add_to_cart',
  INITIATE_ORDER: 'initiate_checkout',
  ON_WEB_DETAIL: 'view_content',
  IN_APP_DETAIL_UV: 'view_content',
  ADD_BILLING: 'add_payment_info',
  ON_WEB_SEARCH: 'search',
  SEARCH: 'search',
  CONSULT: 'contact',
  ON_WEB_SUBSCRIBE: 'subscribe',
  LEAD_GENERATION: 'lead',
  INSTALL: 'app_install',
};
