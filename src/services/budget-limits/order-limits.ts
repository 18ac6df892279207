import type { CreateAdInput } from '../../contract/ad-input.ts';
import type { AdDoc } from '../../models/ad.ts';
import { adSetRefOf } from '../campaigns/ids.ts';
import type { Ctx } from '../context.ts';
import { activeBudgetsIn, carrierTreeOf, knownActiveBudgetsIn, type ActiveBudget } from './active-budgets.ts';
import { budgetUnknown, requireEachWithin } from './check.ts';
import { requireSumsWithin, reserve } from './ledger.ts';
import { limitedBy, type Limited, type Spender } from './parties.ts';
import { attribute } from './within-limits.ts';

/** Throws if an order is not within the limits of the key and the ad account. Without limits it reads nothing. */
export async function requireOrderWithinLimits(ctx: Ctx, spender: Spender, input: CreateAdInput): Promise<void> {
  const limited = limitedBy(ctx, spender);
  if (limited.length === 0) return;
  const budget = budgetOf(input);
  if (budget) requireEachWithin(limited, [budget], spender.adAccount.currency);
  const { budgets } = await activatedBy(ctx, limited, { spender, input, orderId: '' });
  if (budgets.length > 0) await requireSumsWithin(ctx, limited, { id: '', kind: 'order', budgets });
}

/** Reserves the budget of a stored order. An order that may have reached the platform is never refused. */
export async function reserveOrder(ctx: Ctx, spender: Spender, { _id, order, steps = [] }: AdDoc): Promise<void> {
  const limited = limitedBy(ctx, spender);
  if (limited.length === 0 || !order) return;
  const { budgets, campaignRef } = await activatedBy(ctx, limited, { spender, input: order.input, orderId: _id });
  if (budgets.length === 0) return;
  const mayBeSent = steps.some(({ state }) => state === 'running' || state === 'unknown');
  await reserve(ctx, limited, { id: _id, kind: 'order', budgets, at: ctx.clock.now() }, { mayBeSent });
  // An existing campaign has no order of this key that its budget would count for.
  if (campaignRef !== undefined) await attribute(ctx, { campaignRef, budgets });
}

const budgetOf = ({ budgetAmount: amount, budgetType: type }: CreateAdInput) =>
  amount === undefined || type === undefined ? undefined : { amount, type };

interface Ordered {
  spender: Spender;
  input: CreateAdInput;
  orderId: string;
}

interface Activated {
  budgets: ActiveBudget[];
  /** The existing campaign that has them. */
  campaignRef?: string;
}

/** Returns the budgets that an order activates; throws if one is above its limit. An ad can activate its ad set. */
async function activatedBy(ctx: Ctx, limited: Limited[], { spender, input, orderId }: Ordered): Promise<Activated> {
  const [first] = limited;
  if (input.status === 'PAUSED' || !first) return { budgets: [] };
  const { adSetId } = input;
  if (adSetId === undefined) {
    const budget = budgetOf(input);
    return { budgets: budget ? [{ carrier: `order ${orderId}`, ...budget }] : [] };
  }
  const adSet = await ctx.db.adSets.findOne({ _id: adSetRefOf(spender.account._id, adSetId) }).lean();
  const tree = adSet && (await carrierTreeOf(ctx.db, adSet.campaignRef));
  const after = tree ? activeBudgetsIn(tree, { activates: 'ad', platformAdSetId: adSetId }) : undefined;
  if (!after) throw budgetUnknown(first, adSet?.platformCampaignId ?? `of ad set ${adSetId}`);
  const running = new Set((tree ? knownActiveBudgetsIn(tree) : []).map(({ carrier }) => carrier));
  const activated = after.filter(({ carrier }) => !running.has(carrier));
  requireEachWithin(limited, activated, spender.adAccount.currency);
  return { budgets: activated, campaignRef: adSet?.campaignRef };
}
