import type { Figures } from '../figures/figures.ts';
import { frequencyOf, reachOf } from '../figures/reach.ts';
import type { Entity } from './state.ts';

/** Columns of requests; prepared reports have these and more. */
const ofRequests = new Set(
  `
  SPEND_IN_MICRO_DOLLAR PAID_IMPRESSION SPEND_IN_DOLLAR CPC_IN_MICRO_DOLLAR ECPC_IN_MICRO_DOLLAR ECPC_IN_DOLLAR CTR
  ECTR OUTBOUND_CTR_1 CAMPAIGN_NAME CAMPAIGN_BRAND_LABEL PIN_ID TOTAL_ENGAGEMENT ENGAGEMENT_1 ENGAGEMENT_2
  ECPE_IN_DOLLAR ENGAGEMENT_RATE EENGAGEMENT_RATE ECPM_IN_MICRO_DOLLAR REPIN_RATE CTR_2 CAMPAIGN_ID ADVERTISER_ID
  AD_ACCOUNT_ID PIN_PROMOTION_ID AD_ID AD_GROUP_ID CAMPAIGN_ENTITY_STATUS CAMPAIGN_OBJECTIVE_TYPE
  CPM_IN_MICRO_DOLLAR CPM_IN_DOLLAR AD_GROUP_NAME AD_GROUP_BUDGET_TYPE AD_GROUP_BUDGET_IN_LOCAL_CURRENCY
  AD_GROUP_ENTITY_STATUS AD_GROUP_BID_MULTIPLIER PROMO_ID PROMO_NAME ORDER_LINE_ID ORDER_LINE_NAME CLICKTHROUGH_1
  REPIN_1 IMPRESSION_1 IMPRESSION_1_GROSS CLICKTHROUGH_1_GROSS OUTBOUND_CLICK_1 CLICKTHROUGH_2 REPIN_2 IMPRESSION_2
  OUTBOUND_CLICK_2 TOTAL_CLICKTHROUGH TOTAL_IMPRESSION TOTAL_IMPRESSION_USER TOTAL_IMPRESSION_FREQUENCY
  COST_PER_OUTBOUND_CLICK_IN_DOLLAR COST_PER_OUTBOUND_CLICK_IN_DOLLAR_1 TOTAL_ENGAGEMENT_SIGNUP
  TOTAL_ENGAGEMENT_CHECKOUT TOTAL_ENGAGEMENT_LEAD TOTAL_CLICK_SIGNUP TOTAL_CLICK_CHECKOUT TOTAL_CLICK_ADD_TO_CART
  TOTAL_CLICK_LEAD TOTAL_VIEW_SIGNUP TOTAL_VIEW_CHECKOUT TOTAL_VIEW_ADD_TO_CART TOTAL_VIEW_LEAD TOTAL_CONVERSIONS
  TOTAL_ENGAGEMENT_SIGNUP_VALUE_IN_MICRO_DOLLAR TOTAL_ENGAGEMENT_CHECKOUT_VALUE_IN_MICRO_DOLLAR
  TOTAL_CLICK_SIGNUP_VALUE_IN_MICRO_DOLLAR TOTAL_CLICK_CHECKOUT_VALUE_IN_MICRO_DOLLAR
  TOTAL_VIEW_SIGNUP_VALUE_IN_MICRO_DOLLAR TOTAL_VIEW_CHECKOUT_VALUE_IN_MICRO_DOLLAR TOTAL_WEB_SESSIONS
  WEB_SESSIONS_1 WEB_SESSIONS_2 AD_NAME CAMPAIGN_LIFETIME_SPEND_CAP AD_GROUP_OPTIMIZATION CAMPAIGN_DAILY_SPEND_CAP
  CAMPAIGN_BUDGET_OPTIMIZATION IS_PREMIERE_CAMPAIGN TOTAL_PAGE_VISIT TOTAL_SIGNUP TOTAL_CHECKOUT TOTAL_CUSTOM
  TOTAL_LEAD TOTAL_ADD_TO_WISHLIST TOTAL_SUBSCRIBE TOTAL_SIGNUP_VALUE_IN_MICRO_DOLLAR
  TOTAL_CHECKOUT_VALUE_IN_MICRO_DOLLAR TOTAL_CUSTOM_VALUE_IN_MICRO_DOLLAR PAGE_VISIT_COST_PER_ACTION PAGE_VISIT_ROAS
  CHECKOUT_ROAS CUSTOM_ROAS PRODUCT_GROUP_AD_IMAGE_TAG PRODUCT_GROUP_AD_VIDEO_TAG VIDEO_3SEC_VIEWS_1
  VIDEO_15SEC_UNIQUE_VIEWS_1 VIDEO_MRC_VIEWS_1 VIDEO_3SEC_VIEWS_2 VIDEO_15SEC_UNIQUE_VIEWS_2 VIDEO_P100_COMPLETE_2
  VIDEO_P0_COMBINED_2 VIDEO_P25_COMBINED_2 VIDEO_P50_COMBINED_2 VIDEO_P75_COMBINED_2 VIDEO_P95_COMBINED_2
  VIDEO_MRC_VIEWS_2 PAID_VIDEO_VIEWABLE_RATE VIDEO_LENGTH VIDEO_SPEND_IN_DOLLAR ECPV_IN_DOLLAR ECPCV_IN_DOLLAR
  ECPCV_P95_IN_DOLLAR TOTAL_VIDEO_3SEC_VIEWS TOTAL_VIDEO_15SEC_UNIQUE_VIEWS TOTAL_VIDEO_P100_COMPLETE
  TOTAL_VIDEO_P0_COMBINED TOTAL_VIDEO_P25_COMBINED TOTAL_VIDEO_P50_COMBINED TOTAL_VIDEO_P75_COMBINED
  TOTAL_VIDEO_P95_COMBINED TOTAL_VIDEO_MRC_VIEWS TOTAL_VIDEO_AVG_WATCHTIME_IN_SECOND TOTAL_REPIN_RATE
  WEB_CHECKOUT_COST_PER_ACTION WEB_CHECKOUT_ROAS TOTAL_WEB_CHECKOUT TOTAL_WEB_CHECKOUT_VALUE_IN_MICRO_DOLLAR
  TOTAL_WEB_CLICK_CHECKOUT TOTAL_WEB_CLICK_CHECKOUT_VALUE_IN_MICRO_DOLLAR TOTAL_WEB_ENGAGEMENT_CHECKOUT
  TOTAL_WEB_ENGAGEMENT_CHECKOUT_VALUE_IN_MICRO_DOLLAR TOTAL_WEB_VIEW_CHECKOUT
  TOTAL_WEB_VIEW_CHECKOUT_VALUE_IN_MICRO_DOLLAR INAPP_CHECKOUT_COST_PER_ACTION TOTAL_OFFLINE_CHECKOUT
  TOTAL_APP_INSTALL_CONVERSION_RATE TOTAL_INAPP_APP_INSTALL_CONVERSION_RATE IDEA_PIN_PRODUCT_TAG_VISIT_1
  IDEA_PIN_PRODUCT_TAG_VISIT_2 TOTAL_IDEA_PIN_PRODUCT_TAG_VISIT LEADS COST_PER_LEAD QUIZ_COMPLETED
  QUIZ_PIN_RESULT_OPEN QUIZ_COMPLETION_RATE SHOWCASE_PIN_CLICKTHROUGH SHOWCASE_SUBPAGE_CLICKTHROUGH
  SHOWCASE_SUBPIN_CLICKTHROUGH SHOWCASE_SUBPAGE_IMPRESSION SHOWCASE_SUBPIN_IMPRESSION SHOWCASE_SUBPAGE_SWIPE_LEFT
  SHOWCASE_SUBPAGE_SWIPE_RIGHT SHOWCASE_SUBPIN_SWIPE_LEFT SHOWCASE_SUBPIN_SWIPE_RIGHT SHOWCASE_SUBPAGE_REPIN
  SHOWCASE_SUBPIN_REPIN SHOWCASE_SUBPAGE_CLOSEUP SHOWCASE_CARD_THUMBNAIL_SWIPE_FORWARD
  SHOWCASE_CARD_THUMBNAIL_SWIPE_BACKWARD SHOWCASE_AVERAGE_SUBPAGE_CLOSEUP_PER_SESSION TOTAL_CHECKOUT_CONVERSION_RATE
  TOTAL_VIEW_CATEGORY_CONVERSION_RATE TOTAL_ADD_TO_CART_CONVERSION_RATE TOTAL_SIGNUP_CONVERSION_RATE
  TOTAL_PAGE_VISIT_CONVERSION_RATE TOTAL_LEAD_CONVERSION_RATE TOTAL_SEARCH_CONVERSION_RATE
  TOTAL_WATCH_VIDEO_CONVERSION_RATE TOTAL_UNKNOWN_CONVERSION_RATE TOTAL_CUSTOM_CONVERSION_RATE
`
    .trim()
    .split(/\s+/),
);
/** Further columns of prepared reports, of about four hundred. */
const ofReports = new Set(['TOTAL_CONVERSIONS_VALUE_IN_MICRO_DOLLAR', 'TOTAL_ADD_TO_CART', 'TOTAL_APP_INSTALL']);

export const isColumn = (name: string): boolean => ofRequests.has(name);
export const isReportColumn = (name: string): boolean => ofRequests.has(name) || ofReports.has(name);
/** Reports with a breakdown have no reach. */
export const isUnique = (name: string): boolean => /^TOTAL_IMPRESSION_(USER|FREQUENCY)$/.test(name);

/** Of ten paid events there is an earned one. */
const withEarned = (paid: number): number => paid + Math.floor(paid / 10);
const conversions = ({ purchases, leads, registrations }: Figures): number => purchases + leads + registrations;
const rate = (part: number, whole: number): number => (whole === 0 ? 0 : part / whole);

/** The columns with values; the platform has more. */
const values: Record<string, (figures: Figures) => number> = {
  SPEND_IN_MICRO_DOLLAR: ({ spend }) => spend,
  SPEND_IN_DOLLAR: ({ spend }) => spend / 1e6,
  PAID_IMPRESSION: ({ impressions }) => impressions,
  IMPRESSION_1: ({ impressions }) => impressions,
  TOTAL_IMPRESSION: ({ impressions }) => withEarned(impressions),
  TOTAL_IMPRESSION_USER: ({ impressions }) => reachOf(withEarned(impressions)),
  TOTAL_IMPRESSION_FREQUENCY: ({ impressions }) => (frequencyOf(withEarned(impressions)) ?? 0) / 1e6,
  CLICKTHROUGH_1: ({ clicks }) => clicks,
  TOTAL_CLICKTHROUGH: ({ clicks }) => withEarned(clicks),
  OUTBOUND_CLICK_1: ({ linkClicks }) => linkClicks,
  ENGAGEMENT_1: ({ engagement }) => engagement,
  TOTAL_ENGAGEMENT: ({ engagement }) => withEarned(engagement),
  VIDEO_MRC_VIEWS_1: ({ videoViews }) => videoViews,
  TOTAL_VIDEO_MRC_VIEWS: ({ videoViews }) => withEarned(videoViews),
  TOTAL_VIDEO_P0_COMBINED: ({ videoPlays }) => videoPlays,
  TOTAL_VIDEO_P25_COMBINED: ({ videoP25 }) => videoP25,
  TOTAL_VIDEO_P50_COMBINED: ({ videoP50 }) => videoP50,
  TOTAL_VIDEO_P75_COMBINED: ({ videoP75 }) => videoP75,
  TOTAL_VIDEO_P100_COMPLETE: ({ videoP100 }) => videoP100,
  TOTAL_CHECKOUT: ({ purchases }) => purchases,
  TOTAL_CHECKOUT_VALUE_IN_MICRO_DOLLAR: ({ purchaseValue }) => purchaseValue,
  TOTAL_LEAD: ({ leads }) => leads,
  TOTAL_SIGNUP: ({ registrations }) => registrations,
  TOTAL_CONVERSIONS: conversions,
  TOTAL_CONVERSIONS_VALUE_IN_MICRO_DOLLAR: ({ purchaseValue }) => purchaseValue,
  CTR: ({ clicks, impressions }) => rate(clicks, impressions),
  ECPC_IN_MICRO_DOLLAR: ({ spend, clicks }) => Math.round(rate(spend, clicks)),
  ECPM_IN_MICRO_DOLLAR: ({ spend, impressions }) => Math.round(rate(spend * 1000, impressions)),
};

type Kind = 'account' | 'campaigns' | 'ad_groups' | 'ads';

/** What names the object; rows of an ad account have no entity. */
export interface Subject {
  kind: Kind;
  accountId: string;
  entity?: Entity;
}

const names: Record<string, (subject: Subject) => unknown> = {
  AD_ACCOUNT_ID: ({ accountId }) => accountId,
  ADVERTISER_ID: ({ accountId }) => accountId,
  CAMPAIGN_ID: ({ kind, entity }) => (kind === 'campaigns' ? entity?.id : entity?.parentIds.at(-1)),
  AD_GROUP_ID: ({ kind, entity }) =>
    kind === 'ad_groups' ? entity?.id : kind === 'ads' ? entity?.parentIds[0] : undefined,
  AD_ID: ({ kind, entity }) => (kind === 'ads' ? entity?.id : undefined),
  PIN_PROMOTION_ID: ({ kind, entity }) => (kind === 'ads' ? entity?.id : undefined),
  PIN_ID: ({ entity }) => entity?.fields['pin_id'],
  AD_NAME: ({ entity }) => entity?.fields['name'],
};

/** The requested columns; those without a value are left out. */
export function shown(columns: readonly string[], figures: Figures, subject: Subject): Record<string, unknown> {
  const pairs = columns.flatMap((name): [string, unknown][] => {
    const value = values[name]?.(figures) ?? names[name]?.(subject);
    return value === undefined || value === 0 || value === null ? [] : [[name, value]];
  });
  return Object.fromEntries(pairs);
}

const parts = (text: string): { value: string; weight: number }[] =>
  text.split(' ').map((part) => {
    const [value = '', weight = '1'] = part.split('=');
    return { value, weight: Number(weight) };
  });

/** The values of each kind of breakdown with their weights. */
export const breakdowns: Record<string, readonly { value: string; weight: number }[]> = {
  AGE_BUCKET: parts('18-24=25 25-34=30 35-44=20 45-49=8 50-54=6 55-64=5 65+=3 unknown=3'),
  GENDER: parts('female=70 male=22 unknown=8'),
  COUNTRY: parts('US=70 CA=15 GB=10 unknown=5'),
  PLACEMENT: parts('SEARCH=40 BROWSE=45 RELATED_PINS=14 OTHER=1'),
  APPTYPE: parts('iphone=40 ipad=8 android_mobile=30 android_tablet=4 web=12 web_mobile=6'),
};
