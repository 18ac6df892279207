import type { DuplicationDoc, StoredCopyOptions } from '../../models/duplication.ts';
import { isCopyActive } from '../../platforms/platform.ts';
import { campaignRefOf } from '../campaigns/ids.ts';
import type { Ctx } from '../context.ts';
import { carrierTreeOf, isActiveItself, type ActiveBudget } from './active-budgets.ts';
import { budgetUnknown, requireEachWithin } from './check.ts';
import { release, requireSumsWithin, reserve } from './ledger.ts';
import { limitedBy, type Spender } from './parties.ts';

interface Source {
  id: string;
  isActive: boolean;
}

type PlannedCopy = Pick<DuplicationDoc, '_id' | 'sourceCampaignId' | 'options'> & {
  /** The source as read from the platform; before that read, the records count. */
  tree?: { campaign: Source; adSets: Source[] };
};

/** Throws if the active budgets of a copy are not within the limits; reserves nothing. */
export async function requireCopyWithinLimits(ctx: Ctx, spender: Spender, copy: PlannedCopy): Promise<void> {
  const budgets = await activatedBy(ctx, spender, copy);
  if (budgets.length > 0)
    await requireSumsWithin(ctx, limitedBy(ctx, spender), { id: copy._id, kind: 'copy', budgets });
}

/** Reserves the budgets that a copy activates. */
export async function reserveCopy(ctx: Ctx, spender: Spender, copy: PlannedCopy): Promise<void> {
  const budgets = await activatedBy(ctx, spender, copy);
  const reservation = { id: copy._id, kind: 'copy' as const, budgets, at: ctx.clock.now() };
  if (budgets.length > 0) await reserve(ctx, limitedBy(ctx, spender), reservation);
}

export const releaseCopy = (ctx: Ctx, spender: Spender, { _id }: Pick<PlannedCopy, '_id'>): Promise<void> =>
  release(ctx, limitedBy(ctx, spender), { id: _id });

/** Returns the budgets that a copy activates; throws if one is above its limit. Without limits nothing is read. */
async function activatedBy(ctx: Ctx, spender: Spender, copy: PlannedCopy): Promise<ActiveBudget[]> {
  const { account, adAccount } = spender;
  const { _id, sourceCampaignId, options, tree } = copy;
  const limited = limitedBy(ctx, spender);
  const [first] = limited;
  if (!first || options.statusOption === 'PAUSED') return [];
  const source = await carrierTreeOf(ctx.db, campaignRefOf(account._id, sourceCampaignId));
  if (!source) throw budgetUnknown(first, sourceCampaignId);
  const isActive = tree?.campaign.isActive ?? isActiveItself(source.campaign);
  if (!isCopyActive(options, { isActive })) return [];
  const carried = source.campaign.budget
    ? [{ id: sourceCampaignId, budget: source.campaign.budget }]
    : adSetsOf(options, tree?.adSets, source.adSets);
  const budgets = carried.map(({ id, budget }) => {
    if (!budget) throw budgetUnknown(first, sourceCampaignId);
    return { carrier: `copy ${_id} ${id}`, ...budget };
  });
  requireEachWithin(limited, budgets, adAccount.currency);
  return budgets;
}

type Recorded = NonNullable<Awaited<ReturnType<typeof carrierTreeOf>>>['adSets'];

function adSetsOf(options: StoredCopyOptions, read: Source[] | undefined, recorded: Recorded) {
  if (!options.deepCopy) return [];
  const known = new Map(recorded.map((adSet) => [adSet.platformAdSetId, adSet]));
  const sources = read ?? recorded.map((adSet) => ({ id: adSet.platformAdSetId, isActive: isActiveItself(adSet) }));
  return sources
    .filter((source) => isCopyActive(options, source))
    .map(({ id }) => ({ id, budget: known.get(id)?.budget ?? null }));
}
