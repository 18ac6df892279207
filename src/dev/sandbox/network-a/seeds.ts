import type { FoundCampaign } from '../found-campaigns.ts';
import type { AdAccount, GraphObject, SandboxState } from './state.ts';

interface Tree {
  name?: string;
  status?: string;
  /** Overrides of the default fields, in the platform's own format. */
  fields?: Record<string, unknown>;
}

export interface CampaignTrees {
  adAccountId: string;
  campaigns: (Tree & { adsets?: (Tree & { base?: object; ads?: (Tree & Pick<GraphObject, 'figures'>)[] })[] })[];
}

const usual = {
  campaign: { objective: 'OUTCOME_TRAFFIC', special_ad_categories: [], is_adset_budget_sharing_enabled: false },
  adset: {
    daily_budget: '2000',
    billing_event: 'IMPRESSIONS',
    optimization_goal: 'LINK_CLICKS',
    destination_type: 'WEBSITE',
    bid_strategy: 'LOWEST_COST_WITHOUT_CAP',
    targeting: { geo_locations: { countries: ['US'] }, targeting_automation: { advantage_audience: 0 } },
  },
};

interface Seeded {
  campaigns: { id: string; adsets: { id: string; ads: { id: string }[] }[] }[];
}

/** Seeds whole campaign trees without validation; undefined for an unknown account. */
export function seed(
  sandbox: SandboxState,
  { adAccountId = '', campaigns = [] }: Partial<CampaignTrees>,
): Seeded | undefined {
  const account = sandbox.accounts.get(adAccountId.replace(/^act_/, ''));
  if (!account) return undefined;
  const accountId = account.id;
  const creative = { creative_id: addCreative(sandbox, account) };
  const add = (kind: 'campaign' | 'adset' | 'ad', tree: Tree & Pick<GraphObject, 'figures'>, more: object): string => {
    const { name = 'Seeded', status = 'ACTIVE', fields = {}, figures } = tree;
    return sandbox.add({ kind, accountId, fields: { name, status, ...more, ...fields }, ...(figures && { figures }) });
  };
  return {
    campaigns: campaigns.map((campaign) => {
      const id = add('campaign', campaign, usual.campaign);
      const adsets = (campaign.adsets ?? []).map((set) => {
        const setId = add('adset', set, { ...(set.base ?? usual.adset), campaign_id: id });
        return { id: setId, ads: (set.ads ?? []).map((ad) => ({ id: add('ad', ad, { adset_id: setId, creative }) })) };
      });
      return { id, adsets };
    }),
  };
}

function addCreative(sandbox: SandboxState, account: AdAccount): string {
  const page = sandbox.people.get(account.userId)?.pages[0];
  const link = 'https://shop.example/';
  const data = {
    link,
    message: 'Seeded',
    name: 'Seeded',
    picture: 'https://shop.example/picture.png',
    call_to_action: { type: 'LEARN_MORE', value: { link } },
  };
  const fields = { name: 'Seeded', object_story_spec: { page_id: page?.id, link_data: data } };
  return sandbox.add({ kind: 'adcreative', accountId: account.id, fields });
}

/** Adds a campaign of each budget level with two ad sets of one ad each. */
export function addFoundCampaigns(sandbox: SandboxState, { id: adAccountId }: AdAccount): FoundCampaign[] {
  const levels = ['campaign', 'ad_set'] as const;
  const campaigns = levels.map((level) => {
    const isOfCampaign = level === 'campaign';
    const { daily_budget: _budget, bid_strategy: bidStrategy, ...withoutBudget } = usual.adset;
    const optimized = { is_adset_budget_sharing_enabled: undefined, daily_budget: '8000', bid_strategy: bidStrategy };
    return {
      name: `Found, budget at the ${level}`,
      ...(isOfCampaign && { fields: optimized }),
      adsets: ['first', 'second'].map((name) => ({
        name,
        base: isOfCampaign ? withoutBudget : usual.adset,
        ads: [{ name: `Ad of the ${name}` }],
      })),
    };
  });
  const seeded = seed(sandbox, { adAccountId, campaigns })?.campaigns ?? [];
  return seeded.map(({ id, adsets }, at) => ({
    level: levels[at] ?? 'ad_set',
    campaignId: id,
    adSetIds: adsets.map((adSet) => adSet.id),
    adIds: adsets.flatMap(({ ads }) => ads.map((ad) => ad.id)),
  }));
}
