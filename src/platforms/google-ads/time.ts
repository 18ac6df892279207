const dayMs = 86_400_000;

/** Formats an instant in the ad account's time zone as `yyyy-MM-dd HH:mm:ss`. */
export function toAccountTime(instant: Date, timeZone = 'UTC'): string {
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
  const parts = Object.fromEntries(format.formatToParts(instant).map(({ type, value }) => [type, value]));
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

/** Calendar days of a run in the account's time zone, at least one; each may spend a whole day's budget. */
export function daysBetween(start: Date, end: Date, timeZone = 'UTC'): number {
  const dayOf = (instant: number): number =>
    Date.parse(toAccountTime(new Date(instant), timeZone).slice(0, 10)) / dayMs;
  return Math.max(1, dayOf(end.getTime() - 1) - dayOf(start.getTime()) + 1);
}
