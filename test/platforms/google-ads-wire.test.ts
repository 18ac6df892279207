import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { CreateAdInput } from '../../src/contract/ad-input.ts';
import type { AdAccount } from '../../src/platforms/platform.ts';
import {
  access,
  adapterOf,
  bodyOf,
  developerToken,
  dollars,
  failure,
  goodPlatform,
  inputs,
  mutated,
  pictures,
  problem,
  token,
  type Body,
} from './google-ads-fixtures.ts';
import { memoryJournal, orderOf, refusalOf } from './fixtures.ts';
import { startUpstream, type FakeUpstream } from './upstream.ts';

let upstream: FakeUpstream;
beforeEach(async () => {
  upstream = await startUpstream();
  upstream.respond = goodPlatform;
});
afterEach(() => upstream.stop());

const mutates = (): Body[] => upstream.requests.filter(({ path }) => path.endsWith(':mutate')).map(bodyOf);
async function send(input: CreateAdInput, account: AdAccount = dollars): Promise<Body['mutateOperations']> {
  upstream.requests.length = 0;
  await adapterOf(upstream).createAds(access, orderOf(input, account), memoryJournal());
  return mutates()[0]?.mutateOperations ?? [];
}
/** What is made of one kind, in its order. */
async function made(kind: string, ...order: Parameters<typeof send>): Promise<Record<string, unknown>[]> {
  const operations = await send(...order);
  return operations.map((operation) => operation[`${kind}Operation`]?.create).filter((create) => create !== undefined);
}

const customer = 'customers/1234567890';
const budget = {
  campaignBudgetOperation: {
    create: {
      resourceName: `${customer}/campaignBudgets/-1`,
      name: 'Spring ab12cd34',
      amountMicros: '25000000',
      deliveryMethod: 'STANDARD',
      explicitlyShared: false,
    },
  },
};
const place = {
  campaignCriterionOperation: {
    create: { campaign: `${customer}/campaigns/-2`, location: { geoTargetConstant: 'geoTargetConstants/2840' } },
  },
};
const campaign = (channel: string, networkSettings: object) => ({
  campaignOperation: {
    create: {
      resourceName: `${customer}/campaigns/-2`,
      name: 'Spring ab12cd34',
      status: 'PAUSED',
      advertisingChannelType: channel,
      campaignBudget: `${customer}/campaignBudgets/-1`,
      targetSpend: {},
      networkSettings,
      geoTargetTypeSetting: { positiveGeoTargetType: 'PRESENCE' },
      containsEuPoliticalAdvertising: 'DOES_NOT_CONTAIN_EU_POLITICAL_ADVERTISING',
    },
  },
});
const adGroup = (type: string) => ({
  adGroupOperation: {
    create: {
      resourceName: `${customer}/adGroups/-3`,
      name: 'Spring ab12cd34',
      campaign: `${customer}/campaigns/-2`,
      status: 'ENABLED',
      type,
    },
  },
});
const inGroup = (kind: string, facts: object) => ({
  [kind]: { create: { adGroup: `${customer}/adGroups/-3`, status: 'ENABLED', ...facts } },
});
const image = (id: string, kind: string) => ({
  assetOperation: {
    create: {
      resourceName: `${customer}/assets/${id}`,
      name: `${kind} Spring ab12cd34`,
      imageAsset: { data: pictures[`https://img.example/${kind}.png`]?.toString('base64') },
    },
  },
});

describe('one mutate', () => {
  it('makes a whole search campaign, field by field', async () => {
    expect(await send(inputs.search())).toEqual([
      budget,
      campaign('SEARCH', {
        targetGoogleSearch: true,
        targetSearchNetwork: true,
        targetContentNetwork: false,
        targetPartnerSearchNetwork: false,
      }),
      place,
      adGroup('SEARCH_STANDARD'),
      inGroup('adGroupCriterionOperation', { keyword: { text: 'garden shears', matchType: 'PHRASE' } }),
      inGroup('adGroupCriterionOperation', { keyword: { text: 'pruners', matchType: 'PHRASE' } }),
      inGroup('adGroupAdOperation', {
        ad: {
          finalUrls: ['https://shop.example/sale'],
          responsiveSearchAd: {
            headlines: [{ text: 'Spring garden sale' }, { text: 'Sharp tools, fair price' }, { text: 'Free returns' }],
            descriptions: [{ text: 'Free returns for 60 days.' }, { text: 'Order today, delivered tomorrow.' }],
          },
        },
      }),
    ]);
  });

  it('makes a whole display campaign with its images, field by field', async () => {
    expect(await send(inputs.display())).toEqual([
      budget,
      campaign('DISPLAY', { targetContentNetwork: true }),
      place,
      adGroup('DISPLAY_STANDARD'),
      image('-11', 'landscape'),
      image('-12', 'square'),
      inGroup('adGroupAdOperation', {
        ad: {
          finalUrls: ['https://shop.example/sale'],
          responsiveDisplayAd: {
            marketingImages: [{ asset: `${customer}/assets/-11` }],
            squareMarketingImages: [{ asset: `${customer}/assets/-12` }],
            headlines: [{ text: 'Spring garden sale' }],
            longHeadline: { text: 'Spring garden sale' },
            descriptions: [{ text: 'Free returns for 60 days.' }],
            businessName: 'Shears & Company of the V',
          },
        },
      }),
    ]);
  });

  it('is all or nothing, and is followed by the one that lets the campaign run', async () => {
    await send(inputs.search());
    expect(mutates()).toMatchObject([
      { partialFailure: false },
      {
        partialFailure: false,
        mutateOperations: [
          {
            campaignOperation: {
              update: { resourceName: `${customer}/campaigns/77`, status: 'ENABLED' },
              updateMask: 'status',
            },
          },
        ],
      },
    ]);
    expect(mutates()[0]).not.toHaveProperty('validateOnly');
  });

  it('stands alone for a paused ad', async () => {
    await send(inputs.search({ status: 'PAUSED' }));
    expect(mutates()).toHaveLength(1);
  });

  it('goes to the customer by its digits, with the developer token, and through a manager where there is one', async () => {
    await send(inputs.search(), { ...dollars, id: '123-456-7890' });
    expect(upstream.requests[0]).toMatchObject({
      path: '/v25/customers/1234567890/googleAds:mutate',
      headers: { authorization: `Bearer ${token}`, 'developer-token': developerToken },
    });
    expect(upstream.requests[0]?.headers).not.toHaveProperty('login-customer-id');
    await send(inputs.search(), { ...dollars, managerId: '999-888-7777' });
    expect(upstream.requests.map(({ headers }) => headers['login-customer-id'])).toEqual(
      upstream.requests.map(() => '9998887777'),
    );
  });

  it.each([
    [undefined, true, 'CONTAINS_EU_POLITICAL_ADVERTISING'],
    [undefined, false, 'DOES_NOT_CONTAIN_EU_POLITICAL_ADVERTISING'],
    [true, false, 'CONTAINS_EU_POLITICAL_ADVERTISING'],
    [false, true, 'DOES_NOT_CONTAIN_EU_POLITICAL_ADVERTISING'],
  ])('an order that declares %s on an installation that declares %s sends %s', async (own, installation, word) => {
    await adapterOf(upstream, { euPoliticalAdvertising: installation }).createAds(
      access,
      orderOf(inputs.search({ politicalAdvertising: own }), dollars),
      memoryJournal(),
    );
    expect(mutates()[0]?.mutateOperations[1]).toMatchObject({
      campaignOperation: { create: { containsEuPoliticalAdvertising: word } },
    });
  });

  it('answers the ids of campaign, ad group and ad, and what the platform says of the ad', async () => {
    const created = await adapterOf(upstream).createAds(access, orderOf(inputs.search(), dollars), memoryJournal());
    expect(created).toEqual({
      platformCampaignId: '77',
      platformAdSetId: '88',
      campaignName: 'Spring ab12cd34',
      adSetName: 'Spring ab12cd34',
      ads: [{ platformAdId: '88~999', status: 'pending_review' }],
    });
  });

  it('takes line breaks out of names', async () => {
    const [first] = await made('campaign', inputs.search({ name: 'Spring\nsale' }));
    expect(first).toMatchObject({ name: 'Spring sale ab12cd34' });
  });
});

const share = { location: 'ANYWHERE_ON_PAGE', locationFractionMicros: '500000' };
const capped = { bidStrategy: 'LOWEST_COST_WITH_BID_CAP', bidAmount: 1.5 };

describe('a goal', () => {
  it.each<['search' | 'display', string, object, object]>([
    ['search', 'traffic', {}, { targetSpend: {} }],
    ['display', 'traffic', {}, { targetSpend: {} }],
    ['search', 'engagement', {}, { targetSpend: {} }],
    ['display', 'engagement', capped, { targetSpend: { cpcBidCeilingMicros: '1500000' } }],
    ['search', 'conversions', {}, { maximizeConversions: {} }],
    [
      'display',
      'conversions',
      { bidStrategy: 'COST_CAP', bidAmount: 4 },
      { maximizeConversions: { targetCpaMicros: '4000000' } },
    ],
    [
      'search',
      'lead_generation',
      { bidStrategy: 'COST_CAP', bidAmount: 4 },
      { maximizeConversions: { targetCpaMicros: '4000000' } },
    ],
    ['display', 'lead_generation', {}, { maximizeConversions: {} }],
    ['search', 'awareness', capped, { targetImpressionShare: { ...share, cpcBidCeilingMicros: '1500000' } }],
    ['display', 'awareness', capped, { manualCpm: {} }],
  ])('of a %s campaign, %s with %j, becomes %j', async (kind, goal, extra, scheme) => {
    const [campaignMade = {}] = await made('campaign', inputs[kind]({ goal, ...extra }));
    const schemes = ['targetSpend', 'maximizeConversions', 'manualCpm', 'targetImpressionShare'];
    const sent = Object.fromEntries(Object.entries(campaignMade).filter(([name]) => schemes.includes(name)));
    expect(sent).toEqual(scheme);
    expect(campaignMade).not.toHaveProperty('biddingStrategyType');
  });

  it('of awareness on display bids the amount for a thousand impressions', async () => {
    const [group] = await made('adGroup', inputs.display({ goal: 'awareness', ...capped }));
    expect(group).toMatchObject({ cpmBidMicros: '1500000' });
  });

  it('of awareness never bids the daily budget if no amount is given', async () => {
    expect(await refusalOf(send(inputs.search({ goal: 'awareness' })))).toMatchObject({
      fault: 'rejected',
      upstream: { fields: { bidAmount: [expect.stringContaining('is required')] } },
    });
  });

  it.each(['video_views', 'app_promotion'])('of %s is not served', async (goal) => {
    expect(await refusalOf(send(inputs.search({ goal })))).toMatchObject({
      fault: 'unsupported',
      upstream: { fields: { goal: expect.any(Array) } },
    });
    expect(upstream.requests).toEqual([]);
  });
});

const inTenDays = '2026-03-11T23:00:00-04:00';
const hasBudget = ({ mutateOperations }: Body): boolean => 'campaignBudgetOperation' in (mutateOperations[0] ?? {});

describe('a budget for the whole run', () => {
  const lifetime = (extra = {}) =>
    inputs.search({ budgetType: 'lifetime', budgetAmount: 99.99, endDate: inTenDays, ...extra });

  it('is a total of its own period', async () => {
    const [sent] = await made('campaignBudget', lifetime());
    expect(sent).toMatchObject({ period: 'CUSTOM_PERIOD', totalAmountMicros: '99990000' });
    expect(sent).not.toHaveProperty('amountMicros');
  });

  it.each<Record<string, string>>([
    { campaignError: 'INCOMPATIBLE_BUDGET_TYPE' },
    { campaignError: 'NOT_COMPATIBLE_WITH_BUDGET_TYPE' },
    { campaignError: 'DURATION_TOO_LONG_FOR_TOTAL_BUDGET' },
    { campaignBudgetError: 'INVALID_PERIOD' },
    { campaignBudgetError: 'CAMPAIGN_BUDGET_PERIOD_NOT_AVAILABLE' },
  ])('is spread over the days after %j', async (code) => {
    upstream.next(failure(400, [problem(code, 'mutate_operations[0]')]));
    await send(lifetime());
    const amounts = mutates().flatMap(
      ({ mutateOperations }) => mutateOperations[0]?.['campaignBudgetOperation']?.create ?? [],
    );
    expect(amounts).toMatchObject([{ totalAmountMicros: '99990000' }, { amountMicros: '11110000' }]);
    expect(amounts[1]).not.toHaveProperty('period');
  });

  // The account is in New York: an order placed late in its evening has the rest of that day as its first.
  it.each([
    ['2026-03-02T05:00:00Z', '11110000'],
    ['2026-03-02T15:00:00Z', '11110000'],
    ['2026-03-03T04:59:59Z', '11110000'],
    ['2026-03-03T05:00:00Z', '12490000'],
    ['2026-03-10T18:50:00Z', '99990000'],
  ])('placed at %s is spread over the account days that are left: %s micros a day', async (at, amountMicros) => {
    const input = inputs.display({ budgetType: 'lifetime', budgetAmount: 99.99, endDate: inTenDays });
    await adapterOf(upstream).createAds(access, orderOf(input, dollars, new Date(at)), memoryJournal());
    expect(mutates().filter(hasBudget)).toMatchObject([
      { mutateOperations: [{ campaignBudgetOperation: { create: { amountMicros } } }, {}, {}, {}, {}, {}, {}] },
    ]);
  });

  // The last day is the account's 10 March, whose 23:59:59 is the last one by the requested instant.
  it.each([
    ['2026-03-08T15:00:00Z', '2026-03-11T03:00:00Z', 2, 'spread'],
    ['2026-03-08T15:00:00Z', '2026-03-11T04:00:00Z', 3, 'a total'],
    ['2025-12-11T15:00:00Z', '2026-03-11T23:00:00Z', 90, 'a total'],
    ['2025-12-10T15:00:00Z', '2026-03-11T23:00:00Z', 91, 'spread'],
  ])('from %s to %s, %d days of a search campaign, is %s', async (at, endDate, days, how) => {
    const order = orderOf(lifetime({ endDate }), dollars, new Date(at));
    await adapterOf(upstream).createAds(access, order, memoryJournal());
    const [sent] = mutates().filter(hasBudget);
    const daily = Math.floor(9999 / days) * 10_000;
    expect(sent?.mutateOperations[0]?.['campaignBudgetOperation']?.create).toMatchObject(
      how === 'spread' ? { amountMicros: String(daily) } : { period: 'CUSTOM_PERIOD', totalAmountMicros: '99990000' },
    );
    expect(mutates().filter(hasBudget)).toHaveLength(1);
  });

  it('shows the spread budget and the last whole day in a dry run', async () => {
    const journal = memoryJournal(true);
    const input = inputs.display({ budgetType: 'lifetime', budgetAmount: 99.99, endDate: inTenDays });
    await adapterOf(upstream).createAds(access, orderOf(input, dollars), journal);
    expect(journal.requests['campaign']?.body).toMatchObject({
      mutateOperations: [
        { campaignBudgetOperation: { create: { amountMicros: '11110000' } } },
        { campaignOperation: { create: { endDateTime: '2026-03-10 23:59:59' } } },
        ...Array.from({ length: 5 }, () => ({})),
      ],
    });
  });

  it.each([
    ['America/New_York', '2999-06-30 23:59:59'],
    ['Asia/Tokyo', '2999-06-30 23:59:59'],
    ['America/Los_Angeles', '2999-06-29 23:59:59'],
    [undefined, '2999-06-30 23:59:59'],
  ])('ends with the last whole day on the clock of the ad account (%s)', async (timezone, endDateTime) => {
    const input = inputs.search({ endDate: '2999-07-01T03:59:59Z' });
    expect(await made('campaign', input, { ...dollars, timezone })).toMatchObject([{ endDateTime }]);
  });
});

describe('an order in yen', () => {
  it('is sent in micros too', async () => {
    const [sent] = await made('campaignBudget', inputs.search({ budgetAmount: 3000 }), { ...dollars, currency: 'JPY' });
    expect(sent).toMatchObject({ amountMicros: '3000000000' });
  });
});

describe('validation by the platform', () => {
  it('sends the same mutate, to be looked at only', async () => {
    const order = orderOf(inputs.display(), dollars);
    await adapterOf(upstream).validateAds?.(access, order);
    const [asked] = mutates();
    expect(upstream.requests).toHaveLength(1);
    expect(asked).toEqual({
      mutateOperations: await send(inputs.display()),
      partialFailure: false,
      validateOnly: true,
    });
  });

  it('spreads a total that the channel does not take', async () => {
    upstream.next(failure(400, [problem({ campaignError: 'INCOMPATIBLE_BUDGET_TYPE' })]));
    const input = inputs.search({ budgetType: 'lifetime', endDate: inTenDays });
    await adapterOf(upstream).validateAds?.(access, orderOf(input, dollars));
    expect(mutates().map(({ validateOnly }) => validateOnly)).toEqual([true, true]);
  });

  it('passes the refusal on', async () => {
    upstream.respond = (request) =>
      bodyOf(request).validateOnly ? failure(400, [problem({ fieldError: 'REQUIRED' })]) : mutated(request);
    const asked = adapterOf(upstream).validateAds?.(access, orderOf(inputs.search(), dollars)) ?? Promise.resolve();
    expect(await refusalOf(asked)).toMatchObject({ fault: 'rejected', upstream: { code: 'REQUIRED' } });
  });
});
