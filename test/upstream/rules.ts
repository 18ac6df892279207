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
];
