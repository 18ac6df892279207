const dayMs = 86_400_000;

/** Calendar days are `YYYY-MM-DD`; their arithmetic needs no time zone. */
export const daysBefore = (day: string, count: number): string =>
  new Date(Date.parse(day) - count * dayMs).toISOString().slice(0, 10);

/** The number of days from one to another. */
export const daysFrom = (day: string, later: string): number => (Date.parse(later) - Date.parse(day)) / dayMs;

/** Every day of a range, both ends included. */
export const daysOf = (fromDate: string, toDate: string): string[] =>
  Array.from({ length: daysFrom(fromDate, toDate) + 1 }, (_, at) => daysBefore(fromDate, -at));
