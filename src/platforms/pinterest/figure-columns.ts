import type { CountedMetric, ReportLevel } from '../../contract/reporting/metrics.ts';

/**
 * Columns of figures, of discovery and of reports. Those with `_1` are paid; the platform has no paid ones of quartiles
 * for requests. `DOLLAR` stands for the currency of the ad account.
 */
export const columns = {
  spend: ['SPEND_IN_MICRO_DOLLAR'],
  impressions: ['PAID_IMPRESSION'],
  clicks: ['CLICKTHROUGH_1'],
  linkClicks: ['OUTBOUND_CLICK_1'],
  purchases: ['TOTAL_CHECKOUT'],
  purchaseValue: ['TOTAL_CHECKOUT_VALUE_IN_MICRO_DOLLAR'],
  leads: ['LEADS', 'TOTAL_LEAD'],
  engagement: ['ENGAGEMENT_1'],
  videoViews: ['VIDEO_MRC_VIEWS_1'],
  videoPlays: ['TOTAL_VIDEO_P0_COMBINED'],
  videoP25: ['TOTAL_VIDEO_P25_COMBINED'],
  videoP50: ['TOTAL_VIDEO_P50_COMBINED'],
  videoP75: ['TOTAL_VIDEO_P75_COMBINED'],
  videoP100: ['TOTAL_VIDEO_P100_COMPLETE'],
} as const satisfies Record<CountedMetric, readonly string[]>;

/** Columns that only conversions have. */
export const eventColumns = {
  conversions: 'TOTAL_CONVERSIONS',
  signups: 'TOTAL_SIGNUP',
  signupValue: 'TOTAL_SIGNUP_VALUE_IN_MICRO_DOLLAR',
  subscriptions: 'TOTAL_SUBSCRIBE',
} as const;

export const uniqueColumns = { reach: 'TOTAL_IMPRESSION_USER', frequency: 'TOTAL_IMPRESSION_FREQUENCY' } as const;

/** The id of a level in its rows, and those of its parents. */
export const idColumns: Record<ReportLevel, readonly [string, ...string[]]> = {
  account: ['AD_ACCOUNT_ID'],
  campaign: ['CAMPAIGN_ID'],
  ad_set: ['AD_GROUP_ID', 'CAMPAIGN_ID'],
  ad: ['AD_ID', 'AD_GROUP_ID', 'CAMPAIGN_ID'],
};

/** The columns of a report; the platform has no reach with a breakdown. */
export const reportColumns = (level: ReportLevel, withReach: boolean): string[] => [
  ...idColumns[level],
  ...Object.values(columns).flat(),
  ...Object.values(eventColumns),
  ...(withReach ? Object.values(uniqueColumns) : []),
];
