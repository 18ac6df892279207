import { coded, violation } from './errors.ts';
import { isFields } from './masks.ts';
import type { Fields } from './state.ts';

const days = 'MONDAY TUESDAY WEDNESDAY THURSDAY FRIDAY SATURDAY SUNDAY'.split(' ');
const day = 86_400_000;

const periodsOf = (value: unknown, name: string, field: string): Fields[] => {
  const list = isFields(value) ? (value[name] ?? []) : undefined;
  if (!Array.isArray(list) || !list.every(isFields)) throw violation(field, 'A list of periods is expected.');
  return list;
};

/** Minutes since midnight, up to the end of the day. */
function minutesOf(value: unknown, field: string): number {
  const { hours = 0, minutes = 0 } = isFields(value) ? value : {};
  const isTime =
    isFields(value) &&
    Number.isInteger(hours) &&
    Number.isInteger(minutes) &&
    Number(minutes) >= 0 &&
    Number(minutes) < 60;
  const total = Number(hours) * 60 + Number(minutes);
  if (!isTime || Number(hours) < 0 || total > 1440) throw coded('INVALID_HOURS_VALUE', field.replace(/[[.].*$/, ''));
  return total;
}

type Span = [from: number, to: number];

/** Whether two periods overlap. */
function hasOverlap(spans: Span[]): boolean {
  let end = Number.NEGATIVE_INFINITY;
  return spans
    .toSorted(([a], [b]) => a - b)
    .some(([from, to]) => {
      const isWithin = from < end;
      end = Math.max(end, to);
      return isWithin;
    });
}

const week = 7 * 1440;
const withinWeek = ([from, to]: Span): Span[] => {
  if (from >= week) return [[from - week, to - week]];
  return to <= week
    ? [[from, to]]
    : [
        [from, week],
        [0, to - week],
      ];
};

/** Weekly periods; one may end on the following day. */
export function checkRegularHours(value: unknown, field = 'regular_hours'): void {
  const spans: Span[] = [];
  for (const [at, period] of periodsOf(value, 'periods', field).entries()) {
    const where = `${field}.periods[${at}]`;
    const [opens, closes] = [days.indexOf(String(period['openDay'])), days.indexOf(String(period['closeDay']))];
    if (opens < 0) throw violation(`${where}.open_day`, 'The day must be one of MONDAY to SUNDAY.');
    if (closes < 0) throw violation(`${where}.close_day`, 'The day must be one of MONDAY to SUNDAY.');
    const from = minutesOf(period['openTime'], `${where}.open_time`);
    const to = minutesOf(period['closeTime'], `${where}.close_time`);
    const isNext = closes === (opens + 1) % 7;
    if ((opens === closes && to <= from) || (opens !== closes && !isNext) || (isNext && to > from))
      throw coded('INVALID_TIME_SCHEDULE', where.replace(/[[.].*$/, ''));
    spans.push([opens * 1440 + from, (opens + (isNext ? 1 : 0)) * 1440 + to]);
  }
  if (hasOverlap(spans.flatMap(withinWeek))) throw coded('INVALID_TIME_SCHEDULE', field.replace(/\[\d+\]$/, ''));
}

/** Days that differ from the weekly hours. */
export function checkSpecialHours(value: unknown): void {
  const field = 'special_hours';
  const closedDays: number[] = [];
  const openDays: number[] = [];
  const spans: Span[] = [];
  for (const [at, period] of periodsOf(value, 'specialHourPeriods', field).entries()) {
    const where = `${field}.special_hour_periods[${at}]`;
    const start = dateOf(period['startDate'], `${where}.start_date`);
    // The end and the times of a closed day are ignored.
    if (period['closed'] === true) {
      closedDays.push(start);
      continue;
    }
    const end = period['endDate'] === undefined ? start : dateOf(period['endDate'], `${where}.end_date`);
    if (end < start || end - start > day)
      throw violation(`${where}.end_date`, 'The end date is at most one day after the start date.');
    openDays.push(start);
    const [from, to] = timesOf(period, where, end > start);
    spans.push([start / 60_000 + from, end / 60_000 + to]);
  }
  const isTwice = new Set(closedDays).size < closedDays.length || closedDays.some((one) => openDays.includes(one));
  if (isTwice || hasOverlap(spans)) throw coded('OVERLAPPED_SPECIAL_HOURS', field);
}

function timesOf(period: Fields, where: string, isNext: boolean): Span {
  const from = minutesOf(period['openTime'], `${where}.open_time`);
  const to = minutesOf(period['closeTime'], `${where}.close_time`);
  if (isNext && to >= 12 * 60) throw violation(`${where}.close_time`, 'A period ends by 11:59 of the next day.');
  if (isNext ? to >= from : to <= from) throw coded('INVALID_TIME_SCHEDULE', where.replace(/[[.].*$/, ''));
  return [from, to];
}

function dateOf(value: unknown, field: string): number {
  const { year, month, day: dayOfMonth } = isFields(value) ? value : {};
  const numbers = [year, month, dayOfMonth].map(Number);
  const [y = 0, m = 0, d = 0] = numbers;
  const date = new Date(Date.UTC(y, m - 1, d));
  if (!numbers.every(Number.isInteger) || date.getUTCMonth() !== m - 1 || date.getUTCDate() !== d || y < 1)
    throw violation(field, 'The date is not valid.');
  return date.getTime();
}

/** Reads omit values that are zero or false. */
export function withoutNoughts(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutNoughts);
  if (!isFields(value)) return value;
  const kept = Object.entries(value).filter(
    ([name, own]) =>
      !(own === 0 && /^(hours|minutes|seconds|nanos)$/.test(name)) && !(name === 'closed' && own === false),
  );
  return Object.fromEntries(kept.map(([name, own]) => [name, withoutNoughts(own)]));
}
