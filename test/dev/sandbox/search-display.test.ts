import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startSandbox, type Sandbox } from '../../../src/dev/sandbox/index.ts';
import {
  caller,
  codesOf,
  connect,
  displayParts,
  operationsOf,
  picture,
  placeOf,
  searchParts,
  texts,
  type Answer,
  type Call,
  type Connection,
  type Fields,
  type Parts,
} from './search-ads.ts';

let sandbox: Sandbox;
let person: Connection;
let cid: string;
let yen: string;
let counter = 0;

beforeAll(async () => {
  sandbox = await startSandbox();
  person = await connect(sandbox.url);
  [cid = '', yen = ''] = person.adAccounts.map(({ id }) => id);
});
afterAll(() => sandbox.stop());

const call: Call = (...args) => caller(sandbox.url, person.accessToken)(...args);
const mutate = (
  operations: unknown,
  { account = cid, ...extra }: Fields & { account?: string } = {},
): Promise<Answer> =>
  call(`customers/${account}/googleAds:mutate`, { body: { mutateOperations: operations, ...extra } });
const newName = (): string => `Sale ${(counter += 1)}`;
const make = (change: (parts: Parts) => void = () => {}, kind = searchParts, account = cid): Promise<Answer> => {
  const parts = structuredClone(kind(account, newName()));
  change(parts);
  return mutate(operationsOf(account, parts), { account });
};
const names = ({ body }: Answer): string[] =>
  (body.mutateOperationResponses as Record<string, { resourceName: string }>[]).map(
    (entry) => Object.values(entry)[0]?.resourceName ?? '',
  );

describe('one request', () => {
  it('makes a search campaign, in the order and with the names of the operations', async () => {
    const made = names(await make());
    const own = `customers/${cid}`;
    expect(made.map((name) => name.replace(/\d+(~\d+)?$/, '#'))).toEqual(
      ['campaignBudgets', 'campaigns', 'campaignCriteria', 'adGroups', 'adGroupCriteria', 'adGroupAds'].map(
        (kind) => `${own}/${kind}/#`,
      ),
    );
    expect(made[2]).toBe(`${own}/campaignCriteria/${made[1]?.split('/').at(-1)}~2840`);
    expect(made[5]?.split('/').at(-1)).toMatch(new RegExp(`^${made[3]?.split('/').at(-1)}~\\d+$`));
  });

  it('makes a display campaign with its pictures', async () => {
    const { status, body } = await make(undefined, displayParts);
    expect(status).toBe(200);
    expect(Object.keys(body.mutateOperationResponses.at(-1))).toEqual(['adGroupAdResult']);
  });

  it('keeps nothing when one part is wrong', async () => {
    const count = async (): Promise<number> =>
      (
        await call(`customers/${cid}/googleAds:search`, {
          body: { query: 'SELECT campaign_budget.id FROM campaign_budget' },
        })
      ).body.results.length;
    const before = await count();
    const refused = await make(({ ad }) => (ad['finalUrls'] = []));
    expect([codesOf(refused), placeOf(refused)]).toEqual([
      ['fieldError.REQUIRED'],
      'mutate_operations[5].ad_group_ad_operation.create.ad.final_urls',
    ]);
    expect(await count()).toBe(before);
  });

  it('is only checked with validateOnly', async () => {
    const operations = operationsOf(cid, searchParts(cid, 'Only checked'));
    expect((await mutate(operations, { validateOnly: true })).body).toEqual({});
    expect((await mutate(operations, { validateOnly: true })).body).toEqual({});
    const wrong = operationsOf(cid, { ...searchParts(cid, 'Only checked'), budget: {} });
    expect((await mutate(wrong, { validateOnly: true })).status).toBe(400);
  });

  it('keeps what is right with partialFailure, and reports children of a failed parent', async () => {
    const parts = searchParts(cid, newName());
    const operations = operationsOf(cid, { ...parts, group: { ...parts.group, type: 'DISPLAY_STANDARD' } });
    const { status, body } = await mutate(operations, { partialFailure: true });
    expect(status).toBe(200);
    expect(body.mutateOperationResponses.map((entry: object) => Object.keys(entry).length)).toEqual([1, 1, 1, 0, 0, 0]);
    expect(body.partialFailureError.code).toBe(3);
    expect(codesOf({ body: { error: body.partialFailureError } } as Answer)).toEqual([
      'adGroupError.AD_GROUP_TYPE_NOT_VALID_FOR_ADVERTISING_CHANNEL_TYPE',
      'newResourceCreationError.TEMP_ID_RESOURCE_HAD_ERRORS',
      'newResourceCreationError.TEMP_ID_RESOURCE_HAD_ERRORS',
    ]);
  });

  it('answers the things themselves when asked for them', async () => {
    const operations = operationsOf(cid, searchParts(cid, newName())).slice(0, 1);
    const { body } = await mutate(operations, { responseContentType: 'MUTABLE_RESOURCE' });
    expect(body.mutateOperationResponses[0].campaignBudgetResult.campaignBudget).toMatchObject({
      amountMicros: '25000000',
    });
  });

  it('refuses names that are no JSON of the message', async () => {
    const { status, body } = await make(({ campaign }) => (campaign['colour'] = 'red'));
    expect(status).toBe(400);
    expect(body.error.details[0]['@type']).toBe('type.googleapis.com/google.rpc.BadRequest');
    expect(body.error.message).toContain('Unknown name "colour" at \'mutate_operations[1].campaign_operation.create\'');
    const two = await make(({ campaign }) => (campaign['manualCpc'] = {}));
    expect(two.body.error.message).toContain('oneof');
  });
});

describe('temporary names', () => {
  const budget = (id: string, name = newName()): Fields => ({
    campaignBudgetOperation: {
      create: { resourceName: `customers/${cid}/campaignBudgets/${id}`, name, amountMicros: 5_000_000 },
    },
  });

  it('are used once in a request, whatever the kind, and are negative', async () => {
    const twice = operationsOf(cid, searchParts(cid, newName())).map((entry) =>
      JSON.parse(JSON.stringify(entry).replaceAll('adGroups/-3', 'adGroups/-2')),
    );
    expect(codesOf(await mutate(twice))[0]).toBe('newResourceCreationError.DUPLICATE_TEMP_IDS');
    expect(codesOf(await mutate([budget('5')]))).toEqual(['newResourceCreationError.CANNOT_SET_ID_FOR_CREATE']);
  });

  it('are known only after their thing was made, and only in that request', async () => {
    const [first, second, ...rest] = operationsOf(cid, searchParts(cid, newName()));
    expect(codesOf(await mutate([second, first, ...rest]))[0]).toBe('mutateError.RESOURCE_NOT_FOUND');
    await mutate([budget('-1')]);
    expect(codesOf(await mutate([second]))).toEqual(['mutateError.RESOURCE_NOT_FOUND']);
  });

  it('are refused on criteria', async () => {
    const refused = await make(
      ({ criteria }) => (criteria[0]!['resourceName'] = `customers/${cid}/campaignCriteria/-9`),
    );
    expect(codesOf(refused)).toEqual(['mutateError.INCONSISTENT_FIELD_VALUES']);
  });
});

describe('the rules', () => {
  const lead = 'mutate_operations';
  const cases: [string, (parts: Parts) => void, string, string?][] = [
    [
      'no word on political ads',
      ({ campaign }) => delete campaign['containsEuPoliticalAdvertising'],
      'fieldError.REQUIRED',
      `${lead}[1].campaign_operation.create.contains_eu_political_advertising`,
    ],
    [
      'no bidding',
      ({ campaign }) => delete campaign['targetSpend'],
      'fieldError.REQUIRED',
      `${lead}[1].campaign_operation.create.campaign_bidding_strategy`,
    ],
    [
      'an old start',
      ({ campaign }) => (campaign['startDateTime'] = '2020-01-01 00:00:00'),
      'campaignError.CANNOT_SET_DATE_TO_PAST',
    ],
    [
      'an old end',
      ({ campaign }) => (campaign['endDateTime'] = '2020-01-01 23:59:59'),
      'campaignError.CANNOT_SET_DATE_TO_PAST',
    ],
    [
      'a date alone',
      ({ campaign }) => (campaign['endDateTime'] = '2040-01-01'),
      'dateError.INVALID_STRING_DATE_TIME_SECONDS',
    ],
    [
      'an end within a day',
      ({ campaign }) => (campaign['endDateTime'] = '2040-01-01 12:00:00'),
      'dateError.DATE_RANGE_ERROR_END_TIME_MUST_BE_THE_END_OF_A_DAY',
      `${lead}[1].campaign_operation.create.end_date_time`,
    ],
    [
      'a start within a day',
      ({ campaign }) => (campaign['startDateTime'] = '2040-01-01 12:00:00'),
      'dateError.DATE_RANGE_ERROR_START_TIME_MUST_BE_THE_START_OF_A_DAY',
      `${lead}[1].campaign_operation.create.start_date_time`,
    ],
    [
      'another channel',
      ({ campaign }) => (campaign['advertisingChannelType'] = 'VIDEO'),
      'operationAccessDeniedError.CREATE_OPERATION_NOT_PERMITTED',
    ],
    [
      'CPM on search',
      ({ campaign }) => {
        delete campaign['targetSpend'];
        campaign['manualCpm'] = {};
      },
      'campaignError.CANNOT_TARGET_GOOGLE_SEARCH_FOR_CPM_CAMPAIGN',
    ],
    [
      'a share without ceiling',
      ({ campaign }) => {
        delete campaign['targetSpend'];
        campaign['targetImpressionShare'] = { location: 'ANYWHERE_ON_PAGE', locationFractionMicros: '500000' };
      },
      'fieldError.REQUIRED',
    ],
    [
      'partners without search',
      ({ campaign }) => (campaign['networkSettings'] = { targetSearchNetwork: true }),
      'campaignError.CANNOT_TARGET_SEARCH_NETWORK_WITHOUT_GOOGLE_SEARCH',
    ],
    [
      'a budget below the minimum',
      ({ budget }) => (budget['amountMicros'] = '10000'),
      'campaignBudgetError.BUDGET_BELOW_PER_DAY_MINIMUM',
    ],
    [
      'a part of a cent',
      ({ budget }) => (budget['amountMicros'] = '25000001'),
      'campaignBudgetError.NON_MULTIPLE_OF_MINIMUM_CURRENCY_UNIT',
    ],
    [
      'a daily total',
      ({ budget }) => (budget['totalAmountMicros'] = '25000000'),
      'campaignBudgetError.TOTAL_BUDGET_AMOUNT_MUST_BE_UNSET_FOR_BUDGET_PERIOD_DAILY',
    ],
    [
      'a total without end',
      ({ budget }) => {
        delete budget['amountMicros'];
        Object.assign(budget, { period: 'CUSTOM_PERIOD', totalAmountMicros: '250000000' });
      },
      'campaignError.END_DATE_TIME_REQUIRED_FOR_TOTAL_BUDGET',
    ],
    [
      'an unknown place',
      ({ criteria }) => (criteria[0]!['location'] = { geoTargetConstant: 'geoTargetConstants/1' }),
      'criterionError.INVALID_CRITERION_ID',
    ],
    [
      'an unknown kind of device',
      ({ criteria }) => {
        delete criteria[0]!['location'];
        criteria[0]!['device'] = { type: 'OTHER' };
      },
      'criterionError.INVALID_CRITERION_ID',
    ],
    [
      'a factor that is neither zero nor in its range',
      ({ criteria }) => {
        delete criteria[0]!['location'];
        Object.assign(criteria[0]!, { device: { type: 'TABLET' }, bidModifier: 11 });
      },
      'rangeError.TOO_HIGH',
    ],
    [
      'a keyword too long',
      ({ groupCriteria }) => (groupCriteria[0]!['keyword'] = { text: 'x'.repeat(81), matchType: 'EXACT' }),
      'criterionError.KEYWORD_TEXT_TOO_LONG',
    ],
    [
      'a keyword of eleven words',
      ({ groupCriteria }) => (groupCriteria[0]!['keyword'] = { text: 'a b c d e f g h i j k', matchType: 'EXACT' }),
      'criterionError.KEYWORD_HAS_TOO_MANY_WORDS',
    ],
    [
      'two headlines',
      ({ ad }) => (ad['responsiveSearchAd'] = { headlines: texts(2, 'H'), descriptions: texts(2, 'D') }),
      'collectionSizeError.TOO_FEW',
    ],
    [
      'five descriptions',
      ({ ad }) => (ad['responsiveSearchAd'] = { headlines: texts(3, 'H'), descriptions: texts(5, 'D') }),
      'collectionSizeError.TOO_MANY',
    ],
    [
      'a headline too long',
      ({ ad }) =>
        (ad['responsiveSearchAd'] = {
          headlines: [...texts(2, 'H'), { text: 'x'.repeat(31) }],
          descriptions: texts(2, 'D'),
        }),
      'stringLengthError.TOO_LONG',
      `${lead}[5].ad_group_ad_operation.create.ad.responsive_search_ad.headlines[2].text`,
    ],
    [
      'a second path alone',
      ({ ad }) => (ad['responsiveSearchAd'] = { headlines: texts(3, 'H'), descriptions: texts(2, 'D'), path2: 'sale' }),
      'adError.CANNOT_SET_PATH2_WITHOUT_PATH1',
    ],
    [
      'all headlines pinned to one place',
      ({ ad }) =>
        (ad['responsiveSearchAd'] = {
          headlines: texts(3, 'H').map((text) => ({ ...text, pinnedField: 'HEADLINE_1' })),
          descriptions: texts(2, 'D'),
        }),
      'assetLinkError.NOT_ENOUGH_AVAILABLE_ASSET_LINKS_FOR_VALID_COMBINATION',
    ],
    ['a link that is none', ({ ad }) => (ad['finalUrls'] = ['shop.example']), 'urlFieldError.INVALID_FINAL_URL'],
  ];
  it.each(cases)('refuse %s', async (_what, change, code, place) => {
    const refused = await make(change);
    expect(refused.status).toBe(400);
    expect(codesOf(refused)[0]).toBe(code);
    if (place) expect(placeOf(refused)).toBe(place);
  });

  const displayed: [string, (ad: any) => void, string][] = [
    [
      'a square picture as landscape',
      (ad) => (ad.marketingImages = ad.squareMarketingImages),
      'imageError.ASPECT_RATIO_NOT_ALLOWED',
    ],
    ['no square picture', (ad) => delete ad.squareMarketingImages, 'adError.MISSING_REQUIRED_IMAGE_ASPECT_RATIO'],
    ['no long headline', (ad) => delete ad.longHeadline, 'fieldError.REQUIRED'],
    ['a business name too wide', (ad) => (ad.businessName = '園'.repeat(13)), 'stringLengthError.TOO_LONG'],
    ['a call to action too wide', (ad) => (ad.callToActionText = 'x'.repeat(31)), 'stringLengthError.TOO_LONG'],
  ];
  it.each(displayed)('refuse a display ad with %s', async (_what, change, code) => {
    const refused = await make(({ ad }) => change(ad['responsiveDisplayAd']), displayParts);
    expect(codesOf(refused)[0]).toBe(code);
  });

  it('refuse bytes that are no picture, and know the same bytes again under their old name', async () => {
    const upload = (name: string, data: string): Promise<Answer> =>
      call(`customers/${yen}/assets:mutate`, { body: { operations: [{ create: { name, imageAsset: { data } } }] } });
    expect(codesOf(await upload('text', Buffer.from('no picture').toString('base64')))).toEqual([
      'imageError.INVALID_IMAGE',
    ]);
    expect(codesOf(await upload('empty', ''))).toEqual(['assetError.ASSET_DATA_IS_MISSING']);
    const first = await upload('first', picture('wide.png'));
    expect((await upload('second', picture('wide.png'))).body).toEqual(first.body);
    const query = 'SELECT asset.name, asset.image_asset.full_size.width_pixels FROM asset';
    const { body } = await call(`customers/${yen}/googleAds:search`, { body: { query } });
    expect(body.results).toMatchObject([
      { asset: { name: 'first', imageAsset: { fullSize: { widthPixels: '1600' } } } },
    ]);
  });

  it('refuse a campaign name that another has, until that one is removed', async () => {
    const parts = searchParts(cid, newName());
    const made = names(await mutate(operationsOf(cid, parts)));
    expect(codesOf(await mutate(operationsOf(cid, parts)))[0]).toBe('campaignError.DUPLICATE_CAMPAIGN_NAME');
    expect((await mutate([{ campaignOperation: { remove: made[1] } }])).status).toBe(200);
    expect((await mutate(operationsOf(cid, parts))).status).toBe(200);
  });

  it('take exclusions, but none of a language, with a bid, or of what is included', async () => {
    const adGroup = `customers/${cid}/adGroups/-3`;
    const campaign = `customers/${cid}/campaigns/-2`;
    const negative = { adGroup, negative: true, keyword: { text: 'free', matchType: 'BROAD' } };
    const userList = { userList: `customers/${cid}/userLists/${person.adAccounts[0]?.userListId}` };
    const place = (id: number): Fields => ({
      campaign,
      negative: true,
      location: { geoTargetConstant: `geoTargetConstants/${id}` },
    });
    const taken = await make(({ criteria, groupCriteria }) => {
      criteria.push(place(2484), place(21137));
      groupCriteria.push(negative, { adGroup, negative: true, userList });
    });
    expect(taken.status).toBe(200);
    const refused: [string, (parts: Parts) => void][] = [
      ['mutateError.RESOURCE_ALREADY_EXISTS', ({ criteria }) => criteria.push(place(2840))],
      [
        'criterionError.CANNOT_EXCLUDE_CRITERIA_TYPE',
        ({ criteria }) =>
          criteria.push({ campaign, negative: true, language: { languageConstant: 'languageConstants/1000' } }),
      ],
      [
        'criterionError.FIELD_INCOMPATIBLE_WITH_NEGATIVE_TARGETING',
        ({ groupCriteria }) => groupCriteria.push({ ...negative, cpcBidMicros: '1000000' }),
      ],
    ];
    for (const [code, change] of refused) expect(codesOf(await make(change))).toEqual([code]);
  });

  it('take whole yen only, and no interests on search', async () => {
    const part = await make(({ budget }) => (budget['amountMicros'] = '500500000'), searchParts, yen);
    expect(codesOf(part)[0]).toBe('campaignBudgetError.NON_MULTIPLE_OF_MINIMUM_CURRENCY_UNIT');
    const whole = await make(({ budget }) => (budget['amountMicros'] = '500000000'), searchParts, yen);
    expect(whole.status).toBe(200);
    const interest = {
      adGroup: `customers/${cid}/adGroups/-3`,
      userInterest: { userInterestCategory: `customers/${cid}/userInterests/92913` },
    };
    const list = {
      adGroup: `customers/${cid}/adGroups/-3`,
      userList: { userList: `customers/${cid}/userLists/${person.adAccounts[0]?.userListId}` },
    };
    expect(codesOf(await make(({ groupCriteria }) => groupCriteria.push(interest)))).toEqual([
      'criterionError.CANNOT_ADD_USER_INTERESTS_TO_SEARCH_CAMPAIGNS',
    ]);
    expect((await make(({ groupCriteria }) => groupCriteria.push(interest, list), displayParts)).status).toBe(200);
  });
});
