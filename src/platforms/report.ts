import type {
  Breakdown,
  ConversionEvent,
  CountedMetric,
  Granularity,
  ReportLevel,
} from '../contract/reporting/metrics.ts';
import type { Usage } from '../lib/platform-limits.ts';
import type { Access, AdAccount } from './platform.ts';

/** A complete read of one level of an ad account. Each level is read at the platform, never added from another. */
export interface ReportQuery {
  adAccount: AdAccount;
  level: ReportLevel;
  /** Limits the read to objects at this level or above it; absent for all, deleted ones included. */
  within?: { level: Exclude<ReportLevel, 'account'>; ids: readonly string[] };
  /** Calendar days in the time zone of the report, both inclusive. */
  fromDate: string;
  toDate: string;
  granularity: Granularity;
  breakdowns: readonly Breakdown[];
  /** Also reads reach and frequency. */
  withReach: boolean;
}

/**
 * Integers: counts as they are; amounts, conversions, purchases and leads in millionths. A missing figure was not
 * reported; null is offered by the platform but withheld.
 */
export interface Figures extends Partial<Record<CountedMetric, bigint | null>> {
  /** Conversions by event, with their value if the platform reports it; an event that is missing did not happen. */
  events?: Partial<Record<ConversionEvent, { count: bigint; value?: bigint | null }>>;
  /** The event that `conversions` counts without a choice, if the platform decides it per object. */
  optimisedFor?: ConversionEvent;
  reach?: bigint | null;
  /** In millionths, only where the platform has a column of its own. */
  frequency?: bigint | null;
}

export interface ReportRow {
  /** The platform's id of the object; of the ad account at level `account`. */
  platformId: string;
  /** Its parents, if the platform reports them. */
  campaignId?: string;
  adSetId?: string;
  /** `YYYY-MM-DD`, with granularity `day`. */
  date?: string;
  /** The platform's value of each breakdown, in the order of the query; `unknown` if it has none. */
  breakdown?: readonly { value: string; label: string }[];
  figures: Figures;
}

/** A report that the platform prepares; stored, so that another process can fetch it. */
export interface ReportJob {
  /** What the platform calls it; several if the read is split. */
  tokens: readonly string[];
}

export type ReportJobState =
  | { status: 'running'; percent?: number }
  | { status: 'finished' }
  /** It must be started again: it failed, was cancelled, or its file expired. */
  | { status: 'failed'; reason: string };

/**
 * Reads figures. It splits what the platform limits (days, ids, rows) and throws if a response was truncated: an
 * incomplete read is never returned as a complete one. An object and day has one row; without delivery it may have none.
 */
export interface ReportAdapter {
  /** Increased if fields, definitions or attribution change: stored figures of another version are read again. */
  readonly version: number;
  /** Reads within the request. */
  read: (access: Access, query: ReportQuery) => AsyncIterable<ReportRow[]>;
  /**
   * The read is too large or too old for a request and is prepared by the platform; false if it has no such reports.
   * `today` is the current day in the time zone of the report.
   */
  needsJob: (query: ReportQuery, today: string) => boolean;
  /** How much of its quota at the platform an ad account has used, if the platform reports it. */
  usage?: (adAccount: AdAccount) => Promise<Usage | undefined>;
  start?: (access: Access, query: ReportQuery) => Promise<ReportJob>;
  poll?: (access: Access, query: ReportQuery, job: ReportJob) => Promise<ReportJobState>;
  fetch?: (access: Access, query: ReportQuery, job: ReportJob) => AsyncIterable<ReportRow[]>;
}
