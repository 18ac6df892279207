import { Long } from 'bson';
import { badValue, CommandError, notSupported } from '../errors.ts';
import { isPlain, num, typeName, type Doc, type Value } from '../values.ts';
import type { Operator } from './types.ts';

const lengths: Record<string, number> = {
  millisecond: 1,
  second: 1000,
  minute: 60_000,
  hour: 3_600_000,
  day: 86_400_000,
  week: 604_800_000,
};
const months: Record<string, number> = { month: 1, quarter: 3, year: 12 };
/** The first Sunday of the epoch, where weeks start. */
const firstSunday = 3 * 86_400_000;

const checkZone = (timezone: Value): void => {
  if (timezone != null && !/^(UTC|GMT|Z|[+-]00:?00)$/.test(timezone)) throw notSupported(`time zone '${timezone}'`);
};
const dateFor = (value: Value): Date => {
  if (value instanceof Date) return value;
  throw new CommandError(16006, `can't convert from ${typeName(value)} to Date`);
};
const unknownUnit = (unit: Value): never => {
  throw badValue(`unknown time unit value: ${unit}`);
};
const monthOf = (date: Date): number => date.getUTCFullYear() * 12 + date.getUTCMonth();

/** Set by parts, because `Date.UTC` maps the years 0 to 99 to 1900 to 1999. */
const startOfMonth = (month: number): Date => {
  const date = new Date(0);
  date.setUTCFullYear(Math.floor(month / 12), month % 12, 1);
  return date;
};

/** Whole units between the epoch and the date. */
function unitsSince(date: Date, unit: string): number {
  if (months[unit]) return Math.floor(monthOf(date) / months[unit]);
  const length = lengths[unit] ?? unknownUnit(unit);
  return Math.floor((date.getTime() - (unit === 'week' ? firstSunday : 0)) / length);
}

function truncate({ date, unit, timezone, binSize = 1, startOfWeek = 'sunday' }: Doc): Value {
  if (date == null || unit == null) return null;
  checkZone(timezone);
  if (num(binSize) !== 1 || !/^sun/i.test(startOfWeek)) throw notSupported('$dateTrunc with binSize or startOfWeek');
  const count = unitsSince(dateFor(date), unit);
  if (months[unit]) return startOfMonth(count * months[unit]);
  return new Date(count * (lengths[unit] ?? 1) + (unit === 'week' ? firstSunday : 0));
}

const shifting =
  (sign: 1 | -1) =>
  ({ startDate, unit, amount, timezone }: Doc): Value => {
    if (startDate == null || unit == null || amount == null) return null;
    checkZone(timezone);
    const date = new Date(dateFor(startDate));
    if (!months[unit]) return new Date(date.getTime() + sign * num(amount) * (lengths[unit] ?? unknownUnit(unit)));
    const day = date.getUTCDate();
    date.setUTCDate(1);
    date.setUTCMonth(date.getUTCMonth() + sign * num(amount) * months[unit]);
    const last = new Date(Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 0)).getUTCDate();
    date.setUTCDate(Math.min(day, last));
    return date;
  };

function difference({ startDate, endDate, unit, timezone }: Doc): Value {
  if (startDate == null || endDate == null || unit == null) return null;
  checkZone(timezone);
  return Long.fromNumber(unitsSince(dateFor(endDate), unit) - unitsSince(dateFor(startDate), unit));
}

const two = (value: number): string => String(value).padStart(2, '0');
const dayOfYear = (date: Date): number =>
  Math.floor((date.getTime() - Date.UTC(date.getUTCFullYear(), 0)) / 86_400_000) + 1;

const parts: Record<string, (date: Date) => string> = {
  Y: (date) => String(date.getUTCFullYear()).padStart(4, '0'),
  m: (date) => two(date.getUTCMonth() + 1),
  d: (date) => two(date.getUTCDate()),
  H: (date) => two(date.getUTCHours()),
  M: (date) => two(date.getUTCMinutes()),
  S: (date) => two(date.getUTCSeconds()),
  L: (date) => String(date.getUTCMilliseconds()).padStart(3, '0'),
  j: (date) => String(dayOfYear(date)).padStart(3, '0'),
  z: () => '+0000',
  Z: () => '0',
  '%': () => '%',
};

function toText({ date, format = '%Y-%m-%dT%H:%M:%S.%LZ', timezone, onNull }: Doc): Value {
  if (date == null) return onNull ?? null;
  checkZone(timezone);
  return format.replace(/%(.)/gs, (_all: string, name: string) => {
    const part = parts[name];
    if (!part) throw notSupported(`format specifier '%${name}'`);
    return part(dateFor(date));
  });
}

/** A part of a date, optionally in a time zone. */
const reading = (read: (date: Date) => number): Operator => [
  1,
  1,
  (operand) => {
    const { date, timezone } = isPlain(operand) ? operand : { date: operand };
    checkZone(timezone);
    return date == null ? null : read(dateFor(date));
  },
];

export const dates: Record<string, Operator> = {
  $year: reading((date) => date.getUTCFullYear()),
  $month: reading((date) => date.getUTCMonth() + 1),
  $dayOfMonth: reading((date) => date.getUTCDate()),
  $dayOfWeek: reading((date) => date.getUTCDay() + 1),
  $dayOfYear: reading(dayOfYear),
  $hour: reading((date) => date.getUTCHours()),
  $minute: reading((date) => date.getUTCMinutes()),
  $second: reading((date) => date.getUTCSeconds()),
  $millisecond: reading((date) => date.getUTCMilliseconds()),
  $dateToString: [1, 1, toText],
  $dateTrunc: [1, 1, truncate],
  $dateAdd: [1, 1, shifting(1)],
  $dateSubtract: [1, 1, shifting(-1)],
  $dateDiff: [1, 1, difference],
};
