import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { millionths } from '../../src/platforms/decimal.ts';

describe('a decimal amount in millionths', () => {
  it.each([
    ['0', 0n],
    ['12', 12_000_000n],
    ['12.30', 12_300_000n],
    ['0.1', 100_000n],
    ['0.000001', 1n],
    ['-4.5', -4_500_000n],
    ['9007199254740993.123456', 9_007_199_254_740_993_123_456n],
    ['1.0000004', 1_000_000n],
    ['1.0000005', 1_000_000n],
    ['1.0000015', 1_000_002n],
    ['1.00000050', 1_000_000n],
    ['1.00000051', 1_000_001n],
    ['-1.0000015', -1_000_002n],
    ['0.9999996', 1_000_000n],
    ['', null],
    ['-', null],
  ])('%j is %s', (text, expected) => {
    expect(millionths(text)).toBe(expected);
  });

  it.each(['1e3', '1E-3', '1,5', '1 000', '.5', '5.', '+1', '--1', 'NaN', 'Infinity', '0x10', ' 1'])(
    'rejects %j',
    (text) => {
      expect(() => millionths(text)).toThrow('is not a plain decimal number');
    },
  );

  it('keeps up to six decimals of any amount exactly', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: -(10n ** 24n), max: 10n ** 24n }), (units) => {
        const digits = String(units < 0n ? -units : units).padStart(7, '0');
        const text = `${units < 0n ? '-' : ''}${digits.slice(0, -6)}.${digits.slice(-6)}`;
        expect(millionths(text)).toBe(units);
      }),
    );
  });
});
