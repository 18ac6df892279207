import { z } from 'zod';
import { withLimits } from './limits.ts';

/** Left out, or null for none. */
const clearable = <T extends z.ZodType>(schema: T) => schema.nullable().optional();

const DayOfWeek = z
  .enum(['MONDAY', 'TUESDAY', 'WEDNESDAY', 'THURSDAY', 'FRIDAY', 'SATURDAY', 'SUNDAY'])
  .meta({ id: 'DayOfWeek', description: 'A day of the week' });

interface Time {
  hours: number;
  minutes: number;
}
const minutesOf = ({ hours, minutes }: Time): number => hours * 60 + minutes;

const clockTime = z
  .string()
  .regex(/^(?:[01]?\d|2[0-3]):[0-5]\d$|^24:00$/)
  .transform((written) => {
    const [hours = 0, minutes = 0] = written.split(':').map(Number);
    return { hours, minutes };
  });
const timeParts = z
  .strictObject({
    hours: withLimits(z.int().min(0).max(24).default(0), 'The highest ends a day'),
    minutes: withLimits(z.int().min(0).max(59).default(0)),
    seconds: z.int().min(0).max(59).optional().describe('As read; opening hours are to the minute'),
    nanos: z.int().min(0).max(999_999_999).optional().describe('As read; opening hours are to the minute'),
  })
  .refine((time) => minutesOf(time) <= 1440)
  .meta({ id: 'TimeOfDay', description: 'A time of the day' });
const TimeOfDay = z
  .union([clockTime, timeParts], { error: 'must be a time such as "09:30" or {hours: 9, minutes: 30}, up to "24:00"' })
  .meta({ graphql: timeParts, description: '"HH:MM", or hours and minutes; "24:00" ends a day' });

const date = z.strictObject({
  year: z.int().min(1).max(9999).describe('In full'),
  month: withLimits(z.int().min(1).max(12)),
  day: withLimits(z.int().min(1).max(31)),
});
const dayNumber = ({ year, month, day }: z.output<typeof date>): number => Date.UTC(year, month - 1, day) / 86_400_000;
const ListingDate = date
  .refine(({ year, month, day }) => new Date(Date.UTC(year, month - 1, day)).getUTCDate() === day, 'is no real date')
  .meta({ id: 'ListingDate', description: 'A day of the calendar' });

const shorterThanADay = 'must end after it begins, and within 24 hours';

export const HoursPeriod = z
  .strictObject({ openDay: DayOfWeek, openTime: TimeOfDay, closeDay: DayOfWeek, closeTime: TimeOfDay })
  .superRefine(({ openDay, openTime, closeDay, closeTime }, issues) => {
    const days = DayOfWeek.options;
    const apart = (days.indexOf(closeDay) - days.indexOf(openDay) + 7) % 7;
    if (apart > 1)
      return issues.addIssue({ code: 'custom', path: ['closeDay'], message: 'must be the same day or the next' });
    const [from, to] = [minutesOf(openTime), minutesOf(closeTime)];
    if (apart === 1 ? to > from : to <= from)
      issues.addIssue({ code: 'custom', path: ['closeTime'], message: shorterThanADay });
  })
  .meta({ id: 'HoursPeriod', description: 'A stretch of opening hours; it may end on the next day' });

interface Span {
  /** Index in the caller's list. */
  at: number;
  from: number;
  to: number;
}

/**
 * The periods that begin before an earlier one ends, each with the one it overlaps. Sorts once instead of comparing all
 * pairs.
 */
function overlaps(spans: Span[]): { at: number; with: number }[] {
  let last: Span | undefined;
  return spans
    .toSorted((a, b) => a.from - b.from || a.at - b.at)
    .flatMap((span) => {
      const earlier = last;
      if (!last || span.to > last.to) last = span;
      return earlier && span.from < earlier.to ? [{ at: span.at, with: earlier.at }] : [];
    });
}

const week = 7 * 1440;

/** In minutes of the week; a period that runs past Sunday wraps around to Monday. */
function weekSpans({ openDay, openTime, closeDay, closeTime }: z.output<typeof HoursPeriod>, at: number): Span[] {
  const days = DayOfWeek.options;
  const apart = (days.indexOf(closeDay) - days.indexOf(openDay) + 7) % 7;
  const start = days.indexOf(openDay) * 1440;
  const [from, to] = [start + minutesOf(openTime), start + apart * 1440 + minutesOf(closeTime)];
  if (from >= week) return [{ at, from: from - week, to: to - week }];
  return to <= week
    ? [{ at, from, to }]
    : [
        { at, from, to: week },
        { at, from: 0, to: to - week },
      ];
}

const maxOverlaps = 100;
const sayOverlaps = (spans: Span[], issues: z.RefinementCtx): void => {
  for (const { at, with: other } of overlaps(spans).slice(0, maxOverlaps)) {
    const message = `overlaps the period at position ${other}; periods may touch but not overlap`;
    issues.addIssue({ code: 'custom', path: [at], message });
  }
};

/** The opening hours of a week. */
export const HoursPeriods = z
  .array(HoursPeriod)
  .max(100)
  .superRefine((periods, issues) => sayOverlaps(periods.flatMap(weekSpans), issues));

export const SpecialHourPeriod = z
  .strictObject({
    startDate: ListingDate,
    endDate: clearable(ListingDate).describe('The same day when left out, or the next'),
    openTime: clearable(TimeOfDay),
    closeTime: clearable(TimeOfDay),
    closed: clearable(z.boolean()).describe('Closed for the whole day'),
  })
  .superRefine(({ startDate, endDate, openTime, closeTime, closed }, issues) => {
    const say = (path: string, message: string, code = 'invalid_field_value'): void =>
      issues.addIssue({ code: 'custom', path: [path], message, params: { code } });
    const apart = endDate ? dayNumber(endDate) - dayNumber(startDate) : 0;
    if (apart < 0 || apart > 1) say('endDate', 'must be the start date or the day after it');
    if (closed) return;
    for (const [name, time] of Object.entries({ openTime, closeTime }))
      if (!time) say(name, 'is required, unless closed is true', 'missing_required_field');
    if (!openTime || !closeTime) return;
    const [from, to] = [minutesOf(openTime), minutesOf(closeTime)];
    if (apart === 1 && to >= 720) say('closeTime', 'must be 11:59 of the next day at the latest');
    else if (apart === 1 ? to >= from : to <= from) say('closeTime', shorterThanADay);
  })
  .meta({ id: 'SpecialHourPeriod', description: 'A day whose hours differ from the weekly ones' });

type SpecialPeriod = z.output<typeof SpecialHourPeriod>;

function specialSpan({ startDate, endDate, openTime, closeTime }: SpecialPeriod, at: number): Span[] {
  if (!openTime || !closeTime) return [];
  const [start, end] = [dayNumber(startDate), dayNumber(endDate ?? startDate)];
  return [{ at, from: start * 1440 + minutesOf(openTime), to: end * 1440 + minutesOf(closeTime) }];
}

/** A closed day has no other period, but hours of the previous evening may extend into it. */
function sayContradictions(periods: SpecialPeriod[], issues: z.RefinementCtx): void {
  const closedAt = new Map<number, number>();
  const openAt = new Map<number, number>();
  for (const [at, { startDate, closed }] of periods.entries()) {
    const day = dayNumber(startDate);
    const earlier = closed ? (closedAt.get(day) ?? openAt.get(day)) : closedAt.get(day);
    const kept = closed ? closedAt : openAt;
    if (!kept.has(day)) kept.set(day, at);
    if (earlier === undefined) continue;
    const message = `contradicts the period at position ${earlier}: list a closed date once and without opening hours`;
    issues.addIssue({ code: 'custom', path: [at], message });
  }
}

/** All days whose hours differ. */
export const SpecialHourPeriods = z
  .array(SpecialHourPeriod)
  .max(400)
  .superRefine((periods, issues) => {
    sayContradictions(periods, issues);
    sayOverlaps(
      periods.flatMap((period, at) => (period.closed ? [] : specialSpan(period, at))),
      issues,
    );
  });
