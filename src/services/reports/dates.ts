import { AppError, invalidField } from '../../contract/error.ts';
import { maxDays, type DatePreset } from '../../contract/report-input.ts';
import type { Granularity } from '../../contract/reporting/metrics.ts';
import { daysBefore, daysFrom } from './days.ts';

export interface Range {
  fromDate: string;
  toDate: string;
}

export interface RequestedRange extends Partial<Range> {
  datePreset?: DatePreset;
  granularity: Granularity;
}

const firstOfMonth = (day: string): string => `${day.slice(0, 8)}01`;

const lastDays = (count: number, today: string): Range => ({
  fromDate: daysBefore(today, count),
  toDate: daysBefore(today, 1),
});

const presets: Record<DatePreset, (today: string) => Range> = {
  today: (today) => ({ fromDate: today, toDate: today }),
  yesterday: (today) => lastDays(1, today),
  last_7_days: (today) => lastDays(7, today),
  last_14_days: (today) => lastDays(14, today),
  last_28_days: (today) => lastDays(28, today),
  last_30_days: (today) => lastDays(30, today),
  this_month: (today) => ({ fromDate: firstOfMonth(today), toDate: today }),
  last_month: (today) => {
    const toDate = daysBefore(firstOfMonth(today), 1);
    return { fromDate: firstOfMonth(toDate), toDate };
  },
};

export const daysIn = ({ fromDate, toDate }: Range): number => daysFrom(fromDate, toDate) + 1;

/** The days of a report, which `today` in its time zone limits. */
export function rangeOf({ fromDate, toDate, datePreset, granularity }: RequestedRange, today: string): Range {
  if (fromDate === undefined || toDate === undefined) return presets[datePreset ?? 'last_30_days'](today);
  if (toDate > today) throw invalidField('toDate', `must not be after today, which is ${today} in this report`);
  const range = { fromDate, toDate };
  const most = maxDays[granularity];
  const days = daysIn(range);
  if (days <= most) return range;
  const { message, extras } = invalidField(
    'fromDate',
    `must be at most ${most} days before toDate, counting both; these are ${days}`,
  );
  throw new AppError('invalid_field_value', message, { ...extras, details: { ...extras.details, maxDays: most } });
}
