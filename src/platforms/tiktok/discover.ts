import type { Access, AdAccount, AdMetrics, FoundAd, FoundAdSet, FoundCampaign, FoundPage } from '../platform.ts';
import { budgetOf } from './budget.ts';
import type { Client } from './client.ts';
import { goalOf } from './goals.ts';
import { statusOf } from './status.ts';
import { Ad, AdGroup, Campaign, fromTime, Report } from './wire.ts';

/** As many ids as a filter takes: the figures of a page are asked for by them. */
const adsOnPage = 100;

/** Three flat lists, and one report call for each page of ads. */
export async function* discover(client: Client, access: Access, { id }: AdAccount): AsyncGenerator<FoundPage> {
  const query = { advertiser_id: id };
  const groupsOff = new Set<string>();
  for await (const page of client.pages(access, 'campaign/get', { item: Campaign, query })) {
    yield { campaigns: page.map(toCampaign) };
  }
  for await (const page of client.pages(access, 'adgroup/get', { item: AdGroup, query })) {
    for (const group of page) if (isOff(group)) groupsOff.add(group.adgroup_id);
    yield { adSets: page.map(toAdSet) };
  }
  for await (const page of client.pages(access, 'ad/get', { item: Ad, query, pageSize: adsOnPage })) {
    const metrics = await metricsOf(client, access, { id, ads: page });
    yield {
      ads: page.map((ad) => ({
        ...toAd(ad, metrics.get(ad.ad_id)),
        isOff: isOff(ad) || groupsOff.has(ad.adgroup_id),
      })),
    };
  }
}

async function metricsOf(
  client: Client,
  access: Access,
  { id, ads }: { id: string; ads: Ad[] },
): Promise<Map<string, AdMetrics>> {
  if (ads.length === 0) return new Map();
  const query = {
    advertiser_id: id,
    report_type: 'BASIC',
    data_level: 'AUCTION_AD',
    dimensions: ['ad_id'],
    metrics: ['spend', 'impressions', 'clicks'],
    query_lifetime: true,
    filtering: [
      { field_name: 'ad_ids', filter_type: 'IN', filter_value: JSON.stringify(ads.map(({ ad_id: adId }) => adId)) },
    ],
  };
  const found = new Map<string, AdMetrics>();
  for await (const page of client.pages(access, 'report/integrated/get', {
    item: Report,
    query,
    pageSize: adsOnPage,
  })) {
    for (const { dimensions, metrics } of page) found.set(dimensions.ad_id, metrics);
  }
  return found;
}

const isOff = ({ operation_status: own }: Pick<Ad, 'operation_status'>): boolean => own === 'DISABLE';

const toCampaign = (campaign: Campaign): FoundCampaign => ({
  id: campaign.campaign_id,
  name: campaign.campaign_name,
  status: statusOf(campaign).status,
  goal: goalOf(campaign.objective_type),
  // Without optimization across the campaign its amount is a limit; the ad groups carry the budgets.
  budget: campaign.budget_optimize_on === true ? budgetOf(campaign) : undefined,
  createdAt: fromTime(campaign.create_time),
});

function toAdSet(group: AdGroup): FoundAdSet {
  const bidAmount = group.conversion_bid_price || group.bid_price || undefined;
  const hasEnd = group.schedule_type === 'SCHEDULE_START_END';
  return {
    id: group.adgroup_id,
    campaignId: group.campaign_id,
    name: group.adgroup_name,
    status: statusOf(group).status,
    budget: budgetOf(group),
    bidStrategy: bidAmount ? 'LOWEST_COST_WITH_BID_CAP' : 'LOWEST_COST_WITHOUT_CAP',
    bidAmount,
    endDate: hasEnd ? fromTime(group.schedule_end_time) : undefined,
  };
}

const toAd = (ad: Ad, metrics: AdMetrics | undefined): FoundAd => ({
  id: ad.ad_id,
  adSetId: ad.adgroup_id,
  campaignId: ad.campaign_id,
  name: ad.ad_name,
  createdAt: fromTime(ad.create_time),
  metrics,
  ...statusOf(ad),
});
