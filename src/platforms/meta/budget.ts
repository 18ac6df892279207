import { segment } from '../../lib/segment.ts';
import { z } from 'zod';
import { onAdSet } from '../budget.ts';
import type { Access, Budget, BudgetPlacement, CampaignRef } from '../platform.ts';
import type { Client } from './client.ts';
import { fromMinor } from './money.ts';

const text = z.string().optional();
const Carrier = z.object({ daily_budget: text, lifetime_budget: text });
const Child = z.object({ id: z.string(), status: text });

/** A campaign with its own budget distributes it to its ad sets, which then have none. */
export async function readBudget(
  client: Client,
  access: Access,
  ad: CampaignRef & { adSetId?: string },
): Promise<BudgetPlacement> {
  const { currency } = ad.adAccount;
  const carrier = async (id: string): Promise<Budget | undefined> =>
    budgetOf(
      await client.read(access, segment(id), { schema: Carrier, query: { fields: 'daily_budget,lifetime_budget' } }),
      currency,
    );
  const budget = await carrier(ad.campaignId);
  if (!budget && ad.adSetId !== undefined) return onAdSet(await carrier(ad.adSetId));
  const adSets = await client.list(access, `${segment(ad.campaignId)}/adsets`, {
    item: Child,
    query: { fields: 'id,status' },
  });
  const live = adSets.filter(({ status }) => !/DELETED|ARCHIVED/.test(status ?? ''));
  const [only, other] = live;
  return {
    level: budget ? 'campaign' : 'ad_set',
    endLevel: 'ad_set',
    hasOtherAdSets: other !== undefined,
    ...(budget && { budget }),
    ...(only && !other && { onlyAdSetId: only.id }),
  };
}

export function budgetOf(
  { daily_budget: daily = '0', lifetime_budget: lifetime = '0' }: z.infer<typeof Carrier>,
  currency: string,
): Budget | undefined {
  if (Number(lifetime) > 0) return { amount: fromMinor(lifetime, currency), type: 'lifetime' };
  return Number(daily) > 0 ? { amount: fromMinor(daily, currency), type: 'daily' } : undefined;
}
