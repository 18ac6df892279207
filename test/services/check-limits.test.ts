import { describe, expect, it } from 'vitest';
import { CreateAdInput } from '../../src/contract/ad-input.ts';
import { parseInput } from '../../src/contract/parse.ts';
import { platforms, type AdPlatform } from '../../src/contract/platforms.ts';
import { checkAd } from '../../src/services/ads/check-ad.ts';
import { decimalsOf, minimumOf } from '../../src/services/ads/check-money.ts';
import { endProblem, withSupportedEnd } from '../../src/services/ads/supported-end.ts';
import { dayEndBy } from '../../src/lib/account-time.ts';
import { lengthOf } from '../../src/services/ads/text-length.ts';
import { attach, legacy, type Loose } from '../contract/ads.ts';

const now = new Date('2027-01-31T09:00:00Z');
const factors: Record<string, number> = { JPY: 1, KWD: 1000 };

/** What is said of one field; other problems of the order do not matter here. */
const saidOf = (field: string, platform: AdPlatform, more: Loose, currency = 'USD'): string[] => {
  const input = parseInput(CreateAdInput, { ...legacy, ...more }, { dropNulls: true });
  const { problems } = checkAd(input, {
    platform,
    accountPlatform: platforms[platform].accounts[0],
    adAccount: { id: '1', name: 'Main', currency, isActive: true },
    currencyFactor: (code) => factors[code] ?? 100,
    now,
    hasPage: true,
  });
  return problems.filter(({ path }) => path === field).map(({ message }) => message);
};

describe('text limits', () => {
  const search = { campaignType: 'search' };
  it.each([
    ['A', 'headline', 255, {}],
    ['B', 'headline', 30, {}],
    ['B', 'longHeadline', 90, {}],
    ['B', 'body', 90, {}],
    ['B', 'businessName', 25, {}],
    ['C', 'headline', 100, {}],
    ['C', 'body', 800, {}],
    ['D', 'body', 100, {}],
    ['E', 'body', 280, {}],
    ['E', 'body', 256, { linkUrl: 'https://shop.example/a-very-long-address-that-counts-as-any-other' }],
    ['F', 'headline', 200, {}],
    ['F', 'longHeadline', 90, {}],
    ['F', 'body', 3000, {}],
  ] as const)('%s %s takes %i characters and not one more', (platform, field, max, more) => {
    expect(saidOf(field, platform, { ...more, [field]: 'x'.repeat(max) })).toEqual([]);
    const [message] = saidOf(field, platform, { ...more, [field]: 'x'.repeat(max + 1) });
    expect(message).toMatch(/^must have at most \d+ characters/);
  });

  it.each([
    ['additionalHeadlines', 30],
    ['additionalDescriptions', 90],
  ])('B counts each entry of %s up to %i', (field, max) => {
    expect(saidOf(`${field}.1`, 'B', { ...search, [field]: ['x', 'x'.repeat(max)] })).toEqual([]);
    expect(saidOf(`${field}.1`, 'B', { ...search, [field]: ['x', 'x'.repeat(max + 1)] })).toHaveLength(1);
  });

  it('says what the link takes', () => {
    const [message] = saidOf('body', 'E', { linkUrl: 'https://shop.example', body: 'x'.repeat(257) });
    expect(message).toContain('24 of them for the link; it has 281');
  });

  it.each([
    ['A', 'headline', 255],
    ['C', 'headline', 100],
    ['B', 'headline', 15],
    ['D', 'body', 50],
    ['E', 'body', 140],
  ] as const)('%s counts wide letters of %s its own way: %i of them fit', (platform, field, max) => {
    expect(saidOf(field, platform, { [field]: '冬'.repeat(max) })).toEqual([]);
    expect(saidOf(field, platform, { [field]: '冬'.repeat(max + 1) })).toHaveLength(1);
  });
});

describe('lengthOf', () => {
  it.each([
    ['', 0, 0, 0],
    ['coat', 4, 4, 4],
    ['caf\u0065\u0301', 4, 4, 4],
    ['冬のコート', 5, 10, 10],
    ['한국', 2, 4, 4],
    ['Ｗ', 1, 2, 2],
    ['“–”', 3, 3, 3],
    ['€', 1, 1, 2],
    ['👍', 1, 2, 2],
    ['👨‍👩‍👧‍👦', 7, 11, 2],
    ['👍🏽', 2, 4, 2],
    ['Привет', 6, 6, 6],
    ['1\u20e3', 2, 2, 2],
  ])('%s: %i characters, %i columns, weight %i', (text, characters, columns, weight) => {
    expect([lengthOf(text), lengthOf(text, 'displayWidth'), lengthOf(text, 'platformWeight')]).toEqual([
      characters,
      columns,
      weight,
    ]);
  });

  it.each([
    ['https://a.example', 23],
    [`https://shop.example/${'x'.repeat(200)}`, 23],
    ['See https://shop.example/coats, now', 4 + 23 + 5],
    ['(https://shop.example).', 1 + 23 + 2],
    ['https://a.example http://b.example', 23 + 1 + 23],
    ['https://a.example冬', 23 + 2],
    ['https is a word', 15],
    // twitter/twitter-text 30e2430, conformance/extract.yml and validate.yml.
    ['http://www.boingboing.net/2007/02/14/katamari_damacy_phon.html', 23],
    ['http://en.wikipedia.org/wiki/Primer_(film)', 23],
    ['http://www.ams.org/bookstore-getitem/item=mbk-59', 23],
    ['http://google.com/#search?q=iphone%20-filter%3Alinks', 23],
    ['https://en.m.wikipedia.org/wiki/Hatfield–McCoy_feud', 23],
    ['http://twitter.com/Русские_слова', 23],
    ['http://ああ.com', 23],
    ['http://-leadingdash.twitter.com', 31],
    // Without a scheme: at most what a link weighs, since only the platform knows all top-level domains.
    [`shop.example/${'x'.repeat(200)}`, 23],
    ['shop.example', 12],
    ['x'.repeat(200), 200],
  ])('a link in %s weighs 23 however long: %i', (text, weight) => {
    expect(lengthOf(text, 'platformWeight')).toBe(weight);
  });
});

describe('currency', () => {
  it('is that of the ad account', () => {
    expect(saidOf('currency', 'A', { currency: 'USD' })).toEqual([]);
    expect(saidOf('currency', 'A', { currency: 'EUR' })).toEqual(['is EUR, but the ad account is kept in USD']);
    expect(
      saidOf('currency', 'A', { ...attach, goal: null, budgetAmount: null, budgetType: null, currency: 'EUR' }),
    ).toHaveLength(1);
  });

  it.each([
    [10.01, 'USD', []],
    [10.005, 'USD', ['USD has at most 2 decimals']],
    [0.1 + 0.2 + 10, 'USD', []],
    [1000, 'JPY', []],
    [10.5, 'JPY', ['JPY has no fractions']],
    [10.005, 'KWD', []],
    [10.0005, 'KWD', ['KWD has at most 3 decimals']],
  ])('of %d %s: %j', (budgetAmount, currency, said) => {
    expect(saidOf('budgetAmount', 'A', { budgetAmount }, currency)).toEqual(said);
  });

  it('limits the precision of bids as well', () => {
    const bid = { bidStrategy: 'COST_CAP', bidAmount: 1.005 };
    expect(saidOf('bidAmount', 'A', bid)).toEqual(['USD has at most 2 decimals']);
  });

  it.each([
    [10, 0],
    [10.5, 1],
    [1e21, 0],
    [1.5e-7, 8],
    [1e-7, 7],
  ])('%d has %i decimals as written', (amount, decimals) => {
    expect(decimalsOf(amount)).toBe(decimals);
  });
});

describe('the smallest budget', () => {
  const lifetime = (budgetAmount: number, endDate: string): Loose => ({
    budgetType: 'lifetime',
    budgetAmount,
    endDate,
  });

  it.each([
    ['A', 1],
    ['B', 1],
    ['C', 5],
    ['D', 20],
    ['E', 1],
    ['F', 10],
  ] as const)('on %s is %i', (platform, amount) => {
    expect(saidOf('budgetAmount', platform, { budgetAmount: amount })).toEqual([]);
    expect(saidOf('budgetAmount', platform, { budgetAmount: amount - 0.01 })).toEqual([
      `must be at least ${amount} USD`,
    ]);
  });

  it.each([
    [140, '2027-02-07T09:00:00Z', []],
    [139.99, '2027-02-07T09:00:00Z', ['must be at least 140 USD, 20 a day over 7 days']],
    [159.99, '2027-02-07T09:00:01Z', ['must be at least 160 USD, 20 a day over 8 days']],
    [20, '2027-01-31T10:00:00Z', []],
  ])('of a lifetime on D is 20 a day: %d until %s', (amount, endDate, said) => {
    expect(saidOf('budgetAmount', 'D', lifetime(amount, endDate))).toEqual(said);
  });

  it.each([
    ['A', 7],
    ['C', 35],
    ['E', 7],
    ['F', 70],
  ] as const)('of a lifetime on %s grows with the days: %i for a week', (platform, amount) => {
    const week = '2027-02-07T09:00:00Z';
    expect(saidOf('budgetAmount', platform, lifetime(amount, week))).toEqual([]);
    expect(saidOf('budgetAmount', platform, lifetime(amount - 0.01, week))).toEqual([
      `must be at least ${amount} USD, ${amount / 7} a day over 7 days`,
    ]);
  });

  it('is that of the ad account if the platform reports one', () => {
    const row = platforms.A;
    const said = (amount: number, minDailyBudget?: number): string[] =>
      minimumOf(row, { amount, type: 'daily', adAccount: { currency: 'JPY', minDailyBudget } });
    expect(said(1)).toEqual([]);
    expect(said(1, 100)).toEqual(['must be at least 100 JPY']);
    expect(said(100, 100)).toEqual([]);
  });

  it('is larger on D if the campaign carries it, and depends on the currency on F', () => {
    const said = (platform: 'D' | 'F', amount: number, currency: string): string[] =>
      minimumOf(platforms[platform], { amount, type: 'daily', level: 'campaign', adAccount: { currency } });
    expect(said('D', 49, 'USD')).toEqual(['must be at least 50 USD']);
    expect(said('F', 999, 'JPY')).toEqual(['must be at least 1000 JPY']);
  });
});

describe('endDate', () => {
  it.each([
    ['2027-01-31T09:00:00Z', 1],
    ['2027-01-31T10:00:00+02:00', 1],
    ['2027-01-31T09:00:01Z', 0],
  ])('%s is in the past or not (%i)', (endDate, count) => {
    expect(saidOf('endDate', 'C', { endDate })).toHaveLength(count);
  });
});

describe('an end within a day, on a platform whose campaigns end with a day', () => {
  const eastern = { id: '1', name: 'Main', currency: 'USD', isActive: true, timezone: 'America/New_York' };
  const facts = { supportedEnd: (end: Date) => dayEndBy(end, eastern.timezone), adAccount: eastern, now };
  const why = 'campaigns of this platform end at the end of a day of the ad account (America/New_York)';

  it.each([
    ['2027-02-02T12:00:00Z', '2027-02-02T04:59:59.000Z'],
    ['2027-02-02T04:59:59.500Z', undefined],
    ['2027-02-02T04:59:58.500Z', '2027-02-01T04:59:59.000Z'],
  ])('%s is moved to %s', (endDate, moved) => {
    expect(withSupportedEnd({ endDate }, facts)).toEqual({
      input: { endDate: moved ?? endDate },
      warnings: moved === undefined ? [] : [{ param: 'endDate', message: `is moved to ${moved}: ${why}` }],
    });
  });

  // It is 4 in the morning of 31 January there.
  it.each([
    ['2027-01-31T08:59:59Z', undefined, 'must be in the future'],
    ['2027-02-01T04:59:58Z', undefined, `must be 2027-02-01T04:59:59.000Z or later: ${why}`],
    ['2027-02-01T04:59:59Z', undefined, undefined],
    ['2027-02-10T04:59:58Z', '2027-02-09T12:00:00Z', `must be 2027-02-10T04:59:59.000Z or later: ${why}`],
    ['2027-02-10T04:59:59Z', '2027-02-09T12:00:00Z', undefined],
  ])('%s for a start at %s is answered %s, and not moved if it is too early', (endDate, start, said) => {
    expect(endProblem(endDate, { ...facts, start: start === undefined ? undefined : new Date(start) })).toBe(said);
    if (start === undefined) expect(withSupportedEnd({ endDate }, facts).input).toEqual({ endDate });
  });
});

describe('the EU on A', () => {
  const members = 'AT BE BG HR CY CZ DK EE FI FR DE GR HU IE IT LV LT LU MT NL PL PT RO SK SI ES SE'.split(' ');

  const cases: [Loose, number][] = [
    ...members.map((code): [Loose, number] => [{ countries: ['US', code] }, 1]),
    ...['US', 'GB', 'CH', 'NO', 'IS', 'LI', 'TR'].map((code): [Loose, number] => [{ countries: [code] }, 0]),
    [{}, 0],
    [{ cities: [{ key: '1', countryCode: 'FR' }] }, 1],
    [{ cities: [{ key: '1', countryCode: 'US' }, { key: '2' }] }, 0],
    [{ regions: [{ key: '1', countryCode: 'ES' }] }, 1],
    [{ countries: ['DE'], dsaBeneficiary: 'Shop Ltd', dsaPayor: 'Shop Ltd' }, 0],
  ];

  it.each(cases)('%j lacks its two fields or not (%i)', (more, count) => {
    expect(saidOf('dsaBeneficiary', 'A', more)).toHaveLength(count);
    expect(saidOf('dsaPayor', 'A', more)).toHaveLength(count);
  });

  it('asks only for the one that is missing', () => {
    const more = { countries: ['DE'], dsaPayor: 'Shop Ltd' };
    expect(saidOf('dsaBeneficiary', 'A', more)).toEqual(['is required: the targeting meets an EU member state']);
    expect(saidOf('dsaPayor', 'A', more)).toEqual([]);
  });
});

describe('bid strategies', () => {
  const capped = (bidStrategy: string, goal: string): Loose => ({ bidStrategy, goal, bidAmount: 1 });
  const roas = { bidStrategy: 'LOWEST_COST_WITH_MIN_ROAS', roasAverageFloor: 2, goal: 'conversions' };

  it.each([
    ['A', capped('LOWEST_COST_WITH_BID_CAP', 'traffic'), 0],
    ['A', capped('COST_CAP', 'traffic'), 0],
    ['A', roas, 0],
    ['D', capped('COST_CAP', 'traffic'), 0],
    ['D', roas, 0],
    ...(['C', 'E', 'F'] as const).flatMap((platform) => [
      [platform, capped('LOWEST_COST_WITH_BID_CAP', 'traffic'), 0] as const,
      [platform, capped('COST_CAP', 'traffic'), 1] as const,
      [platform, roas, 1] as const,
    ]),
    ['B', capped('LOWEST_COST_WITH_BID_CAP', 'traffic'), 0],
    ['B', capped('LOWEST_COST_WITH_BID_CAP', 'awareness'), 0],
    ['B', capped('LOWEST_COST_WITH_BID_CAP', 'conversions'), 1],
    ['B', capped('COST_CAP', 'conversions'), 0],
    ['B', capped('COST_CAP', 'engagement'), 1],
    ['B', roas, 1],
  ] as const)('%s with %j is refused or not (%i)', (platform, more, count) => {
    expect(saidOf('bidStrategy', platform, more)).toHaveLength(count);
  });
});
