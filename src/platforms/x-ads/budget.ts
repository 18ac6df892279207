import { z } from 'zod';
import { segment } from '../../lib/segment.ts';
import { onAdSet, siblingsOf } from '../budget.ts';
import { unscaled } from '../decimal.ts';
import { PlatformError } from '../error.ts';
import { micro } from '../micro.ts';
import type { Access, AdSetRef, Budget, BudgetPlacement, CampaignRef } from '../platform.ts';
import type { Client, Params } from './client.ts';
import { LineItem, pageOf } from './wire.ts';

const daily = 'daily_budget_amount_local_micro';
const total = 'total_budget_amount_local_micro';
const Line = z.object({ data: LineItem });
const Limits = z.object({ data: LineItem.pick({ [daily]: true, [total]: true }) });

export interface BudgetChange {
  lineItem: Params;
  /** New limits of the campaign; undefined if they stay. */
  campaign?: Params;
  /** An increase updates the campaign first: a wider limit spends nothing until the line item follows. */
  isMore: boolean;
}

/**
 * A campaign has limits of its own, and the lower one applies. Those of a campaign with one line item follow it;
 * those shared by several line items belong to their owner and stay unchanged.
 */
export async function planBudget(client: Client, access: Access, ad: AdSetRef, budget: Budget): Promise<BudgetChange> {
  const account = `accounts/${segment(ad.adAccount.id)}`;
  const requested = micro('E', budget.amount);
  const kind = budget.type === 'lifetime' ? total : daily;
  const lineItem = { [kind]: requested };
  const { data: limits } = await client.read(access, `${account}/campaigns/${segment(ad.campaignId)}`, {
    schema: Limits,
  });
  const limit = limits[kind] ?? undefined;
  if (limit === undefined || limit === requested) return { lineItem, isMore: false };
  if ((await itemsOf(client, access, account, ad.campaignId)).length > 1) {
    if (requested <= limit) return { lineItem, isMore: false };
    throw beyond(unscaled(limit, 6));
  }
  // The daily limit is required; with only a lifetime limit it gets the same amount.
  const day = limits[daily] ?? 0;
  const isDayMoved = kind === total && (day === limit || day > requested);
  return {
    lineItem,
    campaign: { [kind]: requested, ...(isDayMoved && { [daily]: requested }) },
    isMore: requested > limit,
  };
}

/** A line item always carries its own budget and end: the amounts of a campaign are limits. */
export async function readBudget(
  client: Client,
  access: Access,
  { adAccount, campaignId, adSetId }: CampaignRef & { adSetId?: string },
): Promise<BudgetPlacement> {
  const account = `accounts/${segment(adAccount.id)}`;
  if (adSetId !== undefined) {
    const { data } = await client.read(access, `${account}/line_items/${segment(adSetId)}`, { schema: Line });
    return onAdSet(budgetOf(data));
  }
  const items = await itemsOf(client, access, account, campaignId);
  return { level: 'ad_set', endLevel: 'ad_set', ...siblingsOf(items.map(({ id }) => id)) };
}

/** Enough to distinguish one line item from several. */
async function itemsOf(client: Client, access: Access, account: string, campaignId: string): Promise<LineItem[]> {
  const params = { campaign_ids: campaignId, count: 2 };
  return (await client.read(access, `${account}/line_items`, { schema: pageOf(LineItem), params })).data;
}

export function budgetOf(item: Pick<LineItem, typeof daily | typeof total>): Budget | undefined {
  if (item[total]) return { amount: unscaled(item[total], 6), type: 'lifetime' };
  return item[daily] ? { amount: unscaled(item[daily], 6), type: 'daily' } : undefined;
}

const beyond = (limit: number): PlatformError => {
  const message = `The campaign has a limit of ${limit} of its own, which its ad sets share`;
  return new PlatformError('E', 'rejected', message, { fields: { budgetAmount: [`must be at most ${limit}`] } });
};
