import { AppError } from '../../contract/error.ts';
import { newId } from '../../lib/id.ts';
import type { StoredBudget } from '../../models/campaign.ts';
import { campaignRefOf } from '../campaigns/ids.ts';
import type { Ctx } from '../context.ts';
import { faultOf } from '../platform-error.ts';
import {
  activeBudgetsIn,
  carrierTreeOf,
  knownActiveBudgetsIn,
  type ActiveBudget,
  type CarrierChange,
} from './active-budgets.ts';
import { budgetUnknown, requireEachWithin } from './check.ts';
import { release, requireSumsWithin, reserve } from './ledger.ts';
import { budgetKeyOf, limitedBy, type Limited, type Spender } from './parties.ts';

/** A campaign that is about to change. */
export interface ChangingCampaign extends Spender {
  campaignId: string;
}

export interface BudgetChange extends CarrierChange {
  /** The current amount, if a budget changes. */
  was?: number;
}

interface Asked {
  limited: Limited[];
  campaignRef: string;
  /** The active budgets of the campaign after the change. */
  budgets: ActiveBudget[];
}

/** Runs a change of a campaign if the budgets that it activates or raises are within the limits. */
export async function withinLimits<T>(
  ctx: Ctx,
  campaign: ChangingCampaign,
  { change, act }: { change: BudgetChange; act: () => Promise<T> },
): Promise<T> {
  const asked = await requireEach(ctx, campaign, change);
  if (!asked) return act();
  const { limited, campaignRef: id, budgets } = asked;
  const own = { id, attempt: newId(), sets: partsOf(change).join(', ') };
  if (budgets.length > 0) await reserve(ctx, limited, { ...own, kind: 'change', budgets, at: ctx.clock.now() });
  try {
    const result = await act();
    await attribute(ctx, asked);
    await release(ctx, limited, { id, sets: { $in: selectionsOf(partsOf(change)) } });
    return result;
  } catch (error) {
    const isCertain = error instanceof AppError && faultOf(error) !== 'unknown_outcome';
    if (isCertain) await release(ctx, limited, { id, attempt: own.attempt });
    else await attribute(ctx, asked);
    throw error;
  }
}

/** The settings that a change makes. Once they are recorded, earlier changes of the same settings no longer matter. */
function partsOf({ activates, restarts, budget, platformAdSetId = '' }: BudgetChange): string[] {
  const objectAt = (level: string): string => (level === 'campaign' ? '' : ` ${platformAdSetId}`);
  return [
    ...(activates ? [`status of ${activates}${objectAt(activates)}`] : []),
    ...(restarts ? [`end of ${restarts}${objectAt(restarts)}`] : []),
    ...(budget ? [`budget of ${budget.level}${objectAt(budget.level)}`] : []),
  ];
}

/** Every selection of a list, in its order. */
const selectionsOf = (list: string[]): string[] =>
  list
    .reduce<string[][]>((found, one) => [...found, ...found.map((selection) => [...selection, one])], [[]])
    .map((selection) => selection.join(', '));

/** Throws if the change is not within the limits; reserves nothing. */
export async function requireWithinLimits(ctx: Ctx, campaign: ChangingCampaign, change: BudgetChange): Promise<void> {
  const asked = await requireEach(ctx, campaign, change);
  if (!asked) return;
  const { limited, campaignRef: id, budgets } = asked;
  await requireSumsWithin(ctx, limited, { id, kind: 'change', budgets });
}

/** Throws if a single budget is above its limit or not known. Undefined without limits. */
async function requireEach(ctx: Ctx, campaign: ChangingCampaign, change: BudgetChange): Promise<Asked | undefined> {
  const { account, adAccount, campaignId } = campaign;
  const limited = limitedBy(ctx, campaign);
  const [first] = limited;
  if (!first) return undefined;
  const campaignRef = campaignRefOf(account._id, campaignId);
  const tree = await carrierTreeOf(ctx.db, campaignRef);
  const isKnown = tree !== null && activeBudgetsIn(tree, change) !== undefined;
  // A budget that is unknown and active already is not compared, only what the change adds.
  const addsBudgets = change.activates ?? (change.restarts && tree && activeBudgetsIn(tree));
  if (!isKnown && addsBudgets) throw budgetUnknown(first, campaignId);
  const after = tree ? knownActiveBudgetsIn(tree, change) : [];
  const before = new Map((tree ? knownActiveBudgetsIn(tree) : []).map(({ carrier, amount }) => [carrier, amount]));
  const activated = after.filter(({ carrier, amount }) => amount > (before.get(carrier) ?? 0));
  requireEachWithin(limited, [...raisedBy(change), ...activated], adAccount.currency);
  return { limited, campaignRef, budgets: activated.length > 0 ? after : [] };
}

const raisedBy = ({ budget, was }: BudgetChange): StoredBudget[] =>
  budget && budget.value.amount > (was ?? 0) ? [budget.value] : [];

/** The budgets of the campaign count for the key that activated or raised one of them. */
export async function attribute({ db, caller }: Ctx, { campaignRef, budgets }: Omit<Asked, 'limited'>): Promise<void> {
  if (!caller.budgetLimits || budgets.length === 0) return;
  await db.campaigns.updateOne({ _id: campaignRef }, { $set: { budgetKeyId: budgetKeyOf(caller) } });
}
