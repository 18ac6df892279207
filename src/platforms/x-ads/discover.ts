import { unscaled } from '../decimal.ts';
import type {
  Access,
  AdAccount,
  FoundAd,
  FoundAdSet,
  FoundCampaign,
  FoundPage,
  UpstreamAdStatus,
} from '../platform.ts';
import { underParents, untilEnd } from '../standing.ts';
import { budgetOf } from './budget.ts';
import type { Client } from './client.ts';
import { goalOf } from './goals.ts';
import { stateOf, statusOf } from './status.ts';
import { Campaign, LineItem, PromotedTweet } from './wire.ts';

/** Three flat lists. Figures come for twenty ads a call only, so they are left out. */
export async function* discover(client: Client, access: Access, { id }: AdAccount): AsyncGenerator<FoundPage> {
  const account = `accounts/${id}`;
  /** By their own switches. */
  const campaigns = new Map<string, UpstreamAdStatus>();
  /** Promoted posts name their line item only. */
  const items = new Map<string, Parents>();
  for await (const page of client.pages(access, `${account}/campaigns`, { item: Campaign })) {
    for (const campaign of page) campaigns.set(campaign.id, stateOf(campaign));
    yield { campaigns: page.map(toCampaign) };
  }
  for await (const page of client.pages(access, `${account}/line_items`, { item: LineItem })) {
    // What hangs on a campaign that is deleted is gone with it.
    const live = page.filter((item) => campaigns.has(item.campaign_id));
    const now = access.clock.now();
    const adSets = live.map((item) => {
      const parents = parentsIn(item, campaigns, now);
      items.set(item.id, parents);
      return toAdSet(item, parents);
    });
    yield { adSets };
  }
  for await (const page of client.pages(access, `${account}/promoted_tweets`, { item: PromotedTweet })) {
    yield { ads: page.flatMap((promoted) => toAd(promoted, items.get(promoted.line_item_id))) };
  }
}

interface Parents {
  campaignId: string;
  adSet: UpstreamAdStatus;
  campaign: UpstreamAdStatus | undefined;
}

const toCampaign = (campaign: Campaign): FoundCampaign => ({
  id: campaign.id,
  name: campaign.name,
  status: stateOf(campaign),
  createdAt: dateOf(campaign.created_at),
});

const parentsIn = (item: LineItem, campaigns: Map<string, UpstreamAdStatus>, now: Date): Parents => ({
  campaignId: item.campaign_id,
  adSet: untilEnd(stateOf(item), dateOf(item.end_time), now),
  campaign: campaigns.get(item.campaign_id),
});

const toAdSet = (item: LineItem, { adSet, campaign }: Parents): FoundAdSet => ({
  id: item.id,
  campaignId: item.campaign_id,
  name: item.name ?? '',
  status: underParents(adSet, campaign),
  goal: goalOf(item.objective, item.goal),
  budget: budgetOf(item),
  bidStrategy:
    item.bid_strategy === 'AUTO' || !item.bid_strategy ? 'LOWEST_COST_WITHOUT_CAP' : 'LOWEST_COST_WITH_BID_CAP',
  bidAmount: item.bid_amount_local_micro ? unscaled(item.bid_amount_local_micro, 6) : undefined,
  endDate: dateOf(item.end_time),
});

function toAd(promoted: PromotedTweet, parents: Parents | undefined): FoundAd[] {
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
      isOff: stateOf(promoted) === 'paused' || adSet === 'paused',
      rejectionReason,
    },
  ];
}

const dateOf = (time: string | null | undefined): Date | undefined => (time ? new Date(time) : undefined);
