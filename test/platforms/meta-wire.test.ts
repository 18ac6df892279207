import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Goal } from '../../src/contract/ad-enums.ts';
import type { CreateAdInput } from '../../src/contract/ad-input.ts';
import { createMeta } from '../../src/platforms/meta/index.ts';
import type { Access, AdAccount } from '../../src/platforms/platform.ts';
import {
  access,
  dollars,
  endDate,
  entry,
  goodPlatform,
  inputs,
  memoryJournal,
  orderOf,
  token,
  video,
} from './fixtures.ts';
import { startUpstream, unpacked, type FakeUpstream } from './upstream.ts';

let upstream: FakeUpstream;
beforeEach(async () => {
  upstream = await startUpstream();
  upstream.respond = goodPlatform({ 'GET 55': () => ({ json: { status: { video_status: 'ready' } } }) });
});
afterEach(() => upstream.stop());

interface Sent {
  path: string;
  body: Record<string, never>;
}

/** Every write of one order, in its order. */
async function send(input: CreateAdInput, as: Access = access, account: AdAccount = dollars): Promise<Sent[]> {
  upstream.requests.length = 0;
  await createMeta({ baseUrl: upstream.url, version: 'v26.0' }).createAds(as, orderOf(input, account), memoryJournal());
  return upstream.requests
    .filter(({ method }) => method === 'POST')
    .map(({ path, form }) => ({ path, body: unpacked(form) as never }));
}
const to = async (edge: string, ...order: Parameters<typeof send>): Promise<Record<string, never>> => {
  const found = (await send(...order)).find(({ path }) => path.endsWith(`/${edge}`));
  if (!found) throw new Error(`Nothing was sent to ${edge}`);
  return found.body;
};

const legacyTraffic = {
  campaign: {
    name: 'Winter ab12cd34',
    objective: 'OUTCOME_TRAFFIC',
    status: 'PAUSED',
    buying_type: 'AUCTION',
    special_ad_categories: [],
    is_adset_budget_sharing_enabled: 'false',
  },
  adSet: {
    name: 'Winter ab12cd34',
    campaign_id: '1201',
    status: 'ACTIVE',
    daily_budget: '5000',
    billing_event: 'IMPRESSIONS',
    optimization_goal: 'LINK_CLICKS',
    destination_type: 'WEBSITE',
    bid_strategy: 'LOWEST_COST_WITHOUT_CAP',
    targeting: { geo_locations: { countries: ['US'] }, targeting_automation: { advantage_audience: 0 } },
  },
  creative: {
    name: 'Winter ab12cd34',
    object_story_spec: {
      page_id: '10',
      instagram_user_id: '178',
      link_data: {
        link: 'https://shop.example/coats?a=1&b=2',
        name: 'Coats & scarves',
        message: 'Warm über all',
        picture: 'https://img.example/coat.jpg',
        call_to_action: { type: 'SHOP_NOW', value: { link: 'https://shop.example/coats?a=1&b=2' } },
      },
    },
  },
};

describe('the legacy shape', () => {
  it('sends campaign, ad set, creative, ad and the activation, field by field', async () => {
    expect(await send(inputs.legacy())).toEqual([
      { path: '/v26.0/act_77/campaigns', body: legacyTraffic.campaign },
      { path: '/v26.0/act_77/adsets', body: legacyTraffic.adSet },
      { path: '/v26.0/act_77/adcreatives', body: legacyTraffic.creative },
      {
        path: '/v26.0/act_77/ads',
        body: { name: 'Winter ab12cd34', adset_id: '1202', creative: { creative_id: '1203' }, status: 'ACTIVE' },
      },
      { path: '/v26.0/1201', body: { status: 'ACTIVE' } },
    ]);
  });

  it('bears the token in the header of every request and nowhere else', async () => {
    await send(inputs.legacy());
    expect(upstream.requests.map(({ headers }) => headers.authorization)).toEqual(
      upstream.requests.map(() => `Bearer ${token}`),
    );
    const visible = upstream.requests.map(({ path, query, form }) => ({ path, query, form }));
    expect(JSON.stringify(visible)).not.toContain(token);
  });

  it('sends no activation for a paused ad, whose campaign stays paused', async () => {
    const sent = await send(inputs.legacy({ status: 'PAUSED' }));
    expect(sent.map(({ path }) => path)).toHaveLength(4);
    expect(sent[0]?.body).toMatchObject({ status: 'PAUSED' });
  });

  it('takes the ad account with or without its prefix', async () => {
    const [campaign] = await send(inputs.legacy(), access, { ...dollars, id: 'act_77' });
    expect(campaign?.path).toBe('/v26.0/act_77/campaigns');
  });
});

describe('the multi-creative shape', () => {
  it('sends one campaign, one ad set, and a creative and an ad for each entry', async () => {
    const sent = await send(inputs.multiCreative({ creatives: [entry(), entry({ imageUrl: undefined, video })] }));
    expect(sent.map(({ path }) => path.replace('/v26.0/act_77/', ''))).toEqual([
      'campaigns',
      'adsets',
      'adcreatives',
      'ads',
      'advideos',
      'adcreatives',
      'ads',
      '/v26.0/1201',
    ]);
    expect(sent[2]?.body).toEqual({ ...legacyTraffic.creative, name: 'Winter ab12cd34 0' });
    expect(sent[5]?.body).toMatchObject({
      name: 'Winter ab12cd34 1',
      object_story_spec: { video_data: { video_id: '55' } },
    });
    expect([sent[3]?.body, sent[6]?.body]).toMatchObject([
      { name: 'Winter ab12cd34 0', adset_id: '1202', status: 'ACTIVE' },
      { name: 'Winter ab12cd34 1', adset_id: '1202', status: 'ACTIVE' },
    ]);
  });
});

describe('a video ad', () => {
  it('hands the video over by its address, and has no link beside the button', async () => {
    const sent = await send(inputs.legacy({ goal: 'video_views', imageUrl: undefined, video }));
    expect(sent.find(({ path }) => path.endsWith('/advideos'))?.body).toEqual({
      file_url: video.url,
      name: 'Winter ab12cd34',
      title: 'Winter ab12cd34',
    });
    expect(sent.find(({ path }) => path.endsWith('/adcreatives'))?.body['object_story_spec']).toEqual({
      page_id: '10',
      instagram_user_id: '178',
      video_data: {
        video_id: '55',
        title: 'Coats & scarves',
        message: 'Warm über all',
        image_url: video.thumbnailUrl,
        call_to_action: { type: 'SHOP_NOW', value: { link: 'https://shop.example/coats?a=1&b=2' } },
      },
    });
  });
});

const pixel = { pixelId: '9', customEventType: 'PURCHASE' };
const app = { applicationId: '7', objectStoreUrl: 'https://apps.example/7' };

describe('a goal', () => {
  it.each<[Goal, object, string, object]>([
    [
      'engagement',
      {},
      'OUTCOME_ENGAGEMENT',
      { optimization_goal: 'POST_ENGAGEMENT', destination_type: 'ON_POST', promoted_object: { page_id: '10' } },
    ],
    ['traffic', {}, 'OUTCOME_TRAFFIC', { optimization_goal: 'LINK_CLICKS', destination_type: 'WEBSITE' }],
    ['awareness', {}, 'OUTCOME_AWARENESS', { optimization_goal: 'REACH', promoted_object: { page_id: '10' } }],
    ['video_views', {}, 'OUTCOME_ENGAGEMENT', { optimization_goal: 'THRUPLAY', destination_type: 'ON_VIDEO' }],
    [
      'lead_generation',
      { promotedObject: { leadFormId: '5' } },
      'OUTCOME_LEADS',
      { optimization_goal: 'LEAD_GENERATION', destination_type: 'ON_AD', promoted_object: { page_id: '10' } },
    ],
    [
      'lead_generation',
      { promotedObject: { pixelId: '9' } },
      'OUTCOME_LEADS',
      {
        optimization_goal: 'OFFSITE_CONVERSIONS',
        destination_type: 'WEBSITE',
        promoted_object: { pixel_id: '9', custom_event_type: 'LEAD' },
      },
    ],
    [
      'conversions',
      { promotedObject: { ...pixel, customConversionId: '4', productCatalogId: '3', productSetId: '2' } },
      'OUTCOME_SALES',
      {
        optimization_goal: 'OFFSITE_CONVERSIONS',
        destination_type: 'WEBSITE',
        promoted_object: {
          pixel_id: '9',
          custom_event_type: 'PURCHASE',
          custom_conversion_id: '4',
          product_catalog_id: '3',
          product_set_id: '2',
        },
      },
    ],
    [
      'app_promotion',
      { promotedObject: app },
      'OUTCOME_APP_PROMOTION',
      {
        optimization_goal: 'APP_INSTALLS',
        destination_type: 'APP',
        promoted_object: { application_id: '7', object_store_url: 'https://apps.example/7' },
      },
    ],
  ])('%s with %j becomes %s', async (goal, extra, objective, adSet) => {
    const sent = await send(inputs.legacy({ goal, ...extra }));
    const { optimization_goal: _goal, destination_type: _place, ...rest } = legacyTraffic.adSet;
    expect(sent[0]?.body).toEqual({ ...legacyTraffic.campaign, objective });
    const { user_os: _system, ...targeting } = Object(sent[1]?.body?.['targeting']);
    expect({ ...sent[1]?.body, targeting }).toEqual({ ...rest, ...adSet });
  });

  it.each([
    ['https://apps.apple.com/app/id7', 'iOS'],
    ['https://itunes.apple.com/app/id7', 'iOS'],
    ['https://play.google.com/store/apps/details?id=7', 'Android'],
    ['https://apple.com.example/7', 'Android'],
  ])('app_promotion of %s is shown on %s only', async (objectStoreUrl, system) => {
    const input = inputs.legacy({ goal: 'app_promotion', promotedObject: { ...app, objectStoreUrl } });
    expect(await to('adsets', input)).toMatchObject({ targeting: { user_os: [system] } });
    const traffic = inputs.legacy({ goal: 'traffic', promotedObject: { ...app, objectStoreUrl } });
    expect(await to('adsets', traffic)).not.toHaveProperty('targeting.user_os');
  });

  it('gives the button its form, or its app', async () => {
    const form = await to(
      'adcreatives',
      inputs.legacy({ goal: 'lead_generation', promotedObject: { leadFormId: '5' } }),
    );
    expect(form).toMatchObject({
      object_story_spec: {
        link_data: { link: 'https://shop.example/coats?a=1&b=2', call_to_action: { value: { lead_gen_form_id: '5' } } },
      },
    });
    const store = await to('adcreatives', inputs.legacy({ goal: 'app_promotion', promotedObject: app }));
    const value = { link: 'https://apps.example/7', application: '7' };
    expect(store).toMatchObject({ object_story_spec: { link_data: { link: value.link, call_to_action: { value } } } });
  });

  it('uses the page that the caller names rather than the connected one', async () => {
    const input = inputs.legacy({ goal: 'engagement', promotedObject: { pageId: '11' } });
    expect(await to('adsets', input)).toMatchObject({ promoted_object: { page_id: '11' } });
    expect(await to('adcreatives', input)).toMatchObject({ object_story_spec: { page_id: '11' } });
  });
});

describe('the budget', () => {
  it('for a lifetime goes with its end', async () => {
    const adSet = await to('adsets', inputs.legacy({ budgetType: 'lifetime', budgetAmount: 300.5, endDate }));
    expect(adSet).toMatchObject({ lifetime_budget: '30050', end_time: endDate });
    expect(adSet).not.toHaveProperty('daily_budget');
  });

  it("is in the ad account's own units", async () => {
    const yen = { ...dollars, currency: 'JPY' };
    const input = inputs.legacy({ budgetAmount: 5000, bidStrategy: 'COST_CAP', bidAmount: 300 });
    expect(await to('adsets', input, access, yen)).toMatchObject({ daily_budget: '5000', bid_amount: '300' });
  });
});

describe('the two EU fields', () => {
  const eu = { countries: ['DE'], dsaBeneficiary: 'Shop Ltd', dsaPayor: 'Agency Ltd' };

  it('go into the ad set as they were given', async () => {
    expect(await to('adsets', inputs.legacy(eu))).toMatchObject({
      dsa_beneficiary: 'Shop Ltd',
      dsa_payor: 'Agency Ltd',
      targeting: { geo_locations: { countries: ['DE'] } },
    });
  });

  it('are left out, not sent empty, where there are none', async () => {
    const adSet = await to('adsets', inputs.legacy());
    expect(Object.keys(adSet).filter((name) => name.startsWith('dsa_'))).toEqual([]);
  });
});

describe('a bid strategy', () => {
  it.each(['LOWEST_COST_WITH_BID_CAP', 'COST_CAP'])('%s bears its amount in smallest units', async (bidStrategy) => {
    const adSet = await to('adsets', inputs.legacy({ bidStrategy, bidAmount: 4.35 }));
    expect(adSet).toMatchObject({ bid_strategy: bidStrategy, bid_amount: '435', billing_event: 'IMPRESSIONS' });
    expect(adSet).not.toHaveProperty('bid_constraints');
  });

  it.each([
    [2, 20_000],
    [0.01, 100],
    [1.005, 10_050],
    [1.1, 11_000],
    [1000, 10_000_000],
  ])('for a minimum return of %d sends %d and optimises for value', async (roasAverageFloor, sent) => {
    const bid = { bidStrategy: 'LOWEST_COST_WITH_MIN_ROAS', roasAverageFloor };
    const adSet = await to('adsets', inputs.legacy({ goal: 'conversions', promotedObject: pixel, ...bid }));
    expect(adSet).toMatchObject({
      bid_strategy: 'LOWEST_COST_WITH_MIN_ROAS',
      bid_constraints: { roas_average_floor: sent },
      optimization_goal: 'VALUE',
    });
    expect(adSet).not.toHaveProperty('bid_amount');
  });

  it('for a minimum return of an app counts purchases, unless another event is given', async () => {
    const bid = { goal: 'app_promotion', bidStrategy: 'LOWEST_COST_WITH_MIN_ROAS', roasAverageFloor: 1 };
    expect(await to('adsets', inputs.legacy({ ...bid, promotedObject: app }))).toMatchObject({
      optimization_goal: 'VALUE',
      promoted_object: { custom_event_type: 'PURCHASE', application_id: '7' },
    });
    const other = { ...app, customEventType: 'SUBSCRIBE' };
    expect(await to('adsets', inputs.legacy({ ...bid, promotedObject: other }))).toMatchObject({
      promoted_object: { custom_event_type: 'SUBSCRIBE' },
    });
  });
});

describe('attribution', () => {
  const attributionSpec = [
    { eventType: 'CLICK_THROUGH', windowDays: 7 },
    { eventType: 'VIEW_THROUGH', windowDays: 1 },
  ];
  it.each<[Goal, object]>([
    ['conversions', pixel],
    ['lead_generation', { pixelId: '9' }],
    ['app_promotion', app],
  ])('is sent with %s', async (goal, promotedObject) => {
    expect(await to('adsets', inputs.legacy({ goal, promotedObject, attributionSpec }))).toMatchObject({
      attribution_spec: [
        { event_type: 'CLICK_THROUGH', window_days: 7 },
        { event_type: 'VIEW_THROUGH', window_days: 1 },
      ],
    });
  });

  it.each(['traffic', 'engagement', 'awareness', 'video_views'])('is left out with %s', async (goal) => {
    expect(await to('adsets', inputs.legacy({ goal, attributionSpec }))).not.toHaveProperty('attribution_spec');
  });
});
