import type { Breakdown, CountedMetric } from '../../contract/reporting/metrics.ts';
import type { ReportQuery } from '../report.ts';

/** The platform's name of each metric. */
export const counted = {
  spend: 'costInLocalCurrency',
  impressions: 'impressions',
  clicks: 'clicks',
  linkClicks: 'landingPageClicks',
  leads: 'oneClickLeads',
  engagement: 'totalEngagements',
  videoViews: 'videoViews',
  videoPlays: 'videoStarts',
  videoP25: 'videoFirstQuartileCompletions',
  videoP50: 'videoMidpointCompletions',
  videoP75: 'videoThirdQuartileCompletions',
  videoP100: 'videoCompletions',
} as const satisfies Partial<Record<CountedMetric, string>>;
export const conversions = 'externalWebsiteConversions';
export const conversionValue = 'conversionValueInLocalCurrency';
export const reach = 'approximateMemberReach';

/** Leads and conversions are whole numbers here; amounts are decimals in whole units. */
export const amounts: readonly string[] = [counted.spend, conversionValue];

/** The pivots of each level: those of the parents, then that of the object. */
export const pivots = {
  account: ['ACCOUNT'],
  campaign: ['CAMPAIGN_GROUP'],
  ad_set: ['CAMPAIGN_GROUP', 'CAMPAIGN'],
  ad: ['CAMPAIGN_GROUP', 'CAMPAIGN', 'CREATIVE'],
} as const satisfies Record<ReportQuery['level'], readonly string[]>;
/** The platform truncates longer responses without an error. */
export const maxElements = 15_000;
/** The highest number of pivots in a request. */
export const maxPivots = 3;

export const breakdownPivots: Partial<Record<Breakdown, string>> = {
  country: 'MEMBER_COUNTRY_V2',
  placement: 'PLACEMENT_NAME',
  device: 'IMPRESSION_DEVICE_TYPE',
};

/** Pivots of members have no conversion values and no reach. */
export const fieldsFor = ({ withReach, breakdowns }: ReportQuery, isReachAvailable: boolean): string[] => [
  ...Object.values(counted),
  conversions,
  ...(breakdowns.includes('country') ? [] : [conversionValue]),
  ...(withReach && breakdowns.length === 0 && isReachAvailable ? [reach] : []),
];
