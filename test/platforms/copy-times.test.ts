import { expect, it } from 'vitest';
import type { CopyOptions } from '../../src/platforms/copies.ts';
import { PlatformError } from '../../src/platforms/error.ts';
import { scheduleOf } from '../../src/platforms/tiktok/copy-fields.ts';

const options: CopyOptions = { deepCopy: true, statusOption: 'ACTIVE', renameStrategy: 'NO_RENAME' };
const raw = {
  schedule_type: 'SCHEDULE_START_END',
  schedule_start_time: '2027-02-27 00:00:00',
  schedule_end_time: '2027-03-01 00:00:00',
};

it.each([
  ['2027-02-26T23:59:59Z', '2027-02-27 00:00:00'],
  ['2027-02-28T23:59:59Z', '2027-02-28 23:59:59'],
])('a copy on D made at %s starts at %s and keeps its end', (now, start) => {
  expect(scheduleOf(raw, { options, now: new Date(now) })).toEqual({ ...raw, schedule_start_time: start });
});

it('a copy on D at the end time of its source has no end time', () => {
  const now = new Date('2027-03-01T00:00:00Z');
  expect(scheduleOf(raw, { options, now })).toEqual({
    schedule_type: 'SCHEDULE_FROM_NOW',
    schedule_start_time: '2027-03-01 00:00:00',
  });
  const total = { ...raw, budget_mode: 'BUDGET_MODE_TOTAL' };
  expect(() => scheduleOf(total, { options, now })).toThrow(PlatformError);
});
