import { segment } from '../../lib/segment.ts';
import { onAdSet } from '../budget.ts';
import type { Access, AdChange, AdRef, Budget, BudgetPlacement } from '../platform.ts';
import type { Client } from './client.ts';
import { list, urn } from './restli.ts';
import { Campaign, CampaignGroup, Schedule } from './wire.ts';

const live = list(['ACTIVE', 'PAUSED', 'DRAFT', 'COMPLETED']);

/** A dynamic campaign group distributes its budget to its campaigns, which then have none. */
export async function readBudget(client: Client, access: Access, ad: AdRef): Promise<BudgetPlacement> {
  const account = `adAccounts/${segment(ad.adAccount.id)}`;
  const group = await client.read(access, `${account}/adCampaignGroups/${segment(ad.campaignId)}`, CampaignGroup);
  if (!isDynamic(group)) {
    return onAdSet(budgetOf(await client.read(access, `${account}/adCampaigns/${segment(ad.adSetId)}`, Campaign)));
  }
  const groups = list([urn('sponsoredCampaignGroup', ad.campaignId)]);
  const path = `${account}/adCampaigns?q=search&search=(campaignGroup:(values:${groups}),status:(values:${live}))`;
  const campaigns: string[] = [];
  for await (const page of client.pages(access, path, { item: Campaign, pageSize: 10 })) {
    campaigns.push(...page.map(({ id }) => id));
    if (campaigns.length > 1) break;
  }
  const budget = budgetOf(group);
  return { level: 'campaign', endLevel: 'ad_set', hasOtherAdSets: campaigns.length > 1, ...(budget && { budget }) };
}

/** Sets budget and end date at the level that carries them. */
export async function changeSettings(client: Client, access: Access, ad: AdRef, change: AdChange): Promise<void> {
  const { budget, endDate, placement } = change;
  const account = `adAccounts/${segment(ad.adAccount.id)}`;
  const campaign = `${account}/adCampaigns/${segment(ad.adSetId)}`;
  const money = budget && {
    [budget.type === 'lifetime' ? 'totalBudget' : 'dailyBudget']: {
      amount: String(budget.amount),
      currencyCode: ad.adAccount.currency,
    },
  };
  const isOfGroup = placement?.level === 'campaign';
  if (money && isOfGroup) await client.patch(access, `${account}/adCampaignGroups/${segment(ad.campaignId)}`, money);
  const runSchedule = endDate === undefined ? undefined : await scheduleUntil(client, access, { campaign, endDate });
  const ofCampaign = { ...(!isOfGroup && money), ...(runSchedule && { runSchedule }) };
  if (Object.keys(ofCampaign).length > 0) await client.patch(access, campaign, ofCampaign);
}

/** A schedule is replaced as a whole, so its start is resent. */
async function scheduleUntil(
  client: Client,
  access: Access,
  { campaign, endDate }: { campaign: string; endDate: string | null },
): Promise<{ start?: number; end?: number }> {
  const { runSchedule: { start } = {} } = await client.read(access, campaign, Schedule);
  return { ...(start !== undefined && { start }), ...(endDate !== null && { end: Date.parse(endDate) }) };
}

export const isDynamic = ({ budgetOptimization }: CampaignGroup): boolean =>
  budgetOptimization?.budgetOptimizationStrategy === 'DYNAMIC';

export function budgetOf({
  totalBudget,
  dailyBudget,
}: Pick<Campaign, 'totalBudget' | 'dailyBudget'>): Budget | undefined {
  if (totalBudget) return { amount: Number(totalBudget.amount), type: 'lifetime' };
  return dailyBudget ? { amount: Number(dailyBudget.amount), type: 'daily' } : undefined;
}
