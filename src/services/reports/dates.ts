import { AppError, invalidField } from '../../contract/error.ts';
import { maxDays, type DatePreset } from '../../contract/report-input.ts';
import type { Granularity } from '../../contract/reporting/metrics.ts';
import { addDays, dayCount, type DayRange } from '../../lib/calendar-days.ts';

interface RequestedRange extends Partial<DayRange> {
  datePreset?: DatePreset;
  granularity: Granularity;
}

const firstOfMonth = (day: string): string => `${day.slice(0, 8)}01`;

const lastDays = (count: number, today: string): DayRange => ({
  fromDate: addDays(today, -count),
  toDate: addDays(today, -1),
});

const presets: Record<DatePreset, (today: string) => DayRange> = {
  today: (today) => ({ fromDate: today, toDate: today }),
  yesterday: (today) => lastDays(1, today),
  last_7_days: (today) => lastDays(7, today),
  last_14_days: (today) => lastDays(14, today),
  last_28_days: (today) => lastDays(28, today),
  last_30_days: (today) => lastDays(30, today),
  this_month: (today) => ({ fromDate: firstOfMonth(today), toDate: today }),
  last_month: (today) => {
    const toDate = addDays(firstOfMonth(today), -1);
    return { fromDate: firstOfMonth(toDate), toDate };
  },
};

/** The requested days of a report; `today` is the current day in its time zone. */
export function rangeOf({ fromDate, toDate, datePreset, granularity }: RequestedRange, today: string): DayRange {
  if (fromDate === undefined || toDate === undefined) return presets[datePreset ?? 'last_30_days'](today);
  if (toDate > today) throw invalidField('toDate', `must not be after today, which is ${today} in this report`);
  const range = { fromDate, toDate };
  const max = maxDays[granularity];
  const days = dayCount(range);
  if (days <= max) return range;
  const { message, extras } = invalidField(
    'fromDate',
    `must be at most ${max - 1} days before toDate, for a range of at most ${max} days; this range has ${days}`,
  );
  throw new AppError('invalid_field_value', message, { ...extras, details: { ...extras.details, maxDays: max } });
}
