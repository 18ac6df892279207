import type { AdSet, AdTreeResult, ListCampaignsInput } from '../../contract/campaign.ts';
import type { Ad } from '../../contract/ad.ts';
import type { Ctx } from '../context.ts';
import { paginationOf } from '../list-page.ts';
import { campaignPage } from './list-campaigns.ts';
import type { Children } from '../related/children.ts';
import { adsInAdSets, adSetsInCampaigns } from '../related/lists.ts';

const adsShown = 100;

/** A page of campaigns with their ad sets and ads: one round of queries per level. */
export async function adTree(ctx: Ctx, input: ListCampaignsInput): Promise<AdTreeResult> {
  const page = await campaignPage(ctx, input);
  const campaigns = page.nodes;
  const ids = campaigns.map(({ _id }) => _id);
  const sets: Children<AdSet> =
    ids.length > 0 ? await adSetsInCampaigns.page(ctx, ids, { part: {}, filter: {} }) : new Map();
  const setIds = [...sets.values()].flat().map(({ _id }) => _id);
  const ads: Children<Ad> =
    setIds.length > 0 ? await adsInAdSets.page(ctx, setIds, { part: { limit: adsShown + 1 }, filter: {} }) : new Map();
  const withAds = (adSet: AdSet) => {
    const found = ads.get(adSet._id) ?? [];
    return { ...adSet, ads: found.slice(0, adsShown), hasMoreAds: found.length > adsShown };
  };
  return {
    campaigns: campaigns.map((campaign) => ({ ...campaign, adSets: (sets.get(campaign._id) ?? []).map(withAds) })),
    pagination: await paginationOf(page, input),
  };
}
