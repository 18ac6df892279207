import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { currencyFactor, toMinor } from '../../src/platforms/meta/money.ts';
import { PlatformError } from '../../src/platforms/error.ts';

const whole = ['CLP', 'COP', 'CRC', 'HUF', 'ISK', 'IDR', 'JPY', 'KRW', 'PYG', 'TWD', 'VND'];

describe('the table of smallest units', () => {
  it.each(whole)('sends %s in whole units', (currency) => expect(currencyFactor(currency)).toBe(1));

  it.each(['USD', 'EUR', 'GBP', 'BRL', 'KWD', 'BHD', 'JOD', 'DZD', 'TND'])(
    'sends %s in hundredths, whatever ISO says',
    (currency) => expect(currencyFactor(currency)).toBe(100),
  );
});

describe('an amount', () => {
  it.each([
    [5000, 'JPY', '5000'],
    [5000, 'HUF', '5000'],
    [150_000, 'IDR', '150000'],
    [1_000_000_000, 'VND', '1000000000'],
    [1, 'KWD', '100'],
    [1.25, 'KWD', '125'],
    [20, 'USD', '2000'],
    [20.1, 'USD', '2010'],
    [0.01, 'USD', '1'],
    [0.1, 'EUR', '10'],
    [19.99, 'EUR', '1999'],
    [1.1, 'EUR', '110'],
    [8.2, 'EUR', '820'],
    [4.35, 'EUR', '435'],
    [1.15, 'EUR', '115'],
    [1_000_000_000, 'EUR', '100000000000'],
    [999_999_999.99, 'USD', '99999999999'],
  ])('of %d %s is sent as %s', (amount, currency, minor) => expect(toMinor(amount, currency)).toBe(minor));

  it.each([
    [10.005, 'USD'],
    [0.001, 'KWD'],
    [10.5, 'JPY'],
    [0.5, 'HUF'],
    [1e-7, 'USD'],
    [Number.NaN, 'USD'],
    [Number.POSITIVE_INFINITY, 'USD'],
    [-5, 'USD'],
    [1e21, 'USD'],
  ])('of %d %s is refused, not rounded', (amount, currency) => {
    expect(() => toMinor(amount, currency)).toThrow(PlatformError);
    expect(() => toMinor(amount, currency)).toThrow(currency);
  });

  it('is never off by one cent, whatever the number', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 100_000_000_000 }), (cents) => {
        const written = `${Math.floor(cents / 100)}.${String(cents % 100).padStart(2, '0')}`;
        expect(toMinor(Number(written), 'USD')).toBe(String(cents));
      }),
      { numRuns: 5_000 },
    );
  });

  it('in whole units comes out as it went in', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 1_000_000_000 }), fc.constantFrom(...whole), (amount, currency) => {
        expect(toMinor(amount, currency)).toBe(String(amount));
      }),
    );
  });

  it('with a finer fraction than the currency has is refused, always', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 1_000_000 }), fc.integer({ min: 1, max: 9 }), (units, thousandth) => {
        expect(() => toMinor(Number(`${units}.00${thousandth}`), 'USD')).toThrow(PlatformError);
        expect(() => toMinor(Number(`${units}.${thousandth}`), 'JPY')).toThrow(PlatformError);
      }),
    );
  });
});
