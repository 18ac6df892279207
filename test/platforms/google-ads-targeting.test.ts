import { describe, expect, it } from 'vitest';
import { PlatformError } from '../../src/platforms/error.ts';
import { audienceOf, placesOf } from '../../src/platforms/google-ads/targeting.ts';
import { inputs } from './google-ads-fixtures.ts';

type Loose = Record<string, Record<string, Record<string, unknown>>>;
const facts = (operations: { body: Record<string, unknown> }[]): unknown[] =>
  operations.map(({ body }) => {
    const {
      adGroup: _adGroup,
      status: _status,
      campaign: _campaign,
      ...rest
    } = (Object.values(body)[0] as Loose)['create'] ?? {};
    return rest;
  });
const audience = (extra: object, kind: 'search' | 'display' = 'display'): unknown[] =>
  facts(audienceOf(inputs[kind]({ keywords: undefined, ...extra }), '1'));
const ages = (...types: string[]): object[] => types.map((type) => ({ ageRange: { type: `AGE_RANGE_${type}` } }));

const refusedFields = (run: () => unknown): string[] => {
  try {
    run();
  } catch (error) {
    if (error instanceof PlatformError && error.fault === 'rejected') return Object.keys(error.upstream.fields ?? {});
    throw error;
  }
  throw new Error('Was not refused');
};

describe('places', () => {
  it('are one criterion for each country, the United States by default', () => {
    const constants = (countries?: string[]): unknown[] => facts(placesOf(inputs.search({ countries }), '1', {}));
    expect(constants(['DE', 'FR'])).toEqual([
      { location: { geoTargetConstant: 'geoTargetConstants/2276' } },
      { location: { geoTargetConstant: 'geoTargetConstants/2250' } },
    ]);
    expect(constants()).toEqual([{ location: { geoTargetConstant: 'geoTargetConstants/2840' } }]);
  });

  it('that have no number are targeted by the suggested id, and refused by their place in the list without one', () => {
    expect(refusedFields(() => placesOf(inputs.search({ countries: ['DE', 'XK'] }), '1', {}))).toEqual(['countries.1']);
    const found = placesOf(inputs.search({ countries: ['XK'] }), '1', { XK: 'geoTargetConstants/2900' });
    expect(facts(found)).toEqual([{ location: { geoTargetConstant: 'geoTargetConstants/2900' } }]);
  });

  it('that are excluded are negative criteria after the included ones', () => {
    const input = inputs.search({
      countries: ['DE'],
      excludedCountries: ['FR', 'XK'],
      excludedRegions: [{ key: '20226' }],
    });
    expect(facts(placesOf(input, '1', { XK: 'geoTargetConstants/2900' }))).toEqual([
      { location: { geoTargetConstant: 'geoTargetConstants/2276' } },
      { location: { geoTargetConstant: 'geoTargetConstants/2250' }, negative: true },
      { location: { geoTargetConstant: 'geoTargetConstants/2900' }, negative: true },
      { location: { geoTargetConstant: 'geoTargetConstants/20226' }, negative: true },
    ]);
    expect(refusedFields(() => placesOf(input, '1', {}))).toEqual(['excludedCountries.1']);
    const named = inputs.search({ countries: ['DE'], excludedRegions: [{ key: 'Berlin' }] });
    expect(refusedFields(() => placesOf(named, '1', {}))).toEqual(['excludedRegions.0']);
  });
});

describe('keywords', () => {
  it('of search ads carry their match type, texts match as phrases, and negative ones have no status', () => {
    const input = inputs.search({
      keywords: ['pruners', { text: 'shears', matchType: 'EXACT' }],
      negativeKeywords: [{ text: 'free', matchType: 'BROAD' }],
    });
    expect(facts(audienceOf(input, '1'))).toEqual([
      { keyword: { text: 'pruners', matchType: 'PHRASE' } },
      { keyword: { text: 'shears', matchType: 'EXACT' } },
      { negative: true, keyword: { text: 'free', matchType: 'BROAD' } },
    ]);
  });
});

describe('ages', () => {
  it.each<[object, object[]]>([
    [{}, []],
    [{ ageMin: 18 }, []],
    [{ ageMin: 13, ageMax: 65 }, []],
    [{ ageMin: 18, ageMax: 65 }, []],
    [{ ageMin: 25, ageMax: 44 }, ages('25_34', '35_44')],
    [{ ageMin: 55 }, ages('55_64', '65_UP')],
    [{ ageMax: 24 }, ages('18_24')],
    [{ ageMin: 65, ageMax: 65 }, ages('65_UP')],
  ])('of %j become whole steps', (range, criteria) => {
    expect(audience(range)).toEqual(criteria);
  });

  it.each<[object, string]>([
    [{ ageMin: 21 }, 'ageMin'],
    [{ ageMin: 13, ageMax: 24 }, 'ageMin'],
    [{ ageMin: 18, ageMax: 30 }, 'ageMax'],
    [{ ageMin: 25, ageMax: 25 }, 'ageMax'],
  ])('of %j, which cut through a step, are refused as %s', (range, field) => {
    expect(refusedFields(() => audience(range))).toEqual([field]);
  });
});

describe('an audience', () => {
  it('is a user list, and interests are user interests', () => {
    expect(audience({ audienceId: '12', interests: [{ id: '34', name: 'Gardening' }] })).toEqual([
      { userList: { userList: 'customers/1/userLists/12' } },
      { userInterest: { userInterestCategory: 'customers/1/userInterests/34' } },
    ]);
  });

  it('by interests is refused for search ads', () => {
    const extra = { interests: [{ id: '34', name: 'Gardening' }] };
    expect(refusedFields(() => audience(extra, 'search'))).toEqual(['interests']);
  });

  it.each<[object, string]>([
    [{ audienceId: '12/../13' }, 'audienceId'],
    [{ interests: [{ id: 'abc', name: 'x' }] }, 'interests.0.id'],
    [{ excludedAudienceIds: ['12', 'abc'] }, 'excludedAudienceIds.1'],
  ])('of another platform is refused: %j', (extra, field) => {
    expect(refusedFields(() => audience(extra))).toEqual([field]);
  });
});
