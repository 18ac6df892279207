import { unscaled } from '../decimal.ts';
import type {
  Access,
  AdAccount,
  AdMetrics,
  FoundAd,
  FoundAdSet,
  FoundCampaign,
  FoundPage,
  UpstreamAdStatus,
} from '../platform.ts';
import { underParents, untilEnd } from '../standing.ts';
import { budgetOfAdGroup, budgetOfCampaign } from './budget.ts';
import type { Client } from './client.ts';
import { goalOf } from './goals.ts';
import { stateOf, statusOf } from './status.ts';
import { Ad, AdAnalytics, AdGroup, Campaign, fromSeconds } from './wire.ts';

const entity_statuses = ['ACTIVE', 'PAUSED'];
/** As many as their figures can be asked for at once. */
const adsOnPage = '100';
/** The platform's figures reach back this far. */
const daysKept = 89;

/** Three flat lists, and one call for the figures of each page of ads. */
export async function* discover(client: Client, access: Access, { id }: AdAccount): AsyncGenerator<FoundPage> {
  const query = { entity_statuses };
  /** Campaigns and ad groups by their own switches. */
  const own = new Map<string, UpstreamAdStatus>();
  const account = `ad_accounts/${id}`;
  for await (const page of client.pages(access, `${account}/campaigns`, { item: Campaign, query })) {
    const campaigns = page.map(toCampaign);
    for (const { id: campaignId, status } of campaigns) own.set(`campaign ${campaignId}`, status);
    yield { campaigns };
  }
  for await (const page of client.pages(access, `${account}/ad_groups`, { item: AdGroup, query })) {
    // What hangs on a campaign that is archived stays in the lists, but is gone with it.
    const groups = page.filter((group) => own.has(`campaign ${group.campaign_id}`));
    const now = access.clock.now();
    for (const group of groups) own.set(`group ${group.id}`, groupState(group, now));
    yield { adSets: groups.map((group) => toAdSet(group, own)) };
  }
  for await (const page of client.pages(access, `${account}/ads`, {
    item: Ad,
    query: { ...query, page_size: adsOnPage },
  })) {
    const ads = page.filter((ad) => own.has(`group ${ad.ad_group_id}`));
    const metrics = await metricsOf(client, access, { account, ads });
    yield { ads: ads.map((ad) => ({ ...toAd(ad, own), metrics: metrics.get(ad.id) })) };
  }
}

async function metricsOf(
  client: Client,
  access: Access,
  { account, ads }: { account: string; ads: Ad[] },
): Promise<Map<string, AdMetrics>> {
  if (ads.length === 0) return new Map();
  const now = access.clock.now().getTime();
  const day = (daysAgo: number): string => new Date(now - daysAgo * 86_400_000).toISOString().slice(0, 10);
  const rows = await client.read(access, `${account}/ads/analytics`, {
    schema: AdAnalytics,
    query: {
      ad_ids: ads.map((ad) => ad.id),
      columns: ['SPEND_IN_MICRO_DOLLAR', 'TOTAL_IMPRESSION', 'TOTAL_CLICKTHROUGH'],
      granularity: 'TOTAL',
      start_date: day(daysKept),
      end_date: day(0),
    },
  });
  return new Map(
    rows.map((row) => [
      row.AD_ID,
      {
        spend: unscaled(row.SPEND_IN_MICRO_DOLLAR, 6),
        impressions: row.TOTAL_IMPRESSION,
        clicks: row.TOTAL_CLICKTHROUGH,
      },
    ]),
  );
}

const toCampaign = (campaign: Campaign): FoundCampaign => ({
  id: campaign.id,
  name: campaign.name,
  status: stateOf(campaign.status),
  goal: goalOf(campaign.objective_type),
  budget: budgetOfCampaign(campaign),
  createdAt: fromSeconds(campaign.created_time),
});

const groupState = ({ status, end_time: end }: AdGroup, now: Date): UpstreamAdStatus =>
  untilEnd(stateOf(status), fromSeconds(end), now);

const toAdSet = (group: AdGroup, own: Map<string, UpstreamAdStatus>): FoundAdSet => ({
  id: group.id,
  campaignId: group.campaign_id,
  name: group.name,
  status: underParents(own.get(`group ${group.id}`) ?? stateOf(group.status), own.get(`campaign ${group.campaign_id}`)),
  budget: budgetOfAdGroup(group),
  bidStrategy: group.bid_strategy_type === 'MAX_BID' ? 'LOWEST_COST_WITH_BID_CAP' : 'LOWEST_COST_WITHOUT_CAP',
  bidAmount: group.bid_in_micro_currency ? unscaled(group.bid_in_micro_currency, 6) : undefined,
  endDate: fromSeconds(group.end_time),
});

function toAd(ad: Ad, own: Map<string, UpstreamAdStatus>): FoundAd {
  const { status, rejectionReason } = statusOf(ad);
  const [campaign, group] = [own.get(`campaign ${ad.campaign_id}`), own.get(`group ${ad.ad_group_id}`)];
  return {
    id: ad.id,
    adSetId: ad.ad_group_id,
    campaignId: ad.campaign_id,
    name: ad.name ?? '',
    createdAt: fromSeconds(ad.created_time),
    status: underParents(status, group, campaign),
    isOff: stateOf(ad.status) === 'paused' || group === 'paused',
    rejectionReason,
  };
}
