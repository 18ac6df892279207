import { own } from '../../lib/own.ts';
import { segment } from '../../lib/segment.ts';
import { endsOf, onAdSet } from '../budget.ts';
import { unscaled } from '../decimal.ts';
import type { Access, Budget, BudgetPlacement, CampaignLevel, CampaignRef, FoundAdSet } from '../platform.ts';
import type { Client } from './client.ts';
import { AdGroup, Campaign, fromSeconds } from './wire.ts';

/** Under campaign budget optimization all ad groups also share the campaign's end date. */
export async function readBudget(
  client: Client,
  access: Access,
  { adAccount, campaignId, adSetId }: CampaignRef & { adSetId?: string },
): Promise<BudgetPlacement> {
  const account = `ad_accounts/${segment(adAccount.id)}`;
  const campaign = await client.read(access, `${account}/campaigns/${segment(campaignId)}`, { schema: Campaign });
  const { budgetLevel: level, budget } = levelOf(campaign);
  if (level === 'ad_set' && adSetId !== undefined) {
    const adGroup = await client.read(access, `${account}/ad_groups/${segment(adSetId)}`, { schema: AdGroup });
    return onAdSet(budgetOfAdGroup(adGroup), fromSeconds(campaign.end_time));
  }
  const query = { campaign_ids: [campaignId], entity_statuses: ['ACTIVE', 'PAUSED'], page_size: '100' };
  const groups: AdGroup[] = [];
  for await (const page of client.pages(access, `${account}/ad_groups`, { item: AdGroup, query })) groups.push(...page);
  const adSets = endsOf(groups.map(({ id, end_time: end }) => [id, fromSeconds(end)]));
  return {
    level,
    endLevel: 'campaign',
    hasOtherAdSets: groups.length > 1,
    ...(budget && { budget }),
    ends: { adSets },
  };
}

/** Under campaign budget optimization the caps are the budget; otherwise they limit the budgets of the ad groups. */
export function levelOf(campaign: Campaign): CampaignLevel {
  const cap = capOf(campaign);
  return campaign.is_campaign_budget_optimization
    ? { budgetLevel: 'campaign', budget: cap }
    : { budgetLevel: 'ad_set', spendLimit: cap };
}

function capOf({ daily_spend_cap: daily, lifetime_spend_cap: lifetime }: Campaign): Budget | undefined {
  if (lifetime) return { amount: unscaled(lifetime, 6), type: 'lifetime' };
  return daily ? { amount: unscaled(daily, 6), type: 'daily' } : undefined;
}

export function budgetOfAdGroup({ budget_in_micro_currency: micro, budget_type: type }: AdGroup): Budget | undefined {
  return micro ? { amount: unscaled(micro, 6), type: type === 'LIFETIME' ? 'lifetime' : 'daily' } : undefined;
}

const bidStrategies: Record<string, FoundAdSet['bidStrategy']> = {
  AUTOMATIC_BID: 'LOWEST_COST_WITHOUT_CAP',
  MAX_BID: 'LOWEST_COST_WITH_BID_CAP',
  TARGET_AVG: 'COST_CAP',
};

export const bidStrategyOf = ({ bid_strategy_type: type }: AdGroup): FoundAdSet['bidStrategy'] =>
  own(bidStrategies, type ?? 'AUTOMATIC_BID');
