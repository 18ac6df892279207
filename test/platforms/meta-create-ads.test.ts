import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { CreateAdInput } from '../../src/contract/ad-input.ts';
import { createMeta } from '../../src/platforms/meta/index.ts';
import type { AdsAdapter, CreatedAds, Journal } from '../../src/platforms/platform.ts';
import {
  access,
  dollars,
  goodPlatform,
  inputs,
  memoryJournal,
  orderOf,
  refusalOf,
  token,
  video,
  placedAt,
} from './fixtures.ts';
import { startUpstream, type FakeUpstream, type Recorded, type Reply } from './upstream.ts';

let upstream: FakeUpstream;
let meta: AdsAdapter;
beforeEach(async () => {
  upstream = await startUpstream();
  upstream.respond = goodPlatform();
  meta = createMeta({ baseUrl: upstream.url, version: 'v26.0' });
});
afterEach(async () => {
  vi.restoreAllMocks();
  await upstream.stop();
});

const create = (input: CreateAdInput, journal: Journal = memoryJournal()): Promise<CreatedAds> =>
  meta.createAds(access, orderOf(input), journal);
const special = (replies: Record<string, (request: Recorded) => Reply>): void =>
  void (upstream.respond = goodPlatform(replies));
const writes = (): string[] =>
  upstream.requests.filter(({ method }) => method === 'POST').map(({ path }) => path.replace('/v26.0/', ''));
const refused = (code: number, extra: object = {}): Reply => ({
  status: 400,
  json: { error: { message: 'Invalid parameter', code, ...extra } },
});
const anAdSet = (extra: object = {}): Reply => ({
  json: {
    id: '1202',
    name: 'Old set',
    account_id: '77',
    campaign_id: '1201',
    status: 'ACTIVE',
    effective_status: 'ACTIVE',
    is_dynamic_creative: false,
    optimization_goal: 'POST_ENGAGEMENT',
    campaign: { id: '1201', name: 'Old campaign', objective: 'OUTCOME_ENGAGEMENT' },
    ...extra,
  },
});

describe('a created order', () => {
  it('answers ids, names and what the platform says of each ad', async () => {
    expect(await create(inputs.multiCreative())).toEqual({
      platformCampaignId: '1201',
      platformAdSetId: '1202',
      campaignName: 'Winter ab12cd34',
      adSetName: 'Winter ab12cd34',
      ads: [
        { platformAdId: '12040', status: 'pending_review', rejectionReason: undefined },
        { platformAdId: '12041', status: 'pending_review', rejectionReason: undefined },
      ],
    });
  });

  it('names its steps, and shows requests as objects without the token', async () => {
    const journal = memoryJournal();
    await create(inputs.legacy(), journal);
    expect(Object.keys(journal.requests)).toEqual(['campaign', 'adSet', 'creative.0', 'ad.0', 'activate']);
    expect(journal.requests['adSet']).toMatchObject({
      method: 'POST',
      url: `${upstream.url}/v26.0/act_77/adsets`,
      body: { targeting: { geo_locations: { countries: ['US'] } } },
    });
    expect(JSON.stringify(journal.requests)).not.toContain(token);
    expect(journal.ids).toEqual({
      campaign: '1201',
      adSet: '1202',
      'creative.0': '1203',
      'ad.0': '12040',
      activate: '1201',
    });
  });

  it('stops at the entry that is refused, and keeps what exists', async () => {
    const journal = memoryJournal();
    let creatives = 0;
    special({
      'POST act_77/adcreatives': () =>
        creatives++ === 0 ? { json: { id: '1203' } } : refused(100, { error_subcode: 3858258 }),
    });
    const error = await refusalOf(create(inputs.multiCreative(), journal));
    expect(error).toMatchObject({
      fault: 'rejected',
      upstream: { subcode: 3858258, fields: { imageUrl: [expect.any(String)] } },
    });
    expect(Object.keys(journal.ids)).toEqual(['campaign', 'adSet', 'creative.0', 'ad.0']);
    expect(writes()).not.toContain('1201');
  });

  it('goes on from where it stopped and repeats nothing', async () => {
    const journal = memoryJournal();
    Object.assign(journal.ids, { campaign: '1201', adSet: '1202', 'creative.0': '1203' });
    await create(inputs.legacy(), journal);
    expect(writes()).toEqual(['act_77/ads', '1201']);
  });
});

describe('an unanswered write', () => {
  it.each<Reply>(['reset', 'half', { status: 502, text: '<html>' }, { text: '{"id":' }, refused(2)])(
    'is sent once, has an unknown outcome and ends the order (%j)',
    async (reply) => {
      special({ 'POST act_77/adsets': () => reply });
      expect(await refusalOf(create(inputs.legacy()))).toMatchObject({ fault: 'unknown_outcome' });
      expect(writes()).toEqual(['act_77/campaigns', 'act_77/adsets']);
    },
  );

  it('to switch the campaign on is simply sent again', async () => {
    const journal = memoryJournal();
    special({ 'POST 1201': () => 'reset' });
    expect(await refusalOf(create(inputs.legacy(), journal))).toMatchObject({ fault: 'unknown_outcome' });
    special({});
    journal.open.add('activate');
    expect((await create(inputs.legacy(), journal)).platformCampaignId).toBe('1201');
    expect(writes().filter((path) => path === '1201')).toHaveLength(2);
  });
});

describe('a change of what is there', () => {
  const ad = { adAccount: dollars, campaignId: '1201', adSetId: '1202', adId: '1204' };
  const budget = { amount: 20, type: 'daily' as const };

  it('is asked for again when its answer was lost: the budget is then known', async () => {
    upstream.next('reset', { json: { success: true } });
    await meta.updateAdSet(access, ad, { budget });
    expect(writes()).toEqual(['1202', '1202']);
  });

  it('is of unknown outcome when its repetition is refused', async () => {
    upstream.next('reset', refused(100));
    expect(await refusalOf(meta.setAdStatus(access, ad, 'PAUSED'))).toMatchObject({ fault: 'unknown_outcome' });
  });

  it('is not taken for done when the platform answers that it is not', async () => {
    upstream.respond = () => ({ json: { success: false } });
    expect(await refusalOf(meta.updateAdSet(access, ad, { budget }))).toMatchObject({ fault: 'unknown_outcome' });
    expect(await refusalOf(meta.setCampaignStatus(access, ad, 'PAUSED'))).toMatchObject({ fault: 'unknown_outcome' });
  });
});

describe('a dry run', () => {
  it('shows every request with placeholders and sends none', async () => {
    const journal = memoryJournal(true);
    const made = await create(inputs.legacy({ imageUrl: undefined, video }), journal);
    expect(upstream.requests).toEqual([]);
    expect(Object.keys(journal.requests)).toEqual(['campaign', 'adSet', 'video.0', 'creative.0', 'ad.0', 'activate']);
    expect(journal.requests['ad.0']?.body).toMatchObject({
      adset_id: '{adSet.id}',
      creative: { creative_id: '{creative.0.id}' },
    });
    expect(journal.requests['activate']?.url).toBe(`${upstream.url}/v26.0/{campaign.id}`);
    expect(made.ads).toEqual([{ platformAdId: '{ad.0.id}', status: 'active' }]);
  });

  it('of an attached ad reads the ad set and nothing else', async () => {
    special({ 'GET 1202': () => anAdSet() });
    const journal = memoryJournal(true);
    await create(inputs.attach(), journal);
    expect(upstream.requests.map(({ method, path }) => `${method} ${path}`)).toEqual(['GET /v26.0/1202']);
    expect(Object.keys(journal.requests)).toEqual(['creative.0', 'ad.0']);
  });
});

describe('an attached ad', () => {
  it.each(['ACTIVE', 'PAUSED'] as const)('is one creative and one ad with its own status %s', async (status) => {
    special({ 'GET 1202': () => anAdSet() });
    expect(await create(inputs.attach({ status }))).toMatchObject({
      platformCampaignId: '1201',
      platformAdSetId: '1202',
      campaignName: 'Old campaign',
      adSetName: 'Old set',
      inherited: { adSet: { goal: 'engagement' } },
      ads: [{ platformAdId: '12040' }],
    });
    expect(writes()).toEqual(['act_77/adcreatives', 'act_77/ads']);
    expect(upstream.requests.find(({ path }) => path.endsWith('/ads'))?.form).toMatchObject({
      adset_id: '1202',
      status,
    });
  });

  it.each([
    ['OUTCOME_TRAFFIC', 'LINK_CLICKS', 'traffic'],
    ['OUTCOME_ENGAGEMENT', 'THRUPLAY', 'video_views'],
    ['OUTCOME_AWARENESS', 'REACH', 'awareness'],
    ['OUTCOME_LEADS', 'LEAD_GENERATION', 'lead_generation'],
    ['OUTCOME_SALES', 'VALUE', 'conversions'],
    ['OUTCOME_APP_PROMOTION', 'APP_INSTALLS', 'app_promotion'],
    ['LINK_CLICKS', 'LINK_CLICKS', undefined],
  ])('of %s with %s inherits the goal %s', async (objective, optimization_goal, goal) => {
    special({ 'GET 1202': () => anAdSet({ optimization_goal, campaign: { id: '1201', objective } }) });
    const { inherited } = await create(inputs.attach());
    expect([inherited?.adSet.id, inherited?.adSet.goal]).toEqual(['1202', goal]);
  });

  it.each<[string, () => Reply, RegExp]>([
    ['of another ad account', () => anAdSet({ account_id: '78' }), /another ad account/],
    ['that is deleted', () => anAdSet({ status: 'DELETED' }), /deleted/],
    ['that is archived', () => anAdSet({ effective_status: 'ARCHIVED' }), /archived/],
    ['that is over', () => anAdSet({ end_time: placedAt.toISOString() }), /ended at 2026-03-02T15/],
    ['that makes its own variants', () => anAdSet({ is_dynamic_creative: true }), /only one ad/],
    ['that is not there', () => refused(100, { error_subcode: 33 }), /no ad set 1202/],
  ])('is refused for an ad set %s, before anything is written', async (_name, reply, message) => {
    special({ 'GET 1202': reply });
    const error = await refusalOf(create(inputs.attach()));
    expect(error).toMatchObject({
      fault: 'rejected',
      upstream: { fields: { adSetId: [expect.stringMatching(message)] } },
    });
    expect(writes()).toEqual([]);
  });

  it.each(['../me/accounts', '1202/copies', '1202?fields=name', 'act_77'])(
    'is refused for an ad set id such as %s, and nothing is asked',
    async (adSetId) => {
      const error = await refusalOf(create(inputs.attach({ adSetId })));
      expect(error).toMatchObject({ fault: 'rejected', upstream: { fields: { adSetId: [expect.any(String)] } } });
      expect(upstream.requests).toEqual([]);
    },
  );

  it.each(['2999-01-01T00:00:00+0000', '1970-01-01T00:00:00+0000'])(
    'goes into an ad set that ends at %s',
    async (end_time) => {
      special({ 'GET 1202': () => anAdSet({ end_time }) });
      expect((await create(inputs.attach())).ads).toHaveLength(1);
    },
  );

  it('fails as what it is when the platform is away', async () => {
    special({ 'GET 1202': () => ({ status: 503, text: '' }) });
    expect(await refusalOf(create(inputs.attach()))).toMatchObject({ fault: 'unavailable' });
  });
});

describe('a video', () => {
  const withVideo = (): CreateAdInput => inputs.legacy({ imageUrl: undefined, video });
  const states = (...list: string[]): void => {
    special({ 'GET 55': () => ({ json: { status: { video_status: list.length > 1 ? list.shift() : list[0] } } }) });
  };

  it('is waited for until it is ready', async () => {
    states('processing', 'processing', 'ready');
    expect((await create(withVideo())).ads).toHaveLength(1);
    expect(upstream.requests.filter(({ path }) => path === '/v26.0/55')).toHaveLength(3);
  });

  // facebook-nodejs-business-sdk ebd272a, src/video-uploader.js: any state but processing and ready is a failure.
  it.each(['error', 'expired', 'upload_failed'])('in the state %s is the fault of the caller', async (state) => {
    states(state);
    const error = await refusalOf(create(withVideo()));
    expect(error).toMatchObject({ fault: 'rejected', upstream: { fields: { video: [expect.any(String)] } } });
    expect(writes()).not.toContain('act_77/adcreatives');
  });

  it('is not waited for without end, and is not uploaded again by the next call', async () => {
    states('processing');
    const journal = memoryJournal();
    const start = Date.now();
    let looks = 0;
    vi.spyOn(Date, 'now').mockImplementation(() => start + looks++ * 100_000);
    expect(await refusalOf(create(withVideo(), journal))).toMatchObject({ fault: 'unavailable' });
    vi.restoreAllMocks();
    states('ready');
    await create(withVideo(), journal);
    expect(writes().filter((path) => path.endsWith('advideos'))).toHaveLength(1);
  });
});

describe('the status of a new ad', () => {
  it('is read together with those of the other ads of its order', async () => {
    await create(inputs.multiCreative());
    const reads = upstream.requests.filter(({ method }) => method === 'GET');
    expect(reads.map(({ path }) => path)).toEqual(['/v26.0/1202/ads']);
  });

  const ofSecond = { platformAdId: '12041', status: 'rejected', rejectionReason: 'The platform disapproved the ad' };
  it.each<[string, Reply, object[]]>([
    [
      'in any order, among other ads',
      {
        json: {
          data: [
            { id: '12041', effective_status: 'DISAPPROVED' },
            { id: '999', effective_status: 'ARCHIVED' },
            { id: '12040', effective_status: 'PAUSED' },
          ],
        },
      },
      [{ platformAdId: '12040', status: 'paused' }, ofSecond],
    ],
    [
      'and counts as active if the list lacks it',
      { json: { data: [{ id: '12041', effective_status: 'DISAPPROVED' }] } },
      [{ platformAdId: '12040', status: 'active' }, ofSecond],
    ],
    [
      'and counts as active if the list is refused',
      refused(100),
      [
        { platformAdId: '12040', status: 'active' },
        { platformAdId: '12041', status: 'active' },
      ],
    ],
  ])('is found in the list of the ad set by its id, %s', async (_what, reply, seen) => {
    special({ 'GET 1202/ads': () => reply });
    expect((await create(inputs.multiCreative())).ads).toEqual(seen);
  });

  const feedback = { global: { GRAMMAR: 'Too many capitals.', level: 2, none: {} } };
  it.each<[string, unknown, object]>([
    ['ACTIVE', undefined, { status: 'active' }],
    ['PAUSED', undefined, { status: 'paused' }],
    ['CAMPAIGN_PAUSED', undefined, { status: 'paused' }],
    ['IN_PROCESS', undefined, { status: 'pending_review' }],
    ['DISAPPROVED', feedback, { status: 'rejected', rejectionReason: 'Too many capitals.' }],
    ['DISAPPROVED', undefined, { status: 'rejected', rejectionReason: 'The platform disapproved the ad' }],
    ['WITH_ISSUES', undefined, { status: 'rejected', rejectionReason: 'The platform reports issues with the ad' }],
    ['ARCHIVED', undefined, { status: 'cancelled' }],
    ['SOMETHING_NEW', undefined, { status: 'active' }],
  ])('follows %s with %j', async (effective_status, ad_review_feedback, seen) => {
    special({ 'GET 12040': () => ({ json: { id: '12040', effective_status, ad_review_feedback } }) });
    expect((await create(inputs.legacy())).ads).toEqual([
      { platformAdId: '12040', rejectionReason: undefined, ...seen },
    ]);
  });

  it.each<Reply>([refused(190), { status: 503, text: '' }, { json: {} }])(
    'counts as active if it cannot be read, because the ad exists (%j)',
    async (reply) => {
      special({ 'GET 12040': () => reply });
      expect((await create(inputs.legacy())).ads).toEqual([{ platformAdId: '12040', status: 'active' }]);
    },
  );
});

describe('orders of one ad account', () => {
  const order = async (id: string): Promise<void> => {
    await meta.createAds(access, orderOf(inputs.legacy(), { ...dollars, id }), memoryJournal());
  };

  it('wait for one another, and one that fails does not delay the others', async () => {
    let first = true;
    special({
      'POST act_77/adsets': () => {
        const reply = first ? refused(100) : { json: { id: '1202' } };
        first = false;
        return reply;
      },
    });
    const outcomes = await Promise.allSettled([order('77'), order('77')]);
    expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'fulfilled']);
    expect(writes().slice(0, 4)).toEqual(['act_77/campaigns', 'act_77/adsets', 'act_77/campaigns', 'act_77/adsets']);
  });

  it('do not wait for those of another', async () => {
    let release: () => void = () => {};
    const held = new Promise<void>((done) => (release = done));
    const journal: Journal = { dryRun: false, run: async () => held.then(() => '1') };
    const slow = meta.createAds(access, orderOf(inputs.legacy(), { ...dollars, id: '88' }), journal);
    await order('77');
    release();
    expect((await slow).platformCampaignId).toBe('1');
  });
});
