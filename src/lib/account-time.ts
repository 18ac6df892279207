const hourMs = 3_600_000;
const dayMs = 24 * hourMs;

const formats = new Map<string, Intl.DateTimeFormat>();

/** Formats take long to create. */
function formatOf(timeZone: string): Intl.DateTimeFormat {
  const known = formats.get(timeZone);
  if (known) return known;
  const format = new Intl.DateTimeFormat('en-CA', {
    timeZone,
    hourCycle: 'h23',
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
    hour: '2-digit',
    minute: '2-digit',
    second: '2-digit',
  });
  formats.set(timeZone, format);
  return format;
}

/** Formats an instant in the ad account's time zone as `yyyy-MM-dd HH:mm:ss`. */
export function toAccountTime(instant: Date, timeZone = 'UTC'): string {
  const parts = Object.fromEntries(
    formatOf(timeZone)
      .formatToParts(instant)
      .map(({ type, value }) => [type, value]),
  );
  return `${parts['year']}-${parts['month']}-${parts['day']} ${parts['hour']}:${parts['minute']}:${parts['second']}`;
}

/** Parses such a timestamp; undefined for any other format. */
export function fromAccountTime(text: string, timeZone = 'UTC'): Date | undefined {
  const wall = Date.parse(`${text.replace(' ', 'T')}Z`);
  if (Number.isNaN(wall)) return undefined;
  const offsetAt = (time: number): number =>
    Date.parse(`${toAccountTime(new Date(time), timeZone).replace(' ', 'T')}Z`) - time;
  // The offset depends on the instant, so the first guess is corrected once.
  const guess = wall - offsetAt(Math.floor(wall / 1000) * 1000);
  return new Date(wall - offsetAt(guess));
}

/** The calendar day of an instant in the ad account's time zone, as `yyyy-MM-dd`. */
export const dayOf = (instant: Date, timeZone?: string): string => toAccountTime(instant, timeZone).slice(0, 10);

/** The last second of a day. */
export function endOfDay(day: string, timeZone?: string): Date | undefined {
  const end = fromAccountTime(`${day} 23:59:59`, timeZone);
  // Where clocks go back at midnight, the last hour of the day happens twice.
  const isRepeated = end && dayOf(new Date(end.getTime() + 1000), timeZone) === day;
  return isRepeated ? new Date(end.getTime() + hourMs) : end;
}

/** The first instant of a day. */
export function startOfDay(day: string, timeZone?: string): Date | undefined {
  const midnight = fromAccountTime(`${day} 00:00:00`, timeZone);
  if (!midnight) return undefined;
  const after = (ms: number): Date => new Date(midnight.getTime() + ms);
  // Where clocks go forward at midnight, the day begins at one o'clock.
  if (dayOf(midnight, timeZone) < day) return after(hourMs);
  // Where they go back to midnight, it happens twice.
  return dayOf(after(-1000), timeZone) === day ? after(-hourMs) : midnight;
}

/** The start of the first day that begins at or after an instant. */
export function dayStartFrom(instant: Date, timeZone?: string): Date {
  const day = dayOf(instant, timeZone);
  const start = startOfDay(day, timeZone);
  if (start && start >= instant) return start;
  const next = new Date(Date.parse(day) + dayMs).toISOString().slice(0, 10);
  return startOfDay(next, timeZone) ?? instant;
}

/** The last day that ends by an instant: search and display campaigns end at 23:59:59 of a day only. */
export function lastDayBy(instant: Date, timeZone?: string): string {
  const next = Date.parse(dayOf(new Date(instant.getTime() + 1000), timeZone));
  return new Date(next - dayMs).toISOString().slice(0, 10);
}

/** The end of that day. */
export const dayEndBy = (instant: Date, timeZone?: string): Date =>
  endOfDay(lastDayBy(instant, timeZone), timeZone) ?? instant;

/** Calendar days of a run in the account's time zone, at least one; each may spend a whole day's budget. */
export function daysBetween(start: Date, end: Date, timeZone = 'UTC'): number {
  const dayNumber = (instant: number): number => Date.parse(dayOf(new Date(instant), timeZone)) / dayMs;
  return Math.max(1, dayNumber(end.getTime() - 1) - dayNumber(start.getTime()) + 1);
}
