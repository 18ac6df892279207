const dayMs = 86_400_000;

/** Adds calendar days to a day. */
export const dayAfter = (day: string, days = 1): string =>
  new Date(Date.parse(day) + days * dayMs).toISOString().slice(0, 10);

/** The number of days of a range, both inclusive. */
export const lengthOf = ({ fromDate, toDate }: DayRange): number =>
  Math.round((Date.parse(toDate) - Date.parse(fromDate)) / dayMs) + 1;

export interface DayRange {
  fromDate: string;
  toDate: string;
}

/** Cuts a range into parts of at most so many days. */
export function partsOf({ fromDate, toDate }: DayRange, mostDays: number): DayRange[] {
  const parts: DayRange[] = [];
  for (let day = fromDate; day <= toDate; day = dayAfter(day, mostDays)) {
    const last = dayAfter(day, mostDays - 1);
    parts.push({ fromDate: day, toDate: last < toDate ? last : toDate });
  }
  return parts;
}

/** Cuts a range of several days in the middle. */
export const halvesOf = (range: DayRange): DayRange[] => partsOf(range, Math.ceil(lengthOf(range) / 2));
