import { segment } from '../../lib/segment.ts';
import { endsOf, onAdSet } from '../budget.ts';
import type { Access, Budget, BudgetPlacement, CampaignLevel, CampaignRef } from '../platform.ts';
import type { Client } from './client.ts';
import { list, urn } from './restli.ts';
import { Campaign, CampaignGroup, dateOf } from './wire.ts';

const live = list(['ACTIVE', 'PAUSED', 'DRAFT', 'COMPLETED']);

/** A dynamic campaign group distributes its budget to its campaigns, which then have none; a total also has its end. */
export async function readBudget(
  client: Client,
  access: Access,
  { adAccount, campaignId, adSetId }: CampaignRef & { adSetId?: string },
): Promise<BudgetPlacement> {
  const account = `adAccounts/${segment(adAccount.id)}`;
  const group = await client.read(access, `${account}/adCampaignGroups/${segment(campaignId)}`, CampaignGroup);
  const { budgetLevel: level, budget } = levelOf(group);
  const ofGroup = dateOf(group.runSchedule?.end);
  if (level === 'ad_set' && adSetId !== undefined) {
    const campaign = await client.read(access, `${account}/adCampaigns/${segment(adSetId)}`, Campaign);
    return onAdSet(budgetOf(campaign), ofGroup);
  }
  const groups = list([urn('sponsoredCampaignGroup', campaignId)]);
  const path = `${account}/adCampaigns?q=search&search=(campaignGroup:(values:${groups}),status:(values:${live}))`;
  const campaigns: Campaign[] = [];
  for await (const page of client.pages(access, path, { item: Campaign, pageSize: 100 })) campaigns.push(...page);
  const adSets = endsOf(campaigns.map(({ id, runSchedule }) => [id, dateOf(runSchedule?.end)]));
  const endLevel = adSetId === undefined || budget?.type === 'lifetime' ? 'campaign' : 'ad_set';
  const ends = { adSets, ...(ofGroup && { campaign: ofGroup }) };
  return { level, endLevel, hasOtherAdSets: campaigns.length > 1, ...(budget && { budget }), ends };
}

/** Without the dynamic strategy the amount of a group is a limit; its campaigns carry the budgets. */
export function levelOf(group: CampaignGroup): CampaignLevel {
  const amount = budgetOf(group);
  return isDynamic(group) ? { budgetLevel: 'campaign', budget: amount } : { budgetLevel: 'ad_set', spendLimit: amount };
}

const isDynamic = ({ budgetOptimization }: CampaignGroup): boolean =>
  budgetOptimization?.budgetOptimizationStrategy === 'DYNAMIC';

export function budgetOf({
  totalBudget,
  dailyBudget,
}: Pick<Campaign, 'totalBudget' | 'dailyBudget'>): Budget | undefined {
  if (totalBudget) return { amount: Number(totalBudget.amount), type: 'lifetime' };
  return dailyBudget ? { amount: Number(dailyBudget.amount), type: 'daily' } : undefined;
}
