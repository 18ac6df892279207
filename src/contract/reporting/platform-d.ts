import type { Reporting } from './reporting.ts';
import { reportLevels, type Metric } from './metrics.ts';

/** Audience reports have delivery and conversions only. */
const audience = [
  'reach',
  'frequency',
  'engagement',
  'videoViews',
  'videoPlays',
  'videoP25',
  'videoP50',
  'videoP75',
  'videoP100',
] as const satisfies Metric[];

export const reportingD: Reporting = {
  levels: reportLevels,
  metrics: {
    spend: 'spend',
    impressions: 'impressions',
    reach: 'reach',
    frequency: 'frequency',
    clicks: 'clicks',
    linkClicks: 'clicks',
    ctr: 'computed',
    cpc: 'computed',
    cpm: 'computed',
    conversions: 'conversion',
    conversionValue: 'value of the event',
    costPerConversion: 'computed',
    purchases: 'complete_payment + purchase + onsite_shopping',
    purchaseValue: 'total_complete_payment_rate + total_purchase_value + total_onsite_shopping_value',
    roas: 'computed',
    leads: 'form + onsite_form',
    engagement: 'engagements',
    videoViews: 'video_watched_2s',
    videoPlays: 'video_play_actions',
    videoP25: 'video_views_p25',
    videoP50: 'video_views_p50',
    videoP75: 'video_views_p75',
    videoP100: 'video_views_p100',
  },
  breakdowns: {
    age: { levels: reportLevels, lacks: audience },
    gender: { levels: reportLevels, lacks: audience },
    country: { levels: reportLevels, lacks: audience },
    placement: { levels: reportLevels, lacks: audience },
    device: { levels: reportLevels, lacks: audience, note: 'Devices are operating systems' },
  },
  pairs: [['age', 'gender']],
  events: ['purchase', 'lead'],
  definitions: { clicks: 'destination', videoViews: '2 seconds', roas: 'purchases', reach: 'estimated_people' },
  attribution: { clickDays: null, viewDays: null, engagedViewDays: null, basis: 'account', reportTime: 'ad_action' },
  timeZone: 'ad_account',
  delayMinutes: 10,
  finalAfter: { deliveryDays: 2, conversionDays: 28 },
};
