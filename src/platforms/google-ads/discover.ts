import type { Access, AdAccount, AdMetrics, FoundAd, FoundAdSet, FoundCampaign, FoundPage } from '../platform.ts';
import { own } from '../../lib/own.ts';
import { pausedBy } from '../effective-status.ts';
import { PlatformId, sorted, tolerant, valueAt, type Read } from '../tolerant.ts';
import type { Client } from './client.ts';
import { declaredBy } from './declarations.ts';
import { adStatusFields } from './find.ts';
import { goalOf } from './goals.ts';
import { fromMicros } from './money.ts';
import { budgetOf } from './read-budget.ts';
import { reasonOf, statusOf } from './status.ts';
import { parametersOf } from './url-suffix.ts';
import { endOfDay, fromAccountTime, startOfDay } from '../../lib/account-time.ts';
import { AdGroupRow, AdRow, CampaignRow, type CampaignWire, type MetricsWire } from './wire.ts';

const bidFields =
  'campaign.bidding_strategy_type, campaign.target_spend.cpc_bid_ceiling_micros, campaign.maximize_conversions.target_cpa_micros, campaign.target_impression_share.cpc_bid_ceiling_micros';
const campaignFields = 'campaign.id, campaign.name, campaign.status, campaign.advertising_channel_type';
const budgetFields = 'campaign_budget.amount_micros, campaign_budget.total_amount_micros, campaign_budget.period';
const isThere = "campaign.status != 'REMOVED'";

const figureFields = 'metrics.cost_micros, metrics.impressions, metrics.clicks';
// Without a segment each row has lifetime metrics of its own level, including removed children.
export const campaignQuery = `SELECT ${campaignFields}, campaign.end_date_time, campaign.bidding_strategy_type, campaign.contains_eu_political_advertising, ${budgetFields}, ${figureFields} FROM campaign WHERE ${isThere}`;
export const adGroupQuery = `SELECT ${campaignFields}, campaign.start_date_time, campaign.end_date_time, ${bidFields}, ad_group.id, ad_group.name, ad_group.status, ad_group.cpm_bid_micros, ${figureFields} FROM ad_group WHERE ${isThere} AND ad_group.status != 'REMOVED'`;
const adQuery = `SELECT ${adStatusFields}, ad_group_ad.ad.final_url_suffix, ${figureFields} FROM ad_group_ad WHERE ${isThere} AND ad_group.status != 'REMOVED' AND ad_group_ad.status != 'REMOVED'`;

/** Reads three lists in sequence: a campaign without ads is only in the first. */
export async function* discover(client: Client, access: Access, adAccount: AdAccount): AsyncIterable<FoundPage> {
  for await (const page of client.pages(access, adAccount, { schema: rows.campaign, text: campaignQuery })) {
    const { found, problems } = sorted(page);
    yield { campaigns: found.map((row) => toCampaign(row, adAccount)), problems };
  }
  for await (const page of client.pages(access, adAccount, { schema: rows.adGroup, text: adGroupQuery })) {
    const { found, problems } = sorted(page);
    yield { adSets: found.map((row) => toAdSet(row, adAccount)), problems };
  }
  for await (const page of client.pages(access, adAccount, { schema: rows.ad, text: adQuery })) {
    const { found, problems } = sorted(page);
    yield { ads: found.map(toAd), problems };
  }
}

const essential = ['campaign.status', 'adGroup.status', 'adGroupAd.status'];
const rows = {
  campaign: tolerant(CampaignRow, { objectType: 'campaign', idAt: ['campaign', 'id'], essential }),
  adGroup: tolerant(AdGroupRow, { objectType: 'ad_set', idAt: ['adGroup', 'id'], essential }),
  ad: tolerant(AdRow, {
    objectType: 'ad',
    idAt: (row) => adIdOf(valueAt(row, ['adGroup', 'id']), valueAt(row, ['adGroupAd', 'ad', 'id'])),
    essential: [...essential, 'adGroupAd.policySummary'],
  }),
};

/** An ad is identified by its ad group and its own id. */
const adIdOf = (group: unknown, ad: unknown): string | undefined => {
  const [groupId, adId] = [PlatformId.safeParse(group).data, PlatformId.safeParse(ad).data];
  return groupId && adId && `${groupId}~${adId}`;
};

export const toCampaign = (
  { campaign, campaignBudget, metrics, isPartial }: Read<CampaignRow>,
  { timezone }: AdAccount,
): FoundCampaign => ({
  id: campaign.id,
  name: campaign.name,
  status: statusOf({ campaign }),
  goal: goalOf(campaign.biddingStrategyType),
  budget: budgetOf(campaignBudget),
  budgetLevel: 'campaign',
  declarations: declaredBy(campaign.containsEuPoliticalAdvertising),
  endDate: endOf(campaign.endDateTime, timezone),
  metrics: metricsOf(metrics),
  isPartial,
});

export const toAdSet = (
  { campaign, adGroup, metrics, isPartial }: Read<AdGroupRow>,
  { timezone }: AdAccount,
): FoundAdSet => ({
  id: adGroup.id,
  campaignId: campaign.id,
  name: adGroup.name,
  status: statusOf({ campaign, adGroup }),
  goal: goalOf(campaign.biddingStrategyType),
  ...bidOf(campaign, adGroup.cpmBidMicros),
  startDate: startOf(campaign.startDateTime, timezone),
  endDate: endOf(campaign.endDateTime, timezone),
  metrics: metricsOf(metrics),
  isPartial,
});

function bidOf(campaign: CampaignWire, cpmBidMicros?: string): Pick<FoundAdSet, 'bidStrategy' | 'bidAmount'> {
  const { targetSpend, maximizeConversions, targetImpressionShare, biddingStrategyType } = campaign;
  const cpm = biddingStrategyType === 'MANUAL_CPM' ? cpmBidMicros : undefined;
  const cost = maximizeConversions?.targetCpaMicros;
  const cap = [targetSpend?.cpcBidCeilingMicros, targetImpressionShare?.cpcBidCeilingMicros, cpm].find(isSet);
  if (isSet(cost)) return { bidStrategy: 'COST_CAP', bidAmount: fromMicros(cost) };
  if (isSet(cap)) return { bidStrategy: 'LOWEST_COST_WITH_BID_CAP', bidAmount: fromMicros(cap) };
  return { bidStrategy: own(bidStrategies, biddingStrategyType ?? '') };
}

/** Of campaigns without an amount of their own. The bids of other strategies belong to keywords or portfolios. */
const bidStrategies: Record<string, FoundAdSet['bidStrategy']> = {
  TARGET_SPEND: 'LOWEST_COST_WITHOUT_CAP',
  MAXIMIZE_CONVERSIONS: 'LOWEST_COST_WITHOUT_CAP',
  MANUAL_CPC: 'LOWEST_COST_WITH_BID_CAP',
  TARGET_CPA: 'COST_CAP',
  TARGET_CPM: 'COST_CAP',
  TARGET_ROAS: 'LOWEST_COST_WITH_MIN_ROAS',
};

/** Zero means that no bid is set. */
const isSet = (micros: string | undefined): micros is string => micros !== undefined && micros !== '0';

const startOf = (text = '', timezone?: string): Date | undefined =>
  text.endsWith('00:00:00') ? startOfDay(text.slice(0, 10), timezone) : fromAccountTime(text, timezone);

/** Before version 23, campaigns without an end report a date in 2037. */
function endOf(text = '', timezone?: string): Date | undefined {
  if (text.startsWith('2037-12-30')) return undefined;
  return text.endsWith('23:59:59') ? endOfDay(text.slice(0, 10), timezone) : fromAccountTime(text, timezone);
}

const toAd = ({ campaign, adGroup, adGroupAd, metrics, isPartial }: Read<AdRow>): FoundAd => ({
  id: `${adGroup.id}~${adGroupAd.ad.id}`,
  adSetId: adGroup.id,
  campaignId: campaign.id,
  name: adGroup.name,
  status: statusOf({ campaign, adGroup, adGroupAd }),
  ...pausedBy(adGroupAd.status === 'PAUSED', adGroup.status === 'PAUSED'),
  rejectionReason: reasonOf(adGroupAd),
  urlParameters: parametersOf(adGroupAd.ad.finalUrlSuffix),
  metrics: metricsOf(metrics),
  isPartial,
});

/** A requested metric that the response omits is zero. */
const metricsOf = (metrics: MetricsWire): AdMetrics | undefined =>
  metrics && {
    spend: fromMicros(metrics.costMicros ?? '0'),
    impressions: Number(metrics.impressions ?? 0),
    clicks: Number(metrics.clicks ?? 0),
  };
