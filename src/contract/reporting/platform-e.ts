import type { Reporting } from './reporting.ts';
import { reportLevels } from './metrics.ts';

const unique = ['reach', 'frequency'] as const;
const withoutConversions = [...unique, 'conversions', 'costPerConversion', 'purchases'] as const;

export const reportingE: Reporting = {
  levels: reportLevels,
  metrics: {
    spend: 'billed_charge_local_micro',
    impressions: 'impressions',
    reach: 'total_audience_reach',
    frequency: 'average_frequency',
    clicks: 'clicks',
    linkClicks: 'url_clicks',
    ctr: 'computed',
    cpc: 'computed',
    cpm: 'computed',
    conversions: 'conversion_*',
    costPerConversion: 'computed',
    purchases: 'conversion_purchases',
    engagement: 'engagements',
    videoViews: 'video_total_views',
    videoPlays: 'video_content_starts',
    videoP25: 'video_views_25',
    videoP50: 'video_views_50',
    videoP75: 'video_views_75',
    videoP100: 'video_views_100',
  },
  lacksAt: { account: unique, ad_set: unique, ad: unique },
  notesAt: {
    ad: 'A post in several campaigns can have its figures in each of its ads, so ads can add up to more than their campaigns',
  },
  breakdowns: {
    age: { levels: reportLevels, lacks: withoutConversions, note: 'Values by age add up to less than the total' },
    gender: { levels: reportLevels, lacks: withoutConversions, note: 'Values by gender add up to less than the total' },
    placement: { levels: reportLevels, lacks: unique },
    device: { levels: reportLevels, lacks: unique, note: 'Values by device add up to less than the total' },
  },
  pairs: [],
  events: [
    'purchase',
    'complete_registration',
    'add_to_cart',
    'initiate_checkout',
    'view_content',
    'add_payment_info',
    'search',
    'subscribe',
  ],
  definitions: {
    clicks: 'all',
    videoViews: '3 seconds at 100 % in view, or play tapped',
    roas: 'purchases',
    reach: 'estimated_accounts',
  },
  attribution: { clickDays: null, viewDays: null, engagedViewDays: null, basis: 'account', reportTime: 'ad_action' },
  timeZone: 'ad_account',
  delayMinutes: 60,
  finalAfter: { deliveryDays: 14, conversionDays: 14 },
};
