import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DuplicateCampaignInput } from '../../../src/contract/duplication.ts';
import { grouped } from '../../../src/lib/group-by.ts';
import { readable, writable } from '../../../src/dev/sandbox/network-c/fields.ts';
import { duplicateCampaign } from '../../../src/services/duplications/duplicate-campaign.ts';
import { control, makeCopyUser, startCopyFixture, workOn, type CopyUser, type CopyFixture } from './fixture.ts';

type Body = Record<string, unknown>;
type Level = keyof typeof writable;

let fixture: CopyFixture;
let user: CopyUser;
beforeAll(async () => {
  fixture = await startCopyFixture();
  user = await makeCopyUser(fixture, 'network-c');
});
afterAll(() => fixture.stop());

const paths: Record<Level, string> = { campaign: 'campaign/create', adgroup: 'adgroup/create', ad: 'ad/create' };
/** What every call names besides the object's own fields; the names of objects are the copy's own. */
const ofTheCall = ['advertiser_id', 'campaign_id', 'adgroup_id', 'request_id'];

/** Values of a kind that the platform takes, by the look of the name. */
function plain(name: string): unknown {
  if (/_ids$|_texts$/.test(name)) return ['101', '102'];
  if (/^(is_|.*_(on|enabled|disabled|campaign)$)/.test(name)) return true;
  if (/bid$|price$|bid_price|frequency|retention|_index|window$/.test(name)) return 1.5;
  if (name.endsWith('_url')) return 'https://track.example/x';
  if (/(^|_)id$/.test(name)) return '4711';
  return `SOME_${name.toUpperCase()}`;
}

interface Sample {
  /** The value, with what it needs beside it. */
  fields?: Body;
  campaign?: Body;
}

const shared = { budget_mode: 'BUDGET_MODE_TOTAL', budget: 500, budget_optimize_on: true };
const reach = { objective_type: 'REACH' };
const reaching = { optimization_goal: 'REACH', billing_event: 'CPM' };
const app = { objective_type: 'APP_PROMOTION', app_promotion_type: 'APP_INSTALL' };
const later = new Date(Date.now() + 200 * 86_400_000).toISOString().slice(0, 19).replace('T', ' ');

const campaigns: Record<string, Sample> = {
  objective_type: { fields: reach },
  app_promotion_type: { fields: app },
  budget_mode: { fields: { budget_mode: 'BUDGET_MODE_DAY', budget: 120 } },
  budget: { fields: { budget_mode: 'BUDGET_MODE_TOTAL', budget: 130.5 } },
  budget_optimize_on: { fields: shared },
  bid_type: { fields: { ...shared, bid_type: 'BID_TYPE_CUSTOM' } },
  deep_bid_type: { fields: { ...shared, deep_bid_type: 'VO_MIN_ROAS' } },
  roas_bid: { fields: { ...shared, roas_bid: 1.5 } },
  optimization_goal: { fields: { ...shared, optimization_goal: 'CLICK' } },
  campaign_type: { fields: { ...app, campaign_type: 'IOS14_CAMPAIGN', app_id: '4711' } },
  special_industries: { fields: { special_industries: ['HOUSING'] } },
};

const adGroups: Record<string, Sample> = {
  promotion_type: { fields: {} },
  placement_type: { fields: {} },
  promotion_target_type: { fields: { promotion_target_type: 'EXTERNAL_WEBSITE' } },
  placements: { fields: { placements: ['PLACEMENT_TIKTOK', 'PLACEMENT_PANGLE'] } },
  location_ids: { fields: { location_ids: ['6252001', '2921044'] } },
  languages: { fields: { languages: ['en', 'de'] } },
  gender: { fields: { gender: 'GENDER_FEMALE' } },
  age_groups: { fields: { age_groups: ['AGE_35_44'] } },
  interest_category_ids: { fields: { interest_category_ids: ['13000'] } },
  operating_systems: { fields: { operating_systems: ['IOS'] } },
  actions: { fields: { actions: [{ action_scene: 'VIDEO_RELATED', action_period: 7 }] } },
  saved_audience_id: { fields: { saved_audience_id: '991' } },
  budget_mode: {
    fields: {
      budget_mode: 'BUDGET_MODE_TOTAL',
      budget: 9000,
      schedule_type: 'SCHEDULE_START_END',
      schedule_end_time: later,
    },
  },
  budget: { fields: { budget: 77.5 } },
  schedule_type: { fields: { schedule_type: 'SCHEDULE_START_END', schedule_end_time: later } },
  schedule_start_time: { fields: { schedule_start_time: later } },
  schedule_end_time: { fields: { schedule_type: 'SCHEDULE_START_END', schedule_end_time: later } },
  dayparting: { fields: { dayparting: '01'.repeat(168) } },
  optimization_goal: { fields: reaching, campaign: reach },
  billing_event: { fields: reaching, campaign: reach },
  frequency: { fields: { ...reaching, frequency: 3, frequency_schedule: 7 }, campaign: reach },
  frequency_schedule: { fields: { ...reaching, frequency: 3, frequency_schedule: 7 }, campaign: reach },
  app_config: { fields: { app_config: [{ app_id: '1' }] } },
  bid_type: { fields: { bid_type: 'BID_TYPE_CUSTOM', bid_price: 0.8 } },
  bid_price: { fields: { bid_type: 'BID_TYPE_CUSTOM', bid_price: 1.25 } },
  deep_bid_type: { fields: { deep_bid_type: 'VO_MIN_ROAS', roas_bid: 2 } },
  roas_bid: { fields: { deep_bid_type: 'VO_MIN_ROAS', roas_bid: 2 } },
  pacing: { fields: { pacing: 'PACING_MODE_FAST' } },
  bid_display_mode: { fields: { bid_display_mode: 'CPMV' } },
};

const ads: Record<string, Sample> = {
  ad_text: { fields: { ad_text: 'Warm coats' } },
  call_to_action: { fields: { call_to_action: 'SHOP_NOW' } },
  landing_page_url: { fields: { landing_page_url: 'https://shop.example/coats' } },
  dark_post_status: { fields: { dark_post_status: 'ON' } },
  item_duet_status: { fields: { item_duet_status: 'DISABLE' } },
  item_stitch_status: { fields: { item_stitch_status: 'ENABLE' } },
  utm_params: { fields: { utm_params: [{ key: 'utm_source', value: 'x' }] } },
  // Given by the sandbox, as an ad needs them.
  identity_type: { fields: {} },
  identity_id: { fields: {} },
  ad_format: { fields: {} },
  video_id: { fields: {} },
  image_ids: { fields: {} },
  // A post of the connected user is promoted by every fourth ad.
  tiktok_item_id: { fields: {} },
};

/** Names, and what the platform made of the object itself. */
const ownMatters = ['campaign_name', 'adgroup_name', 'ad_name', 'operation_status', 'campaign_id'];
/** The identity carries them already. */
const ofIdentity = ['display_name', 'avatar_icon_web_uri'];
const carriedOf = (level: Level): string[] =>
  writable[level].filter((name) => !ownMatters.includes(name) && !ofIdentity.includes(name));
const readOnlyOf = (level: Level): string[] =>
  readable[level].filter((name) => !writable[level].includes(name) && name !== 'is_smart_performance_campaign');

const sampleOf = (table: Record<string, Sample>, name: string): Body => table[name]?.fields ?? { [name]: plain(name) };
/** Each object has something to read in every field that is the platform's own. */
const own = (level: Level): Body =>
  Object.fromEntries(readOnlyOf(level).map((name) => [name, ofTheCall.includes(name) ? undefined : `OWN_${name}`]));

interface Tree {
  name: string;
  fields: Body;
  adgroups?: { name: string; fields: Body; ads?: { name: string; fields: Body }[] }[];
}

interface Seen {
  read: Body;
  sent: Body;
}

/** What the platform's read gives of each object of a campaign, by its name, beside what the copy of it was asked with. */
async function copyOf(level: Level, tree: Tree): Promise<Map<string, Seen>> {
  const planted = await control<{ campaigns: [{ campaignId: string }] }>(fixture.sandbox, 'network-c/campaigns', {
    advertiserId: user.adAccountId,
    campaigns: [tree],
  });
  const { campaignId } = planted.campaigns[0];
  await fetch(`${fixture.sandbox.url}/ledger`, { method: 'DELETE' });
  const input = DuplicateCampaignInput.parse({ campaignId, platform: 'network-c', deepCopy: level !== 'campaign' });
  const { duplicationId } = await duplicateCampaign(user.ctx, input);
  await workOn(fixture, duplicationId);
  const doc = await fixture.services.db.duplications.findOne({ _id: duplicationId }).lean();
  expect(doc).toMatchObject({ status: 'completed', error: null });
  const there = (await (await fetch(`${fixture.sandbox.url}/control/network-c/objects?type=${level}`)).json()) as {
    objects: Body[];
  };
  const ledger = await fetch(`${fixture.sandbox.url}/ledger?platform=network-c`);
  const { entries } = (await ledger.json()) as { entries: { method: string; path: string; body: Body }[] };
  const bodies = entries
    .filter(({ method, path }) => method === 'POST' && path.includes(`/${paths[level]}/`))
    .flatMap(({ body }) => (level === 'ad' ? (body['creatives'] as Body[]) : [body]));
  const key = `${level}_name`;
  return new Map(
    there.objects
      .filter((read) => read['campaign_id'] === campaignId)
      .map((read) => [String(read[key]), { read, sent: bodies.find((body) => body[key] === read[key]) ?? {} }]),
  );
}

/** Nothing goes out but what the platform takes. */
function requireKnown(level: Level, seen: Map<string, Seen>): void {
  const allowed = new Set([...carriedOf(level), ...ownMatters, ...ofTheCall]);
  for (const { read, sent } of seen.values()) {
    expect(Object.keys(sent).filter((name) => !allowed.has(name))).toEqual([]);
    expect(JSON.stringify(sent)).not.toContain('OWN_');
    expect(JSON.stringify(read)).toContain('OWN_');
  }
}

describe('of a campaign', () => {
  it.each(carriedOf('campaign'))('%s is carried over as it reads', async (name) => {
    const tree = { name: `Campaign ${name}`, fields: { ...own('campaign'), ...sampleOf(campaigns, name) } };
    const seen = await copyOf('campaign', tree);
    const [{ read, sent }] = [...seen.values()] as [Seen];
    expect(read[name]).toBeDefined();
    expect(sent[name]).toEqual(read[name]);
    requireKnown('campaign', seen);
  });

  it('the budget of an unlimited one and the bids of one that does not share its budget are not', async () => {
    const fields = { budget: 0, bid_type: 'BID_TYPE_CUSTOM', roas_bid: 2, optimization_goal: 'CLICK' };
    const seen = await copyOf('campaign', { name: 'Without', fields: { ...own('campaign'), ...fields } });
    const [{ sent }] = [...seen.values()] as [Seen];
    for (const name of Object.keys(fields)) expect(sent).not.toHaveProperty(name);
  });
});

describe('of ad groups', () => {
  let seen: Map<string, Seen>;
  beforeAll(async () => {
    seen = new Map();
    const byCampaign = grouped(carriedOf('adgroup'), (name) => JSON.stringify(adGroups[name]?.campaign ?? {}));
    for (const [campaign, names] of byCampaign) {
      const adgroups = names.map((name) => ({ name, fields: { ...own('adgroup'), ...sampleOf(adGroups, name) } }));
      const fields = { ...own('campaign'), ...(JSON.parse(campaign) as Body) };
      for (const entry of await copyOf('adgroup', { name: 'Groups', fields, adgroups })) seen.set(...entry);
    }
  });

  it.each(carriedOf('adgroup'))('%s is carried over as it reads', (name) => {
    const { read, sent } = seen.get(name) as Seen;
    expect(read[name]).toBeDefined();
    expect(sent[name]).toEqual(read[name]);
  });
  it('nothing else is sent', () => requireKnown('adgroup', seen));
  it('a saved audience stands for the targeting, not for the places', () => {
    const { read, sent } = seen.get('saved_audience_id') as Seen;
    expect(read).toMatchObject({ interest_category_ids: ['13000'], location_ids: ['6252001'] });
    expect(sent).toMatchObject({ saved_audience_id: '991', location_ids: ['6252001'] });
    for (const name of ['interest_category_ids', 'age_groups', 'gender']) expect(sent).not.toHaveProperty(name);
  });
});

describe('of ads', () => {
  let seen: Map<string, Seen>;
  beforeAll(async () => {
    const named = carriedOf('ad').filter((name) => name !== 'tiktok_item_id');
    const made = named.map((name) => ({ name, fields: { ...own('ad'), ...sampleOf(ads, name) } }));
    const groups = Array.from({ length: Math.ceil(made.length / 3) }, (_, at) => ({
      name: `Group ${at}`,
      fields: {},
      ads: made.slice(at * 3, at * 3 + 3),
    }));
    const filler = ['x', 'y', 'z'].map((name) => ({ name, fields: own('ad') }));
    const posting = { name: 'tiktok_item_id', fields: own('ad') };
    groups.push({ name: 'Post', fields: {}, ads: [...filler, posting] });
    seen = await copyOf('ad', { name: 'Ads', fields: {}, adgroups: groups });
  });

  it.each(carriedOf('ad'))('%s is carried over as it reads', (name) => {
    const { read, sent } = seen.get(name) as Seen;
    expect(read[name]).toBeDefined();
    expect(sent[name]).toEqual(read[name]);
  });
  it('nothing else is sent', () => requireKnown('ad', seen));
  it('the video that a promoted post brings is left to the post', () => {
    const { read, sent } = seen.get('tiktok_item_id') as Seen;
    expect(read).toMatchObject({ video_id: expect.any(String), identity_type: 'TT_USER' });
    expect(sent).toMatchObject({ identity_type: 'TT_USER', identity_id: read['identity_id'] });
    expect(sent).not.toHaveProperty('video_id');
    expect(sent).not.toHaveProperty('image_ids');
  });
});

describe('a source that sets what this version does not know', () => {
  it.each<[Level, string]>([
    ['campaign', 'campaign'],
    ['adgroup', 'ad group'],
    ['ad', 'ad'],
  ])('in a field of its %s is not copied without it', async (level, kind) => {
    const odd = (own: Level): Body => (own === level ? { future_setting: 'ON' } : {});
    const tree = {
      name: 'Odd campaign',
      fields: odd('campaign'),
      adgroups: [{ name: 'Odd group', fields: odd('adgroup'), ads: [{ name: 'Odd ad', fields: odd('ad') }] }],
    };
    readable[level].push('future_setting');
    try {
      const campaigns = [tree];
      const { campaigns: made } = await control<{ campaigns: [{ campaignId: string }] }>(
        fixture.sandbox,
        'network-c/campaigns',
        { advertiserId: user.adAccountId, campaigns },
      );
      const input = DuplicateCampaignInput.parse({ campaignId: made[0].campaignId, platform: 'network-c' });
      await expect(duplicateCampaign(user.ctx, input)).rejects.toThrow(
        new RegExp(`The ${kind} Odd \\w+ sets future_setting, which a copy would lose`),
      );
    } finally {
      readable[level].pop();
    }
  });
});
