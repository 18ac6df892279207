import { onAdSet } from '../budget.ts';
import { PlatformError } from '../error.ts';
import type { Access, AdRef, Budget, BudgetPlacement } from '../platform.ts';
import type { Client } from './client.ts';
import { AdGroup, Campaign } from './wire.ts';

/** Enough to distinguish one ad group from several. */
const sampleSize = 10;

/** Under campaign budget optimization an ad group still accepts a budget, and ignores it. */
export async function readBudget(client: Client, access: Access, ad: AdRef): Promise<BudgetPlacement> {
  const { adAccount, campaignId, adSetId } = ad;
  const asked = { advertiser_id: adAccount.id };
  const [campaign] = await firstPage(
    client.pages(access, 'campaign/get', {
      item: Campaign,
      query: { ...asked, filtering: { campaign_ids: [campaignId] } },
    }),
  );
  if (!campaign) throw new PlatformError('D', 'not_found', `There is no campaign ${campaignId}`);
  const isShared = campaign.budget_optimize_on === true;
  const filtering = isShared ? { campaign_ids: [campaignId] } : { adgroup_ids: [adSetId] };
  const adGroups = await firstPage(
    client.pages(access, 'adgroup/get', { item: AdGroup, query: { ...asked, filtering }, pageSize: sampleSize }),
  );
  if (!isShared) return onAdSet(adGroups[0] && budgetOf(adGroups[0]));
  const budget = budgetOf(campaign);
  return { level: 'campaign', endLevel: 'ad_set', hasOtherAdSets: adGroups.length > 1, ...(budget && { budget }) };
}

async function firstPage<T>(pages: AsyncGenerator<T[]>): Promise<T[]> {
  for await (const page of pages) return page;
  return [];
}

/** `INFINITE` means that another level carries the budget. */
export function budgetOf({ budget, budget_mode: mode }: Pick<AdGroup, 'budget' | 'budget_mode'>): Budget | undefined {
  if (!budget || !mode || mode === 'BUDGET_MODE_INFINITE') return undefined;
  return { amount: budget, type: mode === 'BUDGET_MODE_TOTAL' ? 'lifetime' : 'daily' };
}
