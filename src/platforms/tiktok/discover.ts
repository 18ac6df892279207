import type {
  Access,
  AdAccount,
  FoundAd,
  FoundAdSet,
  FoundCampaign,
  FoundPage,
  FoundTargeting,
  ReadProblem,
} from '../platform.ts';
import { pausedBy } from '../effective-status.ts';
import { figuresIn, sorted, tolerant, type Figures, type Read } from '../tolerant.ts';
import { budgetOf, levelOf } from './budget.ts';
import type { Client } from './client.ts';
import { declaredBy } from './declarations.ts';
import { goalOf } from './goals.ts';
import { statusOf } from './status.ts';
import { Ad, AdGroup, Campaign, fromTime, reportOf } from './wire.ts';

/** The largest number of ids in a filter; metrics are requested by the ids of a page. */
const maxIds = 100;

/** Three flat lists, and one report call per hundred objects. */
export async function* discover(client: Client, access: Access, { id }: AdAccount): AsyncGenerator<FoundPage> {
  const query = { advertiser_id: id };
  const groupsOff = new Set<string>();
  const campaignOf = new Map<string, string>();
  const figures = (level: Level, ids: string[]): Promise<Figures> =>
    readFigures(client, access, { advertiser: id, level, ids });
  for await (const page of client.pages(access, 'campaign/get', { item: items.campaign, query })) {
    const { found, problems } = sorted(page);
    const { of, problems: more } = await figures(
      'campaign',
      found.map((campaign) => campaign.campaign_id),
    );
    const campaigns = found.map((campaign) => ({ ...toCampaign(campaign), metrics: of(campaign.campaign_id) }));
    yield { campaigns, problems: [...problems, ...more] };
  }
  for await (const page of client.pages(access, 'adgroup/get', { item: items.adgroup, query })) {
    const { found, problems } = sorted(page);
    for (const group of found) {
      campaignOf.set(group.adgroup_id, group.campaign_id);
      if (isPaused(group)) groupsOff.add(group.adgroup_id);
    }
    const { of, problems: more } = await figures(
      'adgroup',
      found.map((group) => group.adgroup_id),
    );
    const adSets = found.map((group) => ({ ...toAdSet(group), metrics: of(group.adgroup_id) }));
    yield { adSets, problems: [...problems, ...more] };
  }
  for await (const page of client.pages(access, 'ad/get', { item: items.ad, query, pageSize: maxIds })) {
    const { found, problems } = withCampaigns(sorted(page), campaignOf);
    const { of, problems: more } = await figures(
      'ad',
      found.map((ad) => ad.ad_id),
    );
    const ads = found.map((ad) => ({
      ...toAd(ad),
      metrics: of(ad.ad_id),
      ...pausedBy(isPaused(ad), groupsOff.has(ad.adgroup_id)),
    }));
    yield { ads, problems: [...problems, ...more] };
  }
}

type Level = 'campaign' | 'adgroup' | 'ad';

const essential = ['operation_status', 'secondary_status'];
const items = {
  campaign: tolerant(Campaign, { objectType: 'campaign', idAt: ['campaign_id'], essential }),
  adgroup: tolerant(AdGroup, { objectType: 'ad_set', idAt: ['adgroup_id'], essential }),
  ad: tolerant(Ad, { objectType: 'ad', idAt: ['ad_id'], essential }),
};

interface Asked {
  advertiser: string;
  level: Level;
  ids: string[];
}

/** Each level is requested separately, because its metrics include deleted children. */
const readFigures = (client: Client, access: Access, asked: Asked): Promise<Figures> =>
  figuresIn(reportPages(client, access, asked), ({ dimensions, metrics }) => [
    String(dimensions[`${asked.level}_id`]),
    metrics,
  ]);

async function* reportPages(client: Client, access: Access, { advertiser, level, ids }: Asked) {
  const dimension = `${level}_id`;
  const item = tolerant(reportOf(dimension), { objectType: 'figures', idAt: ['dimensions', dimension] });
  for (let at = 0; at < ids.length; at += maxIds) {
    const requested = JSON.stringify(ids.slice(at, at + maxIds));
    const query = {
      advertiser_id: advertiser,
      report_type: 'BASIC',
      data_level: `AUCTION_${level.toUpperCase()}`,
      dimensions: [dimension],
      metrics: ['spend', 'impressions', 'clicks'],
      query_lifetime: true,
      filtering: [{ field_name: `${level}_ids`, filter_type: 'IN', filter_value: requested }],
    };
    yield* client.pages(access, 'report/integrated/get', { item, query, pageSize: maxIds });
  }
}

const isPaused = ({ operation_status: own }: Pick<Ad, 'operation_status'>): boolean => own === 'DISABLE';

export const toCampaign = (campaign: Read<Campaign>): FoundCampaign => ({
  id: campaign.campaign_id,
  name: campaign.campaign_name,
  status: statusOf(campaign).status,
  goal: goalOf(campaign.objective_type),
  ...levelOf(campaign),
  declarations: campaign.isPartial ? undefined : declaredBy(campaign.special_industries),
  createdAt: fromTime(campaign.create_time),
  isPartial: campaign.isPartial,
});

export function toAdSet(group: Read<AdGroup>): FoundAdSet {
  const hasEnd = group.schedule_type === 'SCHEDULE_START_END';
  return {
    id: group.adgroup_id,
    campaignId: group.campaign_id,
    name: group.adgroup_name,
    status: statusOf(group).status,
    budget: budgetOf(group),
    ...bidOf(group),
    startDate: fromTime(group.schedule_start_time),
    endDate: hasEnd ? fromTime(group.schedule_end_time) : undefined,
    targeting: targetingOf(group),
    createdAt: fromTime(group.create_time),
    isPartial: group.isPartial,
  };
}

/** A bid is the average cost that the platform keeps: its own tool calls the custom bid a cost cap. */
function bidOf(group: AdGroup): Pick<FoundAdSet, 'bidStrategy' | 'bidAmount'> {
  if (group.deep_bid_type === 'VO_MIN_ROAS') return { bidStrategy: 'LOWEST_COST_WITH_MIN_ROAS' };
  const bidAmount = group.conversion_bid_price || group.bid_price || undefined;
  return bidAmount ? { bidStrategy: 'COST_CAP', bidAmount } : { bidStrategy: 'LOWEST_COST_WITHOUT_CAP' };
}

/** Its places are ids of the platform, which have no equivalent in createAd. */
function targetingOf({ audience_ids: audiences, excluded_audience_ids: excluded }: AdGroup): FoundTargeting | null {
  if (audiences?.length !== 1 && !excluded?.length) return null;
  return {
    ...(audiences?.length === 1 && { audienceId: audiences[0] }),
    ...(excluded?.length && { excludedAudienceIds: excluded }),
  };
}

type PlacedAd = Read<Ad> & { campaign_id: string };

/** Ads of Smart+ campaigns do not name their campaign; their ad group does. */
function withCampaigns(
  { found, problems }: { found: Read<Ad>[]; problems: ReadProblem[] },
  campaigns: ReadonlyMap<string, string>,
): { found: PlacedAd[]; problems: ReadProblem[] } {
  const message = 'belongs to a campaign that neither it nor its ad group names';
  const placed = found.map((ad) => ({ ad, campaignId: ad.campaign_id ?? campaigns.get(ad.adgroup_id) }));
  const lost = placed.filter(({ campaignId }) => campaignId === undefined);
  return {
    found: placed.flatMap(({ ad, campaignId }) => (campaignId === undefined ? [] : { ...ad, campaign_id: campaignId })),
    problems: [
      ...problems,
      ...lost.map(({ ad }) => ({
        objectType: 'ad' as const,
        platformId: ad.ad_id,
        field: 'campaign_id',
        message,
        isSkipped: true,
      })),
    ],
  };
}

const toAd = (ad: PlacedAd): FoundAd => ({
  id: ad.ad_id,
  adSetId: ad.adgroup_id,
  campaignId: ad.campaign_id,
  name: ad.ad_name,
  createdAt: fromTime(ad.create_time),
  creative: creativeOf(ad),
  isPartial: ad.isPartial,
  ...statusOf(ad),
});

function creativeOf({
  ad_text: body,
  landing_page_url: linkUrl,
  call_to_action: callToAction,
}: Ad): FoundAd['creative'] {
  const creative = { ...(body && { body }), ...(linkUrl && { linkUrl }), ...(callToAction && { callToAction }) };
  return Object.keys(creative).length > 0 ? creative : undefined;
}
