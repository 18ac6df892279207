import { requireOneOf, textIn, timeIn, type Body } from './checks.ts';
import { missing, wrong } from './errors.ts';

const hour = 3_600_000;
/** The documentation names a latest date and moves it over the years. */
const lastStart = (now = new Date()): Date => new Date(Date.UTC(now.getUTCFullYear() + 2, 0, 1));
const lastEnd = Date.parse('2038-01-01T00:00:00Z');

/** Unchanged values are not validated again: a group may have started long ago. */
export function checkSchedule(body: Body, before: Body = {}): void {
  const type = requireOneOf(body, 'schedule_type', ['SCHEDULE_FROM_NOW', 'SCHEDULE_START_END']);
  const [start, end] = [timeIn(body, 'schedule_start_time'), timeIn(body, 'schedule_end_time')];
  if (start === undefined) throw missing('schedule_start_time');
  if (body['schedule_start_time'] !== before['schedule_start_time']) {
    if (start < Date.now() - 12 * hour) throw wrong('schedule_start_time: More than 12 hours in the past.');
    const last = lastStart();
    if (start > last.getTime()) throw wrong(`schedule_start_time: Later than ${last.getUTCFullYear()}-01-01 00:00:00.`);
  }
  if (type === 'SCHEDULE_START_END') {
    if (end === undefined) throw missing('schedule_end_time');
    if (end <= start) throw wrong('schedule_end_time: Must be later than schedule_start_time.');
    if (end > lastEnd) throw wrong('schedule_end_time: Later than 2038-01-01 00:00:00.');
    const isNew = body['schedule_end_time'] !== before['schedule_end_time'];
    if (isNew && end <= Date.now()) throw wrong('schedule_end_time: Must be in the future.');
  }
  const hours = textIn(body, 'dayparting');
  if (hours !== undefined && !/^[01]{336}$/.test(hours)) throw wrong('dayparting: Must be 336 characters of 0 and 1.');
}

/** Days of a lifetime budget. */
export const daysOf = (body: Body): number => {
  const [start = 0, end = 0] = [timeIn(body, 'schedule_start_time'), timeIn(body, 'schedule_end_time')];
  return Math.max(1, Math.ceil((end - start) / (24 * hour) - 1e-3));
};
