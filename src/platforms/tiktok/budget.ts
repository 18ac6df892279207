import { onAdSet, siblingsOf } from '../budget.ts';
import { PlatformError } from '../error.ts';
import type { Access, Budget, BudgetPlacement, CampaignLevel, CampaignRef } from '../platform.ts';
import type { Client } from './client.ts';
import { AdGroup, Campaign, isAutomatic } from './wire.ts';

/** Enough to distinguish one ad group from several. */
const sampleSize = 10;

/** Under campaign budget optimization an ad group still accepts a budget, and ignores it. */
export async function readBudget(
  client: Client,
  access: Access,
  { adAccount, campaignId, adSetId }: CampaignRef & { adSetId?: string },
): Promise<BudgetPlacement> {
  const asked = { advertiser_id: adAccount.id };
  const [campaign] = await firstPage(
    client.pages(access, 'campaign/get', {
      item: Campaign,
      query: { ...asked, filtering: { campaign_ids: [campaignId] } },
    }),
  );
  if (!campaign) throw new PlatformError('D', 'not_found', `There is no campaign ${campaignId}`);
  if (isAutomatic(campaign))
    throw new PlatformError('D', 'unsupported', 'Automatic campaigns can only be changed on the platform itself');
  const { budgetLevel: level, budget } = levelOf(campaign);
  const isOfAdGroup = level === 'ad_set' && adSetId !== undefined;
  const filtering = isOfAdGroup ? { adgroup_ids: [adSetId] } : { campaign_ids: [campaignId] };
  const adGroups = await firstPage(
    client.pages(access, 'adgroup/get', { item: AdGroup, query: { ...asked, filtering }, pageSize: sampleSize }),
  );
  if (isOfAdGroup) return onAdSet(adGroups[0] && budgetOf(adGroups[0]));
  return {
    level,
    endLevel: 'ad_set',
    ...siblingsOf(adGroups.map((group) => group.adgroup_id)),
    ...(budget && { budget }),
  };
}

/** An id that does not exist gives an empty list. */
export async function firstPage<T>(pages: AsyncGenerator<T[]>): Promise<T[]> {
  for await (const page of pages) return page;
  return [];
}

/** Without budget optimization the campaign's amount is a limit; the ad groups carry the budgets. */
export function levelOf(campaign: Campaign): CampaignLevel {
  const amount = budgetOf(campaign);
  return campaign.budget_optimize_on === true
    ? { budgetLevel: 'campaign', budget: amount }
    : { budgetLevel: 'ad_set', spendLimit: amount };
}

/** `INFINITE` means that another level carries the budget. */
export function budgetOf({ budget, budget_mode: mode }: Pick<AdGroup, 'budget' | 'budget_mode'>): Budget | undefined {
  if (!budget || !mode || mode === 'BUDGET_MODE_INFINITE') return undefined;
  return { amount: budget, type: mode === 'BUDGET_MODE_TOTAL' ? 'lifetime' : 'daily' };
}
