import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { PlatformError } from '../../src/platforms/error.ts';
import { geoTargetConstantOf } from '../../src/platforms/google-ads/countries.ts';
import { currencyFactor, fromMicros, perDay, toMicros } from '../../src/platforms/google-ads/money.ts';
import { cutToWidth } from '../../src/platforms/display-width.ts';
import { cutToBytes, quotedPart } from '../../src/platforms/google-ads/text.ts';
import { dayEndBy, dayOf, daysBetween, fromAccountTime, toAccountTime } from '../../src/lib/account-time.ts';
import { countryCodes } from '../../src/contract/country-codes.ts';

describe('an amount', () => {
  it.each([
    [25, 'USD', 25_000_000n],
    [0.01, 'USD', 10_000n],
    [19.99, 'EUR', 19_990_000n],
    [0.29, 'GBP', 290_000n],
    [1.1, 'USD', 1_100_000n],
    [1e9, 'USD', 1_000_000_000_000_000n],
    [999_999_999.99, 'USD', 999_999_999_990_000n],
    [3000, 'JPY', 3_000_000_000n],
    [1, 'KRW', 1_000_000n],
    [50_000, 'VND', 50_000_000_000n],
    [10.5, 'HUF', 10_500_000n],
    [10.25, 'TWD', 10_250_000n],
    [1.25, 'KWD', 1_250_000n],
  ])('of %d %s is %d micros, and comes back as it was', (amount, currency, micros) => {
    expect(toMicros(amount, currency)).toBe(micros);
    expect(fromMicros(micros.toString())).toBe(amount);
  });

  it.each([
    [1.5, 'JPY'],
    [0.01, 'KRW'],
    [1.001, 'USD'],
    [1e-7, 'USD'],
    [-1, 'USD'],
    [Number.NaN, 'USD'],
    [Infinity, 'USD'],
  ])('of %d %s is refused', (amount, currency) => {
    expect(() => toMicros(amount, currency)).toThrow(PlatformError);
  });

  it.each([
    ['JPY', 1],
    ['CLP', 1],
    ['XAF', 1],
    ['USD', 100],
    ['HUF', 100],
    ['COP', 100],
    ['KWD', 100],
  ])('in %s has %d smallest units', (currency, factor) => {
    expect(currencyFactor(currency)).toBe(factor);
  });

  it.each([
    [100_000_000n, 3, 'USD', 33_330_000n],
    [100_000_000n, 3, 'JPY', 33_000_000n],
    [10_000n, 30, 'USD', 10_000n],
    [1_000_000n, 30, 'JPY', 1_000_000n],
  ])('of %d micros over %d days in %s is %d a day', (total, days, currency, day) => {
    expect(perDay(total, days, currency)).toBe(day);
  });
});

describe('a time', () => {
  it.each([
    ['2026-12-31T22:59:59Z', 'Europe/Berlin', '2026-12-31 23:59:59'],
    ['2026-07-01T00:00:00+02:00', 'America/New_York', '2026-06-30 18:00:00'],
    ['2026-03-29T00:30:00Z', 'Europe/Berlin', '2026-03-29 01:30:00'],
    ['2026-03-29T01:00:00Z', 'Europe/Berlin', '2026-03-29 03:00:00'],
    ['2026-10-25T02:30:00Z', 'Europe/Berlin', '2026-10-25 03:30:00'],
    ['2026-01-01T00:00:00Z', 'UTC', '2026-01-01 00:00:00'],
    ['2026-01-01T00:00:00Z', 'Asia/Kathmandu', '2026-01-01 05:45:00'],
  ])('of %s in %s is %s, and back', (instant, zone, wall) => {
    expect(toAccountTime(new Date(instant), zone)).toBe(wall);
    expect(fromAccountTime(wall, zone)).toEqual(new Date(instant));
  });

  it('that is none is undefined', () => {
    expect(fromAccountTime('')).toBeUndefined();
  });

  it.each([
    ['2026-01-02T00:00:00Z', 1],
    ['2026-01-02T00:00:01Z', 2],
    ['2026-01-01T00:00:01Z', 1],
    ['2025-12-01T00:00:00Z', 1],
  ])('span from new year to %s counts %d days', (end, days) => {
    expect(daysBetween(new Date('2026-01-01T00:00:00Z'), new Date(end), 'UTC')).toBe(days);
  });

  // A day's budget may be spent on every day that a run touches, however short a part of it.
  it.each([
    ['2026-01-01T18:00:00Z', '2026-01-02T12:00:00Z', 'UTC', 2],
    ['2026-01-01T23:00:00Z', '2026-01-03T01:00:00Z', 'UTC', 3],
    ['2026-01-01T18:00:00Z', '2026-01-02T04:00:00Z', 'America/New_York', 1],
    ['2026-01-01T18:00:00Z', '2026-01-02T12:00:00Z', 'America/New_York', 2],
    ['2026-03-07T12:00:00Z', '2026-03-09T12:00:00Z', 'America/New_York', 3],
  ])('from %s to %s touch, on the clock of %s, %d days', (start, end, zone, days) => {
    expect(daysBetween(new Date(start), new Date(end), zone)).toBe(days);
  });
});

describe('the end of an account day', () => {
  it.each([
    ['the last second of a day', '2026-12-31T22:59:59Z', 'Europe/Berlin', '2026-12-31T22:59:59Z'],
    ['a fraction of that second', '2026-12-31T22:59:59.750Z', 'Europe/Berlin', '2026-12-31T22:59:59Z'],
    ['a second earlier', '2026-12-31T22:59:58.999Z', 'Europe/Berlin', '2026-12-30T22:59:59Z'],
    ['midnight', '2026-12-31T23:00:00Z', 'Europe/Berlin', '2026-12-31T22:59:59Z'],
    ['noon east of UTC', '2026-07-01T03:00:00Z', 'Asia/Tokyo', '2026-06-30T14:59:59Z'],
    ['noon west of UTC', '2026-07-01T19:00:00Z', 'America/Los_Angeles', '2026-07-01T06:59:59Z'],
    ['the day on which clocks go forward', '2026-03-08T12:00:00-04:00', 'America/New_York', '2026-03-08T04:59:59Z'],
    ['the day after it', '2026-03-09T12:00:00-04:00', 'America/New_York', '2026-03-09T03:59:59Z'],
    ['the day after clocks went back', '2026-11-02T12:00:00-05:00', 'America/New_York', '2026-11-02T04:59:59Z'],
    ['the first 23:59:59 of a day that has two', '2026-04-05T02:59:59Z', 'America/Santiago', '2026-04-04T02:59:59Z'],
    ['the second 23:59:59 of a day that has two', '2026-04-05T03:59:59Z', 'America/Santiago', '2026-04-05T03:59:59Z'],
  ])('by %s (%s in %s) is %s', (_what, instant, zone, end) => {
    expect(dayEndBy(new Date(instant), zone)).toEqual(new Date(end));
  });

  it('is in every time zone the latest 23:59:59 that is not after the instant, and its own result', () => {
    const zones = fc.constantFrom(...Intl.supportedValuesOf('timeZone'));
    const instants = fc.integer({ min: Date.parse('2026-01-01'), max: Date.parse('2036-01-01') });
    fc.assert(
      fc.property(instants, zones, (instant, zone) => {
        const end = dayEndBy(new Date(instant), zone);
        expect(toAccountTime(end, zone)).toMatch(/ 23:59:59$/);
        expect(end.getTime()).toBeLessThanOrEqual(instant);
        // The next day's end is later: no more than a day and its longest change of clocks is given up.
        const next = new Date(end.getTime() + 1000);
        expect(dayOf(new Date(instant + 1000), zone)).toBe(dayOf(next, zone));
        expect(dayEndBy(end, zone)).toEqual(end);
      }),
      { numRuns: 300 },
    );
  });
});

describe('a text', () => {
  it.each([
    ['Shears & Company of the Valley', 'Shears & Company of the V'],
    ['Short', 'Short'],
    ['園芸用品の店'.repeat(3), '園芸用品の店園芸用品の店'],
    [`${'a'.repeat(24)}店`, 'a'.repeat(24)],
    [`${'a'.repeat(24)} b`, 'a'.repeat(24)],
  ])('%s fits into 25 columns as %s', (text, cut) => {
    expect(cutToWidth(text, 25)).toBe(cut);
  });

  it('is cut at its start to a number of bytes, so that its end stays', () => {
    expect(cutToBytes('店店店 ab12cd34', 12)).toBe('店 ab12cd34');
    expect(cutToBytes('abc', 3)).toBe('abc');
  });

  it('to look for stands between quotes, and its signs for themselves', () => {
    expect(quotedPart("50% o'clock_[x]")).toBe(String.raw`'%50[%] o\'clock[_][[]x[]]%'`);
  });
});

describe('a country', () => {
  it.each([
    ['US', 2840],
    ['GB', 2826],
    ['DE', 2276],
    ['FR', 2250],
    ['VN', 2704],
    ['AF', 2004],
  ])('%s is %d', (code, id) => {
    expect(geoTargetConstantOf(code)).toBe(`geoTargetConstants/${id}`);
  });

  it('has a number of its own wherever ISO gives one', () => {
    const known = [...countryCodes].map(geoTargetConstantOf);
    expect(known.filter((id) => id === undefined)).toHaveLength(1);
    expect(new Set(known).size).toBe(countryCodes.size);
    expect(geoTargetConstantOf('XK')).toBeUndefined();
  });
});
