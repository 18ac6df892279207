import type { FoundCampaign } from '../found-campaigns.ts';
import { makeCampaign, makeLineItem } from './campaigns.ts';
import { makeTweet, promote } from './tweets.ts';
import type { AdAccount, Params, SandboxState } from './state.ts';

/** Adds a campaign with two line items of one ad each, as if created in the platform's own tools; its amounts are limits. */
export function addFoundCampaigns(sandbox: SandboxState, account: AdAccount): FoundCampaign[] {
  const author = account.promotable.find(({ type }) => type === 'FULL')?.userId ?? '';
  const { id: campaignId } = makeCampaign(sandbox, account, {
    name: 'Found, budget at the ad_set',
    funding_instrument_id: account.funding.find(({ isAble }) => isAble)?.id ?? '',
    daily_budget_amount_local_micro: '80000000',
  });
  const added = ['first', 'second'].map((name) => {
    const item = makeLineItem(sandbox, account, { ...lineItem, campaign_id: campaignId, name }, { isOlder: true });
    const text = `Spring ${item.id} https://shop.example/sale`;
    const tweet = makeTweet(sandbox, account, { as_user_id: author, text });
    return { item, ads: promote(sandbox, account, { line_item_id: item.id, tweet_ids: tweet.id }) };
  });
  const [adSetIds, adIds] = [added.map(({ item }) => item.id), added.flatMap(({ ads }) => ads.map(({ id }) => id))];
  return [{ level: 'ad_set', campaignId, adSetIds, adIds }];
}

const lineItem: Params = {
  objective: 'WEBSITE_CLICKS',
  product_type: 'PROMOTED_TWEETS',
  placements: 'ALL_ON_TWITTER',
  start_time: '2026-01-01T00:00:00Z',
  end_time: '2036-01-01T00:00:00Z',
  daily_budget_amount_local_micro: '25000000',
};
