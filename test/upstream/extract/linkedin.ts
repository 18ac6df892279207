import type { Operation, Schema } from '../facts.ts';
import { objectOf, repository, writeFacts } from './facts.ts';
import { createTables } from './markdown.ts';
import { oauthSource, tokenOperation } from './oauth.ts';

/**
 * LinkedIn publishes its reference as pages only. The arguments are clones of repositories that quote them:
 * ivangfalco/linkedin-ads-skill (fields), OWOX/owox-data-marts (fields) and api-evangelist/linkedin-ads (error codes, scopes).
 */
const [skill, owox, registry] = [2, 3, 4].map((at) => repository(process.argv[at] ?? '')) as [any, any, any];
const reference: string = skill.read('.claude/skills/linkedin-ads/api-reference.md');
const { sectionOf, objectIn, scalars } = createTables(reference);

const withFields = (schema: Schema, fields: Record<string, Schema>): Schema => ({
  ...schema,
  properties: { ...(schema['properties'] as object), ...fields },
});
/** Names that the other harvest of the same pages has besides. */
function alsoIn(file: string, schema: Schema): Schema {
  const text: string = owox.read(`packages/connectors/src/Sources/LinkedInAds/LinkedInAdsAPIReference/${file}.js`);
  const known = schema['properties'] as Record<string, Schema>;
  const fields = [...text.matchAll(/^ {2}'?(\w+)'?: \{\s+'?description'?: ([^]*?)\n {4}'?type'?: DATA_TYPES\.(\w+)/gm)]
    .filter(
      ([, name = '', description = '']) =>
        !(name in known) && !/^(id|created|lastModified)/.test(name) && !/read.only/i.test(description),
    )
    .map(([, name]) => [name, {}]);
  return withFields(schema, Object.fromEntries(fields));
}

/** Partial updates name the fields in `patch.$set`; none is required. */
const patchOf = (schema: Schema, names?: string[]): Schema => {
  const all = Object.entries(schema['properties'] as object);
  const some = names ? all.filter(([name]) => names.includes(name)) : all;
  return objectOf(
    {
      patch: objectOf({
        $set: objectOf(Object.fromEntries(some)),
        $delete: { type: 'array', items: { type: 'string' } },
      }),
    },
    ['patch'],
  );
};

const money = objectOf({ amount: scalars['BigDecimal'] ?? {}, currencyCode: scalars['Currency'] ?? {} }, [
  'amount',
  'currencyCode',
]);
const group = withFields(alsoIn('adCampaignGroupFields', objectIn('Campaign Group Schema')), { dailyBudget: money });
const facets = sectionOf('Targeting Criteria Structure').match(/urn:li:adTargetingFacet:\w+/g) ?? [];
const criteria = {
  or: {
    type: 'object',
    minProperties: 1,
    propertyNames: { enum: [...new Set(facets)] },
    additionalProperties: { type: 'array', minItems: 1, items: { type: 'string' } },
  },
};
const targeting = objectOf(
  {
    include: objectOf({ and: { type: 'array', items: objectOf(criteria, ['or']) } }, ['and']),
    exclude: objectOf(criteria, ['or']),
  },
  ['include'],
);
const campaign = withFields(alsoIn('adCampaignFields', objectIn('Campaign Schema')), { targetingCriteria: targeting });
const leadgen = objectOf(
  {
    destination: { type: 'string', pattern: '^urn:li:adForm:' },
    label: { type: 'string', enum: listedLabels('LeadgenCallToAction') },
  },
  ['destination', 'label'],
);
const creative = withFields(alsoIn('creativesFields', objectIn('Creative Schema')), { leadgenCallToAction: leadgen });
const text: Schema = { type: 'string' };
const post = withFields(objectIn('Post Schema'), {
  content: objectOf({
    article: objectOf({ source: text, title: text, description: text, thumbnail: text, thumbnailAltText: text }, [
      'source',
      'title',
    ]),
    media: objectOf({ id: text, title: text, altText: text }, ['id']),
    multiImage: {},
    carousel: {},
  }),
  distribution: objectOf(
    {
      feedDistribution: { type: 'string', enum: ['NONE', 'MAIN_FEED'] },
      targetEntities: {},
      thirdPartyDistributionChannels: {},
    },
    ['feedDistribution'],
  ),
});

function listedLabels(title: string): string[] {
  const [labels = ''] = sectionOf(title).match(/APPLY(?:, [A-Z_]+)+/) ?? [];
  return labels.split(', ');
}

const restli = { type: 'string', pattern: String.raw`^\(.*\)$` };
const list = { type: 'string', pattern: String.raw`^List\(.*\)$` };
const is = (value: string): Schema => ({ const: value });
const size: Schema = { type: 'integer', minimum: 1, maximum: 1000 };
const headers: Schema = {
  type: 'object',
  properties: {
    'linkedin-version': { type: 'string', pattern: String.raw`^\d{6}$` },
    'x-restli-protocol-version': is('2.0.0'),
  },
  required: ['linkedin-version', 'x-restli-protocol-version'],
};
const withMethod = (method: string): Schema => ({
  allOf: [headers, { properties: { 'x-restli-method': is(method) }, required: ['x-restli-method'] }],
});
const partial = withMethod('PARTIAL_UPDATE');
const type = 'application/json';
const search = (finder: string, fields: Record<string, Schema>): Operation => ({
  headers,
  query: objectOf({ q: is(finder), pageSize: size, pageToken: text, ...fields }, ['q']),
});
const read: Operation = { headers };
const remove: Operation = { headers: withMethod('DELETE') };
const create = (body: Schema): Operation => ({ headers, type, body });
const update = (body: Schema): Operation => ({ headers: partial, type, body });
const action = (names: string[], body: Schema): Operation => ({
  headers,
  query: objectOf({ action: { type: 'string', enum: names } }, ['action']),
  type,
  body,
});
const account = '/rest/adAccounts/{id}';
const owner = { type: 'string', pattern: '^urn:li:(organization|person):' };
const operations: Record<string, Operation> = {
  'GET /rest/adAccounts': search('search', { search: restli }),
  [`GET ${account}/adCampaignGroups`]: search('search', { search: restli }),
  [`POST ${account}/adCampaignGroups`]: create(group),
  [`GET ${account}/adCampaignGroups/{group_id}`]: read,
  [`POST ${account}/adCampaignGroups/{group_id}`]: update(patchOf(group)),
  [`DELETE ${account}/adCampaignGroups/{group_id}`]: remove,
  [`GET ${account}/adCampaigns`]: search('search', { search: restli }),
  [`POST ${account}/adCampaigns`]: create(campaign),
  [`GET ${account}/adCampaigns/{campaign_id}`]: read,
  [`POST ${account}/adCampaigns/{campaign_id}`]: update(patchOf(campaign)),
  [`DELETE ${account}/adCampaigns/{campaign_id}`]: remove,
  [`GET ${account}/creatives`]: search('criteria', { campaigns: list, intendedStatuses: list }),
  [`POST ${account}/creatives`]: create(creative),
  [`GET ${account}/creatives/{urn}`]: read,
  [`POST ${account}/creatives/{urn}`]: update(patchOf(creative, ['intendedStatus', 'leadgenCallToAction', 'name'])),
  [`DELETE ${account}/creatives/{urn}`]: remove,
  'POST /rest/posts': create(post),
  'GET /rest/posts': search('dscAdAccount', {
    dscAdAccount: text,
    dscAdTypes: list,
    count: size,
    start: { type: 'integer' },
  }),
  'GET /rest/posts/{urn}': read,
  'POST /rest/images': action(
    ['initializeUpload'],
    objectOf({ initializeUploadRequest: objectOf({ owner, mediaLibraryMetadata: {} }, ['owner']) }, [
      'initializeUploadRequest',
    ]),
  ),
  'GET /rest/images/{urn}': read,
  'POST /rest/videos': action(['initializeUpload', 'finalizeUpload'], {
    anyOf: [
      objectOf(
        {
          initializeUploadRequest: objectOf(
            {
              owner,
              fileSizeBytes: { type: 'integer' },
              uploadCaptions: { type: 'boolean' },
              uploadThumbnail: { type: 'boolean' },
            },
            ['owner', 'fileSizeBytes'],
          ),
        },
        ['initializeUploadRequest'],
      ),
      objectOf(
        {
          finalizeUploadRequest: objectOf(
            { video: text, uploadToken: text, uploadedPartIds: { type: 'array', items: text } },
            ['video', 'uploadToken', 'uploadedPartIds'],
          ),
        },
        ['finalizeUploadRequest'],
      ),
    ],
  }),
  'GET /rest/videos/{urn}': read,
  'PUT /rest/campaignConversions/(campaign:{campaign_urn},conversion:{conversion_urn})': create(
    objectOf({ campaign: text, conversion: text }, ['campaign', 'conversion']),
  ),
  'GET /rest/adAnalytics': { headers, query: { anyOf: analyticsFinders() } },
  'GET /rest/adTargetingEntities': {
    headers,
    query: {
      anyOf: [
        objectOf(
          {
            q: is('typeahead'),
            facet: { type: 'string', pattern: '^urn:li:adTargetingFacet:' },
            query: text,
            queryVersion: is('QUERY_USES_URNS'),
          },
          ['q', 'facet', 'query'],
        ),
        objectOf({ q: is('urns'), urns: list, count: size }, ['q', 'urns']),
      ],
    },
  },
  'GET /rest/adBudgetPricing': {
    headers,
    query: objectOf(
      {
        // The registry describes the finder `criteria`; the current reference has this one, which takes targeting.
        q: is('criteriaV2'),
        account: { type: 'string', pattern: '^urn:li:sponsoredAccount:' },
        bidType: { type: 'string', enum: ['CPM', 'CPC', 'CPV'] },
        campaignType: { type: 'string', enum: ['TEXT_AD', 'SPONSORED_UPDATES', 'SPONSORED_INMAILS'] },
        matchType: is('EXACT'),
        targetingCriteria: restli,
      },
      ['q', 'account', 'bidType', 'campaignType'],
    ),
  },
  'GET /rest/organizationAcls': {
    headers,
    query: objectOf({ q: is('roleAssignee'), role: text, state: text, start: { type: 'integer' }, count: size }, ['q']),
  },
  'GET /rest/organizations/{id}': read,
  'POST /oauth/v2/accessToken': tokenOperation('body'),
  'PUT /dms-uploads/{token}/uploaded-image/{part}': {},
  'PUT /dms-uploads/{token}/uploaded-video/{part}': {},
};
/** Figures: a member pivot stands alone, and some metrics do not go with it. */
function analyticsFinders(): Schema[] {
  const fields: string = owox.read(
    'packages/connectors/src/Sources/LinkedInAds/LinkedInAdsAPIReference/adAnalyticsFields.js',
  );
  const described = [...fields.matchAll(/^ {2}'(\w+)': \{\s+'description': ([^]*?)\n {4}'type'/gm)].map(
    ([, name = '', description = '']) => ({ name: name.replace(/^dateRange(Start|End)$/, 'dateRange'), description }),
  );
  const names = (isOfMembers: boolean): string[] => [
    ...new Set(
      described
        .filter(({ description }) => !isOfMembers || !description.includes('Non-demographic pivots only'))
        .map(({ name }) => name),
    ),
  ];
  const [, members = ''] = /^\*\*Demographic pivots \(q=analytics\):\*\* (.*)$/m.exec(reference) ?? [];
  const day = String.raw`\(year:\d{4},month:\d{1,2},day:\d{1,2}\)`;
  const finder = (q: string, pivot: Record<string, Schema>, isOfMembers = false): Schema => {
    const facets = { accounts: list, campaigns: list, creatives: list, campaignGroups: list };
    const single = objectOf(
      {
        q: is(q),
        ...pivot,
        dateRange: { type: 'string', pattern: String.raw`^\(start:${day}(,end:${day})?\)$` },
        timeGranularity: { type: 'string', enum: ['ALL', 'DAILY', 'MONTHLY', 'YEARLY'] },
        ...facets,
        fields: { type: 'array', items: { type: 'string', enum: names(isOfMembers) }, style: 'commas', maxItems: 20 },
      },
      ['q', 'dateRange', 'timeGranularity', ...Object.keys(pivot)],
    );
    return { ...single, anyOf: Object.keys(facets).map((name) => ({ required: [name] })) };
  };
  return [
    finder('analytics', { pivot: { type: 'string', enum: members.split(', ') } }, true),
    finder('analytics', { pivot: { type: 'string', pattern: '^(?!MEMBER_)' } }),
    finder('statistics', { pivots: { type: 'string', pattern: String.raw`^List\((?!.*MEMBER_)\w+(,\w+){0,2}\)$` } }),
  ];
}

const codes: string = registry.read('errors/linkedin-ads-error-codes.yml');
const scopes: string = registry.read('scopes/linkedin-ads-scopes.yml');
// The registry lacks scopes of company pages.
const [, asked = ''] =
  /SCOPES = "([\w,]+)"/.exec(skill.read('.claude/skills/linkedin-ads/scripts/oauth_server.py')) ?? [];
const secondHand = (name: string, repo: { commit: string; date: string }, proves: string) => ({
  name,
  version: `commit ${repo.commit}`,
  date: repo.date,
  proves,
});
writeFacts('linkedin', {
  sources: [
    secondHand(
      'ivangfalco/linkedin-ads-skill, api-reference.md (version 202601)',
      skill,
      'fields, types, values, required fields, endpoints; second hand',
    ),
    secondHand('OWOX/owox-data-marts, LinkedInAdsAPIReference', owox, 'names of further fields; second hand'),
    secondHand('api-evangelist/linkedin-ads, errors and scopes', registry, 'error codes, scopes; second hand'),
    oauthSource,
  ],
  operations,
  $defs: {},
  errors: { code: [...new Set([...codes.matchAll(/^ *- code: (\w+)$/gm)].map(([, code = '']) => code))] },
  scopes: [
    ...new Set([...[...scopes.matchAll(/scope: (\w+)$/gm)].map(([, scope = '']) => scope), ...asked.split(',')]),
  ],
});
