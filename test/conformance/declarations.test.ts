import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { AdPlatform } from '../../src/contract/platforms.ts';
import { startTestApp, type Answer, type TestApp } from '../support/app.ts';
import type { UserFixture } from '../support/user-fixture.ts';
import { discovered, fixtureOf, goodAdOf, received, subjects, type Entry, type Subject } from './platforms.ts';

type Body = Record<string, unknown>;

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp();
});
afterAll(() => app.stop());

const wireNames = [
  'special_ad_categories',
  'special_ad_category_country',
  'regional_regulated_categories',
  'regional_regulation_identities',
  'containsEuPoliticalAdvertising',
  'politicalIntent',
  'special_industries',
];

/** What requests declare, wherever in them it stands; form values of A are JSON texts. */
function declaredIn(value: unknown, found: Body = {}): Body {
  if (value === null || typeof value !== 'object') return found;
  for (const [name, member] of Object.entries(value)) {
    const isText = typeof member === 'string' && /^[[{]/.test(member);
    if (wireNames.includes(name)) found[name] = isText ? JSON.parse(member) : member;
    else declaredIn(member, found);
  }
  return found;
}
const sentIn = (entries: Pick<Entry, 'body'>[]): Body => declaredIn(entries.map(({ body }) => body));

const nothing = {
  specialAdCategories: null,
  specialAdCategoryCountry: null,
  politicalAdvertising: null,
  regionalRegulation: null,
};
const taiwan = { category: 'TAIWAN_UNIVERSAL', beneficiaryId: '11', payerId: '12' };
const thailand = { category: 'THAILAND_UNIVERSAL', beneficiaryId: '13', payerId: '14' };

interface Case {
  /** What an order without declarations sends, and what its ad shows. */
  none: { sent: Body; shown: Body | null };
  /** Declarations, what they are sent as, and what the ad shows. */
  given?: { fields: Body; sent: Body; shown: Body };
}

const cases: Record<AdPlatform, Case> = {
  A: {
    none: {
      sent: { special_ad_categories: [] },
      shown: { ...nothing, specialAdCategories: [], specialAdCategoryCountry: [], regionalRegulation: [] },
    },
    given: {
      fields: {
        specialAdCategories: ['FINANCIAL_PRODUCTS_SERVICES', 'ISSUES_ELECTIONS_POLITICS'],
        specialAdCategoryCountry: ['TW'],
        countries: ['TW', 'TH'],
        regionalRegulation: [taiwan, thailand],
      },
      sent: {
        special_ad_categories: ['FINANCIAL_PRODUCTS_SERVICES', 'ISSUES_ELECTIONS_POLITICS'],
        special_ad_category_country: ['TW'],
        regional_regulated_categories: ['TAIWAN_UNIVERSAL', 'THAILAND_UNIVERSAL'],
        regional_regulation_identities: {
          taiwan_universal_beneficiary: '11',
          taiwan_universal_payer: '12',
          universal_beneficiary: '13',
          universal_payer: '14',
        },
      },
      shown: {
        ...nothing,
        specialAdCategories: ['FINANCIAL_PRODUCTS_SERVICES', 'ISSUES_ELECTIONS_POLITICS'],
        specialAdCategoryCountry: ['TW'],
        regionalRegulation: [taiwan, thailand],
      },
    },
  },
  B: {
    none: {
      sent: { containsEuPoliticalAdvertising: 'DOES_NOT_CONTAIN_EU_POLITICAL_ADVERTISING' },
      shown: { ...nothing, politicalAdvertising: false },
    },
    given: {
      fields: { politicalAdvertising: true },
      sent: { containsEuPoliticalAdvertising: 'CONTAINS_EU_POLITICAL_ADVERTISING' },
      shown: { ...nothing, politicalAdvertising: true },
    },
  },
  C: { none: { sent: {}, shown: null } },
  D: {
    none: { sent: {}, shown: { ...nothing, specialAdCategories: [] } },
    given: {
      fields: { specialAdCategories: ['HOUSING', 'FINANCIAL_PRODUCTS_SERVICES'] },
      sent: { special_industries: ['HOUSING', 'CREDIT'] },
      shown: { ...nothing, specialAdCategories: ['HOUSING', 'FINANCIAL_PRODUCTS_SERVICES'] },
    },
  },
  E: { none: { sent: {}, shown: null } },
  F: {
    none: { sent: { politicalIntent: 'NOT_POLITICAL' }, shown: { ...nothing, politicalAdvertising: false } },
    given: {
      fields: { politicalAdvertising: true },
      sent: { politicalIntent: 'POLITICAL' },
      shown: { ...nothing, politicalAdvertising: true },
    },
  },
};

const everyField: Body = {
  specialAdCategories: ['EMPLOYMENT'],
  specialAdCategoryCountry: ['US'],
  politicalAdvertising: false,
  regionalRegulation: [{ category: 'INDIA_FINSERV' }],
};
const fieldsOn: Record<AdPlatform, string[]> = {
  A: ['specialAdCategories', 'specialAdCategoryCountry', 'regionalRegulation'],
  B: ['politicalAdvertising'],
  C: [],
  D: ['specialAdCategories'],
  E: [],
  F: ['politicalAdvertising'],
};

const shownFields = `declarations { specialAdCategories specialAdCategoryCountry politicalAdvertising regionalRegulation { category beneficiaryId payerId } }`;
const mutation = `mutation ($input: CreateAdInput!) {
  createAd(input: $input) { ad { id ${shownFields} } ads { ${shownFields} } warnings { param message } requests { body } }
}`;

interface Both {
  rest: Answer;
  /** What the mutation returns, or the extensions of its error. */
  graphql: Answer['body'];
}

const control = async ({ simulated }: Subject, path: string, body: object): Promise<Answer['body']> => {
  const answer = await fetch(`${app.sandbox.url}/control/${simulated}/${path}`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify(body),
  });
  expect(answer.status).toBe(200);
  return answer.json();
};

interface Actor {
  subject: Subject;
  fixture: UserFixture;
  order: (more: Body) => Body;
  post: (more: Body) => Promise<Answer>;
  /** The same order through both APIs, to be created twice if it is valid. */
  both: (more: Body) => Promise<Both>;
  treeAds: () => Promise<Body[]>;
}

/** Values of enums in upper case. */
const inGraphql = ({ cities, ...body }: Body): Body => ({
  ...Object.fromEntries(
    Object.entries(body).map(([name, value]) => [
      name,
      ['goal', 'budgetType', 'gender'].includes(name) ? String(value).toUpperCase() : value,
    ]),
  ),
  ...(Array.isArray(cities) && {
    cities: cities.map(({ distance_unit: unit, ...city }) => ({
      ...city,
      ...(unit && { distance_unit: unit.toUpperCase() }),
    })),
  }),
});

const writesIn = (entries: Entry[]): Entry[] => entries.filter(({ method }) => method !== 'GET');

async function actorOn(platform: AdPlatform): Promise<Actor> {
  const subject = subjects.find((one) => one.platform === platform) as Subject;
  const fixture = await fixtureOf(app, subject);
  const { key } = fixture;
  const order = (more: Body): Body => ({ ...goodAdOf(app, subject, fixture), ...more });
  const post = (more: Body): Promise<Answer> => app.call('POST', '/v1/ads/create', { key, body: order(more) });
  return {
    subject,
    fixture,
    order,
    post,
    async both(more) {
      const input = inGraphql(order(more));
      const { data, errors } = (await app.graphql(mutation, { input }, { key })).body;
      return { rest: await post(more), graphql: errors ? errors[0].extensions : data.createAd };
    },
    async treeAds() {
      const { campaigns } = (await app.call('GET', '/v1/ads/tree?limit=100', { key })).body;
      return campaigns.flatMap(({ adSets }: Answer['body']) => adSets.flatMap(({ ads }: Answer['body']) => ads));
    },
  };
}

describe.each(subjects)('declarations on platform $platform', ({ platform }) => {
  const { none } = cases[platform];
  let actor: Actor;
  beforeAll(async () => {
    actor = await actorOn(platform);
  });

  it('are none by default, which the platform receives and the ad shows, without a warning', async () => {
    const entries = await received(app, actor.subject, async () => {
      const { rest, graphql } = await actor.both({});
      expect(rest).toMatchObject({ status: 201, body: { ad: { declarations: none.shown } } });
      expect(rest.body.warnings).toBeUndefined();
      expect(graphql).toMatchObject({ ad: { declarations: none.shown }, warnings: null });
    });
    expect(sentIn(entries)).toEqual(none.sent);
  });

  it('are rejected by both APIs where the platform has none, with the platforms that have them', async () => {
    const foreign = Object.keys(everyField).filter((name) => !fieldsOn[platform].includes(name));
    const { rest, graphql } = await actor.both(everyField);
    expect(rest).toMatchObject({ status: 400, body: { code: 'invalid_field_value' } });
    expect(Object.keys(rest.body.details.fields)).toEqual(foreign);
    for (const name of foreign)
      expect(rest.body.details.fields[name][0]).toMatch(
        /^is not for platform [A-F]; it is for ([A-F] \([^)]+\)(, )?)+$/,
      );
    expect(graphql).toMatchObject({ code: 'invalid_field_value', details: { fields: rest.body.details.fields } });
  });

  it('are listed among the capabilities of the platform', async () => {
    const { platforms } = (await app.call('GET', '/v1/platforms', { key: actor.fixture.key })).body;
    const row = platforms.find((one: Body) => one['platform'] === platform);
    expect(row.declarations.map(({ param }: Body) => param)).toEqual(fieldsOn[platform]);
  });

  it('are shown with ads that were created at the platform', async () => {
    const owner = await actorOn(platform);
    await control(owner.subject, 'found-campaigns', { adAccountId: owner.fixture.adAccountIds.usd });
    await discovered(app, owner.fixture);
    const ads = await owner.treeAds();
    expect(ads.length).toBeGreaterThan(0);
    for (const ad of ads) expect(ad).toMatchObject({ isExternal: true, declarations: none.shown });
  });
});

describe.each(['A', 'B', 'D', 'F'] as const)('declarations of a caller on platform %s', (platform) => {
  it('are sent in the words of the platform and shown by both APIs, the tree and a dry run', async () => {
    const { fields, sent, shown } = cases[platform].given as NonNullable<Case['given']>;
    const actor = await actorOn(platform);
    const entries = await received(app, actor.subject, async () => {
      const { rest, graphql } = await actor.both(fields);
      expect(rest).toMatchObject({ status: 201, body: { ad: { declarations: shown } } });
      expect(graphql.ad.declarations).toEqual(shown);
      const ads = await actor.treeAds();
      expect(ads.find(({ _id }) => _id === rest.body.ad._id)).toMatchObject({ declarations: shown });
    });
    expect(sentIn(entries)).toEqual(sent);
    const dry = await actor.both({ ...fields, validateOnly: true });
    expect(sentIn(dry.rest.body.requests)).toEqual(sent);
    expect(sentIn(dry.graphql.requests)).toEqual(sent);
  });
});

describe.each(['B', 'F'] as const)('political advertising on platform %s', (platform) => {
  let actor: Actor;
  beforeAll(async () => {
    actor = await actorOn(platform);
  });

  it('causes a warning if it is declared by default and the targeting meets the EU, in a dry run too', async () => {
    const warning = {
      param: 'politicalAdvertising',
      message: expect.stringContaining('is declared as false by default'),
    };
    for (const validateOnly of [false, true]) {
      const { rest, graphql } = await actor.both({ countries: ['US', 'DE'], validateOnly });
      expect(rest.body.warnings).toEqual([warning]);
      expect(graphql.warnings).toEqual(rest.body.warnings);
    }
    expect((await actor.post({ countries: ['US', 'DE'], politicalAdvertising: false })).body.warnings).toBeUndefined();
    expect((await actor.post({ countries: ['US', 'CH'] })).body.warnings).toBeUndefined();
  });
});

it('warns that B does not show political advertising in the EU, and creates the ad', async () => {
  const { rest, graphql } = await (await actorOn('B')).both({ countries: ['FR'], politicalAdvertising: true });
  expect(rest.status).toBe(201);
  expect(rest.body.warnings).toEqual([
    { param: 'politicalAdvertising', message: expect.stringContaining('does not show political ads in the EU') },
  ]);
  expect(graphql.warnings).toEqual(rest.body.warnings);
});

it('rejects political advertising in the EU on F before anything is sent', async () => {
  const actor = await actorOn('F');
  const entries = await received(app, actor.subject, async () => {
    const { rest, graphql } = await actor.both({ countries: ['US', 'SE'], politicalAdvertising: true });
    expect(rest).toMatchObject({ status: 400, body: { code: 'invalid_field_value', param: 'politicalAdvertising' } });
    expect(graphql).toMatchObject({ code: 'invalid_field_value', param: 'politicalAdvertising' });
  });
  expect(writesIn(entries)).toEqual([]);
});

it('says what to do if an ad account on B has not accepted the policy on housing, employment and credit', async () => {
  const { subject, fixture, post } = await actorOn('B');
  await control(subject, `accounts/${fixture.adAccountIds.usd}`, { lacksHecAgreement: true });
  const { status, body } = await post({});
  expect(status).toBe(400);
  expect(body.error).toMatch(/must accept the policy of the platform on personalised ads/);
});

describe('special ad categories on D', () => {
  it('have three of the values, reach adults only, and are rejected with both problems at once', async () => {
    const actor = await actorOn('D');
    const specialAdCategories = ['HOUSING', 'ONLINE_GAMBLING_AND_GAMING'];
    const { rest, graphql } = await actor.both({ specialAdCategories, ageMin: 13 });
    expect(rest).toMatchObject({ status: 400, body: { code: 'invalid_field_value' } });
    expect(Object.keys(rest.body.details.fields)).toEqual(['ageMin', 'specialAdCategories.1']);
    expect(graphql.details.fields).toEqual(rest.body.details.fields);
    const { body } = await actor.post({ specialAdCategories: ['EMPLOYMENT'], validateOnly: true });
    expect(JSON.stringify(body.requests)).toContain(
      '"age_groups":["AGE_18_24","AGE_25_34","AGE_35_44","AGE_45_54","AGE_55_100"]',
    );
  });

  it('are refused with the field for an advertiser that is registered elsewhere', async () => {
    const { subject, fixture, post } = await actorOn('D');
    await control(subject, 'advertisers', { advertiserId: fixture.adAccountIds.usd, country: 'DE' });
    const { status, body } = await post({ specialAdCategories: ['EMPLOYMENT'] });
    expect({ status, param: body.param }).toEqual({ status: 400, param: 'specialAdCategories' });
    expect(body.error).toMatch(/cannot be added to a campaign or changed later.*registered in DE/);
  });
});

describe('special ad categories on A', () => {
  let actor: Actor;
  beforeAll(async () => {
    actor = await actorOn('A');
  });

  it('apply in the targeted countries by default, also those of cities and regions', async () => {
    const places = {
      countries: ['CA'],
      cities: [{ key: '2421836', radius: 40, distance_unit: 'kilometer', countryCode: 'US' }],
      regions: [{ key: '4079', countryCode: 'GB' }],
    };
    const { body } = await actor.post({ specialAdCategories: ['EMPLOYMENT'], ...places, validateOnly: true });
    expect(sentIn(body.requests)).toMatchObject({ special_ad_category_country: ['CA', 'US', 'GB'] });
    expect(body.warnings).toBeUndefined();
  });

  it('need their countries if that of a city is unknown', async () => {
    const { rest, graphql } = await actor.both({
      specialAdCategories: ['HOUSING'],
      cities: [{ key: '77', radius: 20, distance_unit: 'mile' }],
    });
    expect(rest).toMatchObject({
      status: 400,
      body: { code: 'missing_required_field', param: 'specialAdCategoryCountry' },
    });
    expect(graphql).toMatchObject({ code: 'missing_required_field', param: 'specialAdCategoryCountry' });
  });

  it('exclude narrow ages and genders and small cities, all reported at once before anything is sent', async () => {
    const narrow = { ageMin: 25, ageMax: 40, gender: 'female', countries: ['US', 'TW', 'SG'] };
    const entries = await received(app, actor.subject, async () => {
      const { status, body } = await actor.post({ specialAdCategories: ['HOUSING'], ...narrow });
      expect(status).toBe(400);
      expect(Object.keys(body.details.fields)).toEqual(['ageMin', 'ageMax', 'gender', 'regionalRegulation']);
      expect(body.details.fields.regionalRegulation).toEqual([
        expect.stringContaining('TAIWAN_UNIVERSAL'),
        expect.stringContaining('SINGAPORE_UNIVERSAL'),
      ]);
    });
    expect(writesIn(entries)).toEqual([]);
    expect((await actor.post({ specialAdCategories: ['HOUSING'], ageMin: 18, ageMax: 65, gender: 'all' })).status).toBe(
      201,
    );
    expect((await actor.post({ specialAdCategories: ['ONLINE_GAMBLING_AND_GAMING'], ageMin: 25 })).status).toBe(201);
  });

  it('cause a warning for a city with a smaller radius than the platform is known to accept', async () => {
    const cities = [{ key: '2421836', radius: 20, distance_unit: 'kilometer', countryCode: 'US' }];
    const { rest, graphql } = await actor.both({ specialAdCategories: ['HOUSING'], cities, validateOnly: true });
    expect(rest.body.warnings).toEqual([
      { param: 'cities.0.radius', message: expect.stringContaining('25 kilometers') },
    ]);
    expect(graphql.warnings).toEqual(rest.body.warnings);
  });

  it('cause a warning for leads without them, unless an empty list says so', async () => {
    const leads = { goal: 'lead_generation', promotedObject: { leadFormId: '5' }, callToAction: 'SIGN_UP' };
    const warned = await actor.post(leads);
    expect(warned.body.warnings).toEqual([
      { param: 'specialAdCategories', message: expect.stringContaining('is declared as none') },
    ]);
    expect((await actor.post({ ...leads, specialAdCategories: [] })).body.warnings).toBeUndefined();
  });

  it('are declared for all ads of several creatives', async () => {
    const { imageUrl, headline, body, linkUrl, callToAction, ...order } = actor.order({});
    const entry = { imageUrl, headline, body, linkUrl, callToAction };
    const answer = await app.call('POST', '/v1/ads/create', {
      key: actor.fixture.key,
      body: { ...order, creatives: [entry, entry], specialAdCategories: ['HOUSING'] },
    });
    expect(answer.status).toBe(201);
    const shown = { specialAdCategories: ['HOUSING'], specialAdCategoryCountry: ['US'] };
    expect(answer.body.ads).toMatchObject([{ declarations: shown }, { declarations: shown }]);
  });

  it('are those of the parents for an ad in an existing ad set', async () => {
    const owner = await actorOn('A');
    const { ad } = (await owner.post({ specialAdCategories: ['HOUSING'] })).body;
    const { goal: _goal, budgetAmount: _amount, budgetType: _type, ...order } = owner.order({});
    const body = { ...order, adSetId: ad.platformAdSetId };
    const attached = await app.call('POST', '/v1/ads/create', { key: owner.fixture.key, body });
    expect(attached).toMatchObject({ status: 201, body: { ad: { declarations: ad.declarations } } });
    await discovered(app, owner.fixture);
    const ads = await owner.treeAds();
    expect(ads.map(({ declarations }) => declarations)).toEqual([ad.declarations, ad.declarations]);
  });
});

describe('regional regulation on A', () => {
  it('is required for a city in Taiwan and a region of Singapore', async () => {
    const { both } = await actorOn('A');
    const places = { cities: [{ key: '1', countryCode: 'TW' }], regions: [{ key: '2', countryCode: 'SG' }] };
    const { rest, graphql } = await both(places);
    expect(rest).toMatchObject({ status: 400, body: { code: 'missing_required_field', param: 'regionalRegulation' } });
    expect(rest.body.details.fields.regionalRegulation).toHaveLength(2);
    expect(graphql.details.fields).toEqual(rest.body.details.fields);
  });

  it('is completed in two rounds if the platform names one missing identity at a time', async () => {
    const { post } = await actorOn('A');
    const singapore = { category: 'SINGAPORE_UNIVERSAL', beneficiaryId: '21', payerId: '22' };
    const order = (...regionalRegulation: object[]): Promise<Answer> =>
      post({ countries: ['SG', 'TW'], regionalRegulation });
    const named = [];
    const rounds = [
      [{ category: 'TAIWAN_UNIVERSAL' }, { category: 'SINGAPORE_UNIVERSAL' }],
      [taiwan, { category: 'SINGAPORE_UNIVERSAL' }],
    ];
    for (const round of rounds) {
      const { status, body } = await order(...round);
      expect(status).toBe(400);
      expect(Object.keys(body.details.fields)).toEqual(['regionalRegulation']);
      named.push(/[A-Z]+_UNIVERSAL/.exec(body.details.fields.regionalRegulation[0])?.[0]);
    }
    expect(named).toEqual(['TAIWAN_UNIVERSAL', 'SINGAPORE_UNIVERSAL']);
    expect(await order(taiwan, singapore)).toMatchObject({ status: 201 });
  });

  it('rejects different ids for categories that share one identity', async () => {
    const { post } = await actorOn('A');
    const brazil = { category: 'BRAZIL_REGULATION', beneficiaryId: '13', payerId: '99' };
    const { status, body } = await post({ regionalRegulation: [thailand, taiwan, brazil] });
    expect(status).toBe(400);
    expect(Object.keys(body.details.fields)).toEqual(['regionalRegulation.2.payerId']);
  });
});

describe('beneficiary and payer in the EU', () => {
  const defaults = { default_dsa_beneficiary: 'Shop GmbH', default_dsa_payor: 'Agency GmbH' };
  /** The next order reads the list of ad accounts again. */
  const outdated = async ({ accountId }: UserFixture): Promise<void> => {
    await app.app.services.db.accounts.updateOne({ _id: accountId }, { adAccountsAt: new Date(0) });
  };
  const berlin = { cities: [{ key: '777934', countryCode: 'DE' }] };

  it.each([
    ['a country', { countries: ['DE'] }],
    ['a city', berlin],
    ['a region', { regions: [{ key: '1067', countryCode: 'DE' }] }],
  ])('are the defaults of the ad account for %s if both are absent', async (_what, places) => {
    const actor = await actorOn('A');
    await control(actor.subject, `accounts/${actor.fixture.adAccountIds.usd}`, defaults);
    await outdated(actor.fixture);
    const { rest, graphql } = await actor.both({ ...places, validateOnly: true });
    expect(JSON.stringify(rest.body.requests)).toContain('"dsa_beneficiary":"Shop GmbH","dsa_payor":"Agency GmbH"');
    expect(graphql.requests).toEqual(expect.arrayContaining([expect.anything()]));
    expect((await actor.post(places)).status).toBe(201);
    const half = await actor.post({ ...places, dsaPayor: 'Agency GmbH' });
    expect(half).toMatchObject({ status: 400, body: { param: 'dsaBeneficiary' } });
    const elsewhere = await actor.post({ validateOnly: true });
    expect(JSON.stringify(elsewhere.body.requests)).not.toContain('dsa_');
  });

  it('are required if the ad account has a default for one of them only', async () => {
    const actor = await actorOn('A');
    await control(actor.subject, `accounts/${actor.fixture.adAccountIds.usd}`, { default_dsa_payor: 'Agency GmbH' });
    await outdated(actor.fixture);
    const { status, body } = await actor.post(berlin);
    expect({ status, fields: Object.keys(body.details.fields) }).toEqual({
      status: 400,
      fields: ['dsaBeneficiary', 'dsaPayor'],
    });
  });
});

describe.each(['A', 'D'] as const)('a copied campaign on platform %s', (platform) => {
  it('keeps its declarations at the platform and in its record', async () => {
    const { subject, fixture, post, treeAds } = await actorOn(platform);
    const { key } = fixture;
    const { ad } = (await post(cases[platform].given?.fields ?? {})).body;
    const order = { platform: subject.account, syncAfter: false };
    const path = `/v1/ads/campaigns/${ad.platformCampaignId}/duplicate`;
    let copy: Answer | undefined;
    const entries = await received(app, subject, async () => {
      copy = await app.call('POST', path, { key, body: order });
      const read = `/v1/ads/campaigns/duplications/${copy.body.duplicationId}`;
      const status = async () => (await app.call('GET', read, { key })).body.duplication.status;
      await expect.poll(status).toBe('completed');
    });
    if (platform === 'D') expect(sentIn(entries)).toEqual(cases.D.given?.sent);
    const ofCopy = async () =>
      (await treeAds()).find(({ platformCampaignId }) => platformCampaignId === copy?.body.copiedCampaignId);
    expect(await ofCopy()).toMatchObject({ declarations: ad.declarations });
    await app.app.services.db.ads.deleteMany({ platformCampaignId: copy?.body.copiedCampaignId });
    await discovered(app, fixture);
    expect(await ofCopy()).toMatchObject({ isExternal: true, declarations: ad.declarations });
  });
});

it('explains that an ad set of A without the audience flag cannot be copied in a special ad category', async () => {
  const { subject, fixture } = await actorOn('A');
  const targeting = { geo_locations: { countries: ['US'] } };
  const { campaigns } = await control(subject, 'campaigns', {
    adAccountId: fixture.adAccountIds.usd,
    campaigns: [
      {
        name: 'Homes',
        fields: { special_ad_categories: ['HOUSING'], special_ad_category_country: ['US'] },
        adsets: [{ name: 'Set', fields: { targeting }, ads: [{ name: 'Ad' }] }],
      },
    ],
  });
  const path = `/v1/ads/campaigns/${campaigns[0].id}/duplicate`;
  const { status, body } = await app.call('POST', path, { key: fixture.key, body: { platform: subject.account } });
  expect(status).toBe(400);
  expect(body.error).toMatch(/must say whether Advantage audience is on, also to be copied/);
});
