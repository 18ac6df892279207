import type { FoundCampaign } from '../found-campaigns.ts';
import { timeText, type Body } from './checks.ts';
import type { Advertiser, Identity, Thing, SandboxState } from './state.ts';

interface Named {
  name: string;
  /** Overrides of the default upstream fields. */
  fields?: Body;
}
export interface Tree extends Named {
  adgroups?: (Named & { ads?: Named[] })[];
}

interface Seeds {
  sandbox: SandboxState;
  advertiser: Advertiser;
  user: Identity | undefined;
  brand: Identity;
  video: Thing;
  cover: Thing;
}

/** Seeds whole campaign trees; one of four ads promotes a post. */
export function seedCampaigns(sandbox: SandboxState, advertiser: Advertiser, trees: Tree[]): Body[] {
  const seeds = prepare(sandbox, advertiser);
  return trees.map((tree) => {
    const campaign = add(seeds, 'campaign', { campaign_name: tree.name, ...campaignFields, ...tree.fields });
    const adgroups = (tree.adgroups ?? []).map(({ name, fields, ads = [] }) => {
      const own = { adgroup_name: name, ...groupFields(), ...fields, campaign_id: campaign.id };
      const group = add(seeds, 'adgroup', own);
      const parents = { campaign_id: campaign.id, adgroup_id: group.id };
      const made = ads.map((ad, place) =>
        add(seeds, 'ad', { ad_name: ad.name, ...adFields(seeds, place), ...ad.fields, ...parents }),
      );
      return { adgroupId: group.id, adIds: made.map(({ id }) => id) };
    });
    return { campaignId: campaign.id, adgroups };
  });
}

/** Adds a campaign of each budget level with two ad groups of one ad each, as if created in the platform's own tools. */
export function addFoundCampaigns(sandbox: SandboxState, advertiser: Advertiser): FoundCampaign[] {
  const levels = ['campaign', 'ad_set'] as const;
  const trees = levels.map((level): Tree => {
    const isOfCampaign = level === 'campaign';
    const fields = isOfCampaign
      ? { budget_optimize_on: true, budget_mode: 'BUDGET_MODE_DYNAMIC_DAILY_BUDGET', budget: 80 }
      : {};
    const groupFields = isOfCampaign ? { budget_mode: 'BUDGET_MODE_INFINITE', budget: 0 } : {};
    const adgroups = ['first', 'second'].map((name) => ({
      name,
      fields: groupFields,
      ads: [{ name: `Ad of the ${name}` }],
    }));
    return { name: `Found, budget at the ${level}`, fields, adgroups };
  });
  return seedCampaigns(sandbox, advertiser, trees).map(({ campaignId, adgroups }, at) => ({
    level: levels[at] ?? 'ad_set',
    campaignId: String(campaignId),
    adSetIds: (adgroups as Body[]).map(({ adgroupId }) => String(adgroupId)),
    adIds: (adgroups as Body[]).flatMap(({ adIds }) => adIds as string[]),
  }));
}

function prepare(sandbox: SandboxState, advertiser: Advertiser): Seeds {
  const identities = sandbox.identities.get(advertiser.id) ?? [];
  const user = identities.find(({ type }) => type === 'TT_USER');
  const known = identities.find(({ type }) => type === 'CUSTOMIZED_USER');
  const brand: Identity = known ?? { id: sandbox.newId(), type: 'CUSTOMIZED_USER', name: advertiser.name, posts: [] };
  if (!known) sandbox.identities.put(advertiser.id, [...identities, brand]);
  const file = (kind: 'image' | 'video', id: string): Thing =>
    sandbox.add({
      id,
      kind,
      advertiserId: advertiser.id,
      fields: { file_name: `seed-${id}`, width: 640, height: 360, is_size_known: true },
    });
  const video = file('video', `v10033g50000${sandbox.newId()}`);
  return { sandbox, advertiser, user, brand, video, cover: file('image', `ad-site-i18n-sg/${sandbox.newId()}`) };
}

const add = ({ sandbox, advertiser }: Seeds, kind: Thing['kind'], fields: Body): Thing =>
  sandbox.add({ kind, advertiserId: advertiser.id, fields: { operation_status: 'ENABLE', ...fields } });

const campaignFields = {
  objective_type: 'TRAFFIC',
  budget_mode: 'BUDGET_MODE_INFINITE',
  campaign_type: 'REGULAR_CAMPAIGN',
};

const groupFields = (): Body => ({
  promotion_type: 'WEBSITE',
  placement_type: 'PLACEMENT_TYPE_NORMAL',
  placements: ['PLACEMENT_TIKTOK'],
  location_ids: ['6252001'],
  gender: 'GENDER_UNLIMITED',
  age_groups: ['AGE_18_24', 'AGE_25_34'],
  interest_category_ids: ['13000'],
  budget_mode: 'BUDGET_MODE_DAY',
  budget: 50,
  schedule_type: 'SCHEDULE_FROM_NOW',
  schedule_start_time: timeText(Date.now() - 24 * 3_600_000),
  optimization_goal: 'CLICK',
  billing_event: 'CPC',
  bid_type: 'BID_TYPE_NO_BID',
  pacing: 'PACING_MODE_SMOOTH',
});

function adFields({ user, brand, video, cover }: Seeds, place: number): Body {
  const shared = {
    ad_format: 'SINGLE_VIDEO',
    call_to_action: 'LEARN_MORE',
    landing_page_url: 'https://shop.example/',
  };
  const [post] = user?.posts ?? [];
  if (user && post && place % 4 === 3) {
    return {
      ...shared,
      identity_type: user.type,
      identity_id: user.id,
      tiktok_item_id: post.itemId,
      dark_post_status: 'OFF',
    };
  }
  const identity = { identity_type: brand.type, identity_id: brand.id };
  return { ...shared, ...identity, video_id: video.id, image_ids: [cover.id], ad_text: 'Made for summer' };
}
