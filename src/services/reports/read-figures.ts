import { AppError } from '../../contract/error.ts';
import type { AdPlatform } from '../../contract/platforms.ts';
import { reporting } from '../../contract/reporting/index.ts';
import type { AdAccount, ReportQuery, ReportRow } from '../../platforms/platform.ts';
import { PlatformError } from '../../platforms/error.ts';
import type { Ctx } from '../context.ts';
import { appErrorFromPlatform } from '../platform-error.ts';
import { daysBefore } from './days.ts';
import { figureSource, readLive } from './read-live.ts';

/** Figures of one level of an ad account. */
export interface FigureRequest extends ReportQuery {
  accountId: string;
  platform: AdPlatform;
  adAccount: AdAccount;
  /** The time zone of the days, and the current day in it. */
  timeZone: string;
  today: string;
  /** The oldest figures that are accepted; by default it depends on the age of the day. */
  maxAgeSeconds?: number;
}

export interface MissingDays {
  fromDate: string;
  toDate: string;
  reason: 'loading' | 'failed' | 'rate_limited' | 'outside_retention';
}

export interface FigureResult {
  /** With `date` if the granularity is `day`. Objects without delivery have no row. */
  rows: ReportRow[];
  /** The oldest read that the rows rest on; null if there is none. */
  fetchedAt: Date | null;
  /** Days that the rows do not contain. */
  missing: MissingDays[];
  warnings: string[];
  /** When to ask again for missing days. */
  retryAfterSeconds?: number;
  /** The days of the range that have been read, while it is loading. */
  progress?: { done: number; total: number };
}

/** Returns the figures of a range; throws if there are none at all. */
export async function readFigures(ctx: Ctx, request: FigureRequest): Promise<FigureResult> {
  const { query, missing } = withinRetention(request);
  const source = await figureSource(ctx, request);
  try {
    const rows = await readLive(ctx, source, query);
    return { rows, fetchedAt: ctx.clock.now(), missing, warnings: [] };
  } catch (error) {
    throw error instanceof PlatformError ? appErrorFromPlatform(error) : error;
  }
}

/** Leaves out days that the platform no longer has. */
function withinRetention(request: FigureRequest): { query: ReportQuery; missing: MissingDays[] } {
  const { accountId: _a, platform, timeZone: _t, today, maxAgeSeconds: _m, ...query } = request;
  const { retentionDays } = reporting[platform];
  const earliest = retentionDays === undefined ? query.fromDate : daysBefore(today, retentionDays);
  if (query.fromDate >= earliest) return { query, missing: [] };
  if (query.toDate < earliest) {
    const message = `Platform ${platform} has no figures before ${earliest}`;
    throw new AppError('invalid_field_value', message, { param: 'toDate', platform, details: { earliest } });
  }
  const gap = { fromDate: query.fromDate, toDate: daysBefore(earliest, 1), reason: 'outside_retention' } as const;
  return { query: { ...query, fromDate: earliest }, missing: [gap] };
}
