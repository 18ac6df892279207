import { describe, expect, it } from 'vitest';
import { dayOf, dayStartFrom, daysBetween, startOfDay } from '../../src/lib/account-time.ts';

describe('the first day of an account that begins at or after an instant', () => {
  it.each([
    ['2027-01-31T05:00:00Z', 'America/New_York', '2027-01-31T05:00:00Z'],
    ['2027-01-31T05:00:01Z', 'America/New_York', '2027-02-01T05:00:00Z'],
    ['2027-01-31T18:14:59Z', 'Asia/Kathmandu', '2027-01-31T18:15:00Z'],
    ['2027-01-31T18:15:01Z', 'Asia/Kathmandu', '2027-02-01T18:15:00Z'],
    ['2027-12-31T12:00:00Z', 'Pacific/Auckland', '2028-01-01T11:00:00Z'],
    ['2027-02-28T09:00:00Z', 'Etc/UTC', '2027-03-01T00:00:00Z'],
    ['2028-02-28T23:30:00+01:00', 'Europe/Berlin', '2028-02-28T23:00:00Z'],
    // The night in which the clock jumps from two to three.
    ['2027-03-14T02:30:00-08:00', 'America/Los_Angeles', '2027-03-15T07:00:00Z'],
    ['2027-03-28T02:30:00+01:00', 'Europe/Berlin', '2027-03-28T22:00:00Z'],
    // The nights in which it goes back from three to two.
    ['2027-11-07T02:30:00-08:00', 'America/Los_Angeles', '2027-11-08T08:00:00Z'],
    ['2027-04-03T12:30:00Z', 'Pacific/Auckland', '2027-04-04T12:00:00Z'],
    ['2027-09-25T13:00:00Z', 'Pacific/Auckland', '2027-09-26T11:00:00Z'],
    // A day that begins at one o'clock, and one that begins at the first of two midnights.
    ['2027-09-05T03:00:00Z', 'America/Santiago', '2027-09-05T04:00:00Z'],
    ['2027-11-07T03:00:00Z', 'America/Havana', '2027-11-07T04:00:00Z'],
  ])('from %s in %s is %s', (instant, zone, start) => {
    const found = dayStartFrom(new Date(instant), zone);
    expect(found).toEqual(new Date(start));
    // The second before it belongs to the day before.
    expect(dayOf(new Date(found.getTime() - 1000), zone) < dayOf(found, zone)).toBe(true);
  });

  it('is never earlier than the instant, and less than 25 hours and a second later', () => {
    const zones = ['America/New_York', 'Asia/Kathmandu', 'Pacific/Auckland', 'Europe/Berlin', 'America/St_Johns'];
    for (const zone of zones) {
      for (let hour = 0; hour < 400 * 24; hour += 101) {
        const instant = new Date(Date.parse('2027-01-01T00:30:00Z') + hour * 3_600_000);
        const wait = dayStartFrom(instant, zone).getTime() - instant.getTime();
        expect(wait, `${instant.toISOString()} in ${zone}`).toBeGreaterThanOrEqual(0);
        expect(wait, `${instant.toISOString()} in ${zone}`).toBeLessThanOrEqual(25 * 3_600_000);
      }
    }
  });
});

it('counts seven days of a week with an hour more', () => {
  const zone = 'America/Los_Angeles';
  const [start, end] = [startOfDay('2027-11-05', zone), startOfDay('2027-11-12', zone)];
  expect(daysBetween(start as Date, new Date((end as Date).getTime() - 1000), zone)).toBe(7);
});
