import type { Reporting } from './reporting.ts';
import { reportLevels } from './metrics.ts';

const unique = ['reach', 'frequency'] as const;
const aboveAds = ['account', 'campaign', 'ad_set'] as const;
/** Demographics come once a day, countries in the morning. */
const dayMinutes = 24 * 60;
const quartiles = ['videoP25', 'videoP50', 'videoP75', 'videoP100'] as const;

export const reportingB: Reporting = {
  levels: reportLevels,
  metrics: {
    spend: 'metrics.cost_micros',
    impressions: 'metrics.impressions',
    reach: 'metrics.unique_users',
    frequency: 'metrics.average_impression_frequency_per_user',
    clicks: 'metrics.clicks',
    ctr: 'computed',
    cpc: 'computed',
    cpm: 'computed',
    conversions: 'metrics.conversions',
    conversionValue: 'metrics.conversions_value',
    costPerConversion: 'computed',
    roas: 'computed',
    engagement: 'metrics.interactions',
    videoViews: 'metrics.video_trueview_views',
    videoP25: 'metrics.video_quartile_p25_rate × impressions',
    videoP50: 'metrics.video_quartile_p50_rate × impressions',
    videoP75: 'metrics.video_quartile_p75_rate × impressions',
    videoP100: 'metrics.video_quartile_p100_rate × impressions',
  },
  lacksAt: { account: unique, ad_set: unique, ad: unique },
  breakdowns: {
    age: { levels: aboveAds, lacks: unique, delayMinutes: dayMinutes },
    gender: { levels: aboveAds, lacks: unique, delayMinutes: dayMinutes },
    country: { levels: aboveAds, lacks: [...unique, ...quartiles], delayMinutes: dayMinutes },
    placement: { levels: reportLevels, lacks: unique, note: 'Placements are networks' },
    device: { levels: reportLevels, lacks: unique },
  },
  pairs: [['placement', 'device']],
  events: ['all'],
  defaultEvent: 'all',
  definitions: { clicks: 'chargeable', videoViews: 'TrueView', roas: 'conversions', reach: 'estimated_people' },
  attribution: {
    clickDays: null,
    viewDays: null,
    engagedViewDays: null,
    basis: 'conversion_action',
    reportTime: 'ad_action',
  },
  timeZone: 'ad_account',
  delayMinutes: 180,
  finalAfter: { deliveryDays: 30, conversionDays: 30 },
  retentionDays: 11 * 365,
  maxReachDays: 92,
};
