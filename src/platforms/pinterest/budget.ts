import { segment } from '../../lib/segment.ts';
import { unscaled } from '../decimal.ts';
import { onAdSet } from '../budget.ts';
import type { Access, AdChange, AdRef, Budget, BudgetPlacement } from '../platform.ts';
import { toMicro } from './ad-group.ts';
import type { Client, Fields } from './client.ts';
import { AdGroup, Campaign, toSeconds } from './wire.ts';

/**
 * Under campaign budget optimization the spend caps are the budget, and all ad groups share the campaign's end date.
 */
export async function readBudget(client: Client, access: Access, ad: AdRef): Promise<BudgetPlacement> {
  const account = `ad_accounts/${segment(ad.adAccount.id)}`;
  const campaign = await client.read(access, `${account}/campaigns/${segment(ad.campaignId)}`, { schema: Campaign });
  if (!campaign.is_campaign_budget_optimization) {
    const adGroup = await client.read(access, `${account}/ad_groups/${segment(ad.adSetId)}`, { schema: AdGroup });
    return onAdSet(budgetOfAdGroup(adGroup));
  }
  const query = { campaign_ids: [ad.campaignId], entity_statuses: ['ACTIVE', 'PAUSED'] };
  let count = 0;
  for await (const page of client.pages(access, `${account}/ad_groups`, { item: AdGroup, query })) {
    count += page.length;
    if (count > 1) break;
  }
  const budget = budgetOfCampaign(campaign);
  return { level: 'campaign', endLevel: 'campaign', hasOtherAdSets: count > 1, ...(budget && { budget }) };
}

export async function changeSettings(client: Client, access: Access, ad: AdRef, change: AdChange): Promise<void> {
  const { budget, endDate, placement } = change;
  const isOfCampaign = placement?.level === 'campaign';
  const end = endDate === undefined ? undefined : endDate && toSeconds(endDate);
  const account = `ad_accounts/${segment(ad.adAccount.id)}`;
  const amount = budget && toMicro(budget.amount);
  if (isOfCampaign) {
    const cap: Fields = budget
      ? { [budget.type === 'lifetime' ? 'lifetime_spend_cap' : 'daily_spend_cap']: amount }
      : {};
    const ids = { ad_account_id: ad.adAccount.id, id: ad.campaignId };
    return client.change(access, `${account}/campaigns`, { ...ids, ...cap, end_time: end });
  }
  return client.change(access, `${account}/ad_groups`, {
    id: ad.adSetId,
    budget_in_micro_currency: amount,
    end_time: end,
  });
}

export function budgetOfCampaign(campaign: Campaign): Budget | undefined {
  const { daily_spend_cap: daily, lifetime_spend_cap: lifetime } = campaign;
  // Without the optimization the caps are limits; the ad groups carry the budgets.
  if (!campaign.is_campaign_budget_optimization) return undefined;
  if (lifetime) return { amount: unscaled(lifetime, 6), type: 'lifetime' };
  return daily ? { amount: unscaled(daily, 6), type: 'daily' } : undefined;
}

export function budgetOfAdGroup({ budget_in_micro_currency: micro, budget_type: type }: AdGroup): Budget | undefined {
  return micro ? { amount: unscaled(micro, 6), type: type === 'LIFETIME' ? 'lifetime' : 'daily' } : undefined;
}
