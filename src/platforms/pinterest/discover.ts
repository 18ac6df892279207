import { segment } from '../../lib/segment.ts';
import { earlierOf } from '../../lib/earlier-of.ts';
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
import { pausedBy, underParents, untilEndDate } from '../effective-status.ts';
import { bidStrategyOf, budgetOfAdGroup, levelOf } from './budget.ts';
import { figuresIn, noFigures, sorted, tolerant, type Figures, type Read } from '../tolerant.ts';
import type { Client } from './client.ts';
import { goalOf } from './goals.ts';
import { stateOf, statusOf } from './status.ts';
import { foundTargeting } from './targeting-read.ts';
import { Ad, AdGroup, analyticsColumns, analyticsOf, Campaign, fromSeconds } from './wire.ts';

const entity_statuses = ['ACTIVE', 'PAUSED'];
/** The largest number of ids per metrics request. */
const onPage = '250';
/** The platform keeps metrics for this long, so older objects have no lifetime metrics. */
const daysRetained = 89;
const dayMs = 86_400_000;

/** Three flat lists, and one metrics call per page. */
export async function* discover(client: Client, access: Access, { id }: AdAccount): AsyncGenerator<FoundPage> {
  const account = `ad_accounts/${segment(id)}`;
  const query = { entity_statuses, page_size: onPage };
  /** Own status of campaigns and ad groups without that of parents; undefined if it cannot be parsed. */
  const own = new Map<string, UpstreamAdStatus | undefined>();
  /** Under campaign budget optimization the campaign carries the times of its ad groups. */
  const ends = new Map<string, number>();
  const starts = new Map<string, number>();
  const metrics = (level: Level, found: Dated[]): Promise<Metrics> =>
    readMetrics(client, access, { account, level, found });
  for await (const page of client.pages(access, `${account}/campaigns`, { item: items.campaigns, query })) {
    const { found, problems } = sorted(page);
    const now = access.clock.now();
    for (const campaign of found) {
      own.set(`campaign ${campaign.id}`, stateWithin(campaign, now));
      if (campaign.start_time) starts.set(campaign.id, campaign.start_time);
      if (campaign.end_time) ends.set(campaign.id, campaign.end_time);
    }
    for (const { platformId } of problems) keepChildrenOfUnread(own, `campaign ${platformId}`);
    const { of, problems: more } = await metrics('campaigns', found);
    const campaigns = found.map((campaign) => ({ ...toCampaign(campaign, now), metrics: of(campaign) }));
    yield { campaigns, problems: [...problems, ...more] };
  }
  for await (const page of client.pages(access, `${account}/ad_groups`, { item: items.ad_groups, query })) {
    const { found, problems } = sorted(page);
    // Children of an archived campaign stay in the lists but are treated as deleted.
    const groups = found.filter((group) => own.has(`campaign ${group.campaign_id}`));
    const now = access.clock.now();
    for (const group of groups) own.set(`group ${group.id}`, stateWithin(group, now));
    for (const { platformId } of problems) keepChildrenOfUnread(own, `group ${platformId}`);
    const { of, problems: more } = await metrics('ad_groups', groups);
    const adSets = groups.map((group) => ({
      ...toAdSet(group, own),
      ...timesOf(group, { start_time: starts.get(group.campaign_id), end_time: ends.get(group.campaign_id) }),
      metrics: of(group),
    }));
    yield { adSets, problems: [...problems, ...more] };
  }
  for await (const page of client.pages(access, `${account}/ads`, { item: items.ads, query })) {
    const { found, problems } = sorted(page);
    const ads = found.filter((ad) => own.has(`group ${ad.ad_group_id}`));
    const { of, problems: more } = await metrics('ads', ads);
    yield { ads: ads.map((ad) => ({ ...toAd(ad, own), metrics: of(ad) })), problems: [...problems, ...more] };
  }
}

type Level = 'campaigns' | 'ad_groups' | 'ads';

const items = {
  campaigns: tolerant(Campaign, { objectType: 'campaign', idAt: ['id'], essential: ['end_time'] }),
  ad_groups: tolerant(AdGroup, { objectType: 'ad_set', idAt: ['id'], essential: ['end_time'] }),
  ads: tolerant(Ad, { objectType: 'ad', idAt: ['id'], essential: ['review_status'] }),
};

/** Children of an unreadable parent exist too. */
function keepChildrenOfUnread(own: Map<string, UpstreamAdStatus | undefined>, key: string): void {
  if (!own.has(key)) own.set(key, undefined);
}

interface Dated {
  id: string;
  created_time?: number | null;
}

interface Metrics {
  of: (object: Dated) => AdMetrics | null | undefined;
  problems: Figures['problems'];
}

const names = { campaigns: 'campaign', ad_groups: 'ad_group', ads: 'ad' } as const;

async function readMetrics(
  client: Client,
  access: Access,
  { account, level, found }: { account: string; level: Level; found: Dated[] },
): Promise<Metrics> {
  const now = access.clock.now().getTime();
  const day = (daysAgo: number): string => new Date(now - daysAgo * dayMs).toISOString().slice(0, 10);
  const isOlder = ({ created_time: at }: Dated): boolean =>
    typeof at === 'number' && at * 1000 < Date.parse(day(daysRetained));
  const ids = found.filter((object) => !isOlder(object)).map((object) => object.id);
  const name = names[level];
  const call = {
    schema: analyticsOf(`${name.toUpperCase()}_ID`),
    query: {
      [`${name}_ids`]: ids,
      columns: analyticsColumns,
      granularity: 'TOTAL',
      start_date: day(daysRetained),
      end_date: day(0),
    },
  };
  const figures =
    ids.length === 0
      ? noFigures
      : await figuresIn([client.read(access, `${account}/${level}/analytics`, call)], ({ id, ...metrics }) => [
          id,
          metrics,
        ]);
  return { of: (object) => (isOlder(object) ? null : figures.of(object.id)), problems: figures.problems };
}

export const toCampaign = (campaign: Read<Campaign>, now: Date): FoundCampaign => ({
  id: campaign.id,
  name: campaign.name,
  status: stateWithin(campaign, now),
  goal: goalOf(campaign.objective_type),
  ...levelOf(campaign),
  endDate: fromSeconds(campaign.end_time),
  createdAt: fromSeconds(campaign.created_time),
  isPartial: campaign.isPartial,
});

export const stateWithin = (
  { status, end_time: end }: Pick<AdGroup, 'status' | 'end_time'>,
  now: Date,
): UpstreamAdStatus => untilEndDate(stateOf(status), fromSeconds(end), now);

/** The later start of a campaign supersedes that of its ad groups. */
export const timesOf = (
  group: Pick<AdGroup, 'start_time' | 'end_time'>,
  campaign: Pick<Campaign, 'start_time' | 'end_time'>,
): Pick<FoundAdSet, 'startDate' | 'endDate'> => ({
  startDate: fromSeconds(Math.max(group.start_time ?? 0, campaign.start_time ?? 0) || undefined),
  endDate: earlierOf(fromSeconds(group.end_time), fromSeconds(campaign.end_time)),
});

export const toAdSet = (group: Read<AdGroup>, own: Map<string, UpstreamAdStatus | undefined>): FoundAdSet => ({
  id: group.id,
  campaignId: group.campaign_id,
  name: group.name,
  status: underParents(own.get(`group ${group.id}`) ?? stateOf(group.status), own.get(`campaign ${group.campaign_id}`)),
  budget: budgetOfAdGroup(group),
  bidStrategy: bidStrategyOf(group),
  bidAmount: group.bid_in_micro_currency ? unscaled(group.bid_in_micro_currency, 6) : undefined,
  targeting: foundTargeting(group.targeting_spec),
  createdAt: fromSeconds(group.created_time),
  isPartial: group.isPartial,
});

function toAd(ad: Read<Ad>, own: Map<string, UpstreamAdStatus | undefined>): FoundAd {
  const { status, rejectionReason } = statusOf(ad);
  const [campaign, group] = [own.get(`campaign ${ad.campaign_id}`), own.get(`group ${ad.ad_group_id}`)];
  return {
    id: ad.id,
    adSetId: ad.ad_group_id,
    campaignId: ad.campaign_id,
    name: ad.name ?? '',
    createdAt: fromSeconds(ad.created_time),
    status: underParents(status, group, campaign),
    ...pausedBy(stateOf(ad.status) === 'paused', group === 'paused'),
    rejectionReason,
    isPartial: ad.isPartial,
  };
}
