import { describe, expect, it } from 'vitest';
import { retryAfterIn } from '../../src/lib/retry-after.ts';

const now = Date.parse('2027-03-14T09:59:30Z');

describe('a Retry-After header', () => {
  it.each<[string, Record<string, string>, number | undefined]>([
    ['seconds', { 'retry-after': '120' }, 120],
    ['a date, by our clock', { 'retry-after': 'Sun, 14 Mar 2027 10:00:00 GMT' }, 30],
    [
      "a date, by the sender's clock, which is an hour behind ours",
      { 'retry-after': 'Sun, 14 Mar 2027 09:00:00 GMT', date: 'Sun, 14 Mar 2027 08:59:15 GMT' },
      45,
    ],
    [
      "a date, by the sender's clock, which is a day ahead of ours",
      { 'retry-after': 'Mon, 15 Mar 2027 10:00:10 GMT', date: 'Mon, 15 Mar 2027 10:00:00 GMT' },
      10,
    ],
    ['a date beside an unreadable Date', { 'retry-after': 'Sun, 14 Mar 2027 10:00:00 GMT', date: 'soon' }, 30],
    ['a date in the past', { 'retry-after': 'Sun, 14 Mar 2027 09:00:00 GMT' }, undefined],
    ['zero', { 'retry-after': '0' }, undefined],
    ['a text', { 'retry-after': 'later' }, undefined],
    ['a number beyond all numbers', { 'retry-after': '9'.repeat(400) }, undefined],
    ['nothing', {}, undefined],
  ])('is read as seconds: %s', (_what, headers, seconds) => {
    expect(retryAfterIn(headers, now)).toBe(seconds);
  });
});
