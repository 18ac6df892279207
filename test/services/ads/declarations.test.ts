import { expect, it } from 'vitest';
import { CreateAdInput } from '../../../src/contract/ad-input.ts';
import { parseInput } from '../../../src/contract/parse.ts';
import type { AdPlatform } from '../../../src/contract/platforms.ts';
import { withDeclarations } from '../../../src/services/ads/declarations.ts';
import { attach, legacy, type Loose } from '../../contract/ads.ts';

const adAccount = { id: '1', name: 'Main', currency: 'USD', isActive: true };
const declare = (platform: AdPlatform, more: Loose, politicalByDefault?: boolean) =>
  withDeclarations(parseInput(CreateAdInput, { ...legacy, ...more }), {
    adapter: { platform, ...(politicalByDefault !== undefined && { politicalByDefault }) },
    adAccount: { ...adAccount, dsaBeneficiary: 'Shop', dsaPayor: 'Agency' },
  });

it.each([
  [true, ['US'], undefined],
  [true, ['FR'], 'is declared as true by default: the ad contains political advertising'],
  [false, ['FR'], 'is declared as false by default: the ad contains no political advertising'],
])('an order keeps the default %s for %j, and warns: %s', (politicalByDefault, countries, message) => {
  const { input, warnings } = declare('B', { countries }, politicalByDefault);
  expect(input.politicalAdvertising).toBe(politicalByDefault);
  expect(warnings).toEqual(message ? [{ param: 'politicalAdvertising', message }] : []);
});

it('an order that declares something itself keeps that without a warning', () => {
  const { input, warnings } = declare('B', { countries: ['FR'], politicalAdvertising: false }, true);
  expect([input.politicalAdvertising, warnings]).toEqual([false, []]);
});

it('a platform without political declarations gets none', () => {
  expect(declare('A', { countries: ['FR'] }).input).not.toHaveProperty('politicalAdvertising');
});

it.each<[AdPlatform, Loose, string[] | undefined]>([
  ['A', {}, ['US']],
  ['A', { countries: ['US', 'CA'] }, ['US', 'CA']],
  ['A', { countries: ['US'], cities: [{ key: '1', countryCode: 'DE' }] }, ['US', 'DE']],
  ['A', { regions: [{ key: '1', countryCode: 'DE' }] }, ['DE']],
  ['A', { countries: ['US'], cities: [{ key: '1', countryCode: 'DE' }, { key: '2' }] }, undefined],
  ['A', { specialAdCategoryCountry: ['GB'] }, ['GB']],
  ['D', {}, undefined],
])('a category on %s with %j applies in %j', (platform, more, countries) => {
  const { input } = declare(platform, { specialAdCategories: ['HOUSING'], ...more });
  expect(input.specialAdCategoryCountry).toEqual(countries);
});

it.each<[Loose, Loose]>([
  [{ countries: ['DE'] }, { dsaBeneficiary: 'Shop', dsaPayor: 'Agency' }],
  [{ countries: ['DE'], dsaPayor: 'Own' }, { dsaPayor: 'Own' }],
  [{ countries: ['US'] }, {}],
])('with %j the ad names %j', (more, expected) => {
  const { dsaBeneficiary, dsaPayor } = declare('A', more).input;
  expect({ dsaBeneficiary, dsaPayor }).toEqual({ dsaBeneficiary: undefined, dsaPayor: undefined, ...expected });
});

it('an ad in an existing ad set declares nothing of its own', () => {
  const input = parseInput(CreateAdInput, attach);
  expect(withDeclarations(input, { adapter: { platform: 'A' }, adAccount })).toEqual({ input, warnings: [] });
});
