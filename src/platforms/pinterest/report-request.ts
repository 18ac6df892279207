import type { ReportLevel } from '../../contract/reporting/metrics.ts';
import type { ReportQuery } from '../report.ts';
import { dayCount } from '../../lib/calendar-days.ts';

type Level = Exclude<ReportLevel, 'account'>;

/** Names of a level in paths and parameters. */
export const names: Record<Level, { path: string; ids: string }> = {
  campaign: { path: 'campaigns', ids: 'campaign_ids' },
  ad_set: { path: 'ad_groups', ids: 'ad_group_ids' },
  ad: { path: 'ads', ids: 'ad_ids' },
};

/** Requests are answered for this long; only prepared reports go further back. */
export const daysOfRequests = 90;
/** The largest number of ids in a request. */
export const maxIds = 250;
/** Rows that a request should return at most; a breakdown has about twenty values. */
const rowsInRequest = 7500;

export function idsInRequest(query: ReportQuery): number {
  const rows = (query.granularity === 'day' ? dayCount(query) : 1) * (query.breakdowns.length > 0 ? 20 : 1);
  return Math.min(maxIds, Math.max(1, Math.floor(rowsInRequest / rows)));
}

/** Fixed, so that all figures have the same attribution: the platform's defaults. */
export const attribution = {
  click_window_days: 30,
  view_window_days: 1,
  conversion_report_time: 'TIME_OF_AD_ACTION',
} as const;
