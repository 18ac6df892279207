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
import { underParents } from '../standing.ts';
import { budgetOf, isDynamic } from './budget.ts';
import type { Client } from './client.ts';
import { goalOf } from './goals.ts';
import { idOf, list } from './restli.ts';
import { stateOf, statusOf } from './status.ts';
import { Analytics, Campaign, CampaignGroup, Creative } from './wire.ts';

const states = list(['ACTIVE', 'PAUSED', 'DRAFT', 'COMPLETED']);
/** Their figures are asked for by their names, and a query may be 4 096 characters long. */
const creativesOnPage = 75;
const live = `search=(status:(values:${states}))`;

/** Three flat lists, and one call for the figures of each page of creatives. */
export async function* discover(client: Client, access: Access, { id }: AdAccount): AsyncGenerator<FoundPage> {
  const account = `adAccounts/${id}`;
  /** By their own switches. */
  const groupStates = new Map<string, UpstreamAdStatus>();
  /** Creatives name their campaign only. */
  const parents = new Map<string, Parents>();
  const groups = `${account}/adCampaignGroups?q=search&${live}`;
  for await (const page of client.pages(access, groups, { item: CampaignGroup, pageSize: 1000 })) {
    for (const group of page) groupStates.set(group.id, stateOf(group.status));
    yield { campaigns: page.map(toCampaign) };
  }
  const campaigns = `${account}/adCampaigns?q=search&${live}`;
  for await (const page of client.pages(access, campaigns, { item: Campaign, pageSize: 1000 })) {
    // What hangs on a group that is archived stays in the lists, but is gone with it.
    const below = page.filter((campaign) => groupStates.has(idOf(campaign.campaignGroup)));
    for (const campaign of below) {
      const campaignId = idOf(campaign.campaignGroup);
      parents.set(campaign.id, {
        campaignId,
        adSet: stateOf(campaign.status),
        campaign: groupStates.get(campaignId),
      });
    }
    yield { adSets: below.map((campaign) => toAdSet(campaign, groupStates.get(idOf(campaign.campaignGroup)))) };
  }
  const creatives = `${account}/creatives?q=criteria`;
  for await (const page of client.pages(access, creatives, { item: Creative, pageSize: creativesOnPage })) {
    const metrics = await metricsOf(client, access, page);
    yield { ads: page.flatMap((creative) => toAd(creative, parents, metrics.get(creative.id))) };
  }
}

async function metricsOf(client: Client, access: Access, creatives: Creative[]): Promise<Map<string, AdMetrics>> {
  if (creatives.length === 0) return new Map();
  const path = [
    'adAnalytics?q=analytics&pivot=CREATIVE&timeGranularity=ALL',
    'dateRange=(start:(year:2015,month:1,day:1))',
    `creatives=${list(creatives.map(({ id }) => id))}`,
    'fields=impressions,clicks,costInLocalCurrency,pivotValues',
  ].join('&');
  const { elements } = await client.read(access, path, Analytics);
  return new Map(
    elements.map(({ pivotValues, impressions, clicks, costInLocalCurrency: spend }) => [
      pivotValues[0] ?? '',
      { spend, impressions, clicks },
    ]),
  );
}

interface Parents {
  campaignId: string;
  adSet: UpstreamAdStatus;
  campaign: UpstreamAdStatus | undefined;
}

const toCampaign = (group: CampaignGroup): FoundCampaign => ({
  id: group.id,
  name: group.name,
  status: stateOf(group.status),
  // Without the dynamic strategy its amount is a limit; the campaigns carry the budgets.
  budget: isDynamic(group) ? budgetOf(group) : undefined,
  createdAt: dateOf(group.changeAuditStamps?.created?.time),
});

function toAdSet(campaign: Campaign, group: UpstreamAdStatus | undefined): FoundAdSet {
  const bid = Number(campaign.unitCost?.amount ?? 0);
  const hasBid = campaign.optimizationTargetType === 'NONE' && bid > 0;
  return {
    id: campaign.id,
    campaignId: idOf(campaign.campaignGroup),
    name: campaign.name,
    status: underParents(stateOf(campaign.status), group),
    goal: goalOf(campaign.objectiveType),
    budget: budgetOf(campaign),
    bidStrategy: hasBid ? 'LOWEST_COST_WITH_BID_CAP' : 'LOWEST_COST_WITHOUT_CAP',
    bidAmount: hasBid ? bid : undefined,
    endDate: dateOf(campaign.runSchedule?.end),
  };
}

function toAd(creative: Creative, parents: Map<string, Parents>, metrics: AdMetrics | undefined): FoundAd[] {
  const adSetId = idOf(creative.campaign);
  const above = parents.get(adSetId);
  const { status, rejectionReason } = statusOf(creative);
  if (above === undefined || status === 'cancelled') return [];
  const { id, name, createdAt, intendedStatus } = creative;
  const { campaignId, adSet, campaign } = above;
  return [
    {
      id,
      adSetId,
      campaignId,
      name: name ?? '',
      createdAt: dateOf(createdAt),
      metrics,
      status: underParents(status, adSet, campaign),
      isOff: stateOf(intendedStatus) === 'paused' || adSet === 'paused',
      rejectionReason,
    },
  ];
}

const dateOf = (time: number | undefined): Date | undefined => (time === undefined ? undefined : new Date(time));
