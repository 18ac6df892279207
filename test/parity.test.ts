import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { schema } from '../src/graphql/schema.ts';
import { operations } from '../src/operations/index.ts';
import { startTestApp, type Answer, type TestApp } from './support/app.ts';
import { goodAd, createUserFixture, type UserFixture } from './support/user-fixture.ts';

let app: TestApp;
let fixture: UserFixture;
let listing: UserFixture;

beforeAll(async () => {
  app = await startTestApp();
  fixture = await createUserFixture(app);
  listing = await createUserFixture(app, { platform: 'listing' });
});
afterAll(() => app.stop());

describe('the two APIs', () => {
  it('have the same operations under the same names', () => {
    const fields = [schema.getQueryType(), schema.getMutationType()].flatMap((type) =>
      Object.keys(type?.getFields() ?? {}),
    );
    expect(operations.map(({ name }) => name).toSorted()).toEqual(fields.toSorted());
  });
});

interface Case {
  what: string;
  rest: () => { method: string; path: string; body?: object };
  graphql: () => { query: string; variables?: object };
  key?: () => Promise<string>;
}

const enumName = (value: unknown): unknown =>
  typeof value === 'string' ? value.toUpperCase().replaceAll('-', '_') : value;
/** The same body as GraphQL writes it: enum values in upper case. */
const asInput = (body: Record<string, unknown>): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(body).map(([name, value]) => [
      name,
      ['goal', 'budgetType', 'scope', 'permission', 'gender'].includes(name) ? enumName(value) : value,
    ]),
  );
const createAd = (
  change: (body: Record<string, unknown>) => Record<string, unknown>,
): Pick<Case, 'rest' | 'graphql'> => ({
  rest: () => ({ method: 'POST', path: '/v1/ads/create', body: change(goodAd(fixture)) }),
  graphql: () => ({
    query:
      'mutation ($input: CreateAdInput!) { createAd(input: $input) { message ad { id status } ads { id } warnings { param } valid } }',
    variables: { input: asInput(change(goodAd(fixture))) },
  }),
});
const without = (body: Record<string, unknown>, ...names: string[]): Record<string, unknown> =>
  Object.fromEntries(Object.entries(body).filter(([name]) => !names.includes(name)));
const createKey = (body: Record<string, unknown>): Pick<Case, 'rest' | 'graphql'> => ({
  rest: () => ({ method: 'POST', path: '/v1/api-keys', body }),
  graphql: () => ({
    query: 'mutation ($input: CreateApiKeyInput!) { createApiKey(input: $input) { message apiKey { id } } }',
    variables: { input: asInput(body) },
  }),
});
const gone = 'f'.repeat(24);
const listingKey = async (): Promise<string> => listing.key;
const changeLocation = (body: object, accountId = () => listing.accountId): Pick<Case, 'rest' | 'graphql' | 'key'> => ({
  key: listingKey,
  rest: () => ({ method: 'PUT', path: `/v1/accounts/${accountId()}/listing-location-details`, body }),
  graphql: () => ({
    query:
      'mutation ($id: ID!, $input: UpdateListingLocationDetailsInput!) { updateListingLocationDetails(accountId: $id, input: $input) { success } }',
    variables: { id: accountId(), input: body },
  }),
});
const changeAttributes = (body: object): Pick<Case, 'rest' | 'graphql' | 'key'> => ({
  key: listingKey,
  rest: () => ({ method: 'PUT', path: `/v1/accounts/${listing.accountId}/listing-attributes`, body }),
  graphql: () => ({
    query:
      'mutation ($id: ID!, $input: UpdateListingAttributesInput!) { updateListingAttributes(accountId: $id, input: $input) { success } }',
    variables: { id: listing.accountId, input: body },
  }),
});
const readKey = async (): Promise<string> => (await fixture.keyWith({ permission: 'read' })).key;
const profileKey = async (): Promise<string> =>
  (await fixture.keyWith({ scope: 'profiles', profileIds: [fixture.profileId] })).key;

/** Removals in both APIs; nothing that exists is named. */
function removalCases(): Case[] {
  const campaign = (query: string, args: string): Pick<Case, 'rest' | 'graphql'> => ({
    rest: () => ({ method: 'DELETE', path: `/v1/ads/campaigns/999?${query}` }),
    graphql: () => ({ query: `mutation { deleteCampaign(campaignId: "999", ${args}) { success affected { ads } } }` }),
  });
  return [
    {
      what: 'an unknown ad to delete',
      rest: () => ({ method: 'DELETE', path: `/v1/ads/${gone}` }),
      graphql: () => ({ query: `mutation { deleteAd(adId: "${gone}") { success } }` }),
    },
    {
      what: 'an ad to delete with a read-only key',
      key: readKey,
      rest: () => ({ method: 'DELETE', path: `/v1/ads/${gone}` }),
      graphql: () => ({ query: `mutation { deleteAd(adId: "${gone}") { success } }` }),
    },
    {
      what: 'an unknown campaign to delete',
      ...campaign('platform=network-a&confirm=0', 'platform: NETWORK_A, confirm: 0'),
    },
    {
      what: 'a campaign to delete without its number of ads',
      ...campaign('platform=network-a', 'platform: NETWORK_A'),
    },
    {
      what: 'a campaign to delete with a number of ads that is none',
      ...campaign('platform=network-a&confirm=-1', 'platform: NETWORK_A, confirm: -1'),
    },
    {
      what: 'a campaign to archive where that is not possible',
      ...campaign('platform=network-c&confirm=1&mode=archive', 'platform: NETWORK_C, confirm: 1, mode: ARCHIVE'),
    },
    {
      what: 'an unknown ad set to delete',
      rest: () => ({ method: 'DELETE', path: '/v1/ads/ad-sets/999?platform=network-a&validateOnly=true' }),
      graphql: () => ({
        query: 'mutation { deleteAdSet(adSetId: "999", platform: NETWORK_A, validateOnly: true) { success } }',
      }),
    },
  ];
}

/** The endpoints of connecting: their queries, mutations and refusals. */
function connectCases(): Case[] {
  const start = (change: Record<string, string>, key?: Case['key']): Pick<Case, 'rest' | 'graphql' | 'key'> => {
    const asked = (): Record<string, string> => ({ platform: 'listing', profileId: fixture.profileId, ...change });
    return {
      key,
      rest: () => {
        const { platform, ...query } = asked();
        return { method: 'GET', path: `/v1/connect/${platform}?${new URLSearchParams(query)}` };
      },
      graphql: () => ({
        query: 'mutation ($input: StartConnectInput!) { startConnect(input: $input) { authUrl state } }',
        variables: { input: { ...asked(), platform: enumName(asked()['platform']) } },
      }),
    };
  };
  const page = (change: object, key?: Case['key']): Pick<Case, 'rest' | 'graphql' | 'key'> => {
    const chosen = { pageId: '1', tempToken: 'nothing', userProfile: { id: '1' } };
    const body = (): object => ({ profileId: fixture.profileId, ...chosen, ...change });
    return {
      key,
      rest: () => ({ method: 'POST', path: '/v1/connect/social-network/select-page', body: body() }),
      graphql: () => ({
        query:
          'mutation ($input: SelectSocialNetworkPageInput!) { selectSocialNetworkPage(input: $input) { message } }',
        variables: { input: body() },
      }),
    };
  };
  return [
    { what: 'a connection begun', ...start({}) },
    { what: 'a connection to a foreign profile', ...start({ profileId: gone }) },
    { what: 'a connection that ends in a script', ...start({ redirect_url: 'javascript:alert(1)' }) },
    { what: 'a connection again of nothing', ...start({ accountId: gone }) },
    { what: 'a connection with a read-only key', ...start({}, readKey) },
    { what: 'a page with a dead token', ...page({}) },
    { what: 'a page for a foreign profile', ...page({ profileId: gone }) },
    { what: 'a page of no account', ...page({ userProfile: {} }) },
    { what: 'a page without an id', ...page({ pageId: ' ' }) },
    { what: 'a page with an unknown field', ...page({ page: '1' }) },
    { what: 'a page with a read-only key', ...page({}, readKey) },
  ];
}

/** Reports in both APIs; nothing that exists is read. */
function reportCases(): Case[] {
  const report = (input: Record<string, string>, key?: Case['key']): Pick<Case, 'rest' | 'graphql' | 'key'> => {
    const asked = (): Record<string, string> => ({ accountId: fixture.accountId, adAccountId: 'act_1', ...input });
    const { level, datePreset } = input;
    return {
      key,
      rest: () => ({ method: 'GET', path: `/v1/ads/report?${new URLSearchParams(asked())}` }),
      graphql: () => ({
        query: 'query ($input: AdReportInput!) { adReport(input: $input) { fromDate rows { platformId } } }',
        variables: {
          input: {
            ...asked(),
            ...(level && { level: enumName(level) }),
            ...(datePreset && { datePreset: enumName(datePreset) }),
          },
        },
      }),
    };
  };
  return [
    { what: 'a report of an unknown account', ...report({ accountId: gone }) },
    { what: 'a report of an ad account that the account cannot access', ...report({}) },
    { what: 'a report with an instant', ...report({ fromDate: '2026-10-01T00:00:00Z', toDate: '2026-10-02' }) },
    { what: 'a report with dates beside a preset', ...report({ datePreset: 'today', fromDate: '2026-10-01' }) },
    { what: 'a report of an unknown level', ...report({ level: 'galaxy' }) },
    { what: 'a report that ends before it begins', ...report({ fromDate: '2026-10-02', toDate: '2026-10-01' }) },
    { what: 'a report with an unknown field', ...report({ fromDay: '2026-10-02' }) },
    { what: 'a report of a foreign profile', ...report({}, listingKey) },
    { what: 'a report with a read-only key', ...report({ level: 'account' }, readKey) },
  ];
}

const cases: Case[] = [
  ...[{ budgetAmount: null }, { name: null, budgetAmount: 30 }].map((body) => ({
    what: `an ad changed by ${JSON.stringify(body)}`,
    rest: () => ({ method: 'PUT', path: `/v1/ads/${gone}`, body }),
    graphql: () => ({
      query: 'mutation ($id: ID!, $input: UpdateAdInput!) { updateAd(adId: $id, input: $input) { message } }',
      variables: { id: gone, input: body },
    }),
  })),
  { what: 'a good ad', ...createAd((body) => body) },
  { what: 'an ad with explicit nulls', ...createAd((body) => ({ ...body, endDate: null, video: null })) },
  {
    what: 'an ad that starts too late, ends in the past and costs too little',
    ...createAd((body) => ({
      ...body,
      startDate: '2999-01-01T00:00:00Z',
      endDate: '2020-01-01T00:00:00Z',
      budgetAmount: 0.01,
    })),
  },
  { what: 'a dry run', ...createAd((body) => ({ ...body, validateOnly: true })) },
  { what: 'an ad without a name', ...createAd((body) => without(body, 'name')) },
  { what: 'an ad without platform fields', ...createAd((body) => without(body, 'headline', 'callToAction')) },
  { what: 'an ad with a wrong budget', ...createAd((body) => ({ ...body, budgetAmount: 10.005 })) },
  { what: 'an ad with a wrong type', ...createAd((body) => ({ ...body, budgetAmount: 'twenty' })) },
  { what: 'an ad with an unknown goal', ...createAd((body) => ({ ...body, goal: 'fame' })) },
  { what: 'an ad with an unknown field', ...createAd((body) => ({ ...body, headLine: 'x' })) },
  { what: 'an ad for the EU', ...createAd((body) => ({ ...body, countries: ['DE'] })) },
  { what: 'an ad of an unknown account', ...createAd((body) => ({ ...body, accountId: gone })) },
  {
    what: 'creatives beside adSetId',
    ...createAd((body) => ({
      ...without(body, 'goal', 'budgetAmount', 'budgetType'),
      adSetId: '1',
      creatives: [
        {
          headline: 'a',
          body: 'b',
          linkUrl: 'https://a.example/',
          callToAction: 'LEARN_MORE',
          imageUrl: 'https://a.example/i.png',
        },
      ],
    })),
  },
  { what: 'a read-only key', key: readKey, ...createAd((body) => body) },
  { what: 'a good key', ...createKey({ name: 'a', permission: 'read' }) },
  { what: 'a key without a name', ...createKey({}) },
  { what: 'a key with an empty name', ...createKey({ name: ' ' }) },
  { what: 'a key for profiles without any', ...createKey({ name: 'a', scope: 'profiles' }) },
  { what: 'a key for foreign profiles', ...createKey({ name: 'a', scope: 'profiles', profileIds: [gone] }) },
  { what: 'a key for too long', ...createKey({ name: 'a', expiresIn: 4000 }) },
  { what: 'a key made with a restricted one', key: profileKey, ...createKey({ name: 'a' }) },
  { what: 'an invalid key made with a restricted one', key: profileKey, ...createKey({ name: '' }) },
  { what: 'an unreadable key made with a restricted one', key: profileKey, ...createKey({ name: 5 }) },
  {
    what: 'an unknown key to revoke',
    rest: () => ({ method: 'DELETE', path: `/v1/api-keys/${gone}` }),
    graphql: () => ({ query: `mutation { revokeApiKey(keyId: "${gone}") { success } }` }),
  },
  {
    what: 'an id that is none',
    rest: () => ({ method: 'DELETE', path: '/v1/api-keys/nope' }),
    graphql: () => ({ query: 'mutation { revokeApiKey(keyId: "nope") { success } }' }),
  },
  {
    what: 'an unknown profile',
    rest: () => ({ method: 'GET', path: `/v1/profiles/${gone}` }),
    graphql: () => ({ query: `{ profile(profileId: "${gone}") { id } }` }),
  },
  {
    what: 'a profile without a name',
    rest: () => ({ method: 'POST', path: '/v1/profiles', body: {} }),
    graphql: () => ({ query: 'mutation { createProfile(input: {}) { profile { id } } }' }),
  },
  {
    what: 'a taken profile name',
    rest: () => ({ method: 'POST', path: '/v1/profiles', body: { name: 'Default' } }),
    graphql: () => ({ query: 'mutation { createProfile(input: { name: "Default" }) { profile { id } } }' }),
  },
  {
    what: 'a profile with accounts to delete',
    rest: () => ({ method: 'DELETE', path: `/v1/profiles/${fixture.profileId}` }),
    graphql: () => ({ query: `mutation { deleteProfile(profileId: "${fixture.profileId}") { success } }` }),
  },
  {
    what: 'an unknown account',
    rest: () => ({ method: 'GET', path: `/v1/accounts/${gone}` }),
    graphql: () => ({ query: `{ account(accountId: "${gone}") { id } }` }),
  },
  ...removalCases(),
  ...reportCases(),
  {
    what: 'an unknown ad',
    rest: () => ({ method: 'GET', path: `/v1/ads/${gone}` }),
    graphql: () => ({ query: `{ ad(adId: "${gone}") { id } }` }),
  },
  ...connectCases(),
  {
    what: 'an account out of reach to disconnect',
    rest: () => ({ method: 'DELETE', path: `/v1/accounts/${gone}` }),
    graphql: () => ({ query: `mutation { disconnectAccount(accountId: "${gone}") { success } }` }),
  },
  {
    what: 'the health of an account out of reach',
    rest: () => ({ method: 'GET', path: `/v1/accounts/${gone}/health` }),
    graphql: () => ({ query: `{ accountHealth(accountId: "${gone}") { status } }` }),
  },
  { what: 'a changed location', ...changeLocation({ updateMask: 'storeCode', storeCode: 'S' }) },
  { what: 'a cleared field', ...changeLocation({ updateMask: 'websiteUri', websiteUri: null }) },
  { what: 'a masked field without a value', ...changeLocation({ updateMask: 'websiteUri,labels' }) },
  { what: 'a location without a mask', ...changeLocation({ storeCode: 'S' }) },
  { what: 'a typo in the mask', ...changeLocation({ updateMask: 'storecod', storeCode: 'S' }) },
  { what: 'a location of an unknown account', ...changeLocation({ updateMask: 'title', title: 'a' }, () => gone) },
  {
    what: 'a time that is none',
    ...changeLocation({
      updateMask: 'regularHours',
      regularHours: {
        periods: [{ openDay: 'MONDAY', openTime: { hours: 25 }, closeDay: 'MONDAY', closeTime: { hours: 10 } }],
      },
    }),
  },
  {
    what: 'a refusal of the listing platform',
    ...changeLocation({
      updateMask: 'categories',
      categories: { primaryCategory: { name: 'categories/gcid:nope' }, additionalCategories: [] },
    }),
  },
  {
    what: 'a changed attribute',
    ...changeAttributes({ attributeMask: 'wi_fi', attributes: [{ name: 'wi_fi', values: ['no_wi_fi'] }] }),
  },
  {
    what: 'an attribute of the wrong type',
    ...changeAttributes({ attributeMask: 'wi_fi', attributes: [{ name: 'wi_fi', values: [true] }] }),
  },
  { what: 'a masked attribute that is not given', ...changeAttributes({ attributeMask: 'wi_fi', attributes: [] }) },
  {
    what: 'a location of another user',
    key: listingKey,
    rest: () => ({ method: 'GET', path: `/v1/accounts/${listing.accountId}/listing-attributes?locationId=1` }),
    graphql: () => ({
      query: `{ listingAttributes(accountId: "${listing.accountId}", locationId: "1") { locationId } }`,
    }),
  },
  {
    what: 'a location to select that is not there',
    key: listingKey,
    rest: () => ({
      method: 'PUT',
      path: `/v1/accounts/${listing.accountId}/listing-locations`,
      body: { selectedLocationId: '1' },
    }),
    graphql: () => ({
      query: `mutation { selectListingLocation(accountId: "${listing.accountId}", input: { selectedLocationId: "1" }) { success } }`,
    }),
  },
  {
    what: 'a typo in a read mask',
    key: listingKey,
    rest: () => ({ method: 'GET', path: `/v1/accounts/${listing.accountId}/listing-location-details?readMask=nope` }),
    graphql: () => ({
      query: `{ listingLocationDetails(accountId: "${listing.accountId}", readMask: "nope") { location } }`,
    }),
  },
  {
    what: 'listings of an account that has none',
    rest: () => ({ method: 'GET', path: `/v1/accounts/${fixture.accountId}/listing-attribute-metadata` }),
    graphql: () => ({ query: `{ listingAttributeMetadata(accountId: "${fixture.accountId}") { locationId } }` }),
  },
  {
    what: 'a tree of an unknown status',
    rest: () => ({ method: 'GET', path: '/v1/ads/tree?status=asleep' }),
    graphql: () => ({
      query: 'query ($status: AdStatus) { adTree(status: $status) { totalCount } }',
      variables: { status: 'ASLEEP' },
    }),
  },
  {
    what: 'campaigns since a day that is none',
    rest: () => ({ method: 'GET', path: '/v1/ads/campaigns?fromDate=yesterday' }),
    graphql: () => ({ query: '{ campaigns(fromDate: "yesterday") { totalCount } }' }),
  },
  {
    what: 'the tree of an account',
    rest: () => ({ method: 'GET', path: `/v1/ads/tree?accountId=${fixture.accountId}` }),
    graphql: () => ({
      query: `{ adTree(accountId: "${fixture.accountId}") { nodes { id adSets { nodes { id } } } } }`,
    }),
  },
  {
    what: 'a discovery',
    rest: () => ({ method: 'POST', path: `/v1/accounts/${fixture.accountId}/ads/sync` }),
    graphql: () => ({
      query: `mutation { discoverCampaigns(accountId: "${fixture.accountId}") { discovery { status } } }`,
    }),
  },
  {
    what: 'a discovery of an unknown account',
    rest: () => ({ method: 'POST', path: `/v1/accounts/${gone}/ads/sync` }),
    graphql: () => ({ query: `mutation { discoverCampaigns(accountId: "${gone}") { discovery { status } } }` }),
  },
  {
    what: 'the state of a discovery of an unknown account',
    rest: () => ({ method: 'GET', path: `/v1/accounts/${gone}/ads/sync` }),
    graphql: () => ({ query: `{ campaignDiscovery(accountId: "${gone}") { status } }` }),
  },
  {
    what: 'a secret for an unknown webhook',
    rest: () => ({ method: 'POST', path: '/v1/webhooks/settings/rotate-secret', body: { webhookId: gone } }),
    graphql: () => ({
      query: `mutation { rotateWebhookSecret(input: { webhookId: "${gone}" }) { success } }`,
    }),
  },
  {
    what: 'a grace that is too long',
    rest: () => ({
      method: 'POST',
      path: '/v1/webhooks/settings/rotate-secret',
      body: { webhookId: gone, graceSeconds: 604_801 },
    }),
    graphql: () => ({
      query: `mutation { rotateWebhookSecret(input: { webhookId: "${gone}", graceSeconds: 604801 }) { success } }`,
    }),
  },
  {
    what: 'an event of an unknown webhook once more',
    rest: () => ({ method: 'POST', path: '/v1/webhooks/logs/redeliver', body: { webhookId: gone, eventId: 'evt_1' } }),
    graphql: () => ({ query: `mutation { redeliver(webhookId: "${gone}", eventId: "evt_1") { success } }` }),
  },
  {
    what: 'a recovery that ends before it begins',
    rest: () => ({
      method: 'POST',
      path: '/v1/webhooks/recoveries',
      body: { webhookId: gone, since: '2026-01-02T00:00:00Z', until: '2026-01-01T00:00:00Z' },
    }),
    graphql: () => ({
      query: `mutation { recoverDeliveries(input: { webhookId: "${gone}", since: "2026-01-02T00:00:00Z", until: "2026-01-01T00:00:00Z" }) { success } }`,
    }),
  },
  {
    what: 'an unknown recovery',
    rest: () => ({ method: 'GET', path: `/v1/webhooks/recoveries/${gone}` }),
    graphql: () => ({ query: `{ deliveryRecovery(recoveryId: "${gone}") { state } }` }),
  },
  {
    what: 'who am I',
    rest: () => ({ method: 'GET', path: '/v1/me' }),
    graphql: () => ({ query: '{ viewer { user { id } key { id } } }' }),
  },
];

interface Outcome {
  code: string | undefined;
  paths: string[];
}

const outcomeOf = (error: { code?: string; details?: { fields?: object } } | undefined): Outcome => ({
  code: error?.code,
  paths: Object.keys(error?.details?.fields ?? {}).toSorted(),
});
const graphqlError = (answer: Answer): Answer['body'] => answer.body.errors?.[0]?.extensions;

describe('the same case through both APIs', () => {
  it.each(cases)('gives the same code and field paths: $what', async ({ rest, graphql, key }) => {
    const { method, path, body } = rest();
    const { query, variables } = graphql();
    const bearer = (await key?.()) ?? fixture.key;
    const byRest = await app.call(method, path, { key: bearer, body });
    const byGraphql = await app.graphql(query, variables, { key: bearer });
    const restError = byRest.status >= 400 ? byRest.body : undefined;
    expect(outcomeOf(graphqlError(byGraphql))).toEqual(outcomeOf(restError));
  });
});
