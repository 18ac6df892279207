import type { Breakdown, ConversionEvent, Metric, ReportLevel } from './metrics.ts';

interface BreakdownFacts {
  levels: readonly ReportLevel[];
  /** The platform has no daily values for it. */
  wholeRangeOnly?: boolean;
  /** Conversions are those of the event that the ad sets optimise for, and of no other. */
  defaultEventOnly?: boolean;
  /** Metrics that rows with this breakdown lack. */
  lacks: readonly Metric[];
  /** How far back the range may start for reach and frequency, if that is less. */
  reachRetentionDays?: number;
  /** How far back it goes, if that is less than for other figures. */
  retentionDays?: number;
  /** How long its figures take to arrive, if that is longer than for other figures. */
  delayMinutes?: number;
  /** What the values do not cover, for a warning. */
  note?: string;
}

/** What the reporting API of a platform offers and how its figures behave. */
export interface Reporting {
  levels: readonly ReportLevel[];
  /** The platform's own name of each metric that it offers, for documentation. */
  metrics: Partial<Record<Metric, string>>;
  /** Offered metrics that some levels lack. */
  lacksAt?: Partial<Record<ReportLevel, readonly Metric[]>>;
  /** What to know about the figures of a level, for a warning. */
  notesAt?: Partial<Record<ReportLevel, string>>;
  breakdowns: Partial<Record<Breakdown, BreakdownFacts>>;
  /** Breakdowns that can be combined. */
  pairs: readonly (readonly [Breakdown, Breakdown])[];
  /** Conversion events that the platform separates. */
  events: readonly ConversionEvent[];
  /** The event by default, if it does not depend on the ad sets. */
  defaultEvent?: ConversionEvent;
  definitions: {
    clicks: 'all' | 'chargeable' | 'destination';
    videoViews: string;
    roas: 'purchases' | 'conversions';
    reach: 'estimated_people' | 'estimated_accounts';
  };
  attribution: {
    /** Days; null if it differs between ad sets or is unknown. */
    clickDays: number | null;
    viewDays: number | null;
    engagedViewDays: number | null;
    basis: 'ad_setting' | 'conversion_action' | 'request' | 'account';
    reportTime: 'ad_action' | 'conversion';
  };
  /** The time zone of the days. */
  timeZone: 'ad_account' | 'utc';
  /** How long figures usually take to arrive. */
  delayMinutes: number;
  /** Figures of a day change for as many days. */
  finalAfter: { deliveryDays: number; conversionDays: number };
  /** How far back the platform has figures; absent if it documents no limit. */
  retentionDays?: number;
  /** The longest range of reach and frequency. */
  maxReachDays?: number;
}
