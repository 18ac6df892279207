/** A fact that the extracted description lacks, because the platform states it elsewhere or has published it since. */
export interface Amendment {
  platform: string;
  /** The way to a list or an object of the facts. */
  at: string[];
  /** Appended to the list, or set in the object. */
  add: unknown[] | Record<string, unknown>;
  source: string;
}

const versions = {
  type: 'object',
  properties: {
    'linkedin-version': { type: 'string', pattern: String.raw`^\d{6}$` },
    'x-restli-protocol-version': { const: '2.0.0' },
  },
  required: ['linkedin-version', 'x-restli-protocol-version'],
};

/** Pivots that are no property of members. */
const pivots = [
  'ACCOUNT',
  'CAMPAIGN',
  'CAMPAIGN_GROUP',
  'COMPANY',
  'CONVERSION',
  'CREATIVE',
  'IMPRESSION_DEVICE_TYPE',
  'PLACEMENT_NAME',
  'SERVING_LOCATION',
  'SHARE',
];
const pivotsSource =
  'learn.microsoft.com, Reporting (li-lms-2026-06), pivots; the same names in airbytehq/airbyte-api-python-sdk, docs/models/shared/pivotcategory.md';
const finder = (at: number): string[] => [
  'operations',
  'GET /rest/adAnalytics',
  'query',
  'anyOf',
  String(at),
  'properties',
];
const report = '/open_api/v1.3/report/integrated/get/';
const reportLevels = ['advertiser', 'campaign', 'adgroup', 'ad'];
const day = String.raw`^\d{4}-\d\d-\d\d$`;
/** Metrics that reports on the audience lack. */
const notOfAudience =
  'reach cost_per_1000_reached frequency profile_visits likes comments shares follows video_play_actions video_watched_2s video_watched_6s average_video_play app_install video_views_p25 video_views_p50 video_views_p75 video_views_p100 real_time_app_install'.split(
    ' ',
  );

const groupStatuses = 'ACTIVE|ARCHIVED|CANCELED|DRAFT|PAUSED|PENDING_DELETION|REMOVED';

export const amendments: Amendment[] = [
  { platform: 'linkedin', at: finder(1), add: { pivot: { enum: pivots } }, source: pivotsSource },
  {
    platform: 'linkedin',
    at: ['operations', 'GET /rest/adAccounts/{id}/creatives'],
    add: {
      headers: {
        ...versions,
        properties: { ...versions.properties, 'x-restli-method': { const: 'FINDER' } },
        required: [...versions.required, 'x-restli-method'],
      },
    },
    source: 'learn.microsoft.com, Create and Manage Creatives (li-lms-2026-02), Search For Creatives',
  },
  {
    platform: 'linkedin',
    at: ['operations', 'GET /rest/adAccounts/{id}/adCampaignGroups', 'query', 'properties'],
    add: {
      search: {
        type: 'string',
        pattern: String.raw`^\((?!.*status:).*\)$|status:\(values:List\((${groupStatuses})(,(${groupStatuses}))*\)\)`,
      },
    },
    source: 'learn.microsoft.com, Create and Manage Campaign Groups (li-lms-2026-02), search.status.values',
  },
  {
    platform: 'linkedin',
    at: ['operations'],
    add: { 'GET /rest/adAccounts/{id}': { headers: versions } },
    source: 'learn.microsoft.com, Create and Manage Ad Accounts, fetch an ad account',
  },
  {
    platform: 'linkedin',
    at: finder(2),
    add: { pivots: { pattern: String.raw`^List\((${pivots.join('|')})(,(${pivots.join('|')})){0,2}\)$` } },
    source: pivotsSource,
  },
  {
    platform: 'x-ads',
    at: ['operations'],
    add: {
      'GET /12/accounts/{account_id}/targeting_criteria': {
        query: {
          type: 'object',
          properties: {
            line_item_ids: { type: 'string' },
            count: { type: 'string', pattern: String.raw`^\d+$` },
            cursor: { type: 'string' },
            with_deleted: { enum: ['true', 'false'] },
            with_total_count: { enum: ['true', 'false'] },
          },
          required: ['line_item_ids'],
          additionalProperties: false,
        },
      },
    },
    source: 'xdevplatform/docs, x-ads-api, GET accounts/:account_id/targeting_criteria',
  },
  {
    platform: 'meta',
    at: ['selectable', 'Page'],
    add: ['tasks', 'picture'],
    source:
      'developers.facebook.com, Graph API reference, User Accounts (tasks) and Page Picture (an edge, selected like a field)',
  },
  {
    platform: 'meta',
    at: ['$defs', 'regional_regulated_categories', 'enum'],
    add: [
      'TAIWAN_FINSERV',
      'TAIWAN_UNIVERSAL',
      'AUSTRALIA_FINSERV',
      'INDIA_FINSERV',
      'SINGAPORE_UNIVERSAL',
      'THAILAND_UNIVERSAL',
      'BRAZIL_REGULATION',
      'SPAIN_FINSERV',
      'VOLUNTARY_VERIFICATION',
    ],
    source:
      'developers.facebook.com, Ad Set reference, and public clients of v23.0 to v26.0 (pipeboard-co/meta-ads-mcp, 2026-11); the SDK has numbers for these words',
  },
  {
    platform: 'meta',
    at: ['operations', 'POST /v26.0/act_{id}/adsets', 'body', 'properties', 'regional_regulation_identities'],
    add: {
      properties: Object.fromEntries(
        ['australia_finserv', 'india_finserv', 'singapore_universal', 'taiwan_finserv', 'taiwan_universal', 'universal']
          .flatMap((name) => [`${name}_beneficiary`, `${name}_payer`])
          .map((name) => [name, { type: 'string', pattern: String.raw`^\d+$` }]),
      ),
      additionalProperties: false,
    },
    source:
      'facebook-python-business-sdk, adobjects/regionalregulationidentities.py (v26.0); refusal "must be a number" in public reports',
  },
  {
    platform: 'pinterest',
    at: ['$defs', 'ObjectiveType', 'enum'],
    add: ['SALES', 'LEADS'],
    source: 'developers.pinterest.com, objective simplification and changelog, in production since June 2026',
  },
  {
    platform: 'linkedin',
    at: ['operations', 'POST /rest/posts', 'body', 'properties', 'contentCallToActionLabel', 'enum'],
    add: ['SEE_MORE', 'BUY_NOW', 'SHOP_NOW'],
    source: 'learn.microsoft.com, Posts API, field contentCallToActionLabel',
  },
  {
    platform: 'linkedin',
    at: ['operations'],
    add: {
      'GET /rest/adBudgetPricing': {
        headers: versions,
        query: {
          type: 'object',
          properties: {
            q: { const: 'criteriaV2' },
            account: { type: 'string', pattern: '^urn:li:sponsoredAccount:' },
            bidType: { enum: ['CPM', 'CPC', 'CPV'] },
            campaignType: { type: 'string' },
            matchType: { enum: ['EXACT', 'AUDIENCE_EXPANDED'] },
            targetingCriteria: { type: 'string', pattern: String.raw`^\(include:` },
          },
          required: ['q', 'account', 'bidType', 'campaignType'],
          additionalProperties: false,
        },
      },
    },
    source: 'api-evangelist/linkedin-ads, openapi of adBudgetPricing; learn.microsoft.com, Ad Budget Pricing',
  },
  {
    platform: 'linkedin',
    at: ['operations'],
    add: {
      'GET /rest/adTrackingParameters/(adEntity:(sponsoredCampaign:{campaign_urn}))': { headers: versions },
      'PUT /rest/adTrackingParameters/(adEntity:(sponsoredCampaign:{campaign_urn}))': {
        headers: versions,
        type: 'application/json',
        body: {
          type: 'object',
          properties: {
            dynamicValueParameters: {
              type: 'object',
              additionalProperties: {
                enum: [
                  'ACCOUNT_ID',
                  'ACCOUNT_NAME',
                  'CAMPAIGN_GROUP_ID',
                  'CAMPAIGN_GROUP_NAME',
                  'CAMPAIGN_ID',
                  'CAMPAIGN_NAME',
                  'CREATIVE_ID',
                  'CREATIVE_NAME',
                ],
              },
            },
            customValueParameters: { type: 'object', additionalProperties: { type: 'string' } },
          },
          additionalProperties: false,
        },
      },
    },
    source: 'learn.microsoft.com, Dynamic UTM Tracking, campaign level; CREATIVE_NAME since version 202606',
  },
  {
    platform: 'pinterest',
    at: ['$defs', 'OauthAccessTokenRequestCode', 'properties'],
    add: { continuous_refresh: { type: 'boolean' } },
    source: 'OpenAPI 5.23.0, text of POST /oauth/token: apps created before 25 September 2025 send it',
  },
  {
    platform: 'pinterest',
    at: ['operations'],
    add: {
      'GET /files/reports/{name}': {
        query: { type: 'object', properties: { until: {} }, additionalProperties: false },
      },
    },
    source: 'OpenAPI 5.23.0, AdsAnalyticsGetAsyncResponse: url of a file, outside the API',
  },
  ...['', '/campaigns', '/ad_groups', '/ads'].map((level): Amendment => ({
    platform: 'pinterest',
    at: ['operations', `GET /v5/ad_accounts/{ad_account_id}${level}/targeting_analytics`, 'query'],
    add: {
      allOf: [
        {
          properties: {
            columns: { items: { not: { enum: ['TOTAL_IMPRESSION_USER', 'TOTAL_IMPRESSION_FREQUENCY'] } } },
            targeting_types: { items: { not: { enum: ['AGE_BUCKET_AND_GENDER'] } } },
          },
        },
      ],
    },
    source:
      'airbytehq/airbyte, source-pinterest, reports.py (027fa46): targeting reports refuse reach; OpenAPI 5.23.0, text of targeting_types: a beta that not all users have',
  })),
  {
    platform: 'tiktok',
    at: ['$defs', 'dimensions', 'enum'],
    add: ['age', 'gender', 'platform', 'placement', 'ac', 'language'],
    source:
      'business-api.tiktok.com, audience reports; airbytehq/airbyte, source-tiktok-marketing, streams.py (04061a2)',
  },
  {
    platform: 'tiktok',
    at: ['operations', `GET ${report}`, 'query', 'properties'],
    add: {
      page_size: { type: 'number', minimum: 1, maximum: 1000 },
      start_date: { type: 'string', pattern: day },
      end_date: { type: 'string', pattern: day },
      filtering: {
        type: 'array',
        items: {
          type: 'object',
          properties: {
            field_name: { type: 'string' },
            filter_type: {
              enum: ['IN', 'MATCH', 'GREATER_EQUAL', 'GREATER_THAN', 'LOWER_EQUAL', 'LOWER_THAN', 'BETWEEN'],
            },
            filter_value: { type: 'string' },
          },
          required: ['field_name', 'filter_type', 'filter_value'],
          additionalProperties: false,
        },
      },
    },
    source: 'portal notes in bububa/tiktok-business, model/report/integrated_get.go, 2026-07-24',
  },
  {
    platform: 'tiktok',
    at: ['operations', `GET ${report}`, 'query'],
    add: {
      required: ['report_type', 'data_level', 'dimensions'],
      allOf: [
        ...reportLevels.map((level) => ({
          if: { properties: { data_level: { const: `AUCTION_${level.toUpperCase()}` } } },
          then: {
            properties: {
              dimensions: {
                contains: { const: `${level}_id` },
                items: { not: { enum: reportLevels.filter((other) => other !== level).map((other) => `${other}_id`) } },
              },
              filtering: {
                items: { properties: { field_name: { pattern: `^(${level}_status|[a-z]+_ids)$` } } },
              },
            },
          },
        })),
        {
          if: { properties: { report_type: { const: 'AUDIENCE' } } },
          then: {
            properties: { metrics: { items: { not: { enum: notOfAudience } }, minItems: 1 }, query_lifetime: false },
          },
          else: {
            properties: { dimensions: { items: { not: { enum: ['age', 'gender', 'platform', 'placement'] } } } },
          },
        },
        {
          if: { properties: { query_lifetime: { const: true } }, required: ['query_lifetime'] },
          then: { properties: { dimensions: { items: { pattern: '_id$' } } } },
          else: { required: ['start_date', 'end_date'] },
        },
      ],
    },
    source:
      'portal notes in bububa/tiktok-business, model/report/integrated_get.go, 2026-07-24; status fields of other levels: singer-io/tap-tiktok-ads#18, airbytehq/airbyte#65623; metrics of audience reports: airbytehq/airbyte, source-tiktok-marketing, streams.py (04061a2)',
  },
];
