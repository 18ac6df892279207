import { AppError } from '../../contract/error.ts';
import type { AdPlatform } from '../../contract/platforms.ts';
import { reporting } from '../../contract/reporting/index.ts';
import type { Breakdown } from '../../contract/reporting/metrics.ts';
import { addDays, type DayRange } from '../../lib/calendar-days.ts';
import type { Problem } from './live-turn.ts';
import { firstStoredDay, type Stores } from './retention.ts';

export interface MissingDays extends DayRange {
  reason: Problem['reason'] | 'outside_retention';
}

interface RequestedDays extends DayRange {
  platform: AdPlatform;
  today: string;
  breakdowns: readonly Breakdown[];
}

/** Leaves out days that the platform no longer has; if it documents no limit, those that are no longer stored. */
export function withinRetention(stores: Stores, request: RequestedDays): { range: DayRange; missing: MissingDays[] } {
  const { platform, today, fromDate, toDate } = request;
  const { retentionDays, breakdowns } = reporting[platform];
  const limits = [retentionDays, ...request.breakdowns.map((name) => breakdowns[name]?.retentionDays)];
  const days = Math.min(...limits.filter((limit) => limit !== undefined));
  const earliest = Number.isFinite(days) ? addDays(today, -days) : firstStoredDay(stores, platform, today);
  if (fromDate >= earliest) return { range: { fromDate, toDate }, missing: [] };
  if (toDate < earliest) {
    const message = `There are no figures of platform ${platform} before ${earliest}; toDate must be on or after that day`;
    throw new AppError('invalid_field_value', message, { param: 'toDate', platform, details: { earliest } });
  }
  const missing: MissingDays[] = [{ fromDate, toDate: addDays(earliest, -1), reason: 'outside_retention' }];
  return { range: { fromDate: earliest, toDate }, missing };
}
