const dayMs = 86_400_000;

/** Calendar days are `YYYY-MM-DD`; their arithmetic needs no time zone. */
export interface DayRange {
  fromDate: string;
  /** Inclusive. */
  toDate: string;
}

export const addDays = (day: string, count: number): string =>
  new Date(Date.parse(day) + count * dayMs).toISOString().slice(0, 10);

/** The number of days from one day to a later one. */
export const daysFrom = (day: string, later: string): number => (Date.parse(later) - Date.parse(day)) / dayMs;

/** Every day of a range, both ends included. */
export const daysOf = (fromDate: string, toDate: string): string[] =>
  Array.from({ length: daysFrom(fromDate, toDate) + 1 }, (_, at) => addDays(fromDate, at));

export const monthOf = (day: string): string => day.slice(0, 7);
export const dayOfMonth = (day: string): string => day.slice(8);

/** The first day of the month `count` months before the month of a day. */
export function monthsBefore(day: string, count: number): string {
  const [year = 0, month = 1] = day.split('-').map(Number);
  return new Date(Date.UTC(year, month - 1 - count, 1)).toISOString().slice(0, 10);
}

/** The months of a range, oldest first. */
export function monthsOf(fromDate: string, toDate: string): string[] {
  const months: string[] = [];
  for (let day = monthsBefore(fromDate, 0); day <= toDate; day = monthsBefore(day, -1)) months.push(monthOf(day));
  return months;
}

/** Joins sorted days to ranges, which include gaps of up to `maxGap` days. */
export function rangesOf(days: readonly string[], maxGap = 0): DayRange[] {
  const ranges: DayRange[] = [];
  for (const day of days) {
    const last = ranges.at(-1);
    if (last && daysFrom(last.toDate, day) <= maxGap + 1) last.toDate = day;
    else ranges.push({ fromDate: day, toDate: day });
  }
  return ranges;
}

/** The number of days of a range. */
export const dayCount = ({ fromDate, toDate }: DayRange): number => daysFrom(fromDate, toDate) + 1;
