import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startSandbox, type Sandbox } from '../../../src/dev/sandbox/index.ts';
import {
  caller,
  codesOf,
  connect,
  control,
  displayParts,
  operationsOf,
  searchParts,
  type Answer,
  type Call,
  type Connection,
  type Fields,
} from './search-ads.ts';

let sandbox: Sandbox;
let person: Connection;
let cid: string;
let made: { campaign: string; group: string; ad: string; budget: string };

const call: Call = (...args) => caller(sandbox.url, person.accessToken)(...args);
const mutate = (operations: unknown, account = cid): Promise<Answer> =>
  call(`customers/${account}/googleAds:mutate`, { body: { mutateOperations: operations } });
const search = (query: string, extra: Fields = {}, account = cid): Promise<Answer> =>
  call(`customers/${account}/googleAds:search`, { body: { query, ...extra } });
const idOf = (name: string): string => name.split(/[/~]/).at(-1) ?? '';
const make = async (name: string, kind = searchParts, account = cid): Promise<typeof made> => {
  const { body } = await mutate(operationsOf(account, kind(account, name)), account);
  const named = (result: string): string =>
    body.mutateOperationResponses.find((entry: object) => result in entry)[result].resourceName;
  return {
    campaign: named('campaignResult'),
    group: named('adGroupResult'),
    ad: named('adGroupAdResult'),
    budget: named('campaignBudgetResult'),
  };
};

beforeAll(async () => {
  sandbox = await startSandbox();
  person = await connect(sandbox.url);
  cid = person.adAccounts[0]?.id ?? '';
  made = await make('Spring');
  await make('Autumn [review:rejected]', displayParts);
});
afterAll(() => sandbox.stop());

const hierarchy = `SELECT campaign.id, campaign.name, campaign.status, campaign.advertising_channel_type, campaign_budget.amount_micros,
 campaign_budget.total_amount_micros, ad_group.id, ad_group.name, ad_group.status, ad_group_ad.ad.id, ad_group_ad.ad.type,
 ad_group_ad.status, ad_group_ad.policy_summary.approval_status
FROM ad_group_ad WHERE campaign.status != 'REMOVED' AND ad_group_ad.status != 'REMOVED'`;

describe('queries', () => {
  it('give the hierarchy with ids and money as text', async () => {
    const { body } = await search(`${hierarchy} AND campaign.name = 'Spring'`);
    expect(body.results).toEqual([
      {
        campaign: {
          resourceName: made.campaign,
          id: idOf(made.campaign),
          name: 'Spring',
          status: 'PAUSED',
          advertisingChannelType: 'SEARCH',
        },
        campaignBudget: { resourceName: made.budget, amountMicros: '25000000' },
        adGroup: { resourceName: made.group, id: idOf(made.group), name: 'Spring - ads', status: 'ENABLED' },
        adGroupAd: {
          resourceName: made.ad,
          status: 'ENABLED',
          ad: { resourceName: expect.stringMatching(/\/ads\/\d+$/), id: idOf(made.ad), type: 'RESPONSIVE_SEARCH_AD' },
          policySummary: { approvalStatus: 'APPROVED' },
        },
      },
    ]);
    expect(body.fieldMask).toContain('campaign.advertisingChannelType');
  });

  it('filter by word, list and pattern, sort and stop', async () => {
    const namesOf = async (rest: string): Promise<string[]> =>
      ((await search(`SELECT campaign.name FROM campaign ${rest}`)).body.results ?? []).map(
        (row: any) => row.campaign.name,
      );
    expect(await namesOf('ORDER BY campaign.name')).toEqual(['Autumn [review:rejected]', 'Spring']);
    expect(await namesOf('ORDER BY campaign.id DESC LIMIT 1')).toEqual(['Autumn [review:rejected]']);
    expect(await namesOf("WHERE campaign.name LIKE 'Spr%'")).toEqual(['Spring']);
    expect(await namesOf("WHERE campaign.name LIKE '%SPRI%'")).toEqual(['Spring']);
    expect(await namesOf("WHERE campaign.name = 'SPRING'")).toEqual([]);
    expect(await namesOf("WHERE campaign.name LIKE '%[[]review%'")).toEqual(['Autumn [review:rejected]']);
    expect(await namesOf(`WHERE campaign.id IN (${idOf(made.campaign)}, 5)`)).toEqual(['Spring']);
    expect(
      await namesOf("where campaign.advertising_channel_type = 'DISPLAY' and campaign.status in ('PAUSED')"),
    ).toHaveLength(1);
    expect(await namesOf("WHERE campaign.name = 'It\\'s not there'")).toEqual([]);
  });

  it('return the account, what a manager can access, places, interests and lists', async () => {
    const customer =
      'customer.id, customer.descriptive_name, customer.currency_code, customer.time_zone, customer.manager, customer.test_account';
    expect((await search(`SELECT ${customer} FROM customer`)).body.results[0].customer).toMatchObject({
      id: cid,
      currencyCode: 'USD',
      timeZone: 'America/New_York',
      manager: false,
      testAccount: true,
    });
    const clients = await search(
      'SELECT customer_client.id, customer_client.level FROM customer_client WHERE customer_client.level <= 1',
      {},
      person.managerId,
    );
    expect(clients.body.results.map((row: any) => row.customerClient.id)).toEqual([
      person.managerId,
      person.adAccounts[2]?.id,
    ]);
    const places = await search(
      "SELECT geo_target_constant.id FROM geo_target_constant WHERE geo_target_constant.country_code = 'DE' AND geo_target_constant.target_type = 'Country'",
    );
    expect(places.body.results[0].geoTargetConstant.id).toBe('2276');
    const interests = await search(
      "SELECT user_interest.user_interest_id FROM user_interest WHERE user_interest.name LIKE '%Garden%'",
    );
    expect(interests.body.results).toHaveLength(1);
    expect((await search('SELECT user_list.id FROM user_list')).body.results[0].userList.id).toBe(
      person.adAccounts[0]?.userListId,
    );
  });

  it('give figures by ad and added up, as the control address sets them', async () => {
    await control(sandbox.url, 'metrics', {
      resourceName: made.ad,
      impressions: 900,
      clicks: 30,
      costMicros: 12_500_000,
    });
    const figures = 'metrics.impressions, metrics.clicks, metrics.cost_micros';
    for (const [from, where] of [
      ['ad_group_ad', `ad_group_ad.ad.id = ${idOf(made.ad)}`],
      ['ad_group', `ad_group.id = ${idOf(made.group)}`],
      ['campaign', `campaign.id = ${idOf(made.campaign)} AND segments.date DURING TODAY`],
    ]) {
      const { body } = await search(`SELECT ${figures} FROM ${from} WHERE ${where}`);
      expect(body.results[0].metrics).toEqual({ impressions: '900', clicks: '30', costMicros: '12500000' });
    }
    const manager = await search(`SELECT ${figures} FROM customer`, {}, person.managerId);
    expect(codesOf(manager)).toEqual(['queryError.REQUESTED_METRICS_FOR_MANAGER']);
  });

  it.each([
    ['SELECT campaign.colour FROM campaign', 'UNRECOGNIZED_FIELD'],
    ['SELECT campaign.id FROM campaigns', 'BAD_RESOURCE_TYPE_IN_FROM_CLAUSE'],
    ['campaign.id FROM campaign', 'EXPECTED_SELECT'],
    ['SELECT campaign.id', 'EXPECTED_FROM'],
    ["SELECT campaign.id FROM campaign WHERE campaign.status = 'ACTIVE'", 'BAD_ENUM_CONSTANT'],
    ["SELECT campaign.id FROM campaign WHERE campaign.id = 'x'", 'BAD_VALUE'],
    ["SELECT campaign.id FROM campaign WHERE campaign.id LIKE '1%'", 'OPERATOR_FIELD_MISMATCH'],
    ['SELECT campaign.id FROM campaign WHERE campaign.id IN ()', 'PROHIBITED_EMPTY_LIST_IN_CONDITION'],
    ["SELECT campaign.id FROM campaign WHERE campaign.name = 'x", 'STRING_NOT_TERMINATED'],
    ['SELECT campaign.id FROM campaign LIMIT 0', 'LIMIT_VALUE_TOO_LOW'],
    ['SELECT ad_group.id FROM campaign', 'PROHIBITED_RESOURCE_TYPE_IN_SELECT_CLAUSE'],
    ['SELECT campaign.id FROM campaign WHERE ad_group.id = 1', 'PROHIBITED_RESOURCE_TYPE_IN_WHERE_CLAUSE'],
    ['SELECT campaign.id FROM campaign OR', 'UNEXPECTED_INPUT'],
    ['SELECT campaign.id FROM campaign WHERE campaign.id =', 'UNEXPECTED_END_OF_QUERY'],
  ])('refuse %s', async (query, code) => {
    expect(codesOf(await search(query))).toEqual([`queryError.${code}`]);
  });

  it('refuse a page size, and page by tokens of ten thousand', async () => {
    const query = 'SELECT campaign_budget.id FROM campaign_budget';
    expect(codesOf(await search(query, { pageSize: 10 }))).toEqual(['requestError.PAGE_SIZE_NOT_SUPPORTED']);
    const own = await connect(sandbox.url, ['USD']);
    const account = own.adAccounts[0]?.id ?? '';
    const token = own.accessToken;
    const create = { amountMicros: '5000000', explicitlyShared: false };
    for (const length of [10_000, 3]) {
      const mutateOperations = Array.from({ length }, () => ({ campaignBudgetOperation: { create } }));
      await call(`customers/${account}/googleAds:mutate`, { body: { mutateOperations }, token });
    }
    const page = async (body: Fields): Promise<Answer> =>
      call(`customers/${account}/googleAds:search`, { body, token });
    const first = await page({ query });
    expect(first.body.results).toHaveLength(10_000);
    const second = await page({ query, pageToken: first.body.nextPageToken });
    expect([second.body.results.length, second.body.nextPageToken]).toEqual([3, undefined]);
    const other = await page({ query: `${query} LIMIT 5`, pageToken: first.body.nextPageToken });
    expect(codesOf(other)).toEqual(['requestError.INVALID_PAGE_TOKEN']);
    const stream = await call(`customers/${account}/googleAds:searchStream`, { body: { query }, token });
    expect(stream.body.map(({ results }: Fields) => (results as unknown[]).length)).toEqual([10_000, 3]);
  });

  it('come as a list from a stream, errors too', async () => {
    const stream = (query: string): Promise<Answer> =>
      call(`customers/${cid}/googleAds:searchStream`, { body: { query } });
    expect((await stream("SELECT campaign.id FROM campaign WHERE campaign.name = 'none'")).body).toEqual([
      { fieldMask: 'campaign.id', requestId: expect.any(String) },
    ]);
    const refused = await stream('SELECT nothing FROM campaign');
    expect([refused.status, refused.body[0].error.code]).toEqual([400, 400]);
  });
});

describe('places', () => {
  it('are suggested by name in a country, with what they lie in', async () => {
    const { body } = await call('geoTargetConstants:suggest', {
      body: { locale: 'en', countryCode: 'DE', locationNames: { names: ['Germany', 'Mun'] } },
    });
    expect(body.geoTargetConstantSuggestions).toMatchObject([
      { searchTerm: 'Germany', geoTargetConstant: { resourceName: 'geoTargetConstants/2276', targetType: 'Country' } },
      { searchTerm: 'Mun', geoTargetConstant: { canonicalName: 'Munich,Bavaria,Germany' } },
    ]);
    const many = await call('geoTargetConstants:suggest', { body: { locationNames: { names: Array(26).fill('x') } } });
    expect(codesOf(many)).toEqual(['geoTargetConstantSuggestionError.LOCATION_NAME_LIMIT']);
  });
});

describe('changes', () => {
  const update = (kind: string, fields: Fields, updateMask?: string): Promise<Answer> =>
    mutate([{ [`${kind}Operation`]: { update: fields, ...(updateMask && { updateMask }) } }]);

  it('touch what the mask names', async () => {
    const { campaign, group, ad, budget } = await make('To change');
    await update(
      'campaign',
      { resourceName: campaign, name: 'Changed', status: 'ENABLED', endDateTime: '2040-12-31 23:59:59' },
      'status,endDateTime,name',
    );
    await update(
      'campaignBudget',
      { resourceName: budget, amountMicros: '30000000', deliveryMethod: 'STANDARD' },
      'amount_micros',
    );
    await update('adGroup', { resourceName: group, name: 'Unmasked', status: 'PAUSED' }, 'status');
    await update('adGroupAd', { resourceName: ad, status: 'PAUSED' }, 'status');
    const { body } = await search(
      `SELECT campaign.name, campaign.status, campaign.end_date_time, campaign_budget.amount_micros, campaign_budget.name, ad_group.name, ad_group.status, ad_group_ad.status FROM ad_group_ad WHERE campaign.id = ${idOf(campaign)}`,
    );
    expect(body.results).toMatchObject([
      {
        campaign: { name: 'Changed', status: 'ENABLED', endDateTime: '2040-12-31 23:59:59' },
        campaignBudget: { amountMicros: '30000000', name: 'Changed' },
        adGroup: { name: 'To change - ads', status: 'PAUSED' },
        adGroupAd: { status: 'PAUSED' },
      },
    ]);
  });

  it('of the suffix of a URL go through the ad itself, not through its place in the ad group', async () => {
    const { campaign, ad } = await make('To track');
    const [customer, adId = ''] = [ad.split('/adGroupAds/')[0], ad.split('~')[1]];
    const resourceName = `${customer}/ads/${adId}`;
    const suffix = (finalUrlSuffix: string): Promise<Answer> =>
      update('ad', { resourceName, finalUrlSuffix }, 'finalUrlSuffix');
    expect((await suffix('a=b&c={campaignid}')).body.mutateOperationResponses).toEqual([
      { adResult: { resourceName } },
    ]);
    const { body } = await search(
      `SELECT ad_group_ad.ad.final_url_suffix, ad_group_ad.ad.final_urls FROM ad_group_ad WHERE campaign.id = ${idOf(campaign)}`,
    );
    expect(body.results).toMatchObject([{ adGroupAd: { ad: { finalUrlSuffix: 'a=b&c={campaignid}' } } }]);
    expect(body.results[0].adGroupAd.ad.finalUrls).toHaveLength(1);
    expect(codesOf(await suffix('?a=b'))).toEqual(['urlFieldError.FINAL_URL_SUFFIX_MALFORMED']);
    expect(codesOf(await suffix('a={lpurl}'))).toEqual(['urlFieldError.INVALID_TAG_IN_FINAL_URL_SUFFIX']);
    expect(codesOf(await update('adGroupAd', { resourceName: ad, ad: { finalUrlSuffix: 'a=b' } }, 'ad'))).toEqual([
      'fieldError.IMMUTABLE_FIELD',
    ]);
    const elsewhere = { resourceName: `${customer}/ads/1`, finalUrlSuffix: 'a=b' };
    expect(codesOf(await update('ad', elsewhere, 'finalUrlSuffix'))).toEqual(['mutateError.RESOURCE_NOT_FOUND']);
  });

  it('are refused without mask, for what is fixed, unknown or breaks a rule', async () => {
    const { campaign, budget } = await make('To refuse');
    const resourceName = campaign;
    const cases: [Answer, string][] = [
      [await update('campaign', { resourceName, status: 'ENABLED' }), 'fieldMaskError.FIELD_MASK_MISSING'],
      [await update('campaign', { resourceName, status: 'ENABLED' }, 'state'), 'fieldMaskError.FIELD_NOT_FOUND'],
      [
        await update('campaign', { resourceName, targetSpend: { cpcBidCeilingMicros: '10000' } }, 'target_spend'),
        'fieldMaskError.FIELD_HAS_SUBFIELDS',
      ],
      [
        await update('campaign', { resourceName, advertisingChannelType: 'DISPLAY' }, 'advertisingChannelType'),
        'fieldError.IMMUTABLE_FIELD',
      ],
      [await update('campaign', { resourceName, name: 'Spring' }, 'name'), 'campaignError.DUPLICATE_CAMPAIGN_NAME'],
      [await update('campaign', { resourceName, status: 'REMOVED' }, 'status'), 'enumError.ENUM_VALUE_NOT_PERMITTED'],
      [await update('campaign', { resourceName }, 'name'), 'fieldError.REQUIRED'],
      [
        await update('campaignBudget', { resourceName: budget, amountMicros: '1' }, 'amountMicros'),
        'campaignBudgetError.NON_MULTIPLE_OF_MINIMUM_CURRENCY_UNIT',
      ],
      [
        await update('campaign', { resourceName: `customers/${cid}/campaigns/1`, status: 'ENABLED' }, 'status'),
        'mutateError.RESOURCE_NOT_FOUND',
      ],
      [await mutate([{ campaignBudgetOperation: { remove: budget } }]), 'campaignBudgetError.CAMPAIGN_BUDGET_IN_USE'],
    ];
    for (const [answer, code] of cases) expect(codesOf(answer)).toEqual([code]);
    await mutate([{ campaignOperation: { remove: resourceName } }]);
    expect(codesOf(await update('campaign', { resourceName, status: 'ENABLED' }, 'status'))).toEqual([
      'contextError.OPERATION_NOT_PERMITTED_FOR_REMOVED_RESOURCE',
    ]);
  });

  it('put one bidding scheme in the place of another', async () => {
    const { campaign } = await make('To bid');
    await update(
      'campaign',
      { resourceName: campaign, maximizeConversions: { targetCpaMicros: '5000000' } },
      'maximizeConversions.targetCpaMicros',
    );
    const { body } = await search(
      `SELECT campaign.bidding_strategy_type, campaign.maximize_conversions.target_cpa_micros FROM campaign WHERE campaign.id = ${idOf(campaign)}`,
    );
    expect(body.results[0].campaign).toMatchObject({
      biddingStrategyType: 'MAXIMIZE_CONVERSIONS',
      maximizeConversions: { targetCpaMicros: '5000000' },
    });
  });
});
