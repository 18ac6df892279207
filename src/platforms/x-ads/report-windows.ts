import type { Granularity } from '../../contract/reporting/metrics.ts';
import { dayOf, startOfDay } from '../../lib/account-time.ts';
import { addDays } from '../../lib/calendar-days.ts';
import { instant } from './create-ads.ts';

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;
/** The longest ranges of one call and, as the platform advises, of one job. */
export const longestMs = { call: 7 * dayMs, job: 30 * dayMs };

/** A range that one request covers; the end is exclusive. */
export interface Window {
  start_time: string;
  end_time: string;
  granularity: 'TOTAL' | 'DAY' | 'HOUR';
}

interface Range {
  fromDate: string;
  toDate: string;
  timeZone: string;
  granularity: Granularity;
  now: Date;
}

/** The instant at which a day begins. */
export function dayStart(day: string, timeZone: string): Date {
  const start = startOfDay(day, timeZone);
  if (!start) throw new Error(`${day} is not a date`);
  return start;
}

/**
 * Windows of whole days, at most that long. Days are added up from hours, because the platform cuts them by today's offset
 * of the time zone. Where midnight is no whole hour, dates without a time stand for it, and the platform cuts the days.
 */
export function windowsOf({ fromDate, toDate, timeZone, granularity, now }: Range, maxMs: number): Window[] {
  const windows: Window[] = [];
  const isDaily = granularity === 'day';
  const last = (Math.floor(now.getTime() / hourMs) + 1) * hourMs;
  const at = (day: string): number => dayStart(day, timeZone).getTime();
  let next = fromDate;
  while (next <= toDate) {
    const [first, start] = [next, at(next)];
    while (next <= toDate && at(addDays(next, 1)) - start <= maxMs) next = addDays(next, 1);
    const end = at(next);
    windows.push(
      start % hourMs === 0 && end % hourMs === 0
        ? { ...between(start, Math.min(end, last)), granularity: isDaily ? 'HOUR' : 'TOTAL' }
        : { start_time: first, end_time: next, granularity: isDaily ? 'DAY' : 'TOTAL' },
    );
  }
  return windows;
}

const between = (start: number, end: number): Pick<Window, 'start_time' | 'end_time'> => ({
  start_time: instant(new Date(start)),
  end_time: instant(new Date(end)),
});

/** The day of each interval of a window; undefined if it is one total. */
export function daysIn(
  { start_time: from, end_time: until, granularity }: Window,
  timeZone: string,
): (string | undefined)[] {
  if (granularity === 'TOTAL') return [undefined];
  const at = (text: string): number => (text.includes('T') ? Date.parse(text) : dayStart(text, timeZone).getTime());
  const [start, end] = [at(from), at(until)];
  if (granularity === 'HOUR')
    return Array.from({ length: (end - start) / hourMs }, (_, hour) =>
      dayOf(new Date(start + hour * hourMs), timeZone),
    );
  const days: string[] = [];
  for (let day = dayOf(new Date(start), timeZone); dayStart(day, timeZone).getTime() < end; day = addDays(day, 1))
    days.push(day);
  return days;
}
