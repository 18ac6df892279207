import type { Reporting } from './reporting.ts';
import { conversionEvents, reportLevels } from './metrics.ts';

/** Since January 2026, 13 months. */
const reachRetentionDays = 395;

export const reportingA: Reporting = {
  levels: reportLevels,
  metrics: {
    spend: 'spend',
    impressions: 'impressions',
    reach: 'reach',
    frequency: 'frequency',
    clicks: 'clicks',
    linkClicks: 'inline_link_clicks',
    ctr: 'computed',
    cpc: 'computed',
    cpm: 'computed',
    conversions: 'actions, conversions',
    conversionValue: 'action_values, conversion_values',
    costPerConversion: 'computed',
    purchases: 'actions omni_purchase',
    purchaseValue: 'action_values omni_purchase',
    roas: 'computed',
    leads: 'actions lead',
    engagement: 'inline_post_engagement',
    videoViews: 'actions video_view',
    videoPlays: 'video_play_actions',
    videoP25: 'video_p25_watched_actions',
    videoP50: 'video_p50_watched_actions',
    videoP75: 'video_p75_watched_actions',
    videoP100: 'video_p100_watched_actions',
  },
  breakdowns: {
    age: { levels: reportLevels, lacks: [], reachRetentionDays },
    gender: { levels: reportLevels, lacks: [], reachRetentionDays },
    country: { levels: reportLevels, lacks: [], reachRetentionDays },
    placement: { levels: reportLevels, lacks: [], reachRetentionDays },
    device: { levels: reportLevels, lacks: [], reachRetentionDays },
  },
  pairs: [
    ['age', 'gender'],
    ['placement', 'device'],
  ],
  events: conversionEvents.filter((event) => event !== 'all'),
  definitions: { clicks: 'all', videoViews: '3 seconds', roas: 'purchases', reach: 'estimated_accounts' },
  attribution: { clickDays: null, viewDays: null, engagedViewDays: null, basis: 'ad_setting', reportTime: 'ad_action' },
  timeZone: 'ad_account',
  delayMinutes: 15,
  finalAfter: { deliveryDays: 3, conversionDays: 28 },
  retentionDays: 37 * 30,
};
