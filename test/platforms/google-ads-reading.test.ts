import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createGoogleAdsConnector } from '../../src/platforms/google-ads/connect.ts';
import type { AdRef, FoundPage } from '../../src/platforms/platform.ts';
import {
  access,
  adapterOf,
  adRow,
  bodyOf,
  developerToken,
  dollars,
  failure,
  goodPlatform,
  mutated,
  problem,
  queryOf,
  rows,
  token,
} from './google-ads-fixtures.ts';
import { refusalOf } from './fixtures.ts';
import { startUpstream, type FakeUpstream, type Reply } from './upstream.ts';

let upstream: FakeUpstream;
beforeEach(async () => {
  upstream = await startUpstream();
  upstream.respond = goodPlatform;
});
afterEach(() => upstream.stop());

const customer = (id: string, extra: object = {}): object => ({
  id,
  descriptiveName: `Shop ${id}`,
  currencyCode: 'EUR',
  timeZone: 'Europe/Berlin',
  manager: false,
  status: 'ENABLED',
  ...extra,
});

describe('a campaign or ad group that is not recorded', () => {
  const suspended = { ...dollars, id: '1111111111' };

  it.each([
    ['findCampaign', '77'],
    ['findAdSet', '88'],
  ] as const)('is found by %s although another ad account of the user rejects the search', async (find, id) => {
    upstream.respond = ({ path }) =>
      path.includes(suspended.id)
        ? failure(403, [problem({ authorizationError: 'CUSTOMER_NOT_ENABLED' })], { status: 'PERMISSION_DENIED' })
        : rows(adRow());
    const adapter = adapterOf(upstream);
    expect(await adapter[find](access, [suspended, dollars], id)).toMatchObject({
      adAccount: { id: dollars.id },
      campaign: { id: '77' },
    });
    await expect(adapter[find](access, [suspended], id)).rejects.toMatchObject({ fault: 'rejected' });
  });
});

describe('ad accounts', () => {
  const list = () => adapterOf(upstream).listAdAccounts(access);
  const fixture = (customers: Record<string, Reply>, clients: Record<string, Reply> = {}): void => {
    upstream.respond = (request) => {
      if (request.path === '/v25/customers:listAccessibleCustomers') {
        return { json: { resourceNames: Object.keys(customers).map((id) => `customers/${id}`) } };
      }
      const id = /customers\/(\d+)\//.exec(request.path)?.[1] ?? '';
      return (queryOf(request).includes('FROM customer_client') ? clients : customers)[id];
    };
  };
  const self = (id: string, extra: object = {}): Reply => rows({ customer: customer(id, extra) });
  const clients = (...of: object[]): Reply => rows(...of.map((customerClient) => ({ customerClient })));

  it('are those reached directly and those behind a manager, but not the manager', async () => {
    fixture(
      { 1: self('1'), 9: self('9', { manager: true }) },
      {
        9: clients(
          customer('9', { manager: true }),
          customer('1'),
          customer('2', { status: 'CLOSED', currencyCode: 'JPY' }),
        ),
      },
    );
    expect(await list()).toEqual([
      { id: '1', name: 'Shop 1', currency: 'EUR', timezone: 'Europe/Berlin', isActive: true, status: 'ENABLED' },
      {
        id: '2',
        name: 'Shop 2',
        currency: 'JPY',
        timezone: 'Europe/Berlin',
        isActive: false,
        status: 'CLOSED',
        managerId: '9',
      },
    ]);
  });

  it('take one query for each customer and one more for each manager', async () => {
    const many = Array.from({ length: 50 }, (_, at) => customer(String(100 + at)));
    fixture({ 1: self('1'), 9: self('9', { manager: true }) }, { 9: clients(...many) });
    expect(await list()).toHaveLength(51);
    expect(upstream.requests).toHaveLength(4);
    expect(upstream.requests.map(({ headers }) => headers['developer-token'])).toEqual(Array(4).fill(developerToken));
    expect(upstream.requests.map(({ headers }) => headers['login-customer-id'])).toEqual([
      undefined,
      undefined,
      undefined,
      '9',
    ]);
  });

  it('show one that is closed or suspended as not active', async () => {
    fixture({ 1: failure(403, [problem({ authorizationError: 'CUSTOMER_NOT_ENABLED' })]), 2: self('2') });
    expect(await list()).toMatchObject([
      { id: '1', isActive: false, status: 'CUSTOMER_NOT_ENABLED', statusReason: expect.any(String) },
      { id: '2', isActive: true },
    ]);
  });

  it('are not asked, nor taken for the person, when they are closed or suspended', async () => {
    const closedAccount = failure(403, [problem({ authorizationError: 'CUSTOMER_NOT_ENABLED' })]);
    fixture({ 1: closedAccount, 2: self('2') });
    const config = { baseUrl: upstream.url, version: 'v25', tokenUrl: `${upstream.url}/token`, developerToken };
    const connector = createGoogleAdsConnector({ ...config, authUrl: upstream.url });
    expect(await connector.identify({ token: 'token' })).toMatchObject({
      platformAccountId: '2',
      displayName: 'Shop 2',
    });
    upstream.requests.length = 0;
    await adapterOf(upstream)
      .searchInterests?.(access, { q: 'garden', limit: 5 })
      .catch(() => undefined);
    expect(upstream.requests.at(-1)?.path).toContain('/customers/2/');
  });

  it('fail with the fault of the platform', async () => {
    upstream.next(failure(401, [problem({ authenticationError: 'OAUTH_TOKEN_EXPIRED' })]));
    expect(await refusalOf(list())).toMatchObject({ fault: 'auth_expired' });
  });
});

describe('discovery', () => {
  async function discover(): Promise<FoundPage[]> {
    const pages: FoundPage[] = [];
    for await (const page of adapterOf(upstream).discover(access, { ...dollars, managerId: '9' })) pages.push(page);
    return pages;
  }
  const campaign = (id: string, extra: object = {}): object => ({ id, name: `C${id}`, status: 'ENABLED', ...extra });

  it('yields campaigns, then ad sets, then ads, page by page', async () => {
    upstream.next(
      {
        json: {
          results: [{ campaign: campaign('77'), campaignBudget: { amountMicros: '25000000' } }],
          nextPageToken: 'p2',
        },
      },
      rows({
        campaign: campaign('78', { status: 'PAUSED' }),
        campaignBudget: { totalAmountMicros: '99990000', period: 'CUSTOM_PERIOD' },
      }),
      rows({
        campaign: campaign('77', { endDateTime: '2026-12-31 23:59:59' }),
        adGroup: { id: '88', name: 'G', status: 'ENABLED' },
      }),
      rows(adRow({ metrics: { costMicros: '1230000', impressions: '100', clicks: '7' } })),
    );
    expect(await discover()).toMatchObject([
      { campaigns: [{ id: '77', name: 'C77', status: 'active', budget: { amount: 25, type: 'daily' } }] },
      { campaigns: [{ id: '78', status: 'paused', budget: { amount: 99.99, type: 'lifetime' } }] },
      { adSets: [{ id: '88', campaignId: '77', status: 'active', endDate: new Date('2027-01-01T04:59:59Z') }] },
      {
        ads: [
          {
            id: '88~999',
            adSetId: '88',
            campaignId: '77',
            status: 'pending_review',
            metrics: { spend: 1.23, impressions: 100, clicks: 7 },
          },
        ],
      },
    ]);
    expect(upstream.requests.map(({ json }) => Object.keys(json as object))).toEqual([
      ['query'],
      ['query', 'pageToken'],
      ['query'],
      ['query'],
    ]);
    expect(upstream.requests.map(({ headers }) => headers['login-customer-id'])).toEqual(Array(4).fill('9'));
  });

  it('asks for nothing that was removed', async () => {
    upstream.respond = () => rows();
    await discover();
    expect(upstream.requests.map((request) => queryOf(request).match(/(\S+)\.status != 'REMOVED'/g)?.length)).toEqual([
      1, 2, 3,
    ]);
  });

  it('bears a page without rows', async () => {
    upstream.respond = () => ({ json: { fieldMask: 'campaign.id' } });
    expect(await discover()).toMatchObject([{ campaigns: [] }, { adSets: [] }, { ads: [] }]);
  });

  it.each<[object, object, object]>([
    [{ biddingStrategyType: 'TARGET_SPEND' }, {}, { goal: 'traffic', bidStrategy: 'LOWEST_COST_WITHOUT_CAP' }],
    [
      { biddingStrategyType: 'TARGET_SPEND', targetSpend: { cpcBidCeilingMicros: '1500000' } },
      {},
      { bidStrategy: 'LOWEST_COST_WITH_BID_CAP', bidAmount: 1.5 },
    ],
    [
      { biddingStrategyType: 'MAXIMIZE_CONVERSIONS', maximizeConversions: { targetCpaMicros: '4000000' } },
      {},
      { goal: 'conversions', bidStrategy: 'COST_CAP', bidAmount: 4 },
    ],
    [
      { biddingStrategyType: 'MAXIMIZE_CONVERSIONS', maximizeConversions: { targetCpaMicros: '0' } },
      {},
      { bidStrategy: 'LOWEST_COST_WITHOUT_CAP' },
    ],
    [{ biddingStrategyType: 'MANUAL_CPC' }, {}, { bidStrategy: 'LOWEST_COST_WITH_BID_CAP' }],
    [{ biddingStrategyType: 'TARGET_CPA' }, {}, { bidStrategy: 'COST_CAP' }],
    [{ biddingStrategyType: 'TARGET_ROAS' }, {}, { bidStrategy: 'LOWEST_COST_WITH_MIN_ROAS' }],
    [{ biddingStrategyType: 'MAXIMIZE_CONVERSION_VALUE' }, {}, { bidStrategy: undefined }],
    [{ biddingStrategyType: 'MANUAL_CPM' }, { cpmBidMicros: '2000000' }, { goal: 'awareness', bidAmount: 2 }],
    [
      { biddingStrategyType: 'TARGET_IMPRESSION_SHARE', targetImpressionShare: { cpcBidCeilingMicros: '3000000' } },
      {},
      { goal: 'awareness', bidAmount: 3 },
    ],
  ])('reads goal and bid of %j and %j', async (bidding, group, found) => {
    upstream.next(rows(), rows({ campaign: campaign('77', bidding), adGroup: { id: '88', ...group } }), rows());
    expect((await discover())[1]).toMatchObject({ adSets: [found] });
  });

  it('fails rather than give half a list', async () => {
    upstream.next(rows(), failure(400, [problem({ queryError: 'UNRECOGNIZED_FIELD' })]));
    expect(await refusalOf(discover())).toMatchObject({ fault: 'rejected' });
  });
});

describe('targeting search', () => {
  const place = (id: string, targetType: string, extra: object = {}): object => ({
    geoTargetConstant: { id, name: `N${id}`, countryCode: 'DE', targetType, status: 'ENABLED', ...extra },
  });
  const search = (type: 'country' | 'region' | 'city' | 'zip' | 'language', extra: object = {}) =>
    adapterOf(upstream).searchTargeting(access, { type, q: 'Ham', limit: 10, ...extra });

  it('asks for suggestions and keeps those of the type', async () => {
    const suggestions = [
      place('1', 'City', { canonicalName: 'Hamburg,Hamburg,Germany' }),
      place('2', 'State'),
      place('3', 'City', { status: 'REMOVAL_PLANNED' }),
      place('4', 'Country', { canonicalName: 'Germany' }),
      place('5', 'Postal Code'),
    ];
    upstream.respond = () => ({ json: { geoTargetConstantSuggestions: suggestions } });
    expect(await search('city', { countryCode: 'DE' })).toEqual([
      { key: '1', name: 'N1', type: 'city', countryCode: 'DE', countryName: 'Germany', region: 'Hamburg' },
    ]);
    expect(upstream.requests[0]).toMatchObject({
      path: '/v25/geoTargetConstants:suggest',
      json: { locale: 'en', countryCode: 'DE', locationNames: { names: ['Ham'] } },
    });
    expect(await search('country')).toMatchObject([{ key: 'DE', countryName: 'Germany' }]);
    expect(await search('region')).toMatchObject([{ key: '2' }]);
    expect(await search('zip')).toMatchObject([{ key: '5' }]);
  });

  it('finds languages by a part of their name', async () => {
    upstream.respond = () => rows({ languageConstant: { id: '1001', name: 'German' } });
    expect(await search('language', { q: 'Ger', adAccount: dollars })).toEqual([
      { key: '1001', name: 'German', type: 'language' },
    ]);
  });

  it('finds interests by a part of their name', async () => {
    upstream.respond = () =>
      rows({ userInterest: { userInterestId: '92913', name: 'Gardening', taxonomyType: 'AFFINITY' } });
    const found = await adapterOf(upstream).searchInterests?.(access, { q: "it's", limit: 5, adAccount: dollars });
    expect(found).toEqual([{ id: '92913', name: 'Gardening', path: ['AFFINITY', 'Gardening'] }]);
    expect(upstream.requests[0] && queryOf(upstream.requests[0])).toContain(
      String.raw`LIKE '%it\'s%' AND user_interest.taxonomy_type IN ('AFFINITY', 'IN_MARKET') AND user_interest.launched_to_all = TRUE LIMIT 5`,
    );
  });
});

describe('a change', () => {
  const ad: AdRef = { adAccount: dollars, campaignId: '77', adSetId: '88', adId: '88~999' };
  const sent = (): unknown[] =>
    upstream.requests.filter(({ path }) => path.endsWith(':mutate')).map((request) => bodyOf(request).mutateOperations);
  const withBudget = (campaignBudget: object, campaign: object = {}): void => {
    const row = {
      campaign: { id: '77', campaignBudget: 'customers/1234567890/campaignBudgets/9', ...campaign },
      campaignBudget,
    };
    upstream.respond = (request) => (request.path.endsWith(':mutate') ? mutated(request) : rows(row));
  };

  it('of end and budget is one mutate, of the name another', async () => {
    withBudget({ period: 'DAILY', amountMicros: '25000000' });
    await adapterOf(upstream).updateCampaign(access, ad, {
      budget: { amount: 30, type: 'daily' },
      endDate: '2999-07-01T03:59:59Z',
    });
    await adapterOf(upstream).renameAd(access, ad, 'New');
    expect(sent()).toEqual([
      [
        {
          campaignBudgetOperation: {
            update: { resourceName: 'customers/1234567890/campaignBudgets/9', amountMicros: '30000000' },
            updateMask: 'amountMicros',
          },
        },
        {
          campaignOperation: {
            update: { resourceName: 'customers/1234567890/campaigns/77', endDateTime: '2999-06-30 23:59:59' },
            updateMask: 'endDateTime',
          },
        },
      ],
      [
        {
          adGroupOperation: {
            update: { resourceName: 'customers/1234567890/adGroups/88', name: 'New' },
            updateMask: 'name',
          },
        },
      ],
    ]);
  });

  it('of a total sets the total, or the day where it had been spread', async () => {
    const budget = { amount: 100, type: 'lifetime' } as const;
    withBudget({ period: 'CUSTOM_PERIOD', totalAmountMicros: '1' });
    await adapterOf(upstream).updateCampaign(access, ad, { budget });
    withBudget(
      { period: 'DAILY', amountMicros: '1' },
      { startDateTime: '2026-01-01 00:00:00', endDateTime: '2026-01-10 23:59:59' },
    );
    await adapterOf(upstream).updateCampaign(access, ad, { budget });
    expect(sent()).toMatchObject([
      [{ campaignBudgetOperation: { update: { totalAmountMicros: '100000000' }, updateMask: 'totalAmountMicros' } }],
      [{ campaignBudgetOperation: { update: { amountMicros: '10000000' }, updateMask: 'amountMicros' } }],
    ]);
  });

  it('of the end spreads a total again that had been spread, so that no more of it is spent', async () => {
    const currentBudget = { amount: 100, type: 'lifetime' } as const;
    const endDate = '2026-01-21T00:00:00Z';
    withBudget(
      { period: 'DAILY', amountMicros: '10000000' },
      { startDateTime: '2026-01-01 00:00:00', endDateTime: '2026-01-10 23:59:59' },
    );
    await adapterOf(upstream).updateCampaign(
      access,
      { ...ad, adAccount: { ...ad.adAccount, timezone: 'UTC' } },
      { endDate, currentBudget },
    );
    withBudget({ period: 'CUSTOM_PERIOD', totalAmountMicros: '100000000' });
    await adapterOf(upstream).updateCampaign(access, ad, { endDate, currentBudget });
    expect(sent()).toMatchObject([
      [{ campaignBudgetOperation: { update: { amountMicros: '5000000' } } }, { campaignOperation: {} }],
      [{ campaignOperation: {} }],
    ]);
  });

  it('of the kind of a budget is not possible', async () => {
    withBudget({ period: 'CUSTOM_PERIOD', totalAmountMicros: '1' });
    const refusal = await refusalOf(
      adapterOf(upstream).updateCampaign(access, ad, { budget: { amount: 5, type: 'daily' } }),
    );
    expect(refusal).toMatchObject({
      fault: 'unsupported',
      upstream: { fields: { budgetAmount: [expect.any(String)] } },
    });
    expect(sent()).toEqual([]);
  });

  it('of nothing sends nothing', async () => {
    await adapterOf(upstream).updateCampaign(access, ad, {});
    expect(upstream.requests).toEqual([]);
  });

  it('switches an ad or a campaign, and is sent again when its answer is lost', async () => {
    upstream.next('reset');
    await adapterOf(upstream).setAdStatus(access, ad, 'PAUSED');
    await adapterOf(upstream).setAdStatus(access, { ...ad, adId: '999' }, 'ACTIVE');
    await adapterOf(upstream).setCampaignStatus(access, ad, 'ACTIVE');
    const adSwitch = (status: string) => [
      {
        adGroupAdOperation: {
          update: { resourceName: 'customers/1234567890/adGroupAds/88~999', status },
          updateMask: 'status',
        },
      },
    ];
    expect(sent()).toEqual([
      adSwitch('PAUSED'),
      adSwitch('PAUSED'),
      adSwitch('ENABLED'),
      [
        {
          campaignOperation: {
            update: { resourceName: 'customers/1234567890/campaigns/77', status: 'ENABLED' },
            updateMask: 'status',
          },
        },
      ],
    ]);
  });

  it('of an ad that is not there fails as not found', async () => {
    upstream.next(failure(404, [problem({ mutateError: 'RESOURCE_NOT_FOUND' })]));
    expect(await refusalOf(adapterOf(upstream).setAdStatus(access, ad, 'PAUSED'))).toMatchObject({
      fault: 'not_found',
    });
  });
});

describe('a refresh', () => {
  const refresh = (extra = {}) => adapterOf(upstream, extra).refresh?.('r1') ?? Promise.reject(new Error('no refresh'));

  it('exchanges the refresh token at the token address', async () => {
    upstream.next({ json: { access_token: token, expires_in: 3599, token_type: 'Bearer', scope: 'x' } });
    expect(await refresh()).toEqual({ token, expiresIn: 3599, scopes: ['x'] });
    expect(upstream.requests[0]).toMatchObject({
      path: '/token',
      form: { grant_type: 'refresh_token', client_id: 'client', client_secret: 'secret', refresh_token: 'r1' },
    });
  });

  it.each<[string, Reply]>([
    [
      'auth_expired',
      { status: 400, json: { error: 'invalid_grant', error_description: 'Token has been expired or revoked.' } },
    ],
    ['rejected', { status: 401, json: { error: 'invalid_client' } }],
    ['rate_limited', { status: 429, text: '' }],
    ['unavailable', { status: 200, text: 'hello' }],
  ])('is %s after %j', async (fault, reply) => {
    upstream.next(reply);
    expect(await refusalOf(refresh())).toMatchObject({ fault });
  });

  it('is asked again after a failure of the platform, and is then unavailable', async () => {
    upstream.respond = () => ({ status: 503, text: '' });
    expect(await refusalOf(refresh())).toMatchObject({ fault: 'unavailable' });
    expect(upstream.requests.length).toBeGreaterThan(1);
  });

  it('needs the id and secret of the installation', async () => {
    expect(await refusalOf(refresh({ clientSecret: undefined }))).toMatchObject({ fault: 'unsupported' });
    expect(upstream.requests).toEqual([]);
  });
});
