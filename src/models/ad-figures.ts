import { Schema, type mongo } from 'mongoose';
import type { ReportLevel } from '../contract/reporting/metrics.ts';
import type { ErrorCode } from '../contract/error.ts';
import type { AdPlatform } from '../contract/platforms.ts';
import { lease, type Lease } from './lease.ts';

/** The daily figures of one object in one month. */
export interface AdFiguresDoc {
  /** Account, ad account, level, month and the object's id at the platform. */
  _id: string;
  /** The number of the read that wrote it last; reads with a smaller number can no longer write. */
  read: number;
  campaignId?: string;
  adSetId?: string;
  /** Encoded days, each in the version that the coverage names and perhaps in that of a read in progress. */
  days: mongo.Binary;
  expireAt: Date;
}

/** When a day was last read completely, and by which read. */
export interface CoveredDay {
  read: number;
  at: Date;
}

/** Which days of a month have been read, at one level of an ad account. */
export interface AdFigureCoverageDoc {
  /** Account, ad account, level and month. */
  _id: string;
  /** The latest read that began; an earlier one can no longer add days. */
  read: number;
  /** Days of another version of the adapter, time zone or currency count as not read. */
  version: number;
  timeZone: string;
  currency: string;
  /** By day of the month, `01` to `31`. */
  days: Record<string, CoveredDay>;
  expireAt: Date;
}

/** A result that is not stored by day, such as reach or a breakdown, and is kept for a short time. */
export interface AdFigureReadDoc {
  /** Account, and a hash of the request. */
  _id: string;
  rows: mongo.Binary;
  readAt: Date;
  expireAt: Date;
}

/** A report that the platform prepares, from before its request until it is fetched. */
export interface FigureStep {
  fromDate: string;
  toDate: string;
  startedAt: Date;
  /** How often it was requested. */
  starts: number;
  /** The ids of the report at the platform; absent until it has responded. */
  tokens?: string[];
  polls: number;
}

export interface FigureJobError {
  reason: 'failed' | 'rate_limited';
  code: ErrorCode;
  message: string;
  /** When it is tried again, automatically or on request. */
  retryAt: Date;
}

/** Reads of one ad account in the background: either missing and old days of a level, or one result for `ad_figure_reads`. */
export interface AdFigureJobDoc {
  /** Account, ad account and level, or the id of the result. */
  _id: string;
  userId: string;
  accountId: string;
  platform: AdPlatform;
  adAccountId: string;
  timeZone: string;
  level: ReportLevel;
  fromDate: string;
  toDate: string;
  /** The request of a result, as JSON. */
  query?: string;
  state: 'running' | 'completed' | 'failed';
  /** Days that were too old at this time are read again. */
  requestedAt: Date;
  maxAgeSeconds?: number;
  step: FigureStep | null;
  progress: { done: number; total: number };
  /** Consecutive failures. */
  attempts: number;
  error: FigureJobError | null;
  lease: Lease | null;
  /** While it is running: when to continue, if the lease is free. */
  runAt?: Date;
  expireAt: Date;
}

/** One ad account whose figures were requested: which process may read it now, and which levels are kept up to date. */
export interface AdFigureSourceDoc {
  /** Account and ad account. */
  _id: string;
  lease: Lease | null;
  /** The number of the last read; it only increases. */
  read: number;
  userId: string;
  accountId: string;
  platform: AdPlatform;
  adAccountId: string;
  timeZone: string;
  /** When each level was last requested. */
  askedAt: Partial<Record<ReportLevel, Date>>;
  /** When its recent days are next read without a request. */
  refreshAt?: Date;
}

const required = { type: String, required: true };
const date = { type: Date, required: true };
const number = { type: Number, required: true };
const mixed = { type: Schema.Types.Mixed, required: true };
const expiry = { expireAt: 1 } as const;
/** Each document says when it ends, because the time differs between platforms and results. */
const atOnce = { expireAfterSeconds: 0 };

export const adFiguresSchema = new Schema<AdFiguresDoc>(
  { _id: required, read: number, campaignId: String, adSetId: String, days: mixed, expireAt: date },
  { versionKey: false, collection: 'ad_figures' },
).index(expiry, atOnce);

export const adFigureCoverageSchema = new Schema<AdFigureCoverageDoc>(
  {
    _id: required,
    read: number,
    version: number,
    timeZone: required,
    currency: { type: String, default: '' },
    days: mixed,
    expireAt: date,
  },
  { versionKey: false, collection: 'ad_figure_coverage' },
).index(expiry, atOnce);

export const adFigureReadSchema = new Schema<AdFigureReadDoc>(
  { _id: required, rows: mixed, readAt: date, expireAt: date },
  { versionKey: false, collection: 'ad_figure_reads' },
).index(expiry, atOnce);

export const adFigureJobSchema = new Schema<AdFigureJobDoc>(
  {
    _id: required,
    userId: required,
    accountId: required,
    platform: required,
    adAccountId: required,
    timeZone: required,
    level: required,
    fromDate: required,
    toDate: required,
    query: String,
    state: required,
    requestedAt: date,
    maxAgeSeconds: Number,
    step: { type: Schema.Types.Mixed, default: null },
    progress: mixed,
    attempts: number,
    error: { type: Schema.Types.Mixed, default: null },
    lease,
    runAt: Date,
    expireAt: date,
  },
  { versionKey: false, collection: 'ad_figure_jobs' },
)
  .index({ runAt: 1 }, { partialFilterExpression: { runAt: { $exists: true } } })
  .index(expiry, atOnce);

export const adFigureSourceSchema = new Schema<AdFigureSourceDoc>(
  {
    _id: required,
    lease,
    read: number,
    userId: required,
    accountId: required,
    platform: required,
    adAccountId: required,
    timeZone: required,
    askedAt: mixed,
    refreshAt: Date,
  },
  { versionKey: false, collection: 'ad_figure_sources' },
).index({ refreshAt: 1 }, { partialFilterExpression: { refreshAt: { $exists: true } } });
