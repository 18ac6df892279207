import { describe, expect, it } from 'vitest';
import { CreateAdInput, requestShape } from '../../src/contract/ad-input.ts';
import { languageCodes } from '../../src/contract/language-codes.ts';
import { parseInput } from '../../src/contract/parse.ts';
import { attach, creative, legacy, multiCreative, refusalOf, type Loose } from './ads.ts';

const accepts = (input: Loose): void => expect(refusalOf(input)).toBeUndefined();
const refuses = (input: Loose, fields: string[], code: string): void => {
  const refusal = refusalOf(input);
  expect(Object.keys(refusal?.fields ?? {})).toEqual(fields);
  expect(refusal?.code).toBe(code);
};

describe('request shapes', () => {
  it.each([
    ['legacy', legacy],
    ['multiCreative', multiCreative],
    ['attach', attach],
  ])('%s is determined by its fields and accepted', (shape, input) => {
    expect(requestShape(parseInput(CreateAdInput, input))).toBe(shape);
  });

  it.each([
    [legacy, ['goal', 'budgetAmount', 'budgetType', 'body']],
    [multiCreative, ['goal', 'budgetAmount', 'budgetType']],
    [attach, ['body']],
  ])('needs its own fields (case %#)', (input, fields) => {
    const lacking = Object.fromEntries(Object.entries(input).filter(([field]) => !fields.includes(field)));
    refuses(lacking, fields, 'missing_required_field');
  });

  it('refuses creatives beside adSetId', () => {
    refuses({ ...attach, creatives: [creative] }, ['creatives'], 'mutually_exclusive_fields');
  });

  it.each([
    ['budgetAmount', 5],
    ['budgetType', 'daily'],
    ['goal', 'traffic'],
    ['endDate', '2030-01-01T00:00:00Z'],
    ['startDate', '2999-01-01T00:00:00Z'],
    ['bidStrategy', 'COST_CAP'],
    ['bidAmount', 5],
    ['roasAverageFloor', 2],
    ['countries', ['US']],
    ['cities', [{ key: '1' }]],
    ['regions', [{ key: '1' }]],
    ['ageMin', 20],
    ['ageMax', 30],
    ['interests', [{ id: '1', name: 'Ski' }]],
    ['audienceId', '1'],
    ['gender', 'male'],
    ['advantageAudience', 1],
    ['attributionSpec', [{ eventType: 'CLICK_THROUGH', windowDays: 7 }]],
    ['dsaBeneficiary', 'Shop Ltd'],
    ['dsaPayor', 'Shop Ltd'],
    ['specialAdCategories', ['HOUSING']],
    ['specialAdCategoryCountry', ['US']],
    ['politicalAdvertising', false],
    ['regionalRegulation', [{ category: 'TAIWAN_UNIVERSAL' }]],
  ])('refuses %s beside adSetId, which inherits it', (field, value) => {
    refuses({ ...attach, [field]: value }, [field], 'mutually_exclusive_fields');
  });

  it('takes of promotedObject beside adSetId only what goes into the ad', () => {
    accepts({ ...attach, promotedObject: { leadFormId: '1', pageId: '2' } });
    refuses(
      { ...attach, promotedObject: { leadFormId: '1', pixelId: '2' } },
      ['promotedObject.pixelId'],
      'mutually_exclusive_fields',
    );
  });
});

describe('creatives', () => {
  const { imageUrl: _imageUrl, ...noMedia } = creative;
  const video = { url: 'https://shop.example/v.mp4', thumbnailUrl: 'https://shop.example/v.png' };
  const withCreatives = (...creatives: Loose[]): Loose => ({ ...multiCreative, creatives });

  it('take 1 to 50 entries', () => {
    accepts(withCreatives(...Array(50).fill(creative)));
    refuses(withCreatives(...Array(51).fill(creative)), ['creatives'], 'invalid_field_value');
    refuses(withCreatives(), ['creatives'], 'invalid_field_value');
  });

  it('need exactly one of imageUrl and video, and with a video its picture', () => {
    accepts(withCreatives({ ...noMedia, video }));
    refuses(withCreatives(creative, noMedia), ['creatives.1.imageUrl'], 'missing_required_field');
    refuses(withCreatives({ ...creative, video }), ['creatives.0.video'], 'mutually_exclusive_fields');
    refuses(
      withCreatives({ ...noMedia, video: { url: video.url } }),
      ['creatives.0.video.thumbnailUrl'],
      'missing_required_field',
    );
  });

  it('take headlines of 255 characters and the buttons of platform A', () => {
    accepts(withCreatives({ ...creative, headline: 'h'.repeat(255), callToAction: 'WATCH_MORE' }));
    refuses(withCreatives({ ...creative, headline: 'h'.repeat(256) }), ['creatives.0.headline'], 'invalid_field_value');
    refuses(withCreatives({ ...creative, callToAction: 'APPLY' }), ['creatives.0.callToAction'], 'invalid_field_value');
  });

  it.each(['headline', 'body', 'linkUrl', 'callToAction'])('need %s', (field) => {
    refuses(withCreatives({ ...creative, [field]: null }), [`creatives.0.${field}`], 'missing_required_field');
  });
});

describe('declarations', () => {
  it.each([
    [{ specialAdCategories: [] }, []],
    [{ specialAdCategories: ['HOUSING', 'ISSUES_ELECTIONS_POLITICS'], specialAdCategoryCountry: ['us', 'CA'] }, []],
    [{ specialAdCategories: ['CREDIT'] }, ['specialAdCategories.0']],
    [{ specialAdCategories: ['HOUSING', 'HOUSING'] }, ['specialAdCategories.1']],
    [{ specialAdCategoryCountry: ['US'] }, ['specialAdCategoryCountry']],
    [{ specialAdCategories: [], specialAdCategoryCountry: ['US'] }, ['specialAdCategoryCountry']],
    [{ specialAdCategories: ['HOUSING'], specialAdCategoryCountry: [] }, ['specialAdCategoryCountry']],
    [{ specialAdCategories: ['HOUSING'], specialAdCategoryCountry: ['USA'] }, ['specialAdCategoryCountry.0']],
    [{ specialAdCategories: ['HOUSING'], specialAdCategoryCountry: ['US', 'us'] }, ['specialAdCategoryCountry.1']],
    [{ politicalAdvertising: false }, []],
    [{ politicalAdvertising: 'no' }, ['politicalAdvertising']],
    [{ regionalRegulation: [{ category: 'TAIWAN_UNIVERSAL', beneficiaryId: '1', payerId: '2' }] }, []],
    [{ regionalRegulation: [{ category: 'Taiwan' }] }, ['regionalRegulation.0.category']],
    [{ regionalRegulation: [{ category: 'SPAIN_FINSERV', payerId: 'Shop' }] }, ['regionalRegulation.0.payerId']],
    [
      { regionalRegulation: [{ category: 'INDIA_FINSERV' }, { category: 'INDIA_FINSERV' }] },
      ['regionalRegulation.1.category'],
    ],
  ])('of %j have problems at %j', (more, paths) => {
    expect(Object.keys(refusalOf({ ...legacy, ...more })?.fields ?? {})).toEqual(paths);
  });
});

describe('bids', () => {
  const bid = (more: Loose, goal = 'conversions'): Loose => ({ ...legacy, goal, ...more });

  it.each([
    [{}],
    [{ bidStrategy: 'LOWEST_COST_WITHOUT_CAP' }],
    [{ bidStrategy: 'LOWEST_COST_WITH_BID_CAP', bidAmount: 1.5 }],
    [{ bidStrategy: 'COST_CAP', bidAmount: 1.5 }],
    [{ bidStrategy: 'LOWEST_COST_WITH_MIN_ROAS', roasAverageFloor: 0.01 }],
    [{ bidStrategy: 'LOWEST_COST_WITH_MIN_ROAS', roasAverageFloor: 1000 }],
  ])('are accepted as %j', (more) => accepts(bid(more)));

  it.each([
    [{ bidAmount: 1 }, 'bidAmount', 'invalid_field_value'],
    [{ roasAverageFloor: 2 }, 'roasAverageFloor', 'invalid_field_value'],
    [{ bidStrategy: 'COST_CAP' }, 'bidAmount', 'missing_required_field'],
    [{ bidStrategy: 'LOWEST_COST_WITH_BID_CAP' }, 'bidAmount', 'missing_required_field'],
    [{ bidStrategy: 'LOWEST_COST_WITH_MIN_ROAS' }, 'roasAverageFloor', 'missing_required_field'],
    [
      { bidStrategy: 'LOWEST_COST_WITH_MIN_ROAS', roasAverageFloor: 2, bidAmount: 1 },
      'bidAmount',
      'invalid_field_value',
    ],
    [{ bidStrategy: 'LOWEST_COST_WITH_MIN_ROAS', roasAverageFloor: 0.009 }, 'roasAverageFloor', 'invalid_field_value'],
    [{ bidStrategy: 'LOWEST_COST_WITH_MIN_ROAS', roasAverageFloor: 1000.1 }, 'roasAverageFloor', 'invalid_field_value'],
    [{ bidStrategy: 'LOWEST_COST' }, 'bidStrategy', 'invalid_field_value'],
  ])('are refused as %j', (more, field, code) => refuses(bid(more), [field], code));

  it('for a minimum return go only with conversions and app_promotion', () => {
    const roas = { bidStrategy: 'LOWEST_COST_WITH_MIN_ROAS', roasAverageFloor: 2 };
    accepts(bid(roas, 'app_promotion'));
    refuses(bid(roas, 'traffic'), ['bidStrategy'], 'invalid_field_value');
  });
});

describe('targeting and schedule', () => {
  it.each([
    [{ ageMin: 13, ageMax: 65 }, []],
    [{ ageMin: 30, ageMax: 30 }, []],
    [{ ageMin: 31, ageMax: 30 }, ['ageMin']],
    [{ ageMin: 12 }, ['ageMin']],
    [{ ageMax: 66 }, ['ageMax']],
    [{ countries: ['DE', 'US'] }, []],
    [{ countries: ['DEU'] }, ['countries.0']],
    [{ countries: ['UK'] }, ['countries.0']],
    [{ countries: ['DEU'] }, ['countries.0']],
    [{ cities: [{ key: '1', radius: 10, distance_unit: 'mile', countryCode: 'US' }, { key: '2' }] }, []],
    [{ cities: [{ key: '1', radius: 10 }] }, ['cities.0.distance_unit']],
    [{ cities: [{ key: '1', radius: 80, distance_unit: 'kilometer' }] }, []],
    [{ cities: [{ key: '1', radius: 81, distance_unit: 'kilometer' }] }, ['cities.0.radius']],
    [{ cities: [{ key: '1', radius: 17, distance_unit: 'kilometer' }] }, []],
    [{ cities: [{ key: '1', radius: 16.9, distance_unit: 'kilometer' }] }, ['cities.0.radius']],
    [{ cities: [{ key: '1', radius: 9, distance_unit: 'mile' }] }, ['cities.0.radius']],
    [{ cities: [{ key: '1' }, { key: '2', radius: 51, distance_unit: 'mile' }] }, ['cities.1.radius']],
    [{ cities: [{ key: '1' }, { key: '2', distance_unit: 'kilometer' }] }, ['cities.1.radius']],
    [{ interests: [{ id: '1', name: 'Ski' }] }, []],
    [{ interests: [{ id: '1' }] }, ['interests.0.name']],
    [{ budgetType: 'lifetime', endDate: '2030-01-01T00:00:00+02:00' }, []],
    [{ budgetType: 'lifetime' }, ['endDate']],
    [{ endDate: '2030-01-01' }, ['endDate']],
    [{ endDate: '2030-01-01T00:00:00' }, ['endDate']],
    [{ advantageAudience: 1 }, []],
    [{ advantageAudience: 2 }, ['advantageAudience']],
    [{ advantageAudience: true }, ['advantageAudience']],
  ])('%j has problems at %j', (more, fields) => {
    expect(Object.keys(refusalOf({ ...legacy, ...more })?.fields ?? {})).toEqual(fields);
  });
});

describe('attributionSpec', () => {
  const window = (eventType: string, windowDays: number): Loose => ({ eventType, windowDays });
  const click = window('CLICK_THROUGH', 28);
  const view = window('VIEW_THROUGH', 1);
  const engaged = window('ENGAGED_VIDEO_VIEW', 1);

  it.each([
    [[click], []],
    [[click, view, engaged], []],
    [[], ['attributionSpec']],
    [
      [click, view, engaged, click],
      ['attributionSpec', 'attributionSpec.3.eventType'],
    ],
    [[window('CLICK_THROUGH', 14)], ['attributionSpec.0.windowDays']],
    [[window('VIEW_THROUGH', 7)], ['attributionSpec.0.windowDays']],
    [[view, window('ENGAGED_VIDEO_VIEW', 28)], ['attributionSpec.1.windowDays']],
    [[click, engaged], ['attributionSpec.1.eventType']],
    [[click, click], ['attributionSpec.1.eventType']],
  ])('%j has problems at %j', (attributionSpec, fields) => {
    expect(Object.keys(refusalOf({ ...legacy, attributionSpec })?.fields ?? {})).toEqual(fields);
  });
});

describe('texts and ids', () => {
  it.each([
    [{ name: 'n'.repeat(255) }, []],
    [{ name: 'n'.repeat(256) }, ['name']],
    [{ dsaPayor: 'p'.repeat(100) }, []],
    [{ dsaPayor: 'p'.repeat(101) }, ['dsaPayor']],
    [{ organizationId: '123' }, []],
    [{ organizationId: 'urn:li:organization:123' }, []],
    [{ organizationId: 'Shop Ltd' }, ['organizationId']],
    [{ brandIdentity: { displayName: 'b'.repeat(40), imageUrl: 'https://shop.example/b.png' } }, []],
    [
      { brandIdentity: { displayName: 'b'.repeat(41), imageUrl: 'https://shop.example/b.png' } },
      ['brandIdentity.displayName'],
    ],
    [{ keywords: ['k'.repeat(80), 'a b c d e f g h i j'] }, []],
    [{ keywords: ['k'.repeat(81), 'a b c d e f g h i j k'] }, ['keywords.0', 'keywords.1']],
    [{ keywords: ['coats', { text: 'coat', matchType: 'EXACT' }] }, []],
    [
      {
        keywords: [
          { text: 'k'.repeat(81), matchType: 'EXACT' },
          { text: 'coat' },
          { text: 'coat', matchType: 'exact' },
          { text: 'coat', matchType: 'EXACT', bid: 1 },
          5,
        ],
      },
      ['keywords.0.text', 'keywords.1.matchType', 'keywords.2.matchType', 'keywords.3.bid', 'keywords.4'],
    ],
    [{ keywords: Array(200).fill({ text: 'coat', matchType: 'EXACT' }) }, []],
    [{ keywords: Array(201).fill({ text: 'coat', matchType: 'EXACT' }) }, ['keywords']],
    [{ negativeKeywords: Array(200).fill({ text: 'free' }) }, []],
    [{ negativeKeywords: Array(201).fill({ text: 'free' }) }, ['negativeKeywords']],
    [
      { negativeKeywords: ['free', { text: 'a b c d e f g h i j k' }, { text: '', matchType: 'BROAD' }] },
      ['negativeKeywords.0', 'negativeKeywords.1.text', 'negativeKeywords.2.text'],
    ],
    [{ excludedCountries: ['DE', 'UK'] }, ['excludedCountries.1']],
    [{ excludedAudienceIds: Array(50).fill('1') }, []],
    [{ excludedAudienceIds: Array(51).fill('1') }, ['excludedAudienceIds']],
    [
      {
        excludedCities: [
          { key: '1', radius: 9, distance_unit: 'mile' },
          { key: '2', radius: 10 },
        ],
      },
      ['excludedCities.0.radius', 'excludedCities.1.distance_unit'],
    ],
    [{ additionalHeadlines: Array(14).fill('h') }, []],
    [{ additionalHeadlines: Array(15).fill('h') }, ['additionalHeadlines']],
    [{ additionalDescriptions: Array(4).fill('d') }, ['additionalDescriptions']],
    [{ linkUrl: 'ftp://shop.example' }, ['linkUrl']],
    [{ urlParameters: [{ key: 'utm_source.A-1', value: 'v'.repeat(200) }] }, []],
    [{ languages: ['de', 'EN'], devices: ['mobile', 'tablet'] }, []],
    [{ languages: [], devices: ['phone', 'mobile', 'mobile'] }, ['languages', 'devices.0']],
    [{ languages: ['de', 'DE', 'deu'] }, ['languages.1', 'languages.2']],
    [{ languages: [...languageCodes].slice(0, 50) }, []],
    [{ languages: [...languageCodes].slice(0, 51) }, ['languages']],
    [{ urlParameters: [] }, ['urlParameters']],
    [{ urlParameters: Array.from({ length: 15 }, (_, at) => ({ key: `k${at}`, value: 'v' })) }, ['urlParameters']],
    [
      {
        urlParameters: [
          { key: 'a b', value: 'v' },
          { key: 'k'.repeat(65), value: 'v'.repeat(201) },
          { key: 'c', value: ' ' },
        ],
      },
      ['urlParameters.0.key', 'urlParameters.1.key', 'urlParameters.1.value', 'urlParameters.2.value'],
    ],
    [
      {
        urlParameters: [
          { key: 'a', value: 'b' },
          { key: 'a', value: 'c' },
        ],
      },
      ['urlParameters.1.key'],
    ],
    [{ accountId: 'ABC' }, ['accountId']],
    [{ currency: 'EUR', status: 'PAUSED', validateOnly: true }, []],
    [{ currency: 'euro', status: 'paused', validateOnly: 'yes' }, ['currency', 'status', 'validateOnly']],
  ])('case %#', (more, fields) => {
    expect(Object.keys(refusalOf({ ...legacy, ...more })?.fields ?? {})).toEqual(fields);
  });

  it('lets a list that is too long hide no other problem', () => {
    const { goal: _goal, ...aimless } = multiCreative;
    refuses({ ...aimless, creatives: Array(51).fill(creative) }, ['goal', 'creatives'], 'missing_required_field');
  });

  it('describes every field of the request', () => {
    const bare = Object.entries(CreateAdInput.shape).filter(([, member]) => !member.meta()?.description);
    expect(bare.map(([field]) => field)).toEqual([]);
  });
});
