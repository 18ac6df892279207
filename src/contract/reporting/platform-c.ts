import type { Reporting } from './reporting.ts';
import { reportLevels } from './metrics.ts';

/** Reports with a breakdown refuse reach, and only requests have breakdowns. */
const breakdown = { levels: reportLevels, lacks: ['reach', 'frequency'], retentionDays: 90 } as const;

export const reportingC: Reporting = {
  levels: reportLevels,
  metrics: {
    spend: 'SPEND_IN_MICRO_DOLLAR',
    impressions: 'PAID_IMPRESSION',
    reach: 'TOTAL_IMPRESSION_USER',
    frequency: 'TOTAL_IMPRESSION_FREQUENCY',
    clicks: 'CLICKTHROUGH_1',
    linkClicks: 'OUTBOUND_CLICK_1',
    ctr: 'computed',
    cpc: 'computed',
    cpm: 'computed',
    conversions: 'TOTAL_CONVERSIONS, TOTAL_CHECKOUT, TOTAL_LEAD, TOTAL_SIGNUP, TOTAL_SUBSCRIBE',
    conversionValue: 'TOTAL_CHECKOUT_VALUE_IN_MICRO_DOLLAR, TOTAL_SIGNUP_VALUE_IN_MICRO_DOLLAR',
    costPerConversion: 'computed',
    purchases: 'TOTAL_CHECKOUT',
    purchaseValue: 'TOTAL_CHECKOUT_VALUE_IN_MICRO_DOLLAR',
    roas: 'computed',
    leads: 'LEADS + TOTAL_LEAD',
    engagement: 'ENGAGEMENT_1',
    videoViews: 'VIDEO_MRC_VIEWS_1',
    videoPlays: 'TOTAL_VIDEO_P0_COMBINED',
    videoP25: 'TOTAL_VIDEO_P25_COMBINED',
    videoP50: 'TOTAL_VIDEO_P50_COMBINED',
    videoP75: 'TOTAL_VIDEO_P75_COMBINED',
    videoP100: 'TOTAL_VIDEO_P100_COMPLETE',
  },
  breakdowns: {
    age: breakdown,
    gender: breakdown,
    country: breakdown,
    placement: breakdown,
    device: breakdown,
  },
  // The pair of age and gender is a beta that not all users have.
  pairs: [],
  events: ['purchase', 'lead', 'complete_registration', 'subscribe', 'all'],
  defaultEvent: 'all',
  definitions: {
    clicks: 'all',
    videoViews: '2 seconds at 50 % in view',
    roas: 'purchases',
    reach: 'estimated_accounts',
  },
  attribution: { clickDays: 30, viewDays: 1, engagedViewDays: null, basis: 'request', reportTime: 'ad_action' },
  timeZone: 'utc',
  delayMinutes: 24 * 60,
  finalAfter: { deliveryDays: 3, conversionDays: 30 },
  retentionDays: 914,
  maxReachDays: 186,
};
