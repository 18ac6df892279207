import type { Schema } from './facts.ts';

/** A combination of fields that a platform requires or forbids. Schemas of descriptions do not say so; their texts do. */
export interface Rule {
  platform: string;
  operation: string;
  body: Schema;
  source: string;
}

const has = (name: string, value: unknown): Schema => ({
  properties: { [name]: { const: value } },
  required: [name],
});
const absent = (...names: string[]): Schema => ({
  properties: Object.fromEntries(names.map((name) => [name, { type: 'null' }])),
});

const within = (path: string[], schema: Schema): Schema =>
  path.reduceRight<Schema>((inner, name) => ({ properties: { [name]: inner } }), schema);
const eachOperation = (name: string, change: string, schema: Schema): Schema => ({
  properties: { mutateOperations: { items: within([name, change], schema) } },
});
const anyOperation = (name: string, schema: Schema): Schema => ({
  properties: {
    mutateOperations: {
      contains: { required: [name], properties: { [name]: { required: ['create'], properties: { create: schema } } } },
    },
  },
});
const when = (condition: Schema, then: Schema): Schema => ({ if: condition, then });
const required = (...names: string[]): Schema => ({ required: names });
const adGroup = 'POST /open_api/v1.3/adgroup/create/';
const notes = 'portal notes in bububa/tiktok-business, model/adgroup/create.go, 2026-07-24';
const reference = 'ivangfalco/linkedin-ads-skill, api-reference.md, 15 July 2026';
const adSet = 'POST /v26.0/act_{id}/adsets';
const mutate = 'POST /v25/customers/{customer_id}/googleAds:mutate';
const lastSecond = within(['endDateTime'], { pattern: '^\\d{4}-\\d\\d-\\d\\d 23:59:59$' });
const firstSecond = within(['startDateTime'], { pattern: '^\\d{4}-\\d\\d-\\d\\d 00:00:00$' });
const wholeDays: Schema = { allOf: [lastSecond, firstSecond] };

export const rules: Rule[] = [
  {
    platform: 'google-ads',
    operation: mutate,
    body: {
      allOf: [
        eachOperation('campaignOperation', 'create', wholeDays),
        eachOperation('campaignOperation', 'update', wholeDays),
      ],
    },
    source: 'v25 campaign.proto, texts of start_date_time and end_date_time; date_error.proto, DATE_RANGE_ERROR_*',
  },
  {
    platform: 'google-ads',
    operation: mutate,
    body: eachOperation('campaignOperation', 'create', { required: ['containsEuPoliticalAdvertising'] }),
    source: 'Google Ads API documentation, required for all new campaigns since September 2025',
  },
  {
    platform: 'google-ads',
    operation: mutate,
    body: {
      not: {
        allOf: [
          anyOperation('campaignOperation', has('advertisingChannelType', 'DISPLAY')),
          anyOperation('campaignBudgetOperation', has('period', 'CUSTOM_PERIOD')),
        ],
      },
    },
    source:
      'Google Ads API documentation, campaign total budgets: SEARCH, SHOPPING, PERFORMANCE_MAX and DEMAND_GEN only',
  },
  {
    platform: 'google-ads',
    operation: mutate,
    body: {
      allOf: [
        eachOperation('campaignBudgetOperation', 'create', {
          ...has('explicitlyShared', false),
          oneOf: [required('amountMicros'), required('totalAmountMicros')],
        }),
        eachOperation('campaignBudgetOperation', 'update', {
          oneOf: [required('amountMicros'), required('totalAmountMicros')],
          propertyNames: { enum: ['resourceName', 'amountMicros', 'totalAmountMicros'] },
        }),
      ],
    },
    source:
      'v25 campaign_budget.proto: explicitly_shared is true unless it is given, an amount goes with its period; a change of the rest moves the budget',
  },
  {
    platform: 'pinterest',
    operation: 'POST /v5/ad_accounts/{ad_account_id}/campaigns',
    body: {
      items: {
        allOf: [
          {
            if: has('is_campaign_budget_optimization', true),
            then: { oneOf: [{ required: ['daily_spend_cap'] }, { required: ['lifetime_spend_cap'] }] },
          },
          { if: { required: ['lifetime_spend_cap'] }, then: { required: ['end_time'] } },
        ],
      },
    },
    source: 'OpenAPI 5.23.0, texts of daily_spend_cap and lifetime_spend_cap; guide "Managing campaigns"',
  },
  {
    platform: 'pinterest',
    operation: 'POST /v5/ad_accounts/{ad_account_id}/campaigns',
    body: {
      items: { if: has('objective_type', 'AWARENESS'), then: has('is_campaign_budget_optimization', true) },
    },
    source: 'pinterest/pinterest-python-sdk#176, 26 August 2026',
  },
  {
    platform: 'pinterest',
    operation: 'PATCH /v5/ad_accounts/{ad_account_id}/campaigns',
    body: {
      items: {
        allOf: [
          { not: required('is_campaign_budget_optimization') },
          { not: required('daily_spend_cap', 'lifetime_spend_cap') },
        ],
      },
    },
    source:
      'OpenAPI 5.23.0, text of is_campaign_budget_optimization: switching it clears the budgets of all ad groups, so the adapter never sends it',
  },
  {
    platform: 'pinterest',
    operation: 'POST /v5/ad_accounts/{ad_account_id}/ad_groups',
    body: {
      items: {
        if: has('budget_type', 'CBO_ADGROUP'),
        then: absent('budget_in_micro_currency', 'start_time', 'end_time'),
        else: { required: ['budget_in_micro_currency'] },
      },
    },
    source: 'OpenAPI 5.23.0, texts of budget_in_micro_currency, start_time and end_time',
  },
  {
    platform: 'tiktok',
    operation: 'POST /open_api/v1.3/campaign/create/',
    body: when(has('budget_optimize_on', true), {
      required: ['budget_mode', 'budget'],
      properties: { budget_mode: { enum: ['BUDGET_MODE_TOTAL', 'BUDGET_MODE_DYNAMIC_DAILY_BUDGET'] } },
    }),
    source: 'portal notes in bububa/tiktok-business, model/campaign/create.go, 2026-07-24',
  },
  {
    platform: 'tiktok',
    operation: adGroup,
    body: when(has('budget_mode', 'BUDGET_MODE_INFINITE'), {
      required: ['bid_type'],
      properties: { budget: { const: 0 } },
    }),
    source: `${notes}: below a campaign with budget_optimize_on`,
  },
  {
    platform: 'tiktok',
    operation: adGroup,
    body: when(has('schedule_type', 'SCHEDULE_START_END'), required('schedule_end_time')),
    source: notes,
  },
  {
    platform: 'tiktok',
    operation: adGroup,
    body: when(
      { properties: { promotion_type: { enum: ['APP_ANDROID', 'APP_IOS'] } }, required: ['promotion_type'] },
      {
        properties: { operating_systems: { type: 'array', minItems: 1, maxItems: 1 } },
        required: ['operating_systems'],
      },
    ),
    source: `${notes}: required for app promotion, exactly one of ANDROID and IOS`,
  },
  {
    platform: 'tiktok',
    operation: adGroup,
    body: {
      not: { allOf: [has('promotion_target_type', 'EXTERNAL_WEBSITE'), has('optimization_goal', 'LEAD_GENERATION')] },
    },
    source: `${notes}: LEAD_GENERATION optimizes instant forms; websites take CONVERT or CLICK`,
  },
  {
    platform: 'meta',
    operation: adSet,
    body: {
      allOf: [
        { not: required('daily_budget', 'lifetime_budget') },
        when(required('lifetime_budget'), required('end_time')),
        when(has('bid_strategy', 'LOWEST_COST_WITH_BID_CAP'), required('bid_amount')),
        when(has('bid_strategy', 'COST_CAP'), required('bid_amount')),
        when(has('bid_strategy', 'LOWEST_COST_WITH_MIN_ROAS'), required('bid_constraints')),
        when(has('bid_strategy', 'LOWEST_COST_WITHOUT_CAP'), { not: required('bid_amount') }),
      ],
    },
    source: 'Marketing API reference, Ad Account Adsets: daily_budget, lifetime_budget, bid_strategy',
  },
  {
    platform: 'meta',
    operation: 'POST /v26.0/act_{id}/campaigns',
    body: {
      not: required('daily_budget', 'lifetime_budget'),
      if: { anyOf: [required('daily_budget'), required('lifetime_budget')] },
      then: { ...required('bid_strategy'), not: required('is_adset_budget_sharing_enabled') },
      else: required('is_adset_budget_sharing_enabled'),
    },
    source: 'Marketing API documentation, Advantage campaign budget; error 4834011 if a campaign says neither',
  },
  {
    platform: 'meta',
    operation: 'POST /v26.0/{id}',
    body: {
      not: {
        anyOf: [
          required('daily_budget', 'lifetime_budget'),
          required('adset_budgets'),
          required('budget_rebalance_flag'),
          required('is_adset_budget_sharing_enabled'),
        ],
      },
    },
    source:
      'Marketing API documentation, Advantage campaign budget: these switch the level, so the adapter never sends them',
  },
  {
    platform: 'meta',
    operation: 'POST /v26.0/act_{id}/campaigns',
    body: when(
      {
        properties: { special_ad_categories: { type: 'array', contains: { not: { const: 'NONE' } } } },
        required: ['special_ad_categories'],
      },
      required('special_ad_category_country'),
    ),
    source: 'Marketing API documentation, Special Ad Categories',
  },
  {
    platform: 'meta',
    operation: 'POST /v26.0/act_{id}/adsets',
    body: when(required('regional_regulation_identities'), required('regional_regulated_categories')),
    source: 'Marketing API documentation, Ad Set: the identities belong to the categories',
  },
  {
    platform: 'linkedin',
    operation: 'POST /rest/adAccounts/{id}/adCampaigns',
    body: {
      allOf: [
        when(required('pacingStrategy'), required('totalBudget')),
        ...Object.entries({
          MAX_IMPRESSION: ['BRAND_AWARENESS'],
          MAX_REACH: ['BRAND_AWARENESS'],
          MAX_CLICK: ['ENGAGEMENT', 'JOB_APPLICANT', 'TALENT_LEAD', 'WEBSITE_VISIT'],
          MAX_CONVERSION: ['WEBSITE_CONVERSION'],
          MAX_VIDEO_VIEW: ['VIDEO_VIEW'],
          MAX_LEAD: ['LEAD_GENERATION'],
        }).map(([target, objectives]) =>
          when(has('optimizationTargetType', target), within(['objectiveType'], { enum: objectives })),
        ),
        ...Object.entries({ CLICK: 'CPC', IMPRESSION: 'CPM', VIDEO_VIEW: 'CPV' }).map(([unit, cost]) =>
          when(has('optimizationTargetType', `TARGET_COST_PER_${unit}`), has('costType', cost)),
        ),
      ],
    },
    source: reference,
  },
  {
    platform: 'linkedin',
    operation: 'POST /rest/adAccounts/{id}/adCampaignGroups',
    body: {
      allOf: [
        when(required('totalBudget'), within(['runSchedule'], required('end'))),
        { not: required('dailyBudget', 'totalBudget') },
        when(required('budgetOptimization'), {
          required: ['objectiveType'],
          anyOf: [required('dailyBudget'), required('totalBudget')],
          properties: {
            budgetOptimization: {
              required: ['bidStrategy'],
              properties: { budgetOptimizationStrategy: { const: 'DYNAMIC' } },
            },
          },
        }),
      ],
    },
    source: `${reference}; learn.microsoft.com, Campaign Groups, budgetOptimization`,
  },
  {
    platform: 'linkedin',
    operation: 'POST /rest/posts',
    body: when(required('contentCallToActionLabel'), required('contentLandingPage')),
    source: reference,
  },
  ...['POST /12/accounts/{account_id}/campaigns', 'PUT /12/accounts/{account_id}/campaigns/{campaign_id}'].map(
    (operation): Rule => ({
      platform: 'x-ads',
      operation,
      body: when(required('budget_optimization'), has('budget_optimization', 'LINE_ITEM')),
      source: 'xdevplatform/docs#211, 26 June 2026: CAMPAIGN is removed',
    }),
  ),
  {
    platform: 'x-ads',
    operation: 'POST /12/accounts/{account_id}/line_items',
    body: {
      allOf: [
        when(
          { properties: { bid_strategy: { enum: ['MAX', 'TARGET'] } }, required: ['bid_strategy'] },
          required('bid_amount_local_micro'),
        ),
        when(has('goal', 'WEBSITE_CONVERSIONS'), required('primary_web_event_tag')),
        when(
          { properties: { objective: { enum: ['REACH', 'FOLLOWERS'] } }, required: ['objective'] },
          { not: has('bid_strategy', 'MAX') },
        ),
        when(
          { properties: { objective: { enum: ['APP_INSTALLS', 'APP_ENGAGEMENTS'] } }, required: ['objective'] },
          { anyOf: [required('android_app_store_identifier'), required('ios_app_store_identifier')] },
        ),
      ],
    },
    source:
      'X Ads API 12, texts of bid_amount_local_micro, primary_web_event_tag, bid_strategy and the app store identifiers',
  },
];
