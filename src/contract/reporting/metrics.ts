export const reportLevels = ['account', 'campaign', 'ad_set', 'ad'] as const;
export type ReportLevel = (typeof reportLevels)[number];

export const granularities = ['total', 'day'] as const;
export type Granularity = (typeof granularities)[number];

export const breakdowns = ['age', 'gender', 'country', 'placement', 'device'] as const;
export type Breakdown = (typeof breakdowns)[number];

/** Events that conversions count; `all` is the total column of platforms that have one. */
export const conversionEvents = [
  'purchase',
  'lead',
  'complete_registration',
  'add_to_cart',
  'initiate_checkout',
  'view_content',
  'add_payment_info',
  'search',
  'contact',
  'schedule',
  'subscribe',
  'start_trial',
  'app_install',
  'all',
] as const;
export type ConversionEvent = (typeof conversionEvents)[number];

export interface MetricFacts {
  /** `money` is in whole units of the ad account's currency. `unique` counts people, so it is never added. */
  kind: 'count' | 'decimal' | 'money' | 'ratio' | 'moneyRatio' | 'unique';
  text: string;
  /** What holds in reports only. */
  note?: string;
}

/** The definition of every metric, in the order of the CSV columns. */
export const metrics = {
  spend: {
    kind: 'money',
    text: 'Charged for delivery, before tax and fees',
    note: 'provisional until it is final',
  },
  impressions: {
    kind: 'count',
    text: 'How often it was shown',
    note: 'only paid impressions where the platform separates them',
  },
  reach: {
    kind: 'unique',
    text: 'Estimated people or accounts that saw it in the range; never added over days or objects',
  },
  frequency: { kind: 'ratio', text: 'Impressions divided by reach of the same range' },
  clicks: { kind: 'count', text: 'Clicks as the platform counts them', note: '`definitions.clicks` says which' },
  linkClicks: { kind: 'count', text: 'Clicks that lead to a destination of the advertiser' },
  ctr: { kind: 'ratio', text: 'Clicks divided by impressions, as a fraction: 0.0123 is 1.23 %' },
  cpc: { kind: 'moneyRatio', text: 'Spend divided by clicks' },
  cpm: { kind: 'moneyRatio', text: 'Spend for 1000 impressions' },
  conversions: {
    kind: 'decimal',
    text: 'Conversions of the chosen event that the platform attributes to its ads; fractional on B',
  },
  conversionValue: { kind: 'money', text: 'Value of these conversions' },
  costPerConversion: { kind: 'moneyRatio', text: 'Spend divided by conversions' },
  purchases: { kind: 'decimal', text: 'Purchases on websites, in apps and shops, without duplicates' },
  purchaseValue: { kind: 'money', text: 'Value of these purchases' },
  roas: {
    kind: 'ratio',
    text: 'Value of purchases divided by spend; of all conversions where the platform does not separate purchases',
  },
  leads: { kind: 'decimal', text: "Leads from the platform's forms, and from websites where it separates them" },
  engagement: {
    kind: 'count',
    text: 'Interactions of any kind as the platform adds them up; not comparable between platforms',
  },
  videoViews: { kind: 'count', text: "Views by the platform's own threshold; `definitions.videoViews` says which" },
  videoPlays: { kind: 'count', text: 'Starts of the video' },
  videoP25: { kind: 'count', text: 'Plays that reached a quarter' },
  videoP50: { kind: 'count', text: 'Plays that reached the middle' },
  videoP75: { kind: 'count', text: 'Plays that reached three quarters' },
  videoP100: { kind: 'count', text: 'Plays that reached the end' },
} as const satisfies Record<string, MetricFacts>;

export type Metric = keyof typeof metrics;

/** Metrics that are stored as read; conversions and their values are stored by event. */
export const countedMetrics = [
  'spend',
  'impressions',
  'clicks',
  'linkClicks',
  'purchases',
  'purchaseValue',
  'leads',
  'engagement',
  'videoViews',
  'videoPlays',
  'videoP25',
  'videoP50',
  'videoP75',
  'videoP100',
] as const satisfies readonly Metric[];
export type CountedMetric = (typeof countedMetrics)[number];
