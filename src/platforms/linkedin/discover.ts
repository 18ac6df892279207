import { segment } from '../../lib/segment.ts';
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
import { earlierOf } from '../../lib/earlier-of.ts';
import { pausedBy, underParents } from '../effective-status.ts';
import { budgetOf, levelOf } from './budget.ts';
import { PlatformError } from '../error.ts';
import { figuresIn, noFigures, sorted, tolerant, type Figures, type Read } from '../tolerant.ts';
import type { Client } from './client.ts';
import { declaredBy } from './declarations.ts';
import { goalOf } from './goals.ts';
import { foundTargeting } from './places.ts';
import { counted, maxElements } from './report-columns.ts';
import { idOf, list, urn } from './restli.ts';
import { stateOf, statusOf } from './status.ts';
import { Analytics, Campaign, CampaignGroup, Creative, dateOf } from './wire.ts';

/** Metrics are requested by URN, and a query is limited to 4 096 characters. */
const creativesOnPage = 75;
const liveStates = ['ACTIVE', 'PAUSED', 'DRAFT'];
const withStatus = (states: string[]): string => `search=(status:(values:${list(states)}))`;

/** Three flat lists; one metrics call for all groups, one for all campaigns, and one per page of creatives. */
export async function* discover(client: Client, access: Access, { id }: AdAccount): AsyncGenerator<FoundPage> {
  const account = `adAccounts/${segment(id)}`;
  const ofAccount = `accounts=${list([urn('sponsoredAccount', id)])}`;
  /** Groups without their state if they cannot be parsed. */
  const above = new Map<string, Group>();
  /** Creatives only reference their campaign. */
  const parents = new Map<string, Parents>();
  const unread = new Set<string | null>();
  const groups = `${account}/adCampaignGroups?q=search&${withStatus(liveStates)}`;
  let figures = await readFigures(client, access, { pivot: 'CAMPAIGN_GROUP', facet: ofAccount });
  yield { problems: figures.problems };
  for await (const page of client.pages(access, groups, { item: items.groups, pageSize: 1000 })) {
    const { found, problems } = sorted(page);
    for (const { platformId } of problems) if (platformId) above.set(platformId, {});
    for (const group of found) above.set(group.id, groupOf(group));
    const { of } = figures;
    yield { campaigns: found.map((group) => ({ ...toCampaign(group), metrics: of(group.id) })), problems };
  }
  // The platform rejects COMPLETED in a search for groups, which never have that status.
  const campaigns = `${account}/adCampaigns?q=search&${withStatus([...liveStates, 'COMPLETED'])}`;
  figures = await readFigures(client, access, { pivot: 'CAMPAIGN', facet: ofAccount });
  yield { problems: figures.problems };
  for await (const page of client.pages(access, campaigns, { item: items.campaigns, pageSize: 1000 })) {
    const { found, problems } = sorted(page);
    for (const { platformId, isSkipped } of problems) if (isSkipped) unread.add(platformId);
    // Children of an archived group stay in the lists but are treated as deleted.
    const below = found.filter((campaign) => above.has(idOf(campaign.campaignGroup)));
    for (const campaign of below) {
      const campaignId = idOf(campaign.campaignGroup);
      parents.set(campaign.id, {
        campaignId,
        adSet: stateOf(campaign.status),
        campaign: above.get(campaignId)?.state,
      });
    }
    const { of } = figures;
    const adSets = below.map((campaign) => ({
      ...toAdSet(campaign, above.get(idOf(campaign.campaignGroup))),
      metrics: of(campaign.id),
    }));
    yield { adSets, problems };
  }
  const creatives = `${account}/creatives?q=criteria`;
  for await (const page of client.pages(access, creatives, { item: items.creatives, pageSize: creativesOnPage })) {
    const { found, problems } = sorted(page);
    const facet = `creatives=${list(found.map((creative) => creative.id))}`;
    const { of, problems: more } =
      found.length > 0 ? await readFigures(client, access, { pivot: 'CREATIVE', facet }) : noFigures;
    yield {
      ads: found.flatMap((creative) => toAd(creative, parents, of(idOf(creative.id)))),
      problems: [...problems, ...more],
      unplacedAds: found.filter(({ campaign }) => unread.has(idOf(campaign))).map((creative) => creative.id),
    };
  }
}

const items = {
  groups: tolerant(CampaignGroup, { objectType: 'campaign', idAt: ['id'] }),
  campaigns: tolerant(Campaign, { objectType: 'ad_set', idAt: ['id'] }),
  creatives: tolerant(Creative, { objectType: 'ad', idAt: ['id'], essential: ['intendedStatus', 'review'] }),
};

async function readFigures(
  client: Client,
  access: Access,
  { pivot, facet }: { pivot: string; facet: string },
): Promise<Figures> {
  const path = [
    `adAnalytics?q=analytics&pivot=${pivot}&timeGranularity=ALL`,
    'dateRange=(start:(year:2015,month:1,day:1))',
    facet,
    `fields=${counted.impressions},${counted.clicks},${counted.spend},pivotValues`,
  ].join('&');
  const read = async () => {
    const { elements } = await client.read(access, path, Analytics);
    if (elements.length < maxElements) return elements;
    throw new PlatformError('F', 'rejected', 'There are more rows than the platform returns in one response');
  };
  return figuresIn([read()], ({ pivotValues, impressions, clicks, costInLocalCurrency: spend }) => [
    idOf(pivotValues[0] ?? ''),
    { spend, impressions, clicks },
  ]);
}

interface Parents {
  campaignId: string;
  adSet: UpstreamAdStatus;
  campaign: UpstreamAdStatus | undefined;
}

export const toCampaign = (group: Read<CampaignGroup>): FoundCampaign => ({
  id: group.id,
  name: group.name,
  status: stateOf(group.status),
  ...levelOf(group),
  endDate: dateOf(group.runSchedule?.end),
  createdAt: dateOf(group.changeAuditStamps?.created?.time),
  isPartial: group.isPartial,
});

interface Group {
  state?: UpstreamAdStatus;
  /** No campaign runs longer. */
  end?: Date;
}

export const groupOf = ({ status, runSchedule }: CampaignGroup): Group => ({
  state: stateOf(status),
  end: dateOf(runSchedule?.end),
});

export function toAdSet(campaign: Read<Campaign>, group: Group = {}): FoundAdSet {
  return {
    id: campaign.id,
    campaignId: idOf(campaign.campaignGroup),
    name: campaign.name,
    status: underParents(stateOf(campaign.status), group.state),
    goal: goalOf(campaign.objectiveType),
    budget: budgetOf(campaign),
    ...bidOf(campaign),
    declarations: declaredBy(campaign.politicalIntent),
    startDate: dateOf(campaign.runSchedule?.start),
    endDate: earlierOf(dateOf(campaign.runSchedule?.end), group.end),
    targeting: foundTargeting(campaign.targetingCriteria),
    createdAt: dateOf(campaign.changeAuditStamps?.created?.time),
    isPartial: campaign.isPartial,
  };
}

/** A manual bid is the most that a result costs, a target or a cap the average; an enhanced bid may be exceeded. */
function bidOf({ unitCost, optimizationTargetType }: Campaign): Pick<FoundAdSet, 'bidStrategy' | 'bidAmount'> {
  const target = optimizationTargetType ?? '';
  const [bidAmount, isCost] = [Number(unitCost?.amount ?? 0), /^(TARGET|CAP)_COST_/.test(target)];
  if (bidAmount > 0 && target === 'NONE') return { bidStrategy: 'LOWEST_COST_WITH_BID_CAP', bidAmount };
  if (bidAmount > 0 && isCost) return { bidStrategy: 'COST_CAP', bidAmount };
  if (bidAmount > 0 && target === 'ENHANCED_CONVERSION') return { bidAmount };
  return isCost ? {} : { bidStrategy: 'LOWEST_COST_WITHOUT_CAP' };
}

function toAd(creative: Read<Creative>, parents: Map<string, Parents>, metrics: AdMetrics | undefined): FoundAd[] {
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
      ...pausedBy(stateOf(intendedStatus) === 'paused', adSet === 'paused'),
      rejectionReason,
      isPartial: creative.isPartial,
    },
  ];
}
