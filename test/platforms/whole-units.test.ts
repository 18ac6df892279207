import { describe, expect, it } from 'vitest';
import { createLinkedIn } from '../../src/platforms/linkedin/index.ts';
import { createPinterest } from '../../src/platforms/pinterest/index.ts';
import { createXAds } from '../../src/platforms/x-ads/index.ts';
import { noMedia } from './media.ts';

const baseUrl = 'https://platform.example';
const adapters = {
  C: createPinterest({ baseUrl, version: 'v5', conversionObjective: 'SALES' }, noMedia),
  E: createXAds({ baseUrl } as never),
  F: createLinkedIn({ baseUrl, version: '202611' } as never, {} as never),
};
// Currencies without a smaller unit, by ISO 4217.
const whole = 'BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX UYI VND VUV XAF XOF XPF'.split(' ');

describe.each(['C', 'E', 'F'] as const)('on %s', (platform) => {
  it.each(whole)('an amount in %s has no decimals', (currency) => {
    expect(adapters[platform].currencyFactor(currency)).toBe(1);
  });

  it.each(['USD', 'EUR', 'HUF', 'TWD'])('an amount in %s has two', (currency) => {
    expect(adapters[platform].currencyFactor(currency)).toBe(100);
  });
});
