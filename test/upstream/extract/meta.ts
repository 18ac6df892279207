import type { Operation, Schema } from '../facts.ts';
import { objectOf, repository, writeFacts } from './facts.ts';
import { createSdk, type Endpoint } from './java-sdk.ts';

const classes = new Set(
  `AdCampaignBidConstraint AdCreativeLinkData AdCreativeLinkDataCallToAction AdCreativeLinkDataCallToActionValue
  AdCreativeLinkDataChildAttachment AdCreativeObjectStorySpec AdCreativeVideoData AdPromotedObject AttributionSpec FlexibleTargeting
  IDName Targeting TargetingAutomation TargetingGeoLocation TargetingGeoLocationCity TargetingGeoLocationRegion`.split(
    /\s+/,
  ),
);
/** The argument is a clone of facebook/facebook-java-business-sdk. */
const repo = repository(process.argv[2] ?? '');
const [, version = ''] =
  /DEFAULT_API_VERSION = "(v[\d.]+)"/.exec(repo.read('src/main/java/com/facebook/ads/sdk/APIConfig.java')) ?? [];
const sdk = createSdk(repo, classes);
const ref = (name: string): Schema => ({ $ref: `#/$defs/${name}` });

/** Parameters that the SDK calls objects, although it has a class for them. */
const known: Record<string, Schema> = {
  attribution_spec: { type: 'array', items: ref('AttributionSpec') },
  bid_constraints: ref('AdCampaignBidConstraint'),
  promoted_object: ref('AdPromotedObject'),
  rename_options: objectOf({
    rename_strategy: { type: 'string', enum: ['DEEP_RENAME', 'NO_RENAME', 'ONLY_TOP_LEVEL_RENAME'] },
    rename_prefix: { type: 'string' },
    rename_suffix: { type: 'string' },
  }),
};
const day: Schema = { type: 'string', pattern: String.raw`^\d{4}-\d{2}-\d{2}$` };
/** Combinations that are possible, of those that are used. */
const placement = ['publisher_platform', 'platform_position'];
known['breakdowns'] = {
  type: 'array',
  enum: [
    ...['age', 'gender', 'country', 'impression_device'].map((name) => [name]),
    ['age', 'gender'],
    placement,
    [...placement, 'impression_device'],
  ],
};
known['time_range'] = objectOf({ since: day, until: day }, ['since', 'until']);
for (const name of ['AttributionSpec', 'AdCampaignBidConstraint', 'AdPromotedObject']) sdk.define(name);
/** Paging and selection, on every list. */
const paging = { limit: { type: 'integer' }, after: { type: 'string' }, before: { type: 'string' } };

const typed = ({ parameters }: Endpoint): Record<string, Schema> =>
  Object.fromEntries(Object.entries(parameters).map(([name, schema]) => [name, known[name] ?? schema]));
const form = 'application/x-www-form-urlencoded';
/** Required ones, which the SDK for Java does not mark; from api_specs of facebook-business-sdk-codegen. */
const required: Record<string, string[]> = {
  '/campaigns': ['special_ad_categories'],
  '/adsets': ['name'],
  '/ads': ['name', 'creative'],
};
const write = (owner: string, request: string): Operation => {
  const found = sdk.endpoint(owner, request);
  return { type: form, body: objectOf(typed(found), found.method === 'POST' ? required[found.edge] : []) };
};
const list = (owner: string, request: string, of: string, more: Record<string, Schema> = {}): Operation => ({
  query: objectOf({
    ...typed(sdk.endpoint(owner, request)),
    ...paging,
    fields: { type: 'string', selects: of },
    ...more,
  }),
});
const operators =
  `EQUAL NOT_EQUAL GREATER_THAN GREATER_THAN_OR_EQUAL LESS_THAN LESS_THAN_OR_EQUAL IN_RANGE NOT_IN_RANGE CONTAIN NOT_CONTAIN
  IN NOT_IN STARTS_WITH ANY ALL AFTER BEFORE NONE`.split(/\s+/);
const filtering: Schema = {
  type: 'array',
  items: objectOf({ field: { type: 'string' }, operator: { type: 'string', enum: operators }, value: {} }, [
    'field',
    'operator',
    'value',
  ]),
};
const node = (...ofs: string[]): Operation => ({
  query: { anyOf: ofs.map((of) => objectOf({ fields: { type: 'string', selects: of } })) },
});
/** The parameters of an asynchronous report, whose fields are selected as in a read. */
const insightsBody = (): Schema =>
  objectOf({
    ...typed(sdk.endpoint('AdAccount', 'GetInsightsAsync')),
    fields: { type: 'string', selects: 'AdsInsights' },
    filtering,
  });
const text: Schema = { type: 'string', minLength: 1 };
const path = `/${version}`;
const operations: Record<string, Operation> = {
  [`GET ${path}/me`]: node('User'),
  [`GET ${path}/me/permissions`]: { query: objectOf(paging) },
  [`GET ${path}/me/accounts`]: list('User', 'GetAccounts', 'Page'),
  [`GET ${path}/me/adaccounts`]: list('User', 'GetAdAccounts', 'AdAccount'),
  [`GET ${path}/me/businesses`]: list('User', 'GetBusinesses', 'Business'),
  [`GET ${path}/{business_id}/owned_pages`]: list('Business', 'GetOwnedPages', 'Page'),
  [`GET ${path}/{business_id}/client_pages`]: list('Business', 'GetClientPages', 'Page'),
  [`GET ${path}/oauth/access_token`]: {
    query: {
      anyOf: [
        objectOf({ client_id: text, client_secret: text, redirect_uri: text, code: text }, [
          'client_id',
          'client_secret',
          'redirect_uri',
          'code',
        ]),
        objectOf(
          { client_id: text, client_secret: text, grant_type: { const: 'fb_exchange_token' }, fb_exchange_token: text },
          ['client_id', 'client_secret', 'grant_type', 'fb_exchange_token'],
        ),
      ],
    },
  },
  [`GET ${path}/search`]: {
    query: objectOf(
      {
        type: { type: 'string', enum: ['adgeolocation', 'adinterest', 'adlocale', 'adcountry'] },
        q: text,
        location_types: {
          type: 'array',
          items: {
            type: 'string',
            enum: ['country', 'country_group', 'region', 'city', 'zip', 'geo_market', 'electoral_district'],
          },
        },
        country_code: { type: 'string', pattern: '^[A-Z]{2}$' },
        region_id: { type: 'integer' },
        locale: { type: 'string' },
        ...paging,
      },
      ['type'],
    ),
  },
  [`GET ${path}/act_{id}/campaigns`]: list('AdAccount', 'GetCampaigns', 'Campaign', { filtering }),
  [`GET ${path}/act_{id}/adsets`]: list('AdAccount', 'GetAdSets', 'AdSet', { filtering }),
  [`GET ${path}/act_{id}/ads`]: list('AdAccount', 'GetAds', 'Ad', { filtering }),
  [`GET ${path}/act_{id}/adcreatives`]: list('AdAccount', 'GetAdCreatives', 'AdCreative'),
  [`GET ${path}/act_{id}/insights`]: list('AdAccount', 'GetInsights', 'AdsInsights', { filtering }),
  [`POST ${path}/act_{id}/insights`]: { type: form, body: insightsBody() },
  [`GET ${path}/{id}/insights`]: { query: objectOf(paging) },
  [`POST ${path}/act_{id}/campaigns`]: write('AdAccount', 'CreateCampaign'),
  [`POST ${path}/act_{id}/adsets`]: write('AdAccount', 'CreateAdSet'),
  [`POST ${path}/act_{id}/ads`]: write('AdAccount', 'CreateAd'),
  [`POST ${path}/act_{id}/adcreatives`]: write('AdAccount', 'CreateAdCreative'),
  [`POST ${path}/act_{id}/adimages`]: write('AdAccount', 'CreateAdImage'),
  [`POST ${path}/act_{id}/advideos`]: write('AdAccount', 'CreateAdVideo'),
  [`GET ${path}/{id}/adsets`]: list('Campaign', 'GetAdSets', 'AdSet'),
  [`GET ${path}/{id}/ads`]: list('AdSet', 'GetAds', 'Ad'),
  [`GET ${path}/{id}/copies`]: list('Campaign', 'GetCopies', 'Campaign'),
  [`GET ${path}/{id}`]: node('Campaign', 'AdSet', 'Ad', 'AdCreative', 'AdVideo', 'AdReportRun', 'Page', 'AdAccount'),
  [`POST ${path}/{id}`]: {
    type: form,
    body: { anyOf: ['Campaign', 'AdSet', 'Ad'].map((name) => write(name, 'Update').body ?? {}) },
  },
  [`POST ${path}/{id}/copies`]: {
    type: form,
    body: { anyOf: ['Campaign', 'AdSet', 'Ad'].map((name) => write(name, 'CreateCopy').body ?? {}) },
  },
};
/** On every call: the keyed hash of the token, where the app requires it. */
const proof = { appsecret_proof: { type: 'string', pattern: '^[0-9a-f]{64}$' } };
const withProof = (query: Schema = objectOf({})): Schema =>
  query['anyOf']
    ? { anyOf: (query['anyOf'] as Schema[]).map((one) => withProof(one)) }
    : { ...query, properties: { ...(query['properties'] as object), ...proof } };
for (const [name, operation] of Object.entries(operations)) {
  if (!name.endsWith('/oauth/access_token')) operation.query = withProof(operation.query);
}
const selected = [
  'Ad',
  'AdAccount',
  'AdCreative',
  'AdReportRun',
  'AdSet',
  'AdVideo',
  'AdsInsights',
  'Business',
  'Campaign',
  'Page',
  'User',
];
/** Fields that lead to another object: `creative{object_story_spec}`. */
const nested = new Set([...selected, 'IGUser', 'InstagramUser']);
const fields = Object.fromEntries(
  selected.map((name) => [
    name,
    Object.entries({ id: '', ...sdk.fieldsOf(name) }).map(([field, of]) => (nested.has(of) ? `${field}:${of}` : field)),
  ]),
);
writeFacts('meta', {
  sources: [
    {
      name: 'facebook/facebook-java-business-sdk, classes of AdAccount, Campaign, AdSet, Ad, AdCreative and others',
      version: `${version}, commit ${repo.commit}`,
      date: repo.date,
      proves: 'paths, parameters, types, enumerations, readable fields',
    },
    {
      name: 'facebook/facebook-business-sdk-codegen, api_specs',
      version: 'commit ad2b0b6fdfbe4d73ed0754cb4562ef20b72b40d4',
      date: '2026-04-15',
      proves: 'required parameters of campaigns, ad sets and ads',
    },
    {
      name: 'developers.facebook.com: Targeting Search, Access Tokens, Securing Requests, Filtering, Ad Campaign copies, Insights, Insights API Breakdowns',
      version: version,
      date: '2026-08-01',
      proves:
        'search, oauth/access_token, appsecret_proof, permissions, filtering, rename_options, time_range, combinations of breakdowns',
    },
  ],
  operations,
  selectable: fields,
  $defs: sdk.defs,
});
