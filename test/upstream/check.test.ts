import { request } from 'undici';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startSandbox, type Sandbox } from '../../src/dev/sandbox/index.ts';
import { onUpstreamRequest } from '../support/upstream-requests.ts';
import { problemsOf } from './check.ts';
import type { UpstreamRequest } from './decode.ts';

const json = 'application/json';
const form = 'application/x-www-form-urlencoded';
const requestOf = (platform: string, line: string, body?: unknown): UpstreamRequest => {
  const [method = '', url = ''] = line.split(' ');
  const [path = '', query = ''] = url.split('?');
  const text = body === undefined ? '' : typeof body === 'string' ? body : JSON.stringify(body);
  const type = body === undefined ? '' : typeof body === 'string' ? form : json;
  return { platform, method, path, query, type, headers: {}, body: Buffer.from(text) };
};
const campaign = { ad_account_id: '1', name: 'Spring', objective_type: 'CONSIDERATION' };
const formOf = (fields: object): string => new URLSearchParams(Object.entries(fields)).toString();
const metaCampaign = {
  name: 'Spring',
  objective: 'OUTCOME_TRAFFIC',
  status: 'PAUSED',
  special_ad_categories: '[]',
};
const week = { start_date: '2026-11-01', end_date: '2026-11-07' };
const audience = { report_type: 'AUDIENCE', dimensions: ['ad_id', 'gender'] };
const everything = { field_name: 'ad_status', filter_type: 'IN', filter_value: '["STATUS_ALL"]' };
const tiktokReport = (extra: object): UpstreamRequest => {
  const fields = {
    advertiser_id: '1',
    service_type: 'AUCTION',
    report_type: 'BASIC',
    data_level: 'AUCTION_AD',
    dimensions: ['ad_id', 'stat_time_day'],
    metrics: ['spend', 'complete_payment'],
    filtering: [everything],
    ...week,
    ...extra,
  };
  const given = Object.entries(fields).filter(([, value]) => value !== undefined);
  const query = given.map(([name, value]) => [name, typeof value === 'string' ? value : JSON.stringify(value)]);
  return requestOf('tiktok', `GET /open_api/v1.3/report/integrated/get/?${formOf(Object.fromEntries(query))}`);
};
const campaigns = 'POST /v5/ad_accounts/1/campaigns';
const mutate = 'POST /v25/customers/1/googleAds:mutate';
const search = 'POST /v25/customers/1/googleAds:search';

describe('a request to a platform', () => {
  it.each<[string, UpstreamRequest]>([
    ['on Pinterest', requestOf('pinterest', campaigns, [campaign])],
    ['on Pinterest with a list in its query', requestOf('pinterest', 'GET /v5/ad_accounts/1/ads?ad_ids=1&ad_ids=2')],
    [
      'on Google Ads',
      requestOf('google-ads', search, { query: "SELECT campaign.id FROM campaign WHERE campaign.status != 'REMOVED'" }),
    ],
    [
      'on Meta with the budget of a campaign',
      requestOf(
        'meta',
        'POST /v26.0/act_1/campaigns',
        formOf({ ...metaCampaign, daily_budget: '2500', bid_strategy: 'LOWEST_COST_WITHOUT_CAP' }),
      ),
    ],
    ['on Meta with a new budget', requestOf('meta', 'POST /v26.0/2', 'daily_budget=4000')],
    [
      'on Google Ads with a new budget',
      requestOf('google-ads', mutate, {
        mutateOperations: [
          {
            campaignBudgetOperation: {
              update: { resourceName: 'customers/1/campaignBudgets/2', amountMicros: '5000000' },
              updateMask: 'amountMicros',
            },
          },
        ],
      }),
    ],
    ['on TikTok for figures by day', tiktokReport({})],
    ['on TikTok for figures by gender', tiktokReport({ ...audience, metrics: ['spend'] })],
    ['on a platform without facts', requestOf('somewhere', 'GET /anything')],
  ])('passes %s if it follows the description', (_, sent) => {
    expect(problemsOf(sent)).toEqual([]);
  });

  it.each<[string, UpstreamRequest, RegExp]>([
    ['an unknown path', requestOf('pinterest', 'GET /v5/adverts'), /is not an operation/],
    ['an unknown method', requestOf('pinterest', 'DELETE /v5/ad_accounts/1/campaigns'), /is not an operation/],
    ['an unknown parameter', requestOf('pinterest', 'GET /v5/boards?limit=5'), /additional properties \(limit\)/],
    [
      'a wrong form of a list',
      requestOf(
        'pinterest',
        'GET /v5/ad_accounts/1/ads/analytics?start_date=2026-01-01&end_date=2026-01-02&granularity=TOTAL&columns=CTR&columns=ECTR',
      ),
      /columns must be array/,
    ],
    ...(
      [
        ['a misspelt column', 'analytics', { columns: 'SPEND_IN_MICRO_DOLARS' }],
        [
          'reach with a breakdown',
          'targeting_analytics',
          { columns: 'TOTAL_IMPRESSION_USER', targeting_types: 'GENDER' },
        ],
        [
          'a breakdown in beta',
          'targeting_analytics',
          { columns: 'PAID_IMPRESSION', targeting_types: 'AGE_BUCKET_AND_GENDER' },
        ],
      ] as const
    ).map(([name, edge, fields]): [string, UpstreamRequest, RegExp] => [
      `${name} on Pinterest`,
      requestOf('pinterest', `GET /v5/ad_accounts/1/${edge}?${formOf({ ...week, granularity: 'TOTAL', ...fields })}`),
      /columns|targeting_types/,
    ]),
    ...(
      [
        ['a misspelt metric', { metrics: ['spent'] }],
        ['reach in a report on the audience', { ...audience, metrics: ['reach'] }],
        ['age in a basic report', { dimensions: ['ad_id', 'age'] }],
        ['the status of another level', { filtering: [{ ...everything, field_name: 'campaign_status' }] }],
        ['days in a lifetime report', { query_lifetime: true, dimensions: ['ad_id', 'stat_time_day'] }],
        ['two levels', { dimensions: ['ad_id', 'campaign_id'] }],
        ['a page of more than a thousand rows', { page_size: 1001 }],
        ['no days', { start_date: undefined }],
      ] as const
    ).map(([name, fields]): [string, UpstreamRequest, RegExp] => [
      `${name} on TikTok`,
      tiktokReport(fields),
      /metrics|dimensions|filtering|page_size|start_date/,
    ]),
    ['an unknown field', requestOf('pinterest', campaigns, [{ ...campaign, budget: 5 }]), /\(budget\)/],
    ['a missing field', requestOf('pinterest', campaigns, [{ name: 'Spring' }]), /objective_type/],
    [
      'an unknown value',
      requestOf('pinterest', campaigns, [{ ...campaign, objective_type: 'TRAFFIC' }]),
      /CONSIDERATION/,
    ],
    [
      'a wrong type',
      requestOf('pinterest', campaigns, [{ ...campaign, daily_spend_cap: '5000000' }]),
      /must be integer/,
    ],
    ['a wrong media type', requestOf('pinterest', campaigns, 'name=Spring'), /urlencoded, not application\/json/],
    [
      'a forbidden combination',
      requestOf('pinterest', 'POST /v5/ad_accounts/1/ad_groups', [
        {
          name: 'a',
          campaign_id: '1',
          billable_event: 'IMPRESSION',
          budget_type: 'CBO_ADGROUP',
          budget_in_micro_currency: 5_000_000,
        },
      ]),
      /texts of budget_in_micro_currency/,
    ],
    ...[
      ['fields=spend,impresions', /impresions/],
      ['breakdowns=["age","publisher_platform"]', /breakdowns must be equal to one of/],
      ['time_range={"since":"2026-01-01"}', /time_range must have required property 'until'/],
    ].map(([query, problem]): [string, UpstreamRequest, RegExp] => [
      `a report on Meta with ${String(query)}`,
      requestOf('meta', `GET /v26.0/act_1/insights?${String(query)}`),
      problem as RegExp,
    ]),
    ...[
      { adset_budgets: JSON.stringify([{ adset_id: '3', daily_budget: 2500 }]) },
      { budget_rebalance_flag: 'true' },
      { is_adset_budget_sharing_enabled: 'true' },
      { daily_budget: '2500', lifetime_budget: '9000' },
    ].map((change): [string, UpstreamRequest, RegExp] => [
      `a change of the budget level on Meta with ${Object.keys(change).join(' and ')}`,
      requestOf('meta', 'POST /v26.0/2', formOf(change)),
      /Advantage campaign budget/,
    ]),
    ...[
      { daily_budget: '2500' },
      { daily_budget: '2500', bid_strategy: 'COST_CAP', is_adset_budget_sharing_enabled: 'false' },
      {},
    ].map((terms): [string, UpstreamRequest, RegExp] => [
      `a new campaign on Meta with ${Object.keys(terms).join(' and ') || 'no word on its budget'}`,
      requestOf('meta', 'POST /v26.0/act_1/campaigns', formOf({ ...metaCampaign, ...terms })),
      /Advantage campaign budget/,
    ]),
    ...[
      { create: { name: 'Spring', amountMicros: '5000000' } },
      { create: { name: 'Spring', explicitlyShared: false } },
      { update: { resourceName: 'customers/1/campaignBudgets/2', period: 'DAILY' }, updateMask: 'period' },
      {
        update: { resourceName: 'customers/1/campaignBudgets/2', amountMicros: '5000000', explicitlyShared: true },
        updateMask: 'amountMicros,explicitlyShared',
      },
    ].map((campaignBudgetOperation): [string, UpstreamRequest, RegExp] => [
      `a budget on Google Ads with ${JSON.stringify(campaignBudgetOperation)}`,
      requestOf('google-ads', mutate, { mutateOperations: [{ campaignBudgetOperation }] }),
      /campaign_budget.proto/,
    ]),
    [
      'two of several alternatives',
      requestOf('google-ads', mutate, {
        mutateOperations: [
          {
            campaignOperation: {
              create: {
                manualCpm: {},
                targetSpend: {},
                containsEuPoliticalAdvertising: 'DOES_NOT_CONTAIN_EU_POLITICAL_ADVERTISING',
              },
            },
          },
        ],
      }),
      /atMostOneOf/,
    ],
    [
      'a change of an immutable field',
      requestOf('google-ads', mutate, {
        mutateOperations: [
          {
            campaignOperation: {
              update: { resourceName: 'customers/1/campaigns/2', advertisingChannelType: 'SEARCH' },
              updateMask: 'advertisingChannelType',
            },
          },
        ],
      }),
      /advertisingChannelType/,
    ],
    [
      'an unknown field in a query',
      requestOf('google-ads', search, { query: 'SELECT campaign.title FROM campaign' }),
      /unknown field campaign.title/,
    ],
    [
      'an unknown value in a query',
      requestOf('google-ads', search, { query: "SELECT campaign.id FROM campaign WHERE campaign.status = 'ACTIVE'" }),
      /unknown value ACTIVE/,
    ],
  ])('is refused for %s', (_, sent, problem) => {
    expect(problemsOf(sent).join('\n')).toMatch(problem);
  });
});

describe('the recorder', () => {
  let sandbox: Sandbox;
  beforeAll(async () => void (sandbox = await startSandbox()));
  afterAll(() => sandbox.stop());

  it('sees the requests of the service with their bodies, and not those of a test', async () => {
    const seen: UpstreamRequest[] = [];
    const stop = onUpstreamRequest((sent) => void seen.push(sent));
    const address = `${sandbox.url}/pin-board/v5/ad_accounts/1/campaigns`;
    const body = JSON.stringify([campaign]);
    await fetch(address, { method: 'POST', body });
    const { body: answer } = await request(address, { method: 'POST', body, headers: { 'content-type': json } });
    await answer.dump();
    stop();
    expect(seen.map(({ platform, method, path, body: sent }) => [platform, method, path, String(sent)])).toEqual([
      ['pinterest', 'POST', '/v5/ad_accounts/1/campaigns', body],
    ]);
  });
});
