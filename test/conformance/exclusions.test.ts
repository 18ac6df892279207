import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { exclusionFields } from '../../src/contract/ad-exclusions.ts';
import type { AdPlatform } from '../../src/contract/platforms.ts';
import { startTestApp, type Answer, type TestApp } from '../support/app.ts';
import type { UserFixture } from '../support/user-fixture.ts';
import { discovered, fixtureOf, goodAdOf, received, subjects } from './platforms.ts';

type Body = Record<string, unknown>;

let app: TestApp;
beforeAll(async () => void (app = await startTestApp()));
afterAll(() => app.stop());

/** What each platform takes, and what of it reaches the platform. */
interface Row {
  takes: (fixture: UserFixture) => Body;
  sends: (fixture: UserFixture) => unknown[];
}

const ofFirstAdAccount = ({ connection }: UserFixture, name: string): string =>
  String((connection.adAccounts as unknown as Body[])[0]?.[name]);
const largeAudience = ({ connection }: UserFixture): string =>
  ((connection.adAccounts as unknown as { audiences: { id: string; size: number }[] }[])[0]?.audiences ?? []).find(
    ({ size }) => size >= 100,
  )?.id ?? '';

const rows: Record<AdPlatform, Row> = {
  A: {
    takes: () => ({
      countries: ['US', 'CA'],
      excludedCountries: ['MX'],
      excludedRegions: [{ key: '3847' }],
      excludedCities: [{ key: '2490299', radius: 10, distance_unit: 'mile' }],
      excludedAudienceIds: ['23850000000001'],
    }),
    sends: () => [
      {
        geo_locations: { countries: ['US', 'CA'] },
        excluded_geo_locations: {
          countries: ['MX'],
          regions: [{ key: '3847' }],
          cities: [{ key: '2490299', radius: 10, distance_unit: 'mile' }],
        },
        excluded_custom_audiences: [{ id: '23850000000001' }],
      },
    ],
  },
  B: {
    takes: (fixture) => ({
      countries: ['US'],
      negativeKeywords: [{ text: 'free' }, { text: 'second hand', matchType: 'EXACT' }],
      excludedCountries: ['MX'],
      excludedRegions: [{ key: '21137' }],
      excludedAudienceIds: [ofFirstAdAccount(fixture, 'userListId')],
    }),
    sends: (fixture) => [
      { negative: true, location: { geoTargetConstant: 'geoTargetConstants/2484' } },
      { negative: true, location: { geoTargetConstant: 'geoTargetConstants/21137' } },
      { negative: true, keyword: { text: 'free', matchType: 'BROAD' } },
      { negative: true, keyword: { text: 'second hand', matchType: 'EXACT' } },
      {
        negative: true,
        userList: {
          userList: `customers/${fixture.adAccountIds.usd}/userLists/${ofFirstAdAccount(fixture, 'userListId')}`,
        },
      },
    ],
  },
  C: {
    takes: (fixture) => ({ excludedAudienceIds: [largeAudience(fixture)] }),
    sends: (fixture) => [{ AUDIENCE_EXCLUDE: [largeAudience(fixture)] }],
  },
  D: {
    takes: () => ({ excludedAudienceIds: ['4711', '4712'] }),
    sends: () => [{ excluded_audience_ids: ['4711', '4712'] }],
  },
  E: {
    takes: (fixture) => ({ excludedAudienceIds: [ofFirstAdAccount(fixture, 'audienceId')] }),
    sends: (fixture) => [
      {
        targeting_type: 'CUSTOM_AUDIENCE',
        targeting_value: ofFirstAdAccount(fixture, 'audienceId'),
        operator_type: 'NE',
      },
    ],
  },
  F: {
    takes: () => ({ countries: ['US', 'CA'], excludedCountries: ['MX'] }),
    sends: () => [{ exclude: { or: { 'urn:li:adTargetingFacet:locations': ['urn:li:geo:103323778'] } } }],
  },
};

const samples: Body = {
  negativeKeywords: [{ text: 'free' }],
  excludedCountries: ['MX'],
  excludedRegions: [{ key: '3847' }],
  excludedCities: [{ key: '2490299' }],
  excludedAudienceIds: ['4711'],
};

const targetingFields = `targeting {
  countries keywords keywordsWithMatchType { text matchType } negativeKeywords { text matchType } excludedCountries
  excludedRegions { key countryCode } excludedCities { key radius distanceUnit countryCode } excludedAudienceIds }`;
const mutation = `mutation ($input: CreateAdInput!) { createAd(input: $input) {
  valid requests { method url body } ad { id ${targetingFields} } } }`;
/** Enum values in the spelling of GraphQL. */
const asInput = (body: Body): Body => {
  const cities = (body['excludedCities'] as Body[] | undefined)?.map((city) => ({
    ...city,
    ...(city['distance_unit'] !== undefined && { distance_unit: String(city['distance_unit']).toUpperCase() }),
  }));
  return {
    ...body,
    ...(body['goal'] !== undefined && { goal: String(body['goal']).toUpperCase() }),
    ...(body['budgetType'] !== undefined && { budgetType: String(body['budgetType']).toUpperCase() }),
    ...(body['campaignType'] !== undefined && { campaignType: String(body['campaignType']).toUpperCase() }),
    ...(cities && { excludedCities: cities }),
  };
};
const searchAd = {
  campaignType: 'search',
  images: undefined,
  additionalHeadlines: ['Sharp tools', 'Free returns'],
  additionalDescriptions: ['Order today.'],
};

describe.each(subjects)('platform $platform', (subject) => {
  const { platform } = subject;
  const { takes, sends } = rows[platform];
  let fixture: UserFixture;
  beforeAll(async () => void (fixture = await fixtureOf(app, subject)));
  const good = (more: Body): Body => ({ ...goodAdOf(app, subject, fixture), ...more });
  const rest = (body: Body): Promise<Answer> => app.call('POST', '/v1/ads/create', { key: fixture.key, body });
  const graphql = async (body: Body): Promise<Answer['body']> =>
    (await app.graphql(mutation, { input: asInput(body) }, { key: fixture.key })).body;

  it('receives the exclusions that it has, and both APIs show them', async () => {
    const excluded = takes(fixture);
    let created: Answer | undefined;
    const entries = await received(app, subject, async () => void (created = await rest(good(excluded))));
    expect(created).toMatchObject({ status: 201 });
    const sent = entries.filter(({ method }) => method !== 'GET').map(({ body }) => body);
    for (const part of sends(fixture)) expect(membersOf(sent)).toContainEqual(expect.objectContaining(part));
    const { targeting, _id: id } = created?.body.ad ?? {};
    for (const field of Object.keys(excluded).filter((name) => name in exclusionFields))
      expect(targeting[field], field).toHaveLength((excluded[field] as unknown[]).length);
    const query = `query ($id: ID!) { ad(adId: $id) { ${targetingFields} } }`;
    const { data } = (await app.graphql(query, { id }, { key: fixture.key })).body;
    expect(inWords(data.ad.targeting)).toEqual(inWords(picked(targeting, Object.keys(data.ad.targeting))));
  });

  it('gets the same requests from both APIs, shown by a dry run', async () => {
    const body = good({ ...takes(fixture), validateOnly: true });
    const answer = await rest(body);
    expect(answer).toMatchObject({ status: 200, body: { valid: true } });
    for (const part of sends(fixture))
      expect(membersOf(answer.body.requests)).toContainEqual(expect.objectContaining(part));
    const { data } = await graphql(body);
    expect(lengthsOf(data.createAd.requests)).toEqual(lengthsOf(answer.body.requests));
    for (const part of sends(fixture))
      expect(membersOf(data.createAd.requests)).toContainEqual(expect.objectContaining(part));
  });

  it('is named as one that lacks the others, on both APIs, and receives nothing', async () => {
    const lacking = Object.keys(exclusionFields).filter((field) => !(field in takes(fixture)));
    const body = good({ countries: ['US'], ...picked(samples, lacking) });
    const entries = await received(app, subject, async () => {
      const answer = await rest(body);
      const { errors } = await graphql(body);
      expect(answer).toMatchObject({ status: 400, body: { code: 'invalid_field_value' } });
      expect(Object.keys(answer.body.details.fields)).toEqual(lacking);
      for (const field of lacking)
        expect(answer.body.details.fields[field]).toEqual([expect.stringContaining('is not for platform')]);
      expect(errors[0].extensions.details).toEqual(answer.body.details);
    });
    expect(entries.filter(({ method }) => method !== 'GET')).toEqual([]);
  });
});

const readable = new Set<AdPlatform>(['A', 'C', 'D', 'F']);
it.each(subjects.filter(({ platform }) => readable.has(platform)))(
  'shows the exclusions of an ad on $platform that was not created here',
  async (subject) => {
    const own = await fixtureOf(app, subject);
    const excluded = rows[subject.platform].takes(own);
    const body = { ...goodAdOf(app, subject, own), ...excluded };
    const created = await app.call('POST', '/v1/ads/create', { key: own.key, body });
    expect(created).toMatchObject({ status: 201 });
    const { ads, adSets, campaigns } = app.app.services.db;
    const { accountId } = own;
    await Promise.all([ads, adSets, campaigns].map((records) => records.collection.deleteMany({ accountId })));
    await discovered(app, own);
    const { body: found } = await app.call('GET', '/v1/ads', { key: own.key });
    const ad = found.ads.find(({ platformAdId }: Body) => platformAdId === created.body.ad.platformAdId);
    expect(ad).toMatchObject({ isExternal: true });
    for (const field of Object.keys(excluded))
      expect(ad.targeting[field], field).toEqual(created.body.ad.targeting[field]);
  },
);

it.each(subjects.filter(({ platform }) => platform !== 'F'))(
  'names an unknown or contradicting audience on $platform by its place',
  async (subject) => {
    const { platform } = subject;
    const fixture = await fixtureOf(app, subject);
    const order = (more: Body): Promise<Answer> => {
      const body = { ...goodAdOf(app, subject, fixture), ...more };
      return app.call('POST', '/v1/ads/create', { key: fixture.key, body });
    };
    const [known] = rows[platform].takes(fixture)['excludedAudienceIds'] as string[];
    const both = await order({ audienceId: known, excludedAudienceIds: [known] });
    expect(both).toMatchObject({ status: 400, body: { param: 'excludedAudienceIds.0' } });
    // The simulated A and D have no audiences to distinguish.
    if (platform === 'A' || platform === 'D') return;
    const answer = await order({ excludedAudienceIds: [known, '9876543210'] });
    expect(answer).toMatchObject({ status: 400, body: { param: 'excludedAudienceIds.1', platform } });
  },
);

it('A names unknown excluded places by their place in the list', async () => {
  const [subject] = subjects as [(typeof subjects)[number]];
  const fixture = await fixtureOf(app, subject);
  const known = { key: '2490299' };
  for (const more of [
    { excludedCities: [known, { key: '9876543210' }] },
    { excludedRegions: [{ key: '3847' }, { key: '9876543210' }] },
  ]) {
    const body = { ...goodAdOf(app, subject, fixture), countries: ['US'], ...more };
    const answer = await app.call('POST', '/v1/ads/create', { key: fixture.key, body });
    expect(answer).toMatchObject({ status: 400, body: { param: `${Object.keys(more)[0]}.1`, platform: 'A' } });
  }
});

describe('keywords', () => {
  const subject = subjects.find(({ platform }) => platform === 'B') as (typeof subjects)[number];
  let fixture: UserFixture;
  beforeAll(async () => void (fixture = await fixtureOf(app, subject)));
  const order = (more: Body): Body => ({ ...goodAdOf(app, subject, fixture), ...searchAd, ...more });

  it('are texts and objects in one list of REST, in two of GraphQL, and reach the platform with their match types', async () => {
    const keywords = ['garden shears', { text: 'pruners', matchType: 'EXACT' }, { text: 'hedge', matchType: 'BROAD' }];
    const expected = [
      { text: 'garden shears', matchType: 'PHRASE' },
      { text: 'pruners', matchType: 'EXACT' },
      { text: 'hedge', matchType: 'BROAD' },
    ];
    const answers: Body[] = [];
    const entries = await received(app, subject, async () => {
      const { body } = await app.call('POST', '/v1/ads/create', { key: fixture.key, body: order({ keywords }) });
      answers.push(body.ad.targeting);
      const input = asInput(order({ keywords: keywords.slice(0, 1), keywordsWithMatchType: keywords.slice(1) }));
      answers.push((await app.graphql(mutation, { input }, { key: fixture.key })).body.data.createAd.ad.targeting);
    });
    const sent = membersOf(entries.map(({ body }) => body)).flatMap((member) => {
      const { keyword, negative } = member as { keyword?: unknown; negative?: boolean };
      return keyword && !negative ? [keyword] : [];
    });
    expect(sent).toEqual([...expected, ...expected]);
    const shown = { keywords: expected.map(({ text }) => text), keywordsWithMatchType: expected };
    expect(answers).toMatchObject([shown, shown]);
  });

  it('of GraphQL are also named by their place in the list of both', async () => {
    const input = asInput(order({ keywords: ['shears'], keywordsWithMatchType: [{ text: ' ', matchType: 'EXACT' }] }));
    const { errors } = (await app.graphql(mutation, { input }, { key: fixture.key })).body;
    expect(errors[0].extensions).toMatchObject({ code: 'invalid_field_value', param: 'keywords.1.text' });
  });

  it('that the platform rejects are named by their place, also the negative ones', async () => {
    const body = order({ keywords: ['shears'], negativeKeywords: [{ text: 'free' }, { text: 'b@d' }] });
    const answer = await app.call('POST', '/v1/ads/create', { key: fixture.key, body });
    expect(answer).toMatchObject({ status: 400, body: { param: 'negativeKeywords.1', platform: 'B' } });
  });
});

/** Every object and list within a value; texts of JSON are read. */
function membersOf(value: unknown): unknown[] {
  const parsed = typeof value === 'string' && /^(\{"|\[["{])/.test(value) ? (JSON.parse(value) as unknown) : value;
  if (parsed === null || typeof parsed !== 'object') return [];
  return [parsed, ...Object.values(parsed).flatMap(membersOf)];
}

const picked = (from: Body, names: string[]): Body => Object.fromEntries(names.map((name) => [name, from[name]]));
const inWords = (value: unknown): unknown => JSON.parse(JSON.stringify(value).toLowerCase());
const lengthsOf = (requests: Body[]): unknown[] => requests.map(({ method, body }) => [method, sizeOf(body)]);
const sizeOf = (value: unknown): number => membersOf(value).length;
