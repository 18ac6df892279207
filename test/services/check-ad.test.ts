import { describe, expect, it } from 'vitest';
import { CreateAdInput } from '../../src/contract/ad-input.ts';
import { callsToAction, goals } from '../../src/contract/capability.ts';
import { parseInput } from '../../src/contract/parse.ts';
import { AdPlatform, platforms } from '../../src/contract/platforms.ts';
import type { AdCheckContext } from '../../src/services/ads/ad-check-context.ts';
import { checkAd, type AdCheck } from '../../src/services/ads/check-ad.ts';
import { attach, bare, creative, legacy, multiCreative, type Loose } from '../contract/ads.ts';

const link = 'https://shop.example/coats';
const image = 'https://shop.example/coat.png';
const video = { url: 'https://shop.example/v.mp4', thumbnailUrl: 'https://shop.example/v.png' };
const images = { landscape: image, square: image };

/** An order of the platform that every rule accepts. */
const good: Record<AdPlatform, Loose> = {
  A: { ...legacy, headline: 'Coats', callToAction: 'SHOP_NOW', linkUrl: link, imageUrl: image },
  B: { ...legacy, headline: 'Coats', linkUrl: link, images },
  C: { ...legacy, headline: 'Coats', linkUrl: link, imageUrl: image },
  D: { ...legacy, linkUrl: link, video: { url: video.url } },
  E: { ...legacy, linkUrl: link },
  F: { ...legacy, headline: 'Coats', linkUrl: link, imageUrl: image },
};

const factsOf = (platform: AdPlatform, more: Partial<AdCheckContext> = {}): AdCheckContext => ({
  platform,
  accountPlatform: platforms[platform].accounts[0],
  adAccount: { id: '1', name: 'Main', currency: 'USD', isActive: true },
  currencyFactor: (currency) => (currency === 'JPY' ? 1 : 100),
  now: new Date('2027-01-31T09:00:00Z'),
  hasPage: true,
  hasOrganization: true,
  hasPostingAccount: true,
  ...more,
});

const evaluate = (platform: AdPlatform, input: Loose, facts?: Partial<AdCheckContext>): AdCheck =>
  checkAd(parseInput(CreateAdInput, input, { dropNulls: true }), factsOf(platform, facts));

/** The paths of the problems when the platform's good order is changed. */
const problems = (platform: AdPlatform, more: Loose = {}, facts?: Partial<AdCheckContext>): string[] =>
  evaluate(platform, { ...good[platform], ...more }, facts).problems.map(({ path }) => path);

const each = AdPlatform.options;
const search = {
  campaignType: 'search',
  images: null,
  additionalHeadlines: ['Two', 'Three'],
  additionalDescriptions: ['Two'],
};
const page = { pixelId: '1', customEventType: 'PURCHASE' };

describe('a good order', () => {
  it.each(each)('of platform %s has neither problems nor warnings', (platform) => {
    expect(evaluate(platform, good[platform])).toEqual({ problems: [], warnings: [] });
  });

  it('of platform A may also be several creatives or one more ad in an ad set', () => {
    const single = { headline: 'Coats', callToAction: 'SHOP_NOW', linkUrl: link, imageUrl: image };
    expect(evaluate('A', multiCreative)).toEqual({ problems: [], warnings: [] });
    expect(evaluate('A', { ...attach, ...single })).toEqual({ problems: [], warnings: [] });
  });
});

describe('what a platform needs', () => {
  it.each([
    ['A', 'headline', null],
    ['A', 'callToAction', null],
    ['A', 'linkUrl', null],
    ['A', 'imageUrl', null],
    ['B', 'headline', null],
    ['B', 'linkUrl', null],
    ['C', 'headline', null],
    ['C', 'linkUrl', null],
    ['C', 'imageUrl', null],
    ['D', 'linkUrl', null],
    ['D', 'video', null],
    ['E', 'linkUrl', null],
    ['F', 'headline', null],
    ['F', 'linkUrl', null],
    ['F', 'imageUrl', null],
  ] as const)('%s needs %s', (platform, field, nothing) => {
    const { problems: found } = evaluate(platform, { ...good[platform], [field]: nothing });
    expect(found).toMatchObject([{ code: 'missing_required_field', path: field }]);
  });

  it.each(['headline', 'callToAction', 'linkUrl', 'imageUrl'])('A needs %s to attach too', (field) => {
    const input = {
      ...attach,
      headline: 'Coats',
      callToAction: 'SHOP_NOW',
      linkUrl: link,
      imageUrl: image,
      [field]: null,
    };
    expect(evaluate('A', input).problems).toMatchObject([{ code: 'missing_required_field', path: field }]);
  });

  it.each([
    ['E', 'engagement', []],
    ['E', 'awareness', []],
    ['E', 'traffic', ['linkUrl']],
    ['F', 'engagement', []],
    ['F', 'awareness', []],
    ['F', 'traffic', ['linkUrl']],
  ] as const)('%s without linkUrl for %s has problems at %j', (platform, goal, paths) => {
    expect(problems(platform, { goal, linkUrl: null })).toEqual(paths);
  });

  it.each([
    ['A', { video }, ['video']],
    ['A', { imageUrl: null, video }, []],
    ['A', { imageUrl: null, video: { url: video.url } }, ['video.thumbnailUrl']],
    ['D', { imageUrl: image }, ['imageUrl']],
    ['D', { video: null, imageUrl: 'https://shop.example/v.mp4' }, []],
    ['F', { video }, ['video']],
    ['F', { imageUrl: null, video: { url: video.url } }, []],
    ['F', { goal: 'video_views', linkUrl: null, imageUrl: null, video }, []],
    ['F', { goal: 'video_views' }, ['video']],
    ['B', { images: { square: image } }, ['images.landscape']],
    ['B', { images: { square: image }, imageUrl: image }, []],
    ['B', { images: { landscape: image } }, ['images.square']],
    ['B', { images, imageUrl: image }, ['imageUrl']],
  ] as const)('media on %s: %j has problems at %j', (platform, more, paths) => {
    expect(problems(platform, more)).toEqual(paths);
  });

  it('names both media that exclude each other with the code for it', () => {
    expect(evaluate('A', { ...good.A, video }).problems).toMatchObject([
      { code: 'mutually_exclusive_fields', path: 'video' },
    ]);
  });
});

describe('goals', () => {
  const without: Record<AdPlatform, string[]> = {
    A: [],
    B: ['video_views', 'app_promotion'],
    C: ['video_views', 'app_promotion'],
    D: [],
    E: ['video_views', 'lead_generation', 'app_promotion'],
    F: ['app_promotion'],
  };

  it.each(each)('on %s are those of its row', (platform) => {
    expect(goals.filter((goal) => problems(platform, { goal }).includes('goal'))).toEqual(without[platform]);
  });

  it.each([
    ['A', 'conversions', {}, ['promotedObject.pixelId']],
    ['A', 'conversions', { pixelId: '1' }, ['promotedObject.customEventType']],
    ['A', 'conversions', { customConversionId: '1' }, []],
    ['A', 'lead_generation', { customConversionId: '1' }, []],
    ['A', 'conversions', page, []],
    ['A', 'app_promotion', {}, ['promotedObject.applicationId', 'promotedObject.objectStoreUrl']],
    ['A', 'app_promotion', { applicationId: '1', objectStoreUrl: link }, []],
    ['A', 'lead_generation', {}, ['promotedObject.leadFormId']],
    ['A', 'lead_generation', { leadFormId: '1' }, []],
    ['A', 'lead_generation', { pixelId: '1' }, []],
    ['C', 'conversions', {}, ['promotedObject.pixelId']],
    ['C', 'lead_generation', { pixelId: '1' }, []],
    ['D', 'conversions', {}, ['promotedObject.pixelId']],
    ['D', 'lead_generation', {}, []],
    ['D', 'app_promotion', {}, ['promotedObject.applicationId', 'promotedObject.objectStoreUrl']],
    ['E', 'conversions', {}, ['promotedObject.pixelId']],
    ['F', 'lead_generation', {}, ['promotedObject.leadFormId']],
    ['F', 'conversions', {}, ['promotedObject.customConversionId']],
    ['F', 'conversions', { customConversionId: '1' }, []],
  ] as const)('%s %s with %j has problems at %j', (platform, goal, promotedObject, paths) => {
    expect(problems(platform, { goal, promotedObject }).sort()).toEqual([...paths].sort());
  });

  it('on B take no promotedObject', () => {
    expect(problems('B', { goal: 'conversions' })).toEqual([]);
    expect(problems('B', { goal: 'conversions', promotedObject: page })).toEqual(['promotedObject']);
  });
});

describe('fields of other platforms', () => {
  const samples: Loose = {
    cities: [{ key: '1' }],
    regions: [{ key: '1' }],
    advantageAudience: 0,
    attributionSpec: [{ eventType: 'CLICK_THROUGH', windowDays: 7 }],
    gender: 'all',
    dsaBeneficiary: 'Shop Ltd',
    dsaPayor: 'Shop Ltd',
    video: { url: video.url },
    promotedObject: { pixelId: '1' },
    campaignType: 'display',
    images,
    businessName: 'Shop',
    longHeadline: 'Warm coats',
    keywords: ['coat'],
    negativeKeywords: [{ text: 'free' }],
    excludedCountries: ['MX'],
    excludedRegions: [{ key: '2' }],
    excludedCities: [{ key: '2' }],
    excludedAudienceIds: ['2'],
    additionalHeadlines: ['Two'],
    additionalDescriptions: ['Two'],
    boardId: '1',
    organizationId: '1',
    brandIdentity: { displayName: 'Shop', imageUrl: image },
    identityType: 'CUSTOMIZED_USER',
  };
  const rows = each.flatMap((platform) => Object.keys(samples).map((field) => [platform, field] as const));

  it.each(rows)('%s takes %s or names who does', (platform, field) => {
    const { problems: found } = evaluate(platform, { ...good[platform], [field]: samples[field] });
    const refusal = found.find(({ path, message }) => path === field && message.startsWith('is not for platform'));
    const takes = (platforms[platform].owns as readonly string[]).includes(field);
    expect(refusal === undefined).toBe(takes);
    const takers = each.filter((name) => (platforms[name].owns as readonly string[]).includes(field));
    for (const taker of takes ? [] : takers) expect(refusal?.message).toContain(`${taker} (`);
  });

  it.each(each.filter((platform) => platform !== 'A'))(
    '%s takes neither creatives nor adSetId, and says nothing of what they lack',
    (platform) => {
      expect(evaluate(platform, multiCreative).problems).toMatchObject([
        { code: 'invalid_field_value', path: 'creatives' },
      ]);
      expect(evaluate(platform, attach).problems).toMatchObject([{ code: 'invalid_field_value', path: 'adSetId' }]);
    },
  );

  it('are named beside a shape that the platform has not', () => {
    expect(
      evaluate('C', { ...multiCreative, currency: 'EUR', gender: 'male' }).problems.map(({ path }) => path),
    ).toEqual(['currency', 'creatives', 'gender']);
  });
});

describe('platform B', () => {
  it.each([
    [search, []],
    [{ ...search, keywords: ['coat'] }, []],
    [{ ...search, additionalHeadlines: ['Two'] }, ['additionalHeadlines']],
    [
      { ...search, additionalHeadlines: null, additionalDescriptions: null },
      ['additionalHeadlines', 'additionalDescriptions'],
    ],
    [{ ...search, images }, ['images']],
    [{ ...search, businessName: 'Shop', longHeadline: 'Coats' }, ['longHeadline', 'businessName']],
    [{ keywords: ['coat'] }, ['keywords']],
    [{ campaignType: 'display', additionalHeadlines: ['Two'] }, ['additionalHeadlines']],
  ])('search and display: case %#', (more, paths) => {
    expect(problems('B', more)).toEqual(paths);
  });

  it('says how many texts a search ad lacks', () => {
    const { problems: found } = evaluate('B', { ...good.B, ...search, additionalHeadlines: null });
    expect(found).toMatchObject([
      { code: 'missing_required_field', message: 'search ads need 3 in all; 2 more are missing' },
    ]);
  });
});

describe('exclusions', () => {
  const berlin = { key: '7', countryCode: 'DE' };
  const inSearch = { ...search, keywords: ['Coat', { text: 'scarf', matchType: 'EXACT' }] };

  it.each([
    ['A', { countries: ['DE', 'FR'], excludedCountries: ['CH', 'DE'] }, ['excludedCountries.1']],
    ['A', { countries: ['DE'], excludedCountries: ['DE'] }, ['excludedCountries.0']],
    ['A', { regions: [berlin], excludedRegions: [{ key: '8' }, { key: '7' }] }, ['excludedRegions.1']],
    ['A', { cities: [berlin], excludedCities: [{ key: '7' }] }, ['excludedCities.0']],
    ['A', { cities: [berlin], excludedRegions: [{ key: '7' }] }, []],
    ['A', { audienceId: '1', excludedAudienceIds: ['2', '1'] }, ['excludedAudienceIds.1']],
    ['D', { audienceId: '1', excludedAudienceIds: ['2'] }, []],
    ['D', { excludedAudienceIds: ['2', '3', '2'] }, ['excludedAudienceIds.2']],
    ['A', { countries: ['DE'], excludedCountries: ['CH', 'CH'] }, ['excludedCountries.1']],
    ['B', { ...inSearch, negativeKeywords: [{ text: 'coat', matchType: 'PHRASE' }] }, ['negativeKeywords.0']],
    ['B', { ...inSearch, negativeKeywords: [{ text: 'scarf', matchType: 'EXACT' }] }, ['negativeKeywords.0']],
    ['B', { ...inSearch, negativeKeywords: [{ text: 'scarf' }] }, []],
  ] as const)('on %s that repeat or contradict an entry are rejected by their place: %j', (platform, more, paths) => {
    expect(
      problems(platform, {
        ...more,
        dsaBeneficiary: platform === 'A' ? 'Shop' : null,
        dsaPayor: platform === 'A' ? 'Shop' : null,
      }),
    ).toEqual(paths);
  });

  it.each([
    [{ excludedCountries: ['MX'] }, ['countries']],
    [{ excludedRegions: [{ key: '8' }] }, ['countries']],
    [{ excludedCities: [{ key: '8' }] }, ['countries']],
    [{ excludedAudienceIds: ['1'] }, []],
    [{ countries: ['US'], excludedRegions: [{ key: '8' }] }, []],
    [{ cities: [{ key: '7', countryCode: 'US' }], excludedCountries: ['US'] }, ['excludedCountries']],
    [{ cities: [{ key: '7', countryCode: 'US' }, { key: '9' }], excludedCountries: ['US'] }, []],
    [
      {
        cities: [{ key: '7', countryCode: 'US' }],
        regions: [{ key: '9', countryCode: 'CA' }],
        excludedCountries: ['US'],
      },
      [],
    ],
    [{ countries: ['CA'], cities: [{ key: '7', countryCode: 'US' }], excludedCountries: ['US'] }, []],
  ])('must leave an included place: %j has problems at %j', (more, paths) => {
    expect(problems('A', more)).toEqual(paths);
  });

  it('need an included place with the code of a missing field', () => {
    expect(evaluate('A', { ...good.A, excludedCountries: ['MX'] }).problems).toMatchObject([
      { code: 'missing_required_field', path: 'countries', message: expect.stringContaining('excludedCountries') },
    ]);
  });

  it('do not count as targeting of the EU', () => {
    const outside = {
      countries: ['CH'],
      excludedCountries: ['DE'],
      excludedCities: [berlin],
      excludedRegions: [berlin],
    };
    expect(problems('A', outside)).toEqual([]);
    expect(problems('A', { countries: ['CH', 'FR'], excludedCountries: ['DE'] })).toEqual([
      'dsaBeneficiary',
      'dsaPayor',
    ]);
  });

  it('are inherited by an ad in an existing ad set', () => {
    const single = { headline: 'Coats', callToAction: 'SHOP_NOW', linkUrl: link, imageUrl: image };
    for (const more of [{ excludedCountries: ['MX'] }, { excludedAudienceIds: ['1'] }])
      expect(() => evaluate('A', { ...attach, ...single, ...more })).toThrow(/is inherited from the ad set/);
  });
});

describe('buttons', () => {
  it.each([
    ['A', callsToAction.slice(0, 10)],
    [
      'D',
      ['LEARN_MORE', 'SHOP_NOW', 'SIGN_UP', 'CONTACT_US', 'DOWNLOAD', 'GET_QUOTE', 'SUBSCRIBE', 'WATCH_MORE', 'APPLY'],
    ],
    ['F', [...callsToAction.slice(10), 'LEARN_MORE', 'SIGN_UP', 'DOWNLOAD', 'SUBSCRIBE', 'SHOP_NOW']],
  ] as const)('%s takes its own', (platform, known) => {
    const taken = callsToAction.filter((callToAction) => problems(platform, { callToAction }).length === 0);
    expect(new Set(taken)).toEqual(new Set(known));
  });
});

describe('facts besides the request', () => {
  it.each([
    ['A', {}, { hasPage: false }, ['promotedObject.pageId']],
    ['A', { promotedObject: { pageId: '1' } }, { hasPage: false }, []],
    ['F', {}, { hasOrganization: false }, ['organizationId']],
    ['F', { organizationId: '1' }, { hasOrganization: false }, []],
    ['D', {}, { hasPostingAccount: false }, ['brandIdentity']],
    ['D', {}, { hasPostingAccount: false, hasBrandIdentity: true }, []],
    ['D', { identityType: 'CUSTOMIZED_USER' }, {}, ['brandIdentity']],
    ['D', { identityType: 'CUSTOMIZED_USER', brandIdentity: { displayName: 'Shop', imageUrl: image } }, {}, []],
    ['D', { identityType: 'NETWORK_C_USER' }, { hasPostingAccount: false }, []],
    ['D', { goal: 'engagement', identityType: 'CUSTOMIZED_USER' }, {}, ['identityType']],
    ['D', { goal: 'engagement' }, { hasPostingAccount: false }, ['identityType']],
    ['D', { goal: 'engagement' }, { hasPostingAccount: true }, []],
    ['D', { goal: 'engagement', identityType: 'NETWORK_C_USER' }, {}, []],
  ] as const)('%s with %j and %j has problems at %j', (platform, more, facts, paths) => {
    expect(problems(platform, more, facts)).toEqual(paths);
  });
});

describe('all problems at once', () => {
  it('come in the order of the contract, whatever rule found them', () => {
    const input = { ...bare, body: 'x', goal: 'traffic', budgetAmount: 0.5, budgetType: 'daily', currency: 'EUR' };
    const more = { endDate: '2020-01-01T00:00:00Z', countries: ['FR'], boardId: '1', callToAction: 'APPLY' };
    expect(evaluate('A', { ...input, ...more }).problems.map(({ path }) => path)).toEqual([
      'budgetAmount',
      'currency',
      'headline',
      'callToAction',
      'linkUrl',
      'imageUrl',
      'boardId',
      'endDate',
      'dsaBeneficiary',
      'dsaPayor',
    ]);
  });
});

describe('the additional requirement of a goal', () => {
  it('is an amount to bid for awareness on B', () => {
    expect(problems('B', { goal: 'awareness' })).toEqual(['bidAmount']);
  });

  it('is a video for video views on A, in entries of creatives too', () => {
    expect(problems('A', { goal: 'video_views' })).toEqual(['video']);
    const { headline: _h, body: _b, imageUrl: _i, linkUrl: _l, callToAction: _c, ...rest } = good.A;
    const entry = { headline: 'One', body: 'Text', callToAction: 'LEARN_MORE', linkUrl: link, imageUrl: image };
    const { problems: found } = evaluate('A', { ...rest, goal: 'video_views', creatives: [entry, entry] });
    expect(found.map(({ path }) => path)).toEqual(['creatives.0.video', 'creatives.1.video']);
  });

  it('is a button that opens the lead form on F, and one that surely does on A', () => {
    const form = { goal: 'lead_generation', promotedObject: { leadFormId: '1' } };
    expect(problems('F', { ...form, callToAction: 'SHOP_NOW' })).toEqual(['callToAction']);
    expect(problems('F', { ...form, callToAction: 'APPLY' })).toEqual([]);
    const { problems: found, warnings } = evaluate('A', { ...good.A, ...form, callToAction: 'SHOP_NOW' });
    expect(found).toEqual([]);
    expect(warnings.map(({ param }) => param)).toEqual(['callToAction']);
  });

  it('is a lead form or URL parameters on F, not both', () => {
    const form = { goal: 'lead_generation', callToAction: 'APPLY', promotedObject: { leadFormId: '1' } };
    const { problems: found } = evaluate('F', { ...good.F, ...form, urlParameters: [{ key: 'a', value: 'b' }] });
    expect(found).toEqual([
      {
        code: 'mutually_exclusive_fields',
        path: 'urlParameters',
        message: expect.stringContaining('cannot be combined with promotedObject.leadFormId') as string,
      },
    ]);
  });

  it('is more than a day between now and the end of a daily budget on A', () => {
    const from = Date.parse('2027-01-31T09:00:00Z');
    const after = (hours: number): string => new Date(from + hours * 3_600_000).toISOString();
    expect(problems('A', { endDate: after(24) })).toEqual(['endDate']);
    expect(problems('A', { endDate: after(25) })).toEqual([]);
    expect(problems('A', { budgetType: 'lifetime', endDate: after(2) })).toEqual([]);
  });

  it('is a bid below the budget on D', () => {
    const capped = { bidStrategy: 'LOWEST_COST_WITH_BID_CAP', budgetAmount: 50 };
    expect(problems('D', { ...capped, bidAmount: 50 })).toEqual(['bidAmount']);
    expect(problems('D', { ...capped, bidAmount: 49 })).toEqual([]);
  });
});

describe('ignored fields', () => {
  const custom = { goal: 'conversions', promotedObject: page };
  const spec = { attributionSpec: [{ eventType: 'CLICK_THROUGH', windowDays: 7 }] };

  it.each([
    ['A', spec, ['attributionSpec']],
    ['A', { ...custom, ...spec }, []],
    ['B', { callToAction: 'SHOP_NOW' }, ['callToAction']],
    ['B', { ...search, imageUrl: image }, ['imageUrl']],
    ['B', { goal: 'awareness', bidStrategy: 'LOWEST_COST_WITH_BID_CAP', bidAmount: 1 }, []],
    ['C', { callToAction: 'BUY_NOW' }, ['callToAction']],
    ['D', { headline: 'h'.repeat(300) }, ['headline']],
    ['E', { headline: 'Coats', callToAction: 'SHOP_NOW', imageUrl: image }, ['headline', 'imageUrl', 'callToAction']],
    [
      'F',
      { ageMin: 20, ageMax: 30, interests: [{ id: '1', name: 'Ski' }], audienceId: '1' },
      ['ageMin', 'ageMax', 'interests', 'audienceId'],
    ],
  ] as const)('on %s of %j: %j is warned of and refused for nothing', (platform, more, params) => {
    const { problems: found, warnings } = evaluate(platform, { ...good[platform], ...more });
    expect(found).toEqual([]);
    expect(warnings.map(({ param }) => param).sort()).toEqual([...params].sort());
  });

  it('beside creatives are the fields that each entry has of its own, even wrong ones', () => {
    const top = {
      headline: 'h'.repeat(256),
      body: 'b',
      imageUrl: image,
      video: { url: video.url },
      linkUrl: link,
      callToAction: 'APPLY',
    };
    const { problems: found, warnings } = evaluate('A', { ...multiCreative, creatives: [creative, creative], ...top });
    expect(found).toEqual([]);
    expect(warnings.map(({ param }) => param).sort()).toEqual(Object.keys(top).sort());
  });
});
