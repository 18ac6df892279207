import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { CreateAdInput } from '../../src/contract/ad-input.ts';
import { ListAdsInput } from '../../src/contract/ad-list.ts';
import { dropNulls, parseInput } from '../../src/contract/parse.ts';
import { creative, legacy, multiCreative, refusalOf } from './ads.ts';

describe('parseInput', () => {
  it('answers the parsed value with its defaults', () => {
    expect(parseInput(CreateAdInput, legacy)).toMatchObject({ name: 'Winter', status: 'ACTIVE', validateOnly: false });
  });

  it('takes a null for left out on creates only', () => {
    const withNull = { ...legacy, currency: null };
    expect(parseInput(CreateAdInput, withNull, { dropNulls: true })).not.toHaveProperty('currency');
    expect(() => parseInput(CreateAdInput, withNull)).toThrow('currency: must be a string');
  });

  it('names every problem at once: missing, wrong, unknown and between fields', () => {
    const { name: _name, ...nameless } = legacy;
    const refusal = refusalOf({ ...nameless, budgetAmount: '5', ageMin: 40, ageMax: 30, colour: 'red' });
    expect(refusal?.fields).toEqual({
      name: ['is required'],
      budgetAmount: ['must be a number'],
      ageMin: ['must be at most ageMax, which is 30'],
      colour: ['is not a known field'],
    });
  });

  it('gives code and param of the first problem in the order of the contract, not of the request', () => {
    expect(refusalOf({ zzz: 1, endDate: 'soon', ...legacy, name: 5 })).toMatchObject({
      code: 'invalid_field_value',
      param: 'name',
    });
    expect(refusalOf({ zzz: 1, ...legacy })).toMatchObject({ code: 'unknown_field', param: 'zzz' });
    expect(refusalOf({ ...legacy, goal: undefined, name: undefined })).toMatchObject({
      code: 'missing_required_field',
      param: 'name',
    });
  });

  it('orders problems within lists by entry, then by field', () => {
    const creatives = [
      creative,
      { ...creative, callToAction: 'JUMP', headline: '' },
      { ...creative, imageUrl: undefined },
    ];
    const paths = Object.keys(refusalOf({ ...multiCreative, creatives })?.fields ?? {});
    expect(paths).toEqual(['creatives.1.headline', 'creatives.1.callToAction', 'creatives.2.imageUrl']);
  });
});

describe('what a problem says', () => {
  it.each([
    ['a missing field', { ...legacy, name: undefined }, 'name', 'missing_required_field', 'is required'],
    ['an empty text', { ...legacy, name: '' }, 'name', 'invalid_field_value', 'must not be empty'],
    ['a text of blanks', { ...legacy, name: '  ' }, 'name', 'invalid_field_value', 'must not be empty'],
    ['a number for a text', { ...legacy, name: 5 }, 'name', 'invalid_field_value', 'must be a string'],
    ['a text for a list', { ...legacy, countries: 'DE' }, 'countries', 'invalid_field_value', 'must be a list'],
    ['a text for an object', { ...legacy, video: 'v.mp4' }, 'video', 'invalid_field_value', 'must be an object'],
    ['a fraction', { ...legacy, ageMin: 20.5 }, 'ageMin', 'invalid_field_value', 'must be a whole number'],
    [
      'zero for a positive number',
      { ...legacy, budgetAmount: 0 },
      'budgetAmount',
      'invalid_field_value',
      'must be more than 0',
    ],
    ['too small a number', { ...legacy, ageMin: 12 }, 'ageMin', 'invalid_field_value', 'must be at least 13'],
    ['too big a number', { ...legacy, ageMax: 66 }, 'ageMax', 'invalid_field_value', 'must be at most 65'],
    ['an empty list', { ...legacy, countries: [] }, 'countries', 'invalid_field_value', 'must have at least 1 entry'],
    [
      'an unknown word',
      { ...legacy, gender: 'any' },
      'gender',
      'invalid_field_value',
      'must be one of all, male, female',
    ],
    ['a null in a list', { ...legacy, countries: [null] }, 'countries.0', 'invalid_field_value', 'must be a string'],
    [
      'an address without a scheme',
      { ...legacy, linkUrl: 'shop.example' },
      'linkUrl',
      'invalid_field_value',
      'must be an http or https address',
    ],
  ] as const)('%s', (_name, input, path, code, message) => {
    expect(refusalOf(input)).toEqual({ code, param: path, fields: { [path]: [message] } });
  });

  it('lists the values of a word that is missing', () => {
    expect(refusalOf({ ...multiCreative, creatives: [{ ...creative, callToAction: undefined }] })?.fields).toEqual({
      'creatives.0.callToAction': [expect.stringMatching(/^is required: one of LEARN_MORE, SHOP_NOW, .*WATCH_MORE$/)],
    });
  });

  it('distinguishes wrong query parameters from missing ones', () => {
    expect(refusalOf({ page: 'abc' }, ListAdsInput)?.fields).toEqual({ page: ['must be a number'] });
    expect(refusalOf({ limit: '101' }, ListAdsInput)?.fields).toEqual({ limit: ['must be at most 100'] });
  });

  it.each(['text', 5, true, null, undefined, []])('refuses %j instead of an object', (value) => {
    expect(refusalOf(value)?.fields).toEqual({ '': [value === undefined ? 'is required' : 'must be an object'] });
  });
});

describe('hints for unknown fields', () => {
  it.each([
    ['headlin', 'headline'],
    ['link_url', 'linkUrl'],
    ['imageURL', 'imageUrl'],
    ['budget_amount', 'budgetAmount'],
    ['promotedObjet', 'promotedObject'],
  ])('%s: did you mean %s?', (key, name) => {
    expect(refusalOf({ ...legacy, [key]: 'x' })?.fields).toEqual({
      [key]: [`is not a known field; did you mean ${name}?`],
    });
  });

  it('reach into lists and objects', () => {
    const input = { ...multiCreative, creatives: [{ ...creative, headlne: 'x' }], promotedObject: { pixel_id: '1' } };
    expect(refusalOf(input)?.fields).toEqual({
      'creatives.0.headlne': ['is not a known field; did you mean headline?'],
      'promotedObject.pixel_id': ['is not a known field; did you mean pixelId?'],
    });
  });

  it('name the known fields of a small object when none is near', () => {
    expect(refusalOf({ ...legacy, video: { url: 'https://v.example/v.mp4', quality: 1 } })?.fields).toEqual({
      'video.quality': ['is not a known field; known are url, thumbnailUrl'],
    });
  });
});

describe('hostile bodies', () => {
  it.each(['constructor', '__proto__', 'toString', 'hasOwnProperty'])('a field named %s is an unknown one', (key) => {
    const input: unknown = JSON.parse(`{"${key}": 1, ${JSON.stringify(legacy).slice(1)}`);
    expect(refusalOf(input)).toMatchObject({ code: 'unknown_field', param: key });
  });

  it('deep nesting costs no stack', () => {
    let deep: unknown = null;
    for (let level = 0; level < 200_000; level++) deep = [deep];
    expect(refusalOf({ ...legacy, deep })).toMatchObject({ code: 'unknown_field', param: 'deep' });
  });

  it('a very long key is compared with no known one', () => {
    const near = (length: number): string => `budgetAmount${'_'.repeat(length)}`;
    expect(refusalOf({ ...legacy, [near(1)]: 1 })?.fields).toEqual({
      [near(1)]: [expect.stringContaining('did you mean budgetAmount?')],
    });
    expect(refusalOf({ ...legacy, [near(900_000)]: 1 })?.fields).toEqual({
      [`${near(900_000).slice(0, 64)}...`]: [expect.not.stringContaining('did you mean')],
    });
  });

  it('any JSON is accepted or refused with the one error, never anything else', () => {
    const known = fc.constantFrom(...Object.keys(CreateAdInput.shape));
    const near = fc.dictionary(known, fc.jsonValue());
    const mutated = fc
      .tuple(fc.constantFrom(legacy, multiCreative), near)
      .map(([base, more]) => ({ ...base, ...more }));
    fc.assert(
      fc.property(fc.oneof(fc.jsonValue(), near, mutated), (value) => {
        const refusal = refusalOf(value);
        if (refusal) expect(Object.keys(refusal.fields).length).toBeGreaterThan(0);
      }),
      { numRuns: 500 },
    );
  });
});

describe('dropNulls', () => {
  it('drops null members at every depth and leaves lists and falsy values alone', () => {
    const value = { a: null, b: { c: null, d: 0 }, e: [null, { f: null, g: '' }] };
    expect(dropNulls(value)).toEqual({ b: { d: 0 }, e: [null, { g: '' }] });
  });

  it('drops nothing of what it cannot look into', () => {
    fc.assert(
      fc.property(
        fc.oneof(fc.string(), fc.double({ noNaN: true }), fc.boolean()),
        (value) => dropNulls(value) === value,
      ),
    );
    expect(refusalOf({ a: null }, z.strictObject({}))).toBeUndefined();
  });
});
