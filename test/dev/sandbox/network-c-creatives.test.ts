import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startSandbox, type Sandbox } from '../../../src/dev/sandbox/index.ts';
import {
  adgroup,
  campaign,
  caller,
  connect,
  control,
  inHours,
  refused,
  type Answer,
  type Fields,
  type Person,
} from './short-video.ts';

let sandbox: Sandbox;
let person: Person;
let advertiser: string;
let campaignId: string;
let adgroupId: string;
let brand: Fields;
let video: Fields;
let cover: string;

const post = (path: string, fields: Fields): Promise<Answer> =>
  caller(sandbox.url, person.accessToken)('POST', path, { advertiser_id: advertiser, ...fields });
const get = (path: string, fields: Fields): Promise<Answer> =>
  caller(sandbox.url, person.accessToken)('GET', path, { advertiser_id: advertiser, ...fields });
const newCampaign = async (extra: Fields = {}): Promise<string> =>
  (await post('campaign/create/', campaign(extra))).data.campaign_id;
const newGroup = async (id: string, extra: Fields = {}): Promise<string> =>
  (await post('adgroup/create/', adgroup(id, extra))).data.adgroup_id;
const upload = (kind: 'image' | 'video', url: string, extra: Fields = {}): Promise<Answer> =>
  post(`file/${kind}/ad/upload/`, { upload_type: 'UPLOAD_BY_URL', [`${kind}_url`]: url, ...extra });
const sample = (name: string): string => `${sandbox.url}/media/${name}`;
const ad = (extra: Fields = {}): Fields => ({
  ad_name: 'A',
  ...brand,
  ad_format: 'SINGLE_VIDEO',
  video_id: video['video_id'],
  image_ids: [cover],
  ad_text: 'Made for summer',
  call_to_action: 'LEARN_MORE',
  landing_page_url: 'https://shop.example/',
  ...extra,
});
const createAd = (extra: Fields = {}, group = adgroupId): Promise<Answer> =>
  post('ad/create/', { adgroup_id: group, creatives: [ad(extra)] });
const posted = (extra: Fields = {}): Fields => {
  const [identity] = person.identities;
  return {
    identity_type: identity?.identityType,
    identity_id: identity?.identityId,
    tiktok_item_id: identity?.itemIds[0],
    video_id: undefined,
    image_ids: undefined,
    ad_text: undefined,
    ...extra,
  };
};

beforeAll(async () => {
  sandbox = await startSandbox();
  person = await connect(sandbox.url);
  advertiser = person.adAccounts[0]?.id ?? '';
  await control(sandbox.url, 'settings', { transcodingTries: 0 });
  const identity = await post('identity/create/', { display_name: 'Brand' });
  brand = { identity_type: 'CUSTOMIZED_USER', identity_id: identity.data.identity_id };
  [video] = (await upload('video', sample('video.mp4'))).data;
  cover = (await upload('image', String(video['video_cover_url']))).data.image_id;
  campaignId = await newCampaign();
  adgroupId = await newGroup(campaignId);
});
afterAll(() => sandbox.stop());

const shared = { budget_optimize_on: true, budget_mode: 'BUDGET_MODE_DYNAMIC_DAILY_BUDGET', budget: 80 };

describe('campaigns', () => {
  it.each<[string, Fields, string]>([
    ['no name', { campaign_name: '' }, 'campaign_name'],
    ['a name of wide signs beyond 512', { campaign_name: '広'.repeat(257) }, 'campaign_name'],
    ['an emoji in the name', { campaign_name: 'Sale 🎉' }, 'campaign_name'],
    ['an old objective', { objective_type: 'CONVERSIONS' }, 'objective_type'],
    ['no budget mode', { budget_mode: undefined }, 'budget_mode'],
    ['a total without a budget', { budget_mode: 'BUDGET_MODE_TOTAL' }, 'budget'],
    ['a budget as text', { budget_mode: 'BUDGET_MODE_DAY', budget: '100' }, 'budget'],
    ['a budget beside none', { budget: 100 }, 'budget'],
    ['a shared budget without one', { budget_optimize_on: true }, 'budget_mode'],
    ['a shared budget below 50', { ...shared, budget: 49 }, 'budget'],
    ...['REACH', 'VIDEO_VIEWS', 'ENGAGEMENT'].map((objective_type): [string, Fields, string] => [
      `a shared daily budget with the objective ${objective_type}`,
      { ...shared, objective_type },
      'budget_mode',
    ]),
    ['a state that only reads have', { operation_status: 'DELETE' }, 'operation_status'],
    ['apps without their kind', { objective_type: 'APP_PROMOTION' }, 'app_promotion_type'],
    ['a kind that reads as none', { app_promotion_type: 'UNSET' }, 'app_promotion_type'],
  ])('refuse %s', async (_what, extra, word) => {
    expect(await post('campaign/create/', campaign(extra))).toMatchObject(refused(40002, word));
  });

  it('share a daily budget with every objective if the app is allow-listed', async () => {
    await control(sandbox.url, 'settings', { dynamicDaily: true });
    const answer = await post('campaign/create/', campaign({ ...shared, objective_type: 'REACH' }));
    await control(sandbox.url, 'settings', { dynamicDaily: false });
    expect(answer).toMatchObject({ code: 0 });
  });

  it('exist at both budget levels after found-campaigns, with two ad groups each', async () => {
    const { campaigns } = await control(sandbox.url, 'found-campaigns', { adAccountId: advertiser });
    expect(campaigns.map(({ level }: Fields) => level)).toEqual(['campaign', 'ad_set']);
    for (const { level, campaignId: id, adSetIds } of campaigns) {
      const isShared = level === 'campaign';
      const filtering = { campaign_ids: [id] };
      const [found] = (await get('campaign/get/', { filtering })).data.list;
      expect(found).toMatchObject({ budget_optimize_on: isShared, budget: isShared ? 80 : 0 });
      const groups = (await get('adgroup/get/', { filtering })).data.list;
      expect(groups.map(({ adgroup_id: own }: Fields) => own).toSorted()).toEqual(adSetIds.toSorted());
      expect(groups).toMatchObject([{ budget: isShared ? 0 : 50 }, { budget: isShared ? 0 : 50 }]);
    }
  });

  it('are on by default, and pass over what they do not know', async () => {
    const { data } = await post('campaign/create/', campaign({ operation_status: undefined, colour: 'red' }));
    expect(data).toMatchObject({ operation_status: 'ENABLE' });
    expect(data).not.toHaveProperty('colour');
  });

  it('change their name and budget, but not their objective', async () => {
    const id = await newCampaign({ budget_mode: 'BUDGET_MODE_DAY', budget: 100 });
    const changed = await post('campaign/update/', { campaign_id: id, campaign_name: 'New', budget: 120 });
    expect(changed.data).toMatchObject({ campaign_name: 'New', budget: 120, budget_mode: 'BUDGET_MODE_DAY' });
    const other = { campaign_id: id, objective_type: 'REACH' };
    expect(await post('campaign/update/', other)).toMatchObject(refused(40002, 'objective_type'));
    expect(await post('campaign/update/', { campaign_id: '1' })).toMatchObject(refused(40007));
  });
});

describe('ad groups', () => {
  const total = { budget_mode: 'BUDGET_MODE_TOTAL', schedule_type: 'SCHEDULE_START_END' };
  const custom = { bid_type: 'BID_TYPE_CUSTOM' };
  it.each<[string, Fields, string]>([
    ['no pacing', { pacing: undefined }, 'pacing'],
    ['too small a budget', { budget: 19.99 }, 'budget'],
    ['too fine a budget', { budget: 50.005 }, 'budget'],
    ['a total without an end', { budget_mode: 'BUDGET_MODE_TOTAL' }, 'schedule_type'],
    ['an end that is missing', total, 'schedule_end_time'],
    ['an end before the start', { ...total, schedule_end_time: inHours(-1) }, 'schedule_end_time'],
    ['an end after 2038', { ...total, schedule_end_time: '2038-01-02 00:00:00' }, 'schedule_end_time'],
    ['a start long ago', { schedule_start_time: inHours(-13) }, 'schedule_start_time'],
    ['a time of another form', { schedule_start_time: '2027-11-28T07:00:00Z' }, 'schedule_start_time'],
    ['a country code', { location_ids: ['US'] }, 'location_ids'],
    ['a place inside another', { location_ids: ['6252001', '5368361'] }, 'location_ids'],
    ['no place', { location_ids: undefined }, 'location_ids'],
    ['an age of its own', { age_groups: ['AGE_18_65'] }, 'age_groups'],
    ['an interest that is not there', { interest_category_ids: ['1'] }, 'interest_category_ids'],
    ['two operating systems', { operating_systems: ['IOS', 'ANDROID'] }, 'operating_systems'],
    ['a placement that is missing', { placements: undefined }, 'placements'],
    ['no promotion type', { promotion_type: undefined }, 'promotion_type'],
    ['a goal of another objective', { optimization_goal: 'REACH', billing_event: 'CPM' }, 'optimization_goal'],
    ['another billing', { billing_event: 'OCPM' }, 'billing_event'],
    ['a custom bid without one', custom, 'bid_price'],
    ['a bid as large as the budget', { ...custom, bid_price: 50 }, 'bid_price'],
    ['a return without a figure', { deep_bid_type: 'VO_MIN_ROAS' }, 'roas_bid'],
    ['what reads as unset', { ios14_targeting: 'UNSET' }, 'ios14_targeting'],
    ['a frequency', { frequency: 2, frequency_schedule: 7 }, 'frequency'],
  ])('refuse %s', async (_what, extra, word) => {
    expect(await post('adgroup/create/', adgroup(campaignId, extra))).toMatchObject(refused(40002, word));
  });

  it.each<[string, Fields, string]>([
    ['VIDEO_VIEWS', { optimization_goal: 'VIDEO_VIEW', billing_event: 'CPV' }, 'optimization_goal'],
    ['VIDEO_VIEWS', { optimization_goal: 'ENGAGED_VIEW', billing_event: 'CPV' }, 'bid_display_mode'],
    ['WEB_CONVERSIONS', { optimization_goal: 'CONVERT', billing_event: 'OCPM' }, 'pixel_id'],
    ['WEB_CONVERSIONS', { optimization_goal: 'CONVERT', billing_event: 'OCPM', pixel_id: '7' }, 'optimization_event'],
    ['LEAD_GENERATION', { optimization_goal: 'LEAD_GENERATION', billing_event: 'OCPM' }, 'promotion_type'],
  ])('of %s refuse %j', async (objective, extra, word) => {
    const id = await newCampaign({ objective_type: objective });
    expect(await post('adgroup/create/', adgroup(id, extra))).toMatchObject(refused(40002, word));
  });

  describe('of apps', () => {
    const objective = { objective_type: 'APP_PROMOTION', app_promotion_type: 'APP_INSTALL' };
    const appId = '7000000000000000001';
    const goal = { optimization_goal: 'INSTALL', billing_event: 'OCPM', promotion_type: 'APP_ANDROID' };
    const android = { ...goal, operating_systems: ['ANDROID'], app_id: appId };

    it.each<[string, Fields]>([
      ['promotion_type', { ...android, promotion_type: 'WEBSITE' }],
      ['operating_systems', { ...android, operating_systems: undefined }],
      ['operating_systems', { ...android, operating_systems: ['IOS'] }],
      ['app_id', { ...android, app_id: undefined }],
      ['ios14_targeting', { ...android, ios14_targeting: 'IOS14_PLUS', min_ios_version: '14.5' }],
      ['optimization_event', { ...android, optimization_goal: 'VALUE' }],
      ['optimization_event', { ...android, optimization_goal: 'VALUE', optimization_event: 'SHOPPING' }],
      ['roas_bid', { ...android, optimization_goal: 'VALUE', optimization_event: 'AD_REVENUE_VALUE', roas_bid: 11 }],
    ])('are refused for %s: %j', async (word, extra) => {
      const id = await newCampaign(objective);
      expect(await post('adgroup/create/', adgroup(id, android))).toMatchObject({ code: 0 });
      expect(await post('adgroup/create/', adgroup(id, extra))).toMatchObject(refused(40002, word));
    });

    it('reach iOS from 14.5 on in a dedicated campaign only', async () => {
      const dedicated = { ...objective, campaign_type: 'IOS14_CAMPAIGN' };
      expect(await post('campaign/create/', campaign(dedicated))).toMatchObject(refused(40002, 'app_id'));
      const plain = { campaign_type: 'IOS14_CAMPAIGN', app_id: appId };
      expect(await post('campaign/create/', campaign(plain))).toMatchObject(refused(40002, 'campaign_type'));
      const id = await newCampaign({ ...dedicated, app_id: appId });
      const ios = { ...goal, promotion_type: 'APP_IOS', operating_systems: ['IOS'] };
      const plus = { ...ios, ios14_targeting: 'IOS14_PLUS', min_ios_version: '14.5' };
      const make = (extra: Fields): Promise<Answer> => post('adgroup/create/', adgroup(id, extra));
      expect(await make(ios)).toMatchObject(refused(40002, 'ios14_targeting'));
      expect(await make({ ...plus, ios14_targeting: 'IOS14_MINUS' })).toMatchObject(refused(40002, 'ios14_targeting'));
      expect(await make({ ...plus, min_ios_version: undefined })).toMatchObject(refused(40002, 'min_ios_version'));
      expect(await make({ ...plus, min_ios_version: '13.0' })).toMatchObject(refused(40002, 'min_ios_version'));
      expect(await make({ ...plus, app_id: '1' })).toMatchObject(refused(40002, 'app_id'));
      expect(await make(android)).toMatchObject(refused(40002, 'promotion_type'));
      expect(await make(plus)).toMatchObject({ code: 0 });
    });
  });

  describe('of leads', () => {
    const website = { promotion_type: 'LEAD_GENERATION', promotion_target_type: 'EXTERNAL_WEBSITE' };
    const pixel = { pixel_id: '7000000000000000002', optimization_event: 'FORM' };
    const convert = { ...website, optimization_goal: 'CONVERT', billing_event: 'OCPM' };

    it.each<[string, Fields]>([
      ['optimization_goal', { ...website, ...pixel, optimization_goal: 'LEAD_GENERATION', billing_event: 'OCPM' }],
      ['pixel_id', convert],
      ['optimization_event', { ...convert, pixel_id: pixel.pixel_id }],
      ['optimization_event', { ...convert, ...pixel, optimization_event: 'CONTACT' }],
      ['optimization_event', { ...convert, ...pixel, optimization_event: 'LANDING_PAGE_VIEW' }],
    ])('on a website are refused for %s: %j', async (word, extra) => {
      const id = await newCampaign({ objective_type: 'LEAD_GENERATION' });
      expect(await post('adgroup/create/', adgroup(id, extra))).toMatchObject(refused(40002, word));
    });

    it('on a website are optimised for events of a pixel, or for clicks', async () => {
      const id = await newCampaign({ objective_type: 'LEAD_GENERATION' });
      for (const extra of [
        { ...convert, ...pixel, optimization_event: 'ON_WEB_ADD_TO_WISHLIST' },
        { ...website, optimization_goal: 'CLICK', billing_event: 'CPC' },
      ])
        expect(await post('adgroup/create/', adgroup(id, extra))).toMatchObject({ code: 0 });
    });
  });

  it('appear in search results unless that is disabled at creation', async () => {
    const id = await newCampaign();
    const shown = (await post('adgroup/create/', adgroup(id))).data;
    const hidden = (await post('adgroup/create/', adgroup(id, { search_result_enabled: false }))).data;
    expect([shown.search_result_enabled, hidden.search_result_enabled]).toEqual([true, false]);
    const change = { adgroup_id: shown.adgroup_id, search_result_enabled: false };
    expect(await post('adgroup/update/', change)).toMatchObject(refused(40002, 'search_result_enabled'));
    const reach = await newCampaign({ objective_type: 'REACH' });
    const extra = { optimization_goal: 'REACH', billing_event: 'CPM', search_result_enabled: true };
    expect((await post('adgroup/create/', adgroup(reach, extra))).data.search_result_enabled).toBe(false);
  });

  it('need a placement unless it is automatic', async () => {
    const id = await newCampaign();
    const without = { placement_type: undefined, placements: undefined };
    expect(await post('adgroup/create/', adgroup(id, without))).toMatchObject(refused(40002, 'placements'));
    const automatic = { ...without, placement_type: 'PLACEMENT_TYPE_AUTOMATIC' };
    expect(await post('adgroup/create/', adgroup(id, automatic))).toMatchObject({ code: 0 });
  });

  it('take a dynamic daily budget', async () => {
    const id = await newCampaign();
    const extra = { budget_mode: 'BUDGET_MODE_DYNAMIC_DAILY_BUDGET' };
    expect(await post('adgroup/create/', adgroup(id, extra))).toMatchObject({ code: 0 });
  });

  it('exclude audiences, but none that is targeted too', async () => {
    const id = await newCampaign();
    const both = { audience_ids: ['7', '8'], excluded_audience_ids: ['8'] };
    expect(await post('adgroup/create/', adgroup(id, both))).toMatchObject(refused(40002, 'excluded_audience_ids'));
    const apart = { audience_ids: ['7'], excluded_audience_ids: ['8'] };
    expect(await post('adgroup/create/', adgroup(id, apart))).toMatchObject({ code: 0 });
  });

  it('reach minors only where that is not restricted', async () => {
    const id = await newCampaign();
    const ages = { age_groups: ['AGE_13_17', 'AGE_18_24'] };
    expect(await post('adgroup/create/', adgroup(id, ages))).toMatchObject(refused(40065, 'age targeting'));
    const elsewhere = { ...ages, location_ids: ['1861060'] };
    expect(await post('adgroup/create/', adgroup(id, elsewhere))).toMatchObject({ code: 0 });
  });

  it('under a shared budget are paced smoothly and have none of their own', async () => {
    const id = await newCampaign(shared);
    const { data } = await post('adgroup/create/', adgroup(id, { pacing: 'PACING_MODE_FAST', budget: undefined }));
    expect(data).toMatchObject({ pacing: 'PACING_MODE_SMOOTH', budget_mode: 'BUDGET_MODE_INFINITE' });
  });

  it('under a shared budget accept a budget and ignore it', async () => {
    const id = await newCampaign(shared);
    const group = await newGroup(id);
    expect(await post('adgroup/update/', { adgroup_id: group, budget: 30 })).toMatchObject({ code: 0 });
    const [found] = (await get('adgroup/get/', { filtering: { adgroup_ids: [group] } })).data.list;
    expect(found).toMatchObject({ budget_mode: 'BUDGET_MODE_INFINITE', budget: 0 });
  });

  it('under a shared budget bid alike', async () => {
    const id = await newCampaign(shared);
    await newGroup(id);
    const other = { bid_type: 'BID_TYPE_CUSTOM', bid_price: 1 };
    expect(await post('adgroup/create/', adgroup(id, other))).toMatchObject(refused(40002, 'bid_type'));
    expect(await post('adgroup/create/', adgroup(id, { bid_type: undefined }))).toMatchObject(
      refused(40002, 'bid_type'),
    );
  });

  it('under a shared total have an end', async () => {
    const id = await newCampaign({ ...shared, budget_mode: 'BUDGET_MODE_TOTAL', budget: 500 });
    expect(await post('adgroup/create/', adgroup(id))).toMatchObject(refused(40002, 'schedule_type'));
    const ending = { schedule_type: 'SCHEDULE_START_END', schedule_end_time: inHours(48) };
    expect(await post('adgroup/create/', adgroup(id, ending))).toMatchObject({ code: 0 });
  });

  it('belong to a campaign of the advertiser', async () => {
    for (const id of ['1', String(7e18)])
      expect(await post('adgroup/create/', adgroup(id))).toMatchObject(refused(40007));
    expect(await post('adgroup/create/', adgroup('x'))).toMatchObject(refused(40002, 'campaign_id'));
  });

  it('take money in whole units of the currency', async () => {
    const yen = { advertiser_id: person.adAccounts[1]?.id };
    const { data } = await post('campaign/create/', { ...campaign(), ...yen });
    const group = { ...adgroup(data.campaign_id), ...yen };
    expect(await post('adgroup/create/', { ...group, budget: 5000 })).toMatchObject({ code: 0 });
    expect(await post('adgroup/create/', { ...group, budget: 5000.5 })).toMatchObject(refused(40002, 'budget'));
  });

  it('change their budget and end, and keep what is fixed', async () => {
    const end = inHours(48);
    const id = await newGroup(campaignId, { schedule_type: 'SCHEDULE_START_END', schedule_end_time: inHours(24) });
    const changed = await post('adgroup/update/', { adgroup_id: id, budget: 80, schedule_end_time: end });
    expect(changed.data).toMatchObject({ budget: 80, schedule_end_time: end, adgroup_name: 'G' });
    for (const [name, value] of [
      ['promotion_type', 'APP_IOS'],
      ['click_attribution_window', 'SEVEN_DAYS'],
    ] as const)
      expect(await post('adgroup/update/', { adgroup_id: id, [name]: value })).toMatchObject(refused(40002, name));
    const past = { adgroup_id: id, schedule_end_time: inHours(-1) };
    expect(await post('adgroup/update/', past)).toMatchObject(refused(40002, 'schedule_end_time'));
  });
});

describe('ads', () => {
  it('answer their ids and read as they were made', async () => {
    const { data } = await createAd();
    expect(data).toMatchObject({ ad_ids: [expect.any(String)], creatives: [{ ad_id: data.ad_ids[0] }] });
    const { data: read } = await get('ad/get/', { filtering: { ad_ids: data.ad_ids } });
    expect(read.list).toMatchObject([
      { ...ad(), campaign_id: campaignId, adgroup_id: adgroupId, campaign_name: 'C', adgroup_name: 'G' },
    ]);
  });

  it('without a name are named by their id', async () => {
    const { data } = await createAd({ ad_name: '' });
    expect(data.creatives[0].ad_name).toBe(data.ad_ids[0]);
  });

  it.each<[string, Fields, number, string]>([
    ['no cover', { image_ids: undefined }, 40002, 'image_ids'],
    ['a video that is not there', { video_id: 'v10033g50000' }, 40053, 'video_id'],
    ['a cover that is not there', { image_ids: ['ad-site/1'] }, 40002, 'image_ids'],
    ['no words', { ad_text: '' }, 40002, 'ad_text'],
    ['too many words', { ad_text: 'x'.repeat(101) }, 40002, 'ad_text'],
    ['emoji', { ad_text: 'Sale 🎉' }, 40002, 'ad_text'],
    ['no button', { call_to_action: undefined }, 40002, 'call_to_action'],
    ['a button of another platform', { call_to_action: 'DOWNLOAD' }, 40002, 'call_to_action'],
    ['no address', { landing_page_url: undefined }, 40002, 'landing_page_url'],
    ['an identity of another kind', { identity_type: 'TT_USER' }, 40002, 'identity_id'],
    ['a picture on its own', { ad_format: 'SINGLE_IMAGE' }, 40002, 'ad_format'],
  ])('refuse %s', async (_what, extra, code, word) => {
    expect(await createAd(extra)).toMatchObject(refused(code, word));
  });

  it('refuse a cover of another shape than the video', async () => {
    const square = (await upload('image', sample('square.png'))).data.image_id;
    expect(await createAd({ image_ids: [square] })).toMatchObject(refused(40002, 'aspect ratio'));
  });

  it('promote a post of the person’s own identity, without a creative beside it', async () => {
    expect(await createAd(posted())).toMatchObject({ code: 0 });
    for (const [extra, word] of [
      [posted({ video_id: video['video_id'] }), 'tiktok_item_id'],
      [posted({ image_ids: [cover] }), 'tiktok_item_id'],
      [posted({ tiktok_item_id: '7000000000000000001' }), 'tiktok_item_id'],
      [posted(brand), 'CUSTOMIZED_USER'],
    ] as const)
      expect(await createAd(extra)).toMatchObject(refused(40002, word));
  });

  it('are made all or none, at most 20 at once', async () => {
    const group = await newGroup(campaignId);
    const create = (creatives: Fields[]): Promise<Answer> => post('ad/create/', { adgroup_id: group, creatives });
    expect(await create([ad(), ad({ ad_text: '' })])).toMatchObject({ code: 40002 });
    expect(await create(Array.from({ length: 21 }, () => ad()))).toMatchObject(refused(40002, 'creatives'));
    const { data } = await create(Array.from({ length: 20 }, () => ad()));
    expect(data.ad_ids).toHaveLength(20);
    const read = await get('ad/get/', { filtering: { adgroup_ids: [group] } });
    expect(read.data.page_info.total_number).toBe(20);
  });

  it('change in part with patch_update, as a whole without', async () => {
    const { data } = await createAd();
    const change = { ad_id: data.ad_ids[0], ad_name: 'New' };
    const body = { adgroup_id: adgroupId, creatives: [change] };
    expect(await post('ad/update/', body)).toMatchObject({ code: 40002 });
    const patched = await post('ad/update/', { ...body, patch_update: true });
    expect(patched.data.creatives).toMatchObject([{ ad_name: 'New', ad_text: 'Made for summer' }]);
  });

  it('are switched together, or not at all where one is not there', async () => {
    const { data } = await createAd();
    const off = { operation_status: 'DISABLE' };
    expect(await post('ad/status/update/', { ad_ids: [...data.ad_ids, '1'], ...off })).toMatchObject(refused(40007));
    expect((await post('ad/status/update/', { ad_ids: data.ad_ids, ...off })).data).toEqual({
      ad_ids: data.ad_ids,
      status: 'DISABLE',
    });
    const many = Array.from({ length: 101 }, (_, no) => String(no));
    expect(await post('ad/status/update/', { ad_ids: many, ...off })).toMatchObject(refused(40011));
  });
});

describe('files and identities', () => {
  it('answer a list for a video and an object for an image', async () => {
    const answer = await upload('video', sample('video.mp4'));
    expect(answer.data).toEqual([
      expect.objectContaining({ video_id: expect.stringMatching(/^v10/), width: 640, height: 360 }),
    ]);
    const image = await upload('image', sample('square.png'));
    expect(image.data).toMatchObject({ image_id: expect.any(String), width: 1080, height: 1080 });
    expect((await fetch(answer.data[0].video_cover_url)).status).toBe(200);
  });

  it('refuse what cannot be fetched and a name that is taken', async () => {
    expect(await upload('video', 'ftp://a.example/v.mp4')).toMatchObject(refused(40902));
    expect(await upload('image', 'https://a.example/unreachable.png')).toMatchObject(refused(40903));
    const named = { file_name: 'summer.mp4' };
    const [first] = (await upload('video', sample('video.mp4'), named)).data;
    expect(await upload('video', sample('video.mp4'), named)).toMatchObject(refused(40911));
    const [other] = (await upload('video', sample('video.mp4'), { file_name: 'summer-2.mp4' })).data;
    expect(other.video_id).not.toBe(first.video_id);
  });

  it('take the bytes of an image with their signature', async () => {
    const bytes = Buffer.from(await (await fetch(sample('landscape.png'))).arrayBuffer());
    const send = async (signature: string): Promise<any> => {
      const form = new FormData();
      const fields = { advertiser_id: advertiser, upload_type: 'UPLOAD_BY_FILE', image_signature: signature };
      for (const [name, value] of Object.entries(fields)) form.set(name, value);
      form.set('image_file', new Blob([bytes], { type: 'image/png' }), 'landscape.png');
      const url = `${sandbox.url}/network-c/open_api/v1.3/file/image/ad/upload/`;
      const headers = { 'Access-Token': person.accessToken };
      return (await fetch(url, { method: 'POST', body: form, headers })).json();
    };
    const signature = createHash('md5').update(bytes).digest('hex');
    expect(await send(signature)).toMatchObject({ code: 0, data: { width: 1200, height: 628 } });
    expect(await send('0'.repeat(32))).toMatchObject({ code: 40002 });
  });

  it('keep a video in transcoding for some tries', async () => {
    await control(sandbox.url, 'settings', { transcodingTries: 2 });
    const [fresh] = (await upload('video', sample('video.mp4'))).data;
    await control(sandbox.url, 'settings', { transcodingTries: 0 });
    const image = (await upload('image', fresh.video_cover_url)).data.image_id;
    const own = { video_id: fresh.video_id, image_ids: [image] };
    expect(await createAd(own)).toMatchObject(refused(40901));
    const info = await get('file/video/ad/info/', { video_ids: [fresh.video_id] });
    expect(info.data.list).toMatchObject([{ video_id: fresh.video_id, displayable: false }]);
    expect(await createAd(own)).toMatchObject({ code: 0 });
  });

  it('make identities of a name and a square picture', async () => {
    const square = (await upload('image', sample('square.png'))).data.image_id;
    const wide = (await upload('image', sample('wide.png'))).data.image_id;
    const create = (fields: Fields): Promise<Answer> => post('identity/create/', fields);
    expect(await create({ display_name: 'Brand', image_uri: square })).toMatchObject({ code: 0 });
    expect(await create({ display_name: 'Brand', image_uri: wide })).toMatchObject(refused(40002, '1:1'));
    expect(await create({ display_name: 'Brand', image_uri: 'none' })).toMatchObject(refused(40002, 'image_uri'));
    expect(await create({ display_name: 'x'.repeat(101) })).toMatchObject(refused(40002, 'display_name'));
    const { data } = await get('identity/get/', { identity_type: 'CUSTOMIZED_USER', page_size: '1' });
    expect(data.identity_list).toMatchObject([{ display_name: 'Brand', identity_type: 'CUSTOMIZED_USER' }]);
    expect(data.page_info.total_number).toBe(2);
  });

  it('list the posts of the person’s identity', async () => {
    const [own] = person.identities;
    const asked = { identity_type: 'TT_USER', identity_id: own?.identityId };
    const first = await get('identity/video/get/', { ...asked, count: '1' });
    expect(first.data).toMatchObject({ video_list: [{ item_id: own?.itemIds[0] }], has_more: true });
    const rest = await get('identity/video/get/', { ...asked, cursor: String(first.data.cursor) });
    expect(rest.data).toMatchObject({ video_list: [{ item_id: own?.itemIds[1] }], has_more: false });
    expect(await get('identity/video/get/', brand)).toMatchObject(refused(40002));
  });
});

it('reads what it seeds back into a create', async () => {
  const order = { name: 'Seed', adgroups: [{ name: 'G', ads: [1, 2, 3, 4].map((no) => ({ name: `A${no}` })) }] };
  const made = await control(sandbox.url, 'campaigns', { advertiserId: advertiser, campaigns: [order] });
  const filtering = { campaign_ids: [made.campaigns[0].campaignId] };
  const asked = { filtering, exclude_field_types_in_response: ['NULL_FIELD'] };
  const [group] = (await get('adgroup/get/', asked)).data.list;
  const { list } = (await get('ad/get/', asked)).data;
  expect(list.filter((each: Fields) => each['tiktok_item_id'])).toHaveLength(1);
  const names = Object.keys(ad(posted()));
  const creatives = list.map((each: Fields) => {
    const isPost = each['tiktok_item_id'] !== undefined;
    const kept = names.filter((name) => !isPost || !/^(video_id|image_ids|ad_text)$/.test(name));
    return Object.fromEntries(kept.map((name) => [name, each[name]]));
  });
  const own = Object.keys(adgroup(''));
  const copy = { ...Object.fromEntries(own.map((name) => [name, group[name]])), schedule_start_time: inHours(0) };
  const { data } = await post('adgroup/create/', { ...copy, campaign_id: campaignId });
  expect((await post('ad/create/', { adgroup_id: data.adgroup_id, creatives })).data.ad_ids).toHaveLength(4);
});
