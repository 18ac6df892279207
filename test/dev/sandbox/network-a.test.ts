import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startSandbox, type Sandbox } from '../../../src/dev/sandbox/index.ts';
import {
  adSet,
  caller,
  campaign,
  connect,
  creative as creativeOf,
  refused,
  us,
  type Answer,
  type Call,
  type Fields,
  type Person,
} from './graph.ts';

let sandbox: Sandbox;
let person: Person;
let act: string;
let yen: string;

beforeAll(async () => {
  sandbox = await startSandbox();
  person = await connect(sandbox.url);
  act = `act_${person.adAccounts[0]?.id}`;
  yen = `act_${person.adAccounts[1]?.id}`;
});
afterAll(() => sandbox.stop());

const call: Call = (...args) => caller(sandbox.url, person.accessToken)(...args);
const post = (path: string, fields: Fields): Promise<Answer> => call('POST', path, { fields });
const newCampaign = async (extra: Fields = {}, account = act): Promise<string> =>
  (await post(`${account}/campaigns`, campaign(extra))).body.id;
const creative = (data: Fields = {}, story: Fields = {}): Fields => creativeOf(person.pages[0]?.id, data, story);

describe('ids, forms and headers', () => {
  it('are digits beyond what a double holds, from forms and JSON alike', async () => {
    for (const json of [false, true]) {
      const { body } = await call('POST', `${act}/campaigns`, { fields: campaign(), json });
      expect(body.id).toMatch(/^\d{17,}$/);
      expect(String(Number(body.id))).not.toBe(body.id);
    }
  });

  it('carry the usage of app, account and use case', async () => {
    const { headers } = await call('GET', act);
    expect(JSON.parse(headers.get('x-app-usage') ?? '')).toMatchObject({ call_count: expect.any(Number) });
    expect(JSON.parse(headers.get('x-ad-account-usage') ?? '')).toMatchObject({ acc_id_util_pct: expect.any(Number) });
    expect(headers.get('x-business-use-case-usage')).toContain('ads_management');
  });

  it('answer 100/33 to unknown objects, other people and a missing act_', async () => {
    const other = await connect(sandbox.url);
    const mine = await newCampaign();
    for (const path of ['999', person.adAccounts[0]?.id ?? '', `act_${other.adAccounts[0]?.id}`])
      expect(await call('GET', path)).toMatchObject(refused(100, 33));
    expect(await call('GET', mine, { token: other.accessToken })).toMatchObject(refused(100, 33));
  });
});

describe('tokens and versions', () => {
  it('refuse a missing, unknown, expired and invalid token each in its way', async () => {
    expect(await call('GET', 'me', { token: null })).toMatchObject(refused(2500));
    expect(await call('GET', 'me', { token: 'nonsense' })).toMatchObject({ status: 401, ...refused(190) });
    const { accessToken: token } = await connect(sandbox.url);
    for (const [action, subcode] of [
      ['expire', 463],
      ['invalidate', 467],
    ] as const) {
      await fetch(`${sandbox.url}/control/network-a/tokens/${action}`, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json' },
        body: JSON.stringify({ token }),
      });
      expect(await call('GET', 'me', { token })).toMatchObject({ status: 401, ...refused(190, subcode) });
    }
  });

  it('refuse a version that has ended', async () => {
    expect(await call('GET', 'me', { version: 'v24.0' })).toMatchObject(refused(2635));
    expect((await call('GET', 'me', { version: 'v27.0' })).status).toBe(200);
  });
});

describe('campaigns', () => {
  it.each([
    ['no categories', { special_ad_categories: undefined }, 100],
    ['categories that are no list', { special_ad_categories: 'NONE' }, 100],
    ['no word on budget sharing', { is_adset_budget_sharing_enabled: undefined }, 100],
    ['sharing without a strategy', { is_adset_budget_sharing_enabled: true }, 100, 4834005],
    ['an old objective', { objective: 'CONVERSIONS' }, 100],
    ['a status beyond the two', { status: 'ARCHIVED' }, 100],
    ['a parameter that the SDK does not list', { colour: 'red' }, 100],
    ['a special category without its countries', { special_ad_categories: ['HOUSING'] }, 100],
    ['countries that are no codes', { special_ad_categories: ['CREDIT'], special_ad_category_country: ['USA'] }, 100],
  ])('refuse %s', async (_what, extra, code, subcode?: number) => {
    const fields = Object.fromEntries(Object.entries(campaign(extra)).filter(([, value]) => value !== undefined));
    expect(await post(`${act}/campaigns`, fields)).toMatchObject({ status: 400, ...refused(code, subcode) });
  });

  it('are only checked with validate_only', async () => {
    const before = (await call('GET', `${act}/campaigns?limit=500`)).body.data.length;
    expect((await post(`${act}/campaigns`, { ...campaign(), execution_options: ['validate_only'] })).body).toEqual({
      success: true,
    });
    expect((await call('GET', `${act}/campaigns?limit=500`)).body.data).toHaveLength(before);
  });
});

describe('ad sets', () => {
  const store = { application_id: '1', object_store_url: 'https://play.google.com/store/apps/details?id=1' };
  const pixel = { pixel_id: '1', custom_event_type: 'PURCHASE' };
  const cases: [string, Fields, Fields, number?][] = [
    ['a budget too low', {}, { daily_budget: '99' }, 1885272],
    ['both budgets', {}, { lifetime_budget: '9000' }],
    ['a budget with a fraction', {}, { daily_budget: '20.5' }],
    ['a lifetime budget without end', {}, { daily_budget: undefined, lifetime_budget: '9000' }, 1487007],
    ['an end in the past', {}, { end_time: '2020-01-01T00:00:00+0000' }, 1487033],
    ['a goal of another objective', {}, { optimization_goal: 'POST_ENGAGEMENT' }, 2490408],
    ['a destination of another objective', {}, { destination_type: 'ON_AD' }, 1815715],
    [
      'engagement without a page',
      { objective: 'OUTCOME_ENGAGEMENT' },
      { optimization_goal: 'POST_ENGAGEMENT', destination_type: 'ON_POST' },
    ],
    ['sales without a pixel', { objective: 'OUTCOME_SALES' }, { optimization_goal: 'OFFSITE_CONVERSIONS' }],
    [
      'sales with an unknown event',
      { objective: 'OUTCOME_SALES' },
      {
        optimization_goal: 'OFFSITE_CONVERSIONS',
        promoted_object: { pixel_id: '1', custom_event_type: 'VIEW_CONTENT' },
      },
    ],
    [
      'an app without its store',
      { objective: 'OUTCOME_APP_PROMOTION' },
      { optimization_goal: 'APP_INSTALLS', destination_type: 'APP', promoted_object: { application_id: '1' } },
    ],
    ['a bid without a cap', {}, { bid_amount: '100' }, 1815857],
    ['a cap without a bid', {}, { bid_strategy: 'COST_CAP' }, 1815857],
    [
      'a minimum return without VALUE',
      {},
      { bid_strategy: 'LOWEST_COST_WITH_MIN_ROAS', bid_constraints: { roas_average_floor: 20000 } },
    ],
    ['no place', {}, { targeting: { targeting_automation: { advantage_audience: 0 } } }, 1885364],
    [
      'a city inside a given country',
      {},
      { targeting: { ...us, geo_locations: { countries: ['US'], cities: [{ key: '2421836' }] } } },
      1815946,
    ],
    [
      'excluded places within the included ones',
      {},
      { targeting: { ...us, geo_locations: { countries: ['US'], excluded_geo_locations: { countries: ['MX'] } } } },
      1487079,
    ],
    [
      'excluded places alone',
      {},
      { targeting: { targeting_automation: us.targeting_automation, excluded_geo_locations: { countries: ['US'] } } },
      1885364,
    ],
    [
      'a country that is included and excluded',
      {},
      { targeting: { ...us, excluded_geo_locations: { countries: ['US'] } } },
    ],
    ['an unknown excluded region', {}, { targeting: { ...us, excluded_geo_locations: { regions: [{ key: '1' }] } } }],
    [
      'an audience that is included and excluded',
      {},
      { targeting: { ...us, custom_audiences: [{ id: '7' }], excluded_custom_audiences: [{ id: '7' }] } },
    ],
    ['an unknown locale', {}, { targeting: { ...us, locales: [999] } }],
    ['an unknown kind of device', {}, { targeting: { ...us, device_platforms: ['tablet'] } }],
    ['an unknown city', {}, { targeting: { ...us, geo_locations: { cities: [{ key: '1' }] } } }],
    [
      'a radius too wide',
      {},
      { targeting: { ...us, geo_locations: { cities: [{ key: '2421836', radius: 81, distance_unit: 'kilometer' }] } } },
    ],
    [
      'narrow ages without a word on widening',
      {},
      { targeting: { geo_locations: { countries: ['US'] }, age_min: 30 } },
      1870227,
    ],
    [
      'a window that the goal has not',
      {},
      { attribution_spec: [{ event_type: 'CLICK_THROUGH', window_days: 7 }] },
      1815446,
    ],
    [
      'an app without its system',
      { objective: 'OUTCOME_APP_PROMOTION' },
      { optimization_goal: 'APP_INSTALLS', destination_type: 'APP', promoted_object: store },
      1487504,
    ],
    [
      'a page beside a pixel',
      { objective: 'OUTCOME_SALES' },
      { optimization_goal: 'OFFSITE_CONVERSIONS', promoted_object: { ...pixel, page_id: '1' } },
    ],
    [
      'a pixel beside a page',
      { objective: 'OUTCOME_ENGAGEMENT' },
      {
        optimization_goal: 'POST_ENGAGEMENT',
        destination_type: 'ON_POST',
        promoted_object: { page_id: '1', pixel_id: '2' },
      },
    ],
    [
      'a special category without a word on widening',
      { special_ad_categories: ['EMPLOYMENT'], special_ad_category_country: ['US'] },
      { targeting: { geo_locations: { countries: ['US'] } } },
      1870227,
    ],
    [
      'narrow ages in a special category',
      { special_ad_categories: ['HOUSING'], special_ad_category_country: ['US'] },
      { targeting: { ...us, age_min: 25 } },
    ],
    ['Taiwan without a declaration', {}, { targeting: { ...us, geo_locations: { countries: ['TW'] } } }, 3858498],
    ['Singapore without a declaration', {}, { targeting: { ...us, geo_locations: { countries: ['SG'] } } }, 3858550],
    ['an unknown category of a region', {}, { regional_regulated_categories: ['MARS_UNIVERSAL'] }],
    ['an unknown identity', {}, { regional_regulation_identities: { mars_universal_payer: '1' } }],
    [
      'an identity that is no number',
      {},
      {
        targeting: { ...us, geo_locations: { countries: ['TW'] } },
        regional_regulated_categories: ['TAIWAN_UNIVERSAL'],
        regional_regulation_identities: { taiwan_universal_beneficiary: 'Shop' },
      },
    ],
    ['the EU without a payor', {}, { targeting: { ...us, geo_locations: { countries: ['DE'] } } }, 3858079],
    [
      'the EU without a beneficiary',
      {},
      { targeting: { ...us, geo_locations: { cities: [{ key: '777934' }] } }, dsa_payor: 'P' },
      3858081,
    ],
  ];
  it.each(cases)('refuse %s', async (_what, parent, extra, subcode) => {
    const fields = Object.entries(adSet(await newCampaign(parent), extra)).filter(([, value]) => value !== undefined);
    expect(await post(`${act}/adsets`, Object.fromEntries(fields))).toMatchObject({
      status: 400,
      ...refused(100, subcode),
    });
  });

  it('take excluded places in the EU without beneficiary and payor', async () => {
    const excluded = { excluded_geo_locations: { countries: ['DE'], cities: [{ key: '777934' }] } };
    const answer = await post(`${act}/adsets`, adSet(await newCampaign(), { targeting: { ...us, ...excluded } }));
    expect(answer.status).toBe(200);
  });

  it('name the EU field in the text of an object, others in an object', async () => {
    const id = await newCampaign();
    const eu = await post(`${act}/adsets`, adSet(id, { targeting: { ...us, geo_locations: { countries: ['FR'] } } }));
    expect(JSON.parse(eu.body.error.error_data)).toEqual({ blame_field_specs: [['dsa_payor']] });
    const low = await post(`${act}/adsets`, adSet(id, { daily_budget: '1' }));
    expect(low.body.error.error_data).toEqual({ blame_field_specs: [['daily_budget']] });
  });

  it('name one missing declaration or identity at a time, by region', async () => {
    const id = await newCampaign();
    const both = { targeting: { ...us, geo_locations: { countries: ['TW', 'SG'] } } };
    const asked = async (categories: string[], ...names: string[]): Promise<string | undefined> => {
      const identities = names.flatMap((name) => [
        [`${name}_universal_beneficiary`, '11'],
        [`${name}_universal_payer`, '12'],
      ]);
      const fields = {
        regional_regulated_categories: categories,
        regional_regulation_identities: Object.fromEntries(identities) as object,
      };
      const { error } = (await post(`${act}/adsets`, adSet(id, { ...both, ...fields }))).body;
      return error && `${error.error_subcode} ${JSON.stringify(error.error_data)}`;
    };
    const [taiwan, singapore] = ['TAIWAN_UNIVERSAL', 'SINGAPORE_UNIVERSAL'];
    expect(await asked([])).toMatch(/^3858498 .*regulated_categories/);
    expect(await asked([taiwan, singapore])).toMatch(/^3858498 .*regulation_identities/);
    expect(await asked([taiwan], 'taiwan')).toMatch(/^3858550 .*regulated_categories/);
    expect(await asked([taiwan, singapore], 'taiwan')).toMatch(/^3858550 .*regulation_identities/);
    expect(await asked([taiwan, singapore], 'taiwan', 'singapore')).toBeUndefined();
  });

  it('take budgets in whole yen', async () => {
    const id = await newCampaign({}, yen);
    expect((await post(`${yen}/adsets`, adSet(id, { daily_budget: '500' }))).body.id).toMatch(/^\d+$/);
    expect(await post(`${yen}/adsets`, adSet(id, { daily_budget: '99' }))).toMatchObject(refused(100, 1885272));
  });

  it('refuse a budget below one that the campaign has', async () => {
    const id = await newCampaign({ daily_budget: '5000' });
    expect(await post(`${act}/adsets`, adSet(id))).toMatchObject(refused(100, 1885621));
  });
});

describe('creatives and ads', () => {
  it.each([
    ['an unknown page', {}, { page_id: '1' }, 1885029],
    ['picture and hash together', { image_hash: 'x' }, {}, undefined],
    ['no picture', { picture: undefined }, {}, undefined],
    [
      'a button of none of the kinds',
      { call_to_action: { type: 'GO', value: { link: 'https://a.example/' } } },
      {},
      undefined,
    ],
    ['the old photo-sharing field', {}, { instagram_actor_id: '1' }, undefined],
    ['a video without thumbnail', {}, { video_data: { video_id: '1' } }, 33],
  ])('refuse %s', async (_what, data, story, subcode) => {
    expect(await post(`${act}/adcreatives`, creative(data, story))).toMatchObject({
      status: 400,
      ...refused(100, subcode),
    });
  });

  it('refuse a page that one may only look at with 200', async () => {
    expect(await post(`${act}/adcreatives`, creative({}, { page_id: person.pages[1]?.id }))).toMatchObject({
      status: 403,
      ...refused(200),
    });
  });

  it('show what parents let an ad do', async () => {
    const campaignId = await newCampaign();
    const setId = (await post(`${act}/adsets`, adSet(campaignId))).body.id;
    const creativeId = (await post(`${act}/adcreatives`, creative())).body.id;
    const { id } = (
      await post(`${act}/ads`, { name: 'A', adset_id: setId, creative: { creative_id: creativeId }, status: 'ACTIVE' })
    ).body;
    const state = async (): Promise<string> =>
      (await call('GET', `${id}?fields=effective_status,campaign_id`)).body.effective_status;
    expect(await state()).toBe('CAMPAIGN_PAUSED');
    await post(campaignId, { status: 'ACTIVE' });
    expect(await state()).toBe('ACTIVE');
    await post(setId, { status: 'PAUSED' });
    expect(await state()).toBe('ADSET_PAUSED');
    await call('DELETE', campaignId);
    expect(await state()).toBe('DELETED');
    expect(
      await post(`${act}/ads`, { name: 'B', adset_id: setId, creative: { creative_id: creativeId }, status: 'ACTIVE' }),
    ).toMatchObject(refused(100));
  });
});

describe('lists and search', () => {
  it('page by cursor until next is missing; a page can be short and still have one', async () => {
    const { accessToken: token, adAccounts } = await connect(sandbox.url);
    const account = `act_${adAccounts[0]?.id}`;
    for (const name of ['a', 'b', 'a', 'b', 'a'])
      await call('POST', `${account}/campaigns`, { fields: campaign({ name }), token });
    const filtering = encodeURIComponent(JSON.stringify([{ field: 'name', operator: 'EQUAL', value: 'a' }]));
    const pages: number[] = [];
    let after: string | undefined = '';
    while (after !== undefined) {
      const { body } = await call('GET', `${account}/campaigns?limit=2&filtering=${filtering}&after=${after}`, {
        token,
      });
      pages.push(body.data.length);
      after = body.paging.next ? body.paging.cursors.after : undefined;
    }
    expect(pages).toEqual([1, 1, 1]);
    expect(await call('GET', `${account}/campaigns?after=!!`, { token })).toMatchObject(refused(100));
  });

  it('find places by kind and country, and interests', async () => {
    const cities = encodeURIComponent('["city"]');
    const { body } = await call('GET', `search?type=adgeolocation&location_types=${cities}&q=san%20j&country_code=US`);
    expect(body.data).toMatchObject([{ key: '2421836', type: 'city', country_code: 'US', region: 'California' }]);
    const interests = await call('GET', 'search?type=adinterest&q=foot');
    expect(interests.body.data[0]).toMatchObject({ id: '6003107902433', name: 'Football' });
  });
});
