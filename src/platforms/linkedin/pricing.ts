import { z } from 'zod';
import { PlatformError } from '../error.ts';
import type { Access, AdOrder } from '../platform.ts';
import { AmountText } from '../tolerant.ts';
import type { Client } from './client.ts';
import { bidding, planGoal } from './goals.ts';
import { escaped, list, urn, urnIn } from './restli.ts';

const Limits = z.object({ min: z.object({ amount: AmountText }).optional() }).optional();
const Pricing = z.object({ elements: z.array(z.object({ bidLimits: Limits })) });

/** The lowest bid depends on the audience, and the platform checks it only after media, post and group exist. */
export async function requireBid(
  client: Client,
  access: Access,
  { order, geos }: { order: AdOrder; geos: string[] },
): Promise<void> {
  const { input, goal, adAccount } = order;
  if (input.bidAmount === undefined || !goal) return;
  const least = await lowestBid(client, access, [
    'adBudgetPricing?q=criteriaV2',
    `account=${urnIn(urn('sponsoredAccount', adAccount.id))}`,
    `bidType=${bidding(input, planGoal(goal)).costType}`,
    'campaignType=SPONSORED_UPDATES&matchType=EXACT',
    `targetingCriteria=(include:(and:List((or:(${escaped('urn:li:adTargetingFacet:locations')}:${list(geos)})))))`,
  ]);
  if (least === undefined || input.bidAmount >= least) return;
  const message = `must be at least ${least} ${adAccount.currency} for this audience`;
  throw new PlatformError('F', 'rejected', `The bid ${message}`, { fields: { bidAmount: [message] } });
}

/** Undefined if the platform gives no limit: it is guidance, so its absence stops no order. */
async function lowestBid(client: Client, access: Access, query: string[]): Promise<number | undefined> {
  try {
    const { elements } = await client.read(access, query.join('&'), Pricing);
    const amount = elements[0]?.bidLimits?.min?.amount;
    return amount === undefined ? undefined : Number(amount);
  } catch (error) {
    if (error instanceof PlatformError && ['rejected', 'not_found', 'unavailable'].includes(error.fault))
      return undefined;
    throw error;
  }
}
