import { PlatformError } from '../error.ts';
import type { Access, Budget, BudgetPlacement, CampaignRef } from '../platform.ts';
import type { Client } from './client.ts';
import { fromMicros } from './money.ts';
import { AdGroupRow, CampaignRow } from './wire.ts';

const fields =
  'campaign.id, campaign_budget.amount_micros, campaign_budget.total_amount_micros, campaign_budget.period, campaign_budget.explicitly_shared';

/** The campaign always has budget and end date; several campaigns may share one budget. */
export async function readBudget(client: Client, access: Access, ad: CampaignRef): Promise<BudgetPlacement> {
  const { adAccount, campaignId } = ad;
  const ofCampaign = `WHERE campaign.id = ${digits(campaignId)}`;
  const adGroups = `SELECT campaign.id, ad_group.id FROM ad_group ${ofCampaign} AND ad_group.status != 'REMOVED' LIMIT 2`;
  const [[row], live] = await Promise.all([
    client.rows(access, adAccount, { schema: CampaignRow, text: `SELECT ${fields} FROM campaign ${ofCampaign}` }),
    client.rows(access, adAccount, { schema: AdGroupRow, text: adGroups }),
  ]);
  if (!row) throw new PlatformError('B', 'not_found', `There is no campaign ${campaignId}`);
  const budget = budgetOf(row.campaignBudget);
  return {
    level: 'campaign',
    endLevel: 'campaign',
    hasOtherAdSets: live.length > 1,
    isShared: row.campaignBudget?.explicitlyShared === true,
    ...(budget && { budget }),
  };
}

export function budgetOf(budget: CampaignRow['campaignBudget']): Budget | undefined {
  const { amountMicros, totalAmountMicros, period } = budget ?? {};
  if (period === 'CUSTOM_PERIOD' || amountMicros === undefined) {
    return totalAmountMicros === undefined ? undefined : { amount: fromMicros(totalAmountMicros), type: 'lifetime' };
  }
  return { amount: fromMicros(amountMicros), type: 'daily' };
}

/** Rejects ids that could inject a query. */
export function digits(id: string): string {
  if (!/^\d+$/.test(id)) throw new PlatformError('B', 'not_found', `There is no campaign ${id}`);
  return id;
}
