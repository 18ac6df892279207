import type { Reporting } from './reporting.ts';
import { reportLevels } from './metrics.ts';

const unique = ['reach', 'frequency'] as const;

export const reportingF: Reporting = {
  levels: reportLevels,
  metrics: {
    spend: 'costInLocalCurrency',
    impressions: 'impressions',
    reach: 'approximateMemberReach',
    frequency: 'computed',
    clicks: 'clicks',
    linkClicks: 'landingPageClicks',
    ctr: 'computed',
    cpc: 'computed',
    cpm: 'computed',
    conversions: 'externalWebsiteConversions',
    conversionValue: 'conversionValueInLocalCurrency',
    costPerConversion: 'computed',
    roas: 'computed',
    leads: 'oneClickLeads',
    engagement: 'totalEngagements',
    videoViews: 'videoViews',
    videoPlays: 'videoStarts',
    videoP25: 'videoFirstQuartileCompletions',
    videoP50: 'videoMidpointCompletions',
    videoP75: 'videoThirdQuartileCompletions',
    videoP100: 'videoCompletions',
  },
  breakdowns: {
    country: {
      levels: reportLevels,
      wholeRangeOnly: true,
      retentionDays: 730,
      delayMinutes: 24 * 60,
      lacks: [...unique, 'conversionValue', 'roas'],
      note: 'Figures by country are approximate, and values below three events are withheld',
    },
    placement: { levels: reportLevels, lacks: unique },
    device: { levels: reportLevels, lacks: unique },
  },
  pairs: [],
  events: ['all'],
  defaultEvent: 'all',
  definitions: {
    clicks: 'chargeable',
    videoViews: '2 seconds at 50 % in view, or a click',
    roas: 'conversions',
    reach: 'estimated_people',
  },
  attribution: {
    clickDays: null,
    viewDays: null,
    engagedViewDays: null,
    basis: 'conversion_action',
    reportTime: 'ad_action',
  },
  timeZone: 'utc',
  delayMinutes: 12 * 60,
  finalAfter: { deliveryDays: 3, conversionDays: 30 },
  retentionDays: 3650,
  maxReachDays: 92,
};
