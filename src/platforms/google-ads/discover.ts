import type { Access, AdAccount, AdMetrics, FoundAd, FoundAdSet, FoundCampaign, FoundPage } from '../platform.ts';
import type { Client } from './client.ts';
import { adStatusFields } from './find.ts';
import { goalOf } from './goals.ts';
import { fromMicros } from './money.ts';
import { budgetOf } from './read-budget.ts';
import { reasonOf, statusOf } from './status.ts';
import { fromAccountTime } from './time.ts';
import { AdGroupRow, AdRow, CampaignRow, type CampaignWire } from './wire.ts';

const bidFields =
  'campaign.bidding_strategy_type, campaign.target_spend.cpc_bid_ceiling_micros, campaign.maximize_conversions.target_cpa_micros, campaign.target_impression_share.cpc_bid_ceiling_micros';
const campaignFields = 'campaign.id, campaign.name, campaign.status, campaign.advertising_channel_type';
const budgetFields = 'campaign_budget.amount_micros, campaign_budget.total_amount_micros, campaign_budget.period';
const isThere = "campaign.status != 'REMOVED'";

const campaignQuery = `SELECT ${campaignFields}, campaign.bidding_strategy_type, ${budgetFields} FROM campaign WHERE ${isThere}`;
const adGroupQuery = `SELECT ${campaignFields}, campaign.end_date_time, ${bidFields}, ad_group.id, ad_group.name, ad_group.status, ad_group.cpm_bid_micros FROM ad_group WHERE ${isThere} AND ad_group.status != 'REMOVED'`;
const adQuery = `SELECT ${adStatusFields}, metrics.cost_micros, metrics.impressions, metrics.clicks FROM ad_group_ad WHERE ${isThere} AND ad_group.status != 'REMOVED' AND ad_group_ad.status != 'REMOVED'`;

/** Three lists one after the other: a campaign without ads is in none but the first. */
export async function* discover(client: Client, access: Access, adAccount: AdAccount): AsyncIterable<FoundPage> {
  for await (const rows of client.pages(access, adAccount, { schema: CampaignRow, text: campaignQuery })) {
    yield { campaigns: rows.map(toCampaign) };
  }
  for await (const rows of client.pages(access, adAccount, { schema: AdGroupRow, text: adGroupQuery })) {
    yield { adSets: rows.map((row) => toAdSet(row, adAccount)) };
  }
  for await (const rows of client.pages(access, adAccount, { schema: AdRow, text: adQuery })) {
    yield { ads: rows.map(toAd) };
  }
}

const toCampaign = ({ campaign, campaignBudget }: CampaignRow): FoundCampaign => ({
  id: campaign.id,
  name: campaign.name,
  status: statusOf({ campaign }),
  goal: goalOf(campaign.biddingStrategyType),
  budget: budgetOf(campaignBudget),
});

const toAdSet = ({ campaign, adGroup }: AdGroupRow, { timezone }: AdAccount): FoundAdSet => ({
  id: adGroup.id,
  campaignId: campaign.id,
  name: adGroup.name,
  status: statusOf({ campaign, adGroup }),
  goal: goalOf(campaign.biddingStrategyType),
  ...bidOf(campaign, adGroup.cpmBidMicros),
  endDate: endOf(campaign.endDateTime, timezone),
});

function bidOf(campaign: CampaignWire, cpmBidMicros?: string): Pick<FoundAdSet, 'bidStrategy' | 'bidAmount'> {
  const { targetSpend, maximizeConversions, targetImpressionShare, biddingStrategyType } = campaign;
  const cpm = biddingStrategyType === 'MANUAL_CPM' ? cpmBidMicros : undefined;
  const cost = maximizeConversions?.targetCpaMicros;
  const cap = [targetSpend?.cpcBidCeilingMicros, targetImpressionShare?.cpcBidCeilingMicros, cpm].find(isSet);
  if (isSet(cost)) return { bidStrategy: 'COST_CAP', bidAmount: fromMicros(cost) };
  if (isSet(cap)) return { bidStrategy: 'LOWEST_COST_WITH_BID_CAP', bidAmount: fromMicros(cap) };
  return { bidStrategy: 'LOWEST_COST_WITHOUT_CAP' };
}

/** Zero stands for a bid that is not set. */
const isSet = (micros: string | undefined): micros is string => micros !== undefined && micros !== '0';

/** Campaigns from before version 23 that never end say so with a day in 2037. */
const endOf = (text = '', timezone?: string): Date | undefined =>
  text.startsWith('2037-12-30') ? undefined : fromAccountTime(text, timezone);

const toAd = ({ campaign, adGroup, adGroupAd, metrics }: AdRow): FoundAd => ({
  id: `${adGroup.id}~${adGroupAd.ad.id}`,
  adSetId: adGroup.id,
  campaignId: campaign.id,
  name: adGroup.name,
  status: statusOf({ campaign, adGroup, adGroupAd }),
  isOff: [adGroup.status, adGroupAd.status].includes('PAUSED'),
  rejectionReason: reasonOf(adGroupAd),
  metrics: metricsOf(metrics),
});

const metricsOf = (metrics: AdRow['metrics']): AdMetrics | undefined =>
  metrics && {
    spend: fromMicros(metrics.costMicros ?? '0'),
    impressions: Number(metrics.impressions ?? 0),
    clicks: Number(metrics.clicks ?? 0),
  };
