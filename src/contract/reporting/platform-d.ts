import type { Reporting } from './reporting.ts';
import { conversionEvents, reportLevels, type Metric } from './metrics.ts';

const unique = ['reach', 'frequency'] as const satisfies Metric[];
/** Reports on the audience have delivery, and the conversions that the ad groups optimise for. */
const lacksInAudience = [
  ...unique,
  'conversionValue',
  'purchases',
  'purchaseValue',
  'roas',
  'leads',
  'engagement',
  'videoViews',
  'videoPlays',
  'videoP25',
  'videoP50',
  'videoP75',
  'videoP100',
] as const satisfies Metric[];
const audience = {
  levels: reportLevels,
  lacks: lacksInAudience,
  defaultEventOnly: true,
  delayMinutes: 12 * 60,
  note: 'Conversions are those that the ad sets optimise for',
} as const;

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
    conversions: 'conversion, and metrics by event',
    conversionValue: 'value of the event',
    costPerConversion: 'computed',
    purchases: 'complete_payment + total_purchase + onsite_shopping',
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
    age: audience,
    gender: audience,
    country: { levels: reportLevels, lacks: unique },
    placement: audience,
    device: { ...audience, note: `Devices are operating systems. ${audience.note}` },
  },
  pairs: [['age', 'gender']],
  events: conversionEvents.filter((event) => event !== 'schedule' && event !== 'all'),
  definitions: { clicks: 'destination', videoViews: '2 seconds', roas: 'purchases', reach: 'estimated_people' },
  attribution: { clickDays: null, viewDays: null, engagedViewDays: null, basis: 'ad_setting', reportTime: 'ad_action' },
  timeZone: 'ad_account',
  delayMinutes: 10,
  finalAfter: { deliveryDays: 2, conversionDays: 28 },
  maxReachDays: 365,
};
