import { dayOf, startOfDay } from '../../../lib/account-time.ts';

const dayMs = 86_400_000;
const starts = new Map<string, number>();

/** The instants of a calendar day in a time zone: 23, 24 or 25 hours. */
export const periodOfDay = (day: string, timeZone = 'UTC'): { from: number; until: number } => ({
  from: startOf(day, timeZone),
  until: startOf(dayAfter(day), timeZone),
});

/** Calendar days, both inclusive. */
export const periodOfDays = (first: string, last: string, timeZone = 'UTC'): { from: number; until: number } => ({
  from: startOf(first, timeZone),
  until: startOf(dayAfter(last), timeZone),
});

export const dayAfter = (day: string, days = 1): string =>
  new Date(Date.parse(day) + days * dayMs).toISOString().slice(0, 10);

/** The days of a range, both inclusive. */
export function daysIn(first: string, last: string): string[] {
  const days: string[] = [];
  for (let day = first; day <= last; day = dayAfter(day)) days.push(day);
  return days;
}

export const today = (now: number, timeZone = 'UTC'): string => dayOf(new Date(now), timeZone);

function startOf(day: string, timeZone: string): number {
  const key = `${timeZone} ${day}`;
  const start = starts.get(key) ?? startOfDay(day, timeZone)?.getTime() ?? Number.NaN;
  starts.set(key, start);
  return start;
}
