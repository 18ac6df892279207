import { own } from '../../lib/own.ts';
import { segment } from '../../lib/segment.ts';
import { unscaled } from '../decimal.ts';
import type {
  Access,
  AdAccount,
  FoundAd,
  FoundAdSet,
  FoundCampaign,
  FoundPage,
  ReadClosedMetrics,
  UpstreamAdStatus,
} from '../platform.ts';
import { pausedBy, underParents, untilEndDate } from '../effective-status.ts';
import { budgetOf } from './budget.ts';
import { createFigures } from './figures.ts';
import { sorted, tolerant, type Read } from '../tolerant.ts';
import type { Client } from './client.ts';
import { goalOf } from './goals.ts';
import { stateOf, statusOf } from './status.ts';
import { Campaign, LineItem, PromotedTweet } from './wire.ts';

/** Three flat lists, and the metrics of each page at its own level. */
export async function* discover(
  client: Client,
  access: Access,
  { id }: AdAccount,
  readClosed?: ReadClosedMetrics,
): AsyncGenerator<FoundPage> {
  const account = `accounts/${segment(id)}`;
  /** Their own status without that of parents; undefined if it cannot be parsed. */
  const campaigns = new Map<string, UpstreamAdStatus | undefined>();
  /** Promoted posts only reference their line item. */
  const parents = new Map<string, Parents>();
  const unread = new Set<string | null>();
  const figures = createFigures(client, access, account, readClosed);
  for await (const page of client.pages(access, `${account}/campaigns`, { item: items.campaigns })) {
    const { found, problems } = sorted(page);
    for (const { platformId } of problems) if (platformId) campaigns.set(platformId, undefined);
    for (const campaign of found) campaigns.set(campaign.id, stateOf(campaign));
    const { of, problems: more } = await figures('campaign', found);
    const read = found.map((campaign) => ({ ...toCampaign(campaign), ...of(campaign.id) }));
    yield { campaigns: read, problems: [...problems, ...more] };
  }
  for await (const page of client.pages(access, `${account}/line_items`, { item: items.lineItems })) {
    const { found, problems } = sorted(page);
    for (const { platformId, isSkipped } of problems) if (isSkipped) unread.add(platformId);
    // Children of a deleted campaign are treated as deleted.
    const live = found.filter((item) => campaigns.has(item.campaign_id));
    const now = access.clock.now();
    const { of, problems: more } = await figures('ad_set', live);
    const adSets = live.map((item) => {
      const above = parentsIn(item, campaigns, now);
      parents.set(item.id, above);
      return { ...toAdSet(item, above), ...of(item.id) };
    });
    yield { adSets, problems: [...problems, ...more] };
  }
  for await (const page of client.pages(access, `${account}/promoted_tweets`, { item: items.promoted })) {
    const { found, problems } = sorted(page);
    const placed = found.filter((promoted) => parents.has(promoted.line_item_id));
    const { of, problems: more } = await figures('ad', placed);
    const ads = placed.flatMap((promoted) => toAd(promoted, parents.get(promoted.line_item_id)));
    yield {
      ads: ads.map((ad) => ({ ...ad, ...of(ad.id) })),
      problems: [...problems, ...more],
      unplacedAds: found.filter((promoted) => unread.has(promoted.line_item_id)).map((promoted) => promoted.id),
    };
  }
}

const essential = ['entity_status', 'deleted'];
const items = {
  campaigns: tolerant(Campaign, { objectType: 'campaign', idAt: ['id'], essential }),
  lineItems: tolerant(LineItem, { objectType: 'ad_set', idAt: ['id'], essential: [...essential, 'end_time'] }),
  promoted: tolerant(PromotedTweet, { objectType: 'ad', idAt: ['id'], essential: [...essential, 'approval_status'] }),
};

interface Parents {
  campaignId: string;
  adSet: UpstreamAdStatus;
  campaign: UpstreamAdStatus | undefined;
}

export const toCampaign = (campaign: Read<Campaign>): FoundCampaign => ({
  id: campaign.id,
  name: campaign.name,
  status: stateOf(campaign),
  budgetLevel: 'ad_set',
  spendLimit: budgetOf(campaign),
  createdAt: dateOf(campaign.created_at),
  isPartial: campaign.isPartial,
});

export const parentsIn = (
  item: LineItem,
  campaigns: Map<string, UpstreamAdStatus | undefined>,
  now: Date,
): Parents => ({
  campaignId: item.campaign_id,
  adSet: untilEndDate(stateOf(item), dateOf(item.end_time), now),
  campaign: campaigns.get(item.campaign_id),
});

/** A target is kept on average. */
const bidStrategies: Record<string, FoundAdSet['bidStrategy']> = {
  AUTO: 'LOWEST_COST_WITHOUT_CAP',
  MAX: 'LOWEST_COST_WITH_BID_CAP',
  TARGET: 'COST_CAP',
};

export const toAdSet = (item: Read<LineItem>, { adSet, campaign }: Parents): FoundAdSet => ({
  id: item.id,
  campaignId: item.campaign_id,
  name: item.name ?? '',
  status: underParents(adSet, campaign),
  goal: goalOf(item.objective, item.goal),
  budget: budgetOf(item),
  bidStrategy: own(bidStrategies, item.bid_strategy ?? 'AUTO'),
  bidAmount: item.bid_amount_local_micro ? unscaled(item.bid_amount_local_micro, 6) : undefined,
  startDate: dateOf(item.start_time),
  endDate: dateOf(item.end_time),
  createdAt: dateOf(item.created_at),
  isPartial: item.isPartial,
});

function toAd(promoted: Read<PromotedTweet>, parents: Parents | undefined): FoundAd[] {
  if (!parents) return [];
  const { campaignId, adSet, campaign } = parents;
  const { status, rejectionReason } = statusOf(promoted);
  return [
    {
      id: promoted.id,
      adSetId: promoted.line_item_id,
      campaignId,
      name: `Post ${promoted.tweet_id}`,
      createdAt: dateOf(promoted.created_at),
      status: underParents(status, adSet, campaign),
      ...pausedBy(stateOf(promoted) === 'paused', adSet === 'paused'),
      rejectionReason,
      isPartial: promoted.isPartial,
    },
  ];
}

const dateOf = (time: string | null | undefined): Date | undefined => (time ? new Date(time) : undefined);
